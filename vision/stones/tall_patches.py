"""Tall patches: one per point, cut along the image of the vertical, for boards on which stones are stacked.

When the camera looks at the board at an angle, the top of a tower is not seen over its point but further along the
image of the vertical, by the height of the tower. The columns of a tall patch run along the image of the vertical
through its point. Both its sides have the scale of the picture there, so a pebble keeps the outline that the camera
sees. ``height_scale`` says how long a unit of height is in the picture: nothing from straight above, nearly a unit from
the side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import image_jacobians, parallax_px, sample_log_colour, stone_unit

TALL_PATCH_ROWS = 48
"""Samples along the height of a tall patch; the network was trained for it."""

TALL_PATCH_COLUMNS = 32
"""Samples along the width of a tall patch; the network was trained for it."""

TALL_PATCH_SAMPLES_PER_UNIT = 20.0
"""Samples in one unit of the board (see ``patches.stone_unit``)."""

TALL_PATCH_UNITS_BELOW = 0.8
"""Reach of the patch below its point, in units.

It reaches 1.6 above it: three pebbles rise by 0.9, the stone under them lies up to 0.35 off the point, and the shadows
of the neighbours help to distinguish them."""

MIN_MASK_PROBABILITY = 0.001
"""Least probability that a cell of a mask may have, and least distance from 1."""


@dataclass(frozen=True, eq=False)
class TallPatches:
    """The tall patches of one picture."""

    log_colour: Float32Array  # (n_points, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3); the first row is the highest
    height_scale: Float32Array  # (n_points,), length of a unit of height in the picture over one across


def cut_tall_patches(bgr: Image, field: Field) -> TallPatches:
    """Cut a tall patch at every point."""
    height, width = bgr.shape[:2]
    shrink, maps, height_scale = tall_patch_sampling(field, width, height)
    # Coarse steps over a fine picture would pick single threads of the weave: average them away first.
    small = bgr
    if shrink > 1:
        small = np.asarray(cv2.resize(bgr, (width // shrink, height // shrink), interpolation=cv2.INTER_AREA), np.uint8)
    log_colour = sample_log_colour(small, maps).reshape(-1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3)
    return TallPatches(log_colour, height_scale)


@lru_cache(maxsize=4)
def tall_patch_sampling(field: Field, width: int, height: int) -> tuple[int, Float32Array, Float32Array]:
    """Return the factor by which to reduce a picture first, where samples lie in that, and the height scale.

    Places are (n_points * TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 2). The result is cached: a field is a value.
    """
    unit = stone_unit(field.board)
    parallax = parallax_px(field, (width, height)) * unit
    across = np.linalg.svd(image_jacobians(field) * unit, compute_uv=False)[:, 0]
    length = np.linalg.norm(parallax, axis=1)
    up = np.where(length[:, None] > 1e-6, parallax / np.maximum(length, 1e-6)[:, None], (0.0, -1.0))
    right = np.column_stack([-up[:, 1], up[:, 0]])
    step = (across / TALL_PATCH_SAMPLES_PER_UNIT)[:, None]
    samples_below = TALL_PATCH_UNITS_BELOW * TALL_PATCH_SAMPLES_PER_UNIT
    above = (TALL_PATCH_ROWS - samples_below) - 0.5 - np.arange(TALL_PATCH_ROWS)
    aside = np.arange(TALL_PATCH_COLUMNS) + 0.5 - TALL_PATCH_COLUMNS / 2
    places = (
        field.points_px[:, None, None]
        + (up * step)[:, None, None] * above[None, :, None, None]
        + (right * step)[:, None, None] * aside[None, None, :, None]
    )
    shrink = max(1, int(float(median(step)) / 1.2))
    maps = ((places + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, TALL_PATCH_COLUMNS, 2)
    return shrink, maps, np.minimum(length / across, 1.0).astype(np.float32)


def mask_cell_places_px(field: Field, width: int, height: int) -> Float32Array:
    """Return the places of the cells of a mask, each two by two samples of a tall patch, image px."""
    shrink, maps, _ = tall_patch_sampling(field, width, height)
    places = ((maps + 0.5) * shrink - 0.5).reshape(-1, TALL_PATCH_ROWS // 2, 2, TALL_PATCH_COLUMNS // 2, 2, 2)
    return np.asarray(places.mean(axis=(2, 4)), np.float32)


def make_masks_exclusive(masks: Float32Array, places_px: Float32Array) -> Float32Array:
    """Return the masks of the top stones of several towers, given that a place in the picture shows one stone at most.

    A tower reaches into the patch of the point behind it, and either point may take the other's top for its own. Of
    judgements that exclude each other, each made as if it were alone, the odds are shared out: ``o_i / (1 + sum o)``.
    The places of the cells, (n, rows, columns, 2) px, run along straight lines in even steps.
    """
    probability = np.clip(masks, MIN_MASK_PROBABILITY, 1 - MIN_MASK_PROBABILITY)
    odds = np.asarray(probability / (1 - probability), np.float32)
    total = np.sum([resample_grid(own, grid, places_px) for own, grid in zip(odds, places_px, strict=True)], axis=0)
    return np.asarray(odds / (1 + np.maximum(total, odds)), np.float32)  # the total contains the tower's own odds


def resample_grid(values: Float32Array, grid_px: Float32Array, places_px: Float32Array) -> Float32Array:
    """Return the values of an even grid, (rows, columns), interpolated at other places; 0 outside the grid."""
    rows, columns = values.shape
    right, down = (grid_px[0, -1] - grid_px[0, 0]) / (columns - 1), (grid_px[-1, 0] - grid_px[0, 0]) / (rows - 1)
    offsets = (places_px - grid_px[0, 0]).reshape(-1, 2).T
    steps = np.linalg.solve(np.column_stack([right, down]), offsets).astype(np.float32)
    column, row = steps.reshape(2, -1, places_px.shape[-2])
    found = cv2.remap(values, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(found, np.float32).reshape(places_px.shape[:-1])
