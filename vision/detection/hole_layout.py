"""Boards of holes, dots or stones: the points themselves are seen, whatever lies between them.

Round spots of a like size (``blobs``) are put together to rows of three with the middle one halfway; two rows that
share a corner, or their middles, suggest a plane for every such pair of rows of a board. A suggestion is worth the
logarithm of how much likelier the spots are if that board lies there than if spots were strewn at random: points with
a spot speak for it, points without one and spots that no point explains against it. So a small board inside a large
one loses to the large one, and a piece of a regular pattern loses to the pattern going on beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.blobs import Blobs
from vision.detection.collinear_spots import ALIKE, kinds_of, pairs_of, rows_of
from vision.detection.templates import Template
from vision.imaging.homography import Floats, spacings

MOST_LOOKED = 1500
"""Suggestions of which all points are looked at."""

TRIED = (60, 12)
"""Suggestions that are fitted roughly, and finely."""

DISTANCE_SIDE = 320
"""Cells along the longer side of the map of distances in which suggestions are glanced at."""

SIGMA = 0.11
"""Typical distance of a spot from its point, in spacings: hand-made boards, balls that stand out of their holes."""

REACH = 0.34
"""Largest distance of a spot from its point, in spacings."""

SEEN = 0.9
"""How many of the points of a board show a spot."""

STRAY = 0.02
"""Spots on a board that belong to no point, per square spacing."""

LEAST_DENSITY = 0.12
"""Spots per square spacing of the commonplace at least."""


@dataclass(frozen=True, eq=False)
class Constellation:
    """The points of a board laid on spots.

    Attributes
    ----------
    template : Template
    evidence : float
        Nats for this board here against spots strewn at random, less what it cost to pick it from all suggestions.
    image_from_template : float64 array of shape (3, 3)
    joints_px : float64 array of shape (n_joints, 2)
        Where the spots are; where none is, where the plane puts the point. Image space.
    seen : bool array of shape (n_joints,)
        Which joints have a spot.
    """

    template: Template
    evidence: float
    image_from_template: Floats
    joints_px: Floats
    seen: NDArray[np.bool_]


def constellations(spots: Blobs, templates: Sequence[Template]) -> list[Constellation]:
    """Boards that the spots show, the likeliest place of each, best first; of boards with the same points all."""
    if len(spots.xy_px) < 7:
        return []
    rows = rows_of(spots)
    if len(rows) < 2:
        return []
    two_rows, distance = pairs_of(spots, rows), _Distance(spots)
    found: list[Constellation] = []
    done: list[tuple[Template, Constellation | None]] = []
    for t in templates:
        if t.drawing != "lines":
            continue
        twin = next((c for o, c in done if o.joints.shape == t.joints.shape and np.allclose(o.joints, t.joints)), None)
        best = twin if twin is not None else _best(spots, two_rows, distance, t)
        done.append((t, best))
        if best is not None:
            found.append(Constellation(t, best.evidence, best.image_from_template, best.joints_px, best.seen))
    return sorted(found, key=lambda c: -c.evidence)


def _best(
    spots: Blobs, two_rows: tuple[NDArray[np.intp], NDArray[np.intp]], distance: _Distance, t: Template
) -> Constellation | None:
    poses, radii = [], []
    for pairs, kinds in zip(two_rows, kinds_of(t), strict=True):
        if len(pairs):
            for kind in kinds:
                weights = np.ones((len(pairs), 5))
                poses.append(_planes(t.joints[kind], spots.xy_px[pairs], weights))
                radii.append(np.median(spots.radius_px[pairs], axis=1))
    if not poses:
        return None
    h, radius = np.concatenate(poses), np.concatenate(radii)
    n_suggested = len(h)
    good = _possible(h, t)
    h, radius = h[good], radius[good]
    if len(h) == 0:
        return None
    for reach, keep in zip((0.5, 0.42), TRIED, strict=True):
        worth = _glance(distance, t, h, reach)
        order = np.argsort(-worth, kind="stable")[:keep]
        h, radius = h[order], radius[order]
        for _ in range(3):
            xy, weight, _ = _match(spots, t, h, radius, reach)
            h = _planes(np.broadcast_to(t.joints, xy.shape), xy, weight)
        good = _possible(h, t)
        h, radius = h[good], radius[good]
        if len(h) == 0:
            return None
    laid = [_weigh(spots, t, h[k], float(radius[k])) for k in range(len(h))]
    best = max(laid, key=lambda c: c.evidence)
    cost = float(np.log(n_suggested))
    return Constellation(t, best.evidence - cost, best.image_from_template, best.joints_px, best.seen)


def _planes(template_xy: Floats, image_xy: Floats, weights: Floats) -> Floats:
    """Homographies (n, 3, 3) that take points (m, 2) or (n, m, 2) to (n, m, 2), hardly leaning where little is known.

    Linear least squares in which the two terms of perspective are drawn to 0.
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
    back = np.zeros_like(h)
    back[:, 0, 0] = back[:, 1, 1] = size
    back[:, :2, 2] = middle
    back[:, 2, 2] = 1
    out: Floats = back @ h
    return out


