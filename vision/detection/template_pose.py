"""Poses of a board's drawings on the maps of a picture: where each would lie, and how well it agrees with the maps.

1. Peaks of joints and points that lie in a row, the middle one halfway, are triples. Those with strokes between come
   first. Two triples that share a joint fix a homography for every such pair of a drawing; where a board is cut off,
   two linked neighbours of a joint fix an affinity.
2. Each is a hypothesis. Those whose joints lie nearest to peaks are fitted to these, and the best one is kept.
3. The picture is looked at again through the best pose, as from above. There joints move to peaks and to where strokes
   meet. Strokes, joints and what the drawing leaves unexplained say how likely it is a board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE, confidence_models
from vision.detection.stroke_fit import joints_on_strokes
from vision.detection.templates import Template
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography, fit_homography, rotation, spacings
from vision.imaging.medians import median
from vision.networks.heat_maps import MARGIN, HeatMaps, look_from_above, peaks_of, value_at

MIN_PEAK, MAX_PEAKS = 0.2, 45
"""Probability from which a peak counts, and the number of peaks that count."""

MAX_OFF_MIDDLE_ALONG, MAX_OFF_MIDDLE_ACROSS = 0.2, 0.1
"""Largest distance of a triple's middle from halfway, shares of half its length: perspective, and hand-made boards."""

MAX_TRIPLES, MAX_SEEDS = 80, 60
"""Triples, and seeds of each kind, that are used: the most regular ones."""

N_FITTED = (16, 4)
"""Hypotheses that are fitted coarsely, and finely."""

UNSEEN_WARMTH, WIDE_PX = 0.3, 5
"""Warmth of places beyond the rim of the picture, and over how many pixels of a map warmth is spread for poses."""

REACHES = (0.5, 0.42)
"""Distance from a peak within which a joint is drawn to it in the two fits, spacings."""

MIN_ROUGH_POSTERIOR, N_PLACED = 0.01, 6
"""Posterior from which a board is looked at from above, and how many drawings are compared there."""

MAX_LOOKS_ABOVE = 3
"""How often the board that is rated best is looked at from above: another one may be the best in that look."""

MIN_SPACING_PX = 5.0
"""Least distance of neighbouring joints on a map, px: those of spots that can be told apart."""

RIVAL_RATING = 0.1
"""Difference of their ratings up to which two boards are equally likely."""

SEEN_BEYOND, MAYBE_SEEN_BEYOND = 0.5, 0.4
"""How well what a larger board has beyond a smaller one must be seen for it to win, and to be named beside that one.
Source: measured, at most 0.26 in 16 photographs of nine men's morris on wood, 0.57 of the diagonals of a template."""

LEAST_SEEN = {"lines": ("lines", 0.5), "holes": ("spots", 0.3)}
"""What must be seen of a board by the way in which it was found: a feature, and how much of it.
Source: measured, 1,485 lessons (``tools/finder/lessons.json``): 52 right boards and 260 wrong ones show less."""

MAX_STRAY = 0.6
"""Most that a board may leave unexplained, as ``stray``.
Source: measured, the same lessons: three right boards leave more, and 173 wrong ones."""

MAX_CROSSED = 0.7
"""Most that its long links may be crossed, as ``crossed``: more is a finer grid.
Source: measured, the same lessons: no right board of 763 is crossed more, and 113 wrong ones are."""

TRUST = 0.8
"""How far a joint is drawn from where the homography puts it to a clear peak at that place. Source: measured, 43 boards
of drawn tables, point error in the median 0.036 (0), 0.035 (0.5), 0.032 (0.8), 0.033 spacings (1)."""

SEEN_STROKE = 0.3
"""Warmth from which a stroke is seen."""

FEATURES = ("strokes", "weakest", "spots", "least_spots", "own", "stray", "lines", "beyond", "crossed")
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

JOINT_REACH = 0.34
"""Largest distance of a joint from where the homography puts it, spacings: hand-made boards."""


