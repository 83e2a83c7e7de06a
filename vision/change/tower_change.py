"""Two views of a board with stacked stones in; log odds of a change of every tower, and the paint of its top, out.

A stone laid on one of its own colour changes little, and where the camera looks at an angle the patches of its
neighbours change with it. So the changed pixels are also explained by a pebble that has come or gone, at its height
above one point or another. Such a change fills the outline of a pebble and nothing around it, and of the points whose
pebbles would explain it, the one that fits best was touched. A shadow beside a tower fits less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.pixel_change import MAX_CHANGE_NATS, PixelChange
from vision.imaging.board_view import BoardView
from vision.imaging.cv import shrink
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import image_jacobians, log_colour_of, parallax_px, sample_log_colour, stone_unit

BARE_POINT_WEIGHTS = (0.88, 3.0, 4.5, -1.0)
"""Weights of the features of a point that was bare before, nats. Source: measured, see ``TOWER_WEIGHTS``."""

TOWER_WEIGHTS = (0.0, 7.2, 9.9, -3.6)
"""Weights of the features of a point with stones before, nats.

The features: log odds of ``PixelChange``, fit of the best pebble above the point, lead of that fit over any other
point's, and 1 (bias). Logistic regressions on 9,360 points of filmed games, 530 of them touched, less the log odds of
these. Source: measured, 2,160 points of drawn towers, 180 of them touched: 2 missed and 3 false, where ``PixelChange``
alone has 34 and 7."""

PEBBLE_RADII_UNITS = (0.22, 0.35, 0.5)
"""Radii of the pebbles that are tried, in units of the board; the middle one is usual.

With 0.35 as the largest, a larger stone on one of its colour is missed, and the part that shows beside its tower is
taken for another stone."""

PEBBLE_FLATNESS = 0.57
"""Half the height of a pebble in radii; they have 0.45 to 0.7."""

SETTLED_HEIGHT_SHARE = 0.9
"""Share of its height that a pebble adds to a tower."""

PEBBLE_OFFSETS_UNITS = tuple(
    (x, y) for x in (-0.3, -0.15, 0.0, 0.15, 0.3) for y in (-0.3, -0.15, 0.0, 0.15, 0.3) if abs(x * y) < 0.05
)
"""Offsets from the point at which pebbles are tried, in units of the board."""

PEBBLE_OFFSET_COST = 0.6
"""Cost of the squared offset, fit per squared unit."""

MIN_CHANGE_NOISES, SURE_CHANGE_NOISES = 4.0, 12.0
"""Change from which on a pixel has changed, and surely has, in multiples of the noise."""

FULL_CHANGE_SHARE = 0.3
"""Share of the strongest change nearby from which on a change counts in full: stones change more than their shadows."""

PX_PER_UNIT = 20.0
"""Finest resolution in which changes are looked for, px per unit; one over it is the standard deviation of their blur,
in units. Source: measured, on 24 drawn films none of 476 changes is missed, and 3 of 7,336 are false, as many as with
finer ones."""

MIN_EXPLAINING_FIT = 0.35
"""Fit from which on a pebble explains the change around it."""

SHADOW_REACH_UNITS = 1.2
"""Distance from a point within which a pebble above it, and its shadow, may change the picture, in units."""

SAME_PEBBLE_LOG_COLOUR = 0.5, 0.15
"""Greatest difference between two parts of one pebble in log brightness, and in the log ratios: it is shaded."""

MIN_VISIBLE_SHARE = 0.3
"""Share of a pebble that must have changed for its paint to be read, and that must show beside one of its colour under
it for that part alone to decide."""

SHADOW_LOG_RATIO, SHADOW_WEIGHT, MAX_SHADOW_NATS = 0.3, 5.8, 6.0
"""Log ratio below which a darkening is a shadow, nats for each unit of it, and the most nats.

A pebble has one colour, and a shadow keeps the colour of its ground. The log ratio is that of the change of the colour
to the spread of the colour now. Source: measured, 389 darker pebbles laid on bare points of 63 filmed games have 0.88
with a spread of 0.42, 11 shadows there -0.29 with a spread of 0.49."""

CHROMA_NOISE = 0.05
"""Log ratio of colours that is only noise."""

PAINT_RADIUS_SHARE = 0.65
"""Share of a pebble's radius within which its paint is read: rims are mixed with their surroundings."""


