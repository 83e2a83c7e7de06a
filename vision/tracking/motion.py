"""Motion detection: whether anything moves from frame to frame, and where.

Every frame is compared with the one before on a sparse grid of single pixels, which costs next to nothing. Noise,
switched lamps and knocks against the camera are distinguished from hands. ``occlusion`` then finds what is in the way
of a table at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import REDUCTION, Float32Array, Frame
from vision.imaging.medians import median
from vision.tracking.follow import SURROUNDINGS_STRETCH, hull_mask

Mask = NDArray[np.bool_]
"""Mask of shape (rows, columns) or (h, w)."""

MOTION_INTERVAL_S = 0.1
"""Time between two frames that are looked at, seconds, as closely as the rate of the source allows: of 30 frames a
second every third. Hands are slower."""

ROUNDING_S = 0.002
"""Rounding of the times of frames, seconds: films count milliseconds."""

MOTION_CELL_SIDE = 4
"""Grid pixels along the side of a cell. Its mean difference is judged: noise of single pixels averages out."""

MIN_MOTION_LEVELS = 4.0
"""Grey levels by which the difference of a moving cell exceeds the noise: the change of its mean, in which the noise of
its pixels cancels out, or the mean change of its pixels, which must also be three times the noise."""

GLOBAL_CHANGE_NOISE_RATIO = 4.0
"""Multiple of the usual noise, plus one level, from which the median cell means a knocked camera or a lamp. Cells are
then compared with the usual noise: by the noise of this frame, a picture that changes everywhere would seem to change
nowhere."""

UNREST_SHARE = 0.03
"""Share of the newest frame in what is known of a cell's unrest: half of it is two seconds old. The first frames count
alike. A cell that moves counts as no more than what it may change by without moving."""

MIN_MOVING_CELLS = 3
"""Least number of cells of a moving thing; a smaller one must move much more, as it may be a noisy dark corner."""

FLASH_REST_S = 0.3, 0.7
"""Rest before and after a single frame of movement, s, from which it was a lamp or a knock: a hand takes longer. Two
frames must not lie further apart than half the first."""

FLASH_NOISE_RATIO = 1.5
"""Multiple of the usual noise, plus one level, by which the median cell changes too: a lamp lights all the table."""

LIGHTING_CHANGE_SHARE = 0.6
"""Share of moving cells above which it is a lamp or a cloud that changes the picture, not a hand."""


@dataclass(frozen=True, eq=False)
class MotionState:
    """The motion on the table: newest frame, moving cells, and the noise of the camera.

    Cells are (rows, columns) of the grid; levels are grey levels, times seconds of the source. ``unrest`` is made of
    noise by brightness, flicker, coding, and what a picture that trembles makes of grain. ``flash_cells`` moved in a
    single frame between frames at rest: that is taken for a lamp, unless something goes on moving.
    """

    grid: NDArray[np.uint8] | None = None  # (ceil(H / 8), ceil(W / 8)), green of ``Frame.reduced``, levels
    means: Float32Array | None = None  # of every cell of that grid, levels
    last_motion_s: float = float("-inf")  # anywhere in the picture
    moving_cells: Mask | None = None  # in the newest frame; None when none moved
    moved_cells: Mask | None = None  # since nothing was in the way, without changes of the light: where a hand came in
    unrest: Float32Array | None = None  # change of every cell from frame to frame when nothing moves there, levels
    n_frames: int = 0  # from which that was learnt
    flash_cells: Mask | None = None  # when that was the last motion; no part of ``moved_cells``
    last_frame_s: float = float("-inf")  # of the newest frame that was looked at
    newest_s: float = float("-inf")  # of the newest frame

    def moves_within(self, stretch: float, field: Field) -> bool:
        """Return whether anything moved in the newest frame within the outline of a field, stretched about its middle.

        What an arm or its shadow moves counts, and so does a lamp.
        """
        if self.moving_cells is None:
            return False
        return bool((self.moving_cells & _cells_within(stretch, field, self.moving_cells.shape)).any())


@lru_cache(maxsize=8)
def _cells_within(stretch: float, field: Field, shape: tuple[int, int]) -> Mask:
    """Return the cells within the outline of a field; cached, because a board at rest keeps its ``Field``."""
    per_px = 1 / (REDUCTION * MOTION_CELL_SIDE)
    return np.asarray(hull_mask(field, shape, stretch, (per_px, per_px)) > 0, np.bool_)


def update_motion(state: MotionState, frame: Frame, *, may_skip: bool = False) -> MotionState:
    """Return the motion after one more frame; a new size of the picture counts as motion.

    A frame that may be skipped is not looked at where the next one still comes within ``MOTION_INTERVAL_S``.
    """
    next_s = 2 * frame.time_s - state.newest_s
    if may_skip and next_s - state.last_frame_s < MOTION_INTERVAL_S + ROUNDING_S:
        return replace(state, newest_s=frame.time_s)
    grid = np.ascontiguousarray(frame.reduced[..., 1])
    before, means = state, _cell_means(grid)
    state = replace(state, grid=grid, means=means, last_frame_s=frame.time_s, newest_s=frame.time_s)
    if before.grid is None or before.means is None or before.grid.shape != grid.shape:
        all_cells = np.ones(means.shape, np.bool_)
        return replace(state, last_motion_s=frame.time_s, moving_cells=all_cells, unrest=None, n_frames=0)
    cells, brightness = _cell_means(np.asarray(cv2.absdiff(grid, before.grid), np.uint8)), np.abs(means - before.means)
    usual = float(median(cells))
    unrest = np.full_like(cells, usual) if state.unrest is None else state.unrest
    noise_levels = 0.0 if state.unrest is None else float(median(unrest))
    is_global = usual > GLOBAL_CHANGE_NOISE_RATIO * (noise_levels + 1)
    noise = unrest if is_global else np.maximum(unrest, usual)
    threshold = np.maximum(noise + MIN_MOTION_LEVELS, 3 * noise)
    moving = _find_moving_cells(cells, brightness, noise, threshold)
    n_frames = state.n_frames + 1
    share = max(UNREST_SHARE, 1 / (n_frames + 1))
    state = replace(state, unrest=unrest + share * (np.minimum(cells, threshold) - unrest), n_frames=n_frames)
    if moving is None:
        return replace(state, moving_cells=None)
    moved, flash = state.moved_cells, None
    before_s, after_s = FLASH_REST_S
    if not (is_global or moving.mean() > LIGHTING_CHANGE_SHARE):
        rested_s = frame.time_s - state.last_motion_s
        everywhere = usual > FLASH_NOISE_RATIO * (noise_levels + 1)
        if rested_s <= after_s and state.flash_cells is not None:  # it goes on moving: neither was a lamp
            moved = _union(_union(moved, state.flash_cells), moving)
        elif everywhere and rested_s > before_s and frame.time_s - before.last_frame_s <= before_s / 2:
            flash = moving
        else:
            moved = _union(moved, moving)
    return replace(state, last_motion_s=frame.time_s, moving_cells=moving, moved_cells=moved, flash_cells=flash)


def with_nothing_in_the_way(state: MotionState) -> MotionState:
    """Return the state of a picture that has nothing in the way; nothing has moved since."""
    return replace(state, moved_cells=None, flash_cells=None)


def moving_points(state: MotionState, field: Field) -> Mask:
    """Return the points that moved in the newest frame, or lie beside a cell that did; (n_points,)."""
    if state.moving_cells is None:
        return np.zeros(len(field.points_px), np.bool_)
    near = cv2.dilate(state.moving_cells.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    columns, rows = (field.points_px / (REDUCTION * MOTION_CELL_SIDE)).astype(int).T
    return np.asarray(near[np.clip(rows, 0, near.shape[0] - 1), np.clip(columns, 0, near.shape[1] - 1)], np.bool_)


def is_moving_over(state: MotionState, field: Field) -> bool:
    """Return whether something moved over the field in the newest frame, and not in that frame alone."""
    moving = state.moving_cells
    if moving is None or state.flash_cells is not None or moving.mean() > LIGHTING_CHANGE_SHARE:
        return False
    return state.moves_within(SURROUNDINGS_STRETCH, field)


def _union(one: Mask | None, other: Mask) -> Mask:
    """Return the union of both masks; the second alone where the first is missing or has another size."""
    return other if one is None or one.shape != other.shape else np.asarray(one | other, np.bool_)


def _cell_means(grid: NDArray[np.uint8]) -> Float32Array:
    """Return the mean of every cell of a grid, exactly; a grid smaller than a cell counts as one cell."""
    rows, columns = (size // MOTION_CELL_SIDE for size in grid.shape)
    if rows == 0 or columns == 0:
        return np.full((1, 1), grid.mean(), np.float32)
    whole = grid[: rows * MOTION_CELL_SIDE, : columns * MOTION_CELL_SIDE].astype(np.float32)
    return np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def _find_moving_cells(
    cells: Float32Array, brightness: Float32Array, noise: Float32Array, threshold: Float32Array
) -> Mask | None:
    """Return the cells of all things that moved: connected cells that changed by more than their noise."""
    if cells.size == 1:
        return np.ones((1, 1), np.bool_) if cells[0, 0] > MIN_MOTION_LEVELS else None
    moving = (cells > threshold) | (brightness > noise + MIN_MOTION_LEVELS)
    if not moving.any():
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats(moving.astype(np.uint8), connectivity=8)
    is_thing = stats[:, cv2.CC_STAT_AREA] >= MIN_MOVING_CELLS
    is_thing[labels[cells > 1.6 * threshold]] = True
    is_thing[0] = False
    return np.asarray(is_thing[labels], np.bool_) if is_thing.any() else None
