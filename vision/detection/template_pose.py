"""Maps of a picture and templates of boards in; where each template would lie, and how well the maps agree, out.

1. Peaks of joints and points that lie in a row, the middle one halfway, are triples. Those with strokes between come
   first. Two triples that share a joint fix a homography for every such pair of a template; where a board is cut off,
   two linked neighbours of a joint fix an affinity.
2. Each is a hypothesis. Those whose joints lie nearest to peaks are fitted to these, and the best one is a candidate.
3. The picture is looked at again through the best candidate, as from above. There joints move to peaks and to where
   strokes meet. Strokes, joints and what the template leaves unexplained say how likely it is a board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import permutations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE, confidence_models
from vision.detection.stroke_fit import joints_on_strokes
from vision.detection.templates import Template, board_rotations
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography, rotations_onto_itself, spacings
from vision.imaging.medians import median
from vision.networks.heat_maps import MARGIN, HeatMaps, look_from_above, peaks_of, value_at

MIN_PEAK = 0.2
"""Score from which a peak counts."""

MAX_OFF_MIDDLE = 0.2
"""Largest distance of a triple's middle from halfway along it, of half its length: perspective, and hand-made boards.
Across it may lie half as far away: no perspective bends a line."""

MAX_SEEDS = 50
"""Peaks, triples and seeds of each kind that are used: the clearest and the most regular ones."""

MAX_DEPTH_RATIO, MIN_ASPECT = 2.5, 0.25
"""How many times as far away as its near rim the far rim of a board lies at most, and its least height for its width as
it is seen: both say how aslant it may lie. So small may the sine between two rows that fix a pose be."""

PERSPECTIVE_PRECISION = 0.08
"""Precision with which perspective is drawn to none, of a joint's place: few joints do not fix it."""

N_FITTED = 8
"""Hypotheses that are fitted. Source: measured, 122 pictures: as many boards are found as with 12 or 16, and as with a
finer fit of the best four."""

SPREAD_PX = 5
"""Over how many pixels of a map a score is spread for poses: joints that lie nearer than that cannot be told apart."""

JOINT_REACH = 0.34
"""Largest distance of a joint from where the homography puts it, spacings: hand-made boards. The coarse fit reaches as
far as to halfway."""

MIN_ROUGH_POSTERIOR = 0.01
"""Posterior from which a board is looked at from above. Source: measured, of 90 printed templates 84 are found, 83 with
0.1."""

N_COMPARED, MAX_LOOKS_ABOVE = 6, 3
"""How many are compared there, and how often the one that is rated best is looked at: another one may be the best in
that look."""

RIVAL_RATING = 0.1
"""Difference of their ratings up to which two boards are equally likely."""

SEEN_BEYOND, MAYBE_SEEN_BEYOND = 0.5, 0.4
"""How well what a larger board has beyond a smaller one must be seen for it to win, and to be named beside that one.
Source: measured, at most 0.26 in 16 photographs of nine men's morris on wood, 0.57 of the diagonals of a template."""

FEW, ASIDE_SPACINGS = 0.1, 0.2
"""Share of a board that is little: so much may lie beside another one that it is a part of, joints are not placed
alike, or be covered. And from which distance a place lies beside it, spacings."""

LEAST_SEEN = {"lines": ("lines", 0.5), "holes": ("joints", 0.3), "discs": ("joints", 0.3)}
"""What must be seen of a board by the cue with which it was found: a feature, and how much of it.
Source: measured, 1,485 lessons (``tools/finder/lessons.json``): 57 right boards and 270 wrong ones show less."""

MAX_STRAY = 0.6
"""Most that a board may leave unexplained, as ``stray``.
Source: measured, the same lessons: four right boards leave more, and 174 wrong ones."""

MAX_CROSSED = 0.7
"""Most that its long links may be crossed, as ``crossed``: more is a finer grid.
Source: measured, the same lessons: no right board of 767 is crossed more, and 117 wrong ones are."""

TRUST = 0.8
"""How far a joint is drawn from where the homography puts it to a clear peak at that place. Source: measured, 43 boards
of drawn tables, point error in the median 0.036 (0), 0.035 (0.5), 0.032 (0.8), 0.033 spacings (1)."""

SEEN = 0.3
"""Score from which a stroke is seen; places beyond the rim of the picture score as much."""

FEATURES = ("strokes", "weakest", "joints", "weakest_joints", "own", "stray", "lines", "beyond", "crossed")
"""Names of what ``agreement`` tells."""

