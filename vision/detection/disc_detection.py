"""Three rings of holes: how many holes a ring has, how wide the rings are and how far each is turned.

What looks like a hole (``heat``) is unrolled round a middle; a ring of n holes is then a row that is warm n times and
cold between, and where three rows are, rings are fitted to the very holes (``ringfit``). Unlike the strokes of other
boards nothing here is fixed beforehand: rings have the widths that their maker gave them, and each disc lies as the
last player left it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.disc_fit import RADII_SIGMA, USUAL_RADII, Rings, Wheel3, first_nats, fit_rings
from vision.detection.hole_heatmap import SIDE, hole_heat
from vision.detection.line_filter import Floats as Floats32
from vision.detection.playing_areas import Candidate
from vision.detection.template_search import SIDE_PX, UNIT_PX, lean, unit_from_patch
from vision.imaging import cv
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography

HOLES = range(5, 17)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be."""

FEW_HOLES = 16
"""Holes a ring up to which they are large and far apart enough for heat of ``heat.SIDE`` samples a side; where
there are more and nothing is found it is looked at twice as finely. A dotted cloth is full of holes then."""

N_ANGLES = 192
N_RADII = 56
LEAST_RADIUS, MOST_RADIUS = 0.2, 1.38
"""Radii at which rings are sought, in units of the playing area, which may be an inner disc."""

LEAST_OUTER = 0.6
"""Least radius of the outermost ring there."""

SHRINKS = (-0.32, -0.24, -0.16, -0.08, 0.0, 0.08)
"""Leans that are tried, as in ``search``; the near rim of a disc is the nearer one to the camera."""

SHIFTS = ((0.0, 0.0), (-0.08, 0.0), (0.08, 0.0), (0.0, -0.08), (0.0, 0.08))
"""Places of the middle that are tried, in units: the playing area may be a disc that lies on another."""

SOFT_PX = 2.0
"""Blur of the heat where it is unrolled: planes are tried in coarse steps."""

WARM, COLD = 0.22, 0.12
"""Heat of a hole above which it speaks for a ring, and of the ground between two above which that speaks against it."""

UNUSUAL = 1 / 3
"""What a nat of unusual widths costs there, in holes."""

TURNED_APART = 1.5
"""What it costs, in holes, that a disc does not rest in line with the outermost one."""

N_STARTS, N_STARTS_EACH = 24, 6
"""Those that are drawn to the warm places nearby, in all and of each number of holes."""

N_TRIED, N_TRIED_EACH = 4, 2
"""Those in which rings are fitted."""

POINTLESS = 20.0
"""Nats after that under which rings are not fitted."""

HOPELESS = 25.0
"""Nats after a first fit under which there is no second one; rings that are none reach 20 to 40."""

IN_LINE, BEING_TURNED = 6.0, 0.05
"""How closely the holes of discs at rest are in line (concentration of their angles), and how often they are not."""

CERTAIN = 70.0
"""Worth from which nobody looks on."""

LEAST_GAP = 0.15
"""Least difference of the radii of two rings, outer ring 1; closer than that, both lie on the same holes."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """Three rings of holes in a picture.

    Attributes
    ----------
    n_holes : int
    rings : Rings
        Where they lie, image space.
    worth : float
        Nats for rings of holes against strewn ones, by their rims, less what unusual widths cost.
    warm : float
        The same by what looks like a hole.
    on, between : float
        Mean heat of the holes, and halfway between neighbours on a ring.
    """

    n_holes: int
    rings: Rings
    worth: float
    warm: float
    on: float
    between: float

    @property
    def holes_px(self) -> Floats:
        """Image space, outermost ring first, (3, n_holes, 2)."""
        return self.rings.holes_px

    @property
    def evidence(self) -> float:
        """Nats by which wheels are compared: by their rims and by what looks like holes."""
        return self.worth + self.warm

    @property
    def phases_rad(self) -> Floats:
        """The angle of the first hole of each ring clockwise from the top, in the wheel's plane, (3,)."""
        return self.rings.phases_rad


