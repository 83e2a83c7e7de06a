"""A picture of stacked stones and its field in; a tall patch of every point and the heights of the towers out.

When the camera looks at the board at an angle, the top of a tower is seen further along the image of the vertical. The
columns of a tall patch run along that through its point; both its sides have the scale of the picture there, so a
pebble keeps the outline that the camera sees. ``height_scale`` says how long a unit of height is in the picture:
nothing from straight above, nearly a unit from the side.

The visible part of a tower below its top stone is as long as the tower is high: in a tall patch a few samples for every
stone. So a finer strip hangs from the upper rim of the top stone. A small network says of every sample whether it shows
the top stone, the one below, the one below that, or something else, and from that the height. It compares all towers of
the board: the single stones among them are the yardstick for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging import cv
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import image_jacobians, parallax_px, sample_log_colour, stone_unit
from vision.networks.runtime import run

MOST_STONES = 3
"""Tallest tower that is recognised, stones."""

TALL_PATCH_ROWS, TALL_PATCH_COLUMNS = 48, 32
"""Samples along the height and the width of a tall patch, and of a strip; the networks were trained for it."""

STRIP_ROWS_PER_UNIT = 36.0
"""Rows of a strip in one unit of the board (see ``patches.stone_unit``): as fine as good pictures are."""

STRIP_COLUMNS_PER_UNIT = 28.0
"""Columns of a strip in one unit: it is as wide as the widest stone and some of the ground beside it."""

STRIP_ROWS_ABOVE_RIM = 7
"""Rows of a strip above the upper rim of the top stone."""

TOP_WIDTH_LIMITS_UNITS = (0.3, 1.0)
"""Least and greatest width of a top stone, in units."""

RIM_MASK_SHARE = 0.06
"""Share of a mask that may lie above the rim: masks are soft."""

MIN_TOP_PROBABILITY = 0.75
"""Probability of showing the top stone from which on a sample is used for its paint."""

MIN_TOP_SAMPLES = 40
"""Least number of samples that are used for the paint of a top stone, however improbable."""

PAINT_SPREAD = np.array([0.3, 0.1, 0.1], np.float32)
"""Spread of one paint on one stone, lit and shaded, log colour: half the unit of the colour distances."""

MAX_PAINT_DISTANCE = np.float32(3)
"""Greatest distance of two colours: they are not of one paint."""

TALL_PATCH_SAMPLES_PER_UNIT = 20.0
"""Samples in one unit of the board (see ``patches.stone_unit``)."""

TALL_PATCH_UNITS_BELOW = 0.8
"""Reach of the patch below its point, in units.

