"""Bare points of one board are alike: what only this board can tell.

A hole in a board looks like a dark stone, and a stone in the colour of the cloth looks like nothing. Beside the
points that are surely bare, both give themselves away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_SIDE, patch_samples_per_unit

SURELY_BARE_SHARE = 0.35
"""Share of the points, those least like stones, that is taken as bare: so many are bare nearly always."""

BARE_DISTANCE_WEIGHT = 1.5
"""Nats for every factor e by which a point is more unlike the bare ones, on a board of ``_MANY`` points. On smaller
ones it is worth less: three bare points do not tell what a fourth, where other lines meet, may look like."""

EVEN_ODDS_LOG_DISTANCE = 0.4
"""Logarithm of the distance at which a point is as likely bare as not."""

MAX_LOG_DISTANCE = 1.5
"""Largest logarithm that counts, so that dirt on one point is no proof."""

_GAPS = np.arange(-3.0, 3.01, 0.25)
_CROWD = 1.6
"""Nats within which two points crowd a border between them."""
_FAR = 0.4
"""Cost of a border that lies one nat from even odds, in points that crowd it; it grows with the square."""
_MANY = 24
"""Points of a board on which a gap, or being unlike the others, is no accident; on smaller ones it counts less."""

_SPREAD = np.array([0.3, 0.08, 0.08], np.float32)
"""What bare middles of one board differ by: strokes that cross here and only meet there (log units)."""

_OFF = np.hypot(*(np.indices((PATCH_SIDE, PATCH_SIDE)) - (PATCH_SIDE - 1) / 2)) / patch_samples_per_unit()
_CORE = _OFF < 0.25


def compare_with_bare_points(log_colour: Float32Array, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds of stones after every point has been compared with those that are surely bare.

    Parameters
    ----------
    log_colour : float32 array of shape (n_points, SIDE, SIDE, 3)
        Log colours of all patches of the board.
    log_odds : float64 array of shape (n_points,)
        Of a stone on every point, from the point itself.

    Returns
    -------
    float64 array of shape (n_points,)

    Notes
    -----
    The middle of a patch, in the light of the rest of the patch, is told by mean and spread of its colours. The
    distance counts to the two nearest among the surely bare, for crossings are like crossings and corners like corners.
    """
    n = len(log_colour)
    n_bare = max(2, round(SURELY_BARE_SHARE * n))
    if n <= n_bare:
        return log_odds
    light = np.median(log_colour.reshape(n, -1, 3), axis=1)
    core = log_colour[:, _CORE] - light[:, None]
    told = np.hstack([core.mean(axis=1) / _SPREAD, 0.5 * core.std(axis=1) / _SPREAD])
    apart = np.linalg.norm(told[:, None] - told[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    bare = np.argsort(log_odds, kind="stable")[:n_bare]
    distance = np.sort(apart[:, bare], axis=1)[:, :2]
    distance = np.where(np.isfinite(distance).all(axis=1), distance.mean(axis=1), distance[:, 0])
    worth = BARE_DISTANCE_WEIGHT * min(1.0, n / _MANY)
    after: NDArray[np.float64] = log_odds + worth * np.clip(np.log(distance + 0.3) - EVEN_ODDS_LOG_DISTANCE, -MAX_LOG_DISTANCE, MAX_LOG_DISTANCE)
    return after


def shift_to_gap(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds, moved so that the border between bare points and stones falls into a gap.

    A board with holes may make all its bare points a little like stones, a dim one all stones a little like bare
    points; but the two kinds leave a gap. Only borders within 3 nats of even odds are tried.

    Parameters
    ----------
    log_odds : float64 array of shape (n_points,)

    Returns
    -------
    float64 array of shape (n_points,)
    """
    crowd = np.exp(-np.abs(log_odds[None] - _GAPS[:, None]) / _CROWD).sum(axis=1) * len(log_odds) / _MANY
    moved: NDArray[np.float64] = log_odds - _GAPS[int((crowd + _FAR * _GAPS**2).argmin())]
    return moved
