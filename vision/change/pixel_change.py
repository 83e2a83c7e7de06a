"""Which points show other pixels than at the last settled look: the sharpest witness of what hands have done.

While neither board nor camera move, a pixel is compared with itself. So a small pebble of nearly the colour of what it
lies on, which the patches of ``observation.py`` are too coarse to show, is seen here as people see it: something is
there that was not. Most points have not changed at all and cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.imaging.homography import spacings
from vision.imaging.patches import STONE_MIDDLE, Floats, lean_px, log_colours, tangents, unit_of

CLIP = 7.0
"""Most nats that one point can say."""

COARSE_PX, FINE_PX = 8, 24
"""Pixels to a unit in the small picture that tells where to look closely, and in the patches that are looked at."""

SIDE = 44
"""Samples along a fine patch, which so reaches 0.9 units to each side."""

NEAR, CELL, WIDEST = 0.42, 0.5, 1.3
"""Share of the spacing (of ``WIDEST`` units at most) from the place of its middle within which a pebble may lie; and
units within which it is this point's and no other's, nor a spare one's beside the board."""

UPHILL, FRINGE_NATS = 1.15, -3.0
"""A change that grows so many times stronger just across the border to another point is the rim of a stone there."""

INNER, LEAST_REACHED = 0.28, 0.5
"""Share of the spacing to which every pebble of this point reaches (they lie up to 0.35 off it), and the share of the
strongest change in its cell that must be seen so far in: else it is a spare stone's beside the board."""

LEAST_LEVELS, LEAST_OVER_USUAL = 6.0, 1.5
"""Levels by which a point must differ from before to be looked at closely, and the same as a multiple of the median
point."""

SHARP_LEVELS, LEAST_SHARP = 24, 50
"""Levels by which a pixel differs from its neighbours that lies on an edge, and how many such there must be to tell
whether a board lies still."""

SAME_EDGE, SAME_SHARE = 0.3, 0.75
"""An edge pixel shows what it showed when it has changed by at most this share of the edge, which a slip of a third of
a pixel would do; and so many of them must."""

AROUND = 0.3
"""Units around the outermost points that still belong to the board, when it is asked whether it lies still."""

FELLOWS = 6
"""So many points that have not changed are looked at closely as well, to know light and noise by."""

GRAIN, CHROMA, RELIEF, BIAS = -3.56, 1.49, 2.39, -5.76
"""Nats for the likeness of fine detail (Fisher-transformed), and for the logs of the change of colour and of the change
of brightness against its surroundings, each as a multiple of what unchanged points show: a logistic fit to 7,861 points
of filmed and drawn games, 632 of them touched. Left out one film at a time it misses 9 and takes 5 others for touched,
where ``touched`` misses 18 and takes 159 others."""

TOUCHED_LESSONS = float(np.log(632 / (7861 - 632)))
"""Log odds of a touched point among those lessons, which the fit has learnt as well: less them, what it says is a
likelihood ratio. Of 3,507 points of other films it said 1 to 7 nats of all 248 that were touched, and of two others,
of whose touch the referee had not known; and -3 or less of all the rest."""


@dataclass(frozen=True, eq=False)
class Altered:
    """What has changed on the board since the last settled look.

    Attributes
    ----------
    nats : float64 array of shape (n_points,)
        Log odds of having been touched, as in the lessons of the fit; 0 for a point outside the picture.
    other : bool array of shape (n_points,)
        Points whose pixels are not what they were, whatever the reason.
    usual : float
        Grey levels by which the median point differs: more than noise where the light is another.
    """

    nats: NDArray[np.float64]
    other: NDArray[np.bool_]
    usual: float

    @property
    def touched(self) -> NDArray[np.float64]:
        """``log p(change | touched) - log p(change | left alone)``, nats, shape (n_points,).

        What is no more than the rim of a neighbour's change stays that.
        """
        odds = np.where(self.nats > FRINGE_NATS, self.nats - TOUCHED_LESSONS, self.nats)
        return np.asarray(np.where(self.nats == 0, 0.0, np.minimum(odds, CLIP)), np.float64)


