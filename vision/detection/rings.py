"""Three rings of holes on turning discs: how many holes a ring has, how wide the rings are and how each is turned.

1. The map of holes is unrolled into polar coordinates round the middle of the board. A ring of n holes is then a row
   that is warm n times and cold between.
2. Where three rows are such rings, they are fitted to the holes: a plane, radii and angles together.
3. The picture is looked at again through the best of them, as from above; the rings are fitted once more, and each hole
   lies where it is seen.

Unlike the strokes of other boards nothing here is fixed beforehand, so the board follows from the holes. Disc space is
the plane of the discs with the middle of the outermost ring as its origin and that ring's radius as its unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.boards import BOARDS, FEW_HOLES, HOLE_COUNTS, with_holes
from vision.detection.confidence import confidence_models
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography, fit_homography
from vision.imaging.medians import median
from vision.networks.heat_maps import HeatMaps, board_outline, look, peaks_of

DEFAULT_HOLE_COUNTS = range(HOLE_COUNTS.start - 1, FEW_HOLES + 1)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be. One hole fewer than a board
may have is looked for as well, as when the confidences were fitted (``tools/finder/fit.py``)."""

PATCH_PX, UNIT_PX = 224, 78.0
"""Side of the square patch in which the discs are seen from above, and the radius of the board in it, px."""

LOOK_PX, FINE_LOOK_PX, FIT_RADIUS_PX = 288, 448, 84.0
"""Sides of the look from above, with few and with many holes, and the radius of the outermost ring in the patch, px."""

TRUST = 0.8
"""How far a hole is drawn from where its ring has it to where it is seen."""

SPOT_PX = 3.3
"""Standard deviation of the spot of a hole in the patch, px."""

MIN_PEAK_SHARE = 0.75
"""Share of the warmest place nearby under which a place does not count for the middle of a hole."""

MIN_PEAK = 0.2
"""Probability from which a peak is a hole."""

N_POLAR_ANGLES = 192
"""Columns of the unrolled heatmap."""

N_POLAR_RADII = 56
"""Rows of the unrolled heatmap."""

MIN_RING_RADIUS, MAX_RING_RADIUS = 0.2, 1.38
"""Radii at which rings are searched for, in units of the playing area, which may be an inner disc."""

MIN_OUTER_RADIUS = 0.6
"""Least radius of the outermost ring, in the same units."""

DISC_TILTS = (-0.32, -0.24, -0.16, -0.08, 0.0, 0.08)
"""Tilts of the plane that are tried, see ``tilt_homography``: a disc's near rim is the nearer one to the camera."""

DISC_SHIFTS = ((0.0, 0.0), (-0.08, 0.0), (0.08, 0.0), (0.0, -0.08), (0.0, 0.08))
"""Shifts of the centre that are tried, in units of the playing area, which may be a disc that lies on another."""

HEATMAP_BLUR_PX = 2.0
"""Standard deviation of the blur of the heatmap, px: tilts and shifts are tried in coarse steps."""

MAX_RING_NATS = 70.0
"""Nats for rings of holes, clearer in drawings than in wood, at which the features are clipped and the search ends."""

MIN_HOLE_HEAT, MAX_GROUND_HEAT = 0.22, 0.12
"""Heat of a hole above which it counts for a ring, and of ground between holes above which it counts against it."""

MIN_WARM_SHARE = 0.02
"""Least share of a playing area's patch that is as warm as a hole, for rings to be sought. Source: measured, 22 rings
that are found in drawn pictures: 0.049 and more; 231 playing areas of 14 things without a board: a median of 0.006. The
holes of an inner disc are half of those that a board shows at least."""

HEAT_PER_NAT = 1 / 3
"""Cost of a nat of atypical radii, in heat."""

MISALIGNED_HEAT = 1.5
"""Cost of a disc that does not rest in line with the outermost one, in heat."""

N_RINGS_SETTLED, N_RINGS_SETTLED_PER_COUNT = 24, 6
"""Hypotheses that are settled on the heatmap, in all and of each number of holes."""

MIN_HEATMAP_NATS = 30.0
"""Nats on the heatmap under which a hypothesis is not fitted to the image: with the clearest rims its posterior would
be about a half (``confidence.json``, half of the heat on the holes). Source: measured."""

