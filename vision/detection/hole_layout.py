"""Layouts of the points of a board, from round blobs alone: boards of holes, dots or stones.

0. Blobs are peaks of the difference of two Gaussians in any channel of Lab (Lowe 2004). A peak counts by how much its
   middle differs from its surroundings in nearly every direction. So a stroke may run into a hole, but the ground
   between two holes is no blob.
1. Blobs of similar size form triples on a line, the middle one halfway. Every board of holes is full of them.
2. Two triples that share an end, or their middles, fix a homography for every such pair of triples of a board. Each is
   a hypothesis.
3. A hypothesis is scored by a log likelihood ratio: how much likelier the blobs are if that board lies there than if
   blobs were scattered at random. Points with a blob count for it. Points without one, and blobs that no point
   explains, count against it. So a small board inside a large one loses to the large one, and a piece of a regular
   pattern loses to the pattern that goes on beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.templates import Template
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import rotation, spacings
from vision.imaging.medians import median

MAX_RADIUS_RATIO = 1.9
"""Largest ratio of the radii of two blobs of a triple: a bright ball's glint is half as wide as its hole."""

MAX_SPACING_RADII, MIN_SPACING_RADII = 14.0, 1.9
"""Distance of neighbours in a triple, in radii of their blobs."""

MAX_MIDPOINT_OFFSET_ALONG, MAX_MIDPOINT_OFFSET_ACROSS = 0.2, 0.1
"""Largest distance of a triple's middle from halfway, shares of half its length: perspective, and hand-made boards."""

MAX_TRIPLES, MAX_TRIPLE_PAIRS = 700, 1500
"""Triples and pairs of triples that are used, the most regular ones."""

N_SCREENED_FULLY = 1500
"""Hypotheses that are screened with all points of the board."""

N_LAYOUTS_FITTED = (60, 12)
"""Hypotheses that are fitted coarsely, and finely."""

MIN_SCREENED_SHARE = 0.3
"""Least share of joints with a blob after the coarse fit: with fewer, those without one cost more than others bring."""

DISTANCE_MAP_SIDE = 320
"""Cells along the longer side of the distance map by which hypotheses are screened."""

BLOB_OFFSET_SIGMA_SPACINGS = 0.11
"""Standard deviation of a blob's distance from its point, spacings: hand-made boards, balls out of their holes."""

MAX_BLOB_OFFSET_SPACINGS = 0.34
"""Largest distance of a blob from its point, in spacings."""

P_POINT_HAS_BLOB = 0.9
"""Probability that a point of the board shows a blob."""

STRAY_BLOB_DENSITY = 0.02
"""Blobs on a board that belong to no point, per square spacing."""

MIN_BLOB_DENSITY = 0.12
"""Least density of blobs scattered at random, per square spacing."""

BLOB_IMAGE_SIDE_PX = 640
"""Longest side of the picture in which blobs are detected, px. A hole of 0.7 % of it is still 4 px across."""

BLOB_SIGMAS_PX = (1.5, 1.9, 2.4, 3.0, 3.8)
"""Standard deviations of the Gaussians in each octave, px. A blob of radius r responds most at about r / 1.5.
Neighbours have a ratio of about 1.26, three steps an octave."""

N_OCTAVES = 3
"""Sizes of the picture that are searched; each is half the one before."""

MIN_BLOB_CONTRAST_LAB = (2.5, 1.5, 1.5)
"""Least difference of a blob from its surroundings in L, a and b, levels of 8-bit Lab."""

N_BLOB_DIRECTIONS = 16
"""Directions in which the surroundings of a blob are sampled."""

N_IGNORED_DIRECTIONS = 2
"""Directions of least contrast that do not count: strokes run into holes. Along a stripe four or more show none."""

MAX_CURVATURE_RATIO = 8.0
"""Largest ratio of the two principal curvatures of a peak; that of a hole seen from 60 degrees is 4."""

MIN_CONTRAST_EVENNESS = 0.3
"""Least share of the median contrast that the least counted direction must reach. Along a stripe it is near 0."""

MAX_BLOBS = 140
"""Blobs that are kept, those of highest contrast."""


@dataclass(frozen=True, eq=False)
class HoleLayout:
    """The points of a board matched to blobs."""

    template: Template
    log_likelihood_ratio: float  # against blobs scattered at random, less log of the number of hypotheses; nats
    image_from_template: Float64Array
    joints_px: Float64Array  # (n_joints, 2), the blob of each joint, or its place by the homography; image space
    seen: NDArray[np.bool_]  # (n_joints,), whether each joint has a blob