It reaches 1.6 above it: three pebbles rise by 0.9, the stone under them lies up to 0.35 off the point, and the shadows
of the neighbours help to distinguish them."""


@dataclass(frozen=True, eq=False)
class TowerHeights:
    """The readings of the strips of one board."""

    height_log_p: NDArray[np.float64]  # (n, 3), log probability of one, two and three stones
    top_samples: list[Float32Array]  # (m, 3) each, log colours that show the top stone and nothing below it


def read_tower_heights(
    bgr: Image,
    field: Field,
    points: NDArray[np.intp],
    masks: Float32Array,
    top_colours: Float32Array,
    ground: Float32Array,
    labels: NDArray[np.integer],
) -> TowerHeights:
    """Read the heights of the towers on some points, at least one, from their strips.

    ``masks`` say of the cells of the tall patches whether they show the top stone, zero where it is another tower's;
    ``top_colours`` and ``ground``, (n, 3), are the log colours of every top stone and around it; ``labels`` say which
    tops have the same paint.
    """
    size_px = bgr.shape[1], bgr.shape[0]
    anchors = strip_anchors(masks)
    places_px, height_scale = strip_places_px(field, size_px, points, anchors)
    log_colour = sample_log_colour(bgr, places_px.reshape(-1, TALL_PATCH_COLUMNS, 2)).reshape(*places_px.shape[:3], 3)
    top_p = top_stone_probabilities(field, size_px, points, masks, places_px)
    features = strip_features(log_colour, top_colours, ground, other_paint_colours(top_colours, labels), top_p)
    log_heights, top = run("strips", x=features, pose=np.column_stack([anchors, height_scale]))
    return TowerHeights(log_heights.astype(np.float64), _top_samples(log_colour, top.repeat(2, axis=2)))


def _top_samples(log_colour: Float32Array, top: Float32Array) -> list[Float32Array]:
    """Return the samples of every strip that show the top stone, without its rim, where paints mix; (m, 3) each."""
    top = np.stack([cv2.erode(p, np.ones((3, 3), np.uint8)) for p in top]).astype(np.float32)
    flat = top.reshape(len(top), -1)
    threshold = np.minimum(MIN_TOP_PROBABILITY, np.partition(flat, -MIN_TOP_SAMPLES, axis=1)[:, -MIN_TOP_SAMPLES])
    return [strip[p >= least] for strip, p, least in zip(log_colour, top, threshold, strict=True)]


def strip_anchors(masks: Float32Array) -> Float32Array:
    """Return the top stones' upper rims, above and beside the points, and widths, (n, 3) units, from their masks."""
    n, rows, columns = masks.shape
    total = masks.sum(axis=(1, 2))
    cumulative = np.cumsum(masks.sum(axis=2), axis=1) / total[:, None]
    rim = np.array([np.interp(RIM_MASK_SHARE, share, np.arange(1, rows + 1)) for share in cumulative]).reshape(n)
    across, weight = np.arange(columns) + 0.5, masks.sum(axis=1) / total[:, None]
    middle = weight @ across
    spread = np.sqrt((weight * (across - middle[:, None]) ** 2).sum(axis=1))
    cell = 2 / TALL_PATCH_SAMPLES_PER_UNIT
    above = (TALL_PATCH_ROWS / 2 - rim) * cell - TALL_PATCH_UNITS_BELOW
    beside = (middle - TALL_PATCH_COLUMNS / 4) * cell
    width = np.clip(4 * spread * cell, *TOP_WIDTH_LIMITS_UNITS)
    return np.column_stack([above, beside, width]).astype(np.float32)


def strip_places_px(
    field: Field, size_px: tuple[int, int], points: NDArray[np.intp], anchors: Float32Array
) -> tuple[Float32Array, Float32Array]:
    """Return where the samples of the strips lie, (n, rows, columns, 2) px, and the height scale, (n,)."""
    ups, across, height_scale = _upright_axes(field, size_px)
    up = (ups * across[:, None])[points]
    right = np.column_stack([-up[:, 1], up[:, 0]])
    above = anchors[:, :1] + (STRIP_ROWS_ABOVE_RIM - np.arange(TALL_PATCH_ROWS)) / STRIP_ROWS_PER_UNIT
    beside = anchors[:, 1:2] + (np.arange(TALL_PATCH_COLUMNS) + 0.5 - TALL_PATCH_COLUMNS / 2) / STRIP_COLUMNS_PER_UNIT
    places_px = (
        field.points_px[points, None, None]
        + up[:, None, None] * above[:, :, None, None]
        + right[:, None, None] * beside[:, None, :, None]
    )
    return places_px.astype(np.float32), height_scale[points]


def other_paint_colours(top_colours: Float32Array, labels: NDArray[np.integer]) -> list[Float32Array]:
    """Return the usual colours of the two paints other than that of the top, each (n, 3); nan without one."""
    paints = {label: median(top_colours[labels == label], axis=0) for label in sorted(set(labels.tolist()))}
    others = [[paint for label, paint in paints.items() if label != own] for own in labels.tolist()]
    none = np.full(3, np.nan, np.float32)
    return [np.array([(*paints_, none, none)[k] for paints_ in others], np.float32).reshape(-1, 3) for k in range(2)]


def top_stone_probabilities(
    field: Field, size_px: tuple[int, int], points: NDArray[np.intp], masks: Float32Array, places_px: Float32Array
) -> Float32Array:
    """Return the probabilities that samples show the top of their own tower, and of any other one behind it."""
    cells_px = mask_cell_places_px(field, *size_px)[points]
    resampled = np.stack([resample_grid(mask, grid, places_px) for mask, grid in zip(masks, cells_px, strict=True)])
    own = resampled[np.arange(len(points)), np.arange(len(points))]
    return np.asarray(np.stack([own, np.minimum(resampled.sum(axis=0) - own, 1)], axis=-1), np.float32)