ALIGNED_CONCENTRATION, P_BEING_TURNED = 6.0, 0.05
"""Concentration (von Mises) of the angles between n discs at rest, times n; and probability of being turned."""

MIN_RING_GAP = 0.15
"""Least difference of the radii of two rings, outer ring 1; closer than that, both lie on the same holes."""

SEARCH_REACHES_STEPS = (0.5, 0.34, 0.22)
"""Largest distance from its expected place at which a hole is searched for in each iteration, neighbour distances."""

HOLE_OFFSET_SIGMA_PX = 1.2
"""Standard deviation of a hole's distance from where its ring puts it, px: hand-made discs are 1 to 2 % off."""

EVIDENCE_REACH_STEPS = 0.42
"""Largest distance from its place at which the strongest centre counts as evidence for rings, neighbour distances."""

EVIDENCE_SIGMA_PX = 2.0
"""Standard deviation of that centre's distance from its place if there are rings, px."""

P_HOLE_DISTURBED = 0.2
"""Probability that a hole shows something else: a stone beside its middle, a hand, a shadow."""

TYPICAL_RADII, RADII_SIGMA = (0.69, 0.4), (0.04, 0.05)
"""Radii of the middle and the inner ring of the usual drawing, outer ring 1, and their standard deviations."""

STEP_SIGMAS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.25, 0.25, 0.12, 0.12, 0.3, 0.3, 0.3, 0.12, 0.12, 0.12, 0.12)
"""Scale of each parameter in one step of least squares, before a common factor of 0.2. The parameters are six of the
affinity and two of the perspective, two relative radii, three angles in steps of a hole, and the centres of the two
inner rings (discs lie on each other, so the inner ones lie higher)."""


