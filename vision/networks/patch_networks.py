"""The small networks that judge patches, evaluated with numpy alone.

One compares a point with its own bare look. The two others (one for single stones, one for towers) know only one
picture and compare the points of a board with each other: what is seen at most points (a hole, a crossing) belongs to
the board, and so does what the points that look bare at first sight have in common.

They were trained on rendered and altered tables by ``tools/readers``; their weights lie beside this file. Both see
patches in which colours count only relative to the table, so that no paint, cloth or lamp is known to them.

Why numpy and not ``cv2.dnn``: measured on one core, with the same networks as ONNX in OpenCV 4.13 and 5.0, it took
between 1.15 times (towers) and 4.2 times (``heat``) less processor time. That would be 2 % of a game, 3 to 11 % of a
search for a disc and 10 to 20 % of reading a photograph. Its answers lie up to 1e-5 away, and elsewhere in 4.13 than in
5.0; a network that two threads ask at once answers wrongly or ends the process; and some 70 lines of ``vision`` would
become 110 of ``tools``, with detours for what one of the two versions cannot do. ``tests/benchmarks/bench_networks.py``
repeats it for the smallest network and the largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array

STORED = ("patch_networks.npz", "hole_heatmap.npz")
"""Of the readers of points, and of the finder of holes (``heat``)."""


@cache
def weights() -> dict[str, Float32Array]:
    """All weights by name, read once."""
    out: dict[str, Float32Array] = {}
    for name in STORED:
        with as_file(files("vision.networks") / name) as path, np.load(path) as stored:
            out |= {key: np.asarray(stored[key], np.float32) for key in stored.files}
    return out


def convolve(x: Float32Array, name: str, stride: int = 1) -> Float32Array:
    """A square convolution with zero border and rectified output.

    Parameters
    ----------
    x : float32 array of shape (n, rows, columns, n_in)
    name : str
        Weights ``name_w`` of shape (size * size * n_in, n_out), rows of the window first, and ``name_b``.
    stride : int

    Returns
    -------
    float32 array of shape (n, rows / stride, columns / stride, n_out)
    """
    weight, bias = weights()[name + "_w"], weights()[name + "_b"]
    n, rows, columns, n_in = x.shape
    size = round(float(np.sqrt(weight.shape[0] / n_in)))
    border = size // 2
    padded = np.zeros((n, rows + 2 * border, columns + 2 * border, n_in), np.float32)
    padded[:, border : border + rows, border : border + columns] = x
    windows = np.concatenate(
        [padded[:, i : i + rows : stride, j : j + columns : stride] for i in range(size) for j in range(size)], axis=3
    )
    out = _product(windows.reshape(-1, weight.shape[0]), weight)
    out += bias
    np.maximum(out, 0, out=out)
    return out.reshape(n, rows // stride, columns // stride, -1)


_WORK_OF_ONE_THREAD = 200_000
"""Multiplications in one product. Larger products are shared among threads by OpenBLAS (from 262,144 on), which
here costs more than it gives and makes the last digits depend on the number of threads."""


def _product(x: Float32Array, weight: Float32Array) -> Float32Array:
    """``x @ weight`` for x of shape (m, k), in portions of rows."""
    at_once = max(1, _WORK_OF_ONE_THREAD // weight.size)
    out = np.empty((len(x), weight.shape[1]), np.float32)
    for start in range(0, len(x), at_once):
        np.matmul(x[start : start + at_once], weight, out=out[start : start + at_once])
    return out


def linear(x: Float32Array, name: str) -> Float32Array:
    """``x @ name_w + name_b`` on the last axis."""
    weight = weights()[name + "_w"]
    out: Float32Array = _product(x.reshape(-1, len(weight)), weight).reshape(*x.shape[:-1], -1) + weights()[name + "_b"]
    return out


def halved(x: Float32Array) -> Float32Array:
    """Mean of every 2 x 2 samples, shape (n, rows / 2, columns / 2, ...)."""
    n, rows, columns = x.shape[:3]
    mean: Float32Array = (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) * np.float32(0.25)
    assert mean.shape[:3] == (n, rows // 2, columns // 2)
    return mean


def stone_on_known_field(maps: Float32Array) -> NDArray[np.float64]:
    """Log odds that a pebble belongs to the point, from the change against its bare look.

    Parameters
    ----------
    maps : float32 array of shape (n_points, SIDE / 2, SIDE / 2, 3)
        Signed change of log brightness, three times the size of the change of colour, size of the change of
        brightness; see ``observation.change_for_net``.

    Returns
    -------
    float64 array of shape (n_points,)
        Natural logarithm of the odds.
    """
    fine = convolve(maps, "known1")
    coarse = convolve(halved(fine), "known2")
    hidden = np.maximum(linear(coarse.reshape(len(maps), -1), "known3"), 0)
    return linear(hidden, "known4")[:, 0].astype(np.float64)


@dataclass(frozen=True, eq=False)
class ColdLook:
    """What the points of a board look like to one who has never seen it bare.

    Attributes
    ----------
    log_odds : float64 array of shape (n_points,)
        That a pebble belongs to the point, natural logarithm.
    mask : float32 array of shape (n_points, rows / 2, columns / 2)
        Probability that a sample shows the top stone of the point.
    """

    log_odds: NDArray[np.float64]
    mask: Float32Array


@dataclass(frozen=True, eq=False)
class TowerLook(ColdLook):
    """The same where stones may lie on stones.

    Attributes
    ----------
    log_heights : float64 array of shape (n_points, 3)
        Log probability of one, two and three stones, if there is any.
    """

    log_heights: NDArray[np.float64]


def stones_on_unknown_field(log_colour: Float32Array) -> ColdLook:
    """Judge all points of a board from one picture.

    Parameters
    ----------
    log_colour : float32 array of shape (n_points, SIDE, SIDE, 3)
        Log colours of all patches of the board.

    Returns
    -------
    ColdLook
    """
    seen = _relative(log_colour)
    fine = np.concatenate([convolve(halved(seen), "cold1"), convolve(seen, "cold0", stride=2)], axis=3)
    coarse = convolve(convolve(halved(fine), "cold2"), "cold3")
    mask, inside = _masked(fine, coarse, "mask")
    told = np.hstack([coarse.mean(axis=(1, 2)), coarse.max(axis=(1, 2)), inside])
    judged = _among_the_others(told, "point", "first", "board")
    return ColdLook(linear(judged, "stone")[:, 0].astype(np.float64), mask)


def towers(log_colour: Float32Array, slope: Float32Array) -> TowerLook:
    """Judge all points of a board on which stones may lie on stones.

    Parameters
    ----------
    log_colour : float32 array of shape (n_points, rows, columns, 3)
        Log colours of tall patches, see ``towers.TallPatches``.
    slope : float32 array of shape (n_points,)
        How much of a height shows as length.

    Returns
    -------
    TowerLook
    """
    n, rows, columns = log_colour.shape[:3]
    steep = np.broadcast_to(slope[:, None, None, None], (n, rows, columns, 1))
    fine = convolve(np.concatenate([_relative(log_colour), steep], axis=3), "tall1", stride=2)
    coarse = convolve(convolve(convolve(halved(fine), "tall2"), "tall3"), "tall4")
    mask, inside = _masked(fine, coarse, "tall_mask")
    cells = np.maximum(linear(coarse, "tall_cells"), 0).reshape(n, -1)
    seen = np.hstack([cells, coarse.max(axis=(1, 2)), inside, slope[:, None]])
    judged = _among_the_others(seen, "tall_point", "tall_first", "tall_board")
    heights = linear(judged, "tall_height").astype(np.float64)
    heights -= np.log(np.exp(heights).sum(axis=1, keepdims=True))
    return TowerLook(linear(judged, "tall_stone")[:, 0].astype(np.float64), mask, heights)


def _relative(log_colour: Float32Array) -> Float32Array:
    """Log colours against those of the table, limited; colour counts twice."""
    relative = (log_colour - np.median(log_colour.reshape(-1, 3), axis=0)) * np.array([1, 2, 2], np.float32)
    return np.asarray(np.clip(relative, -3, 3), np.float32)


def _masked(fine: Float32Array, coarse: Float32Array, name: str) -> tuple[Float32Array, Float32Array]:
    """Where the top stone shows, at the resolution of ``fine``, and the mean of ``coarse`` there."""
    mask: Float32Array = linear(fine, name + "_fine")[..., 0]
    mask += linear(coarse, name + "_coarse")[..., 0].repeat(2, axis=1).repeat(2, axis=2)
    weight = _probability(halved(mask[..., None]))
    return _probability(mask), (coarse * weight).sum(axis=(1, 2)) / (weight.sum(axis=(1, 2)) + 1)


def _among_the_others(seen: Float32Array, point: str, first: str, board: str) -> Float32Array:
    """What is thought of every point beside all others, beside those bare at first sight, and beside the stones."""
    each = np.maximum(linear(seen, point), 0)
    stones = _probability(linear(each, first))
    usual, spread = each.mean(axis=0), np.sqrt(each.var(axis=0) + 1e-4)
    bare, bare_spread = weighted(each, 1 - stones)
    others = np.concatenate([usual, spread, bare, bare_spread, weighted(each, stones)[0]])
    all_of_it = np.broadcast_to(others, (len(each), len(others)))
    return np.maximum(linear(np.hstack([each, all_of_it]).astype(np.float32), board), 0)


def weighted(each: Float32Array, weights: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Mean and spread over the points, weighted by ``weights`` (n_points, 1)."""
    total = weights.sum() + np.float32(0.1)
    mean = (each * weights).sum(axis=0) / total
    return mean, np.sqrt(((each - mean) ** 2 * weights).sum(axis=0) / total + 1e-4)


