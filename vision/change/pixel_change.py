"""Two views of a board and camera that lie still in, log odds of a touch at every point out. The most sensitive cue.

While neither board nor camera moves, each pixel is compared with itself. This also detects a small pebble of nearly the
colour of its ground. Most points have not changed and cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.surface_change import LEAST_CHANGE, fisher_transformed
from vision.imaging.board_view import BoardView, check_same_field
from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import CELL, NEAR_POINT, PATCH_SIDE, patch_disc_mask, sample_log_colour

MAX_CHANGE_NATS = 7.0
"""Most nats that the change of a point alone says of it."""

RIM_NATS = -3.0
"""Upper bound of the log odds of a point whose change is the rim of another point's stone, nats."""

STONE_REACH = patch_disc_mask(0.28)
"""Mask of the samples that every pebble of a point reaches: they lie up to 0.35 units off it."""

MIN_PIXEL_CHANGE_LEVELS = 6.0
"""Difference in grey levels from which on a point has changed."""

MIN_PIXEL_CHANGE_MEDIANS = 1.5
"""The same difference as a multiple of the median over all points."""

N_UNCHANGED_REFERENCES = 6
"""Number of unchanged points that are also compared closely, to measure light and noise."""

DETAIL_WEIGHT, CHROMA_WEIGHT, RELIEF_WEIGHT, PIXEL_CHANGE_BIAS = -3.56, 1.49, 2.39, -5.76
"""Nats for the correlation of fine detail (Fisher-transformed), for the logs of the change of chroma and of the change
of brightness against its surroundings, each as a multiple of that of unchanged points, and bias.

Logistic regression on 7,861 points of filmed and drawn games, 632 of them touched. Source: measured, left out one film
at a time it misses 9 and takes 5 others for touched."""

TRAINING_PRIOR_LOG_ODDS = float(np.log(632 / (7861 - 632)))
"""Log odds of a touched point in the training set, subtracted to get a likelihood ratio.

Of 3,507 points of other films the fit gave 1 to 7 nats to all 248 that were touched and to two more, which had been
touched unnoticed. It gave -3 or less to all others. Source: measured, 632 of 7,861 points of the training set."""


@dataclass(frozen=True, eq=False)
class PixelChange:
    """Pixel change of every point since the last accepted frame."""

    posterior_log_odds: NDArray[np.float64]  # (n_points,), of a touch, with the training set's prior; 0 out of sight
    changed: NDArray[np.bool_]  # (n_points,), points whose pixels have changed, whatever the reason
    median_change_levels: float  # over all points, grey levels: more than noise where the light has changed

    @property
    def change_log_odds(self) -> NDArray[np.float64]:
        """``log p(change | touched) - log p(change | left alone)``, nats, (n_points,); of a rim ``RIM_NATS``."""
        posterior = self.posterior_log_odds
        odds = np.where(posterior > RIM_NATS, posterior - TRAINING_PRIOR_LOG_ODDS, posterior)
        return np.asarray(np.where(posterior == 0, 0.0, odds), np.float64)


def detect_pixel_change(before: BoardView, now: BoardView, hidden: NDArray[np.bool_] | None = None) -> PixelChange:
    """Detect at every point whether something was laid there or taken away between two views of a field at rest.

    ``hidden``, (n_points,), are the points that something covers in one of them. Raises ``ValueError`` when the views
    are not of one field in pictures of one size.
    """
    check_same_field(before, now)
    sampling = before.sampling
    levels = _change_levels(before, now)
    in_sight = np.ones(len(levels), np.bool_) if hidden is None else ~hidden
    usual = float(median(levels[in_sight]))
    changed = in_sight & (levels > max(MIN_PIXEL_CHANGE_LEVELS, MIN_PIXEL_CHANGE_MEDIANS * usual))
    points = np.flatnonzero(changed)
    log_odds = np.full(len(levels), -MAX_CHANGE_NATS)
    if len(points):
        order = np.argsort(levels, kind="stable")
        unchanged = order[(in_sight & ~changed)[order]]
        n_references = min(N_UNCHANGED_REFERENCES, len(unchanged))
        references = unchanged[np.linspace(0, len(unchanged) - 1, n_references).astype(int)]
        log_odds[points] = _fine_log_odds(before, now, np.concatenate([points, references]), len(points))
    return PixelChange(np.where(sampling.patches.inside & in_sight, log_odds, 0.0), changed, usual)


def _change_levels(before: BoardView, now: BoardView) -> NDArray[np.float64]:
    """Return the largest change of each point in the coarse view, grey levels, shape (n_points,)."""
    blue, green, red = cv2.split(cv2.absdiff(before.coarse, now.coarse))
    largest = np.asarray(cv2.max(cv2.max(blue, green), red)).ravel()
    return np.asarray(largest[before.sampling.coarse_indices].max(axis=1), np.float64)


def _fine_log_odds(before: BoardView, now: BoardView, points: NDArray[np.intp], n_changed: int) -> NDArray[np.float64]:
    """Return the posterior log odds of the first ``n_changed`` points; the others are unchanged reference points."""
    places = before.sampling.patches.places_px.reshape(-1, PATCH_SIDE, PATCH_SIDE, 2)[points].reshape(-1, PATCH_SIDE, 2)
    then, here = (sample_log_colour(view.bgr, places) for view in (before, now))
    change = (here - then).reshape(-1, PATCH_SIDE**2, 3)
    light = median((change[n_changed:] if len(points) > n_changed else change).reshape(-1, 3), axis=0)
    change = _box_blurred(here - then - light, 3)
    chroma_change, level = np.hypot(change[..., 1], change[..., 2]), np.ascontiguousarray(change[..., 0])
    chroma = _max_within(_box_blurred(chroma_change, 5), NEAR_POINT)
    relief = _max_within(_box_blurred(np.abs(level - _box_blurred(level, 11)), 5), NEAR_POINT)
    a, b = (np.ascontiguousarray(log_colour[..., 0]) for log_colour in (then, here))
    a, b = a - _box_blurred(a, 5), b - _box_blurred(b, 5)
    norm = np.sqrt(_box_blurred(a * a, 9) * _box_blurred(b * b, 9)) + 1e-3
    correlation = -_max_within(-_box_blurred(a * b, 9) / norm, NEAR_POINT)
    median_chroma, median_relief = float(median(chroma)), float(median(relief))
    nats = (
        DETAIL_WEIGHT * fisher_transformed(correlation)
        + CHROMA_WEIGHT * np.log((chroma + LEAST_CHANGE) / (median_chroma + LEAST_CHANGE))
        + RELIEF_WEIGHT * np.log((relief + LEAST_CHANGE) / (median_relief + LEAST_CHANGE))
        + PIXEL_CHANGE_BIAS
    )
    strength = _box_blurred(np.abs(level) + chroma_change, 5)
    rim = _max_within(strength, STONE_REACH) < _max_within(strength, CELL) / 2  # else a spare stone
    nats = np.where(rim, np.minimum(nats, RIM_NATS), nats)
    return np.asarray(np.clip(nats[:n_changed], -MAX_CHANGE_NATS, MAX_CHANGE_NATS), np.float64)


def _box_blurred(column: Float32Array, side: int) -> Float32Array:
    """Return the mean over a square. Patches lie one under the other, so only their rims mix."""
    return np.asarray(cv2.blur(column, (side, side)), np.float32)


def _max_within(column: Float32Array, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the greatest value of every patch within its mask, shape (n_points,)."""
    return np.asarray(column.reshape(-1, PATCH_SIDE, PATCH_SIDE)[:, mask].max(axis=1), np.float64)
