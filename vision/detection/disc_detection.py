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

from vision.detection.disc_fit import RADII_SIGMA, TYPICAL_RADII, FittedRings, RingGeometry, fit_rings_to_heatmap, fit_rings
from vision.detection.hole_heatmap import HEATMAP_SIDE, hole_heatmap
from vision.detection.playing_areas import PlayingArea
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, BOARD_PATCH_UNIT_PX, tilt_homography, unit_from_patch
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography

DEFAULT_HOLE_COUNTS = range(5, 17)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be."""

FEW_HOLES = 16
"""Holes a ring up to which they are large and far apart enough for heat of ``heat.SIDE`` samples a side; where
there are more and nothing is found it is looked at twice as finely. A dotted cloth is full of holes then."""

N_POLAR_ANGLES = 192
N_POLAR_RADII = 56
MIN_RING_RADIUS, MAX_RING_RADIUS = 0.2, 1.38
"""Radii at which rings are sought, in units of the playing area, which may be an inner disc."""

MIN_OUTER_RADIUS = 0.6
"""Least radius of the outermost ring there."""

DISC_TILTS = (-0.32, -0.24, -0.16, -0.08, 0.0, 0.08)
"""Leans that are tried, as in ``search``; the near rim of a disc is the nearer one to the camera."""

DISC_SHIFTS = ((0.0, 0.0), (-0.08, 0.0), (0.08, 0.0), (0.0, -0.08), (0.0, 0.08))
"""Places of the middle that are tried, in units: the playing area may be a disc that lies on another."""

HEATMAP_BLUR_PX = 2.0
"""Blur of the heat where it is unrolled: planes are tried in coarse steps."""

MIN_HOLE_HEAT, MAX_GROUND_HEAT = 0.22, 0.12
"""Heat of a hole above which it speaks for a ring, and of the ground between two above which that speaks against it."""

HEAT_PER_NAT = 1 / 3
"""What a nat of unusual widths costs there, in holes."""

MISALIGNED_HEAT = 1.5
"""What it costs, in holes, that a disc does not rest in line with the outermost one."""

N_RINGS_SETTLED, N_RINGS_SETTLED_PER_COUNT = 24, 6
"""Those that are drawn to the warm places nearby, in all and of each number of holes."""

N_RINGS_FITTED, N_RINGS_FITTED_PER_COUNT = 4, 2
"""Those in which rings are fitted."""

MIN_HEATMAP_NATS = 20.0
"""Nats after that under which rings are not fitted."""

MIN_RIM_NATS = 25.0
"""Nats after a first fit under which there is no second one; rings that are none reach 20 to 40."""

ALIGNED_CONCENTRATION, P_BEING_TURNED = 6.0, 0.05
"""How closely the holes of discs at rest are in line (concentration of their angles), and how often they are not."""

CERTAIN_RIM_NATS = 70.0
"""Worth from which nobody looks on."""

MIN_RING_GAP = 0.15
"""Least difference of the radii of two rings, outer ring 1; closer than that, both lie on the same holes."""


@dataclass(frozen=True, eq=False)
class DetectedDiscs:
    """Three rings of holes in a picture.

    Attributes
    ----------
    n_holes : int
    rings : Rings
        Where they lie, image space.
    rim_nats : float
        Nats for rings of holes against strewn ones, by their rims, less what unusual widths cost.
    heatmap_nats : float
        The same by what looks like a hole.
    heat_on_holes, heat_between_holes : float
        Mean heat of the holes, and halfway between neighbours on a ring.
    """

    n_holes: int
    rings: FittedRings
    rim_nats: float
    heatmap_nats: float
    heat_on_holes: float
    heat_between_holes: float

    @property
    def holes_px(self) -> Float64Array:
        """Image space, outermost ring first, (3, n_holes, 2)."""
        return self.rings.holes_px

    @property
    def total_nats(self) -> float:
        """Nats by which wheels are compared: by their rims and by what looks like holes."""
        return self.rim_nats + self.heatmap_nats

    @property
    def phases_rad(self) -> Float64Array:
        """The angle of the first hole of each ring clockwise from the top, in the wheel's plane, (3,)."""
        return self.rings.phases_rad


