"""One look at the table at rest: where the field is now, what is in the way, and whether to wait for it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.board_view import BoardView
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame
from vision.tracking.follow import TrackedField
from vision.tracking.motion import MIN_BORDER_OCCLUDER_AREA_SPACINGS, Mask, MotionState, DownscaledImage, changed_pixels, hidden_points, find_occluders, downscale

PATIENCE_S = (0.0, 0.8, 2.0)
"""Rest after which a look is taken anew, more leniently: at once; then a small thing at the rim may be a pebble put
down there; then a hand that does not move is taken for one that rests, and only what it covers is left out."""

BORDER_STONE_AREA_SPACINGS = 2.0
"""From the second look on, so many squared spacings at the rim may be a pebble and its shadow."""

FIELD_STRETCH = 1.05
CLOTH_STRETCH = 1.9
"""Outlines of the points, stretched: inside the first is the field, outside the second is the table; what lies
between may have been covered by the cloth before and be bare now."""


@dataclass(frozen=True, eq=False)
class OcclusionCheck:
    """What a look at the resting table found.

    Attributes
    ----------
    field : Field or NotRegistered
        Where the field is, image space.
    moved : bool
        Whether it is elsewhere than in the last settled look.
    hidden : bool array of shape (n_points,)
        Points with something in the way.
    blocked : bool
        A hand is in view (or the field out of sight), so that nothing should be decided yet.
    stage : int
        Index into ``PATIENCE_S``.
    downscaled : float32 array of shape (h, w, 3)
        The picture, reduced.
    view : BoardView or None
        The board in this look, where it lies still.
    """

    field: Field | NotRegistered
    moved: bool
    hidden: Mask
    blocked: bool
    stage: int
    downscaled: DownscaledImage
    view: BoardView | None = None


def patience_stage(rest_s: float) -> int:
    """Which of ``PATIENCE_S`` has been reached."""
    return sum(rest_s >= patience for patience in PATIENCE_S) - 1


def check_occlusion(before: Field, scene: MotionState, followed: TrackedField | NotRegistered, frame: Frame, stage: int) -> OcclusionCheck:
    """Compare a resting table with the last settled look.

    Parameters
    ----------
    before : Field
        Where the field was in the last settled look.
    scene : Scene
        With that look, reduced.
    followed : Followed or NotRegistered
        Where the field is now.
    frame : Frame
    stage : int
        How lenient to be, index into ``PATIENCE_S``.

    Returns
    -------
    Look

    Raises
    ------
    ValueError
        When the scene has no clear look yet.
    """
    clear = scene.unoccluded
    if clear is None:
        raise ValueError("a look is compared with an earlier one, but the scene has none")
    n_points = len(before.points_px)
    now = downscale(frame.bgr)
    if isinstance(followed, NotRegistered):
        return OcclusionCheck(followed, True, np.zeros(n_points, np.bool_), True, stage, now)
    rim = MIN_BORDER_OCCLUDER_AREA_SPACINGS if stage == 0 else BORDER_STONE_AREA_SPACINGS
    unknown = None
    if followed.moved:
        clear, unknown = _predict_moved_view(clear, now, before, followed.field, followed.now_from_before, frame.size_px)
    nothing = np.zeros((1, 1), np.bool_)
    swept = scene.moved_cells if scene.moved_cells is not None else nothing
    occluder = find_occluders(clear, now, followed.field, frame.size_px, unknown, rim, swept)
    hidden = hidden_points(occluder, followed.field, frame.size_px)
    blocked = bool(occluder.any()) and (stage < len(PATIENCE_S) - 1 or bool(hidden.all()))
    return OcclusionCheck(followed.field, followed.moved, hidden, blocked, stage, now, followed.view)


def _predict_moved_view(
    clear: DownscaledImage,
    now: DownscaledImage,
    old: Field,
    new: Field,
    now_from_before: NDArray[np.float64],
    size_px: tuple[int, int],
) -> tuple[DownscaledImage, Mask]:
    """The old look as it should be after the move, and where that is not known.

    Either the camera moved, and with it the whole picture, or the cloth alone: the story that leaves less change
    is taken.
    """
    h, w = now.shape[:2]
    shrink = np.diag([w / size_px[0], h / size_px[1], 1.0])
    matrix = shrink @ now_from_before @ np.linalg.inv(shrink)
    whole = cv2.warpPerspective(clear, matrix, (w, h), flags=cv2.INTER_LINEAR, borderValue=(-1.0, -1.0, -1.0))
    outside = cv2.dilate((whole[:, :, 0] < 0).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    field = _stretched_hull(new, FIELD_STRETCH, shrink, (h, w))
    doubtful = (_stretched_hull(old, CLOTH_STRETCH, shrink, (h, w)) | _stretched_hull(new, CLOTH_STRETCH, shrink, (h, w))) & ~field
    cloth = np.where(field[:, :, None], np.maximum(whole, 0), clear).astype(np.float32)
    stories = ((np.maximum(whole, 0).astype(np.float32), outside), (cloth, doubtful | (field & outside)))
    left = [float((changed_pixels(before, now) & ~unknown).sum() / max(1, (~unknown).sum())) for before, unknown in stories]
    return stories[int(np.argmin(left))]


def _stretched_hull(field: Field, stretch: float, shrink: NDArray[np.float64], shape: tuple[int, int]) -> Mask:
    middle = field.points_px.mean(axis=0)
    points = (middle + stretch * (field.points_px - middle)) * np.diag(shrink)[:2]
    hull = np.rint(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2)).astype(np.int32)
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, hull, 1)
    return mask > 0