class BlobPattern:
    """The blobs of a picture, with their triples and the layouts that several searches ask for."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._best: dict[Template, HoleLayout | None] = {}

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """The pairs of triples; None where there are too few blobs."""
        triples = collinear_triples(self._blobs) if len(self._blobs.xy_px) >= 7 else np.empty((0, 3), np.intp)
        return triple_pairs(self._blobs, triples) if len(triples) > 1 else None

    @cached_property
    def _distance(self) -> _DistanceMap:
        return _DistanceMap(self._blobs)

    def layouts(self, templates: Sequence[Template]) -> list[HoleLayout]:
        """Return the likeliest layout of each board, best first; all boards with the same points are kept."""
        found = [best for t in templates if t.drawing == "lines" and (best := self._best_layout(t)) is not None]
        return sorted(found, key=lambda layout: -layout.log_likelihood_ratio)

    def _best_layout(self, t: Template) -> HoleLayout | None:
        """Return the likeliest layout of one board; boards with the same points have the same."""
        if t not in self._best:
            alike = [o for o in self._best if o.joints.shape == t.joints.shape and np.allclose(o.joints, t.joints)]
            if alike:
                twin = self._best[alike[0]]
                self._best[t] = None if twin is None else replace(twin, template=t)
            else:
                self._best[t] = (
                    None if self._pairs is None else _best_layout(self._blobs, self._pairs, self._distance, t)
                )
        return self._best[t]


# ---------------------------------------------------------------- triples on a line


def collinear_triples(blobs: Blobs) -> NDArray[np.intp]:
    """Return triples (end, middle, end) of blobs on a line, both ways, the most regular first; shape (n, 3)."""
    xy, radius = blobs.xy_px, blobs.radius_px
    n = len(xy)
    first, last = np.triu_indices(n, 1)
    half_length = np.linalg.norm(xy[last] - xy[first], axis=1) / 2
    mean = np.sqrt(radius[first] * radius[last])
    ratio = np.maximum(radius[first], radius[last]) / np.minimum(radius[first], radius[last])
    fit = (
        (ratio < MAX_RADIUS_RATIO) & (half_length > MIN_SPACING_RADII * mean) & (half_length < MAX_SPACING_RADII * mean)
    )
    first, last, half_length, mean = first[fit], last[fit], half_length[fit], mean[fit]
    if len(first) == 0:
        return np.empty((0, 3), np.intp)
    direction = (xy[last] - xy[first]) / (2 * half_length[:, None])
    offset = xy[None] - ((xy[first] + xy[last]) / 2)[:, None]
    along = np.abs((offset * direction[:, None]).sum(2)) / half_length[:, None]
    across = (
        np.abs(offset[..., 0] * direction[:, None, 1] - offset[..., 1] * direction[:, None, 0]) / half_length[:, None]
    )
    size = np.abs(np.log(radius[None] / mean[:, None])) / np.log(MAX_RADIUS_RATIO)
    irregularity = (along / MAX_MIDPOINT_OFFSET_ALONG) ** 2 + (across / MAX_MIDPOINT_OFFSET_ACROSS) ** 2
    ends, middle = np.nonzero((irregularity < 1) & (size < 1))
    order = np.argsort(irregularity[ends, middle] + 0.5 * size[ends, middle] ** 2, kind="stable")[:MAX_TRIPLES]
    ends, middle = ends[order], middle[order]
    return np.concatenate(
        [np.column_stack([first[ends], middle, last[ends]]), np.column_stack([last[ends], middle, first[ends]])]
    )


@cache
def template_triple_pairs(template: Template) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of triples of a board; of pairs that a rotation of the board takes to each other only one.

    Corners, (n, 5), share an end: that joint, the middle and the end of one, those of the other clockwise. Crosses, (m,
    5), share their middle: that joint, the two ends of one, those of the other.
    """
    joints = template.joints
    n = len(joints)
    triples = []
    for a in range(n):
        for b in range(n):
            if a != b:
                near = np.linalg.norm(joints - (joints[a] + joints[b]) / 2, axis=1)
                middle = int(near.argmin())
                if near[middle] < 1e-6 and _are_linked(template, a, middle) and _are_linked(template, middle, b):
                    triples.append((a, middle, b))
    corners = [
        (a, m, b, k, c)
        for a, m, b in triples
        for a2, k, c in triples
        if a2 == a and _is_clockwise(joints[b] - joints[a], joints[c] - joints[a])
    ]
    crosses = [
        (m, a, b, c, d)
        for a, m, b in triples
        for c, k, d in triples
        if k == m and _is_clockwise(joints[b] - joints[a], joints[d] - joints[c])
    ]
    return _distinct_under_rotation(template, corners), _distinct_under_rotation(template, crosses)


