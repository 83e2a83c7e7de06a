"""Stones on stones: one tall patch per point, cut along the way in which things rise in the picture.

Seen aslant, the top of a tower is not over its point but further up the image of the vertical, by as much as it is
high. Here a patch stands upright in that sense: its columns run along the image of the vertical through the point,
and both its sides have the scale of the picture there, so that a pebble keeps the outline that the camera sees.
How much of a height shows as length is told beside it: nothing from straight above, nearly all from the side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Image
from vision.imaging.patches import image_jacobians, parallax_px, sample_log_colour, stone_unit

TALL_PATCH_ROWS = 48
TALL_PATCH_COLUMNS = 32
"""Samples along the sides of a tall patch."""

TALL_PATCH_SAMPLES_PER_UNIT = 20.0
"""Samples in one unit of the board (see ``patches.unit_of``)."""

TALL_PATCH_UNITS_BELOW = 0.8
"""How far the patch reaches below its point, in units; it reaches 1.6 above it: three pebbles rise by 0.9, the stone
under them lies up to 0.35 off the point, and the neighbours' shadows tell them from one another."""

STACKING_BOARDS = ("trialectic",)
"""Boards on which stones may lie on stones."""


MIN_MASK_PROBABILITY = 0.001
"""No cell of a mask is surer than that, either way."""


@dataclass(frozen=True, eq=False)
class TallPatches:
    """The points of one picture, each with what may be piled on it.

    Attributes
    ----------
    log_colour : float32 array of shape (n_points, ROWS, COLUMNS, 3)
        Log colours, see ``patches.Patches``; the first row is the highest.
    height_scale : float32 array of shape (n_points,)
        Length that one unit of height has in the picture, over that of one unit across: the cosine of the angle
        under which the camera looks at the board there.
    """

    log_colour: Float32Array
    height_scale: Float32Array


def cut_tall_patches(bgr: Image, field: Field) -> TallPatches:
    """Cut a tall patch at every point.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Where the points lie in it.

    Returns
    -------
    TallPatches
    """
    height, width = bgr.shape[:2]
    shrink, maps, slope = tall_patch_sampling(field, width, height)
    # Coarse steps over a fine picture would pick single threads of the weave: average them away first.
    small = bgr
    if shrink > 1:
        small = np.asarray(cv2.resize(bgr, (width // shrink, height // shrink), interpolation=cv2.INTER_AREA), np.uint8)
    return TallPatches(sample_log_colour(small, maps).reshape(-1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3), slope)


@lru_cache(maxsize=4)
def tall_patch_sampling(field: Field, width: int, height: int) -> tuple[int, Float32Array, Float32Array]:
    """How far to shrink the picture, where to look in it then, and the slopes; a field is a value."""
    unit = stone_unit(field.board)
    lean = parallax_px(field, (width, height)) * unit
    across = np.linalg.svd(image_jacobians(field) * unit, compute_uv=False)[:, 0]
    length = np.linalg.norm(lean, axis=1)
    up = np.where(length[:, None] > 1e-6, lean / np.maximum(length, 1e-6)[:, None], (0.0, -1.0))
    right = np.column_stack([-up[:, 1], up[:, 0]])
    step = (across / TALL_PATCH_SAMPLES_PER_UNIT)[:, None]
    above = (TALL_PATCH_ROWS - TALL_PATCH_UNITS_BELOW * TALL_PATCH_SAMPLES_PER_UNIT) - 0.5 - np.arange(TALL_PATCH_ROWS)
    aside = np.arange(TALL_PATCH_COLUMNS) + 0.5 - TALL_PATCH_COLUMNS / 2
    places = (
        field.points_px[:, None, None]
        + (up * step)[:, None, None] * above[None, :, None, None]
        + (right * step)[:, None, None] * aside[None, None, :, None]
    )
    shrink = max(1, int(float(np.median(step)) / 1.2))
    maps = ((places + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, TALL_PATCH_COLUMNS, 2)
    return shrink, maps, np.minimum(length / across, 1.0).astype(np.float32)


def mask_cell_places_px(field: Field, width: int, height: int) -> Float32Array:
    """Where every two by two samples of the tall patches lie, px, shape (n_points, ROWS / 2, COLUMNS / 2, 2)."""
    shrink, maps, _ = tall_patch_sampling(field, width, height)
    places = ((maps + 0.5) * shrink - 0.5).reshape(-1, TALL_PATCH_ROWS // 2, 2, TALL_PATCH_COLUMNS // 2, 2, 2)
    return np.asarray(places.mean(axis=(2, 4)), np.float32)


def make_masks_exclusive(masks: Float32Array, places: Float32Array) -> Float32Array:
    """Masks of stones of several towers, given that a place in the picture shows one stone at most.

    A tower looks into the patch of the point behind it, and either may take the other's top for its own. Of
    judgements that exclude each other, each made as if it were alone, the odds are shared out:
    ``o_i / (1 + sum_j o_j)``.

    Parameters
    ----------
    masks : float32 array of shape (n, rows, columns)
        Probability that a place shows a stone of that tower.
    places : float32 array of shape (n, rows, columns, 2)
        Where that is in the picture, px; the rows and columns of every tower run along straight lines in even steps.

    Returns
    -------
    float32 array of shape (n, rows, columns)
    """
    sure = np.clip(masks, MIN_MASK_PROBABILITY, 1 - MIN_MASK_PROBABILITY)
    odds = np.asarray(sure / (1 - sure), np.float32)
    claimed = np.sum([resample_grid(claim, grid, places) for claim, grid in zip(odds, places, strict=True)], axis=0)
    return np.asarray(odds / (1 + np.maximum(claimed, odds)), np.float32)  # a claim meets itself, too


def resample_grid(values: Float32Array, grid: Float32Array, places: Float32Array) -> Float32Array:
    """What ``values`` (rows, columns) on an even ``grid`` (rows, columns, 2) say at ``places`` (..., 2); 0 off it."""
    rows, columns = values.shape
    right, down = (grid[0, -1] - grid[0, 0]) / (columns - 1), (grid[-1, 0] - grid[0, 0]) / (rows - 1)
    steps = np.linalg.solve(np.column_stack([right, down]), (places - grid[0, 0]).reshape(-1, 2).T).astype(np.float32)
    column, row = steps.reshape(2, -1, places.shape[-2])
    told = cv2.remap(values, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(told, np.float32).reshape(places.shape[:-1])