@dataclass(frozen=True, eq=False)
class TowerChange:
    """The change of every point of a board of towers since the last accepted frame."""

    change_log_odds: NDArray[np.float64]  # (n_points,), ``log p(change | touched) - log p(change | left alone)``
    standing: Float32Array  # (n_points, n_inner, 3), log colour where the top before would be seen now
    log_colour: Float32Array  # (n_points, n_samples, 3), where the best pebble above the point would be seen now
    changed: NDArray[np.bool_]  # (n_points, n_samples), the samples of that pebble that have changed
    explained_elsewhere: NDArray[np.bool_]  # (n_points,), a pebble above another point, covering this one, fits better


def detect_tower_change(
    pixel_change: PixelChange,
    before: BoardView,
    now: BoardView,
    field: Field,
    heights: Sequence[int],
    size_px: tuple[int, int],
    same_paint_tops: Sequence[bool] | None = None,
) -> TowerChange:
    """Detect whether a stone was laid or taken at every point, from heights and whether two tops have one paint."""
    height = np.array(heights)
    same_paint = height > 1 if same_paint_tops is None else np.array(same_paint_tops)
    n, n_samples = len(height), len(_PEBBLE_SAMPLES)
    log_colour, changed = np.zeros((n, n_samples, 3), np.float32), np.zeros((n, n_samples), np.bool_)
    sampling, unit = before.sampling.patches, stone_unit(field.board)
    scale = min(1.0, PX_PER_UNIT / sampling.px_per_unit)
    (x0, y0, _, _), reduction = sampling.window, scale / sampling.shrink
    then, here, board = (shrink(part, scale) for part in (before.bgr, now.bgr, before.sampling.board_mask))
    axes, parallax = (
        per_unit * (unit * reduction) for per_unit in (image_jacobians(field), parallax_px(field, size_px))
    )
    places = (field.points_px - (x0, y0) + 0.5) * reduction - 0.5
    foot, shape = _pebble(PEBBLE_RADII_UNITS[1], height, axes, parallax)
    inner = _PEBBLE_SAMPLES[_SAMPLE_RADII < PAINT_RADIUS_SHARE]
    top = (places + foot)[:, None] + np.einsum("nij,kj->nki", shape, inner)
    standing = sample_log_colour(here, top.astype(np.float32))
    unit_px = scale * sampling.px_per_unit
    change = _change_map(then, here, board > 0, unit_px)
    points = np.flatnonzero(_any_near(change > 0, places, SHADOW_REACH_UNITS * unit_px))
    features = np.zeros((n, 2))
    if len(points) == 0:
        log_odds = _log_odds(pixel_change, features, height, np.zeros(n))
        return TowerChange(log_odds, standing, log_colour, changed, changed[:, 0])
    views = log_colour_of(then), log_colour_of(here)
    fit, centre, outline = _best_pebbles(
        change, views, places[points], axes[points], parallax[points], height[points], same_paint[points]
    )
    rival_fit = np.where(_overlapping(centre, outline), fit[None], 0.0).max(axis=1)
    features[points] = np.column_stack([fit, fit - np.maximum(rival_fit, 0.0)])
    light = median((views[1] - views[0])[board > 0], axis=0)
    samples = centre[:, None] + np.einsum("nij,kj->nki", outline, _PEBBLE_SAMPLES)
    log_colour[points] = sample_log_colour(here, samples.astype(np.float32))
    sample_changed = _values_at(change, samples) > 0.5
    changed[points] = sample_changed & (_SAMPLE_RADII < PAINT_RADIUS_SHARE)
    shadow = np.zeros(n)
    shadow[points] = _shadow_nats(_values_at(views[0], samples) + light, _values_at(views[1], samples), sample_changed)
    # A stone laid on one of its colour keeps the colour, too, but covers a part of it.
    shadow[(height > 0) & ((_values_at(change, top) > 0.5).mean(axis=1) > MIN_VISIBLE_SHARE)] = 0.0
    elsewhere = np.zeros(n, np.bool_)
    elsewhere[points] = rival_fit > np.maximum(fit, MIN_EXPLAINING_FIT)
    return TowerChange(_log_odds(pixel_change, features, height, shadow), standing, log_colour, changed, elsewhere)


def _overlapping(centre: Float64Array, outline: Float64Array) -> NDArray[np.bool_]:
    """Return whether the pebbles at two points overlap in the picture, shape (n, n); false on the diagonal."""
    offset = np.linalg.solve(outline[:, None], (centre[None] - centre[:, None])[..., None])[..., 0]
    closeness = 1 / np.maximum(np.linalg.norm(offset, axis=2), 1e-9)  # of the centres, in radii of the first
    return np.asarray((closeness + closeness.T > 1) & ~np.eye(len(centre), dtype=np.bool_), np.bool_)


