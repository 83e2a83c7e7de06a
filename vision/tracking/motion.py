"""Frames in; whether anything moves from one to the next, and where, out.

Every frame is compared with the one before on a sparse grid of single pixels, which costs next to nothing. Noise,
switched lamps and knocks against the camera are distinguished from hands. ``occlusion`` then finds what is in the way
of a table at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import REDUCTION, Float32Array, Float64Array, Frame
from vision.imaging.medians import median
from vision.tracking.follow import SURROUNDINGS_STRETCH, TrackedField, hull_mask

Mask = NDArray[np.bool_]
"""Mask of shape (rows, columns) or (h, w)."""

MOTION_INTERVAL_S = 0.1
"""Time between two frames that are looked at, seconds, as closely as the rate of the source allows: of 30 frames a
second every third. Hands are slower."""

ROUNDING_S = 0.002
"""Rounding of the sum or difference of the times of frames, seconds. Source: films count milliseconds."""

MOTION_CELL_SIDE = 4
"""Grid pixels along the side of a cell. Its mean difference is judged: noise of single pixels averages out."""

MIN_MOTION_LEVELS = 4.0
"""Grey levels by which the difference of a moving cell exceeds the noise: the change of its mean, in which the noise of
its pixels cancels out, or the mean change of its pixels, which must also be three times the noise."""

GLOBAL_CHANGE_NOISE_RATIO = 4.0
"""Multiple of the usual noise, plus one level, from which the median cell means a knocked camera or a lamp. Cells are
then compared with the usual noise: by the noise of this frame, a picture that changes everywhere would seem to change
nowhere. As many times less than the usual noise means that a picture is shown once more, and tells no noise."""

UNREST_SHARE = 0.03
"""Share of the newest frame in what is known of a cell's unrest: half of it is two seconds old. The first frames count
alike. A cell that moves counts as no more than what it may change by without moving."""

FROZEN_S, MIN_LIVE_LEVELS = 5.0, 0.25
"""Time for which a picture stands still that is frozen, seconds, and noise of the median cell without which a picture
may stand still of itself, grey levels."""

FLICKER_LEVELS = 3.0
"""Grey levels by which the light of the median cell goes up and down, above the noise, from which it flickers."""

DARK_LEVELS = 4.0
"""Levels that are added before two pictures are divided: noise in the dark is no light."""

MIN_ARM_LEVELS = 14.0
"""Grey levels above the noise by which a place differs from the picture with nothing in the way where an arm is."""

COVER_SPACINGS = 0.5
"""Distance from what covers the board, an arm or a thing, up to which a point is hidden, spacings."""

MIN_MOVING_CELLS = 3
"""Least number of cells of a moving thing; a smaller one must move by ``CLEAR_RATIO`` more: a noisy dark corner."""

FLASH_REST_S = 0.3, 0.7
"""Rest before and after a single frame of movement, s, from which it was a lamp or a knock: a hand takes longer. Two
frames must not lie further apart than half the first."""

CLEAR_RATIO = 1.5
"""Multiple of what is usual from which a change is clear: of the noise, plus one level, for the median cell, as a lamp
lights all the table; of the threshold for a single cell."""


@dataclass(frozen=True, eq=False)
class MotionState:
    """The motion on the table: newest frame, moving cells, and the noise of the camera.

    Cells are (rows, columns) of the grid; levels are grey levels, times seconds of the source. ``unrest`` is made of
    noise by brightness, flicker, coding, and what a picture that trembles makes of grain. ``flash_cells`` moved in a
    single frame between frames at rest: that is taken for a lamp, unless something goes on moving.
    """

    grid: NDArray[np.uint8] | None = None  # (ceil(H / 8), ceil(W / 8)), green of ``Frame.reduced``, levels
    last_motion_s: float = float("-inf")  # anywhere in the picture
    moving_cells: Mask | None = None  # in the newest frame; None when none moved
    moved_cells: Mask | None = None  # since nothing was in the way, without changes of the light: where a hand came in
    unrest: Float32Array | None = None  # change of every cell from frame to frame when nothing moves there, levels
    light_unrest: Float32Array | None = None  # the same with the changes of the light
    n_frames: int = 0  # from which both were learnt
    flash_cells: Mask | None = None  # when that was the last motion; no part of ``moved_cells``
    clear_grid: NDArray[np.uint8] | None = None  # the grid of the picture with nothing in the way, levels
    last_frame_s: float = float("-inf")  # of the newest frame that was looked at
    newest_s: float = float("-inf")  # of the newest frame
    changed_s: float = float("-inf")  # of the newest frame that was not exactly the one before

    @cached_property
    def apart(self) -> Float32Array | None:
        """How far each place of the grid is from the picture with nothing in the way, levels; None where unknown."""
        clear, grid = self.clear_grid, self.grid
        if self.moved_cells is None or clear is None or grid is None or clear.shape != grid.shape:
            return None
        return np.asarray(np.abs(grid - _in_light_of(clear, grid)), np.float32)

    @property
    def flickers(self) -> bool:
        """Whether the light goes up and down from frame to frame, by more than the noise."""
        if self.unrest is None or self.light_unrest is None:
            return False
        return float(median(self.light_unrest)) > float(median(self.unrest)) + FLICKER_LEVELS

    @property
    def is_frozen(self) -> bool:
        """Whether a picture that has noise has stood still for long, to the last level: the camera hangs."""
        is_noisy = self.unrest is not None and float(median(self.unrest)) > MIN_LIVE_LEVELS
        return is_noisy and self.last_frame_s - self.changed_s >= FROZEN_S

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
    grid, before = np.ascontiguousarray(frame.reduced[..., 1]), state
    state = replace(state, grid=grid, last_frame_s=frame.time_s, newest_s=frame.time_s)
    if before.grid is None or before.grid.shape != grid.shape:
        all_cells = np.ones(_cell_means(grid).shape, np.bool_)
        start = replace(state, unrest=None, light_unrest=None, n_frames=0)
        return replace(start, last_motion_s=frame.time_s, changed_s=frame.time_s, moving_cells=all_cells)
    now = grid.astype(np.float32)
    light = _Change.between(before.grid.astype(np.float32), now, state.light_unrest)
    things = replace(light, known_unrest=state.unrest)
    if light.usual > CLEAR_RATIO * things.usual_noise:  # the light may be another
        things = _Change.between(_in_light_of(before.grid, grid), now, state.unrest)
    changed_s = frame.time_s if light.cells.any() or not np.array_equal(before.grid, grid) else state.changed_s
    unrest, light_unrest, n_frames = state.unrest, state.light_unrest, state.n_frames
    if GLOBAL_CHANGE_NOISE_RATIO * things.usual >= things.usual_noise:
        n_frames += 1
        share = max(UNREST_SHARE, 1 / (n_frames + 1))
        unrest, light_unrest = things.learnt(share), light.learnt(share)
    state = replace(state, changed_s=changed_s, unrest=unrest, light_unrest=light_unrest, n_frames=n_frames)
    moving, lit = things.moving_cells(), light.changed_cells()
    if moving is None:
        flash = lit if lit is not None else state.flash_cells
        time_s = state.last_motion_s if lit is None else frame.time_s
        return replace(state, moving_cells=lit, flash_cells=flash, last_motion_s=time_s)
    moved, flash = state.moved_cells, None
    before_s, after_s = FLASH_REST_S
    if not (things.is_global or _is_lit(moving)):
        rested_s, elapsed_s = frame.time_s - state.last_motion_s, frame.time_s - before.last_frame_s
        if rested_s <= after_s and state.flash_cells is not None:  # it goes on moving: neither was a knock
            moved = _union(_union(moved, state.flash_cells), moving)
        elif (light.is_global or things.is_everywhere) and rested_s > before_s and elapsed_s <= before_s / 2:
            flash = moving
        else:
            moved = _union(moved, moving)
    return replace(state, last_motion_s=frame.time_s, moving_cells=moving, moved_cells=moved, flash_cells=flash)


@dataclass(frozen=True, eq=False)
class _Change:
    """How much each cell has changed between two frames, and how much it changes when nothing moves there; levels."""

    cells: Float32Array
    brightness: Float32Array  # of their means alone
    known_unrest: Float32Array | None

    @classmethod
    def between(cls, before: Float32Array, now: Float32Array, unrest: Float32Array | None) -> _Change:
        difference = now - before
        return cls(_cell_means(np.abs(difference)), np.abs(_cell_means(difference)), unrest)

    @cached_property
    def usual(self) -> float:
        """The change of the median cell."""
        return float(median(self.cells))

    @cached_property
    def usual_noise(self) -> float:
        """The same when nothing moves."""
        return 0.0 if self.known_unrest is None else float(median(self.known_unrest))

    @property
    def is_global(self) -> bool:
        """Whether so much changes that it is a knocked camera or a lamp."""
        return self.usual > GLOBAL_CHANGE_NOISE_RATIO * (self.usual_noise + 1)

    @property
    def is_everywhere(self) -> bool:
        """Whether more changes everywhere than usually."""
        return self.usual > CLEAR_RATIO * (self.usual_noise + 1)

    @cached_property
    def unrest(self) -> Float32Array:
        """The change of each cell when nothing moves there."""
        return np.full_like(self.cells, self.usual) if self.known_unrest is None else self.known_unrest

    @cached_property
    def noise(self) -> Float32Array:
        """The change of each cell that is no movement."""
        return self.unrest if self.is_global else np.maximum(self.unrest, self.usual)

    @cached_property
    def threshold(self) -> Float32Array:
        """The change of each cell from which it is one."""
        return np.asarray(np.maximum(self.noise + MIN_MOTION_LEVELS, 3 * self.noise), np.float32)

    def learnt(self, share: float) -> Float32Array:
        """Return the unrest, learnt with this share from these cells."""
        return self.unrest + share * (np.minimum(self.cells, self.threshold) - self.unrest)

    def moving_cells(self) -> Mask | None:
        """Return the cells of all things that moved."""
        return self._things((self.cells > self.threshold) | (self.brightness > self.noise + MIN_MOTION_LEVELS))

    def changed_cells(self) -> Mask | None:
        """Return the cells of all places that changed by more than they usually do: bands go up and down."""
        return self._things(self.cells > self.threshold)

    def _things(self, changed: Mask) -> Mask | None:
        """Return the cells of all things: connected cells that changed by more than their noise."""
        if self.cells.size == 1:
            return np.ones((1, 1), np.bool_) if self.cells[0, 0] > MIN_MOTION_LEVELS else None
        if not changed.any():
            return None
        _, labels, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8), connectivity=8)
        is_thing = stats[:, cv2.CC_STAT_AREA] >= MIN_MOVING_CELLS
        is_thing[labels[self.cells > CLEAR_RATIO * self.threshold]] = True
        is_thing[0] = False
        return np.asarray(is_thing[labels], np.bool_) if is_thing.any() else None


def _in_light_of(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> Float32Array:
    """Return a grid in the light of another one: rows and columns each have a gain of their own.

    These are medians (Tukey 1977, median polish). Lamps on the mains make bands along the rows, others a slope.
    """
    old = before.astype(np.float32) + DARK_LEVELS
    gain = (now + DARK_LEVELS) / old
    rows = median(gain, axis=1)[:, None]
    columns = np.asarray(median(gain / rows, axis=0), np.float32)
    return np.asarray(old * rows * columns - DARK_LEVELS, np.float32)


def with_nothing_in_the_way(state: MotionState) -> MotionState:
    """Return the state of a picture that has nothing in the way; nothing has moved since."""
    return replace(state, moved_cells=None, flash_cells=None, clear_grid=state.grid)


def reaching_in(state: MotionState, field: Field, now_from_before: Float64Array | None = None) -> Mask | None:
    """Return what has come in over the border of the picture and reaches the field's surroundings, on the grid.

    An arm does, with its shadow; what was laid down or taken away beside the board does not reach so far. None where
    nothing does. What is seen where board or camera have taken it since, by ``now_from_before``, has not come in.
    """
    clear, grid, apart = state.clear_grid, state.grid, state.apart
    if apart is None or clear is None or grid is None or state.unrest is None:
        return None
    if now_from_before is not None:
        scale = np.diag([REDUCTION, REDUCTION, 1.0])
        moved = np.linalg.inv(scale) @ now_from_before @ scale
        unknown = cv2.warpPerspective(np.ones_like(clear), moved, clear.shape[::-1]) == 0
        warped = cv2.warpPerspective(clear, moved, clear.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
        taken_along = np.where(unknown, grid, np.asarray(warped, np.uint8))
        apart = np.minimum(apart, np.abs(grid - _in_light_of(taken_along, grid)))
    changed = (cv2.blur(apart, (3, 3)) > MIN_ARM_LEVELS + float(median(state.unrest))).astype(np.uint8)
    _, labels = cv2.connectedComponents(changed, connectivity=8)
    at_border = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    near = np.unique(labels[hull_mask(field, changed.shape, SURROUNDINGS_STRETCH, (1 / REDUCTION, 1 / REDUCTION)) > 0])
    arms = np.setdiff1d(np.intersect1d(at_border, near), 0)
    return np.asarray(np.isin(labels, arms), np.bool_) if len(arms) else None


def is_arm_in(state: MotionState, field: Field, followed: TrackedField | NotRegistered) -> bool:
    """Return whether an arm reaches in, also where board or camera have moved since nothing was in the way."""
    is_in = reaching_in(state, field) is not None
    if is_in and isinstance(followed, TrackedField) and followed.moved:
        return reaching_in(state, followed.field, followed.now_from_before) is not None
    return is_in


def reached_points(state: MotionState, field: Field) -> Mask:
    """Return the points over which an arm reaches, or nearly; (n_points,)."""
    arm = reaching_in(state, field)
    if arm is None:
        return np.zeros(len(field.points_px), np.bool_)
    free = np.asarray(cv2.distanceTransform((~arm).astype(np.uint8), cv2.DIST_L2, 3), np.float32) * REDUCTION
    columns, rows = (field.points_px / REDUCTION).astype(int).T
    near = free[np.clip(rows, 0, arm.shape[0] - 1), np.clip(columns, 0, arm.shape[1] - 1)]
    return np.asarray(near < COVER_SPACINGS * field.spacing_px, np.bool_)


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
    if moving is None or state.flash_cells is not None or _is_lit(moving):
        return False
    return state.moves_within(SURROUNDINGS_STRETCH, field)


def _is_lit(moving: Mask) -> bool:
    """Return whether most cells move: a lamp or a cloud changes the picture, not a hand."""
    return float(moving.mean()) > 0.5


def _union(one: Mask | None, other: Mask) -> Mask:
    """Return the union of both masks; the second alone where the first is missing or has another size."""
    return other if one is None or one.shape != other.shape else np.asarray(one | other, np.bool_)


def _cell_means(grid: NDArray[np.uint8] | Float32Array) -> Float32Array:
    """Return the mean of every cell of a grid, exactly; a grid smaller than a cell counts as one cell."""
    rows, columns = (size // MOTION_CELL_SIDE for size in grid.shape)
    if rows == 0 or columns == 0:
        return np.full((1, 1), grid.mean(), np.float32)
    whole = grid[: rows * MOTION_CELL_SIDE, : columns * MOTION_CELL_SIDE].astype(np.float32)
    return np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)
