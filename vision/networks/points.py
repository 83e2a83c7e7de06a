"""Patches of all points in, stones out, by two networks; each compares the points with each other.

``look_at_points`` and ``compare_points`` see every point beside its bare look, where that is known: first every patch
by itself, then the points beside each other (attention, Vaswani et al. 2017). ``tools/readers/point_network.py`` has
trained them. ``stones_alone`` has one picture and nothing else: a feature that most points show (a hole, a crossing)
belongs to the board, and so does one that the seemingly bare points share. Colours are relative to the usual ones of
the board.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.medians import median
from vision.networks.runtime import run


@dataclass(frozen=True, eq=False)
class Ground:
    """The usual log colour of a board, (3,), and the offset of the light of a picture from that of the bare look."""

    colour: Float32Array
    light: Float32Array


ALONE_SIDE = 32
"""Side of the patches that ``stones_alone`` sees, samples. Source: the lessons of that network."""


@dataclass(frozen=True, eq=False)
class StonesAlone:
    """What the points of a board show that has never been seen bare."""

    log_odds: Float64Array  # (n_points,), of a stone, nats
    mask: Float32Array  # (n_points, rows / 2, columns / 2), probability of showing the top stone of the point


@dataclass(frozen=True, eq=False)
class PointsCompared:
    """What the points show beside each other."""

    log_odds: Float64Array  # (n_points,), of a stone, nats
    same_log_odds: Float64Array  # (n_points, n_points), of two stones being of one player, nats


def ground_of(log_colour: Float32Array, bare: Float32Array, has_bare: NDArray[np.bool_]) -> Ground:
    """Return the ground of a board from all its patches and bare looks, known where ``has_bare``, (n_points,).

    The light is the median over all samples, so stones and hands do not count while they cover less than half.
    """
    few = slice(1, None, 3)
    if not has_bare.any():
        usual = median(log_colour[:, few, few].reshape(-1, 3), axis=0)
        return Ground(np.asarray(usual, np.float32), np.zeros(3, np.float32))
    there, here = bare[has_bare][:, few, few], log_colour[has_bare][:, few, few]
    colour, light = median(there.reshape(-1, 3), axis=0), median((here - there).reshape(-1, 3), axis=0)
    return Ground(np.asarray(colour, np.float32), np.asarray(light, np.float32))


def look_at_points(
    log_colour: Float32Array, bare: Float32Array, has_bare: NDArray[np.bool_], ground: Ground
) -> tuple[Float32Array, Float32Array]:
    """Return the features of some points, (n, n_features), and the probability of samples to show the top stone.

    ``log_colour`` are their patches and ``bare`` their bare looks, (n, side, side, 3), known where ``has_bare``, (n,).
    The probabilities have half the resolution of the patches.
    """
    features, mask = run("point_looks", patches=network_input(log_colour, bare, has_bare, ground))
    return features, np.asarray(1 / (1 + np.exp(-np.clip(mask, -30, 30))), np.float32)


def compare_points(features: Float32Array) -> PointsCompared:
    """Return what the points of a board show beside each other, from the features of all of them."""
    log_odds, same = run("points_compared", features=features)
    return PointsCompared(log_odds.astype(np.float64), same.astype(np.float64))


def stones_alone(log_colour: Float32Array, ground: Float32Array) -> StonesAlone:
    """Return what the points of a board show, from patches of one picture, and the log colours of their ``ground``.

    It is the mean over the four reflections along the rows and columns, as a board has no up.
    """
    relative = np.clip((log_colour - ground[:, None, None]) * np.array([1, 2, 2], np.float32), -3, 3)
    odds, masks = [], []
    for down, across in itertools.product((1, -1), repeat=2):
        log_odds, mask = run("stones_alone", patches=relative[:, ::down, ::across].transpose(0, 3, 1, 2))
        odds.append(log_odds)
        masks.append(mask[:, ::down, ::across])
    return StonesAlone(np.mean(odds, axis=0, dtype=np.float64), np.mean(masks, axis=0, dtype=np.float32))


def network_input(
    log_colour: Float32Array, bare: Float32Array, has_bare: NDArray[np.bool_], ground: Ground
) -> Float32Array:
    """Return what the network sees, (n, 7, side, side): limited colours, those of the bare look, and if it is known."""
    inputs = np.zeros((len(log_colour), 7, *log_colour.shape[1:3]), np.float32)
    for k, scale in enumerate((1, 2, 2)):
        inputs[:, k] = (log_colour[..., k] - (ground.light[k] + ground.colour[k])) * scale
        inputs[has_bare, 3 + k] = (bare[has_bare, ..., k] - ground.colour[k]) * scale
    inputs[has_bare, 6] = 1
    return np.clip(inputs, -3, 3, out=inputs)