def detect_discs(bgr: Image, area: PlayingArea, most: int = 2, holes: Sequence[int] = DEFAULT_HOLE_COUNTS, finer: int = 1) -> list[DetectedDiscs]:
    """Wheels in one playing area, best first, with one of these numbers of holes a ring; none where nothing repeats.

    Holes are looked for ``finer`` times as finely as usual.
    """
    image_from_patch = area.image_from_unit @ unit_from_patch()
    heat = hole_heatmap(cv.warp_square(bgr, image_from_patch, BOARD_PATCH_SIDE_PX), finer * HEATMAP_SIDE)
    soft = np.asarray(cv2.GaussianBlur(heat, (0, 0), HEATMAP_BLUR_PX / finer), dtype=np.float32)
    settled = [start for rough in _polar_hypotheses(soft, holes) if (start := _settle_on_heatmap(heat, rough)).odds > MIN_HEATMAP_NATS]
    settled.sort(key=lambda start: -start.odds)
    wheels: list[DetectedDiscs] = []
    for start in _limit_per_count(settled, N_RINGS_FITTED, N_RINGS_FITTED_PER_COUNT):
        wheels += _fit_to_image(bgr, image_from_patch, soft, start)
        if wheels and wheels[-1].rim_nats > CERTAIN_RIM_NATS:
            break
    if wheels and wheels[-1].rim_nats <= CERTAIN_RIM_NATS:
        wheels += _shift_inwards(bgr, image_from_patch, heat, soft, max(wheels, key=lambda w: w.total_nats))
    wheels.sort(key=lambda w: -w.total_nats)
    return wheels[:most]


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    """Where three rings of n holes may lie in a patch, and what speaks for it."""

    n: int
    patch_from_plane: Float64Array
    rings: RingGeometry
    odds: float


def _polar_hypotheses(soft: Float32Array, holes: Sequence[int]) -> list[_Hypothesis]:
    """Where three rows of the same plane are warm n times, most likely first."""
    maps, planes = _polar_maps()
    at = maps.reshape(-1, N_POLAR_ANGLES, 2)
    rows = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR).reshape(len(planes), N_POLAR_RADII, N_POLAR_ANGLES)
    found = [item for n in holes for item in _ring_triples(np.asarray(rows, dtype=np.float32), n)]
    found.sort(key=lambda item: -item[0])
    few: list[_Hypothesis] = []
    taken: set[tuple[int, int, int]] = set()
    for odds, n, plane, triple, steps in found:
        # The next row in the same plane is the same ring.
        if any((n, plane, triple[0] + k) in taken for k in (-2, -1, 0, 1, 2)):
            continue
        if len(few) == N_RINGS_SETTLED or sum(start.n == n for start in few) == N_RINGS_SETTLED_PER_COUNT:
            continue
        taken.add((n, plane, triple[0]))
        rings = RingGeometry(_radius_of_row(np.array(triple)), np.zeros((3, 2)), np.array(steps) * (2 * np.pi / N_POLAR_ANGLES))
        few.append(_Hypothesis(n, planes[plane], rings, odds))
    return few


RowTriple = tuple[int, int, int]


