"""A picture and its field in, patches out: one small upright cut-out per point of the board, as log colour.

Everything that reads stones works on patches and never on the frame. A patch is laid out along the board, so that a
turned or tilted board gives the same patch. Its centre is not the drawn point but the place where the centre of a stone
standing there would be seen: a little towards the side from which the camera looks at it (parallax).

**Log colour** is an array whose last axis holds three numbers: log brightness (the mean of the logs of blue, green and
red), log red over green, log blue over green. Light that becomes k times brighter, or a white balance that changes,
adds a constant to all patches. A shadow adds a constant to the log brightness only. It is not CIE Luv.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.imaging import cv
from vision.imaging.field import STONE_CENTRE_HEIGHT_UNITS, Field
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture
from vision.imaging.homography import apply_homography, rotation, spacings
from vision.imaging.lens import usual_lens
from vision.imaging.medians import median

PATCH_SIDE = 40
"""Side of a patch, samples."""

PATCH_REACH_PER_SPACING = 0.44
"""Growth of half the side of a patch, which is one unit, per unit of spacing beyond the first: stones lie less exactly
where points are far apart."""

MAX_PATCH_SHIFT_SAMPLES = 2
"""Largest difference of registration between two patches, samples (0.1 units): two or three pixels on a small board."""

SAME_SURFACE_CORRELATION = 0.6
"""Correlation of detail from which two pictures show the same surface, whatever light falls on it."""

MAX_STONE_UNIT = 1 / 3
"""Largest unit, board space: stones do not grow for ever with the spacing of the points."""

_LOG_OFFSET_LEVELS = 16.0
"""Added to 8-bit values before the logarithm, so that sensor noise in the dark does not grow without bounds."""


@dataclass(frozen=True, eq=False)
class Patches:
    """The patches of all points of one frame; rows run along board y, columns along board x."""

    log_colour: Float32Array  # (n_points, PATCH_SIDE, PATCH_SIDE, 3)
    inside: NDArray[np.bool_]  # (n_points,), in sight, and the centre of the patch in the picture

    def at(self, points: NDArray[np.intp]) -> Patches:
        """Return the patches of some points, by their indices."""
        return Patches(self.log_colour[points], self.inside[points])


def patch_samples_per_unit() -> float:
    """Return the samples of a patch in one unit, where the next point is one unit away."""
    return PATCH_SIDE / 2


def patch_disc_mask(radius_units: float) -> NDArray[np.bool_]:
    """Return the mask of the samples within a distance of the middle of a patch whose next point is one unit away."""
    steps = (np.arange(PATCH_SIDE) - (PATCH_SIDE - 1) / 2) / patch_samples_per_unit()
    return np.asarray(np.hypot(steps[:, None], steps) <= radius_units, np.bool_)


STONE_DISC = patch_disc_mask(0.3)
"""Mask of the samples of a patch that a stone on its point covers, shape (PATCH_SIDE, PATCH_SIDE)."""

CELL = patch_disc_mask(0.5)
"""Mask of the samples of a patch that are nearer to its point than to the next one, shape (PATCH_SIDE, PATCH_SIDE)."""

STONE_OFFSET_UNITS = 0.42
"""Distance from its point within which the middle of a stone may lie, units."""

NEAR_POINT = patch_disc_mask(STONE_OFFSET_UNITS)
"""Mask of the samples of a patch where the middle of its stone may be seen, shape (PATCH_SIDE, PATCH_SIDE)."""


def patch_reaches(board: Board) -> Float64Array:
    """Return half the side of the patch at every point, in board space, shape (n_points,)."""
    unit = stone_unit(board)
    spacing = np.clip(spacings(np.asarray(board.xy, np.float64)) / unit, 1.0, 2.0)
    return unit * (1 + PATCH_REACH_PER_SPACING * (spacing - 1))


def stone_unit(board: Board) -> float:
    """Return the unit of stones and patches in board space: the smallest spacing, at most ``MAX_STONE_UNIT``."""
    return min(float(spacings(np.asarray(board.xy, np.float64)).min()), MAX_STONE_UNIT)


def parallax_px(field: Field, size_px: tuple[int, int]) -> Float64Array:
    """Return the shift of the image of a thing at every point, px per board unit of height, (n_points, 2)."""
    camera = usual_lens(size_px).matrix
    pose = np.linalg.solve(camera, field.image_from_board)
    pose = pose / np.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1]))
    centre = pose @ np.array([0.5, 0.5, 1.0])
    if centre[2] < 0:
        pose, centre = -pose, -centre
    normal = np.cross(pose[:, 0], pose[:, 1])
    normal /= max(float(np.linalg.norm(normal)), 1e-12)
    if normal @ centre > 0:
        normal = -normal
    step = 0.05
    raised = np.column_stack([pose[:, :2], pose[:, 2] + step * normal])
    low, high = (apply_homography(camera @ one, field.board.xy) for one in (pose, raised))
    return (high - low) / step


def stone_centres_px(field: Field, size_px: tuple[int, int]) -> tuple[Float64Array, NDArray[np.bool_]]:
    """Return where the centre of a lying stone would be seen at every point, (n_points, 2), and whether it can be."""
    height = STONE_CENTRE_HEIGHT_UNITS * stone_unit(field.board)
    centres = field.points_px + parallax_px(field, size_px) * height
    return centres, in_picture(centres, size_px) & field.in_sight(size_px)


def tower_mask(field: Field, size_px: tuple[int, int], heights: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return a mask, 255 where towers of (n_points,) stones may be seen; a tall one leans over what lies behind it."""
    mask, turn = np.zeros(size_px[::-1], np.uint8), np.linspace(0, 2 * np.pi, 24, endpoint=False)
    radius = spacings(np.asarray(field.board.xy, np.float64)) / 2  # half way to the next point
    cell = np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None, None]
    foot = field.points_px[:, None] + cell @ image_jacobians(field).transpose(0, 2, 1)
    rise = 2 * STONE_CENTRE_HEIGHT_UNITS * stone_unit(field.board) * heights[:, None] * parallax_px(field, size_px)
    for outline in np.rint(np.concatenate([foot, foot + rise[:, None]], axis=1))[heights > 0]:
        cv2.fillConvexPoly(mask, cv2.convexHull(outline.astype(np.int32)), 255)
    return mask