def wheels_in(bgr: Image, area: Candidate, most: int = 2, holes: Sequence[int] = HOLES, finer: int = 1) -> list[Wheel]:
    """Wheels in one playing area, best first, with one of these numbers of holes a ring; none where nothing repeats.

    Holes are looked for ``finer`` times as finely as usual.
    """
    image_from_patch = area.image_from_unit @ unit_from_patch()
    heat = hole_heat(cv.warp(bgr, image_from_patch, SIDE_PX), finer * SIDE)
    soft = np.asarray(cv2.GaussianBlur(heat, (0, 0), SOFT_PX / finer), dtype=np.float32)
    settled = [start for rough in _starts(soft, holes) if (start := _settled(heat, rough)).odds > POINTLESS]
    settled.sort(key=lambda start: -start.odds)
    wheels: list[Wheel] = []
    for start in _few_of_each(settled, N_TRIED, N_TRIED_EACH):
        wheels += _fitted(bgr, image_from_patch, soft, start)
        if wheels and wheels[-1].worth > CERTAIN:
            break
    if wheels and wheels[-1].worth <= CERTAIN:
        wheels += _further_in(bgr, image_from_patch, heat, soft, max(wheels, key=lambda w: w.evidence))
    wheels.sort(key=lambda w: -w.evidence)
    return wheels[:most]


@dataclass(frozen=True, eq=False)
class _Start:
    """Where three rings of n holes may lie in a patch, and what speaks for it."""

    n: int
    patch_from_plane: Floats
    rings: Wheel3
    odds: float


def _starts(soft: Floats32, holes: Sequence[int]) -> list[_Start]:
    """Where three rows of the same plane are warm n times, most likely first."""
    maps, planes = _unrolling()
    at = maps.reshape(-1, N_ANGLES, 2)
    rows = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR).reshape(len(planes), N_RADII, N_ANGLES)
    found = [item for n in holes for item in _rows_of(np.asarray(rows, dtype=np.float32), n)]
    found.sort(key=lambda item: -item[0])
    few: list[_Start] = []
    taken: set[tuple[int, int, int]] = set()
    for odds, n, plane, triple, steps in found:
        # The next row in the same plane is the same ring.
        if any((n, plane, triple[0] + k) in taken for k in (-2, -1, 0, 1, 2)):
            continue
        if len(few) == N_STARTS or sum(start.n == n for start in few) == N_STARTS_EACH:
            continue
        taken.add((n, plane, triple[0]))
        rings = Wheel3(_radius_of(np.array(triple)), np.zeros((3, 2)), np.array(steps) * (2 * np.pi / N_ANGLES))
        few.append(_Start(n, planes[plane], rings, odds))
    return few


Triple = tuple[int, int, int]