def _possible(h: Floats, t: Template) -> NDArray[np.bool_]:
    """Which planes could be a board before a camera: no mirror, no horizon across it, not a splinter."""
    w = t.joints @ h[:, 2, :2].T + h[:, 2, 2]
    a = h[:, :2, :2] - h[:, :2, 2:] * h[:, 2:, :2]
    det = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    square = (a**2).sum((1, 2))
    good: NDArray[np.bool_] = (w.min(0) > 0.4 * w.max(0)) & (w.min(0) > 0) & (det > 0) & (det > 0.22 * square)
    return good


def _lay(t: Template, h: Floats) -> tuple[Floats, Floats]:
    """Joints in the image (n, m, 2) and the distance of each to its nearest neighbour (n, m)."""
    homogeneous = np.concatenate([t.joints, np.ones((len(t.joints), 1))], axis=1) @ h.transpose(0, 2, 1)
    xy: Floats = homogeneous[..., :2] / homogeneous[..., 2:]
    a, b = _neighbours(t).T
    apart = np.linalg.norm(xy[:, a] - xy[:, b], axis=2)
    spacing = np.full(xy.shape[:2], np.inf)
    for k, (i, j) in enumerate(zip(a, b, strict=True)):
        spacing[:, i] = np.minimum(spacing[:, i], apart[:, k])
        spacing[:, j] = np.minimum(spacing[:, j], apart[:, k])
    return xy, spacing


