"""A frame of a table at rest in; what is in the way, which points it hides, and whether to wait, out.

A hand that rests does not move, but it covers the board. The map of cover tells hands, sleeves and cups in one look
from above. It errs seldom, but on the same things: large stones, shadows in a fold. So only what has come in where
something moved counts, and only what is larger than a stone or reaches the rim of that look, as arms do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.board_view import BoardView
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import REDUCTION, Frame
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.medians import median
from vision.networks.heat_maps import HeatMaps, look_from_above
from vision.tracking.follow import BOARD_STRETCH, CLOTH_STRETCH, SURROUNDINGS_STRETCH, TrackedField, hull_mask
from vision.tracking.motion import COVER_SPACINGS, MIN_ARM_LEVELS, MOTION_CELL_SIDE, Mask, MotionState

PATIENCE_S = (0.0, 0.8, 2.0)
"""Rests after which the table is checked again, each time more leniently, s. From the second on, a thing that has come
is not waited for. From the third on, a hand that does not move counts as resting, and only the points that it covers
are left out; a board not seen whole, or not read alike twice, is followed as it is, one out of sight is reported as
lost, and a ring that stands between two steps is taken to the nearer one."""

COVER_LOOK_PX, MIN_COVER = 224, 0.35
"""Side of the look from above, px, and probability from which something covers a place. Source: measured on 24 drawn
hands, 24 drawn cups and settled pictures of 14 rendered films: 124 of 129 covered points are told, and 4 of 1,682 free
ones of the films, in one picture. At 288 px large stones are cover more often, at 160 px a third of hands is not."""

MIN_ARM_SPACINGS, MIN_THING_SPACINGS = 0.1, 0.8
"""Area, in squared spacings, from which cover is no stone: where it reaches the rim of the look, and elsewhere."""

MIN_MOTION_OVERLAP = 0.3
"""Share of a thing that must lie where something moved, for it to be something that came in."""


@dataclass(frozen=True, eq=False)
class OcclusionCheck:
    """The result of a check of the table at rest."""

    field: Field | NotRegistered  # image space
    moved: bool  # the field is elsewhere than in the last accepted frame
    hidden: Mask  # (n_points,), points with something in the way
    blocked: bool  # a hand is in view or the field out of sight, so that nothing should be decided yet
    until_s: float  # rest from which the next check is more lenient; infinite after the last of ``PATIENCE_S``
    view: BoardView | None = None  # the board in this frame, where it lies still
    things: Mask | None = None  # (h, w), seen from above: what lies over the field and does not reach the rim
    arm_stays: bool = False  # an arm reaches in that is waited for no longer


def check_occlusion(
    before: Field,
    motion: MotionState,
    followed: TrackedField | NotRegistered,
    frame: Frame,
    rest_s: float,
    standing: Mask | None = None,
) -> OcclusionCheck:
    """Return what is in the way of a table at rest; the longer it has rested, the more lenient is the check.

    ``before`` is the field as it lay, and ``standing`` what stood there in the last decided look: it is no hand.
    """
    nothing = np.zeros(len(before.points_px), np.bool_)
    until_s = next((patience_s for patience_s in PATIENCE_S if patience_s > rest_s), np.inf)
    is_first, is_last = rest_s < PATIENCE_S[1], np.isinf(until_s)
    if isinstance(followed, NotRegistered):
        return OcclusionCheck(followed, True, nothing, True, until_s)
    field, moved = followed.field, followed.moved
    if motion.moved_cells is None or not (moved or has_come_near(motion, field)):
        return OcclusionCheck(field, moved, nothing, False, until_s, followed.view)
    xy = np.array(field.board.xy)
    maps = look_from_above(frame.bgr, field.image_from_board, xy.min(0), xy.max(0), side_px=COVER_LOOK_PX)
    on_map = replace(field, points_px=apply_homography(maps.map_from_image, field.points_px))
    spacing = spacings(on_map.points_px)
    arm, thing = find_cover(maps, float(median(spacing)), motion.moved_cells)
    over, near = (hull_mask(on_map, arm.shape, by) > 0 for by in (BOARD_STRETCH, SURROUNDINGS_STRETCH))
    hidden = _hidden_points(arm | thing, on_map.points_px, spacing)
    # What lies beside the field, as the cord of a cloth that was pushed, hides nothing.
    thing = thing & near
    came = thing if standing is None else thing & ~standing
    blocked = bool(((arm & over).any() and not is_last) or (came.any() and is_first) or hidden.all())
    return OcclusionCheck(field, moved, hidden, blocked, until_s, followed.view, thing)


def has_come_near(motion: MotionState, field: Field) -> bool:
    """Return whether something larger than a stone came to lie over a field or beside it, or reaches in.

    Where nothing has, only stones differ from the picture with nothing in the way, each by itself.
    """
    if motion.apart is None or motion.unrest is None:
        return True
    differs = (motion.apart > MIN_ARM_LEVELS / 2 + float(median(motion.unrest))).astype(np.uint8)
    n, labels, stats, _ = cv2.connectedComponentsWithStats(differs, connectivity=8)
    near = hull_mask(field, differs.shape, CLOTH_STRETCH, (1 / REDUCTION, 1 / REDUCTION)) > 0
    is_near = np.bincount(labels[near], minlength=n) > 0
    is_near[0] = False  # what is as it was
    x, y, wide, high, area = stats[is_near].T
    at_border = (x == 0) | (y == 0) | (x + wide == differs.shape[1]) | (y + high == differs.shape[0])
    spacing = float(median(field.spacing_px)) / REDUCTION
    return bool((at_border | (area > MIN_THING_SPACINGS * spacing**2)).any())


def find_cover(maps: HeatMaps, spacing: float, moved_cells: Mask) -> tuple[Mask, Mask]:
    """Return what has come in over a board in a look from above: what reaches its rim, and what does not, (h, w) each.

    ``spacing`` is that of the points on the maps, and ``moved_cells`` where something moved (``MotionState``).
    """
    cover = cv2.morphologyEx((maps["cover"] > MIN_COVER).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    height, width = cover.shape
    cell_px = REDUCTION * MOTION_CELL_SIDE
    image_from_cells = np.array([[cell_px, 0, (cell_px - 1) / 2], [0, cell_px, (cell_px - 1) / 2], [0, 0, 1.0]])
    grown = cv2.dilate(moved_cells.astype(np.uint8), np.ones((3, 3), np.uint8))
    map_from_cells = maps.map_from_image @ image_from_cells
    moved = cv2.warpPerspective(
        grown, map_from_cells, (width, height), flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE
    )
    n, labels, stats, _ = cv2.connectedComponentsWithStats(cover)
    x, y, wide, high, area = stats.T
    at_rim = (x <= 1) | (y <= 1) | (x + wide >= width - 1) | (y + high >= height - 1)
    came = np.bincount(labels.ravel(), moved.ravel() > 0, n) >= MIN_MOTION_OVERLAP * area
    came &= area > np.where(at_rim, MIN_ARM_SPACINGS, MIN_THING_SPACINGS) * spacing**2
    came[0] = False  # what nothing covers
    return np.asarray((came & at_rim)[labels], np.bool_), np.asarray((came & ~at_rim)[labels], np.bool_)


def _hidden_points(cover: Mask, places: NDArray[np.float64], spacing: NDArray[np.float64]) -> Mask:
    """Return which points (n, 2), map space, have something near them, (n,)."""
    if not cover.any():
        return np.zeros(len(places), np.bool_)
    free_px = cv2.distanceTransform((~cover).astype(np.uint8), cv2.DIST_L2, 3)
    column, row = np.clip(np.rint(places), 0, np.array(cover.shape[::-1]) - 1).astype(int).T
    return np.asarray(free_px[row, column] < COVER_SPACINGS * spacing, np.bool_)


def standing_things(check: OcclusionCheck) -> Mask | None:
    """Return where things stand in a decided look, and two pixels around them: noise moves their edges."""
    if check.things is None or not check.things.any():
        return None
    return np.asarray(cv2.dilate(check.things.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, np.bool_)
