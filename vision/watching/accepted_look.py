"""The last accepted look at a table: the reference with which the next looks are compared."""

from __future__ import annotations

from dataclasses import dataclass

from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.rotation.angle_at_rest import DiscStrips
from vision.rotation.angle_in_motion import RingAngleFilter, start_angle_filter
from vision.tracking.follow import Anchor, anchor_at
from vision.watching.phases import PointMeasures


@dataclass(frozen=True, eq=False)
class AcceptedLook:
    """The last accepted look at the table."""

    anchor: Anchor  # the image, and where the field lay in it
    patches: Patches | None  # None where the points may have been touched before the field was found
    strips: DiscStrips | None = None  # the rings; None on boards without
    ring_motion: RingAngleFilter | None = None  # rotation since; None where it cannot be followed
    measures: PointMeasures | None = None  # what the points showed; None where that was not measured


def accept_look(
    frame: Frame,
    field: Field,
    patches: Patches | None,
    strips: DiscStrips | None,
    measures: PointMeasures | None = None,
) -> AcceptedLook:
    """Return a frame as the reference, from which the rotation of its rings is followed."""
    motion = None if strips is None else start_angle_filter(frame.bgr, field, strips.discs)
    return AcceptedLook(anchor_at(frame, field), patches, strips, motion, measures)