def turned_every_way(log_colour: Float32Array) -> ColdLook:
    """As ``stones_on_unknown_field``, mean of the eight ways to turn and mirror a patch; eight times the work.

    A board has no up, so all eight are the same board; what the network says differently of them is its noise.
    """
    odds, masks = [], []
    for turn in range(8):
        step = -1 if turn >= 4 else 1
        look = stones_on_unknown_field(np.ascontiguousarray(np.rot90(log_colour, turn, (1, 2))[:, :, ::step]))
        odds.append(look.log_odds)
        masks.append(np.rot90(look.mask[:, :, ::step], -turn, (1, 2)))
    return ColdLook(np.mean(odds, axis=0), np.asarray(np.mean(masks, axis=0), np.float32))


def towers_mirrored(log_colour: Float32Array, slope: Float32Array) -> TowerLook:
    """As ``towers``, mean of the patches as they are and mirrored: a tower has an up, but no left."""
    look, other = towers(log_colour, slope), towers(np.ascontiguousarray(log_colour[:, :, ::-1]), slope)
    heights = (look.log_heights + other.log_heights) / 2
    mask = np.asarray((look.mask + other.mask[:, :, ::-1]) / 2, np.float32)
    return TowerLook((look.log_odds + other.log_odds) / 2, mask, heights)


def _probability(logits: Float32Array) -> Float32Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)