BEYOND_SPACINGS = 1.25
"""How far beyond a drawing joints are looked for that it does not have: there a larger grid goes on, spacings."""

BEYOND_SPAN = (0.3, 0.9)
"""Where beyond a joint a link would go on, spacings: overshot strokes end before, and a frame crosses there only."""

CROSSING_REACH = 0.1
"""How far from the middle part of a link a joint crosses it at most, lengths of the link."""

LONG_LINK = 1.5
"""Length from which a link is so long that the lines of a finer grid cross it, shortest links of its drawing."""

STROKE_SPACINGS, MEETING_SPACINGS = 0.25, 0.4
"""How far from its middle a stroke may be seen, and how far from a joint another stroke that meets it, spacings.
Source: measured, 24 boards of three triangles in broad stitches: 12 are found without this, all with it."""


@dataclass(frozen=True, eq=False)
class BoardCandidate:
    """A template of a board as it may lie in a picture."""

    template: Template
    image_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), image space
    samples_px: Float64Array  # (n_samples, 2), places on the strokes, from joint to joint
    cue: str  # what gave the pose: the "lines", the "holes" alone, or the holes of turning "discs"
    features: dict[str, float]  # how well it agrees with the maps, see ``agreement``
    sample_seen: NDArray[np.bool_]  # (n_samples,), which places on its strokes are seen

    def enlarged(self, enlarge: Float64Array) -> BoardCandidate:
        """Return it in pixels of a picture to which that homography leads."""
        joints, samples = (apply_homography(enlarge, places) for places in (self.joints_px, self.samples_px))
        pose = enlarge @ self.image_from_template
        return replace(self, image_from_template=pose, joints_px=joints, samples_px=samples)

    @cached_property
    def points_px(self) -> Float64Array:
        """The points of the board, (n_points, 2), image space."""
        points: Float64Array = self.template.points_from_joints @ self.joints_px
        return points

    @property
    def rating(self) -> float:
        """How well it agrees with the maps, for comparing templates: what it explains, less what it lacks."""
        share = self.features
        return share["joints"] - 0.5 * share["stray"] + max(share["strokes"], 0.0) * (1 + share["own"])

    @cached_property
    def posterior(self) -> float:
        """How likely this is the board, if it is rated best, however little of it is seen."""
        return confidence_models()[self.cue].posterior(self.features)

    @cached_property
    def confidence(self) -> float:
        """The posterior; 0 where too little is seen to announce turns on, or too much is left unexplained."""
        feature, least = LEAST_SEEN[self.cue]
        is_other = self.features["stray"] > MAX_STRAY or self.is_crossed
        return 0.0 if self.features[feature] < least or is_other else self.posterior

    @property
    def is_crossed(self) -> bool:
        """Whether it is a part of a finer grid."""
        return self.features["crossed"] > MAX_CROSSED

    def registration(self, confidence: float) -> Registration:
        """Return the field, the board's "up" as upward in the picture as its symmetry allows."""
        t, turns = self.template, board_rotations(self.template.board)
        fields = [Field.fitted(t.board, t.drawing, self.points_px[list(onto)]) for onto in turns]
        ends = (apply_homography(field.image_from_board, np.array([[0.5, 0.0], [0.5, 0.5]])) for field in fields)
        rises = [middle[1] - top[1] for top, middle in ends]
        return Registration(fields[int(np.argmax(rises))], confidence)


# ---------------------------------------------------------------- seeds


@dataclass(frozen=True, eq=False)
class Peaks:
    """Places that look like joints or points, with what may be strokes between them."""

    xy: Float64Array  # (n, 2), map space, the clearest first
    linked: Float64Array  # (n, n), score of the strokes between two of them
    joints: Float32Array  # (h + 2, w + 2), the map in which they are peaks, spread, with a rim of ``SEEN``
    strokes: Float32Array  # the same of strokes

    @cached_property
    def seeds(self) -> tuple[Float64Array, ...]:
        """Homographies from the shape of each kind of seed to the seeds of this kind, (n, 3, 3) each."""
        triples, cost = _regular_triples(self)
        seeds = *(_pairs_of(self.xy, triples, kind, cost) for kind in SHARED), _corners_of(self.xy, self.linked)
        return tuple(
            fit_homographies(t, self.xy[n], np.ones(n.shape)) for t, n in zip(seed_shapes(), seeds, strict=True)
        )

    def scores(self, t: Template, h: Float64Array) -> Float64Array:
        """Return the mean score of the joints, and of the middles of the links, in some poses, (n,): 0 to 2."""
        out = np.zeros(len(h))
        middle = np.abs(t.sample_fractions - 0.5) < 0.5 / 3
        for scores, places in ((self.joints, t.joints), (self.strokes, t.sample_xy[middle])):
            x, y = _places_in(h.astype(np.float32), places.astype(np.float32))
            out += cv2.remap(scores, x + 1, y + 1, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE).mean(1)
        return out