@dataclass(frozen=True, eq=False)
class PlacedBoard:
    """A drawing of a board as it may lie in a picture."""

    template: Template
    image_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), image space
    samples_px: Float64Array  # (n_samples, 2), places on the strokes, from joint to joint
    way: str  # whether it was found by its "lines" or by its "holes" alone
    features: dict[str, float]  # how well it agrees with the maps, see ``agreement``
    sample_seen: NDArray[np.bool_]  # (n_samples,), which places on its strokes are seen

    @cached_property
    def points_px(self) -> Float64Array:
        """The points of the board, (n_points, 2), image space."""
        points: Float64Array = self.template.points_from_joints @ self.joints_px
        return points

    @property
    def rating(self) -> float:
        """How well it agrees with the maps, for comparing drawings: what it explains, less what it lacks."""
        seen = self.features
        return seen["spots"] - 0.5 * seen["stray"] + max(seen["strokes"], 0.0) * (1 + seen["own"])

    @cached_property
    def posterior(self) -> float:
        """How likely this is the board, if it is rated best, however little of it is seen."""
        return confidence_models()[self.way].posterior(self.features)

    @cached_property
    def confidence(self) -> float:
        """The posterior; 0 where too little is seen to announce turns on, or too much is left unexplained."""
        (feature, least), seen = LEAST_SEEN[self.way], self.features
        is_other = seen["stray"] > MAX_STRAY or self.is_crossed
        return 0.0 if seen[feature] < least or is_other else self.posterior

    @property
    def is_crossed(self) -> bool:
        """Whether it is a part of a finer grid."""
        return self.features["crossed"] > MAX_CROSSED

    def registration(self, confidence: float) -> Registration:
        """Return the field, the board's "up" as upward in the picture as its symmetry allows."""
        t, points = self.template, self.points_px
        xy = np.array(t.board.xy)
        h = fit_homography(xy, points)
        turns = [rotation(2 * np.pi * k / t.symmetry_order) for k in range(t.symmetry_order)]
        middle = apply_homography(h, np.array([0.5, 0.5]))
        up = [apply_homography(h, turn @ np.array([0.0, -0.5]) + 0.5)[1] - middle[1] for turn in turns]
        turned = (xy - 0.5) @ turns[int(np.argmin(up))].T + 0.5
        order = np.linalg.norm(turned[:, None] - xy[None], axis=2).argmin(1)
        placed = points[order]
        return Registration(Field(t.board, t.drawing, placed, fit_homography(xy, placed)), confidence)


# ---------------------------------------------------------------- seeds


@dataclass(frozen=True, eq=False)
class Peaks:
    """Places that look like joints or points, with what may be strokes between them."""

    xy: Float64Array  # (n, 2), map space, the clearest first
    linked: Float64Array  # (n, n), how warm the strokes are between two of them
    spots: Float32Array  # (h + 2, w + 2), the map in which they are peaks, widened, with a rim of ``UNSEEN_WARMTH``
    strokes: Float32Array  # the same of strokes

    @cached_property
    def seeds(self) -> tuple[NDArray[np.intp], ...]:
        """Pairs of triples that share an end, a middle, a middle and an end, (n, 5), and linked corners, (n, 3)."""
        triples, cost = _regular_triples(self)
        pairs = [_pairs_of(self.xy, triples, kind, cost) for kind in SHARED]
        return (*pairs, _corners_of(self.xy, self.linked))

    def warmth_under(self, t: Template, h: Float64Array) -> Float64Array:
        """Return how warm the maps are under the joints and the middles of the links in some poses, (n,): 0 to 2."""
        out = np.zeros(len(h))
        middle = np.abs(t.sample_fractions - 0.5) < 0.5 / 3
        for heat, places in ((self.spots, t.joints), (self.strokes, t.sample_xy[middle])):
            x, y = _places_in(h.astype(np.float32), places.astype(np.float32))
            out += cv2.remap(heat, x + 1, y + 1, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE).mean(1)
        return out


SHARED = ((0, 0), (1, 1), (1, 0))
"""Places of the joint that two triples share, in each of them."""


