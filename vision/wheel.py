"""Three rings of holes: how many holes a ring has, how wide the rings are and how far each is turned.

The picture is unrolled round a middle; a ring of n holes is then a row that repeats n times, and where three rows do,
rings are fitted to the very holes (``ringfit``). Unlike the strokes of other boards nothing here is fixed beforehand:
rings have the widths that their maker gave them, and each disc lies as the last player left it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import cv
from vision.candidates import Candidate
from vision.evidence import Floats as Floats32
from vision.frame import Image
from vision.ringfit import RADII_SIGMA, USUAL_RADII, Rings, first_nats, fit_rings, without_rims
from vision.rounds import votes
from vision.search import SIDE_PX, UNIT_PX, lean, unit_from_patch
from vision.spaces import Floats, apply_homography

HOLES = range(5, 17)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be."""

N_ANGLES = 192
N_RADII = 56
LEAST_RADIUS, MOST_RADIUS = 0.2, 1.38
"""Radii at which rings are sought, in units of the playing area, which may be an inner disc."""

SHRINKS = (-0.32, -0.24, -0.16, -0.08, 0.0, 0.08)
"""Leans that are tried, as in ``search``; the near rim of a disc is the nearer one to the camera."""

SHIFTS = ((0.0, 0.0), (-0.08, 0.0), (0.08, 0.0), (0.0, -0.08), (0.0, 0.08))
"""Places of the middle that are tried, in units: the playing area may be a disc that lies on another."""

UNUSUAL = 2.0
"""Multiple of a ring's own grain at which a place certainly differs from the bare disc."""

HOLD = 0.25
"""Least amplitude of a repetition for which a ring counts; rows without holes reach 0.15."""

BRIDGE = 0.7
"""How much a repetition halfway between two rings counts against them: holes are round, no slots."""

N_GLANCED = 80
"""Planes, numbers of holes and widths of rings that repeat most, of which some of each number are looked at."""

SOFT_PX = 1.5
"""Blur of the votes for holes where it is asked how often they repeat."""

N_SETTLED, N_SETTLED_EACH = 24, 6
"""Those that are drawn to the holes nearby, in all and of each number of holes."""

POINTLESS = 20.0
"""Nats after that under which rings are not fitted."""

N_TRIED, N_TRIED_EACH = 6, 3
"""Those in which rings are fitted."""

HOPELESS = 25.0
"""Nats after a first fit under which there is no second one; rings that are none reach 20 to 40."""

IN_LINE, BEING_TURNED = 6.0, 0.05
"""How closely the holes of discs at rest are in line (concentration of their angles), and how often they are not."""

CERTAIN = 70.0
"""Worth from which nobody looks on."""

LEAST_GAP = 0.15
"""Least difference of the radii of two rings, outer ring 1; closer than that, both lie on the same holes."""

SPOT_RADII_PX = (4.0, 6.0, 9.0, 12.5)
"""Radii of holes that are looked for where the turn of a ring is guessed."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """Three rings of holes in a picture.

    Attributes
    ----------
    n_holes : int
    rings : Rings
        Where they lie, image space.
    worth : float
        Nats for rings of holes against strewn ones, less what unusual widths cost.
    """

    n_holes: int
    rings: Rings
    worth: float

    @property
    def holes_px(self) -> Floats:
        """Image space, outermost ring first, (3, n_holes, 2)."""
        return self.rings.holes_px

    @property
    def phases_rad(self) -> Floats:
        """The angle of the first hole of each ring clockwise from the top, in the wheel's plane, (3,)."""
        return self.rings.phases_rad


def wheels_in(bgr: Image, area: Candidate, most: int = 2, holes: Sequence[int] = HOLES) -> list[Wheel]:
    """Wheels in one playing area, with one of these numbers of holes a ring, best first; none where nothing repeats."""
    image_from_patch = area.image_from_unit @ unit_from_patch()
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    cast = without_rims(votes(patch, SPOT_RADII_PX)).max(0)
    level = max(0.5 * float(np.percentile(cast, 98)), 1e-3)
    spots = np.minimum(cv2.GaussianBlur(cast, (0, 0), SOFT_PX) * np.float32(1 / level), 1)
    layers = np.dstack([cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32), spots])
    maps, planes = _unrolling()
    amplitude = _amplitudes(layers, maps, holes)
    found = []
    for k, n in enumerate(holes):
        found += [(total, n, p, rows) for total, p, rows in _best_rows(amplitude[k], n)]
    found = sorted((item for item in found if item[0] > 0), key=lambda item: -item[0])
    starts = _few_of_each(
        [_start(cast, planes[p], rows, n) for _, n, p, rows in found[:N_GLANCED]], N_SETTLED, N_SETTLED_EACH
    )
    first = [settled for start in starts if (settled := _settled(layers, cast, start)).odds > POINTLESS]
    first.sort(key=lambda start: -start.odds)
    wheels: list[Wheel] = []
    for start in _few_of_each(first, N_TRIED, N_TRIED_EACH):
        wheels += _fitted(bgr, image_from_patch, start)
        if wheels and wheels[-1].worth > CERTAIN:
            break
    wheels.sort(key=lambda w: -w.worth)
    return wheels[:most]


