"""Pairs of points in, the homography that fits them out; points and a homography in, points of the other space out.

Homographies are named destination_from_source, so that in a product the names that touch are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vision.imaging.frame import Float64Array


def apply_homography(destination_from_source: Float64Array, source_xy: ArrayLike) -> Float64Array:
    """Return the points of the source space as points of the destination space; any leading shape, last axis x, y."""
    xy = np.asarray(source_xy, dtype=np.float64)
    h = destination_from_source
    w = xy @ h[2, :2] + h[2, 2]
    destination_xy: Float64Array = (xy @ h[:2, :2].T + h[:2, 2]) / w[..., None]
    return destination_xy


def rotation(angle_rad: float | Float64Array) -> Float64Array:
    """Return the matrix (2, 2), or for n angles (2, 2, n), that turns a place about the origin, from x towards y."""
    return np.array([[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]])


def spacings(xy: Float64Array) -> Float64Array:
    """Return the distance from each point to its nearest neighbour, shape (n,); ``xy`` has shape (n, 2)."""
    apart = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest: Float64Array = apart.min(axis=1)
    return nearest


def fit_homography(source_xy: ArrayLike, destination_xy: ArrayLike, weights: ArrayLike | None = None) -> Float64Array:
    """Return the homography ``destination_from_source`` of (n, 2) pairs, n >= 4, with 1 in the last place.

    Normalised direct linear transform (Hartley and Zisserman, Multiple View Geometry, algorithm 4.2); ``weights`` are
    of the pairs, (n,). Raises ``ValueError`` when the arrays differ in shape or hold fewer than four points.
    """
    a = np.asarray(source_xy, dtype=np.float64)
    b = np.asarray(destination_xy, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 2 or a.shape[1] != 2 or len(a) < 4:
        raise ValueError(f"need two equal arrays of shape (n >= 4, 2), got {a.shape} and {b.shape}")
    ta, tb = _normaliser(a), _normaliser(b)
    a, b = apply_homography(ta, a), apply_homography(tb, b)
    one = np.ones(len(a))
    zero = np.zeros((len(a), 3))
    p = np.column_stack([a, one])
    rows = np.concatenate([np.hstack([p, zero, -b[:, :1] * p]), np.hstack([zero, p, -b[:, 1:] * p])])
    if weights is not None:
        rows *= np.sqrt(np.tile(np.asarray(weights, dtype=np.float64), 2))[:, None]
    _, _, vt = np.linalg.svd(rows, full_matrices=True)
    h = np.linalg.inv(tb) @ vt[-1].reshape(3, 3) @ ta
    scale = h[2, 2] if abs(h[2, 2]) > 1e-12 else 1.0
    fitted: Float64Array = h / scale
    return fitted


def _normaliser(xy: Float64Array) -> Float64Array:
    """Return the similarity that moves points to the origin with a mean distance of sqrt 2."""
    centre = xy.mean(0)
    scale = np.sqrt(2) / max(float(np.linalg.norm(xy - centre, axis=1).mean()), 1e-12)
    return np.array([[scale, 0, -scale * centre[0]], [0, scale, -scale * centre[1]], [0, 0, 1]])


def rotations_onto_itself(xy: Float64Array) -> tuple[tuple[int, ...], ...]:
    """Return every rotation of places, (n, 2), about the origin onto themselves; the identity comes first.

    Mirror images are left out: no camera looks through a mirror.
    """
    angles, radii = np.arctan2(xy[:, 1], xy[:, 0]), np.linalg.norm(xy, axis=1)
    lead = int(np.argmax(radii))
    rotations = []
    for target in np.flatnonzero(np.isclose(radii, radii[lead], atol=1e-6)):
        turned = xy @ rotation(angles[target] - angles[lead]).T
        apart = np.linalg.norm(turned[:, None] - xy[None], axis=2)
        if (apart.min(axis=1) < 1e-6).all():
            rotations.append(tuple(int(i) for i in apart.argmin(axis=1)))
    return tuple(sorted(rotations, key=lambda onto: sum(a != b for a, b in enumerate(onto))))


def enlargement(size_px: tuple[int, int], full_size_px: tuple[int, int]) -> Float64Array:
    """Return the homography from a reduced picture to the full one; sizes are widths and heights."""
    across, down = np.array(full_size_px) / np.array(size_px)
    return np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1.0]])