@cache
def _neighbours(t: Template) -> NDArray[np.intp]:
    apart = np.linalg.norm(t.joints[:, None] - t.joints[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.argwhere(apart < 1.5 * apart.min(1)[:, None]).astype(np.intp)


def _glance(distance: _Distance, t: Template, h: Floats, reach: float) -> Floats:
    """Share of the points with a spot nearby, (n,)."""
    few = np.arange(0, len(t.joints), max(1, len(t.joints) // 8))
    worth = np.zeros(len(h))
    left = np.arange(len(h))
    for joints in (few, np.arange(len(t.joints))):  # a few points tell whether it is worth looking at all of them
        w = t.joints[joints] @ h[left, 2, :2].T + h[left, 2, 2]
        x = (t.joints[joints] @ h[left, 0, :2].T + h[left, 0, 2]) / w
        y = (t.joints[joints] @ h[left, 1, :2].T + h[left, 1, 2]) / w
        size = np.sqrt(np.abs(np.linalg.det(h[left]))) / np.abs(w) ** 1.5  # of a small square there
        near = reach * _spacings(t)[joints][:, None] * size
        worth[left] = np.maximum(0, 1 - (distance.at(x, y) / near) ** 2).mean(0)
        left = np.argsort(-worth, kind="stable")[:MOST_LOOKED]
    out: Floats = np.zeros(len(h))
    out[left] = worth[left]
    return out


@cache
def _spacings(t: Template) -> Floats:
    """Distance of each joint to its nearest neighbour, template space."""
    return spacings(t.joints)


class _Distance:
    """A map of the distance to the nearest spot, for many places at once."""

    def __init__(self, spots: Blobs) -> None:
        low, high = spots.xy_px.min(0), spots.xy_px.max(0)
        self._low = low
        self._step = max(float((high - low).max()) / DISTANCE_SIDE, 1e-6)
        width, height = (np.ceil((high - low) / self._step) + 1).astype(int)
        free = np.full((height, width), 255, np.uint8)
        column, row = np.round((spots.xy_px - low) / self._step).astype(int).T
        free[row, column] = 0
        self._map = cv2.distanceTransform(free, cv2.DIST_L2, 5) * np.float32(self._step)

    def at(self, x: Floats, y: Floats) -> Floats:
        """Distance at each place, image px; beyond all spots it grows with the way to the map's rim."""
        column, row = (x - self._low[0]) / self._step, (y - self._low[1]) / self._step
        height, width = self._map.shape
        inside_x, inside_y = np.clip(column, 0, width - 1), np.clip(row, 0, height - 1)
        beyond = (np.abs(column - inside_x) + np.abs(row - inside_y)) * self._step
        at = np.rint(inside_y).astype(np.intp) * width + np.rint(inside_x).astype(np.intp)
        found: Floats = self._map.ravel()[at] + beyond
        return found


def _nearest(spots: Blobs, xy: Floats, radius: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Distance (n, m) to the nearest spot of a like size and which one it is."""
    n, m = xy.shape[:2]
    flat = xy.reshape(-1, 2)
    # |a - b|^2 = |a|^2 + |b|^2 - 2 a.b: one product of matrices for all pairs.
    square = (flat**2).sum(1)[:, None] + (spots.xy_px**2).sum(1)[None] - 2 * flat @ spots.xy_px.T
    square = square.reshape(n, m, -1)
    unlike = np.abs(np.log(spots.radius_px[None] / radius[:, None])) > np.log(ALIKE)
    square += np.where(unlike, 1e12, 0.0)[:, None]
    nearest = square.argmin(2)
    found = np.take_along_axis(square, nearest[..., None], 2)[..., 0]
    return np.sqrt(np.maximum(found, 0)), nearest


def _match(spots: Blobs, t: Template, h: Floats, radius: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """The spot of each joint, how much it counts, and its distance in spacings."""
    xy, spacing = _lay(t, h)
    off, nearest = _nearest(spots, xy, radius)
    off = off / spacing
    return spots.xy_px[nearest], np.maximum(0, 1 - (off / reach) ** 2) + 1e-6, off


def _weigh(spots: Blobs, t: Template, h: Floats, radius: float) -> Constellation:
    xy, spacing = (k[0] for k in _lay(t, h[None]))
    off, nearest = (k[0] for k in _nearest(spots, xy[None], np.array([radius])))
    off = off / spacing
    seen = off < REACH
    # Two points cannot share a spot.
    for spot in np.unique(nearest[seen]):
        same = np.flatnonzero(seen & (nearest == spot))
        seen[np.delete(same, int(off[same].argmin()))] = False
    typical = float(np.median(spacing))
    hull = cv2.convexHull(xy.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    middle = xy.mean(0)
    size = np.sqrt(cv2.contourArea(hull.astype(np.float32)))
    if size <= 0:
        return Constellation(t, -np.inf, h, xy, seen)
    alike = np.abs(np.log(spots.radius_px / radius)) < np.log(ALIKE)
    grown = (hull - middle) * (1 + 1.6 * typical / size) + middle
    depth, around = _depth(hull, spots.xy_px), _depth(grown, spots.xy_px)
    to_point = (np.linalg.norm(spots.xy_px[:, None] - xy[None], axis=2) / spacing).min(1)
    free = alike & (to_point > 0.45)
    inside = free & (depth > -0.4 * typical)
    rim = free & ~inside & (around >= 0)
    area = cv2.contourArea(grown.astype(np.float32)) / typical**2
    density = max(LEAST_DENSITY, float((alike & (around >= 0)).sum()) / area)
    local = density * (spacing / typical) ** 2
    hit = np.log(SEEN / (2 * np.pi * SIGMA**2 * local)) - 0.5 * (off / SIGMA) ** 2
    missed = np.log(1 - SEEN)
    evidence = np.where(seen, np.maximum(hit, missed), missed).sum()
    against = np.log(density / STRAY) if density > STRAY else 0.0
    evidence -= against * (float(inside.sum()) + 0.35 * float(rim.sum()))
    joints = np.where(seen[:, None], spots.xy_px[nearest], xy)
    return Constellation(t, float(evidence), h / h[2, 2], joints, seen)


def _depth(outline: Floats, xy: Floats) -> Floats:
    """How far each place lies within a convex outline, negative outside."""
    rim = outline.astype(np.float32)
    return np.array([cv2.pointPolygonTest(rim, (float(x), float(y)), True) for x, y in xy])