def _best_rows(amplitude: Floats, n: int) -> list[tuple[float, int, NDArray[np.intp]]]:
    """The three rows of each plane that look most like rings of n holes: how much, the plane, and the rows.

    ``amplitude`` has shape (n_planes, N_RADII); planes in which there cannot be any are left out.
    """
    triples, cost = _triples()
    halfway = (triples[:, 1:] + triples[:, :-1]) // 2
    score = n * (amplitude - HOLD)
    worth = np.flatnonzero(np.sort(score, axis=1)[:, -3:].sum(1) > 0)
    total = score[worth][:, triples].sum(2) - BRIDGE * np.maximum(score[worth], 0)[:, halfway].sum(2) - cost
    return [(float(total[p, i]), int(worth[p]), triples[i]) for p, i in enumerate(total.argmax(1))]


@dataclass(frozen=True, eq=False)
class _Start:
    """Where three rings of n holes may lie in a patch, and nats for it."""

    n: int
    patch_from_plane: Floats
    radii: Floats
    phases_rad: Floats
    odds: float


def _few_of_each(starts: Sequence[_Start], most: int, most_each: int) -> list[_Start]:
    """The first of each number of holes, in the order given."""
    out: list[_Start] = []
    for start in starts:
        if len(out) < most and sum(other.n == start.n for other in out) < most_each:
            out.append(start)
    return out


def _start(cast: Floats32, patch_from_plane: Floats, rows: NDArray[np.intp], n: int) -> _Start:
    radii = _radius_of(rows)
    return _Start(n, patch_from_plane, radii, _phases(cast, patch_from_plane, radii, n), 0.0)


def _settled(layers: Floats32, cast: Floats32, start: _Start) -> _Start:
    """A start drawn to the votes nearby, unrolled once more from there, and drawn to them again."""
    n = start.n
    for look in range(2):
        odds, plane, rings = first_nats(cast[None], start.patch_from_plane, start.radii, start.phases_rad, n)
        if look == 0:
            circles = apply_homography(plane, _circles()).astype(np.float32)[None]
            again = _best_rows(_amplitudes(layers, circles, [n])[0], n)
            start = _start(cast, plane, again[0][2], n) if again else start
    if np.diff(rings.radii).max() > -LEAST_GAP:
        odds = -np.inf  # two rings on the same holes
    return _Start(n, plane, rings.radii, rings.phases_rad, odds - float(_unusual(rings.radii)))


def _fitted(bgr: Image, image_from_patch: Floats, start: _Start) -> list[Wheel]:
    """The wheel near rough rings, fitted twice so that the second fit starts close; none where rings fall together."""
    n, radii, phases = start.n, start.radii, start.phases_rad
    h = image_from_patch @ start.patch_from_plane
    rings = None
    for _ in range(2):
        rings = fit_rings(bgr, h, radii, phases, n)
        if np.diff(rings.radii).max() > -LEAST_GAP or rings.radii[2] < LEAST_RADIUS:
            return []
        h, radii, phases = rings.image_from_wheel, rings.radii, rings.phases_rad
        if rings.nats < HOPELESS:
            return []
    assert rings is not None
    return [Wheel(n, rings, rings.nats - float(_unusual(rings.radii)) + _in_line(n, rings.phases_rad))]


def _in_line(n: int, phases_rad: Floats) -> float:
    """Nats for discs that rest with their holes in line (von Mises against any turn); a disc being turned is rare."""
    apart = n * np.diff(phases_rad)
    peak = np.sqrt(2 * np.pi * IN_LINE) * np.exp(IN_LINE * (np.cos(apart) - 1))
    return float(np.log(BEING_TURNED + (1 - BEING_TURNED) * peak).sum())


