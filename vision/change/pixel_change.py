"""Which points show other pixels than at the last settled look: the sharpest witness of what hands have done.

While neither board nor camera move, a pixel is compared with itself. So a small pebble of nearly the colour of what it
lies on, which the patches of ``observation.py`` are too coarse to show, is seen here as people see it: something is
there that was not. Most points have not changed at all and cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.board_view import (
    FINE_PATCH_RADII,
    FINE_PATCH_SIDE,
    STONE_OFFSET_SPACINGS,
    BoardView,
    check_same_field,
)
from vision.imaging.frame import Float32Array
from vision.imaging.patches import (
    sample_log_colour,
)

CLIP = 7.0
"""Most nats that one point can say."""

CELL = 0.5
"""Units around a point within which a pebble is this point's and no other's, nor a spare one's beside the board."""

UPHILL, FRINGE_NATS = 1.15, -3.0
"""A change that grows so many times stronger just across the border to another point is the rim of a stone there."""

INNER, LEAST_REACHED = 0.28, 0.5
"""Share of the spacing to which every pebble of this point reaches (they lie up to 0.35 off it), and the share of the
strongest change in its cell that must be seen so far in: else it is a spare stone's beside the board."""

LEAST_LEVELS, LEAST_OVER_USUAL = 6.0, 1.5
"""Levels by which a point must differ from before to be looked at closely, and the same as a multiple of the median
point."""

FELLOWS = 6
"""So many points that have not changed are looked at closely as well, to know light and noise by."""

GRAIN, CHROMA, RELIEF, BIAS = -3.56, 1.49, 2.39, -5.76
"""Nats for the likeness of fine detail (Fisher-transformed), and for the logs of the change of colour and of the change
of brightness against its surroundings, each as a multiple of what unchanged points show: a logistic fit to 7,861 points
of filmed and drawn games, 632 of them touched. Left out one film at a time it misses 9 and takes 5 others for touched,
where ``touched`` misses 18 and takes 159 others."""

TRAINING_PRIOR_LOG_ODDS = float(np.log(632 / (7861 - 632)))
"""Log odds of a touched point among those lessons, which the fit has learnt as well: less them, what it says is a
likelihood ratio. Of 3,507 points of other films it said 1 to 7 nats of all 248 that were touched, and of two others,
of whose touch the referee had not known; and -3 or less of all the rest."""


@dataclass(frozen=True, eq=False)
class PixelChange:
    """What has changed on the board since the last settled look.

    Attributes
    ----------
    posterior_log_odds : float64 array of shape (n_points,)
        Log odds of having been touched, as in the lessons of the fit; 0 for a point outside the picture.
    changed : bool array of shape (n_points,)
        Points whose pixels are not what they were, whatever the reason.
    median_change_levels : float
        Grey levels by which the median point differs: more than noise where the light is another.
    """

    posterior_log_odds: NDArray[np.float64]
    changed: NDArray[np.bool_]
    median_change_levels: float

    @property
    def change_log_odds(self) -> NDArray[np.float64]:
        """``log p(change | touched) - log p(change | left alone)``, nats, shape (n_points,).

        What is no more than the rim of a neighbour's change stays that.
        """
        odds = np.where(self.posterior_log_odds > FRINGE_NATS, self.posterior_log_odds - TRAINING_PRIOR_LOG_ODDS, self.posterior_log_odds)
        return np.asarray(np.where(self.posterior_log_odds == 0, 0.0, np.minimum(odds, CLIP)), np.float64)


def detect_pixel_change(before: BoardView, now: BoardView) -> PixelChange:
    """Say of every point whether something was laid there or taken away.

    Parameters
    ----------
    before, now : BoardView
        Of the last settled look and of this one; nothing but stones, hands and light has moved.

    Returns
    -------
    Altered

    Raises
    ------
    ValueError
        When the views are not of one field in pictures of one size.
    """
    check_same_field(before, now)
    sampling = before.sampling
    level = _levels(before, now)
    usual = float(np.median(level))
    other = level > max(LEAST_LEVELS, LEAST_OVER_USUAL * usual)
    close = np.flatnonzero(other)
    nats = np.full(len(level), -CLIP)
    if len(close):
        order = np.argsort(level, kind="stable")
        others = order[~np.isin(order, close)]
        fellows = others[np.linspace(0, len(others) - 1, min(FELLOWS, len(others))).astype(int)]
        looked = np.concatenate([close, fellows])
        nats[close] = _closely(before, now, looked, len(close))
    return PixelChange(np.where(sampling.inside, nats, 0.0), other, usual)


