"""Three rings of holes on turning discs: how many holes a ring has, how wide the rings are and how each is turned.

1. A small network says of each place of a playing area how much it looks like the middle of a hole (``hole_heatmap``).
2. The heatmap is unrolled into polar coordinates round a centre. A ring of n holes is then a row that is warm n times
   and cold between.
3. Where three rows are such rings, they are fitted to the heatmap, and the best of them to the holes in the image
   (``disc_fit``).

Unlike the strokes of other boards nothing here is fixed beforehand, so the board follows from the holes. Their look is
learnt (``tools/finder/rings.py``) from drawn and rendered discs whose colours are turned, stretched and inverted, by a
network on three scales (Ronneberger, Fischer and Brox, "U-Net", 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.boards import BOARDS, FEW_HOLES, HOLE_COUNTS, with_holes
from vision.detection.confidence import MIN_BOARD_CONFIDENCE, confidence_models
from vision.detection.disc_fit import (
    RADII_SIGMA,
    TYPICAL_RADII,
    FittedRings,
    RingGeometry,
    fit_rings,
    fit_rings_to_heatmap,
)
from vision.detection.playing_areas import CENTRAL_SHARES, OUTER_DISC_RATIOS, PlayingArea, distinct_areas, scaled_areas
from vision.detection.template_search import BOARD_PATCH_SIDE_PX, patch_from_disc, tilt_homography, unit_from_patch
from vision.imaging import cv
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, fit_homography, unit_circle
from vision.imaging.medians import median
from vision.networks.patch_networks import average_pool, convolve_joined_relu, convolve_relu, linear_layer

DEFAULT_HOLE_COUNTS = range(HOLE_COUNTS.start - 1, FEW_HOLES + 1)
"""Numbers of holes a ring that are looked for where nobody has said how many there may be. One hole fewer than a board
may have is looked for as well, as when the confidences were fitted (``tools/finder/fit.py``)."""

HEATMAP_SIDE = 112
"""Samples a side that the network sees, up to ``FEW_HOLES`` holes a ring; the outermost ring is some thirty of them
wide. Where there are more holes and nothing is found, twice as many are used, last: a dotted cloth is full of holes
then."""

HEATMAP_LAB_SCALE = (25.0, 10.0, 10.0)
"""Differences from the median of the patch in 8-bit L, a and b that count as one; the network was trained with them."""

HEATMAP_CLIP = 3.0
"""Largest size of those scaled differences. The network was trained with it."""

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

N_RINGS_FITTED, N_RINGS_FITTED_PER_COUNT = 2, 1
"""Hypotheses that are fitted to the image, in all and of each number of holes."""

MIN_HEATMAP_NATS = 30.0
"""Nats on the heatmap under which a hypothesis is not fitted to the image: with the clearest rims its posterior would
be about a half (``confidence.json``, half of the heat on the holes). Source: measured."""

MIN_RIM_NATS = 25.0
"""Nats after a first fit to the image under which there is no second one; what is no rings reaches 20 to 40."""

ALIGNED_CONCENTRATION, P_BEING_TURNED = 6.0, 0.05
"""Concentration (von Mises) of the angles between n discs at rest, times n; and probability of being turned."""

MIN_RING_GAP = 0.15
"""Least difference of the radii of two rings, outer ring 1; closer than that, both lie on the same holes."""

MIN_RING_IN_PICTURE = 0.5
"""Least share in the picture of an area's smallest outermost ring: with less, not three quarters of all holes are."""


@dataclass(frozen=True, eq=False)
class DetectedDiscs:
    """Three rings of holes in a picture."""

    n_holes: int  # a ring
    rings: FittedRings  # image space
    rim_nats: float  # rings of holes against scattered ones, by their rims in the image, less the cost of odd radii
    heatmap_nats: float  # the same by the heatmap
    heat_on_holes: float  # mean
    heat_between_holes: float  # mean, halfway between neighbours on a ring

    @property
    def total_nats(self) -> float:
        """Nats by which detections are compared: of the rims and of the heatmap."""
        return self.rim_nats + self.heatmap_nats

    @cached_property
    def confidence(self) -> float:
        """Posterior that three rings of holes are a board."""
        return confidence_models()["discs"].posterior(disc_features(self))


def disc_features(discs: DetectedDiscs) -> dict[str, float]:
    """Return the features for and against three rings of holes, by name."""
    usual = float(median(discs.rings.strength))
    return {
        "rim_nats": min(discs.rim_nats, MAX_RING_NATS) / 10,
        "heatmap_nats": min(discs.heatmap_nats, MAX_RING_NATS) / 10,
        "strength_between": min(float(discs.rings.strength_between.mean()) / (usual + 1e-6), 1.0),
        "heat_on_holes": discs.heat_on_holes,
        "heat_between_holes": discs.heat_between_holes,
    }