def _are_linked(template: Template, a: int, b: int) -> bool:
    """Return whether the drawing has a link between two joints."""
    return bool(((template.links == (a, b)) | (template.links == (b, a))).all(1).any())


def _is_clockwise(one: Float64Array, two: Float64Array) -> bool:
    """Return whether the second direction lies 20 to 160 degrees clockwise of the first (y down)."""
    cross = one[0] * two[1] - one[1] * two[0]
    return bool(cross > 0.34 * np.linalg.norm(one) * np.linalg.norm(two))


def _distinct_under_rotation(template: Template, pairs: Sequence[tuple[int, ...]]) -> NDArray[np.intp]:
    """Return the pairs without those that a rotation of the board takes to one before them; shape (n, 5)."""
    kept: list[tuple[int, ...]] = []
    known: set[tuple[int, ...]] = set()
    for pair in pairs:
        if pair in known:
            continue
        kept.append(pair)
        for k in range(template.symmetry_order):
            rotated = template.joints[list(pair)] @ rotation(2 * np.pi * k / template.symmetry_order).T
            known.add(tuple(int(np.linalg.norm(template.joints - p, axis=1).argmin()) for p in rotated))
    return np.array(kept, np.intp).reshape(-1, 5)


def triple_pairs(blobs: Blobs, triples: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return pairs of triples of blobs that share an end, and a middle, as ``template_triple_pairs``; regular first."""
    xy = blobs.xy_px
    out = []
    for shared in (0, 1):
        found, worse = [], []
        for blob in np.unique(triples[:, shared]):
            rank = np.flatnonzero(triples[:, shared] == blob)
            here = triples[rank]
            rank = rank % (len(triples) // 2)  # the most regular triples come first, once in each direction
            a, b = np.divmod(np.arange(len(here) ** 2), len(here))
            direction = xy[here[:, 2]] - xy[here[:, 0]]
            length = np.linalg.norm(direction, axis=1)
            cross = direction[a, 0] * direction[b, 1] - direction[a, 1] * direction[b, 0]
            ratio = length[a] / length[b]
            good = (cross > 0.3 * length[a] * length[b]) & (ratio > 0.4) & (ratio < 2.5)
            a, b = a[good], b[good]
            worse.append(np.maximum(rank[a], rank[b]))
            if shared == 0:
                found.append(np.column_stack([here[a], here[b, 1:]]))
            else:
                found.append(np.column_stack([here[a, 1], here[a, 0], here[a, 2], here[b, 0], here[b, 2]]))
        pairs = np.concatenate(found) if found else np.empty((0, 5), np.intp)
        worse_rank = np.concatenate(worse) if worse else np.empty(0)
        out.append(pairs[np.argsort(worse_rank, kind="stable")[:MAX_TRIPLE_PAIRS]])
    return out[0], out[1]


# ---------------------------------------------------------------- hypotheses


def _best_layout(
    blobs: Blobs, pairs: tuple[NDArray[np.intp], NDArray[np.intp]], distance: _DistanceMap, t: Template
) -> HoleLayout | None:
    """Return the likeliest layout of one board; None where no hypothesis is plausible."""
    homographies, radii = [], []
    for blob_pairs, template_pairs in zip(pairs, template_triple_pairs(t), strict=True):
        if len(blob_pairs):
            for template_pair in template_pairs:
                weights = np.ones((len(blob_pairs), 5))
                homographies.append(_fit_homographies(t.joints[template_pair], blobs.xy_px[blob_pairs], weights))
                radii.append(median(blobs.radius_px[blob_pairs], axis=1))
    if not homographies:
        return None
    h, radius = np.concatenate(homographies), np.concatenate(radii)
    n_hypotheses = len(h)
    good = _is_plausible_view(h, t)
    h, radius = h[good], radius[good]
    if len(h) == 0:
        return None
    for reach, n_kept, least in zip((0.5, 0.42), N_LAYOUTS_FITTED, (0.0, MIN_SCREENED_SHARE), strict=True):
        score = _screen_hypotheses(distance, t, h, reach)
        if score.max() < least:
            return None
        order = np.argsort(-score, kind="stable")[:n_kept]
        h, radius = h[order], radius[order]
        for _ in range(3):
            xy, weight = _match_joints(blobs, t, h, radius, reach)
            h = _fit_homographies(np.broadcast_to(t.joints, xy.shape), xy, weight)
        good = _is_plausible_view(h, t)
        h, radius = h[good], radius[good]
        if len(h) == 0:
            return None
    scored = [_score_layout(blobs, t, h[k], float(radius[k])) for k in range(len(h))]
    best = max(scored, key=lambda c: c.log_likelihood_ratio)
    return replace(best, log_likelihood_ratio=best.log_likelihood_ratio - float(np.log(n_hypotheses)))


def _fit_homographies(template_xy: Float64Array, image_xy: Float64Array, weights: Float64Array) -> Float64Array:
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
    w = np.concatenate([weights, weights], axis=1)[..., None]
    target = np.concatenate([uv[..., 0], uv[..., 1]], axis=1)[..., None]
    prior = np.diag([1e-6] * 6 + [0.08] * 2)
    solved = np.linalg.solve(
        (design * w).transpose(0, 2, 1) @ design + prior, (design * w).transpose(0, 2, 1) @ target
    )[..., 0]
    h = np.concatenate([solved, np.ones((len(solved), 1))], axis=1).reshape(-1, 3, 3)
    denormalise = np.zeros_like(h)
    denormalise[:, 0, 0] = denormalise[:, 1, 1] = size
    denormalise[:, :2, 2] = middle
    denormalise[:, 2, 2] = 1
    out: Float64Array = denormalise @ h
    return out


def _is_plausible_view(h: Float64Array, t: Template) -> NDArray[np.bool_]:
    """Return which homographies a camera could see: not mirrored, no horizon across the board, not edge on."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    a = h[:, :2, :2] - h[:, :2, 2:] * h[:, 2:, :2]
    det = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    square = (a**2).sum((1, 2))
    good: NDArray[np.bool_] = (w.min(0) > 0.4 * w.max(0)) & (w.min(0) > 0) & (det > 0) & (det > 0.22 * square)
    return good


def _project_joints(t: Template, h: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the joints in the image, (n, m, 2), and the distance of each to its nearest neighbour, (n, m)."""
    homogeneous = np.concatenate([t.joints, np.ones((len(t.joints), 1))], axis=1) @ h.transpose(0, 2, 1)
    xy: Float64Array = homogeneous[..., :2] / homogeneous[..., 2:]
    a, b = _neighbour_pairs(t).T
    apart = np.linalg.norm(xy[:, a] - xy[:, b], axis=2)
    spacing = np.full(xy.shape[:2], np.inf)
    for k, (i, j) in enumerate(zip(a, b, strict=True)):
        spacing[:, i] = np.minimum(spacing[:, i], apart[:, k])
        spacing[:, j] = np.minimum(spacing[:, j], apart[:, k])
    return xy, spacing


@cache
def _neighbour_pairs(t: Template) -> NDArray[np.intp]:
    """Return the pairs of joints about as close as the nearest ones, (n_pairs, 2): one of them gives the spacing."""
    apart = np.linalg.norm(t.joints[:, None] - t.joints[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.argwhere(apart < 1.5 * apart.min(1)[:, None]).astype(np.intp)


def _screen_hypotheses(distance: _DistanceMap, t: Template, h: Float64Array, reach: float) -> Float64Array:
    """Return the share of joints with a blob within ``reach`` spacings, shape (n,); 0 after failing on a few."""
    some = np.arange(0, len(t.joints), max(1, len(t.joints) // 8))
    score = np.zeros(len(h))
    left = np.arange(len(h))
    for joints in (some, np.arange(len(t.joints))):  # some joints show whether it is worth screening with all
        w = t.joints[joints] @ h[left, 2, :2].T + h[left, 2, 2]
        x = (t.joints[joints] @ h[left, 0, :2].T + h[left, 0, 2]) / w
        y = (t.joints[joints] @ h[left, 1, :2].T + h[left, 1, 2]) / w
        scale = np.sqrt(np.abs(np.linalg.det(h[left]))) / np.abs(w) ** 1.5  # px per template unit at each joint
        near = reach * _joint_spacings(t)[joints][:, None] * scale
        score[left] = np.maximum(0, 1 - (distance.at(x, y) / near) ** 2).mean(0)
        left = np.argsort(-score, kind="stable")[:N_SCREENED_FULLY]
    out: Float64Array = np.zeros(len(h))
    out[left] = score[left]
    return out


@cache
def _joint_spacings(t: Template) -> Float64Array:
    """Return the distance of each joint to its nearest neighbour, template space."""
    return spacings(t.joints)


class _DistanceMap:
    """A map of the distance to the nearest blob, for many places at once."""

    def __init__(self, blobs: Blobs) -> None:
        low, high = blobs.xy_px.min(0), blobs.xy_px.max(0)
        self._low = low
        self._step = max(float((high - low).max()) / DISTANCE_MAP_SIDE, 1e-6)
        width, height = (np.ceil((high - low) / self._step) + 1).astype(int)
        free = np.full((height, width), 255, np.uint8)
        column, row = np.round((blobs.xy_px - low) / self._step).astype(int).T
        free[row, column] = 0
        self._map = cv2.distanceTransform(free, cv2.DIST_L2, 5) * np.float32(self._step)

    def at(self, x: Float64Array, y: Float64Array) -> Float64Array:
        """Return the distance at each place, image px; outside the map it grows with the distance to its border."""
        column, row = (x - self._low[0]) / self._step, (y - self._low[1]) / self._step
        height, width = self._map.shape
        inside_x, inside_y = np.clip(column, 0, width - 1), np.clip(row, 0, height - 1)
        beyond = (np.abs(column - inside_x) + np.abs(row - inside_y)) * self._step
        at = np.rint(inside_y).astype(np.intp) * width + np.rint(inside_x).astype(np.intp)
        found: Float64Array = self._map.ravel()[at] + beyond
        return found


def _nearest_blobs(blobs: Blobs, xy: Float64Array, radius: Float64Array) -> tuple[Float64Array, NDArray[np.intp]]:
    """Return the distance (n, m) to the nearest blob of similar size, and the index of that blob."""
    n, m = xy.shape[:2]
    flat = xy.reshape(-1, 2)
    # |a - b|^2 = |a|^2 + |b|^2 - 2 a.b: one product of matrices for all pairs.
    square = (flat**2).sum(1)[:, None] + (blobs.xy_px**2).sum(1)[None] - 2 * flat @ blobs.xy_px.T
    square = square.reshape(n, m, -1)
    unlike = np.abs(np.log(blobs.radius_px[None] / radius[:, None])) > np.log(MAX_RADIUS_RATIO)
    square += np.where(unlike, 1e12, 0.0)[:, None]
    nearest = square.argmin(2)
    found = np.take_along_axis(square, nearest[..., None], 2)[..., 0]
    return np.sqrt(np.maximum(found, 0)), nearest


def _match_joints(
    blobs: Blobs, t: Template, h: Float64Array, radius: Float64Array, reach: float
) -> tuple[Float64Array, Float64Array]:
    """Return the nearest blob of each joint, (n, m, 2), and its weight, (n, m)."""
    xy, spacing = _project_joints(t, h)
    off, nearest = _nearest_blobs(blobs, xy, radius)
    off = off / spacing
    return blobs.xy_px[nearest], np.maximum(0, 1 - (off / reach) ** 2) + 1e-6


def _score_layout(blobs: Blobs, t: Template, h: Float64Array, radius: float) -> HoleLayout:
    """Return a layout with its log likelihood ratio against blobs scattered at random."""
    xy, spacing = (k[0] for k in _project_joints(t, h[None]))
    off, nearest = (k[0] for k in _nearest_blobs(blobs, xy[None], np.array([radius])))
    off = off / spacing
    seen = off < MAX_BLOB_OFFSET_SPACINGS
    # Two joints cannot share a blob.
    for blob in np.unique(nearest[seen]):
        same = np.flatnonzero(seen & (nearest == blob))
        seen[np.delete(same, int(off[same].argmin()))] = False
    typical = float(median(spacing))
    hull = cv2.convexHull(xy.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    middle = xy.mean(0)
    size = np.sqrt(cv2.contourArea(hull.astype(np.float32)))
    if size <= 0:
        return HoleLayout(t, -np.inf, h, xy, seen)
    similar = np.abs(np.log(blobs.radius_px / radius)) < np.log(MAX_RADIUS_RATIO)
    grown = (hull - middle) * (1 + 1.6 * typical / size) + middle
    depth, depth_grown = _depth_inside(hull, blobs.xy_px), _depth_inside(grown, blobs.xy_px)
    to_joint = (np.linalg.norm(blobs.xy_px[:, None] - xy[None], axis=2) / spacing).min(1)
    unexplained = similar & (to_joint > 0.45)
    inside = unexplained & (depth > -0.4 * typical)
    around = unexplained & ~inside & (depth_grown >= 0)
    area = cv2.contourArea(grown.astype(np.float32)) / typical**2
    density = max(MIN_BLOB_DENSITY, float((similar & (depth_grown >= 0)).sum()) / area)
    local = density * (spacing / typical) ** 2
    hit = (
        np.log(P_POINT_HAS_BLOB / (2 * np.pi * BLOB_OFFSET_SIGMA_SPACINGS**2 * local))
        - 0.5 * (off / BLOB_OFFSET_SIGMA_SPACINGS) ** 2
    )
    missed = np.log(1 - P_POINT_HAS_BLOB)
    nats = np.where(seen, np.maximum(hit, missed), missed).sum()
    nats_per_stray = np.log(density / STRAY_BLOB_DENSITY) if density > STRAY_BLOB_DENSITY else 0.0
    nats -= nats_per_stray * (float(inside.sum()) + 0.35 * float(around.sum()))
    joints = np.where(seen[:, None], blobs.xy_px[nearest], xy)
    return HoleLayout(t, float(nats), h / h[2, 2], joints, seen)


def _depth_inside(outline: Float64Array, xy: Float64Array) -> Float64Array:
    """Return the depth of each place inside a convex outline, px; negative outside; shape (n,)."""
    side = np.roll(outline, -1, axis=0) - outline
    length = np.maximum(np.linalg.norm(side, axis=1), 1e-9)
    offset = xy[:, None] - outline
    across = (side[:, 0] * offset[..., 1] - side[:, 1] * offset[..., 0]) / length
    along = np.clip((offset * side).sum(-1) / length**2, 0, 1)
    distance = np.linalg.norm(offset - along[..., None] * side, axis=-1).min(axis=1)
    inside = (across >= 0).all(axis=1) | (across <= 0).all(axis=1)
    depth: Float64Array = np.where(inside, distance, -distance)
    return depth


@dataclass(frozen=True, eq=False)
class Blobs:
    """Round blobs, that of highest contrast first."""

    xy_px: Float64Array  # (n, 2), image space
    radius_px: Float64Array  # (n,)
    contrast: Float64Array  # (n,), difference from the surroundings in units of ``MIN_BLOB_CONTRAST_LAB``


def detect_blobs(bgr: Image) -> Blobs:
    """Return the blobs of a picture of shape (H, W, 3), in its image space; a small picture is enlarged first."""
    factor = BLOB_IMAGE_SIDE_PX / max(bgr.shape[:2])
    size = max(16, round(bgr.shape[1] * factor)), max(16, round(bgr.shape[0] * factor))
    resized = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    lab = cv2.cvtColor(resized, cv2.COLOR_BGR2LAB).astype(np.float32)
    found = []
    for octave in range(N_OCTAVES):
        shrinkage = 2**octave
        level = cv2.resize(lab, None, fx=1 / shrinkage, fy=1 / shrinkage, interpolation=cv2.INTER_AREA)
        blobs = _blobs_at_scale(np.asarray(level, dtype=np.float32))
        blobs[:, :2] = (blobs[:, :2] + 0.5) * shrinkage - 0.5
        blobs[:, 2] *= shrinkage
        found.append(blobs)
    x, y, radius, contrast = np.concatenate(found).T
    order = np.argsort(-contrast, kind="stable")
    x, y, radius, contrast = x[order], y[order], radius[order], contrast[order]
    kept: list[int] = []
    left = np.ones(len(x), np.bool_)
    while left.any() and len(kept) < MAX_BLOBS:
        # Non-maximum suppression: the same blob responds at several sizes and in several channels.
        i = int(left.argmax())
        kept.append(i)
        left &= np.hypot(x - x[i], y - y[i]) > 0.8 * np.maximum(radius[i], 0.7 * radius)
    xy = (np.column_stack([x[kept], y[kept]]) + 0.5) / factor - 0.5
    return Blobs(xy, radius[kept] / factor, contrast[kept])


def _blobs_at_scale(lab: Float32Array) -> Float64Array:
    """Return the blobs in one size of the picture: x, y, radius and contrast; shape (n, 4)."""
    out = [np.empty((0, 4))]
    width = lab.shape[1]
    blurred = [np.asarray(cv2.GaussianBlur(lab, (0, 0), s), dtype=np.float32) for s in BLOB_SIGMAS_PX]
    planes = [np.asarray(plane, dtype=np.float32) for plane in cv2.split(blurred[0])]
    for k in range(len(BLOB_SIGMAS_PX) - 1):
        sigma = float(np.sqrt(BLOB_SIGMAS_PX[k] * BLOB_SIGMAS_PX[k + 1]))
        radius = 1.5 * sigma
        for c, response in enumerate(cv2.split(blurred[k + 1] - blurred[k])):  # positive for dark blobs
            for sign in (1, -1):
                layer = np.asarray(response * np.float32(sign), dtype=np.float32)
                peak = layer > 0.12 * MIN_BLOB_CONTRAST_LAB[c]
                peak &= layer == cv2.dilate(layer, np.ones((3, 3), np.uint8))
                peak[:2] = peak[-2:] = peak[:, :2] = peak[:, -2:] = False
                rows, columns = np.divmod(np.flatnonzero(peak), width)
                even = _is_no_ridge(layer, rows, columns)
                rows, columns = rows[even], columns[even]
                if len(rows) == 0:
                    continue
                plane = planes[c]
                contrast = _directional_contrast(plane, rows, columns, radius, sign) / MIN_BLOB_CONTRAST_LAB[c]
                good = contrast > 1
                rows, columns, contrast = rows[good], columns[good], contrast[good]
                xy = np.column_stack([columns, rows]) + _subpixel_offsets(layer, rows, columns)
                out.append(np.column_stack([xy, np.full(len(rows), radius), contrast]))
    return np.concatenate(out)


def _directional_contrast(
    plane: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp], radius: float, sign: int
) -> Float64Array:
    """Return how blobs differ from their surroundings in (nearly) every direction, levels; 0 where it varies much."""
    angle = np.arange(N_BLOB_DIRECTIONS) * (2 * np.pi / N_BLOB_DIRECTIONS)
    far, near = 1.75 * radius, 0.45 * radius

    def at(distance: float) -> Float32Array:
        x = columns[:, None] + distance * np.cos(angle)
        y = rows[:, None] + distance * np.sin(angle)
        sampled = cv2.remap(
            plane, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(sampled, dtype=np.float32)

    middle = (at(near).mean(1) + plane[rows, columns]) / 2
    contrast = sign * (at(far) - middle[:, None])
    ordered = np.sort(contrast, axis=1).astype(np.float64)
    least, median = ordered[:, N_IGNORED_DIRECTIONS], ordered[:, N_BLOB_DIRECTIONS // 2]
    return np.where(least > MIN_CONTRAST_EVENNESS * median, least, 0.0)


def _is_no_ridge(layer: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which peaks are no ridges, by the ratio of their principal curvatures; bool array of shape (n,)."""
    height, width = layer.shape
    y, x = np.clip(rows, 1, height - 2), np.clip(columns, 1, width - 2)
    middle = layer[y, x]
    xx, yy = layer[y, x + 1] + layer[y, x - 1] - 2 * middle, layer[y + 1, x] + layer[y - 1, x] - 2 * middle
    xy = (layer[y + 1, x + 1] + layer[y - 1, x - 1] - layer[y - 1, x + 1] - layer[y + 1, x - 1]) / 4
    det = xx * yy - xy * xy
    even: NDArray[np.bool_] = (det > 0) & ((xx + yy) ** 2 * MAX_CURVATURE_RATIO < det * (MAX_CURVATURE_RATIO + 1) ** 2)
    return even


def _subpixel_offsets(layer: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Float64Array:
    """Return the offset of each peak within its pixel, -0.5 to 0.5 px in x and y; shape (n, 2)."""
    middle = layer[rows, columns]
    out = []
    for dy, dx in ((0, 1), (1, 0)):
        ahead, behind = layer[rows + dy, columns + dx], layer[rows - dy, columns - dx]
        curvature = np.maximum(2 * middle - ahead - behind, 1e-6)
        out.append(np.clip((ahead - behind) / (2 * curvature), -0.5, 0.5))
    return np.column_stack(out).astype(np.float64)