def _levels(before: BoardView, now: BoardView) -> NDArray[np.float64]:
    """By how many grey levels each point differs at most, averaged over an eighth of a unit."""
    blue, green, red = cv2.split(cv2.absdiff(before.coarse, now.coarse))
    most = np.asarray(cv2.max(cv2.max(blue, green), red)).ravel()
    return np.asarray(most[before.sampling.coarse_indices].max(axis=1), np.float64)


def _closely(before: BoardView, now: BoardView, points: NDArray[np.intp], n_close: int) -> NDArray[np.float64]:
    """Nats of the first ``n_close`` of the points; the others are their fellows."""
    sampling = before.sampling
    places = sampling.places_px[points].reshape(-1, FINE_PATCH_SIDE, 2)
    then, here = (sample_log_colour(view.bgr, places) for view in (before, now))
    change = (here - then).reshape(-1, FINE_PATCH_SIDE * FINE_PATCH_SIDE, 3)
    light = np.median((change[n_close:] if len(points) > n_close else change).reshape(-1, 3), axis=0)
    change = _boxed((here - then - light).reshape(-1, FINE_PATCH_SIDE, 3), 3)
    near = STONE_OFFSET_SPACINGS * sampling.spacing_units[points, None] >= FINE_PATCH_RADII
    coloured, level = np.hypot(change[..., 1], change[..., 2]), np.ascontiguousarray(change[..., 0])
    chroma = _most(_boxed(coloured, 5), near)
    relief = _most(_boxed(np.abs(level - _boxed(level, 13)), 5), near)
    a, b = (np.ascontiguousarray(logs[..., 0]) for logs in (then, here))
    a, b = a - _boxed(a, 7), b - _boxed(b, 7)
    spread = np.sqrt(_boxed(a * a, 11) * _boxed(b * b, 11)) + 1e-3
    alike = -_most(-_boxed(a * b, 11) / spread, near)
    usual_chroma, usual_relief = (float(np.median(all_of)) for all_of in (chroma, relief))
    nats = (
        GRAIN * np.arctanh(np.clip(alike, -0.95, 0.97))
        + CHROMA * np.log((chroma + 0.01) / (usual_chroma + 0.01))
        + RELIEF * np.log((relief + 0.01) / (usual_relief + 0.01))
        + BIAS
    )
    cell = np.tile(FINE_PATCH_RADII <= CELL, (len(points), 1))
    fringe = _on_the_rim(_boxed(np.abs(level) + coloured, 9), cell)
    strength = _boxed(np.abs(level) + coloured, 5)
    reached = _most(strength, INNER * sampling.spacing_units[points, None] >= FINE_PATCH_RADII)
    fringe |= reached < LEAST_REACHED * _most(strength, cell)
    nats = np.where(fringe, np.minimum(nats, FRINGE_NATS), nats)
    return np.asarray(np.clip(nats[:n_close], -CLIP, CLIP), np.float64)


def _boxed(column: Float32Array, side: int) -> Float32Array:
    """Mean over a square; patches lie one under the other, and only their rims see each other."""
    return np.asarray(cv2.blur(column, (side, side)), np.float32)


def _most(column: Float32Array, near: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The greatest value of every patch near its point."""
    return np.asarray(np.where(near, column.reshape(near.shape), -np.inf).max(axis=1), np.float64)


def _on_the_rim(column: Float32Array, cell: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the strongest change of each cell goes on to grow outside of it."""
    around = np.asarray(cv2.dilate(column, np.ones((9, 9), np.uint8))).reshape(cell.shape)
    inside = np.where(cell, column.reshape(cell.shape), -np.inf)
    at = inside.argmax(axis=1)
    rows = np.arange(len(cell))
    return np.asarray(around[rows, at] > UPHILL * inside[rows, at], np.bool_)
