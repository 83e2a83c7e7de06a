"""Three rings of holes: how many holes a ring has, how wide the rings are and how far each is turned.

The evidence of dots is unrolled round a middle; a ring of n holes is then a row that repeats n times. Unlike the
strokes of other boards nothing here is fixed beforehand: rings have the widths that their maker gave them, and each
disc lies as the last player left it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import cv
from vision.candidates import Candidate
from vision.dots import dots
from vision.evidence import Floats as Floats32
from vision.frame import Image
from vision.search import SHRINKS, SIDE_PX, UNIT_PX, lean, unit_from_patch
from vision.spaces import Floats, apply_homography

HOLES = range(5, 17)
"""Numbers of holes a ring that are known; games are played with 6 to 12."""

N_ANGLES = 192
N_RADII = 56
LEAST_RADIUS, MOST_RADIUS = 0.2, 1.38
"""Radii at which rings are sought, in units of the playing area, which may be an inner disc."""

SHIFTS = ((0.0, 0.0), (-0.08, 0.0), (0.08, 0.0), (0.0, -0.08), (0.0, 0.08))
"""Places of the middle that are tried, in units."""

UNUSUAL = 2.0
"""Multiple of a ring's own grain at which a place certainly differs from the bare disc."""

HOLD = 0.25
"""Least amplitude of a repetition for which a ring counts; rows without holes reach 0.15."""

USUAL_RADII = (0.69, 0.4)
"""Radii of the middle and the inner ring of the usual drawing, outer ring 1."""

BRIDGE = 0.7
"""How much a repetition halfway between two rings counts against them: holes are round, no slots."""

IN_LINE = 0.25
"""What it is worth that two rings are in line: discs turn by whole steps."""

N_TRIED = 8
"""Planes that are settled."""