def strip_features(
    log_colour: Float32Array,
    top_colours: Float32Array,
    ground: Float32Array,
    others: list[Float32Array],
    top_p: Float32Array,
) -> Float32Array:
    """Return the network's features of every two samples beside each other, (n, rows, columns / 2, 8)."""
    features = [np.clip((log_colour - ground[:, None, None]) * np.array([1, 2, 2], np.float32), -3, 3)]
    features += [colour_distance(log_colour, paint)[..., None] for paint in (top_colours, ground)]
    features += [np.min([colour_distance(log_colour, paint) for paint in others], axis=0)[..., None]]
    fine = np.concatenate([*features, top_p], axis=3)
    return np.asarray((fine[:, :, ::2] + fine[:, :, 1::2]) / 2, np.float32)


def colour_distance(log_colour: Float32Array, paint: Float32Array) -> Float32Array:
    """Return the distance of samples (n, rows, columns, 3) to a colour (n, 3), at most 3; 3 where the colour is nan."""
    distance = np.linalg.norm((log_colour - paint[:, None, None]) / PAINT_SPREAD, axis=3) / 2
    return np.asarray(np.fmin(distance, MAX_PAINT_DISTANCE), np.float32)


@dataclass(frozen=True, eq=False)
class TallPatches:
    """The tall patches of one picture."""

    log_colour: Float32Array  # (n_points, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3); the first row is the highest
    height_scale: Float32Array  # (n_points,), length of a unit of height in the picture over one across


@dataclass(frozen=True, eq=False)
class TowerPrediction:
    """What the tall patches of a board on which stones may lie on stones show, beside each other."""

    log_odds: Float64Array  # (n_points,), of a stone, nats
    mask: Float32Array  # (n_points, rows / 2, columns / 2), probability of showing the top stone of the point
    log_heights: Float64Array  # (n_points, 3), log probability of one, two and three stones, if any


def predict_towers(patches: TallPatches) -> TowerPrediction:
    """Return the towers on all points of a board, from colours relative to the usual one of the board."""
    ground = median(patches.log_colour.reshape(-1, 3), axis=0)
    x = np.clip((patches.log_colour - ground) * np.array([1, 2, 2], np.float32), -3, 3)
    log_odds, mask, log_heights = run("tall_patches", x=x, height_scale=patches.height_scale)
    return TowerPrediction(log_odds.astype(np.float64), mask, log_heights.astype(np.float64))


def cut_tall_patches(bgr: Image, field: Field) -> TallPatches:
    """Cut a tall patch at every point."""
    height, width = bgr.shape[:2]
    shrink, maps, height_scale = tall_patch_sampling(field, width, height)
    log_colour = sample_log_colour(cv.reduced(bgr, shrink), maps).reshape(-1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 3)
    return TallPatches(log_colour, height_scale)


@lru_cache(maxsize=4)
def tall_patch_sampling(field: Field, width: int, height: int) -> tuple[int, Float32Array, Float32Array]:
    """Return the factor by which to reduce a picture first, where samples lie in that, and the height scale; cached."""
    up, across, height_scale = _upright_axes(field, (width, height))
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
    shrink = cv.reduction_for(float(median(step)))
    maps = ((places + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, TALL_PATCH_COLUMNS, 2)
    return shrink, maps, height_scale


def _upright_axes(field: Field, size_px: tuple[int, int]) -> tuple[Float64Array, Float64Array, Float32Array]:
    """Return the direction of up in the picture, (n_points, 2), the size of a unit, px, and the height scale."""
    unit = stone_unit(field.board)
    parallax = parallax_px(field, size_px) * unit
    across = np.linalg.svd(image_jacobians(field) * unit, compute_uv=False)[:, 0]
    length = np.linalg.norm(parallax, axis=1)
    up = np.where(length[:, None] > 1e-6, parallax / np.maximum(length, 1e-6)[:, None], (0.0, -1.0))
    return np.asarray(up, np.float64), np.asarray(across, np.float64), np.minimum(length / across, 1).astype(np.float32)


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
    probability = np.clip(masks, 1e-3, 1 - 1e-3)
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
    here = cv2.remap(values, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(here, np.float32).reshape(places_px.shape[:-1])