def _rows_of(rows: Floats32, n: int) -> Iterator[tuple[float, int, int, Triple, Triple]]:
    """For each plane and outermost row that could be one of n holes: odds, n, plane, the three rows and their turns."""
    fold = _fold(n)
    on = rows[:, :, fold].mean(-1)
    between = np.roll(on, len(fold) // 2, axis=2)
    score = n * (on - WARM - np.maximum(between - COLD, 0))  # (planes, radii, turns)
    best = score.max(2, keepdims=True)
    # Discs at rest are in line with the outermost one, give or take a step of the unrolling.
    in_line = np.maximum(score, np.maximum(np.roll(score, 1, 2), np.roll(score, -1, 2)))
    follows = np.maximum(in_line, best - TURNED_APART)
    for outer, inner_rows in _inner_rows():
        shares = [(follows[:, row] - cost[:, None], row) for row, cost in inner_rows]
        total = score[:, outer] + sum(share.max(1) for share, _ in shares)
        turn = total.argmax(1)
        for plane in np.flatnonzero(total.max(1) > 0):
            k = int(turn[plane])
            within = [int(row[share[plane, :, k].argmax()]) for share, row in shares]
            turns = [
                k if in_line[plane, r, k] >= best[plane, r, 0] - TURNED_APART else int(score[plane, r].argmax())
                for r in within
            ]
            odds = float(total[plane, k])
            yield odds, n, int(plane), (outer, within[0], within[1]), (k, turns[0], turns[1])


def _few_of_each(starts: Sequence[_Start], most: int, most_each: int) -> list[_Start]:
    """The first of each number of holes, in the order given."""
    out: list[_Start] = []
    for start in starts:
        if len(out) < most and sum(other.n == start.n for other in out) < most_each:
            out.append(start)
    return out


def _settled(heat: Floats32, start: _Start) -> _Start:
    """A start drawn to the warm places nearby, twice; its odds are nats for rings against strewn places."""
    n, plane, rings, odds = start.n, start.patch_from_plane, start.rings, -np.inf
    for _ in range(2):
        odds, plane, rings = first_nats(heat[None], plane, rings.radii, rings.phases_rad, n)
        if np.diff(rings.radii).max() > -LEAST_GAP:
            return _Start(n, plane, rings, -np.inf)  # two rings on the same holes
    return _Start(n, plane, rings, odds - float(_unusual(rings.radii)) + _in_line(n, rings.phases_rad))


def _fitted(bgr: Image, image_from_patch: Floats, soft: Floats32, start: _Start) -> list[Wheel]:
    """The wheel near rough rings, fitted twice so that the second fit starts close; none where rings fall together."""
    n, radii, phases = start.n, start.rings.radii, start.rings.phases_rad
    h = image_from_patch @ start.patch_from_plane
    rings = None
    for _ in range(2):
        rings = fit_rings(bgr, h, radii, phases, n, (soft, image_from_patch))
        if np.diff(rings.radii).max() > -LEAST_GAP or rings.radii[2] < LEAST_RADIUS:
            return []
        h, radii, phases = rings.image_from_wheel, rings.radii, rings.phases_rad
        if rings.nats < HOPELESS:
            return []
    assert rings is not None
    on, between = (
        float(_at(soft, apply_homography(start.patch_from_plane, start.rings.places(n, later))).mean())
        for later in (0.0, 0.5)
    )
    worth = rings.nats - float(_unusual(rings.radii)) + _in_line(n, rings.phases_rad)
    return [Wheel(n, rings, worth, start.odds, on, between)]


def _further_in(bgr: Image, image_from_patch: Floats, heat: Floats32, soft: Floats32, wheel: Wheel) -> list[Wheel]:
    """The wheel whose outer rings are the inner ones of this: a dotted cloth or stones around it passed for a ring."""
    _, outer, middle = wheel.rings.radii
    radii, phases = np.array([outer, middle, 2 * middle - outer]), wheel.phases_rad[[1, 2, 2]]
    plane = np.linalg.inv(image_from_patch) @ wheel.rings.image_from_wheel
    start = _settled(heat, _Start(wheel.n_holes, plane, Wheel3(radii, np.zeros((3, 2)), phases), 0.0))
    return _fitted(bgr, image_from_patch, soft, start) if start.odds > POINTLESS else []


def _at(soft: Floats32, places: Floats) -> Floats32:
    at = places.astype(np.float32)
    return np.asarray(cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR), dtype=np.float32)


def _in_line(n: int, phases_rad: Floats) -> float:
    """Nats for discs that rest with their holes in line (von Mises against any turn); a disc being turned is rare."""
    apart = n * np.diff(phases_rad)
    peak = np.sqrt(2 * np.pi * IN_LINE) * np.exp(IN_LINE * (np.cos(apart) - 1))
    return float(np.log(BEING_TURNED + (1 - BEING_TURNED) * peak).sum())


@cache
def _fold(n: int) -> NDArray[np.intp]:
    """Samples of a row that are a step of n apart, for each turn up to a step, (n_turns, n)."""
    turns = np.arange(int(np.ceil(N_ANGLES / n)))
    return np.rint(turns[:, None] + np.arange(n) * (N_ANGLES / n)).astype(np.intp) % N_ANGLES


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
    """Nats against rings that are unlike the usual drawing; outermost first."""
    off = (radii[1:].T / radii[0] - USUAL_RADII) / RADII_SIGMA
    cost: Floats = 0.5 * (off**2).sum(-1)
    return cost


@cache
def _inner_rows() -> list[tuple[int, list[tuple[NDArray[np.intp], Floats32]]]]:
    """For each row of an outermost ring the rows of a middle and of an inner one that could belong to it, and costs."""
    row = np.arange(N_RADII)
    radius = _radius_of(row)
    out = []
    for outer in row[radius > LEAST_OUTER]:
        pair = []
        for usual, sigma in zip(USUAL_RADII, RADII_SIGMA, strict=True):
            cost = UNUSUAL * 0.5 * ((radius / radius[outer] - usual) / sigma) ** 2
            pair.append((row[cost < 2], cost[cost < 2].astype(np.float32)))
        if all(len(rows) for rows, _ in pair):
            out.append((int(outer), pair))
    return out
