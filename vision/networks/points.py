"""What lies on the points of a board: one network that sees all of them, each beside its bare look where that is known.

First every patch is looked at by itself, then the points are compared: what most of them show belongs to the board, and
so do the hinge and the seam that one of them shows (attention, Vaswani et al. 2017). Colours are relative to the usual
ones of the board. ``tools/readers/point_network.py`` has trained it.
"""

from __future__ import annotations

from collections.abc import Iterator
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


@dataclass(frozen=True, eq=False)
class PointLooks:
    """What each point shows by itself."""

    features: Float32Array  # (n_points, 1 or 8 views, n_features)
    mask: Float32Array  # (n_points, rows / 2, columns / 2), probability of showing the top stone of the point


@dataclass(frozen=True, eq=False)
class PointsCompared:
    """What the points show beside each other."""

    log_odds: Float64Array  # (n_points,), of a stone, nats
    same_log_odds: Float64Array  # (n_points, n_points), of two stones being of one player, nats


def ground_of(log_colour: Float32Array, bare: Float32Array, known: NDArray[np.bool_]) -> Ground:
    """Return the ground of a board from all its patches and bare looks, of one shape, which are ``known``, (n_points,).

    The light is the median over all samples, so stones and hands do not count while they cover less than half.
    """
    few = slice(1, None, 3)
    if not known.any():
        usual = median(log_colour[:, few, few].reshape(-1, 3), axis=0)
        return Ground(np.asarray(usual, np.float32), np.zeros(3, np.float32))
    there, here = bare[known][:, few, few], log_colour[known][:, few, few]
    colour, light = median(there.reshape(-1, 3), axis=0), median((here - there).reshape(-1, 3), axis=0)
    return Ground(np.asarray(colour, np.float32), np.asarray(light, np.float32))


def look_at_points(
    log_colour: Float32Array, bare: Float32Array, known: NDArray[np.bool_], ground: Ground, *, averaged: bool
) -> PointLooks:
    """Return what some points show, from their patches and bare looks, (n, side, side, 3), which are ``known``, (n,).

    With ``averaged`` the eight rotations and reflections are asked, as a board has no up: less noise, eight times the
    work.
    """
    seen = network_input(log_colour, bare, known, ground)
    features, masks = [], []
    for turn, view in enumerate(_eight_views(seen) if averaged else (seen,)):
        feature, mask = run("point_looks", patches=view)
        features.append(feature)
        masks.append(np.rot90(mask[:, :, :: _view_step(turn)], -turn, (1, 2)))
    mean: Float32Array = np.mean(masks, axis=0, dtype=np.float32)
    return PointLooks(np.stack(features, axis=1), 1 / (1 + np.exp(-np.clip(mean, -30, 30))))


def compare_points(features: Float32Array) -> PointsCompared:
    """Return what the points of a board show beside each other, from the features of all of them, of ``PointLooks``."""
    views = (run("points_compared", features=features[:, view]) for view in range(features.shape[1]))
    log_odds, same = (np.mean(part, axis=0, dtype=np.float64) for part in zip(*views, strict=True))
    return PointsCompared(log_odds, same)


def stones_alone(log_colour: Float32Array) -> Float64Array:
    """Return the log odds of a stone, nats, (n_points,), from the patches of a board that has never been seen bare."""
    known = np.zeros(len(log_colour), np.bool_)
    ground = ground_of(log_colour, log_colour, known)
    return compare_points(look_at_points(log_colour, log_colour, known, ground, averaged=False).features).log_odds


def network_input(
    log_colour: Float32Array, bare: Float32Array, known: NDArray[np.bool_], ground: Ground
) -> Float32Array:
    """Return what the network sees, (n, 7, side, side): limited colours, those of the bare look, and if it is known."""
    scale, there = np.array([1, 2, 2], np.float32), known[:, None, None, None]
    now = (log_colour - ground.light - ground.colour) * scale
    parts = [np.clip(now, -3, 3), np.where(there, np.clip((bare - ground.colour) * scale, -3, 3), 0)]
    parts.append(np.broadcast_to(there, (*log_colour.shape[:3], 1)))
    return np.ascontiguousarray(np.concatenate(parts, axis=3).transpose(0, 3, 1, 2), np.float32)


def _eight_views(seen: Float32Array) -> Iterator[Float32Array]:
    """Yield the eight rotations and reflections of some patches."""
    for turn in range(8):
        yield np.ascontiguousarray(np.rot90(seen, turn, (2, 3))[:, :, :, :: _view_step(turn)])


def _view_step(turn: int) -> int:
    return -1 if turn >= 4 else 1
