"""Which points of a board of towers were touched: stones are laid on stones there, and lean over others.

A stone laid on one of its own colour changes little, and its neighbours' patches change with it where the camera looks
aslant. So besides asking of each patch whether it has changed (``altered``), the change itself is explained: it is a
pebble that has come or gone, at its height above one point or another, and there it fills the outline of a pebble and
nothing around it. Of points that would explain the same change the one that fits best has been touched; the shadow that
falls beside it fits less, and is told to be that. From straight above it may be all that a stone on its like shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.pixel_change import CLIP, PixelChange
from vision.imaging.board_view import BoardView
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Image
from vision.imaging.patches import Patches, image_jacobians, parallax_px, sample_log_colour, stone_unit
from vision.stones.appearance import Appearance, light_offset
from vision.stones.colour_histogram import NO_STONE_COLOURS
from vision.stones.observation import Observation, colour_log_likelihoods

OF_BARE, OF_TOWER = (0.88, 3.0, 4.5, 0.0, -1.0), (0.0, 7.2, 9.9, 6.1, -3.6)
"""Worth of what ``altered`` says, nats for how well a pebble above the point explains the change, for how much better
than above any other point, for change beside it that no pebble explains, and for none of it; of bare points, and of
points that hold stones. Logistic fits to 9,360 points of filmed games, 530 of them touched, less the log odds of these.
Left out a quarter of the films at a time they took 5 of them for left alone and 8 of the others for touched, where
``altered`` alone missed 13 and took 33 others. Of 16,668 points of 73 further films, 926 of them touched, 2 and 7 are
taken wrongly; before shadows were told from pebbles 2 and 12, and before pebbles were sought as they are now 5 and 19.
Fitted anew to those films they do no better.
"""

RADII = (0.22, 0.28, 0.35, 0.44, 0.55)
"""Radii of pebbles that are tried, in units of the board; where 0.35 is the largest, a larger stone on its like is
missed, and what it shows beside its tower taken for another."""

FLAT, SETTLED = 0.57, 0.9
"""Half the height of a pebble in radii (they are 0.45 to 0.7), and how much of its height one adds to a tower."""

ASIDE = tuple((x, y) for x in (-0.3, -0.15, 0.0, 0.15, 0.3) for y in (-0.3, -0.15, 0.0, 0.15, 0.3) if abs(x * y) < 0.05)
ASIDE_COST = 0.6
"""Units by which a pebble may lie off its point, and what the square of them costs of its fit."""

NOISE, SURELY, STRONG, NEAR = 4.0, 12.0, 0.3, 1.2
"""Multiples of the noise from which a pixel has changed, and surely has; the share of the strongest change within so
many units from which it counts in full: what a stone covers changes more than its shadow."""

BLUR = 0.05
"""Units over which the change is smoothed."""

EXPLAINS, BESIDE, BLOT = 0.35, 1.2, 0.4
"""Fit from which a pebble explains what has changed around it; units beside a tower within which its shadow falls, and
the size of a shadow."""

LIKE = 0.5, 0.15
"""Log brightness, and log red and blue over green, by which two parts of one pebble may differ: it is shaded."""

LEAST_BEYOND = 0.3
"""Share of a pebble that must show beside the one under it, for that part alone to tell: they may be of one colour."""

SHADED_FROM, SHADED_WORTH, SHADED_CLIP = 0.3, 5.8, 6.0
"""A pebble has one colour, and a shadow leaves what lies under it its own: the log of how much the colour of what has
grown darker has changed, less that of how much it differs from place to place now, below which it says shadow; nats
for each unit of it, and the most nats. Of 389 darker pebbles laid on bare points of 63 filmed games it is 0.88, spread
by 0.42, of 11 shadows there -0.29, spread by 0.49."""

EVEN = 0.05
"""Log ratio of colours that is no more than noise."""

HEART = 0.65
"""Share of a pebble, from its middle, in which its paint is read: rims are mixed with what lies beside them."""

REACH = 1.6
"""Units from a point within which a change may be due to a pebble above it, and to its shadow."""

SURELY_TOUCHED, LEAST_SHOWN, COLOUR_CLIP = 3.0, 0.25, 3.0
"""Nats of having been touched from which it is asked of a tower what its changed pixels show, the share of a pebble
that they must fill, and the most nats that they may say."""


@dataclass(frozen=True, eq=False)
class TowerChange:
    """What has come to lie on towers, or gone from them.

    Attributes
    ----------
    nats : float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``.
    log_colour : float32 array of shape (n_points, n_samples, 3)
        What is seen now where a pebble above the point would explain the change: log colours, see ``patches``.
    changed : bool array of shape (n_points, n_samples)
        The samples of it that have changed.
    explained_elsewhere : bool array of shape (n_points,)
        What has changed there a pebble above another point explains better: it leans over this one.
    """

    change_log_odds: NDArray[np.float64]
    log_colour: Float32Array
    changed: NDArray[np.bool_]
    explained_elsewhere: NDArray[np.bool_]


def detect_tower_change(
    seen: PixelChange,
    before: BoardView,
    now: BoardView,
    field: Field,
    heights: Sequence[int],
    size_px: tuple[int, int],
    twins: Sequence[bool] | None = None,
) -> TowerChange:
    """Say of every point whether a stone was laid there, or taken away.

    Parameters
    ----------
    seen : Altered
        What has changed from ``before`` to ``now``, in the same light.
    before, now : BoardView
        Of the last settled look and of this one.
    field : Field
        Where the points lie, image space.
    heights : sequence of int
        How many stones lay on each point before.
    size_px : (int, int)
        Width and height of the picture.
    twins : sequence of bool, by point
        Where the two uppermost stones are of one paint; towers may have them anywhere when omitted.

    Returns
    -------
    Piled
    """
    tall = np.array(heights)
    doubled = tall > 1 if twins is None else np.array(twins)
    log_colour, shows = np.zeros((len(tall), len(_CORE), 3), np.float32), np.zeros((len(tall), len(_CORE)), np.bool_)
    unit, (x0, y0, _, _), shrink = stone_unit(field.board), before.sampling.window, before.sampling.shrink
    spread, lean = image_jacobians(field) * (unit / shrink), parallax_px(field, size_px) * (unit / shrink)
    places = (field.points_px - (x0, y0) + 0.5) / shrink - 0.5
    unit_px = float(np.median(np.sqrt(np.abs(np.linalg.det(spread)))))
    change = _change(before, now, unit_px)
    side = int(2 * REACH * unit_px) | 1
    around = np.asarray(cv2.dilate(change, np.ones((side, side), np.uint8)), np.float32)
    points = np.flatnonzero(_at(around, places[:, None])[:, 0] > 0)
    told = np.zeros((len(tall), 3))
    if len(points) == 0:
        return TowerChange(_nats(seen, told, tall, np.zeros(len(tall))), log_colour, shows, shows[:, 0])
    views = _colours(before.bgr), _colours(now.bgr)
    fit, middle, outline = _best_pebbles(
        change, views, places[points], spread[points], lean[points], tall[points], doubled[points]
    )
    apart = np.linalg.solve(outline[:, None], (middle[None] - middle[:, None])[..., None])[..., 0]
    away = 1 / np.maximum(np.linalg.norm(apart, axis=2), 1e-9)  # in radii of either: they overlap nearer than both
    rivals = (away + away.T > 1) & ~np.eye(len(points), dtype=np.bool_)
    most = np.where(rivals, fit[None], 0.0).max(axis=1)
    told[points] = np.column_stack([fit, fit - np.maximum(most, 0.0), np.zeros(len(points))])
    told[:, 2] = _unexplained(change, places, places[points[fit > EXPLAINS]], unit_px)
    samples = middle[:, None] + np.einsum("nij,kj->nki", outline, _CORE)
    log_colour[points] = sample_log_colour(now.bgr, samples.astype(np.float32))
    other = _at(change, samples) > 0.5
    shows[points] = other & (np.linalg.norm(_CORE, axis=1) < HEART)
    shaded = np.zeros(len(tall))
    light = np.median((views[1] - views[0])[before.sampling.board_mask > 0], axis=0)
    shaded[points] = _shaded(_at(views[0], samples) + light, _at(views[1], samples), other)
    others = np.zeros(len(tall), np.bool_)
    others[points] = most > np.maximum(fit, EXPLAINS)
    return TowerChange(_nats(seen, told, tall, shaded), log_colour, shows, others)


def _shaded(then: NDArray[np.float64], now: NDArray[np.float64], other: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Nats by which what has changed above each point is a shadow rather than a pebble, 0 or less; shape (n,).

    Log colours are of shape (n, n_samples, 3), in the same light; ``other`` says which samples have changed.
    """
    weight = other[..., None] / np.maximum(other.sum(axis=1), 1)[:, None, None]
    came = now - then
    darker = (weight * came).sum(axis=1)[:, 0] < 0
    turned = np.sqrt((weight * came**2).sum(axis=1)[:, 1:].sum(axis=1))
    middle = (weight * now).sum(axis=1, keepdims=True)
    uneven = np.sqrt((weight * (now - middle) ** 2).sum(axis=1)[:, 1:].sum(axis=1))
    nats = SHADED_WORTH * (np.log((turned + EVEN) / (uneven + EVEN)) - SHADED_FROM)
    return np.asarray(np.where(darker & other.any(axis=1), np.clip(nats, -SHADED_CLIP, 0.0), 0.0), np.float64)


