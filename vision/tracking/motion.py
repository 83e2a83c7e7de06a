"""Is something moving, is something in the way, and where: the table in small against its last quiet look.

Two questions, two prices. Motion is asked of every frame, on a sparse grid of single pixels against the frame
before. What is in the way is asked only when the picture has come to rest, on a reduced picture against the last
look that was known to be free: a hand that rests does not move, but it covers what was seen before.

A change of light is no occluder: before the comparison the old look is brought to the new light by a smooth gain
per channel (quadratic over the picture, fitted robustly in log space), because lamps and clouds change slowly over
a table while hands have edges. A pebble is no occluder either: what counts is larger than a stone can be, or comes in
from the rim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Frame, Image

DownscaledImage = NDArray[np.float32]
Mask = NDArray[np.bool_]

MOTION_GRID_STEP_PX = 8
"""Motion is looked for on every 8th pixel of every 8th row: 14,400 of a 1280x720 frame, 0.03 ms."""

MOTION_CELL_SIDE = 4
"""Grid pixels along the side of a cell whose mean difference is judged; noise of single pixels averages out."""

MIN_MOTION_LEVELS = 4.0
"""A cell moves when its difference exceeds the median cell by this many grey levels, and threefold."""

GLOBAL_CHANGE_NOISE_RATIO = 4.0
"""So many times the usual noise, and one level, in the middle cell are a knocked camera or a lamp: without the usual
noise to compare with, a picture that changes everywhere would seem to change nowhere."""

NOISE_DECAY = 0.03
"""Share by which the usual noise falls towards a quieter frame's; it rises at once, for cameras repeat frames."""

MIN_MOVING_CELLS = 3
"""So many moving cells are a movement, or one that moves much more; a lone cell may be a noisy dark corner."""

FLASH_REST_S = 0.3, 0.7
"""Rest before and after a single frame of movement, from which on it was a lamp or a knock: what comes in, does
something and goes takes longer. Two frames must not lie further apart than half the first."""

FLASH_NOISE_RATIO = 1.5
"""So many times the usual noise, and one level, must the middle cell change as well: a lamp lights all the table."""

DOWNSCALED_WIDTH_PX = 320
"""Width of the reduced picture: a stone of a board that fills a quarter of the picture still has 3 px there."""

MIN_CHANGED_LEVELS = 14.0
"""Grey levels (of 255) by which a reduced pixel must differ after the light has been evened out."""

MIN_CHANGED_BRIGHTNESS_SHARE = 0.10
"""The same as a share of the brightness: bright surfaces flicker more than dark ones."""

SAME_LIGHT_LOG_RATIO = 0.01
"""Change of the logarithm of the middle pixel, in each quarter of the picture and each channel, under which the light
is what it was."""

LIGHT_FIT_STEP_PX = 4
"""The light is fitted on every 4th pixel of every 4th row of the reduced picture."""

MIN_OCCLUDER_AREA_SPACINGS = 3.0
"""Area in squared point spacings from which a change is no stone. One stone with a hard shadow covers up to 1; a
stone pushed aside changes its old place and its new one, and a captured one may be laid right beside them."""

MIN_BORDER_OCCLUDER_AREA_SPACINGS = 0.3
"""The same for what touches the rim of the picture, where arms come in and finger tips leave; a
pebble put down there looks the same, so a later look may ask for more."""

MIN_MOTION_OVERLAP = 0.3
"""Share of a change that must lie where something moved, to be something that came in."""

MIN_SHADOW_CORRELATION = 0.6
"""Correlation of fine detail from which a changed place shows the same surface in another light (a moved shadow)."""


@dataclass(frozen=True, eq=False)
class MotionState:
    """What has been seen of the table's movements.

    Attributes
    ----------
    grid : int16 array of shape (ceil(H / 8), ceil(W / 8)) or None
        Green channel of the newest frame on the sparse grid, levels.
    last_motion_s : float
        When something moved last, seconds of the source.
    moving_cells : bool array of shape (rows, columns) or None
        Which cells of the grid moved in the newest frame; None when nothing did, or nothing is known.
    unoccluded : float32 array of shape (h, w, 3) or None
        Reduced picture of the last look with nothing in the way, bgr levels.
    moved_cells : bool array of shape (rows, columns) or None
        Which cells have moved since then, but for changes of the light: nothing has come in anywhere else.
    flash_cells : bool array of shape (rows, columns) or None
        Which cells moved in a single frame between frames at rest, the last thing that moved: a lamp so far, and no
        part of ``swept`` unless something goes on moving.
    last_frame_s : float
        When the newest frame was taken.
    noise_levels : float
        By how much the middle cell changes from frame to frame when nothing moves, levels; infinite until known.
    """

    grid: NDArray[np.int16] | None = None
    last_motion_s: float = float("-inf")
    moving_cells: Mask | None = None
    unoccluded: DownscaledImage | None = None
    moved_cells: Mask | None = None
    noise_levels: float = float("inf")
    flash_cells: Mask | None = None
    last_frame_s: float = float("-inf")

    def quiet_s(self, time_s: float) -> float:
        """Seconds for which nothing has moved."""
        return time_s - self.last_motion_s


