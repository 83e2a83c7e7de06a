"""Looks at a table at rest: the present look, and the last accepted one, the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.change.cover_change import cut_top_patches
from vision.change.tower_change import TowerChange
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Frame
from vision.imaging.patches import Patches
from vision.rotation.angle_at_rest import MAX_REST_OFFSET_STEPS, DiscStrips
from vision.rotation.angle_in_motion import RingAngleFilter, start_angle_filter
from vision.stones.appearance import Appearance, light_offset
from vision.tracking.follow import Anchor
from vision.tracking.motion import Mask


@dataclass(frozen=True, eq=False)
class TurnedRings:
    """The field and the appearance of its points after its rings have turned."""

    field: Field
    appearance: Appearance
    strips: DiscStrips  # as they are now
    came_from: NDArray[np.intp]  # (n_points,), index of the point where the hole that is now at each point was before

    @property
    def moved(self) -> NDArray[np.bool_]:
        """Points that lie on a ring that has turned; shape (n_points,)."""
        return np.asarray(self.came_from != np.arange(len(self.came_from)))

    @property
    def half_turned(self) -> bool:
        """Whether a ring stands between two steps."""
        return bool(np.abs(self.strips.offset_steps).max() > MAX_REST_OFFSET_STEPS)


@dataclass(frozen=True, eq=False)
class PointChange:
    """What has changed at every point since the reference; arrays are (n_points,)."""

    log_odds: NDArray[np.float64]  # that each point was touched, by its detector; 0 where nothing can be said
    kind: NDArray[np.str_]  # how it was measured: ``pixels``, ``surface`` or ``towers``
    towers: TowerChange | None = None  # None on boards without


@dataclass(frozen=True, eq=False)
class Look:
    """A look at a table at rest, or past hands that stay over it; its field in sight, compared with the reference."""

    frame: Frame  # its picture is the mean of the looks of this rest
    field: Field  # as it lies now, its rings turned
    patches: Patches
    rings: TurnedRings | None  # since the reference; None on boards without
    change: PointChange
    only_light_changed: bool  # since the reference: nobody came near
    covered: NDArray[np.bool_]  # (n_points,), by hands that stay
    past_hands: bool = False

    @property
    def came_from(self) -> NDArray[np.intp]:
        """The index of the point where the hole that is now at each point was before, (n_points,)."""
        return np.arange(len(self.field.points_px)) if self.rings is None else self.rings.came_from


@dataclass(frozen=True, eq=False)
class AcceptedLook:
    """The last accepted look at the table: the reference of the next looks."""

    anchor: Anchor  # the image, and where the field lay in it
    patches: Patches | None  # None where the points may have been touched before the field was found
    strips: DiscStrips | None = None  # the rings; None on boards without
    ring_motion: RingAngleFilter | None = None  # rotation since; None where it cannot be followed
    tops: Float32Array | None = None  # from ``look_at_tops``; None on boards without towers
    displaced: bool = False  # board or shadows have moved since, so that the points look different
    standing: Mask | None = None  # (h, w), seen from above: what stood on the field since, a cup


def look_at_tops(look: Look, heights: NDArray[np.integer], appearance: Appearance) -> Float32Array:
    """Return the patches of the tops of towers of these heights, in the light of the reference."""
    return cut_top_patches(look.frame.bgr, look.field, heights) - light_offset(look.patches, appearance)


def accept_look(
    frame: Frame,
    field: Field,
    patches: Patches | None,
    strips: DiscStrips | None,
    tops: Float32Array | None = None,
) -> AcceptedLook:
    """Return a frame as the reference, from which the rotation of its rings is followed."""
    motion = None if strips is None else start_angle_filter(frame.bgr, field, strips.discs)
    return AcceptedLook(Anchor(frame.bgr, field), patches, strips, motion, tops)