def _nats(
    seen: PixelChange, told: NDArray[np.float64], tall: NDArray[np.intp], shaded: NDArray[np.float64]
) -> NDArray[np.float64]:
    """All witnesses of every point together; what a pebble above another point explains better is none for this one.

    That it may be a shadow is asked of bare points alone: a stone laid on its like leaves the colour, too.
    """
    worth = np.where((tall > 0)[:, None], OF_TOWER, OF_BARE)
    own = np.where(told[:, 1] < 0, np.minimum(seen.posterior_log_odds, 0.0), seen.posterior_log_odds)
    witnesses = np.column_stack([own, told, np.ones(len(tall))])
    nats = (worth * witnesses).sum(axis=1) + np.where(tall > 0, 0.0, shaded)
    return np.asarray(np.clip(nats, -CLIP, CLIP), np.float64)


def _unexplained(
    change: Float32Array, places: NDArray[np.float64], explained: NDArray[np.float64], unit_px: float
) -> NDArray[np.float64]:
    """How much has changed beside each point where no pebble explains it or lies near: the shadow of a higher tower."""
    left = change.copy()
    for x, y in np.rint(explained).astype(int):
        cv2.circle(left, (int(x), int(y)), int(REACH * unit_px), 0.0, -1)
    blot, reach = max(3, int(BLOT * unit_px) | 1), int(2 * BESIDE * unit_px) | 1
    mass = cv2.blur(left, (blot, blot))
    most = cv2.dilate(mass, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    return _at(np.asarray(most, np.float32), places[:, None])[:, 0]


def correct_by_tower_change(
    observation: Observation, pile: TowerChange, patches: Patches, appearance: Appearance, shown: Sequence[int]
) -> Observation:
    """Ask of every tower that was touched which paint its changed pixels show.

    From the side the uppermost of three stones is not over its point any more, and eyes that look there see the lower
    ones. What fits no known paint is the ground behind a stone that was taken away, or a paint not seen before.

    Parameters
    ----------
    observation : Observation
    pile : Piled
    patches : Patches
        Of this look; they tell its light.
    appearance : Appearance
    shown : sequence of int
        What lay on top of each point before: 0 bare, k a stone of player k - 1.
    """
    rows = observation.log_likelihood.copy()
    over = np.flatnonzero(pile.explained_elsewhere & (pile.change_log_odds < 0))
    usual = np.array(shown)[over]
    rows[over, usual] = rows[over].max(axis=1)  # eyes see the other pebble there
    enough = (pile.change_log_odds > SURELY_TOUCHED) & (pile.changed.mean(axis=1) > LEAST_SHOWN) & (np.array(shown) > 0)
    on = np.flatnonzero(enough)
    if len(on) == 0:
        return replace(observation, log_likelihood=rows)
    light = light_offset(patches, appearance)
    stranger = replace(appearance, stones=(*appearance.stones, NO_STONE_COLOURS))
    nats = colour_log_likelihoods((pile.log_colour[on] - light)[:, :, None], pile.changed[on][:, :, None], stranger)
    known = nats[:, -1] <= nats[:, :-1].max(axis=1)
    told = np.maximum(nats[known, :-1], -COLOUR_CLIP)
    rows[on[known], 1:] = rows[on[known], 1:].max(axis=1, keepdims=True) + told
    return replace(observation, log_likelihood=rows)


def _change(before: BoardView, now: BoardView, unit_px: float) -> Float32Array:
    """How surely every pixel of the view has changed, and not by a shadow: 0 to 1."""
    difference = now.bgr.astype(np.float32) - before.bgr
    difference = np.asarray(cv2.GaussianBlur(difference, (0, 0), max(0.6, BLUR * unit_px)), np.float32)
    board = before.sampling.board_mask > 0
    difference = np.abs(difference - np.median(difference[board], axis=0)).max(axis=2)
    noise = max(1.0, float(np.median(difference[board])))
    side = max(3, int(2 * NEAR * unit_px / 4) | 1)
    small = cv2.resize(difference, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    strongest = cv2.resize(cv2.dilate(small, np.ones((side, side), np.uint8)), difference.shape[::-1])
    full = np.maximum((SURELY - NOISE) * noise, STRONG * (strongest - NOISE * noise))
    return np.asarray(np.clip((difference - NOISE * noise) / full, 0, 1), np.float32)


def _colours(bgr: Image) -> Float32Array:
    """Log colours of every pixel, see ``patches``; shape (H, W, 3)."""
    rows, columns = np.indices(bgr.shape[:2], np.float32)
    return sample_log_colour(bgr, np.stack([columns, rows], axis=-1))


def _of_its_like(colours: Float32Array, places: NDArray[np.float64], inside: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which samples of a pebble have not changed and have the colour of those that have: it may lie on its like."""
    seen = _at(colours, places)
    weight = inside[..., None]
    own = (weight * seen).sum(axis=2, keepdims=True) / np.maximum(weight.sum(axis=2, keepdims=True), 1e-6)
    off = np.abs(seen - own)
    return np.asarray((inside < 0.5) & (off[..., 0] < LIKE[0]) & (off[..., 1:].max(axis=-1) < LIKE[1]), np.bool_)


def _best_pebbles(
    change: Float32Array,
    views: tuple[Float32Array, Float32Array],
    places: NDArray[np.float64],
    spread: NDArray[np.float64],
    lean: NDArray[np.float64],
    tall: NDArray[np.intp],
    doubled: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """How well the best pebble at each point explains the change, its middle, and its outline from the unit disc.

    Shapes (n,), (n, 2) and (n, 2, 2); tried are the next stone of each tower and its uppermost one. ``views`` are the
    colours before and now; ``doubled`` says where the two uppermost stones are of one paint.
    """
    n = len(places)
    fit, middle, outline = np.full(n, -np.inf), places.copy(), np.tile(np.eye(2), (n, 1, 1))
    aside = np.array(ASIDE)
    cost = ASIDE_COST * (aside**2).sum(axis=1)
    for level in (tall, tall + 1):
        real = level >= 1  # and one above the highest that is allowed: that is a foul
        for radius in RADII:
            flat = FLAT * radius
            high = flat * (1 + 2 * SETTLED * (level - 1))
            # The outline of an ellipsoid seen from afar.
            square = radius**2 * spread @ spread.transpose(0, 2, 1) + flat**2 * lean[:, :, None] * lean[:, None]
            shape = np.linalg.cholesky(square + 1e-6 * np.eye(2))
            middles = (places + lean * high[:, None])[:, None] + np.einsum("nij,kj->nki", spread, aside)
            inside, around = (
                _at(change, middles[:, :, None] + np.einsum("nij,kj->nki", shape, part)[:, None])
                for part in (_CORE, _AROUND)
            )
            gone = (level == tall)[:, None, None]
            on_its_like = ((level > tall) | doubled)[:, None, None]
            at = middles[:, :, None] + np.einsum("nij,kj->nki", shape, _CORE)[:, None]
            same = np.where(gone, *(_of_its_like(view, at, inside) for view in views)) & on_its_like
            alone = (inside * ~same).sum(axis=2) / np.maximum((~same).sum(axis=2), LEAST_BEYOND * len(_CORE))
            told = np.maximum(inside.mean(axis=2), alone) - around.mean(axis=2) - cost
            best = told.argmax(axis=1)
            value = told[np.arange(n), best]
            better = real & (value > fit)
            fit[better], outline[better] = value[better], shape[better]
            middle[better] = middles[np.arange(n), best][better]
    return fit, middle, outline


def _at(change: Float32Array, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The change, or colours, at places of shape (..., 2); 0 outside of the picture."""
    flat = places.astype(np.float32).reshape(len(places), -1, 2)
    found = cv2.remap(change, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(found.reshape(*places.shape[:-1], *change.shape[2:]), np.float64)


def _disc(n: int, inner: float, outer: float) -> NDArray[np.float64]:
    """Places of a grid of n by n that lie in a ring about the origin, shape (n_places, 2)."""
    line = ((np.arange(n) + 0.5) / n * 2 - 1) * outer
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    away = np.linalg.norm(grid, axis=1)
    return np.asarray(grid[(away >= inner) & (away <= outer)], np.float64)


_CORE, _AROUND = _disc(9, 0.0, 0.9), _disc(13, 1.35, 2.0)