def _ring_triples(rows: Float32Array, n: int) -> Iterator[tuple[float, int, int, RowTriple, RowTriple]]:
    """For each plane and outermost row that could be one of n holes: odds, n, plane, the three rows and their turns."""
    fold = _hole_angle_indices(n)
    on = rows[:, :, fold].mean(-1)
    between = np.roll(on, len(fold) // 2, axis=2)
    score = n * (on - MIN_HOLE_HEAT - np.maximum(between - MAX_GROUND_HEAT, 0))  # (planes, radii, turns)
    best = score.max(2, keepdims=True)
    # Discs at rest are in line with the outermost one, give or take a step of the unrolling.
    in_line = np.maximum(score, np.maximum(np.roll(score, 1, 2), np.roll(score, -1, 2)))
    follows = np.maximum(in_line, best - MISALIGNED_HEAT)
    for outer, inner_rows in _inner_rows():
        shares = [(follows[:, row] - cost[:, None], row) for row, cost in inner_rows]
        total = score[:, outer] + sum(share.max(1) for share, _ in shares)
        turn = total.argmax(1)
        for plane in np.flatnonzero(total.max(1) > 0):
            k = int(turn[plane])
            within = [int(row[share[plane, :, k].argmax()]) for share, row in shares]
            turns = [
                k if in_line[plane, r, k] >= best[plane, r, 0] - MISALIGNED_HEAT else int(score[plane, r].argmax())
                for r in within
            ]
            odds = float(total[plane, k])
            yield odds, n, int(plane), (outer, within[0], within[1]), (k, turns[0], turns[1])


def _limit_per_count(starts: Sequence[_Hypothesis], most: int, most_each: int) -> list[_Hypothesis]:
    """The first of each number of holes, in the order given."""
    out: list[_Hypothesis] = []
    for start in starts:
        if len(out) < most and sum(other.n == start.n for other in out) < most_each:
            out.append(start)
    return out


def _settle_on_heatmap(heat: Float32Array, start: _Hypothesis) -> _Hypothesis:
    """A start drawn to the warm places nearby, twice; its odds are nats for rings against strewn places."""
    n, plane, rings, odds = start.n, start.patch_from_plane, start.rings, -np.inf
    for _ in range(2):
        odds, plane, rings = fit_rings_to_heatmap(heat[None], plane, rings.radii, rings.phases_rad, n)
        if np.diff(rings.radii).max() > -MIN_RING_GAP:
            return _Hypothesis(n, plane, rings, -np.inf)  # two rings on the same holes
    return _Hypothesis(n, plane, rings, odds - float(_atypical_radii_nats(rings.radii)) + _alignment_nats(n, rings.phases_rad))


def _fit_to_image(bgr: Image, image_from_patch: Float64Array, soft: Float32Array, start: _Hypothesis) -> list[DetectedDiscs]:
    """The wheel near rough rings, fitted twice so that the second fit starts close; none where rings fall together."""
    n, radii, phases = start.n, start.rings.radii, start.rings.phases_rad
    h = image_from_patch @ start.patch_from_plane
    rings = None
    for _ in range(2):
        rings = fit_rings(bgr, h, radii, phases, n, (soft, image_from_patch))
        if np.diff(rings.radii).max() > -MIN_RING_GAP or rings.radii[2] < MIN_RING_RADIUS:
            return []
        h, radii, phases = rings.image_from_wheel, rings.radii, rings.phases_rad
        if rings.nats < MIN_RIM_NATS:
            return []
    assert rings is not None
    on, between = (
        float(_sample(soft, apply_homography(start.patch_from_plane, start.rings.places(n, later))).mean())
        for later in (0.0, 0.5)
    )
    worth = rings.nats - float(_atypical_radii_nats(rings.radii)) + _alignment_nats(n, rings.phases_rad)
    return [DetectedDiscs(n, rings, worth, start.odds, on, between)]


def _shift_inwards(
    bgr: Image, image_from_patch: Float64Array, heat: Float32Array, soft: Float32Array, wheel: DetectedDiscs
) -> list[DetectedDiscs]:
    """The wheel whose outer rings are the inner ones of this: a dotted cloth or stones around it passed for a ring."""
    _, outer, middle = wheel.rings.radii
    radii, phases = np.array([outer, middle, 2 * middle - outer]), wheel.phases_rad[[1, 2, 2]]
    plane = np.linalg.inv(image_from_patch) @ wheel.rings.image_from_wheel
    start = _settle_on_heatmap(heat, _Hypothesis(wheel.n_holes, plane, RingGeometry(radii, np.zeros((3, 2)), phases), 0.0))
    return _fit_to_image(bgr, image_from_patch, soft, start) if start.odds > MIN_HEATMAP_NATS else []


def _sample(soft: Float32Array, places: Float64Array) -> Float32Array:
    at = places.astype(np.float32)
    return np.asarray(cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR), dtype=np.float32)