SHARED = ((0, 0), (1, 1), (1, 0))
"""Places of the joint that two triples share, in each of them: both an end, both the middle, a middle and an end."""


@cache
def seed_shapes() -> tuple[Float64Array, ...]:
    """Return the shape of each kind of seed, (5 or 3, 2): an affinity takes it to each of the kind in a template."""
    pairs = ([(k - a, 0) for k in range(3)] + [(0, k - b) for k in range(3) if k != b] for a, b in SHARED)
    corner = (1, 0), (0, 0), (0, 1)
    return tuple(np.array(shape, np.float64) for shape in (*pairs, corner))


def clearest_peaks(maps: HeatMaps, joints: Float32Array, peaks: tuple[Float64Array, Float64Array]) -> Peaks:
    """Return the clearest of all peaks of a map of joints."""
    xy, value = peaks
    xy = xy[np.argsort(-value, kind="stable")[:MAX_SEEDS]]
    share = np.linspace(1 / 6, 5 / 6, 8)[:, None, None, None]
    between = value_at(maps["strokes"], xy[None, :, None] * (1 - share) + xy[None, None] * share)
    spread = (
        np.where(maps.inside, cv2.dilate(one, np.ones((SPREAD_PX, SPREAD_PX), np.uint8)), np.float32(SEEN))
        for one in (joints, maps["strokes"])
    )
    return Peaks(xy, np.sort(between, axis=0)[1], *(np.pad(one, 1, constant_values=SEEN) for one in spread))


def _regular_triples(peaks: Peaks) -> tuple[NDArray[np.intp], Float64Array]:
    """Return triples (end, middle, end) in a row, both ways, the most regular first; (n, 3), and their costs, (n,)."""
    xy = peaks.xy
    first, last = np.triu_indices(len(xy), 1)
    half = (xy[last] - xy[first]) / 2
    length = np.linalg.norm(half, axis=1)
    off = xy[None] - ((xy[first] + xy[last]) / 2)[:, None]
    along = (off * half[:, None]).sum(2) / length[:, None] ** 2
    across = (off[..., 0] * half[:, None, 1] - off[..., 1] * half[:, None, 0]) / length[:, None] ** 2
    cost = (along**2 + (2 * across) ** 2) / MAX_OFF_MIDDLE**2
    ends, middle = np.nonzero(cost < 1)
    cost = cost[ends, middle] + 2 - peaks.linked[first[ends], middle] - peaks.linked[middle, last[ends]]
    order = np.argsort(cost, kind="stable")[:MAX_SEEDS]
    one, middle, other = first[ends[order]], middle[order], last[ends[order]]
    triples = np.concatenate([np.column_stack([one, middle, other]), np.column_stack([other, middle, one])])
    return triples, np.concatenate([cost[order], cost[order]])


def _pairs_of(
    xy: Float64Array, triples: NDArray[np.intp], kind: tuple[int, int], cost: Float64Array | None = None
) -> NDArray[np.intp]:
    """Return pairs of triples that share a joint, the second clockwise of the first, without what they share: (n, 5).

    Of triples in a picture, with their costs, only pairs of like length, the most regular first.
    """
    one, other = np.nonzero(triples[:, None, kind[0]] == triples[None, :, kind[1]])
    along = xy[triples[:, 2]] - xy[triples[:, 0]]
    length = np.linalg.norm(along, axis=1)
    cross = along[one, 0] * along[other, 1] - along[one, 1] * along[other, 0]
    good = cross > MIN_ASPECT * length[one] * length[other]
    if cost is not None:
        good &= np.abs(np.log(length[one] / length[other])) < np.log(MAX_DEPTH_RATIO)
        order = np.argsort(np.maximum(cost[one], cost[other])[good], kind="stable")[:MAX_SEEDS]
        good = np.flatnonzero(good)[order]
    pairs: NDArray[np.intp] = np.hstack([triples[one[good]], np.delete(triples[other[good]], kind[1], axis=1)])
    return pairs


