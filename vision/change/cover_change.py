"""Tops of towers from two places in, log odds that a stone was laid on one of its colour out.

The top shows the paint that it had, so nothing else tells. But no two stones have one outline, and they seldom lie in
one place. So a patch that runs through the middle of the top stone is cut from both pictures, and they are compared:
how much of the paint each shows, and its fine detail. What changes at all towers is due to the place of the camera, so
each tower is compared with the others. How high a tower seems in this picture alone counts as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.change.surface_change import detail_correlation, fisher_transformed
from vision.imaging import cv
from vision.imaging.field import STONE_CENTRE_HEIGHT_UNITS, Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import (
    PATCH_SIDE,
    grid_places,
    parallax_px,
    patch_axes_px,
    patch_disc_mask,
    patch_samples_per_unit,
    patch_sampling,
    sample_log_colour,
    stone_unit,
)
from vision.stones.appearance import Appearance, usual_colour, usual_difference
from vision.stones.tower_heights import MAX_PAINT_DISTANCE, colour_distance

COVER_WEIGHTS, COVER_BIAS = (1.74, 5.44, 0.78, 0.73), -1.23
"""Nats for every feature of ``cover_features``, less that of the other towers, and bias.

Source: fitted, ``tools/evidence/fit_cover.py``, on 1,490 towers of 26 drawn series of photographs, 96 of them covered:
left out a series at a time the covered ones are told with 1.5 nats in the middle, the others -1.4."""

USUAL_FEATURES = (-1.51, 0.01, -3.35, -0.09)
"""Mean of every feature over those towers."""

MAX_COVER_NATS = 4.6
"""Most nats: 1 of the 1,394 untouched towers exceeds it."""

N_USUAL_TOWERS = 2.0
"""Towers as which the usual features count beside those that are seen: with one tower alone there is no other."""

MIN_COMPARED_TOWERS = 4
"""Towers from which on their median change of area is that of the camera's place."""

LEAST_AREA_UNITS2 = 0.01
"""Area that is added to every one before its logarithm, and to every change, in squared units and shares of one."""

TOP_REACH = patch_disc_mask(0.7)
"""Samples that the top stone may cover: with a radius of 0.35 units it lies up to 0.35 off its point."""


def cut_top_patches(bgr: Image, field: Field, heights: NDArray[np.integer]) -> Float32Array:
    """Return the log colours in the plane of the middle of every top stone, (n, PATCH_SIDE, PATCH_SIDE, 3)."""
    height, width = bgr.shape[:2]
    shrink = patch_sampling(field, width, height).shrink
    rise = STONE_CENTRE_HEIGHT_UNITS * stone_unit(field.board) * (2 * np.maximum(heights, 1) - 1)
    centres = field.points_px + parallax_px(field, (width, height)) * rise[:, None]
    places = grid_places(centres, patch_axes_px(field), (np.arange(PATCH_SIDE) + 0.5) * (2 / PATCH_SIDE) - 1)
    places_px = ((places + 0.5) / shrink - 0.5).astype(np.float32).reshape(-1, PATCH_SIDE, 2)
    return sample_log_colour(cv.reduced(bgr, shrink), places_px).reshape(-1, PATCH_SIDE, PATCH_SIDE, 3)


def cover_log_odds(
    before: Float32Array, now: Float32Array, tops: NDArray[np.integer], appearance: Appearance, taller: Float64Array
) -> Float64Array:
    """Return ``log p(picture | a stone of its colour was laid) - log p(picture | left alone)``, nats, (n_points,).

    ``before`` and ``now`` are the ``cut_top_patches`` of both pictures in the light of the reference, for the towers as
    they stood before; ``tops`` is 0 (bare: nothing is said) or k for player k - 1. ``taller``, (n_points,), is how much
    likelier one stone more is by the height that is seen in this picture alone.
    """
    towers = np.flatnonzero(tops > 0)
    nats = np.zeros(len(tops))
    if len(towers):
        features = cover_features(before[towers], now[towers], tops[towers], appearance, taller[towers])
        nats[towers] = against_other_towers(features) @ COVER_WEIGHTS + COVER_BIAS
    return np.clip(nats, -MAX_COVER_NATS, MAX_COVER_NATS)


def cover_features(
    before: Float32Array, now: Float32Array, tops: NDArray[np.integer], appearance: Appearance, taller: Float64Array
) -> Float64Array:
    """Return the features of some towers, (n_towers, 4): changes of detail and of the area of the paint, and height.

    The second is the change of the log area beyond that of the other towers, the third the logarithm of its amount.
    """
    here = now - usual_difference(now, before)
    detail = fisher_transformed(detail_correlation(before[..., 0], here[..., 0]))
    growth = _log_areas(now, tops, appearance) - _log_areas(before, tops, appearance)
    if len(growth) >= MIN_COMPARED_TOWERS:
        growth = growth - median(growth, axis=0)
    return np.column_stack([-detail, growth, np.log(np.abs(growth) + LEAST_AREA_UNITS2), taller])


def against_other_towers(features: Float64Array, usual: ArrayLike = USUAL_FEATURES) -> Float64Array:
    """Return the features of every tower less the mean of all others, (n_towers, n_features)."""
    n = len(features)
    others = features.sum(axis=0) - features + N_USUAL_TOWERS * np.array(usual)
    return np.asarray(features - others / (n - 1 + N_USUAL_TOWERS), np.float64)


def _log_areas(log_colour: Float32Array, tops: NDArray[np.integer], appearance: Appearance) -> Float64Array:
    """Return the logarithm of the area that shows the paint of every tower's top, (n_towers,), squared units."""
    bare = median(appearance.bare[appearance.bare_counts > 0].reshape(-1, 3), axis=0)
    none = np.full(3, np.nan, np.float32)
    paints = [bare, *(usual_colour(stones) if stones else none for stones in appearance.stones)]
    likelihood = [np.exp(-2 * colour_distance(log_colour, paint[None]) ** 2) for paint in paints]
    own = np.choose(tops[:, None, None], likelihood)
    other = np.exp(-2 * MAX_PAINT_DISTANCE**2)
    area = (own / (np.sum(likelihood, axis=0) + other) * TOP_REACH).sum(axis=(1, 2)) / patch_samples_per_unit() ** 2
    return np.asarray(np.log(area + LEAST_AREA_UNITS2), np.float64)