def detect_discs(
    bgr: Image,
    area: PlayingArea,
    holes: Sequence[int] = DEFAULT_HOLE_COUNTS,
    finer: int = 1,
    heat: Float32Array | None = None,
) -> list[DetectedDiscs]:
    """Return the two most likely sets of three rings of holes in one playing area, best first; none without any.

    ``holes`` are the numbers of holes a ring that are looked for, ``finer`` is a factor on the samples that the network
    sees, and ``heat`` is from ``area_heatmap``, where it is known.
    """
    image_from_patch = area.image_from_unit @ unit_from_patch()
    heat = area_heatmap(bgr, area, finer) if heat is None else heat
    blurred = np.asarray(cv2.GaussianBlur(heat, (0, 0), HEATMAP_BLUR_PX / finer), dtype=np.float32)
    settled = _settle_on_heatmap(heat, _polar_hypotheses(blurred, holes))
    detected: list[DetectedDiscs] = []
    tried: list[int] = []
    for hypothesis in settled:
        if len(tried) == N_RINGS_FITTED or tried.count(hypothesis.n) == N_RINGS_FITTED_PER_COUNT:
            continue
        tried.append(hypothesis.n)
        detected += _fit_to_image(bgr, image_from_patch, blurred, hypothesis)
        if detected and detected[-1].rim_nats > MAX_RING_NATS:
            break
    if detected and detected[-1].rim_nats <= MAX_RING_NATS:
        detected += _shift_inwards(bgr, image_from_patch, heat, blurred, max(detected, key=lambda d: d.total_nats))
    detected.sort(key=lambda d: -d.total_nats)
    return detected[:2]


def area_heatmap(bgr: Image, area: PlayingArea, finer: int = 1) -> Float32Array:
    """Return the heatmap of a playing area seen roughly from above; arguments as of ``detect_discs``."""
    patch = cv.warp_square(bgr, area.image_from_unit @ unit_from_patch(), BOARD_PATCH_SIDE_PX)
    return hole_heatmap(patch, finer * HEATMAP_SIDE)


