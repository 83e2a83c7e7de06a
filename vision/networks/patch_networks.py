"""The small neural networks that judge patches, evaluated with numpy alone.

One network compares a point with its own bare patch. The two others, one for single stones and one for towers, know
only one picture and compare the points of a board with each other: a feature that most points show (a hole, a crossing)
belongs to the board, and so does one that the seemingly bare points share. All of them see colours only relative to the
table. They were trained on rendered and on edited tables by ``tools/readers``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median


@cache
def network_weights() -> dict[str, Float32Array]:
    """Return all weights by name; read once."""
    with as_file(files("vision.networks") / "patch_networks.npz") as path, np.load(path) as stored:
        return {key: np.asarray(stored[key], np.float32) for key in stored.files}


def convolve_relu(x: Float32Array, name: str, stride: int = 1) -> Float32Array:
    """Return a square convolution of (n, rows, columns, n_in) by the weights of that name, followed by a rectifier."""
    out = _convolve(x, network_weights()[name + "_w"], stride)
    out += network_weights()[name + "_b"]
    np.maximum(out, 0, out=out)
    return out


def _convolve(x: Float32Array, weight: Float32Array, stride: int = 1) -> Float32Array:
    """Return the result of a square convolution with a zero border; arrays as of ``convolve_relu``."""
    n, rows, columns, n_in = x.shape
    size = round(float(np.sqrt(weight.shape[0] / n_in)))
    border = size // 2
    padded = np.zeros((n, rows + 2 * border, columns + 2 * border, n_in), np.float32)
    padded[:, border : border + rows, border : border + columns] = x
    picture_step, row_step, column_step, step = padded.strides
    windows = np.lib.stride_tricks.as_strided(  # the columns of a window lie side by side, channels and all
        padded,
        (n, rows // stride, columns // stride, size, size * n_in),
        (picture_step, stride * row_step, stride * column_step, row_step, step),
        writeable=False,
    )
    out = matmul_in_portions(windows.reshape(-1, weight.shape[0]), weight)
    return out.reshape(n, rows // stride, columns // stride, -1)


_MAX_PRODUCT_SIZE = 200_000
"""Most multiplications in one matrix product. OpenBLAS shares products from 262,144 multiplications on among threads;
here that costs more than it gives and makes the last digits depend on the number of threads.
Source: cited, ``SMP_THRESHOLD_MIN`` times ``GEMM_MULTITHREAD_THRESHOLD`` of OpenBLAS."""


_MIN_ROWS = 16
"""Least rows of a product; of deep layers it takes a part of the depth at a time instead.
Source: measured, layers of 16 to 128 channels; fewer rows take up to three times as long."""


def matmul_in_portions(x: NDArray[Any], weight: NDArray[Any]) -> NDArray[Any]:
    """Return ``x @ weight`` of floats, x of shape (m, k), a portion of the rows, and of the depth k, at a time."""
    n_in, n_out = weight.shape
    depth = min(n_in, max(1, _MAX_PRODUCT_SIZE // (_MIN_ROWS * n_out)))
    at_once = max(1, _MAX_PRODUCT_SIZE // (depth * n_out))
    whole = len(x) // at_once * at_once
    out = np.zeros((len(x), n_out), x.dtype)
    for first in range(0, n_in, depth):
        part, kernel = x[:, first : first + depth], weight[first : first + depth]
        portions = (len(x) // at_once, at_once, len(kernel))
        strides = (at_once * part.strides[0], *part.strides)
        stacked = np.lib.stride_tricks.as_strided(part, portions, strides, writeable=False)
        out[:whole] += (stacked @ kernel).reshape(whole, n_out)
        out[whole:] += part[whole:] @ kernel
    return out


def linear_layer(x: Float32Array, name: str) -> Float32Array:
    """Return ``x @ name_w + name_b`` along the last axis."""
    weight = network_weights()[name + "_w"]
    out: Float32Array = (
        matmul_in_portions(x.reshape(-1, len(weight)), weight).reshape(*x.shape[:-1], -1)
        + network_weights()[name + "_b"]
    )
    return out


def enlarged(x: Float32Array, times: int = 2) -> Float32Array:
    """Return maps (n, rows, columns, ...) with every sample repeated along both sides."""
    return x.repeat(times, axis=1).repeat(times, axis=2)


def average_pool(x: Float32Array) -> Float32Array:
    """Return the mean of every 2 x 2 samples, shape (n, rows / 2, columns / 2, ...)."""
    n, rows, columns = x.shape[:3]
    mean: Float32Array = (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) * np.float32(0.25)
    assert mean.shape[:3] == (n, rows // 2, columns // 2)
    return mean


@dataclass(frozen=True, eq=False)
class StonePrediction:
    """Predictions for the points of a board that has not been seen bare."""

    log_odds: NDArray[np.float64]  # (n_points,), of a stone, nats
    mask: Float32Array  # (n_points, rows / 2, columns / 2), probability of showing the top stone of the point


@dataclass(frozen=True, eq=False)
class TowerPrediction(StonePrediction):
    """Predictions for a board on which stones may lie on stones."""

    log_heights: NDArray[np.float64]  # (n_points, 3), log probability of one, two and three stones, if any


def predict_towers(log_colour: Float32Array, height_scale: Float32Array) -> TowerPrediction:
    """Return the towers on all points of a board on which stones may lie on stones, from ``TallPatches``."""
    n, rows, columns = log_colour.shape[:3]
    steep = np.broadcast_to(height_scale[:, None, None, None], (n, rows, columns, 1))
    seen = _relative_to(log_colour, median(log_colour.reshape(-1, 3), axis=0)[None])
    fine = convolve_relu(np.concatenate([seen, steep], axis=3), "tall1", stride=2)
    coarse = convolve_relu(convolve_relu(convolve_relu(average_pool(fine), "tall2"), "tall3"), "tall4")
    mask, inside = _mask_and_masked_mean(fine, coarse, "tall_mask")
    cells = np.maximum(linear_layer(coarse, "tall_cells"), 0).reshape(n, -1)
    seen = np.hstack([cells, coarse.max(axis=(1, 2)), inside, height_scale[:, None]])
    judged = _compare_points(seen, "tall_point", "tall_first", "tall_board")
    heights = linear_layer(judged, "tall_height").astype(np.float64)
    heights -= np.log(np.exp(heights).sum(axis=1, keepdims=True))
    return TowerPrediction(linear_layer(judged, "tall_stone")[:, 0].astype(np.float64), mask, heights)


def _relative_to(log_colour: Float32Array, ground: Float32Array) -> Float32Array:
    """Return the log colour relative to that of the ground, limited; the two colour ratios are doubled."""
    relative = (log_colour - ground[:, None, None]) * np.array([1, 2, 2], np.float32)
    return np.asarray(np.clip(relative, -3, 3), np.float32)


def _mask_and_masked_mean(fine: Float32Array, coarse: Float32Array, name: str) -> tuple[Float32Array, Float32Array]:
    """Return the probability that each sample of ``fine`` shows the top, and the mean of ``coarse`` where it does."""
    mask: Float32Array = linear_layer(fine, name + "_fine")[..., 0]
    mask += enlarged(linear_layer(coarse, name + "_coarse")[..., 0])
    weight = _sigmoid(average_pool(mask[..., None]))
    return _sigmoid(mask), (coarse * weight).sum(axis=(1, 2)) / (weight.sum(axis=(1, 2)) + 1)


def _compare_points(seen: Float32Array, point: str, first: str, board: str) -> Float32Array:
    """Return the features of every point in context: of all points, of those that look bare, and of the stones."""
    each = np.maximum(linear_layer(seen, point), 0)
    stones = _sigmoid(linear_layer(each, first))
    usual, spread = each.mean(axis=0), np.sqrt(each.var(axis=0) + 1e-4)
    bare, bare_spread = weighted_mean_and_std(each, 1 - stones)
    others = np.concatenate([usual, spread, bare, bare_spread, weighted_mean_and_std(each, stones)[0]])
    all_of_it = np.broadcast_to(others, (len(each), len(others)))
    return np.maximum(linear_layer(np.hstack([each, all_of_it]).astype(np.float32), board), 0)


def weighted_mean_and_std(each: Float32Array, weights: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Return the mean and standard deviation over the points, with ``weights`` of shape (n_points, 1)."""
    total = weights.sum() + np.float32(0.1)
    mean = (each * weights).sum(axis=0) / total
    return mean, np.sqrt(((each - mean) ** 2 * weights).sum(axis=0) / total + 1e-4)


def predict_towers_averaged(log_colour: Float32Array, height_scale: Float32Array) -> TowerPrediction:
    """Return ``predict_towers`` averaged over patches and mirror images: a tower has an up, but no left."""
    look, other = (
        predict_towers(log_colour, height_scale),
        predict_towers(np.ascontiguousarray(log_colour[:, :, ::-1]), height_scale),
    )
    heights = (look.log_heights + other.log_heights) / 2
    mask = np.asarray((look.mask + other.mask[:, :, ::-1]) / 2, np.float32)
    return TowerPrediction((look.log_odds + other.log_odds) / 2, mask, heights)


def _sigmoid(logits: Float32Array) -> Float32Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)