def grid_places(centres: Float64Array, axes: Float64Array, steps: NDArray[np.floating]) -> Float64Array:
    """Return the places of a square grid of steps along two axes, (n, 2, 2), around each centre, (n, m, m, 2)."""
    across, down = np.moveaxis(axes[:, None, None], -1, 0)
    return np.asarray(centres[:, None, None] + across * steps[:, None] + down * steps[:, None, None], np.float64)


def image_jacobians(field: Field) -> Float64Array:
    """Return the Jacobian of image position by board position at every point, shape (n_points, 2, 2), px per side."""
    h, xy = field.image_from_board, np.asarray(field.board.xy)
    depth = xy @ h[2, :2] + h[2, 2]
    slopes: Float64Array = (h[:2, :2] - apply_homography(h, xy)[..., None] * h[2, :2]) / depth[:, None, None]
    return slopes


def cut_patches(bgr: Image, field: Field, side: int = PATCH_SIDE, reach_share: float = 1.0) -> Patches:
    """Return the patches around all points of a field.

    Those of another ``side`` show more or less around the same middles; with a ``reach_share`` they show as many
    samples of a smaller place.
    """
    height, width = bgr.shape[:2]
    sampling = patch_sampling(field, width, height, side, reach_share)
    log_colour = sample_log_colour(patch_window(bgr, sampling), sampling.places_px).reshape(-1, side, side, 3)
    return Patches(log_colour, sampling.inside)


def ground_colours(log_colour: Float32Array, board: Board) -> Float32Array:
    """Return the usual log colour around every point, (n_points, 3): of the patches of its ring, or else of all.

    The rings of one board are often of different cloth, card or paint: a bare hole looks like those of its own ring.
    """
    ground = np.tile(median(log_colour.reshape(-1, 3), axis=0), (len(log_colour), 1))
    for ring in map(list, board.rings):
        ground[ring] = median(log_colour[ring].reshape(-1, 3), axis=0)
    return ground


def rotate_patches(
    log_colour: Float32Array, came_from: NDArray[np.intp], field: Field, size_px: tuple[int, int]
) -> Float32Array:
    """Return the patches as they should look after rings have moved their holes to other points.

    What is now at each point came from ``came_from``, (n_points,). A patch is centred where a standing stone would be
    seen. A hole therefore lies elsewhere in its patch after its ring has turned; this difference in parallax is
    corrected.
    """
    is_other = came_from != np.arange(len(came_from))
    if not is_other.any():
        return log_colour
    parallax = parallax_px(field, size_px) * (STONE_CENTRE_HEIGHT_UNITS * stone_unit(field.board))
    offset = np.linalg.solve(patch_axes_px(field) * (2 / PATCH_SIDE), parallax[..., None])[..., 0]
    patches = log_colour[came_from]
    for k in np.flatnonzero(is_other):
        move = np.column_stack([np.eye(2), offset[came_from[k]] - offset[k]])
        patches[k] = cv2.warpAffine(patches[k], move, (PATCH_SIDE, PATCH_SIDE), borderMode=cv2.BORDER_REPLICATE)
    return patches