def _shadow_nats(then: Float64Array, now: Float64Array, changed: NDArray[np.bool_]) -> Float64Array:
    """Return the log likelihood ratio of a pebble against a shadow, (n,), 0 or less, from (n, n_samples, 3) colours."""
    weight = changed[..., None] / np.maximum(changed.sum(axis=1), 1)[:, None, None]
    change = now - then
    darker = (weight * change).sum(axis=1)[:, 0] < 0
    chroma_change = np.sqrt((weight * change**2).sum(axis=1)[:, 1:].sum(axis=1))
    mean = (weight * now).sum(axis=1, keepdims=True)
    chroma_spread = np.sqrt((weight * (now - mean) ** 2).sum(axis=1)[:, 1:].sum(axis=1))
    log_ratio = np.log((chroma_change + CHROMA_NOISE) / (chroma_spread + CHROMA_NOISE))
    nats = np.clip(SHADOW_WEIGHT * (log_ratio - SHADOW_LOG_RATIO), -MAX_SHADOW_NATS, 0.0)
    return np.asarray(np.where(darker & changed.any(axis=1), nats, 0.0), np.float64)


def _log_odds(
    pixel_change: PixelChange, features: Float64Array, height: NDArray[np.intp], shadow: Float64Array
) -> Float64Array:
    """Return the change log odds of every point from all features together, shape (n,).

    Pixel change that a pebble above another point explains better does not count for this one.
    """
    weights = np.where((height > 0)[:, None], TOWER_WEIGHTS, BARE_POINT_WEIGHTS)
    pixel_nats = pixel_change.posterior_log_odds
    own = np.where(features[:, 1] < 0, np.minimum(pixel_nats, 0.0), pixel_nats)
    nats = (weights * np.column_stack([own, features, np.ones(len(height))])).sum(axis=1)
    return np.asarray(np.clip(nats + shadow, -MAX_CHANGE_NATS, MAX_CHANGE_NATS), np.float64)


def _any_near(changed: NDArray[np.bool_], places: Float64Array, reach_px: float) -> NDArray[np.bool_]:
    """Return whether anything has changed in the square around each of some places, (n, 2) px; shape (n,)."""
    low, high = (np.maximum(places + away, 0).astype(int).tolist() for away in (-reach_px, reach_px + 1))
    squares = [changed[top:bottom, left:right] for (left, top), (right, bottom) in zip(low, high, strict=True)]
    return np.array([square.any() for square in squares], np.bool_)


def _change_map(before: Image, now: Image, board: NDArray[np.bool_], unit_px: float) -> Float32Array:
    """Return a score of change for every pixel, 0 to 1; shadows score low."""
    sigma = max(0.5, unit_px / PX_PER_UNIT)
    difference = np.asarray(cv2.GaussianBlur(now.astype(np.float32) - before, (0, 0), sigma), np.float32)
    blue, green, red = cv2.split(np.abs(difference - median(difference[board], axis=0)))
    difference = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    noise = max(1.0, float(median(difference[board])))
    side = int(2 * SHADOW_REACH_UNITS * unit_px) | 1
    strongest = cv2.dilate(difference, np.ones((side, side), np.uint8))
    full = np.maximum(
        (SURE_CHANGE_NOISES - MIN_CHANGE_NOISES) * noise, FULL_CHANGE_SHARE * (strongest - MIN_CHANGE_NOISES * noise)
    )
    return np.asarray(np.clip((difference - MIN_CHANGE_NOISES * noise) / full, 0, 1), np.float32)


def _unchanged_of_same_colour(
    log_colour: Float32Array, places: Float64Array, changed: Float64Array
) -> NDArray[np.bool_]:
    """Return the unchanged samples of a pebble with the colour of its changed ones: it may lie on one of its colour."""
    colours = _values_at(log_colour, places)
    weight = changed[..., None]
    mean = (weight * colours).sum(axis=2, keepdims=True) / np.maximum(weight.sum(axis=2, keepdims=True), 1e-6)
    off = np.abs(colours - mean)
    level, chroma = SAME_PEBBLE_LOG_COLOUR
    is_alike = (off[..., 0] < level) & (off[..., 1] < chroma) & (off[..., 2] < chroma)
    return np.asarray((changed < 0.5) & is_alike, np.bool_)