def clearest_peaks(maps: HeatMaps, heat: Float32Array) -> Peaks:
    """Return the peaks of one of the maps."""
    xy, value = peaks_of(heat, MIN_PEAK)
    xy = xy[np.argsort(-value, kind="stable")[:MAX_PEAKS]]
    share = np.linspace(0.15, 0.85, 8)[:, None, None, None]
    between = value_at(maps["strokes"], xy[None, :, None] * (1 - share) + xy[None, None] * share)
    wide = (
        np.where(maps.inside, cv2.dilate(one, np.ones((WIDE_PX, WIDE_PX), np.uint8)), np.float32(UNSEEN_WARMTH))
        for one in (heat, maps["strokes"])
    )
    return Peaks(xy, np.sort(between, axis=0)[1], *(np.pad(one, 1, constant_values=UNSEEN_WARMTH) for one in wide))


def _regular_triples(peaks: Peaks) -> tuple[NDArray[np.intp], Float64Array]:
    """Return triples (end, middle, end) in a row, both ways, the most regular first; (n, 3), and their costs, (n,)."""
    xy = peaks.xy
    first, last = np.triu_indices(len(xy), 1)
    half = (xy[last] - xy[first]) / 2
    length = np.linalg.norm(half, axis=1)
    off = xy[None] - ((xy[first] + xy[last]) / 2)[:, None]
    along = (off * half[:, None]).sum(2) / length[:, None] ** 2
    across = (off[..., 0] * half[:, None, 1] - off[..., 1] * half[:, None, 0]) / length[:, None] ** 2
    cost = (along / MAX_OFF_MIDDLE_ALONG) ** 2 + (across / MAX_OFF_MIDDLE_ACROSS) ** 2
    ends, middle = np.nonzero(cost < 1)
    cost = cost[ends, middle] + 2 - peaks.linked[first[ends], middle] - peaks.linked[middle, last[ends]]
    order = np.argsort(cost, kind="stable")[:MAX_TRIPLES]
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
    way = xy[triples[:, 2]] - xy[triples[:, 0]]
    length = np.linalg.norm(way, axis=1)
    cross = way[one, 0] * way[other, 1] - way[one, 1] * way[other, 0]
    good = cross > 0.3 * length[one] * length[other]
    if cost is not None:
        good &= np.abs(np.log(length[one] / length[other])) < np.log(2.5)
        order = np.argsort(np.maximum(cost[one], cost[other])[good], kind="stable")[:MAX_SEEDS]
        good = np.flatnonzero(good)[order]
    joined: NDArray[np.intp] = np.hstack([triples[one[good]], np.delete(triples[other[good]], kind[1], axis=1)])
    return joined


def _corners_of(xy: Float64Array, linked: Float64Array) -> NDArray[np.intp]:
    """Return joints with two linked neighbours, the second clockwise of the first, the best linked first: (n, 3)."""
    n = len(xy)
    near = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    ends = [np.flatnonzero((linked[k] > 0.5) & (near[k] > 0)) for k in range(n)]
    found = [(a, k, b) for k in range(n) for a in ends[k] for b in ends[k] if a != b]
    if not found:
        return np.empty((0, 3), np.intp)
    corners = np.array(found, np.intp)
    one, other = (xy[corners[:, end]] - xy[corners[:, 1]] for end in (0, 2))
    cross = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    corners = corners[cross > 0.34 * np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)]
    warmth = np.minimum(linked[corners[:, 0], corners[:, 1]], linked[corners[:, 1], corners[:, 2]])
    long = np.linalg.norm(xy[corners[:, 0]] - xy[corners[:, 2]], axis=1)
    best: NDArray[np.intp] = corners[np.argsort(-warmth * long, kind="stable")[:MAX_SEEDS]]
    return best