def _ring_rotations(board: Board) -> Float64Array:
    """Return the rotation of the patch axes at every point, (n_points, 2, 2): patches of holes turn with their ring."""
    turns = np.tile(np.eye(2), (len(board.points), 1, 1))
    for ring in board.rings:
        x, y = (np.asarray(board.xy)[list(ring)] - 0.5).T
        turns[list(ring)] = np.moveaxis(rotation(np.arctan2(y, x)), -1, 0)
    return turns


def patch_axes_px(field: Field) -> Float64Array:
    """Return half the sides of every patch as image vectors, px, shape (n_points, 2, 2); column 0 along its rows."""
    return image_jacobians(field) @ _ring_rotations(field.board) * patch_reaches(field.board)[:, None, None]


@dataclass(frozen=True, eq=False)
class PatchSampling:
    """The sampling of the patches of one field; ``inside`` as in ``Patches``."""

    window: tuple[int, int, int, int]  # left, top, right, bottom, image px; the last two exclusive
    shrink: int  # factor by which the window is reduced first
    px_per_unit: float  # of the reduced window
    places_px: Float32Array  # (n_points * side, side, 2), samples in the reduced window
    inside: NDArray[np.bool_]


@lru_cache(maxsize=4)
def patch_sampling(
    field: Field, width: int, height: int, side: int = PATCH_SIDE, reach_share: float = 1.0
) -> PatchSampling:
    """Return the sampling of a field in pictures of one size; cached, as a field at rest stays the same object."""
    axes = patch_axes_px(field) * reach_share
    centres, inside = stone_centres_px(field, (width, height))
    places = grid_places(centres, axes, (np.arange(side) - (side - 1) / 2) * (2 / PATCH_SIDE))
    step = float(median(np.sqrt(np.abs(np.linalg.det(axes))))) * 2 / PATCH_SIDE
    shrink = cv.reduction_for(step)
    corners = places[:, :: side - 1, :: side - 1]
    x0, y0 = np.maximum(corners.min(axis=(0, 1, 2)) - 2, 0).astype(int).tolist()
    x1, y1 = np.minimum(corners.max(axis=(0, 1, 2)) + 3, (width, height)).astype(int).tolist()
    if x1 - x0 < 2 * shrink or y1 - y0 < 2 * shrink:
        x0, y0, x1, y1 = 0, 0, width, height
    x1, y1 = x0 + (x1 - x0) // shrink * shrink, y0 + (y1 - y0) // shrink * shrink
    places_px = ((places - (x0, y0) + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, side, 2)
    inside.setflags(write=False)
    unit_px = float(median(np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))))) * stone_unit(field.board)
    return PatchSampling((x0, y0, x1, y1), shrink, unit_px / shrink, places_px, inside)


def patch_window(bgr: Image, sampling: PatchSampling) -> Image:
    """Return the part of a picture from which patches are cut, reduced."""
    x0, y0, x1, y1 = sampling.window
    return cv.reduced(bgr[y0:y1, x0:x1], sampling.shrink)


def sample_log_colour(bgr: Image, places_px: Float32Array) -> Float32Array:
    """Return the log colour of a picture at places, (rows, columns, 2) px; its border is repeated outside."""
    atlas = cv2.remap(
        bgr, places_px[..., 0], places_px[..., 1], interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return log_colour_of(np.asarray(atlas, np.uint8))


def log_colour_of(bgr: Image) -> Float32Array:
    """Return the log colour of every pixel of a picture, float32 of the same shape; see ``sample_log_colour``."""
    logs = cv2.LUT(bgr, np.log(np.arange(256, dtype=np.float32) + np.float32(_LOG_OFFSET_LEVELS)))
    of_logs = np.array([[1 / 3] * 3, [0, -1, 1], [1, -1, 0]], np.float32)
    return np.asarray(cv2.transform(logs, of_logs), np.float32)


def log_colour_to_bgr(log_colour: NDArray[np.floating]) -> Image:
    """Return the log colour as a picture again, uint8 of the same shape."""
    green = log_colour[..., 0] - (log_colour[..., 1] + log_colour[..., 2]) / 3
    logs = np.stack([green + log_colour[..., 2], green, green + log_colour[..., 1]], axis=-1)
    bgr = np.exp(logs) - _LOG_OFFSET_LEVELS
    return np.asarray(np.clip(np.rint(bgr), 0, 255), np.uint8)


def log_colour_to_hex(log_colour: NDArray[np.floating]) -> str:
    """Return the colour as the page writes it, ``#rrggbb``; ``log_colour`` has shape (3,)."""
    blue, green, red = (int(c) for c in log_colour_to_bgr(log_colour))
    return f"#{red:02x}{green:02x}{blue:02x}"