def _corners_of(xy: Float64Array, linked: Float64Array) -> NDArray[np.intp]:
    """Return joints with two linked neighbours, the second clockwise of the first, the best linked first: (n, 3)."""
    links = linked > 0.5
    np.fill_diagonal(links, False)
    middle, one, other = np.nonzero(links[:, :, None] & links[:, None] & ~np.eye(len(xy), dtype=np.bool_))
    to_one, to_other = xy[one] - xy[middle], xy[other] - xy[middle]
    cross = to_one[:, 0] * to_other[:, 1] - to_one[:, 1] * to_other[:, 0]
    good = cross > MIN_ASPECT * np.linalg.norm(to_one, axis=1) * np.linalg.norm(to_other, axis=1)
    corners = np.column_stack([one, middle, other])[good]
    score = np.minimum(linked[corners[:, 0], corners[:, 1]], linked[corners[:, 1], corners[:, 2]])
    long = np.linalg.norm(xy[corners[:, 0]] - xy[corners[:, 2]], axis=1)
    best: NDArray[np.intp] = corners[np.argsort(-score * long, kind="stable")[:MAX_SEEDS]]
    return best


@cache
def template_seeds(t: Template) -> tuple[Float64Array, ...]:
    """Return the affinities that take the seeds of a template to their shape, (n, 3, 3) for each of ``seed_shapes``.

    Of seeds that a turn takes to each other only one counts.
    """
    n, joints = len(t.joints), t.joints
    linked = np.zeros((n, n), np.bool_)
    linked[tuple(t.links.T)] = linked[tuple(t.links.T[::-1])] = True
    pairs = ((a, m, b) for m in range(n) for a, b in permutations(np.flatnonzero(linked[m]), 2))
    triples = [(a, m, b) for a, m, b in pairs if np.linalg.norm(joints[a] + joints[b] - 2 * joints[m]) < 1e-6]
    rows = np.array(triples, np.intp).reshape(-1, 3)
    seeds = *(_pairs_of(joints, rows, kind) for kind in SHARED), _corners_of(joints, linked.astype(np.float64))
    return tuple(
        with_ones(shape).T @ np.linalg.pinv(with_ones(joints[_distinct(t, kind)]).swapaxes(1, 2))
        for shape, kind in zip(seed_shapes(), seeds, strict=True)
    )


def with_ones(xy: Float64Array) -> Float64Array:
    """Return homogeneous coordinates, (..., 3), of places (..., 2)."""
    return np.concatenate([xy, np.ones((*xy.shape[:-1], 1))], axis=-1)