def update_motion(scene: MotionState, frame: Frame) -> MotionState:
    """Take note of whether anything moved since the frame before.

    Parameters
    ----------
    scene : Scene
    frame : Frame

    Returns
    -------
    Scene
        With the new grid, and with ``moved_s`` at this frame if something moved or the picture's size changed.
    """
    grid = frame.bgr[::MOTION_GRID_STEP_PX, ::MOTION_GRID_STEP_PX, 1].astype(np.int16)
    if scene.grid is None or scene.grid.shape != grid.shape:
        return replace(scene, grid=grid, last_motion_s=frame.time_s, last_frame_s=frame.time_s, moving_cells=None)
    cells = _cell_differences(np.abs(grid - scene.grid))
    middle = float(np.median(cells))
    knocked = middle > GLOBAL_CHANGE_NOISE_RATIO * (scene.noise_levels + 1)
    moving = _moving_cells(cells, scene.noise_levels if knocked else middle)
    if moving is None:
        noise = middle if np.isinf(scene.noise_levels) else max(middle, scene.noise_levels + NOISE_DECAY * (middle - scene.noise_levels))
        return replace(scene, grid=grid, last_frame_s=frame.time_s, moving_cells=None, noise_levels=noise)
    swept, flash = scene.moved_cells, None
    before_s, after_s = FLASH_REST_S
    if not _is_lighting_change(cells, moving):
        rested_s = frame.time_s - scene.last_motion_s
        if rested_s <= after_s and scene.flash_cells is not None:
            swept = _union(swept, scene.flash_cells)  # it went on: no lamp
        everywhere = middle > FLASH_NOISE_RATIO * (scene.noise_levels + 1)
        if everywhere and rested_s > before_s and frame.time_s - scene.last_frame_s <= before_s / 2:
            flash = moving
        else:
            swept = _union(swept, moving)
    return replace(scene, grid=grid, last_motion_s=frame.time_s, last_frame_s=frame.time_s, moving_cells=moving, moved_cells=swept, flash_cells=flash)


def with_unoccluded_view(scene: MotionState, small: DownscaledImage) -> MotionState:
    """Take a picture, reduced, as one with nothing in the way."""
    return replace(scene, unoccluded=small, moved_cells=None, flash_cells=None)


def _union(one: Mask | None, other: Mask) -> Mask:
    return other if one is None or one.shape != other.shape else np.asarray(one | other, np.bool_)