def hole_heatmap(patch: Image, side: int = HEATMAP_SIDE) -> Float32Array:
    """Return how much each place looks like the middle of a hole, with or without a stone in it: 0 to 1, (H, H).

    It is about a half on a clear hole, a tenth between two. The patch shows a playing area roughly from above, filling
    about two thirds of it. ``side`` is the number of samples a side that the network sees, a multiple of 4; more of
    them where the holes are small and many.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    small = cv2.resize(lab, (side, side), interpolation=cv2.INTER_AREA)
    relative = (small - median(small.reshape(-1, 3), axis=0)) / np.array(HEATMAP_LAB_SCALE, np.float32)
    fine = convolve_relu(np.clip(relative, -HEATMAP_CLIP, HEATMAP_CLIP).astype(np.float32)[None], "ring1")
    middling = convolve_relu(average_pool(fine), "ring2")
    coarse = convolve_relu(average_pool(middling), "ring3")
    coarse = convolve_relu(convolve_relu(coarse, "ring4"), "ring5")
    middling = convolve_joined_relu(coarse, middling, "ring6")
    fine = convolve_joined_relu(middling, fine, "ring7")
    heat = 1 / (1 + np.exp(-np.clip(linear_layer(fine, "ring8")[0, ..., 0], -30, 30)))
    return np.asarray(cv2.resize(heat, patch.shape[1::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class _RingsHypothesis:
    """A hypothesis of three rings of n holes in a patch."""

    n: int
    patch_from_discs: Float64Array
    rings: RingGeometry
    nats: float = 0.0  # on the heatmap; 0 before the rings are settled there


InnerRows = list[tuple[slice, Float32Array]]
"""Possible rows of a middle and of an inner ring in the unrolled heatmap, with the cost of each, in heat."""


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

    def ring_geometry(self, outer: int, inner_rows: InnerRows, plane: int, column: int) -> RingGeometry:
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
            nats, planes, rings = fit_rings_to_heatmap(heat[None], planes, radii, phases, n)
            for i, k in enumerate(of_n):
                fitted = RingGeometry(rings.radii[i], rings.centres[i], rings.phases_rad[i])
                settled[k] = _RingsHypothesis(n, planes[i], fitted, float(nats[i]))
        settled = {k: h for k, h in settled.items() if not np.diff(h.rings.radii).max() > -MIN_RING_GAP}
    out = [
        replace(h, nats=h.nats - float(_atypical_radii_nats(h.rings.radii)) + _alignment_nats(h.n, h.rings.phases_rad))
        for h in settled.values()
    ]
    return sorted((h for h in out if h.nats > MIN_HEATMAP_NATS), key=lambda h: -h.nats)


def _fit_to_image(
    bgr: Image, image_from_patch: Float64Array, blurred: Float32Array, hypothesis: _RingsHypothesis
) -> list[DetectedDiscs]:
    """Return the discs of a hypothesis after two fits (the second starts close); none where rings fall together."""
    n, radii, phases = hypothesis.n, hypothesis.rings.radii, hypothesis.rings.phases_rad
    h = image_from_patch @ hypothesis.patch_from_discs
    rings = None
    for _ in range(2):
        rings = fit_rings(bgr, h, radii, phases, n, (blurred, image_from_patch))
        if np.diff(rings.radii).max() > -MIN_RING_GAP or rings.radii[2] < MIN_RING_RADIUS:
            return []
        h, radii, phases = rings.image_from_discs, rings.radii, rings.phases_rad
        if rings.nats < MIN_RIM_NATS:
            return []
    assert rings is not None
    on, between = (
        apply_homography(hypothesis.patch_from_discs, hypothesis.rings.holes(n, shift)).astype(np.float32)
        for shift in (0.0, 0.5)
    )
    warmth = [float(cv2.remap(blurred, at[..., 0], at[..., 1], cv2.INTER_LINEAR).mean()) for at in (on, between)]
    rim_nats = rings.nats - float(_atypical_radii_nats(rings.radii)) + _alignment_nats(n, rings.phases_rad)
    return [DetectedDiscs(n, rings, rim_nats, hypothesis.nats, *warmth)]


def _shift_inwards(
    bgr: Image, image_from_patch: Float64Array, heat: Float32Array, blurred: Float32Array, discs: DetectedDiscs
) -> list[DetectedDiscs]:
    """Return the discs with two outer rings as inner ones: a dotted cloth or stones were taken for a ring."""
    _, outer, middle = discs.rings.radii
    radii, phases = np.array([outer, middle, 2 * middle - outer]), discs.rings.phases_rad[[1, 2, 2]]
    plane = np.linalg.inv(image_from_patch) @ discs.rings.image_from_discs
    shifted = _RingsHypothesis(discs.n_holes, plane, RingGeometry(radii, np.zeros((3, 2)), phases))
    settled = _settle_on_heatmap(heat, [shifted])
    return _fit_to_image(bgr, image_from_patch, blurred, settled[0]) if settled else []


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
            planes.append(patch_from_disc() @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]) @ tilt_homography(tilt))
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
def _inner_rows() -> list[tuple[int, InnerRows]]:
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


def search_area_for_discs(
    bgr: Image,
    area: PlayingArea,
    boards: Sequence[Board],
    best: DetectedDiscs | None,
    finer: int = 1,
    heat: Float32Array | None = None,
) -> DetectedDiscs | None:
    """Return the best rings of those found before and those in one more area, searched ``finer`` times as finely."""
    found = detect_discs(bgr, area, _hole_counts(boards), finer, heat)
    return max(found if best is None else [best, *found], key=lambda discs: discs.total_nats, default=None)


def search_further_for_discs(
    bgr: Image,
    areas: Sequence[PlayingArea],
    whole: Sequence[PlayingArea],
    boards: Sequence[Board],
    best: DetectedDiscs | None,
    heat: Callable[[PlayingArea], Float32Array],
) -> DetectedDiscs | None:
    """Return the best rings of further playing areas; the search stops once rings are likely.

    It tries the surroundings of the playing areas ``areas`` and the middle of the areas ``whole`` of the whole picture.
    An area is only the innermost disc of a board where its own heatmap, ``heat(area)``, is warm. Where every board has
    many holes, it also tries ``areas`` again, twice as finely.
    """
    if best is not None and best.confidence > MIN_BOARD_CONFIDENCE:
        return best
    fine_areas = areas if min(_hole_counts(boards)) > FEW_HOLES else ()
    warm = [area for area in areas if (heat(area) > MIN_HOLE_HEAT).mean() > MIN_WARM_SHARE / 2]
    further = distinct_areas((*scaled_areas(warm, OUTER_DISC_RATIOS), *scaled_areas(whole, CENTRAL_SHARES)), areas)
    ring = MIN_OUTER_RADIUS * unit_circle(72)  # the smallest that would be found
    shown = (in_picture(apply_homography(area.image_from_unit, ring), size_of(bgr)).mean() for area in further)
    usual = [(area, 1) for area, share in zip(further, shown, strict=True) if share >= MIN_RING_IN_PICTURE]
    for area, finer in (*usual, *((area, 2) for area in fine_areas)):
        if best is not None and best.confidence > MIN_BOARD_CONFIDENCE:
            break
        best = search_area_for_discs(bgr, area, boards, best, finer)
    return best


def _hole_counts(boards: Sequence[Board]) -> Sequence[int]:
    """Return the numbers of holes that a ring may have: any number for a board as it stands in ``BOARDS``."""
    if all(board == BOARDS.get(board.name) for board in boards):
        return DEFAULT_HOLE_COUNTS
    return sorted({len(board.rings[0]) for board in boards})


def disc_registration(discs: DetectedDiscs, board: Board, confidence: float) -> Registration:
    """Return the field of three rings of holes; the uppermost hole of the outer ring is the first."""
    n = discs.n_holes
    board = with_holes(board, n)
    start = int(discs.rings.holes_px[0, :, 1].argmin())
    first = discs.rings.phases_rad[0] + start * 2 * np.pi / n
    points = []
    for ring in range(3):
        turn = (first - discs.rings.phases_rad[ring]) / (2 * np.pi / n)
        points.append(np.roll(discs.rings.holes_px[ring], -round(turn), axis=0))
    xy = np.concatenate(points)
    h = fit_homography(np.array(board.xy), xy)
    return Registration(Field(board, board.drawings[0].name, xy, h), confidence)