def _distinct(t: Template, seeds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first seed of each class of symmetry."""
    firsts, members = [], set[tuple[int, ...]]()
    for seed in seeds:
        if tuple(seed.tolist()) not in members:
            firsts.append(seed)
            members |= {tuple(np.take(onto, seed).tolist()) for onto in rotations_onto_itself(t.joints)}
    return np.array(firsts, np.intp).reshape(-1, seeds.shape[1])


# ---------------------------------------------------------------- hypotheses


def best_pose(peaks: Peaks, t: Template) -> Float64Array | None:
    """Return the pose of a template with the best score, ``map_from_template``."""
    poses = [(h @ onto[:, None]).reshape(-1, 3, 3) for h, onto in zip(peaks.seeds, template_seeds(t), strict=True)]
    h = _best_scored(peaks, t, np.concatenate(poses), N_FITTED)
    for _ in range(3 if len(h) else 0):
        xy, weight = _matches(peaks, t, h)
        h = fit_homographies(t.joints, xy, weight + 1e-6)
    h = _best_scored(peaks, t, h, 1)
    return h[0] if len(h) else None


def _best_scored(peaks: Peaks, t: Template, h: Float64Array, n: int) -> Float64Array:
    """Return the n poses with the best scores of those that a camera could see, the best first."""
    h = h[_is_plausible_view(h, t)]
    return h[np.argsort(-peaks.scores(t, h), kind="stable")[:n]] if len(h) else h


def _matches(peaks: Peaks, t: Template, h: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the peak nearest to each joint, (n, m, 2), and how near it is, (n, m): 1 at its place, 0 from halfway."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    scale = np.sqrt(np.abs(np.linalg.det(h))[:, None] / np.abs(w.T) ** 3)  # px per unit of the template
    x, y = _places_in(h, t.joints)
    square = (x[..., None] - peaks.xy[:, 0]) ** 2 + (y[..., None] - peaks.xy[:, 1]) ** 2
    nearest = square.argmin(2)
    off = np.take_along_axis(square, nearest[..., None], 2)[..., 0]
    return peaks.xy[nearest], np.maximum(0, 1 - off / (0.5 * spacings(t.joints) * scale) ** 2)


def _places_in(h: NDArray[np.floating], xy: NDArray[np.floating]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return x and y of places (m, 2) under many homographies (n, 3, 3), (n, m) each."""
    x, y, w = (h[:, k, :1] * xy[:, 0] + h[:, k, 1:2] * xy[:, 1] + h[:, k, 2:] for k in range(3))
    return x / w, y / w


def fit_homographies(template_xy: Float64Array, image_xy: Float64Array, weights: Float64Array) -> Float64Array:
    """Return many ``image_from_template`` at once, (n, 3, 3), with little perspective where few points fix it.

    From (m, 2) or (n, m, 2) to (n, m, 2) with weights (n, m), by linear least squares in which the two terms of
    perspective are drawn to 0.
    """
    source = np.broadcast_to(template_xy, image_xy.shape)
    total = np.maximum(weights.sum(1), 1e-9)[:, None]
    middle = (weights[..., None] * image_xy).sum(1) / total
    size = np.sqrt((weights[..., None] * (image_xy - middle[:, None]) ** 2).sum((1, 2)) / total[:, 0]) + 1e-9
    uv = (image_xy - middle[:, None]) / size[:, None, None]
    x, y = source[..., 0], source[..., 1]
    one, zero = np.ones_like(x), np.zeros_like(x)
    first = np.stack([x, y, one, zero, zero, zero, -x * uv[..., 0], -y * uv[..., 0]], -1)
    second = np.stack([zero, zero, zero, x, y, one, -x * uv[..., 1], -y * uv[..., 1]], -1)
    design = np.concatenate([first, second], axis=1)
    weighted = (design * np.concatenate([weights, weights], axis=1)[..., None]).transpose(0, 2, 1)
    target = np.concatenate([uv[..., 0], uv[..., 1]], axis=1)[..., None]
    prior = np.diag([1e-6] * 6 + [PERSPECTIVE_PRECISION] * 2)
    terms = np.linalg.solve(weighted @ design + prior, weighted @ target)[..., 0]
    h = np.concatenate([terms, np.ones((len(terms), 1))], axis=1).reshape(-1, 3, 3)
    denormalise = np.zeros_like(h)
    denormalise[:, 0, 0] = denormalise[:, 1, 1] = size
    denormalise[:, :2, 2] = middle
    denormalise[:, 2, 2] = 1
    out: Float64Array = denormalise @ h
    return out


def inverses(h: Float64Array) -> Float64Array:
    """Return the inverses of homographies (..., 3, 3), up to their scale: of any, also of one that flattens a plane."""
    next_one, last_one = [1, 2, 0], [2, 0, 1]
    a, b = h[..., next_one, :], h[..., last_one, :]  # the columns of an inverse are cross products of rows
    crosses: Float64Array = a[..., next_one] * b[..., last_one] - a[..., last_one] * b[..., next_one]
    return crosses.swapaxes(-1, -2)


def _is_plausible_view(h: Float64Array, t: Template) -> NDArray[np.bool_]:
    """Return which homographies, to map space, a camera could see: not mirrored, not edge on, with room for joints."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    smallest_scale = np.sqrt(np.abs(np.linalg.det(h)) / np.maximum(np.abs(w).max(0), 1e-6) ** 3)
    a = h[:, :2, :2] - h[:, :2, 2:] * h[:, 2:, :2]
    det = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    good: NDArray[np.bool_] = (MAX_DEPTH_RATIO * w.min(0) > w.max(0)) & (w.min(0) > 0)
    good &= det > MIN_ASPECT / (1 + MIN_ASPECT**2) * (a**2).sum((1, 2))
    good &= float(spacings(t.joints).min()) * smallest_scale > SPREAD_PX
    return good


# ---------------------------------------------------------------- from above


def find_drawings(
    bgr: Image, looks: Iterable[HeatMaps], templates: Sequence[Template], earlier: Sequence[BoardCandidate] = ()
) -> tuple[BoardCandidate, ...]:
    """Return where each template may lie in a picture, the best rated first; there may be earlier candidates.

    One look after the other is taken until a board is clear. Each template has a candidate of each look, and its best
    rated one counts. Likely ones are seen again in a look through the best one, and are rated by that. The largest one
    that the best one is a part of, and that is seen, comes before it.
    """
    best = list(earlier)
    for maps in looks:
        best = _best_of_each([*best, *candidates_on(maps, templates)])
        if _is_clear(best) and _is_near_enough(maps, best[0], templates):
            break
    ranked = tuple(best)
    for _ in range(MAX_LOOKS_ABOVE):
        if not ranked or ranked[0].posterior <= MIN_ROUGH_POSTERIOR:
            break
        first, above = ranked[0], drawing_from_above(bgr, ranked[0].template, ranked[0].image_from_template)
        again = [
            candidate_from_above(above, one.template, one.image_from_template, one.cue) for one in ranked[:N_COMPARED]
        ]
        ranked = (*_best_of_each(again), *ranked[N_COMPARED:])
        if (ranked[0].template, ranked[0].cue) == (first.template, first.cue):
            break
    largest = larger_than_best(ranked, SEEN_BEYOND)
    return ranked if largest is None else (largest, *(one for one in ranked if one is not largest))


def larger_than_best(ranked: Sequence[BoardCandidate], least: float) -> BoardCandidate | None:
    """Return the largest likely board that the best one is a part of, and of which so much is seen beyond that."""
    likely = [one for one in ranked[1:N_COMPARED] if one.confidence >= MIN_BOARD_CONFIDENCE]
    larger = [one for one in likely if seen_beyond(one, ranked[0]) >= least]
    return max(larger, key=lambda one: len(one.template.links), default=None)


def seen_beyond(larger: BoardCandidate, smaller: BoardCandidate) -> float:
    """Return how well what a board has beyond another is seen, as a share of how well that one is; 0 if it is no part.

    A small share of either may lie elsewhere: joints are not placed alike.
    """
    reach = (ASIDE_SPACINGS * float(median(spacings(larger.joints_px)))) ** 2
    one, other = larger.samples_px, smaller.samples_px
    apart = (one**2).sum(1)[:, None] - 2 * one @ other.T + (other**2).sum(1)  # squares
    beyond = apart.min(1) > reach
    if (apart.min(0) > reach).mean() > FEW or beyond.mean() < FEW:
        return 0.0
    return float(larger.sample_seen[beyond].mean() / max(smaller.sample_seen.mean(), FEW))


def candidates_on(maps: HeatMaps, templates: Sequence[Template]) -> list[BoardCandidate]:
    """Return each template in its best pose on one look, as far as there is one."""
    out = []
    for cue, has_points in (("lines", True), ("lines", False), ("holes", True)):
        drawn = [t for t in templates if (t.drawing == "lines") is has_points]
        if drawn:
            peaks = clearest_peaks(maps, *joints_on(maps, cue, has_points))
            poses = [(t, best_pose(peaks, t)) for t in drawn]
            out += [candidate_at(maps, t, pose, cue) for t, pose in poses if pose is not None]
    return out


@lru_cache(maxsize=4)
def joints_on(maps: HeatMaps, cue: str, has_points: bool) -> tuple[Float32Array, tuple[Float64Array, Float64Array]]:
    """Return the map of what should be at the joints of a template, whose points may lie there, and its peaks."""
    names = ("joints", "points") if cue == "lines" and has_points else ("joints" if cue == "lines" else "holes",)
    scores = np.max([maps[name] for name in names], axis=0)
    return scores, peaks_of(scores, MIN_PEAK)


def _best_of_each(boards: Sequence[BoardCandidate]) -> list[BoardCandidate]:
    """Return the best rated candidate of each template by each cue, the best rated of those that are likely first."""
    once: dict[tuple[Template, str], BoardCandidate] = {}
    for board in sorted(boards, key=lambda board: -board.rating):
        once.setdefault((board.template, board.cue), board)
    least = max((board.confidence for board in once.values()), default=0.0) / 2
    return sorted(once.values(), key=lambda board: (board.confidence < least and not board.is_crossed, -board.rating))


def _is_clear(ranked: Sequence[BoardCandidate]) -> bool:
    """Return whether the first board is certain by its strokes, and no other template nearly as good."""
    if not ranked or ranked[0].cue != "lines" or ranked[0].confidence < CERTAIN_CONFIDENCE:
        return False
    best, *others = ranked
    return all(one.template is best.template or one.rating < best.rating - RIVAL_RATING for one in others)


def _is_near_enough(maps: HeatMaps, best: BoardCandidate, templates: Sequence[Template]) -> bool:
    """Return whether the joints of each template could be told apart in a look if it lay where the best board lies."""
    size_px = float(np.ptp(apply_homography(maps.map_from_image, best.joints_px), axis=0).min())
    finest = min(float(spacings(t.joints).min() / np.ptp(t.joints, axis=0).max()) for t in templates)
    return finest * size_px > SPREAD_PX


def candidate_from_above(
    maps: HeatMaps, t: Template, image_from_template: Float64Array, cue: str = "lines"
) -> BoardCandidate:
    """Return a template on a look from above, its joints where strokes meet, where most of its strokes are seen."""
    board = candidate_at(maps, t, maps.map_from_image @ image_from_template, cue)
    if board.features["lines"] < LEAST_SEEN["lines"][1]:
        return board
    h = maps.map_from_image @ board.image_from_template
    on_map = (apply_homography(maps.map_from_image, xy) for xy in (board.joints_px, board.samples_px))
    joints = joints_on_strokes(maps["strokes"], t, h, *on_map)
    joints_px, samples_px = (apply_homography(maps.image_from_map, xy) for xy in (joints, moved_samples(t, h, joints)))
    return replace(board, joints_px=joints_px, samples_px=samples_px)


def drawing_from_above(bgr: Image, t: Template, image_from_template: Float64Array) -> HeatMaps:
    """Return the maps of a picture as seen through a pose, the drawing in their middle, with a spacing around it."""
    low, high = t.sample_xy.min(0), t.sample_xy.max(0)
    around = BEYOND_SPACINGS * float(median(spacings(t.joints))) / float((high - low).max())
    return look_from_above(bgr, image_from_template, low, high, max(MARGIN, around / (1 + 2 * around)))


def candidate_at(maps: HeatMaps, t: Template, map_from_template: Float64Array, cue: str = "lines") -> BoardCandidate:
    """Return a template with its joints at the peaks that lie near them; rings become as wide and so turned."""
    _, (peaks, value) = joints_on(maps, cue, t.drawing == "lines")
    h, joints = map_from_template, apply_homography(map_from_template, t.joints)
    for _ in range(3 if len(peaks) else 0):
        on = apply_homography(h, t.joints)
        off = np.linalg.norm(on[:, None] - peaks[None], axis=2) / (JOINT_REACH * spacings(on))[:, None]
        nearest = peaks[off.argmin(1)]
        weight = np.maximum(0, 1 - off.min(1) ** 2) * value[off.argmin(1)]
        if (weight > 0).sum() < 6:
            break
        t = t.with_rings_at(apply_homography(inverses(h), nearest), weight) if t.board.rings else t
        h = fit_homographies(t.joints, nearest[None], weight[None] + 1e-6)[0]
        on = apply_homography(h, t.joints)
        joints = on + (TRUST * weight)[:, None] * (nearest - on)
    samples = moved_samples(t, h, joints)
    # Free rings lie near the holes of other boards, too: these must lie where the rings have them.
    judged = apply_homography(h, t.joints) if t.board.rings else joints
    return BoardCandidate(
        t,
        maps.image_from_map @ h,
        apply_homography(maps.image_from_map, joints),
        apply_homography(maps.image_from_map, samples),
        cue,
        agreement(maps, t, cue, judged, samples),
        value_at(maps["strokes"], samples) > SEEN,
    )


def moved_samples(t: Template, h: Float64Array, joints: Float64Array) -> Float64Array:
    """Return places on the strokes from joint to joint as these lie, (n_samples, 2)."""
    moved: Float64Array = apply_homography(h, t.sample_xy) + t.sample_weights @ (joints - apply_homography(h, t.joints))
    return moved


def agreement(maps: HeatMaps, t: Template, cue: str, joints: Float64Array, samples: Float64Array) -> dict[str, float]:
    """Return how well a template whose joints and samples lie there, map space, agrees with the maps.

    ``strokes``: the links that are seen less those that are not, by their middle parts, as a share of all in sight;
    ``weakest``: mean score of the least eighth of them. ``joints``: mean score of the joints; ``weakest_joints``: of
    the least quarter of them. ``own``: share of the strokes in the look that lies on the drawing. ``stray``: peaks on
    the board that it does not have, by joint. ``beyond``: score of the strokes where its links would go on beyond its
    outermost joints, as those of a larger grid do. ``crossed``: score of peaks in the midst of its long links, as where
    the lines of a finer grid cross them.
    """
    lines, here, on = maps["strokes"], maps.shows(samples), maps.shows(joints)
    scores, peaks = joints_on(maps, cue, t.drawing == "lines")
    if here.sum() < 10 or on.sum() < 4:
        return dict.fromkeys(FEATURES, 0.0)
    of_samples = np.minimum(value_at(lines, samples) / 0.5, 1)
    middle = here & t.is_in_middle
    n_of_link = np.bincount(t.sample_links[middle], minlength=len(t.links))
    total = np.bincount(t.sample_links[middle], of_samples[middle], len(t.links))
    of_links = total[n_of_link > 0] / n_of_link[n_of_link > 0]
    drawn, places = np.zeros(lines.shape, np.uint8), np.vstack([joints, samples])
    parts = np.round(np.clip(places, -999, 9999) * 16).astype(np.int32)  # of a pixel
    cv2.polylines(drawn, [parts[path] for path in t.paths], False, 1, 4, cv2.LINE_8, 4)
    of_joints = np.sort(np.minimum(value_at(scores, joints[on]) / 0.5, 1))
    own_places = joints if t.drawing == "lines" else np.vstack([joints, t.points_from_joints @ joints])
    hull, reach = cv2.convexHull(own_places.astype(np.float32)), float(median(spacings(joints)))
    if cue == "lines":
        peaks = _without_stitches(lines, drawn, reach, peaks)
    is_stray = np.linalg.norm(own_places[:, None] - peaks[0], axis=2).min(0) > JOINT_REACH * reach
    stray = sum(
        score
        for xy, score in zip(peaks[0][is_stray].tolist(), peaks[1][is_stray], strict=True)
        if cv2.pointPolygonTest(hull, xy, True) > -BEYOND_SPACINGS * reach
    )
    return {
        "strokes": float(np.clip((of_links - 0.5) / (1 - 0.5 - FEW), -1, 1).mean()),
        "weakest": float(np.sort(of_links)[: max(1, len(of_links) // 8)].mean()),
        "joints": float(of_joints.mean()),
        "weakest_joints": float(of_joints[: max(1, len(of_joints) // 4)].mean()),
        "own": float((lines * drawn).sum() / (lines.sum() + 1e-6)),
        "stray": min(float(stray) / len(joints), 1.0),
        "lines": float(of_samples[here].mean()),
        "beyond": _score_beyond(maps, t, joints),
        "crossed": _score_of_crossings(t, joints, samples, peaks) if len(peaks[0]) else 0.0,
    }


def _without_stitches(
    lines: Float32Array, drawn: NDArray[np.uint8], reach: float, peaks: tuple[Float64Array, Float64Array]
) -> tuple[Float64Array, Float64Array]:
    """Return peaks with no score where they lie on a stroke that is drawn and no other meets it: ends of stitches."""
    (xy, scores), apart = peaks, np.asarray(cv2.distanceTransform(1 - drawn, cv2.DIST_L2, 5), np.float32)
    size = 2 * max(1, round(MEETING_SPACINGS * reach)) + 1
    near = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    others = np.asarray(cv2.dilate(np.where(apart > STROKE_SPACINGS * reach, lines, np.float32(0)), near), np.float32)
    meets = np.minimum(value_at(others, xy, reach=0) / 0.5, 1)
    return xy, scores * np.where(value_at(apart, xy, reach=0) > STROKE_SPACINGS * reach, 1.0, meets)


def _score_of_crossings(
    t: Template, joints: Float64Array, samples: Float64Array, peaks: tuple[Float64Array, Float64Array]
) -> float:
    """Return the score of the peaks in the midst of the long links, a mean over these, 0 to 1."""
    drawn, length = (np.linalg.norm(xy[t.links[:, 1]] - xy[t.links[:, 0]], axis=1) for xy in (t.joints, joints))
    is_long = drawn > LONG_LINK * drawn.min()
    middle = t.is_in_middle & is_long[t.sample_links]
    link, (xy, scores) = t.sample_links[middle], peaks
    apart = ((samples[middle][:, None] - xy) ** 2).sum(2)
    crossing = np.where(apart < (CROSSING_REACH * length[link][:, None]) ** 2, np.minimum(scores / 0.5, 1), 0.0).max(1)
    of_links = np.zeros(len(t.links))
    np.maximum.at(of_links, link, crossing)
    return float(of_links[is_long].mean()) if is_long.any() else 0.0


def _score_beyond(maps: HeatMaps, t: Template, joints: Float64Array) -> float:
    """Return the score of the strokes beyond a drawing, in the direction of its outermost links, 0 to 1."""
    inner, outer = t.outgoing_links
    along = joints[outer] - joints[inner]
    along *= float(median(spacings(joints))) / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    ahead = joints[outer][:, None] + np.linspace(*BEYOND_SPAN, 5)[:, None] * along[:, None]
    here = maps.shows(ahead).all(1)
    if not here.any():
        return 0.0
    return float(np.minimum(value_at(maps["strokes"], ahead[here]).min(1) / 0.5, 1).mean())