def _cell_differences(difference: NDArray[np.int16]) -> NDArray[np.float64]:
    """Mean difference of every cell, levels; a grid smaller than a cell is one."""
    rows, columns = (size // MOTION_CELL_SIDE * MOTION_CELL_SIDE for size in difference.shape)
    if rows == 0 or columns == 0:
        return np.full((1, 1), difference.mean())
    shape = rows // MOTION_CELL_SIDE, MOTION_CELL_SIDE, columns // MOTION_CELL_SIDE, MOTION_CELL_SIDE
    return np.asarray(difference[:rows, :columns].reshape(shape).mean(axis=(1, 3)), np.float64)


def _moving_cells(cells: NDArray[np.float64], noise: float) -> Mask | None:
    """Which cells move; by the usual noise, because a knocked camera or a lamp changes the middle cell, too."""
    if cells.size == 1:
        return np.ones((1, 1), np.bool_) if cells[0, 0] > MIN_MOTION_LEVELS else None
    least = max(noise + MIN_MOTION_LEVELS, 3 * noise)
    moving = np.asarray(cells > least, np.bool_)
    return moving if moving.sum() >= MIN_MOVING_CELLS or cells.max() > 1.6 * least else None


LIGHTING_CHANGE_SHARE = 0.6
"""When more of the picture changes at once, it is a lamp or a cloud, not a hand."""

LIGHTING_CHANGE_LEVELS = 8.0
"""Grey levels by which the middle cell must change for the same: no sensor worth looking through is so noisy."""


def _is_lighting_change(cells: NDArray[np.float64], moving: Mask) -> bool:
    """Whether so much changed at once that it is the light (or the camera), not a hand."""
    return bool(moving.mean() > LIGHTING_CHANGE_SHARE or np.median(cells) > LIGHTING_CHANGE_LEVELS)


FIELD_MARGIN_SPACINGS = 0.5
"""Spacings around the outermost points within which what moves may reach for them."""


def is_moving_over(scene: MotionState, field: Field) -> bool:
    """Whether anything moved over the field in the newest frame, and not in that one alone."""
    if scene.moving_cells is None or scene.flash_cells is not None or scene.moving_cells.mean() > LIGHTING_CHANGE_SHARE:
        return False
    rows, columns = scene.moving_cells.shape
    cell_px = MOTION_GRID_STEP_PX * MOTION_CELL_SIDE
    reach_px = FIELD_MARGIN_SPACINGS * float(np.median(field.spacing_px))
    left, top = (field.points_px.min(axis=0) - reach_px) // cell_px
    right, bottom = (field.points_px.max(axis=0) + reach_px) // cell_px
    part = scene.moving_cells[max(0, int(top)) : min(rows, int(bottom) + 1), max(0, int(left)) : min(columns, int(right) + 1)]
    return bool(part.any())


def downscale(bgr: Image) -> DownscaledImage:
    """Reduce a picture to about 320 px of width by averaging; float32 levels, shape (h, w, 3)."""
    step = max(1, bgr.shape[1] // DOWNSCALED_WIDTH_PX)
    size = max(1, bgr.shape[1] // step), max(1, bgr.shape[0] // step)
    return cv2.resize(bgr, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def match_lighting(old: DownscaledImage, new: DownscaledImage) -> DownscaledImage:
    """Bring an old look to the light of a new one.

    Parameters
    ----------
    old, new : float32 arrays of shape (h, w, 3), levels

    Returns
    -------
    float32 array of shape (h, w, 3)
        ``old`` times a gain that is a quadratic polynomial in x and y in log space, one per channel.

    Notes
    -----
    The fit is an iteratively reweighted least squares with Cauchy weights, started at the median, on every fourth
    pixel each way: up to about half of the picture may be covered by something else.
    """
    h, w = old.shape[:2]
    y, x = np.mgrid[0:h:LIGHT_FIT_STEP_PX, 0:w:LIGHT_FIT_STEP_PX].astype(np.float32)
    basis = _quadratic(x.ravel() / w - 0.5, y.ravel() / h - 0.5)
    sparse = slice(None, None, LIGHT_FIT_STEP_PX)
    ratio = np.log((new[sparse, sparse] + 4) / (old[sparse, sparse] + 4)).reshape(-1, 3)
    middles = [np.median(part) for half in np.array_split(ratio, 4) for part in half.T]
    if max(map(abs, middles)) < SAME_LIGHT_LOG_RATIO:
        return old
    gain = np.empty((*x.shape, 3), np.float32)
    for channel in range(3):
        target = ratio[:, channel]
        fit = np.zeros(basis.shape[1], np.float32)
        fit[0] = np.median(target)
        for _ in range(4):
            residual = target - basis @ fit
            scale = max(1.5 * float(np.median(np.abs(residual))), 0.01)
            weighted = basis / (1 + (residual / scale) ** 2)[:, None]
            fit = np.linalg.solve(weighted.T @ basis + 1e-3 * np.eye(6, dtype=np.float32), weighted.T @ target)
        gain[..., channel] = np.exp(basis @ fit).reshape(x.shape)
    # The gain is smooth, so it is worked out on the sparse pixels and stretched; pixel 0 stays pixel 0.
    stretch = np.array([[LIGHT_FIT_STEP_PX, 0, 0], [0, LIGHT_FIT_STEP_PX, 0]], np.float32)
    full = cv2.warpAffine(gain, stretch, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray((old + 4) * full - 4, np.float32)


def _quadratic(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def changed_pixels(old: DownscaledImage, new: DownscaledImage) -> Mask:
    """Where a look differs from an older one by more than light and noise; bool array of shape (h, w)."""
    expected = match_lighting(old, new)
    difference = cv2.blur(_channel_maximum(np.abs(new - expected)), (3, 3))
    return np.asarray(difference > np.maximum(MIN_CHANGED_LEVELS, MIN_CHANGED_BRIGHTNESS_SHARE * _channel_maximum(expected)), np.bool_)


def _channel_maximum(look: DownscaledImage) -> NDArray[np.float32]:
    """The greatest of the three channels at every pixel; ``max(axis=2)`` would take ten times as long."""
    blue, green, red = cv2.split(look)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def find_occluders(
    old: DownscaledImage,
    new: DownscaledImage,
    field: Field,
    size_px: tuple[int, int],
    unknown: Mask | None = None,
    rim_spacings: float = MIN_BORDER_OCCLUDER_AREA_SPACINGS,
    swept: Mask | None = None,
) -> Mask:
    """Find what is in the way in a look, against an older look at the same table.

    Parameters
    ----------
    old, new : float32 arrays of shape (h, w, 3), levels
        Reduced pictures, as ``downscale`` gives them; ``old`` had nothing in the way.
    field : Field
        For the size of things, image space.
    size_px : (int, int)
        Width and height of the picture that ``field`` belongs to.
    unknown : bool array of shape (h, w), optional
        Where ``old`` says nothing (it was moved, and did not show this place).
    rim_spacings : float
        Area in squared spacings from which a change at the rim of the picture counts.
    swept : bool array of shape (rows, columns), optional
        Cells in which something moved since the old look (``Scene.swept``): what did not come in is not there.

    Returns
    -------
    bool array of shape (h, w)
        Changes too large to be a stone or coming in from the rim, unless the surface is the same in another light:
        a shadow keeps the fine detail of what it falls on, a hand does not.
    """
    change = changed_pixels(old, new)
    if unknown is not None:
        change &= ~unknown
    came = _dilate_cells(swept, change.shape) if swept is not None else None
    scale = change.shape[1] / size_px[0]
    square = float(np.median(field.spacing_px) * scale) ** 2
    closed = cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    n, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    h, w = change.shape
    kept, rim = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    fine: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    for i in range(1, n):
        x, y, width, height, area = (int(v) for v in stats[i])
        if field.board.rings and _is_on_field(labels == i, field, scale):
            continue  # a disc has turned: that changes a whole ring, but nothing is in the way
        at_rim = rim[i] = x <= 1 or y <= 1 or x + width >= w - 1 or y + height >= h - 1
        if area > square * (rim_spacings if at_rim else MIN_OCCLUDER_AREA_SPACINGS):
            inside = labels == i
            if came is not None and came[inside].mean() < MIN_MOTION_OVERLAP:
                continue
            fine = fine or (_log_detail(old), _log_detail(new))
            kept[i] = _correlation(fine[0][inside], fine[1][inside]) < MIN_SHADOW_CORRELATION
            if kept[i] and at_rim and area < square * MIN_OCCLUDER_AREA_SPACINGS:
                kept[i] = not _was_removed(old, new, inside, change)
    if unknown is not None and not (kept & rim).any():
        # The old look was moved with the cloth, shadows and all, but shadows stay where they are. A hand is told from
        # them by its arm, which comes in from the rim.
        kept[:] = False
    return np.asarray(kept[labels], np.bool_)


def _dilate_cells(swept: Mask, shape: tuple[int, ...]) -> Mask:
    """Cells stretched over a reduced picture, and by one cell each way."""
    grown = cv2.dilate(swept.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.resize(grown, shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0, np.bool_)


def _is_on_field(changed_here: Mask, field: Field, scale: float) -> bool:
    """Whether a change lies on the field, but for a tenth: arms reach over its edge."""
    middle = field.points_px.mean(axis=0)
    outline = (middle + 1.3 * (field.points_px - middle)) * scale
    mask = np.zeros(changed_here.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(outline.astype(np.float32)).reshape(-1, 2)).astype(np.int32), 1)
    return bool(mask[changed_here].mean() > 0.9)


def _was_removed(old: DownscaledImage, new: DownscaledImage, inside: Mask, change: Mask) -> bool:
    """Whether a change is a thing that was taken away: the place now looks like its surroundings, and did not."""
    near = cv2.dilate(inside.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    around = near & ~(cv2.dilate(change.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
    if around.sum() < 8:
        return False
    was, is_now = (
        float(np.abs(np.median(look[inside], axis=0) - np.median(look[around], axis=0)).max()) for look in (old, new)
    )
    return is_now < 0.5 * was


def _log_detail(look: DownscaledImage) -> NDArray[np.float32]:
    """Brightness in log space less its surroundings, so that a gain drops out; shape (h, w)."""
    log = np.log(look @ np.ones(3, np.float32) + 12)
    return np.asarray(log - cv2.blur(log, (9, 9)), np.float32)


def _correlation(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / (np.sqrt((a * a).sum() * (b * b).sum()) + 1e-6))


def hidden_points(occluder: Mask, field: Field, size_px: tuple[int, int]) -> Mask:
    """Which points have an occluder within 0.4 of their spacing; bool array of shape (n_points,)."""
    if not occluder.any():
        return np.zeros(len(field.points_px), np.bool_)
    free_px = cv2.distanceTransform((~occluder).astype(np.uint8), cv2.DIST_L2, 3)
    scale = occluder.shape[1] / size_px[0]
    h, w = occluder.shape
    x = np.clip(np.rint(field.points_px[:, 0] * scale), 0, w - 1).astype(int)
    y = np.clip(np.rint(field.points_px[:, 1] * scale), 0, h - 1).astype(int)
    return np.asarray(free_px[y, x] < 0.4 * field.spacing_px * scale, np.bool_)