@dataclass(frozen=True, eq=False)
class RingGeometry:
    """Radii, centres and phases of three rings in disc space, outermost first; of one or of many hypotheses (...)."""

    radii: Float64Array  # (..., 3)
    centres: Float64Array  # (..., 3, 2)
    phases_rad: Float64Array  # (..., 3), of the first hole clockwise from the top

    def holes(self, n: int, shift_steps: float = 0.0) -> Float64Array:
        """Return the n holes of each ring in disc space, (..., 3, n, 2), moved on by a part of a step of their ring."""
        angle = self.phases_rad[..., None] + (np.arange(n) + shift_steps) * (2 * np.pi / n)
        round_origin = self.radii[..., None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
        out: Float64Array = round_origin + self.centres[..., None, :]
        return out


@dataclass(frozen=True, eq=False)
class DetectedDiscs:
    """Three rings of holes in a picture."""

    n_holes: int  # a ring
    image_from_discs: Float64Array
    phases_rad: Float64Array  # (3,), of the first hole clockwise from the top
    holes_px: Float64Array  # (3, n, 2), each where it is, image space
    nats: float  # rings of holes against holes scattered at random, less the cost of odd radii
    heat_on_holes: float  # mean
    heat_between_holes: float  # mean, halfway between neighbours on a ring

    @cached_property
    def confidence(self) -> float:
        """Posterior that three rings of holes are a board."""
        return confidence_models()["discs"].posterior(disc_features(self))


def disc_features(discs: DetectedDiscs) -> dict[str, float]:
    """Return the features for and against three rings of holes, by name."""
    return {
        "nats": min(discs.nats, MAX_RING_NATS) / 10,
        "heat_on_holes": discs.heat_on_holes,
        "heat_between_holes": discs.heat_between_holes,
    }


def find_discs(bgr: Image, maps: HeatMaps, boards: Sequence[Board]) -> DetectedDiscs | None:
    """Return the likeliest three rings of holes of one of some boards; None without any."""
    counts = _hole_counts(boards)
    finer = 1 if min(counts) <= FEW_HOLES else 2
    image_from_patch = _patch_on_board(maps)
    if image_from_patch is None:
        return None
    patch_from_image = np.asarray(np.linalg.inv(image_from_patch), np.float64)
    closer = maps if finer == 1 else _look_at_patch(bgr, patch_from_image, min(counts))
    heat = hole_heat(closer, patch_from_image @ closer.image_from_map, finer)
    blurred = np.asarray(cv2.GaussianBlur(heat, (0, 0), HEATMAP_BLUR_PX / finer), dtype=np.float32)
    found = next(iter(_settle_on_heatmap(heat, _polar_hypotheses(blurred, counts))), None)
    return None if found is None else _seen_from_above(bgr, image_from_patch, found)


def _patch_on_board(maps: HeatMaps) -> Float64Array | None:
    """Return the homography from the patch to the picture that puts the outline of the board on a circle, or None."""
    outline = board_outline(maps)
    if outline is None:
        return None
    m = cv2.moments(cv2.convexHull(outline))
    spread = np.array([[m["mu20"], m["mu11"]], [m["mu11"], m["mu02"]]]) / m["m00"]
    values, vectors = np.linalg.eigh(spread)
    short, long = 2 * np.sqrt(np.maximum(values, 1e-9))  # half axes of the ellipse with these moments
    down = vectors[:, 0] if vectors[1, 0] >= 0 else -vectors[:, 0]
    map_from_unit = np.eye(3)
    map_from_unit[:2, 0], map_from_unit[:2, 1] = np.array([down[1], -down[0]]) * long, down * short  # no mirror image
    map_from_unit[:2, 2] = m["m10"] / m["m00"], m["m01"] / m["m00"]
    image_from_patch: Float64Array = maps.image_from_map @ map_from_unit @ np.linalg.inv(_patch_from_disc(UNIT_PX))
    return image_from_patch


def _patch_from_disc(radius_px: float) -> Float64Array:
    """Return the homography that puts the unit circle of a plane into the middle of the patch, with that radius."""
    middle = (PATCH_PX - 1) / 2
    return np.array([[radius_px, 0, middle], [0, radius_px, middle], [0, 0, 1.0]])


def hole_heat(maps: HeatMaps, patch_from_map: Float64Array, finer: int = 1) -> Float32Array:
    """Return a patch with a round spot on each hole, as warm as it is clear; smaller ones where there are many."""
    holes, clear = peaks_of(maps["holes"], MIN_PEAK)
    if not len(holes):
        return np.zeros((PATCH_PX, PATCH_PX), np.float32)
    at, along = apply_homography(patch_from_map, holes), np.arange(PATCH_PX)
    across = [np.exp(-((along[None] - at[:, k, None]) ** 2) / (2 * (SPOT_PX / finer) ** 2)) for k in (0, 1)]
    spots = across[1][:, :, None] * across[0][:, None] * np.minimum(clear / 0.5, 1)[:, None, None]
    return np.asarray(spots.max(0), np.float32)


def _look_at_patch(bgr: Image, patch_from_image: Float64Array, n_holes: int) -> HeatMaps:
    """Return the maps of what the patch shows, finer where there are many holes."""
    side = LOOK_PX if n_holes <= FEW_HOLES else FINE_LOOK_PX
    enlarge = side / PATCH_PX
    seen_from_patch = np.array([[enlarge, 0, (enlarge - 1) / 2], [0, enlarge, (enlarge - 1) / 2], [0, 0, 1.0]])
    return look(bgr, seen_from_patch @ patch_from_image, (side, side))


def _seen_from_above(bgr: Image, image_from_patch: Float64Array, found: _RingsHypothesis) -> DetectedDiscs:
    """Return the rings of a hypothesis after a closer look."""
    image_from_discs, patch_from_discs = image_from_patch @ found.patch_from_discs, _patch_from_disc(FIT_RADIUS_PX)
    patch_from_image = patch_from_discs @ np.linalg.inv(image_from_discs)
    maps, n = _look_at_patch(bgr, patch_from_image, found.n), found.n
    heat = hole_heat(maps, patch_from_image @ maps.image_from_map, 1 if n <= FEW_HOLES else 2)
    known = found.rings.radii[None], found.rings.phases_rad[None]
    nats, planes, fitted = fit_rings_to_heatmap(heat, patch_from_discs[None], *known, n)
    plane, rings = planes[0], RingGeometry(fitted.radii[0], fitted.centres[0], fitted.phases_rad[0])
    at = apply_homography(plane, rings.holes(n))
    seen, strength = _strongest_centres(heat, at, SEARCH_REACHES_STEPS[-1])
    holes = at + (TRUST * np.minimum(strength, 1))[..., None] * (seen - at)
    between = apply_homography(plane, rings.holes(n, 0.5))
    on_and_between = (float(_strongest_centres(heat, xy, 0.2)[1].mean()) for xy in (at, between))
    image_from_patch = np.linalg.inv(patch_from_image)
    odd = float(_atypical_radii_nats(rings.radii)) - _alignment_nats(n, rings.phases_rad)
    return DetectedDiscs(
        n,
        image_from_patch @ plane,
        rings.phases_rad,
        apply_homography(image_from_patch, holes),
        float(nats[0]) - odd,
        *on_and_between,
    )


@dataclass(frozen=True, eq=False)
class _RingsHypothesis:
    """A hypothesis of three rings of n holes in a patch."""

    n: int
    patch_from_discs: Float64Array
    rings: RingGeometry
    nats: float = 0.0  # on the heatmap; 0 before the rings are settled there


@dataclass(frozen=True, eq=False)
class _RingScores:
    """How much each row of an unrolled heatmap looks like a ring of n holes, in every plane."""

    n: int
    score: Float32Array  # (N_POLAR_RADII, n_planes, n_columns), of a ring whose first hole is in a column
    in_line: Float32Array  # the same, or in one of its neighbours
    misaligned: Float32Array  # (N_POLAR_RADII, n_planes), with holes anywhere, less what that costs

    def best_columns(self) -> tuple[Float32Array, NDArray[np.intp]]:
        """Return the heat of the best three rings for each outermost row and plane, and their first column."""
        follows = np.maximum(self.in_line, self.misaligned[..., None])
        heats, columns = [], []
        for outer, inner_rows in _inner_rows():
            inner = [(follows[rows] - cost[:, None, None]).max(0) for rows, cost in inner_rows]
            total = self.score[outer] + sum(inner)
            columns.append(total.argmax(1))
            heats.append(total.max(1))
        return np.asarray(heats, dtype=np.float32), np.asarray(columns, dtype=np.intp)

    def ring_geometry(
        self, outer: int, inner_rows: Sequence[tuple[slice, Float32Array]], plane: int, column: int
    ) -> RingGeometry:
        """Return the best three rings whose outermost one is a row with its first hole in a column."""
        rows, columns = [outer], [column]
        for possible, cost in inner_rows:
            follows = np.maximum(self.in_line[possible, plane, column], self.misaligned[possible, plane])
            row = int(possible.start + (follows - cost).argmax())
            rows.append(row)
            aligned = self.in_line[row, plane, column] >= self.misaligned[row, plane]
            columns.append(column if aligned else int(self.score[row, plane].argmax()))
        phases_rad = np.array(columns) * (2 * np.pi / N_POLAR_ANGLES)
        return RingGeometry(_radius_of_row(np.array(rows)), np.zeros((3, 2)), phases_rad)


def _ring_scores(polar: Float32Array, n: int) -> _RingScores:
    """Return the scores of rings of n holes; ``polar`` has the shape (N_POLAR_ANGLES, N_POLAR_RADII, n_planes)."""
    indices = _hole_columns(n)
    on = np.ascontiguousarray(polar[indices].mean(1).transpose(1, 2, 0))
    between = np.roll(on, len(indices) // 2, axis=2)
    score = np.asarray(n * (on - MIN_HOLE_HEAT - np.maximum(between - MAX_GROUND_HEAT, 0)), dtype=np.float32)
    # Discs at rest are in line with the outermost one, give or take a column.
    in_line = np.maximum(score, np.maximum(np.roll(score, 1, 2), np.roll(score, -1, 2)))
    return _RingScores(n, score, in_line, np.asarray(score.max(2) - MISALIGNED_HEAT, dtype=np.float32))


def _polar_hypotheses(blurred: Float32Array, holes: Sequence[int]) -> list[_RingsHypothesis]:
    """Return hypotheses from three rows of one unrolled heatmap that are warm n times, the hottest first."""
    if (blurred > MIN_HOLE_HEAT).mean() < MIN_WARM_SHARE:
        return []
    maps, planes = _polar_maps()
    at = maps.reshape(-1, N_POLAR_ANGLES, 2)
    polar = cv2.remap(blurred, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    unrolled = polar.reshape(len(planes), N_POLAR_RADII, N_POLAR_ANGLES)
    warmth = np.ascontiguousarray(unrolled.transpose(2, 1, 0), dtype=np.float32)
    counts = [scores for n in holes if (scores := _ring_scores(warmth, n)).score.max() > 0]
    if not counts:
        return []
    best = [scores.best_columns() for scores in counts]
    heat = np.stack([heats for heats, _ in best])  # (n_counts, n_outer_rows, n_planes)
    order = np.argsort(-heat, axis=None, kind="stable")[: np.count_nonzero(heat > 0)]
    kept: list[_RingsHypothesis] = []
    taken: set[tuple[int, int, int]] = set()
    for count, row, plane in np.column_stack(np.unravel_index(order, heat.shape)).tolist():
        if len(kept) == N_RINGS_SETTLED:
            break
        scores, (outer, inner_rows) = counts[count], _inner_rows()[row]
        # The next row in the same plane is the same ring.
        if any((count, plane, outer + k) in taken for k in (-2, -1, 0, 1, 2)):
            continue
        if sum(other.n == scores.n for other in kept) == N_RINGS_SETTLED_PER_COUNT:
            continue
        taken.add((count, plane, outer))
        rings = scores.ring_geometry(outer, inner_rows, plane, int(best[count][1][row, plane]))
        kept.append(_RingsHypothesis(scores.n, planes[plane], rings))
    return kept


def _settle_on_heatmap(heat: Float32Array, rough: Sequence[_RingsHypothesis]) -> list[_RingsHypothesis]:
    """Return what is likely after two fits to the heatmap and has its rings apart, the likeliest first."""
    settled = dict(enumerate(rough))
    for _ in range(2):
        for n in {hypothesis.n for hypothesis in settled.values()}:
            of_n = {k: hypothesis for k, hypothesis in settled.items() if hypothesis.n == n}
            planes = np.array([hypothesis.patch_from_discs for hypothesis in of_n.values()])
            radii = np.array([hypothesis.rings.radii for hypothesis in of_n.values()])
            phases = np.array([hypothesis.rings.phases_rad for hypothesis in of_n.values()])
            nats, planes, rings = fit_rings_to_heatmap(heat, planes, radii, phases, n)
            for i, k in enumerate(of_n):
                fitted = RingGeometry(rings.radii[i], rings.centres[i], rings.phases_rad[i])
                settled[k] = _RingsHypothesis(n, planes[i], fitted, float(nats[i]))
        settled = {k: h for k, h in settled.items() if not np.diff(h.rings.radii).max() > -MIN_RING_GAP}
    out = [
        replace(h, nats=h.nats - float(_atypical_radii_nats(h.rings.radii)) + _alignment_nats(h.n, h.rings.phases_rad))
        for h in settled.values()
    ]
    return sorted((h for h in out if h.nats > MIN_HEATMAP_NATS), key=lambda h: -h.nats)


def _alignment_nats(n: int, phases_rad: Float64Array) -> float:
    """Return the nats for discs that rest with their holes in line (von Mises against any angle)."""
    apart = n * np.diff(phases_rad)
    density_ratio = np.sqrt(2 * np.pi * ALIGNED_CONCENTRATION) * np.exp(ALIGNED_CONCENTRATION * (np.cos(apart) - 1))
    return float(np.log(P_BEING_TURNED + (1 - P_BEING_TURNED) * density_ratio).sum())


def _atypical_radii_nats(radii: Float64Array) -> Float64Array:
    """Return the nats against rings whose radii are unlike the usual drawing; outermost first."""
    off = (radii[1:].T / radii[0] - TYPICAL_RADII) / RADII_SIGMA
    cost: Float64Array = 0.5 * (off**2).sum(-1)
    return cost


@cache
def _hole_columns(n: int) -> NDArray[np.intp]:
    """Return the columns of the n holes of a ring, for each column of the first hole, (n_columns, n)."""
    first = np.arange(int(np.ceil(N_POLAR_ANGLES / n)))
    return np.rint(first[:, None] + np.arange(n) * (N_POLAR_ANGLES / n)).astype(np.intp) % N_POLAR_ANGLES


@cache
def _polar_maps() -> tuple[Float32Array, Float64Array]:
    """Return the look-up maps, (n_planes, N_POLAR_RADII, N_POLAR_ANGLES, 2), of every patch_from_discs, and these."""
    planes = []
    for tilt in DISC_TILTS:
        for x, y in DISC_SHIFTS:
            planes.append(
                _patch_from_disc(UNIT_PX) @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) @ tilt_homography(tilt)
            )
    angle = np.arange(N_POLAR_ANGLES) * 2 * np.pi / N_POLAR_ANGLES
    radius = np.linspace(MIN_RING_RADIUS, MAX_RING_RADIUS, N_POLAR_RADII)
    grid = radius[:, None, None] * np.stack([np.sin(angle), -np.cos(angle)], -1)
    maps = np.stack([apply_homography(h, grid) for h in planes]).astype(np.float32)
    return maps, np.array(planes)


def _radius_of_row(row: NDArray[np.intp]) -> Float64Array:
    """Return the radius that a row of the unrolled heatmap shows, in units of the playing area."""
    step = (MAX_RING_RADIUS - MIN_RING_RADIUS) / (N_POLAR_RADII - 1)
    radii: Float64Array = (MIN_RING_RADIUS + step * row).astype(np.float64)
    return radii


@cache
def _inner_rows() -> list[tuple[int, list[tuple[slice, Float32Array]]]]:
    """Return, for each row of an outermost ring, the possible rows of a middle and an inner ring, and costs."""
    row = np.arange(N_POLAR_RADII)
    radius = _radius_of_row(row)
    out = []
    for outer in row[radius > MIN_OUTER_RADIUS]:
        pair = []
        for typical, sigma in zip(TYPICAL_RADII, RADII_SIGMA, strict=True):
            cost = HEAT_PER_NAT * 0.5 * ((radius / radius[outer] - typical) / sigma) ** 2
            near = row[cost < 2]  # one after the other: the cost is a parabola
            if len(near):
                pair.append((slice(int(near[0]), int(near[-1]) + 1), cost[near].astype(np.float32)))
        if len(pair) == len(TYPICAL_RADII):
            out.append((int(outer), pair))
    return out


def fit_rings_to_heatmap(
    heat: Float32Array, patch_from_discs: Float64Array, radii: Float64Array, phases_rad: Float64Array, n: int
) -> tuple[Float64Array, Float64Array, RingGeometry]:
    """Fit many hypotheses of rings of n holes, roughly known, to one heatmap of holes, (H, W), all at once.

    Returns their nats, (n_hypotheses,), as ``FittedRings.nats`` without what lies between holes, the planes, in which
    the outermost ring has radius 1, and the rings.
    """
    sizes = np.zeros_like(patch_from_discs)
    sizes[:, 0, 0] = sizes[:, 1, 1] = radii[:, 0]
    sizes[:, 2, 2] = 1
    plane = patch_from_discs @ sizes
    rings = RingGeometry(radii / radii[:, :1], np.zeros((len(radii), 3, 2)), phases_rad)
    for reach in SEARCH_REACHES_STEPS:
        found, strength = _strongest_centres(heat, _apply_homographies(plane, rings.holes(n)), reach)
        for _ in range(2):
            plane, rings = _least_squares_step(plane, rings, found, strength, n, 2 * HOLE_OFFSET_SIGMA_PX)
    return _log_likelihood_ratio(heat, _apply_homographies(plane, rings.holes(n))), plane, rings


def _apply_homographies(planes: Float64Array, xy: Float64Array) -> Float64Array:
    """Return the holes of many hypotheses, (..., 3, n, 2), each in its own plane, (..., 3, 3)."""
    h = planes[..., None, :, :]
    w = xy @ h[..., 2, :2, None] + h[..., 2:, 2:]
    moved: Float64Array = (xy @ np.swapaxes(h[..., :2, :2], -1, -2) + h[..., None, :2, 2]) / w
    return moved


def _log_likelihood_ratio(heat: Float32Array, at: Float64Array) -> Float64Array:
    """Return the nats for rings with holes ``at`` (..., 3, n, 2), by the strongest centre in a wide reach of each."""
    found, warmth = _strongest_centres(heat, at, EVIDENCE_REACH_STEPS)
    step_px = np.linalg.norm(at - np.roll(at, 1, axis=-2), axis=-1)
    off = np.linalg.norm(found - at, axis=-1)
    ratio = (
        (EVIDENCE_REACH_STEPS * step_px / EVIDENCE_SIGMA_PX) ** 2 / 2 * np.exp(-0.5 * (off / EVIDENCE_SIGMA_PX) ** 2)
    )
    ratio *= np.minimum(warmth / MIN_HOLE_HEAT, 1)  # where nothing is seen, nothing is near
    nats = np.log(P_HOLE_DISTURBED + (1 - P_HOLE_DISTURBED) * ratio)
    return np.asarray(nats.reshape(*at.shape[:-3], -1).sum(axis=-1))


def _strongest_centres(heat: Float32Array, at: Float64Array, reach: float) -> tuple[Float64Array, Float64Array]:
    """Return the warmest place within ``reach`` steps of each place, (..., n, 2), and how warm it is."""
    step_px = np.linalg.norm(at - np.roll(at, 1, axis=-2), axis=-1)
    reach_px = reach * np.minimum(step_px, np.roll(step_px, -1, axis=-1))
    grid, nearness = _places_nearby()
    xy = at[..., None, :] + reach_px[..., None, None] * grid
    flat = xy.reshape(-1, len(grid), 2).astype(np.float32)
    seen = (
        cv2.remap(heat, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR).astype(np.float64).reshape(xy.shape[:-1])
        * nearness
    )
    best = seen.max(-1)
    weight = np.maximum(seen - MIN_PEAK_SHARE * best[..., None], 0) + 1e-9
    return (weight[..., None] * xy).sum(-2) / weight.sum(-1, keepdims=True), best


@cache
def _places_nearby() -> tuple[Float64Array, Float64Array]:
    """Return the places of a grid within the unit circle, (n, 2), and how much each counts, (n,)."""
    k = np.linspace(-1, 1, 15)
    grid = np.stack(np.meshgrid(k, k), -1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1]
    return grid, np.exp(-0.5 * (grid**2).sum(1) / 0.6**2)


def _least_squares_step(
    plane: Float64Array, rings: RingGeometry, found: Float64Array, strength: Float64Array, n: int, sigma_px: float
) -> tuple[Float64Array, RingGeometry]:
    """Return the plane and rings after one step of robust least squares on all parameters (``STEP_SIGMAS``)."""
    here, jacobian = _holes_and_jacobian(plane, rings, n)
    residual = found - here
    distance = np.linalg.norm(residual, axis=-1)
    usual = median(strength.reshape(*strength.shape[:-2], -1), axis=-1)[..., None, None] + 1e-6
    trust = np.minimum(strength / usual, 1.5) / (1 + (distance / (2 * sigma_px)) ** 2)
    of_each = *plane.shape[:-2], 6 * n, 1
    weight, residual = np.repeat(trust, 2, axis=-1).reshape(of_each), residual.reshape(of_each)
    precision = 1 / np.square(0.2 * np.array(STEP_SIGMAS)) * np.ones((*plane.shape[:-2], 1))
    # The prior draws radii to the typical ones and centres to the common one in every step.
    pull = np.zeros_like(precision)
    pull[..., 13:17] = -rings.centres[..., 1:, :].reshape(*plane.shape[:-2], 4) * precision[..., 13:17]
    of_radii = (rings.radii[..., 1:] / RADII_SIGMA) ** 2
    pull[..., 8:10] = of_radii * (TYPICAL_RADII / rings.radii[..., 1:] - 1)
    precision[..., 8:10] += of_radii
    transposed = np.swapaxes(jacobian, -1, -2)
    gram = transposed @ (weight * jacobian) / sigma_px**2 + precision[..., None] * np.eye(len(STEP_SIGMAS))
    step = np.linalg.solve(gram, transposed @ (weight * residual) / sigma_px**2 + pull[..., None])[..., 0]
    h, changed = _apply_step(plane, rings, n, step)
    return h / h[..., 2:, 2:], changed


def _holes_and_jacobian(plane: Float64Array, rings: RingGeometry, n: int) -> tuple[Float64Array, Float64Array]:
    """Return the holes in the patch, (..., 3, n, 2), and their derivatives by the parameters, (..., 6 n, 17)."""
    source = rings.holes(n)
    x, y = source[..., 0], source[..., 1]
    h = plane[..., None, :, :]
    p = np.concatenate([source, np.ones((*x.shape, 1))], axis=-1) @ np.swapaxes(h, -1, -2)
    here = p[..., :2] / p[..., 2:]
    # d(here) / d(source), (..., 3, n, 2, 2): what moves a place in disc space moves it so in the patch.
    slope = (h[..., None, :2, :2] - here[..., None] * h[..., None, 2:, :2]) / p[..., 2:, None]
    outward = source - rings.centres[..., None, :]
    moved = np.zeros((*x.shape, 2, len(STEP_SIGMAS)))
    moved[..., 0, 0], moved[..., 0, 1], moved[..., 0, 2] = x, y, 1
    moved[..., 1, 3], moved[..., 1, 4], moved[..., 1, 5] = x, y, 1
    moved[..., 6], moved[..., 7] = -x[..., None] * source, -y[..., None] * source
    for ring in range(3):
        of_ring, away = moved[..., ring, :, :, :], outward[..., ring, :, :]
        of_ring[..., 10 + ring] = np.stack([-away[..., 1], away[..., 0]], -1) * (2 * np.pi / n)
        if ring:
            of_ring[..., 7 + ring] = away
            of_ring[..., 0, 11 + 2 * ring] = of_ring[..., 1, 12 + 2 * ring] = 1
    return here, (slope @ moved).reshape(*plane.shape[:-2], 6 * n, len(STEP_SIGMAS))


def _apply_step(
    plane: Float64Array, rings: RingGeometry, n: int, p: NDArray[np.floating[Any]]
) -> tuple[Float64Array, RingGeometry]:
    """Return the plane and rings with their parameters changed by ``p``, in the order of ``STEP_SIGMAS``."""
    change = np.eye(3).ravel() + np.concatenate([p[..., :8], np.zeros_like(p[..., :1])], axis=-1)
    radii, centres = rings.radii.copy(), rings.centres.copy()
    radii[..., 1:] *= 1 + p[..., 8:10]
    centres[..., 1:, :] += p[..., 13:17].reshape(*p.shape[:-1], 2, 2)
    phases_rad = rings.phases_rad + p[..., 10:13] * 2 * np.pi / n
    return plane @ change.reshape(*p.shape[:-1], 3, 3), RingGeometry(radii, centres, phases_rad)


def tilt_homography(perspective: float) -> Float64Array:
    """Return the homography that keeps the unit circle and moves its middle along y: a disc seen aslant from nearby."""
    s = np.sqrt(1 - perspective * perspective)
    return np.array([[s, 0, 0], [0, 1, perspective], [0, perspective, 1.0]])


def _hole_counts(boards: Sequence[Board]) -> Sequence[int]:
    """Return the numbers of holes that a ring may have: any number for a board as it stands in ``BOARDS``."""
    if all(board == BOARDS.get(board.name) for board in boards):
        return DEFAULT_HOLE_COUNTS
    return sorted({len(board.rings[0]) for board in boards})


def disc_registration(discs: DetectedDiscs, board: Board, confidence: float) -> Registration:
    """Return the field of three rings of holes; the uppermost hole of the outer ring is the first."""
    n, board = discs.n_holes, with_holes(board, discs.n_holes)
    start = int(discs.holes_px[0, :, 1].argmin())
    first = discs.phases_rad[0] + start * 2 * np.pi / n
    turns = np.rint((first - discs.phases_rad) / (2 * np.pi / n)).astype(int).tolist()
    xy = np.concatenate([np.roll(holes, -turn, axis=0) for holes, turn in zip(discs.holes_px, turns, strict=True)])
    h = fit_homography(np.array(board.xy), xy)
    return Registration(Field(board, board.drawings[0].name, xy, h), confidence)