def _alignment_nats(n: int, phases_rad: Float64Array) -> float:
    """Nats for discs that rest with their holes in line (von Mises against any turn); a disc being turned is rare."""
    apart = n * np.diff(phases_rad)
    peak = np.sqrt(2 * np.pi * ALIGNED_CONCENTRATION) * np.exp(ALIGNED_CONCENTRATION * (np.cos(apart) - 1))
    return float(np.log(P_BEING_TURNED + (1 - P_BEING_TURNED) * peak).sum())


@cache
def _hole_angle_indices(n: int) -> NDArray[np.intp]:
    """Samples of a row that are a step of n apart, for each turn up to a step, (n_turns, n)."""
    turns = np.arange(int(np.ceil(N_POLAR_ANGLES / n)))
    return np.rint(turns[:, None] + np.arange(n) * (N_POLAR_ANGLES / n)).astype(np.intp) % N_POLAR_ANGLES


@cache
def _polar_grid() -> Float64Array:
    """Places of unrolled rows in the wheel's plane, (N_RADII, N_ANGLES, 2)."""
    angle = np.arange(N_POLAR_ANGLES) * 2 * np.pi / N_POLAR_ANGLES
    radius = np.linspace(MIN_RING_RADIUS, MAX_RING_RADIUS, N_POLAR_RADII)
    return np.asarray(radius[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1))


@cache
def _polar_maps() -> tuple[Float32Array, Float64Array]:
    """Look-up maps (n_planes, N_RADII, N_ANGLES, 2) and patch_from_plane (n_planes, 3, 3)."""
    patch_from_unit = np.array(
        [
            [BOARD_PATCH_UNIT_PX, 0, (BOARD_PATCH_SIDE_PX - 1) / 2],
            [0, BOARD_PATCH_UNIT_PX, (BOARD_PATCH_SIDE_PX - 1) / 2],
            [0, 0, 1],
        ]
    )
    planes = []
    for shrink in DISC_TILTS:
        for x, y in DISC_SHIFTS:
            planes.append(patch_from_unit @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) @ tilt_homography(shrink))
    maps = np.stack([apply_homography(h, _polar_grid()) for h in planes]).astype(np.float32)
    return maps, np.array(planes)


def _radius_of_row(row: NDArray[np.intp]) -> Float64Array:
    radii: Float64Array = (MIN_RING_RADIUS + (MAX_RING_RADIUS - MIN_RING_RADIUS) / (N_POLAR_RADII - 1) * row).astype(np.float64)
    return radii


def _atypical_radii_nats(radii: Float64Array) -> Float64Array:
    """Nats against rings that are unlike the usual drawing; outermost first."""
    off = (radii[1:].T / radii[0] - TYPICAL_RADII) / RADII_SIGMA
    cost: Float64Array = 0.5 * (off**2).sum(-1)
    return cost


@cache
def _inner_rows() -> list[tuple[int, list[tuple[NDArray[np.intp], Float32Array]]]]:
    """For each row of an outermost ring the rows of a middle and of an inner one that could belong to it, and costs."""
    row = np.arange(N_POLAR_RADII)
    radius = _radius_of_row(row)
    out = []
    for outer in row[radius > MIN_OUTER_RADIUS]:
        pair = []
        for usual, sigma in zip(TYPICAL_RADII, RADII_SIGMA, strict=True):
            cost = HEAT_PER_NAT * 0.5 * ((radius / radius[outer] - usual) / sigma) ** 2
            pair.append((row[cost < 2], cost[cost < 2].astype(np.float32)))
        if all(len(rows) for rows, _ in pair):
            out.append((int(outer), pair))
    return out
