"""Make the reference with which the next looks are compared."""

from __future__ import annotations

from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.rotation.angle_at_rest import DiscStrips
from vision.rotation.angle_in_motion import start_angle_filter
from vision.tracking.follow import anchor_at
from vision.watching.phases import PointMeasures
from vision.watching.state import Reference


def reference_at(
    frame: Frame,
    field: Field,
    patches: Patches | None,
    strips: DiscStrips | None,
    measures: PointMeasures | None = None,
) -> Reference:
    """Return a frame as the reference; ``patches``, ``strips`` and ``measures`` as in ``Reference``."""
    motion = None if strips is None else start_angle_filter(frame.bgr, field, strips.discs)
    return Reference(anchor_at(frame, field), patches, strips, motion, measures)
