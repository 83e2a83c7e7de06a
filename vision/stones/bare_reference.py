"""Log odds of stones on the points of one board in, the same beside its surely bare points out.

No bare picture of the board is known. A hole in a board looks like a dark stone, and a stone in the colour of
the cloth looks like nothing. The bare points of one board look alike, so both are recognised by comparison with the
points that are surely bare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import patch_samples_per_unit, radii_units
from vision.networks.points import ALONE_SIDE

SURELY_BARE_SHARE = 0.35
"""Share of the points, those least like stones, that is taken as bare: so many are bare nearly always."""

BARE_DISTANCE_WEIGHT = 1.5
"""Nats for every factor e by which a point differs more from the bare ones, on a board of ``_FULL_WEIGHT_POINTS``.

On smaller boards it is less: three bare points do not show what a fourth, where other lines meet, may look like."""

EVEN_ODDS_LOG_DISTANCE = 0.4
"""Logarithm of the distance (in ``_BARE_SPREAD``) at which a point is as likely bare as not."""

MAX_LOG_DISTANCE = 1.5
"""Largest deviation from ``EVEN_ODDS_LOG_DISTANCE`` that counts, so that dirt on one point is no proof."""

_BORDERS_NATS = np.arange(-3.0, 3.01, 0.25)
"""Borders between bare points and stones that are tried, log odds."""

_CROWDING_NATS = 1.6
"""Distance from a border, in nats, over which the weight of a point that crowds it falls by a factor e."""

_BORDER_COST = 0.4
"""Cost of a border that lies one nat from even odds, in points that crowd it; it grows with the square."""

_FULL_WEIGHT_POINTS = 24
"""Points of a board on which a gap, or a difference from the bare points, is no accident; fewer count less."""

_BARE_SPREAD = np.array([0.3, 0.08, 0.08], np.float32)
"""Standard deviation of the middles of the bare points of one board, log colour: strokes cross here and meet there."""

_MIDDLE = radii_units(ALONE_SIDE, patch_samples_per_unit()) <= 0.25
"""Mask of the samples that are compared: within 0.25 units of the middle of a patch."""


def patch_middles(log_colour: Float32Array) -> Float32Array:
    """Return mean and deviation of the colours in the middle of every patch, less its median; shape (n, 6)."""
    light = median(log_colour.reshape(len(log_colour), -1, 3), axis=1)
    middle = log_colour[:, _MIDDLE] - light[:, None]
    return np.hstack([middle.mean(axis=1) / _BARE_SPREAD, 0.5 * middle.std(axis=1) / _BARE_SPREAD])


def compare_middles(middles: Float32Array, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of stones after every point has been compared with those that are surely bare.

    ``log_odds``, (n_points,), are those from the point itself. The features of a point are mean and standard deviation
    of the colours in the middle of its patch, less the median of the whole patch. The distance is that to the two
    nearest of the surely bare points, because crossings are like crossings and corners like corners.
    """
    n = len(middles)
    n_bare = max(2, round(SURELY_BARE_SHARE * n))
    if n <= n_bare:
        return log_odds
    distances = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    bare = np.argsort(log_odds, kind="stable")[:n_bare]
    nearest = np.sort(distances[:, bare], axis=1)[:, :2]
    distance = np.where(np.isfinite(nearest).all(axis=1), nearest.mean(axis=1), nearest[:, 0])
    weight = BARE_DISTANCE_WEIGHT * min(1.0, n / _FULL_WEIGHT_POINTS)
    difference = np.clip(np.log(distance + 0.3) - EVEN_ODDS_LOG_DISTANCE, -MAX_LOG_DISTANCE, MAX_LOG_DISTANCE)
    after: NDArray[np.float64] = log_odds + weight * difference
    return after


def shift_to_gap(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds, shifted so that the border between bare points and stones (zero) falls into a gap.

    On a board with holes all bare points may look a little like stones, on a dim one all stones a little like bare
    points; but there is a gap between the two kinds. Only borders within 3 nats of even odds are tried.
    """
    closeness = np.exp(-np.abs(log_odds[None] - _BORDERS_NATS[:, None]) / _CROWDING_NATS)
    crowding = closeness.sum(axis=1) * len(log_odds) / _FULL_WEIGHT_POINTS
    border = _BORDERS_NATS[int((crowding + _BORDER_COST * _BORDERS_NATS**2).argmin())]
    shifted: NDArray[np.float64] = log_odds - border
    return shifted