def _best_pebbles(
    change: Float32Array,
    views: tuple[Float32Array, Float32Array],
    places: Float64Array,
    axes: Float64Array,
    parallax: Float64Array,
    height: NDArray[np.intp],
    same_paint: NDArray[np.bool_],
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Return the pebble at each point that explains the change best: the next stone of a tower or its uppermost one.

    Of the n points, ``places`` (n, 2), ``axes`` (n, 2, 2) of one unit along the board and ``parallax`` (n, 2) of one
    unit of height are px of the view; ``views`` are the log colours before and now. Returns the fit (n,): the share of
    the pebble that has changed, less that of its surroundings and the cost of its offset; its centre (n, 2), px; and
    what maps the unit disc to its outline, (n, 2, 2).
    """
    fit, centre, outline = np.full(len(places), -np.inf), places.copy(), np.tile(np.eye(2), (len(places), 1, 1))
    offsets = np.array(PEBBLE_OFFSETS_UNITS)
    cost = PEBBLE_OFFSET_COST * (offsets**2).sum(axis=1)
    # A stone that is gone showed its colour before; a stone that came shows it now.
    levels, same_paints = (height, height + 1), (same_paint, np.ones_like(same_paint))
    for all_levels, view, on_same_paint in zip(levels, views, same_paints, strict=True):
        rows = np.flatnonzero(all_levels >= 1)  # one level above the allowed height is tried, too: that is a foul
        level, alike, each = all_levels[rows], np.flatnonzero(on_same_paint[rows]), np.arange(len(rows))
        for radius in PEBBLE_RADII_UNITS if len(rows) else ():
            foot, shape = _pebble(radius, level, axes[rows], parallax[rows])
            centres = (places[rows] + foot)[:, None] + np.einsum("nij,kj->nki", axes[rows], offsets)
            at = centres[:, :, None] + np.einsum("nij,kj->nki", shape, _PEBBLE_SAMPLES)[:, None]
            inside = _values_at(change, at)
            around = _values_at(change, centres[:, :, None] + np.einsum("nij,kj->nki", shape, _RING_SAMPLES)[:, None])
            same_colour = np.zeros(inside.shape, np.bool_)
            if len(alike):
                same_colour[alike] = _unchanged_of_same_colour(view, at[alike], inside[alike])
            n_visible = np.maximum((~same_colour).sum(axis=2), MIN_VISIBLE_SHARE * len(_PEBBLE_SAMPLES))
            visible = (inside * ~same_colour).sum(axis=2) / n_visible
            fits = np.maximum(inside.mean(axis=2), visible) - around.mean(axis=2) - cost
            best = fits.argmax(axis=1)
            value = fits[each, best]
            better = value > fit[rows]
            fit[rows[better]], outline[rows[better]] = value[better], shape[better]
            centre[rows[better]] = centres[each, best][better]
    return fit, centre, outline


def _pebble(
    radius: float, level: NDArray[np.intp], axes: Float64Array, parallax: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Return where a stone at a level of each tower is seen, (n, 2) px from its point, and its outline, (n, 2, 2)."""
    half_height = PEBBLE_FLATNESS * radius
    # The outline of an ellipsoid seen from afar.
    square = radius**2 * axes @ axes.transpose(0, 2, 1) + half_height**2 * parallax[:, :, None] * parallax[:, None]
    centre_height = half_height * (1 + 2 * SETTLED_HEIGHT_SHARE * (level - 1))
    outline = np.linalg.cholesky(square + 1e-6 * np.eye(2))
    return parallax * np.asarray(centre_height)[:, None], np.asarray(outline, np.float64)


def _values_at(values: Float32Array, places: Float64Array) -> Float64Array:
    """Return interpolated values at places of shape (..., 2), px; 0 outside the picture."""
    flat = places.astype(np.float32).reshape(len(places), -1, 2)
    here = cv2.remap(values, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(here.reshape(*places.shape[:-1], *values.shape[2:]), np.float64)


def _annulus(n: int, inner: float, outer: float) -> Float64Array:
    """Return the places of an n by n grid that lie between two radii about the origin, shape (n_places, 2)."""
    line = ((np.arange(n) + 0.5) / n * 2 - 1) * outer
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    radii = np.linalg.norm(grid, axis=1)
    return np.asarray(grid[(radii >= inner) & (radii <= outer)], np.float64)


_PEBBLE_SAMPLES, _RING_SAMPLES = _annulus(9, 0.0, 0.9), _annulus(13, 1.35, 2.0)
"""Places on a pebble and around it, in radii of the pebble."""

_SAMPLE_RADII = np.hypot(*_PEBBLE_SAMPLES.T)
"""Distance of each place on a pebble from its middle, in radii."""