PRESENT = 0.3
"""Evidence of a dot (blurred) at which a hole counts half."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """Three rings of holes in a patch.

    Attributes
    ----------
    n_holes : int
    radii, phases_rad : float64 arrays of shape (3,)
        Outermost ring first; the angle of its first hole clockwise from the top, in the wheel's plane.
    patch_from_wheel : float64 array of shape (3, 3)
        From the wheel's plane, in which the outermost ring has radius 1.
    holes_px : float64 array of shape (3, n_holes, 2)
        Patch space.
    present : float64 array of shape (3, n_holes)
        Evidence of each hole, 0 to 1.
    gain : float
        Holes seen less holes missed.
    settled : float
        How well the three rings repeat, in holes.
    """

    n_holes: int
    radii: Floats
    phases_rad: Floats
    patch_from_wheel: Floats
    holes_px: Floats
    present: Floats
    gain: float
    settled: float

    @property
    def worth(self) -> float:
        """What speaks for the wheel all in all, in holes."""
        return self.settled + 0.4 * self.gain


def wheels_in(bgr: Image, area: Candidate) -> list[Wheel]:
    """Wheels in one playing area, best first, with everything in image space."""
    image_from_patch = area.image_from_unit @ unit_from_patch()
    patch = cv.warp(bgr, image_from_patch, SIDE_PX)
    region = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    cv2.circle(region, (SIDE_PX // 2, SIDE_PX // 2), round(UNIT_PX * 1.14), 255, -1)
    found = find_wheel(patch, dots(patch, region))
    return [
        replace(
            w,
            patch_from_wheel=image_from_patch @ w.patch_from_wheel,
            holes_px=apply_homography(image_from_patch, w.holes_px),
        )
        for w in found
    ]


def find_wheel(patch: Image, looks: Floats32, most: int = 2) -> list[Wheel]:
    """Wheels in a patch, best first; none where nothing repeats.

    Parameters
    ----------
    patch : uint8 array of shape (SIDE_PX, SIDE_PX, 3), BGR
    looks : float32 array of shape (n_looks, SIDE_PX, SIDE_PX)
        From ``dots``.
    """
    maps, planes = _unrolling()
    lab: Image = np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2LAB), dtype=np.uint8)
    rows = cv2.remap(lab, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR).astype(np.float32)
    amplitude = _amplitudes(rows)
    triples, cost = _triples()
    halfway = (triples[:, 1:] + triples[:, :-1]) // 2
    found: list[tuple[float, int, int, NDArray[np.intp]]] = []
    for k, n in enumerate(HOLES):
        score = n * (amplitude[k].reshape(len(planes), N_RADII) - HOLD)
        bridges = np.maximum(score, 0)
        total = score[:, triples].sum(2) - BRIDGE * bridges[:, halfway].sum(2) - cost
        best = total.argmax(1)
        found += [(float(total[p, i]), n, p, triples[i]) for p, i in enumerate(best)]
    found.sort(key=lambda item: -item[0])
    tried: list[tuple[float, int, Floats, Floats]] = []
    per_n: dict[int, int] = {}
    for total, n, plane, rows_of in found:
        if total <= 0 or len(tried) == N_TRIED:
            break
        per_n[n] = per_n.get(n, 0) + 1
        if per_n[n] <= 4:
            tried.append(_settle(lab, n, planes[plane], _radius_of(rows_of)))
    tried.sort(key=lambda item: -item[0])
    wheels = [_refine(lab, looks, n, h, radii, settled) for settled, n, h, radii in tried[:4]]
    wheels = [w for w in wheels if np.diff(w.radii).max() < -0.15 and w.radii[2] > 0.2]
    wheels.sort(key=lambda w: -w.worth)
    return wheels[:most]


def _amplitudes(rows: Floats32, holes: Sequence[int] = HOLES) -> Floats:
    """How strongly each unrolled row repeats 5, 6 ... 16 times, about 1 for clear holes, (len(holes), n_rows).

    A row is seen in four ways: L, a, b (holes darker than the disc) and the size of the difference from the bare
    disc (drawn rings, and stones of any colour in the holes).
    """
    spectrum = np.abs(np.fft.rfft(_signals(rows), axis=1)) * (2 / N_ANGLES)
    power = spectrum**2
    whole = power[:, 1:].sum(1) + 1e-3
    out = []
    for n in holes:
        two = power[:, n] + power[:, 2 * n]
        # What does not repeat n times (the rim of a disc that crosses the row, grain) speaks against it.
        share = power[:, n::n].sum(1) / whole
        out.append(np.sqrt(two * share).max(-1))
    return np.asarray(out, dtype=np.float64)


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
def _unrolling() -> tuple[Floats32, Floats]:
    """Look-up maps (n_planes * N_RADII, N_ANGLES, 2) and patch_from_plane (n_planes, 3, 3)."""
    angle = np.arange(N_ANGLES) * 2 * np.pi / N_ANGLES
    radius = np.linspace(LEAST_RADIUS, MOST_RADIUS, N_RADII)
    xy = radius[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
    patch_from_unit = np.array([[UNIT_PX, 0, (SIDE_PX - 1) / 2], [0, UNIT_PX, (SIDE_PX - 1) / 2], [0, 0, 1]])
    planes = []
    for shrink in SHRINKS:
        for x, y in SHIFTS:
            planes.append(patch_from_unit @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) @ lean(shrink))
    maps = np.stack([apply_homography(h, xy) for h in planes]).astype(np.float32)
    return maps.reshape(-1, N_ANGLES, 2), np.array(planes)


def _radius_of(row: NDArray[np.intp]) -> Floats:
    radii: Floats = (LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) / (N_RADII - 1) * row).astype(np.float64)
    return radii


def _unusual(radii: Floats) -> Floats:
    """What it costs, in holes, that rings are unlike the usual drawing; outermost first."""
    _, middle, inner = radii / radii[0]
    cost: Floats = 1.5 * (((middle - USUAL_RADII[0]) / 0.07) ** 2 + ((inner - USUAL_RADII[1]) / 0.09) ** 2)
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


def _settle(lab: Image, n: int, patch_from_plane: Floats, radii: Floats) -> tuple[float, int, Floats, Floats]:
    """Shift, stretch and lean the plane and resize the rings until they repeat best: (score, n, plane, radii)."""
    angle = np.arange(N_ANGLES) * 2 * np.pi / N_ANGLES
    circle = np.stack([np.sin(angle), -np.cos(angle)], -1)

    def value(p: Floats) -> float:
        change = np.array([[1 + p[2], p[3], p[0]], [p[3], 1 - p[2], p[1]], [p[4], p[5], 1]])
        sizes = radii * (1 + p[6:9])
        rings = (sizes[:, None] + np.array([-0.025, 0.025])).ravel()
        bridges = (sizes[1:] + sizes[:-1]) / 2
        xy = np.concatenate([rings, bridges])[:, None, None] * circle
        at = apply_homography(patch_from_plane @ change, xy).astype(np.float32)
        rows = cv2.remap(lab, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32)
        clear = _amplitudes(rows, (n,))[0] - HOLD
        return n * (float(clear[:6].sum()) / 2 - BRIDGE * float(np.maximum(clear[6:], 0).sum())) - float(
            _unusual(sizes)
        )

    best = np.zeros(9)
    score = value(best)
    step = np.array([0.05, 0.05, 0.05, 0.05, 0.06, 0.06, 0.04, 0.04, 0.04])
    for _ in range(5):
        for k in range(9):
            for sign in (1, -1):
                trial = best.copy()
                trial[k] += sign * step[k]
                new = value(trial)
                if new > score:
                    best, score = trial, new
                    break
        step *= 0.62
    p = best
    change = np.array([[1 + p[2], p[3], p[0]], [p[3], 1 - p[2], p[1]], [p[4], p[5], 1]])
    return score, n, patch_from_plane @ change, radii * (1 + p[6:9])


def _refine(lab: Image, looks: Floats32, n: int, patch_from_plane: Floats, radii: Floats, settled: float) -> Wheel:
    """Find how far each disc is turned, and where each hole lies."""
    base = np.arange(n) * 2 * np.pi / n
    phases = _phases(lab, looks, n, patch_from_plane, radii)
    h = patch_from_plane
    at = apply_homography(h, _holes(radii, phases, base))
    spacing = _spacing(at)
    between = apply_homography(h, _holes(radii, phases + np.pi / n, base))
    soft = cv2.GaussianBlur(looks.max(0), (0, 0), 1.5)
    strength, idle = np.zeros((3, n)), np.zeros((3, n))
    for k in range(3):
        _, strength[k] = _peaks(soft, at[k], 0.12 * spacing[k])
        idle[k] = _peaks(soft, between[k], 0.06 * spacing[k])[1]
    gain = float(np.clip((strength - PRESENT) / 0.25, -1, 1).sum() - np.clip((idle - PRESENT) / 0.25, 0, 1).sum())
    to_wheel = h @ np.diag([radii[0], radii[0], 1.0])
    return Wheel(n, radii / radii[0], phases, to_wheel / to_wheel[2, 2], at, strength, gain, settled)


def _phases(lab: Image, looks: Floats32, n: int, h: Floats, radii: Floats) -> Floats:
    """The angle of the first hole of each ring.

    The repetition gives it but for half a step: a hole darker than its disc and a bridge lighter than its holes
    look the same. Dots and what differs from the bare disc decide, and that discs rest with their holes in line.
    """
    angle = np.arange(N_ANGLES) * 2 * np.pi / N_ANGLES
    circle = np.stack([np.sin(angle), -np.cos(angle)], -1)
    base = np.arange(n) * 2 * np.pi / n
    choices, scores = np.zeros((3, 2)), np.zeros((3, 2))
    for k, radius in enumerate(radii):
        xy = (radius + np.array([-0.03, 0.0, 0.03]))[:, None, None] * circle
        at = apply_homography(h, xy).astype(np.float32)
        rows = cv2.remap(lab, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32)
        wave = np.fft.rfft(_signals(rows).mean(0), axis=0)[n] * (2 / N_ANGLES)
        strongest = wave[int(np.abs(wave).argmax())]
        choices[k] = -np.angle(strongest) / n + np.array([0.0, np.pi / n])
        for j, turn in enumerate(choices[k]):
            holes = apply_homography(h, _holes(np.array([radius]), np.array([turn]), base)[0]).astype(np.float32)
            dot = max(float(cv2.remap(x, holes[:, 0], holes[:, 1], cv2.INTER_LINEAR).mean()) for x in looks)
            scores[k, j] = dot + 0.7 * float((wave[3] * np.exp(1j * n * turn)).real)
    best, chosen = -1e9, choices[:, 0]
    for pick in product((0, 1), repeat=3):
        turns = choices[np.arange(3), pick]
        line = sum(np.cos(n * (turns[i] - turns[j])) for i, j in ((0, 1), (1, 2), (0, 2)))
        total = float(scores[np.arange(3), pick].sum() + IN_LINE * line)
        if total > best:
            best, chosen = total, turns
    return chosen


def _holes(radii: Floats, phases: Floats, base: Floats) -> Floats:
    angle = phases[:, None] + base
    holes: Floats = radii[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
    return holes


def _spacing(holes_px: Floats) -> Floats:
    """Distance of each hole to the next one on its ring, (3, n)."""
    return np.asarray(np.linalg.norm(holes_px - np.roll(holes_px, 1, axis=1), axis=2), dtype=np.float64)


def _peaks(soft: Floats32, at: Floats, reach_px: Floats) -> tuple[Floats, NDArray[np.float64]]:
    """The strongest place within reach of each place, and its evidence."""
    k = np.arange(-3, 4) / 3.0
    dx, dy = np.meshgrid(k, k)
    near = (np.hypot(dx, dy) <= 1.01).ravel()
    steps = np.column_stack([dx.ravel(), dy.ravel()])[near]
    xy = at[:, None] + reach_px[:, None, None] * steps
    seen = cv2.remap(soft, xy[..., 0].astype(np.float32), xy[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    weight = np.maximum(seen - 0.7 * seen.max(1, keepdims=True), 0).astype(np.float64)
    weight *= np.exp(-0.5 * (steps**2).sum(1) / 0.7**2)
    total = weight.sum(1)
    peak = np.where((total > 1e-6)[:, None], (weight[..., None] * xy).sum(1) / np.maximum(total, 1e-6)[:, None], at)
    return peak, seen.max(1).astype(np.float64)
