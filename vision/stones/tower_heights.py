"""How many stones lie on each other: which part of a fine strip shows the top stone, and which the ones below it.

A tower is as high as what is seen of it below its top stone is long, which on a picture from half above is a few
samples for every stone. The tall patch (``towers``) is too coarse for that. Here a finer strip hangs from the upper
rim of the top stone, down along the image of the vertical, and every sample is told by how unlike it is to the ground,
to the paint of its own top stone and to the paints of the other tops of this board. A small network says of every
sample whether it shows the top stone, the one below, the one below that or something else, and from that picture of
layers how many there are; then it looks at all towers of the board beside each other: the single stones among them are
the yardstick for the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Image
from vision.imaging.patches import image_jacobians, parallax_px, sample_log_colour, stone_unit
from vision.networks.patch_networks import convolve, linear, weighted
from vision.stones.tall_patches import TALL_PATCH_UNITS_BELOW, TALL_PATCH_COLUMNS, TALL_PATCH_SAMPLES_PER_UNIT, TALL_PATCH_ROWS, mask_cell_places_px, resample_grid

STRIP_ROWS, STRIP_COLUMNS = 48, 32
STRIP_ROWS_PER_UNIT = 36.0
"""Rows of a strip in one unit of the board (see ``patches.unit_of``): as fine as good pictures are."""

STRIP_ROWS_ABOVE_RIM = 7
"""Rows of a strip above the upper rim of the top stone."""

STRIP_COLUMNS_PER_UNIT = 28.0
"""Columns of a strip in one unit: it is as wide as the widest stone and something of the ground beside it."""

TOP_WIDTH_LIMITS_UNITS = (0.3, 1.0)
"""Least and greatest width that a top stone is taken to have, in units."""

RIM_MASK_SHARE = 0.06
"""Share of a mask that may lie above the rim: masks are soft."""

MIN_TOP_PROBABILITY = 0.75
MIN_TOP_SAMPLES = 40
"""Probability from which on a sample is taken for the paint of the top stone, and so many samples at least."""

PAINT_SPREAD = np.array([0.3, 0.1, 0.1], np.float32)
"""What one paint differs by on one stone, lit and shaded: half the unit in which unlikeness is told."""


@dataclass(frozen=True, eq=False)
class TowerHeights:
    """What the strips of one board show.

    Attributes
    ----------
    height_log_p : float64 array of shape (n, 3)
        Log probability of one, two and three stones.
    top_samples : list of float32 arrays of shape (m, 3)
        Log colours of samples that show the top stone and nothing below it.
    """

    height_log_p: NDArray[np.float64]
    top_samples: list[Float32Array]


def read_tower_heights(
    bgr: Image,
    field: Field,
    points: NDArray[np.intp],
    masks: Float32Array,
    own: Float32Array,
    ground: Float32Array,
    labels: NDArray[np.integer],
) -> TowerHeights:
    """Judge the towers of one board by their strips.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Where the points lie in it.
    points : int array of shape (n,)
        Those that hold stones; at least one.
    masks : float32 array of shape (n, ROWS / 2, COLUMNS / 2)
        Probability that a sample of the tall patch shows the top stone; zero where it is another stone's.
    own : float32 array of shape (n, 3)
        Log colour of every top stone.
    ground : float32 array of shape (n, 3)
        Usual log colour around it.
    labels : int array of shape (n,)
        Which tops have the same paint, as far as ``own`` tells.

    Returns
    -------
    Profiles
    """
    hung = strip_anchors(masks)
    places, slope = strip_places_px(field, (bgr.shape[1], bgr.shape[0]), points, hung)
    log_colour = sample_log_colour(bgr, places.reshape(-1, STRIP_COLUMNS, 2)).reshape(*places.shape[:3], 3)
    claimed = top_stone_probabilities(field, (bgr.shape[1], bgr.shape[0]), points, masks, places)
    seen = strip_features(log_colour, own, ground, other_paint_colours(own, labels), claimed)
    place = np.column_stack([hung, slope]).astype(np.float32)
    mirrored = place * np.array([1, -1, 1, 1], np.float32)
    (heights, top), (heights_too, top_too) = run_strip_network(seen, place), run_strip_network(seen[:, :, ::-1], mirrored)
    top = ((top + top_too[:, :, ::-1]) / np.float32(2)).repeat(2, axis=2)
    return TowerHeights((heights + heights_too) / np.float64(2), _tops(log_colour, top))


def _tops(log_colour: Float32Array, share: Float32Array) -> list[Float32Array]:
    """Samples of every strip (n, rows, columns, 3) that show the top stone, as ``share`` (n, rows, columns) has it.

    Its rim is left out, where paints mix: a sample counts as little as its least neighbour.
    """
    share = np.stack([cv2.erode(seen, np.ones((3, 3), np.uint8)) for seen in share]).astype(np.float32)
    flat = share.reshape(len(share), -1)
    least = np.minimum(MIN_TOP_PROBABILITY, np.partition(flat, -MIN_TOP_SAMPLES, axis=1)[:, -MIN_TOP_SAMPLES])
    return [strip[seen >= few] for strip, seen, few in zip(log_colour, share, least, strict=True)]


def strip_anchors(masks: Float32Array) -> Float32Array:
    """Where strips hang, from masks of top stones: units above and beside the point, and width; shape (n, 3)."""
    n, rows, columns = masks.shape
    total = masks.sum(axis=(1, 2))
    down = np.cumsum(masks.sum(axis=2), axis=1) / total[:, None]
    rim = np.array([np.interp(RIM_MASK_SHARE, share, np.arange(1, rows + 1)) for share in down]).reshape(n)
    across, weight = np.arange(columns) + 0.5, masks.sum(axis=1) / total[:, None]
    middle = weight @ across
    spread = np.sqrt((weight * (across - middle[:, None]) ** 2).sum(axis=1))
    cell = 2 / TALL_PATCH_SAMPLES_PER_UNIT
    above = (TALL_PATCH_ROWS / 2 - rim) * cell - TALL_PATCH_UNITS_BELOW
    beside = (middle - TALL_PATCH_COLUMNS / 4) * cell
    return np.column_stack([above, beside, np.clip(4 * spread * cell, *TOP_WIDTH_LIMITS_UNITS)]).astype(np.float32)


def strip_places_px(
    field: Field, size: tuple[int, int], points: NDArray[np.intp], hung: Float32Array
) -> tuple[Float32Array, Float32Array]:
    """Where the samples of strips lie in the picture.

    Parameters
    ----------
    field : Field
    size : (int, int)
        Width and height of the picture, px.
    points : int array of shape (n,)
    hung : float32 array of shape (n, 3)
        As ``strip_anchors`` has it.

    Returns
    -------
    places : float32 array of shape (n, STRIP_ROWS, STRIP_COLUMNS, 2)
        px.
    slope : float32 array of shape (n,)
        As ``towers`` has it.
    """
    unit = stone_unit(field.board)
    lean = (parallax_px(field, size) * unit)[points]
    across = np.linalg.svd(image_jacobians(field)[points] * unit, compute_uv=False)[:, 0]
    length = np.linalg.norm(lean, axis=1)
    up = np.where(length[:, None] > 1e-6, lean / np.maximum(length, 1e-6)[:, None], (0.0, -1.0)) * across[:, None]
    right = np.column_stack([-up[:, 1], up[:, 0]])
    above = hung[:, :1] + (STRIP_ROWS_ABOVE_RIM - np.arange(STRIP_ROWS)) / STRIP_ROWS_PER_UNIT
    beside = hung[:, 1:2] + (np.arange(STRIP_COLUMNS) + 0.5 - STRIP_COLUMNS / 2) / STRIP_COLUMNS_PER_UNIT
    places = (
        field.points_px[points, None, None]
        + up[:, None, None] * above[:, :, None, None]
        + right[:, None, None] * beside[:, None, :, None]
    )
    return places.astype(np.float32), np.minimum(length / across, 1.0).astype(np.float32)


def other_paint_colours(own: Float32Array, labels: NDArray[np.integer]) -> list[Float32Array]:
    """Usual colours of the paints that a top stone does not have, each (n, 3); nan where there is none."""
    paints = {label: np.median(own[labels == label], axis=0) for label in sorted(set(labels.tolist()))}
    others = [[paint for label, paint in paints.items() if label != mine] for mine in labels.tolist()]
    none = np.full(3, np.nan, np.float32)
    return [np.array([(*paints_, none, none)[k] for paints_ in others], np.float32).reshape(-1, 3) for k in range(2)]


def top_stone_probabilities(
    field: Field, size: tuple[int, int], points: NDArray[np.intp], masks: Float32Array, places: Float32Array
) -> Float32Array:
    """Probability that samples of strips show the top stone of their own tower, and of any other one.

    ``points`` and ``masks`` as ``read_tower_heights`` has them, ``places`` as ``strip_places_px`` does; shape (n, rows, columns,
    2). What stands behind a tower is part of its strip, and where the others end is known.
    """
    cells = mask_cell_places_px(field, *size)[points]
    shown = np.stack([resample_grid(mask, grid, places) for mask, grid in zip(masks, cells, strict=True)])
    mine = shown[np.arange(len(points)), np.arange(len(points))]
    return np.asarray(np.stack([mine, np.minimum(shown.sum(axis=0) - mine, 1)], axis=-1), np.float32)


def strip_features(
    log_colour: Float32Array, own: Float32Array, ground: Float32Array, others: list[Float32Array], claimed: Float32Array
) -> Float32Array:
    """What the network sees of every two samples beside each other, shape (n, rows, columns / 2, 8).

    Their log colours against the ground's, how unlike they are to their own top stone, to the ground and to the other
    paints, and whose top they show; ``others`` as ``other_paint_colours`` has it, ``claimed`` as ``top_stone_probabilities`` does.
    """
    seen = [np.clip((log_colour - ground[:, None, None]) * np.array([1, 2, 2], np.float32), -3, 3)]
    seen += [_unlike(log_colour, paint)[..., None] for paint in (own, ground)]
    seen += [np.min([_unlike(log_colour, paint) for paint in others], axis=0)[..., None]]
    fine = np.concatenate([*seen, claimed], axis=3)
    return np.asarray((fine[:, :, ::2] + fine[:, :, 1::2]) / 2, np.float32)


def _unlike(log_colour: Float32Array, paint: Float32Array) -> Float32Array:
    """How unlike samples (n, rows, columns, 3) are to a colour (n, 3), 0 to 3; 3 where there is no colour."""
    unlike = np.minimum(np.linalg.norm((log_colour - paint[:, None, None]) / PAINT_SPREAD, axis=3) / 2, 3)
    return np.asarray(np.where(np.isnan(unlike), 3, unlike), np.float32)


def run_strip_network(seen: Float32Array, place: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Log probabilities of heights (n, 3), and of every sample that it shows the top stone (n, rows, columns)."""
    n = len(seen)
    fine = convolve(seen, "pile1")
    middle = convolve(fine, "pile2", stride=2)
    coarse = convolve(convolve(middle, "pile3", stride=2), "pile4")
    layers = linear(fine, "pile_fine") + _grown(linear(middle, "pile_middle"), 2)
    shares = np.exp(_log_shares(layers + _grown(linear(coarse, "pile_coarse"), 4)))
    run_strip_network = [np.maximum(linear(coarse, "pile_cells"), 0).reshape(n, -1), layer_moments(shares), place * 2]
    each = np.maximum(linear(np.hstack(run_strip_network).astype(np.float32), "pile_point"), 0)
    first = linear(each, "pile_first")
    single = np.exp(_log_shares(first))[:, :1]
    others = np.concatenate([each.mean(axis=0), np.sqrt(each.var(axis=0) + 1e-4), *weighted(each, single)])
    others = np.concatenate([others, weighted(each, 1 - single)[0]])
    beside = np.hstack([each, np.broadcast_to(others, (n, len(others)))]).astype(np.float32)
    heights = linear(np.maximum(linear(beside, "pile_board"), 0), "pile_height") + first
    return _log_shares(heights), np.asarray(shares[..., 0], np.float32)


def layer_moments(shares: Float32Array) -> Float32Array:
    """How much of a strip shows each layer, and where along it, from shares (n, rows, columns, 4); shape (n, 12)."""
    along = shares.mean(axis=2)
    area = along.sum(axis=1)
    rows = np.linspace(-1, 1, shares.shape[1], dtype=np.float32)[:, None]
    return np.hstack([area / 10, np.log(area + 0.5), (along * rows).sum(axis=1) / (area + 0.5)])


def _grown(x: Float32Array, times: int) -> Float32Array:
    return np.asarray(x.repeat(times, axis=1).repeat(times, axis=2), np.float32)


def _log_shares(logits: Float32Array) -> Float32Array:
    """Logarithm of the softmax over the last axis."""
    moved = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(moved - np.log(np.exp(moved).sum(axis=-1, keepdims=True)), np.float32)