def _amplitudes(layers: Floats32, maps: Floats32, holes: Sequence[int]) -> Floats:
    """How strongly each unrolled row repeats so many times, about 1 for clear holes.

    A row is seen in five ways: L, a, b (holes darker than the disc), the size of the difference from the bare disc
    (drawn rings, and stones of any colour in the holes), and votes for middles of holes.

    Parameters
    ----------
    layers : float32 array of shape (H, W, 4)
        Lab, and votes from 0 to 1.
    maps : float32 array of shape (n_planes, N_RADII, N_ANGLES, 2)

    Returns
    -------
    float64 array of shape (len(holes), n_planes, N_RADII)
    """
    at = maps.reshape(-1, N_ANGLES, 2)
    rows = np.asarray(cv2.remap(layers, at[..., 0], at[..., 1], cv2.INTER_LINEAR), dtype=np.float32)
    signals = np.concatenate([_signals(rows[..., :3]), 2 * rows[..., 3:]], axis=-1)
    power = (np.abs(np.fft.rfft(signals, axis=1)) * (2 / N_ANGLES)) ** 2
    whole = power[:, 1:].sum(1) + 1e-3
    out = []
    for n in holes:
        two = power[:, n] + power[:, 2 * n]
        # What does not repeat n times (the rim of a disc that crosses the row, grain) speaks against it.
        share = power[:, n::n].sum(1) / whole
        out.append(np.sqrt(two * share).max(-1))
    return np.asarray(out, dtype=np.float64).reshape(len(holes), *maps.shape[:2])


def _signals(rows: Floats32) -> Floats32:
    """L, a and b against the bare disc, and the size of the difference, in grains; (n_rows, N_ANGLES, 4)."""
    bare = np.median(rows, axis=1, keepdims=True)
    differs = rows - bare
    grain = np.median(np.abs(rows - np.roll(rows, 3, axis=1)), axis=1, keepdims=True)
    differs /= UNUSUAL * (grain + np.array([2.0, 1.0, 1.0], np.float32))
    size = 2 * np.minimum(np.abs(differs).max(-1), 1)[..., None]
    size = sum(np.roll(size, k, axis=1) for k in range(-2, 3)) / np.float32(3)  # an outline fills its hole
    return np.concatenate([np.clip(differs, -1, 1), size], axis=-1)


@cache
def _circles() -> Floats:
    """Places of unrolled rows in the wheel's plane, (N_RADII, N_ANGLES, 2)."""
    angle = np.arange(N_ANGLES) * 2 * np.pi / N_ANGLES
    radius = np.linspace(LEAST_RADIUS, MOST_RADIUS, N_RADII)
    return np.asarray(radius[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1))


@cache
def _unrolling() -> tuple[Floats32, Floats]:
    """Look-up maps (n_planes, N_RADII, N_ANGLES, 2) and patch_from_plane (n_planes, 3, 3)."""
    patch_from_unit = np.array([[UNIT_PX, 0, (SIDE_PX - 1) / 2], [0, UNIT_PX, (SIDE_PX - 1) / 2], [0, 0, 1]])
    planes = []
    for shrink in SHRINKS:
        for x, y in SHIFTS:
            planes.append(patch_from_unit @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) @ lean(shrink))
    maps = np.stack([apply_homography(h, _circles()) for h in planes]).astype(np.float32)
    return maps, np.array(planes)


def _radius_of(row: NDArray[np.intp]) -> Floats:
    radii: Floats = (LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) / (N_RADII - 1) * row).astype(np.float64)
    return radii


def _unusual(radii: Floats) -> Floats:
    """What it costs, in holes, that rings are unlike the usual drawing; outermost first."""
    _, middle, inner = radii / radii[0]
    off = [
        (radius - usual) / sigma for radius, usual, sigma in zip((middle, inner), USUAL_RADII, RADII_SIGMA, strict=True)
    ]
    cost: Floats = 0.5 * (off[0] ** 2 + off[1] ** 2)
    return cost


@cache
def _triples() -> tuple[NDArray[np.intp], Floats]:
    """Rows of three rings, outermost first, that could belong together, and what their radii cost."""
    row = np.arange(N_RADII)
    outer, middle, inner = (g.ravel() for g in np.meshgrid(row, row, row, indexing="ij"))
    radius = _radius_of(row)
    cost = _unusual(np.stack([radius[outer], radius[middle], radius[inner]]))
    likely = (cost < 15) & (outer > middle) & (middle > inner) & (radius[outer] > 0.6)
    return np.column_stack([outer, middle, inner])[likely], cost[likely]


def _phases(cast: Floats32, patch_from_plane: Floats, radii: Floats, n: int) -> Floats:
    """The angle of the first hole of each ring: where the votes for holes repeat n times."""
    angle = np.arange(N_ANGLES) * 2 * np.pi / N_ANGLES
    circle = np.stack([np.sin(angle), -np.cos(angle)], -1)
    near = radii[:, None] + np.array([-0.04, 0.0, 0.04])
    at = apply_homography(patch_from_plane, near[..., None, None] * circle).reshape(-1, N_ANGLES, 2)
    at = at.astype(np.float32)
    seen = cv2.remap(cast, at[..., 0], at[..., 1], cv2.INTER_LINEAR).reshape(3, 3, N_ANGLES).max(1)
    wave = np.fft.rfft(seen, axis=1)[:, n]
    out: Floats = (-np.angle(wave) / n).astype(np.float64)
    return out