@dataclass(frozen=True, eq=False)
class View:
    """The window of a picture that shows the board, at about the resolution of the fine patches, and how to read it."""

    bgr: Image
    way: _Way

    @cached_property
    def small(self) -> Image:
        """The same at ``COARSE_PX``, smoothed over half a pebble: a board far away is seen through much noise."""
        coarse = cv2.resize(self.bgr, self.way.small, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(coarse, (3, 3), 0), np.uint8)

    @cached_property
    def edges(self) -> NDArray[np.uint8]:
        """By how many grey levels each pixel differs from its neighbours."""
        gray, square = np.asarray(cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.uint8), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.subtract(cv2.dilate(gray, square), cv2.erode(gray, square)), np.uint8)


@dataclass(frozen=True, eq=False)
class _Way:
    """How to look at one field: the window of the picture, its size in small, and where each point lies there.

    ``near`` has indices into the small picture; ``places_px`` are places in the window, shrunk ``shrink`` times, and
    ``board`` is 255 there between the points and a little around them, 0 on the cloth.
    """

    window: tuple[int, int, int, int]
    small: tuple[int, int]
    near: NDArray[np.intp]
    shrink: int
    places_px: Floats
    spacing: NDArray[np.float64]
    inside: NDArray[np.bool_]
    board: NDArray[np.uint8]


def view_of(bgr: Image, field: Field) -> View:
    """Cut out what is to be compared of a picture, shape (H, W, 3), in which the field lies."""
    way = _way_to_look(field, bgr.shape[1], bgr.shape[0])
    x0, y0, x1, y1 = way.window
    if way.shrink == 1:
        return View(bgr[y0:y1, x0:x1], way)
    size = (x1 - x0) // way.shrink, (y1 - y0) // way.shrink
    part = bgr[y0 : y0 + size[1] * way.shrink, x0 : x0 + size[0] * way.shrink]
    return View(np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8), way)


def lies_still(before: View, now: View) -> bool:
    """Whether the board surely lies where it lay: its edges show what they showed, but for what hands have changed.

    The cloth has no say: its stripes stay where they are when a board of pale lines slides over them.

    Raises
    ------
    ValueError
        When the views are not of one field in pictures of one size.
    """
    _check(before, now)
    edges, board = before.edges, before.way.board
    sharp = cv2.bitwise_and((edges > SHARP_LEVELS).astype(np.uint8), board)
    n_sharp = int(np.count_nonzero(sharp))
    if n_sharp < LEAST_SHARP:
        return False
    difference = np.asarray(cv2.cvtColor(cv2.absdiff(before.bgr, now.bgr), cv2.COLOR_BGR2GRAY), np.uint8)
    same = cv2.compare(difference, cv2.convertScaleAbs(edges, alpha=SAME_EDGE), cv2.CMP_LE)
    return int(np.count_nonzero(cv2.bitwise_and(same, sharp))) > SAME_SHARE * n_sharp


def altered(before: View, now: View) -> Altered:
    """Say of every point whether something was laid there or taken away.

    Parameters
    ----------
    before, now : View
        Of the last settled look and of this one; nothing but stones, hands and light has moved.

    Returns
    -------
    Altered

    Raises
    ------
    ValueError
        When the views are not of one field in pictures of one size.
    """
    _check(before, now)
    way = before.way
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
    return Altered(np.where(way.inside, nats, 0.0), other, usual)


def _check(before: View, now: View) -> None:
    if before.way is not now.way and before.bgr.shape != now.bgr.shape:
        raise ValueError(f"views must be of one field and size, got {before.bgr.shape} and {now.bgr.shape}")


def _levels(before: View, now: View) -> NDArray[np.float64]:
    """By how many grey levels each point differs at most, averaged over an eighth of a unit."""
    blue, green, red = cv2.split(cv2.absdiff(before.small, now.small))
    most = np.asarray(cv2.max(cv2.max(blue, green), red)).ravel()
    return np.asarray(most[before.way.near].max(axis=1), np.float64)


def _closely(before: View, now: View, points: NDArray[np.intp], n_close: int) -> NDArray[np.float64]:
    """Nats of the first ``n_close`` of the points; the others are their fellows."""
    way = before.way
    places = way.places_px[points].reshape(-1, SIDE, 2)
    then, here = (log_colours(view.bgr, places) for view in (before, now))
    change = (here - then).reshape(-1, SIDE * SIDE, 3)
    light = np.median((change[n_close:] if len(points) > n_close else change).reshape(-1, 3), axis=0)
    change = _boxed((here - then - light).reshape(-1, SIDE, 3), 3)
    near = NEAR * way.spacing[points, None] >= _APART
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
    cell = np.tile(_APART <= CELL, (len(points), 1))
    fringe = _on_the_rim(_boxed(np.abs(level) + coloured, 9), cell)
    strength = _boxed(np.abs(level) + coloured, 5)
    reached = _most(strength, INNER * way.spacing[points, None] >= _APART)
    fringe |= reached < LEAST_REACHED * _most(strength, cell)
    nats = np.where(fringe, np.minimum(nats, FRINGE_NATS), nats)
    return np.asarray(np.clip(nats[:n_close], -CLIP, CLIP), np.float64)