@cache
def template_seeds(t: Template) -> tuple[NDArray[np.intp], ...]:
    """Return the seeds of a drawing, as ``Peaks.seeds``; of those that a turn takes to each other only one."""
    n, joints = len(t.joints), t.joints
    linked = np.zeros((n, n), np.bool_)
    linked[tuple(t.links.T)] = linked[tuple(t.links.T[::-1])] = True
    rows = np.array(
        [
            (a, m, b)
            for m in range(n)
            for a in np.flatnonzero(linked[m])
            for b in np.flatnonzero(linked[m])
            if a != b and np.linalg.norm(joints[a] + joints[b] - 2 * joints[m]) < 1e-6
        ],
        np.intp,
    ).reshape(-1, 3)
    pairs = [_pairs_of(joints, rows, kind) for kind in SHARED]
    corners = _corners_of(joints, linked.astype(np.float64))
    return tuple(_distinct(t, seeds) for seeds in (*pairs, corners))


def _distinct(t: Template, seeds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the seeds without those that a turn of the board takes to one before them."""
    kept, known = [], set[tuple[int, ...]]()
    turned = [t.joints @ rotation(2 * np.pi * k / t.symmetry_order).T for k in range(t.symmetry_order)]
    onto = [np.linalg.norm(xy[:, None] - t.joints[None], axis=2).argmin(1) for xy in turned]
    for seed in seeds:
        if tuple(seed.tolist()) not in known:
            kept.append(seed)
            known |= {tuple(turn[seed].tolist()) for turn in onto}
    return np.array(kept, np.intp).reshape(-1, seeds.shape[1])


# ---------------------------------------------------------------- hypotheses


def best_pose(peaks: Peaks, t: Template) -> Float64Array | None:
    """Return the pose of a drawing under which the maps are warmest, ``map_from_template``."""
    poses = [np.empty((0, 3, 3))]
    for seen, drawn in zip(peaks.seeds, template_seeds(t), strict=True):
        of_drawing, in_picture = np.repeat(drawn, len(seen), axis=0), np.tile(seen, (len(drawn), 1))
        poses.append(fit_homographies(t.joints[of_drawing], peaks.xy[in_picture], np.ones(in_picture.shape)))
    h = _warmest(peaks, t, np.concatenate(poses), N_FITTED[0])
    for reach, n_kept in zip(REACHES, (N_FITTED[1], 1), strict=True):
        for _ in range(3 if len(h) else 0):
            xy, weight = _matched(peaks, t, h, reach)
            h = fit_homographies(t.joints, xy, weight + 1e-6)
        h = _warmest(peaks, t, h, n_kept)
    return h[0] if len(h) else None


def _warmest(peaks: Peaks, t: Template, h: Float64Array, n: int) -> Float64Array:
    """Return the n of some poses that a camera could see under which the maps are warmest, the warmest first."""
    h = h[_is_plausible_view(h, t)]
    return h[np.argsort(-peaks.warmth_under(t, h), kind="stable")[:n]] if len(h) else h


def _matched(peaks: Peaks, t: Template, h: Float64Array, reach: float) -> tuple[Float64Array, Float64Array]:
    """Return the peak nearest to each joint, (n, m, 2), and how near it is, (n, m): 1 at its place, 0 at ``reach``."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    scale = np.sqrt(np.abs(np.linalg.det(h)))[:, None] / np.abs(w.T) ** 1.5  # px per unit of the template
    x, y = _places_in(h, t.joints)
    square = (x[..., None] - peaks.xy[:, 0]) ** 2 + (y[..., None] - peaks.xy[:, 1]) ** 2
    nearest = square.argmin(2)
    off = np.take_along_axis(square, nearest[..., None], 2)[..., 0]
    return peaks.xy[nearest], np.maximum(0, 1 - off / (reach * spacings(t.joints) * scale) ** 2)


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
    solved = np.linalg.solve(weighted @ design + np.diag([1e-6] * 6 + [0.08] * 2), weighted @ target)[..., 0]
    h = np.concatenate([solved, np.ones((len(solved), 1))], axis=1).reshape(-1, 3, 3)
    denormalise = np.zeros_like(h)
    denormalise[:, 0, 0] = denormalise[:, 1, 1] = size
    denormalise[:, :2, 2] = middle
    denormalise[:, 2, 2] = 1
    out: Float64Array = denormalise @ h
    return out


def _is_plausible_view(h: Float64Array, t: Template) -> NDArray[np.bool_]:
    """Return which homographies, to map space, a camera could see: not mirrored, not edge on, with room for joints."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    spacing = (
        float(spacings(t.joints).min()) * np.sqrt(np.abs(np.linalg.det(h))) / np.maximum(np.abs(w).max(0), 1e-9) ** 1.5
    )
    a = h[:, :2, :2] - h[:, :2, 2:] * h[:, 2:, :2]
    det = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    good: NDArray[np.bool_] = (w.min(0) > 0.4 * w.max(0)) & (w.min(0) > 0) & (det > 0.22 * (a**2).sum((1, 2)))
    good &= spacing > MIN_SPACING_PX
    return good


# ---------------------------------------------------------------- from above


def place_drawings(
    bgr: Image, looks: Iterable[HeatMaps], templates: Sequence[Template], known: Sequence[PlacedBoard] = ()
) -> tuple[PlacedBoard, ...]:
    """Return where each drawing lies in a picture, the best rated first; some places may be known before.

    One look after the other is taken until a board is clear. Each drawing is placed on each look, and its best rated
    place counts. What is likely lies where a look through the best pose shows it, and is rated by that.
    """
    best = list(known)
    for maps in looks:
        best = _best_of_each([*best, *placed_on(maps, templates)])
        if _is_clear(best) and _is_near_enough(maps, best[0], templates):
            break
    ranked = tuple(best)
    for _ in range(MAX_LOOKS_ABOVE):
        if not ranked or ranked[0].posterior <= MIN_ROUGH_POSTERIOR:
            break
        first, above = ranked[0], drawing_from_above(bgr, ranked[0].template, ranked[0].image_from_template)
        placed = [placed_from_above(above, one.template, one.image_from_template, one.way) for one in ranked[:N_PLACED]]
        ranked = (*_best_of_each(placed), *ranked[N_PLACED:])
        if (ranked[0].template, ranked[0].way) == (first.template, first.way):
            break
    return larger_first(ranked)


def larger_first(ranked: Sequence[PlacedBoard]) -> tuple[PlacedBoard, ...]:
    """Return the boards with the largest one first that the best one is a part of and that is seen."""
    largest = larger_than_best(ranked, SEEN_BEYOND)
    return tuple(ranked) if largest is None else (largest, *(one for one in ranked if one is not largest))


def larger_than_best(ranked: Sequence[PlacedBoard], least: float) -> PlacedBoard | None:
    """Return the largest likely board that the best one is a part of, and of which so much is seen beyond that."""
    likely = [one for one in ranked[1:N_PLACED] if one.confidence >= MIN_BOARD_CONFIDENCE]
    larger = [one for one in likely if seen_beyond(one, ranked[0]) >= least]
    return max(larger, key=lambda one: len(one.template.links), default=None)


def seen_beyond(larger: PlacedBoard, smaller: PlacedBoard) -> float:
    """Return how well what a board has beyond another is seen, as a share of how well that one is; 0 if it is no part.

    A small share of either may lie elsewhere: joints are not placed alike.
    """
    reach = (0.2 * float(median(spacings(larger.joints_px)))) ** 2
    one, other = larger.samples_px, smaller.samples_px
    apart = (one**2).sum(1)[:, None] - 2 * one @ other.T + (other**2).sum(1)  # squares
    beyond = apart.min(1) > reach
    if (apart.min(0) > reach).mean() > 0.1 or beyond.mean() < 0.1:
        return 0.0
    return float(larger.sample_seen[beyond].mean() / max(smaller.sample_seen.mean(), 0.1))


def placed_on(maps: HeatMaps, templates: Sequence[Template]) -> list[PlacedBoard]:
    """Return each drawing in its best pose on one look, as far as there is one."""
    out = []
    for way, is_lines in (("lines", True), ("lines", False), ("holes", True)):
        drawn = [t for t in templates if (t.drawing == "lines") is is_lines]
        if drawn:
            peaks = clearest_peaks(maps, spots_of(maps, way, is_lines))
            poses = [(t, best_pose(peaks, t)) for t in drawn]
            out += [place(maps, t, pose, way) for t, pose in poses if pose is not None]
    return out


def spots_of(maps: HeatMaps, way: str, at_joints: bool) -> Float32Array:
    """Return the map of what should be at the joints of a drawing, whose points may lie there."""
    if way == "holes":
        return maps["holes"]
    return np.asarray(np.maximum(maps["joints"], maps["points"]) if at_joints else maps["joints"], np.float32)


def _best_of_each(boards: Sequence[PlacedBoard]) -> list[PlacedBoard]:
    """Return the best rated place of each drawing by each way, the best rated of those that are likely first."""
    once: dict[tuple[Template, str], PlacedBoard] = {}
    for board in sorted(boards, key=lambda board: -board.rating):
        once.setdefault((board.template, board.way), board)
    least = max((board.confidence for board in once.values()), default=0.0) / 2
    return sorted(once.values(), key=lambda board: (board.confidence < least and not board.is_crossed, -board.rating))


def _is_clear(ranked: Sequence[PlacedBoard]) -> bool:
    """Return whether the first board is certain by its strokes, and no other drawing nearly as good."""
    if not ranked or ranked[0].way != "lines" or ranked[0].confidence < CERTAIN_CONFIDENCE:
        return False
    best, *others = ranked
    return all(one.template is best.template or one.rating < best.rating - RIVAL_RATING for one in others)


def _is_near_enough(maps: HeatMaps, best: PlacedBoard, templates: Sequence[Template]) -> bool:
    """Return whether the joints of each drawing could be told apart in a look if it lay where the best board lies."""
    size_px = float(np.ptp(apply_homography(maps.map_from_image, best.joints_px), axis=0).min())
    finest = min(float(spacings(t.joints).min() / np.ptp(t.joints, axis=0).max()) for t in templates)
    return finest * size_px > MIN_SPACING_PX


def placed_from_above(
    maps: HeatMaps, t: Template, image_from_template: Float64Array, way: str = "lines"
) -> PlacedBoard:
    """Return a drawing on a look from above, its joints where strokes meet, where most of its strokes are seen."""
    board = place(maps, t, maps.map_from_image @ image_from_template, way)
    if board.features["lines"] < LEAST_SEEN["lines"][1]:
        return board
    h = maps.map_from_image @ board.image_from_template
    lying = (apply_homography(maps.map_from_image, xy) for xy in (board.joints_px, board.samples_px))
    joints = joints_on_strokes(maps["strokes"], t, h, *lying)
    joints_px, samples_px = (apply_homography(maps.image_from_map, xy) for xy in (joints, moved_samples(t, h, joints)))
    return replace(board, joints_px=joints_px, samples_px=samples_px)


def drawing_from_above(bgr: Image, t: Template, image_from_template: Float64Array) -> HeatMaps:
    """Return the maps of a picture as seen through a pose, the drawing in their middle, with a spacing around it."""
    low, high = t.sample_xy.min(0), t.sample_xy.max(0)
    around = BEYOND_SPACINGS * float(median(spacings(t.joints))) / float((high - low).max())
    return look_from_above(bgr, image_from_template, low, high, max(MARGIN, around / (1 + 2 * around)))


def place(maps: HeatMaps, t: Template, map_from_template: Float64Array, way: str = "lines") -> PlacedBoard:
    """Return a drawing with its joints at the peaks that lie near them."""
    heat = spots_of(maps, way, t.drawing == "lines")
    peaks, value = peaks_of(heat, MIN_PEAK)
    h, joints = map_from_template, apply_homography(map_from_template, t.joints)
    for _ in range(3 if len(peaks) else 0):
        on = apply_homography(h, t.joints)
        off = np.linalg.norm(on[:, None] - peaks[None], axis=2) / (JOINT_REACH * spacings(on))[:, None]
        nearest = peaks[off.argmin(1)]
        weight = np.maximum(0, 1 - off.min(1) ** 2) * value[off.argmin(1)]
        if (weight > 0).sum() < 6:
            break
        h = fit_homographies(t.joints, nearest[None], weight[None] + 1e-6)[0]
        on = apply_homography(h, t.joints)
        joints = on + (TRUST * weight)[:, None] * (nearest - on)
    samples = moved_samples(t, h, joints)
    return PlacedBoard(
        t,
        maps.image_from_map @ h,
        apply_homography(maps.image_from_map, joints),
        apply_homography(maps.image_from_map, samples),
        way,
        agreement(maps, t, way, joints, samples, (peaks, value)),
        value_at(maps["strokes"], samples) > SEEN_STROKE,
    )


def moved_samples(t: Template, h: Float64Array, joints: Float64Array) -> Float64Array:
    """Return places on the strokes from joint to joint as these lie, (n_samples, 2)."""
    moved: Float64Array = apply_homography(h, t.sample_xy) + t.sample_weights @ (joints - apply_homography(h, t.joints))
    return moved


def agreement(
    maps: HeatMaps,
    t: Template,
    way: str,
    joints: Float64Array,
    samples: Float64Array,
    peaks: tuple[Float64Array, Float64Array],
) -> dict[str, float]:
    """Return how well a drawing whose joints and samples lie there, map space, agrees with the maps.

    ``strokes``: the links that are seen less those that are not, by their middle parts, as a share of all in sight;
    ``weakest``: how warm the coldest eighth of them is. ``spots``: how warm the maps are where the drawing has joints;
    ``least_spots``: the coldest quarter of them. ``own``: which share of the strokes' warmth in the look
    lies on the drawing. ``stray``: warmth of peaks on the board that it does not have, by joint. ``beyond``: how warm
    it is where its links would go on beyond its outermost joints, as those of a larger grid do. ``crossed``: how warm
    peaks in the midst of its long links are, as where the lines of a finer grid cross them.
    """
    lines, here, on = maps["strokes"], maps.shows(samples), maps.shows(joints)
    if here.sum() < 10 or on.sum() < 4:
        return dict.fromkeys(FEATURES, 0.0)
    warmth = np.minimum(value_at(lines, samples) / 0.5, 1)
    middle = here & (np.abs(t.sample_fractions - 0.5) < 0.35)
    n_of_link = np.bincount(t.sample_links[middle], minlength=len(t.links))
    warmth_of_link = np.bincount(t.sample_links[middle], warmth[middle], len(t.links))
    of_links = warmth_of_link[n_of_link > 0] / n_of_link[n_of_link > 0]
    drawn, places = np.zeros(lines.shape, np.uint8), np.vstack([joints, samples])
    places = np.round(np.clip(places, -999, 9999) * 16).astype(np.int32)  # in parts of a pixel
    cv2.polylines(drawn, [places[way] for way in t.ways], False, 1, 4, cv2.LINE_8, 4)
    spots = value_at(spots_of(maps, way, t.drawing == "lines"), joints[on])
    known = joints if t.drawing == "lines" else np.vstack([joints, t.points_from_joints @ joints])
    hull, reach = cv2.convexHull(known.astype(np.float32)), float(median(spacings(joints)))
    if way == "lines":
        peaks = _without_stitches(lines, drawn, reach, peaks)
    is_stray = np.linalg.norm(known[:, None] - peaks[0], axis=2).min(0) > 0.3 * reach
    stray = sum(
        warm
        for xy, warm in zip(peaks[0][is_stray].tolist(), peaks[1][is_stray], strict=True)
        if cv2.pointPolygonTest(hull, xy, True) > -BEYOND_SPACINGS * reach
    )
    return {
        "strokes": float(np.clip((of_links - 0.5) / 0.4, -1, 1).mean()),
        "weakest": float(np.sort(of_links)[: max(1, len(of_links) // 8)].mean()),
        "spots": float(np.minimum(spots / 0.5, 1).mean()),
        "least_spots": float(np.sort(np.minimum(spots / 0.5, 1))[: max(1, len(spots) // 4)].mean()),
        "own": float((lines * drawn).sum() / (lines.sum() + 1e-6)),
        "stray": min(float(stray) / len(joints), 1.0),
        "lines": float(warmth[here].mean()),
        "beyond": _warmth_beyond(maps, t, joints),
        "crossed": _warmth_of_crossings(t, joints, samples, peaks) if len(peaks[0]) else 0.0,
    }


def _without_stitches(
    lines: Float32Array, drawn: NDArray[np.uint8], reach: float, peaks: tuple[Float64Array, Float64Array]
) -> tuple[Float64Array, Float64Array]:
    """Return peaks with no warmth where they lie on a stroke that is drawn and no other meets it: ends of stitches."""
    (xy, warmth), apart = peaks, np.asarray(cv2.distanceTransform(1 - drawn, cv2.DIST_L2, 5), np.float32)
    size = 2 * max(1, round(MEETING_SPACINGS * reach)) + 1
    near = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    others = np.asarray(cv2.dilate(np.where(apart > STROKE_SPACINGS * reach, lines, np.float32(0)), near), np.float32)
    meets = np.minimum(value_at(others, xy, reach=0) / 0.5, 1)
    return xy, warmth * np.where(value_at(apart, xy, reach=0) > STROKE_SPACINGS * reach, 1.0, meets)


def _warmth_of_crossings(
    t: Template, joints: Float64Array, samples: Float64Array, peaks: tuple[Float64Array, Float64Array]
) -> float:
    """Return how warm the peaks in the midst of the long links are, a mean over these, 0 to 1."""
    middle = np.abs(t.sample_fractions - 0.5) < 0.3
    link, (xy, warmth) = t.sample_links[middle], peaks
    length = np.linalg.norm(joints[t.links[:, 1]] - joints[t.links[:, 0]], axis=1)
    apart = np.linalg.norm(samples[middle][:, None] - xy, axis=2)
    crossing = np.where(apart < CROSSING_REACH * length[link][:, None], np.minimum(warmth / 0.5, 1), 0.0).max(1)
    of_links = np.zeros(len(t.links))
    np.maximum.at(of_links, link, crossing)
    drawn = np.linalg.norm(t.joints[t.links[:, 1]] - t.joints[t.links[:, 0]], axis=1)
    is_long = drawn > LONG_LINK * drawn.min()
    return float(of_links[is_long].mean()) if is_long.any() else 0.0


def _warmth_beyond(maps: HeatMaps, t: Template, joints: Float64Array) -> float:
    """Return how warm the strokes are beyond a drawing, in the direction of its outermost links, 0 to 1."""
    inner, outer = outgoing_links(t)
    way = joints[outer] - joints[inner]
    way *= float(median(spacings(joints))) / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    ahead = joints[outer][:, None] + np.linspace(*BEYOND_SPAN, 5)[:, None] * way[:, None]
    here = maps.shows(ahead).all(1)
    if not here.any():
        return 0.0
    return float(np.minimum(value_at(maps["strokes"], ahead[here]).min(1) / 0.5, 1).mean())


@cache
def outgoing_links(t: Template) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the links that leave a drawing where they go on: their inner and their outer joint, (n,) each."""
    hull, reach = cv2.convexHull(t.joints.astype(np.float32)), float(median(spacings(t.joints)))
    pairs = np.vstack([t.links, t.links[:, ::-1]])
    way = t.joints[pairs[:, 1]] - t.joints[pairs[:, 0]]
    ahead = t.joints[pairs[:, 1]] + reach * way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    outside = np.array([cv2.pointPolygonTest(hull, xy, True) for xy in ahead.tolist()]) < -0.5 * reach
    return pairs[outside, 0], pairs[outside, 1]