def _boxed(column: Floats, side: int) -> Floats:
    """Mean over a square; patches lie one under the other, and only their rims see each other."""
    return np.asarray(cv2.blur(column, (side, side)), np.float32)


def _most(column: Floats, near: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The greatest value of every patch near its point."""
    return np.asarray(np.where(near, column.reshape(near.shape), -np.inf).max(axis=1), np.float64)


def _on_the_rim(column: Floats, cell: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the strongest change of each cell goes on to grow outside of it."""
    around = np.asarray(cv2.dilate(column, np.ones((9, 9), np.uint8))).reshape(cell.shape)
    inside = np.where(cell, column.reshape(cell.shape), -np.inf)
    at = inside.argmax(axis=1)
    rows = np.arange(len(cell))
    return np.asarray(around[rows, at] > UPHILL * inside[rows, at], np.bool_)


_MIDDLE = (SIDE - 1) / 2
_ROWS, _COLUMNS = np.indices((SIDE, SIDE))
_APART = (np.hypot(_ROWS - _MIDDLE, _COLUMNS - _MIDDLE) / FINE_PX).ravel()
"""Units from the middle of a patch."""


@lru_cache(maxsize=4)
def _way_to_look(field: Field, width: int, height: int) -> _Way:
    """The way to look at a field that lies still; a field is a value, so what was worked out once stays true."""
    unit = unit_of(field.board)
    axes = tangents(field) * unit
    middles = field.points_px + lean_px(field, (width, height)) * (STONE_MIDDLE * unit)
    grid = (np.arange(SIDE) - _MIDDLE) / FINE_PX
    places = (
        middles[:, None, None]
        + axes[:, None, None, :, 0] * grid[None, None, :, None]
        + axes[:, None, None, :, 1] * grid[None, :, None, None]
    )
    size = np.array((width, height))
    x0, y0 = (int(c) for c in np.clip(places.reshape(-1, 2).min(axis=0), 0, size - 1))
    x1, y1 = (int(c) for c in np.clip(places.reshape(-1, 2).max(axis=0) + 2, (x0 + 1, y0 + 1), size))
    unit_px = float(np.median(np.sqrt(np.abs(np.linalg.det(axes)))))
    scale = min(1.0, COARSE_PX / max(unit_px, 1e-6))
    small = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
    spacing = np.clip(spacings(np.asarray(field.board.xy, np.float64)) / unit, 1.0, WIDEST)
    step = FINE_PX // COARSE_PX
    disc = (_APART.reshape(SIDE, SIDE) <= NEAR)[::step, ::step]
    there = (places[:, ::step, ::step][:, disc] - (x0, y0) + 0.5) * (small[0] / (x1 - x0), small[1] / (y1 - y0))
    column = np.clip(there[..., 0], 0, small[0] - 1).astype(np.intp)
    row = np.clip(there[..., 1], 0, small[1] - 1).astype(np.intp)
    inside = np.asarray(((middles >= 0) & (middles <= (width - 1, height - 1))).all(axis=1))
    shrink = max(1, min(int(unit_px / FINE_PX), x1 - x0, y1 - y0))
    shrunk = ((places - (x0, y0) + 0.5) / shrink - 0.5).astype(np.float32)
    size_small = ((x1 - x0) // shrink, (y1 - y0) // shrink)
    return _Way(
        (x0, y0, x1, y1),
        small,
        row * small[0] + column,
        shrink,
        shrunk,
        spacing,
        inside,
        _board_of(shrunk, size_small),
    )


def _board_of(places_px: Floats, size: tuple[int, int]) -> NDArray[np.uint8]:
    """255 within ``AROUND`` units of the points or between them; shape (height, width)."""
    near = places_px.reshape(-1, SIDE * SIDE, 2)[:, _APART <= AROUND].reshape(-1, 2)
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(near)).astype(np.int32), 255)
    return mask
