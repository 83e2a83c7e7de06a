"""Exact positions of the holes after a ring has turned.

The plane in which the discs turn is known to a pixel or two, which is the width of the rim of a hole. Each bare hole is
therefore matched with its own picture from before the rotation. The common shift of all holes of a ring moves all of
them, also those under stones: a wrong plane or axle shifts the holes of a circle by a constant and by one wave along
it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.patches import PATCH_SIDE, patch_axes_px, patch_disc_mask

MAX_HOLE_SHIFT_SAMPLES = 5
"""Largest shift of a hole that is searched, samples of a patch."""

MIN_HOLE_CORRELATION = 0.6
"""Normalised cross-correlation of a hole with its own picture from which its shift counts."""

MIN_ALIGNED_HOLES = 5
"""Holes that must match before a ring is moved, count: three parameters each way, and two holes more to check them."""

_CORE = patch_disc_mask(0.5)
"""Mask of the samples of a hole that are matched: within 0.5 units of the middle."""


def align_holes(
    field: Field, rotated: Float32Array, now: Float32Array, bare: NDArray[np.bool_], moved: NDArray[np.bool_]
) -> Field:
    """Return the field with the holes of turned rings, placed by the plane of the discs, moved to where they are seen.

    ``rotated`` and ``now`` are log colours of the patches: as expected from before the rotation
    (``patches.rotate_patches``), and as seen now at ``field``. ``moved`` are the points on rings that have turned. Only
    holes that were ``bare`` before count: stones are seen from another side after a rotation.
    """
    points_px, axes = field.points_px.copy(), patch_axes_px(field) * (2 / PATCH_SIDE)
    for ring in field.board.rings:
        holes = np.array(ring)
        if not moved[holes].any():
            continue
        shifts, correlation = zip(*(_best_shift(rotated[k, ..., 0], now[k, ..., 0]) for k in holes), strict=True)
        use = bare[holes] & (np.array(correlation) > MIN_HOLE_CORRELATION)
        if use.sum() >= MIN_ALIGNED_HOLES:
            smooth = _fit_wave(np.array(shifts), use)
            points_px[holes] += np.einsum("nij,nj->ni", axes[holes], smooth)
    return replace(field, points_px=points_px)


def _best_shift(before: Float32Array, now: Float32Array) -> tuple[tuple[float, float], float]:
    """Return the best shift (along columns, along rows) of a patch in samples, and its correlation (NCC)."""
    a = (before - before[_CORE].mean()) * _CORE
    b = now - now[_CORE].mean()
    reach, size = MAX_HOLE_SHIFT_SAMPLES + 1, 2 * MAX_HOLE_SHIFT_SAMPLES + 3
    fit = np.zeros((size, size))
    power = np.sqrt(float((a * a).sum())) + 1e-6
    for y in range(-reach, reach + 1):
        for x in range(-reach, reach + 1):
            moved = np.roll(b, (-y, -x), axis=(0, 1)) * _CORE
            fit[y + reach, x + reach] = float((a * moved).sum()) / (
                power * (np.sqrt(float((moved * moved).sum())) + 1e-6)
            )
    inner = fit[1:-1, 1:-1]
    row, column = (int(k) + 1 for k in np.unravel_index(int(inner.argmax()), inner.shape))
    best = float(fit[row, column])
    down = float(row - reach) + _parabola_peak(fit[row - 1 : row + 2, column])
    right = float(column - reach) + _parabola_peak(fit[row, column - 1 : column + 2])
    return (right, down), best


def _parabola_peak(three: Float64Array) -> float:
    """Return the offset of the peak of the parabola through three values from the middle one, -0.5 to 0.5."""
    left, top, right = three
    bend = left - 2 * top + right
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < -1e-9 else 0.0


def _fit_wave(shifts: Float64Array, use: NDArray[np.bool_]) -> Float64Array:
    """Return the fit of a constant and one wave around the ring for each direction (Cauchy weights); (n, 2)."""
    angle = 2 * np.pi * np.arange(len(shifts)) / len(shifts)
    waves = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], axis=1)
    weight: Float64Array = use.astype(np.float64)
    model: Float64Array = np.zeros((3, 2))
    for _ in range(5):
        weighted = waves * weight[:, None]
        model = np.asarray(np.linalg.solve(waves.T @ weighted + 0.05 * np.eye(3), weighted.T @ shifts), np.float64)
        apart = np.linalg.norm(shifts - waves @ model, axis=1)
        weight = use / (1 + (apart / 0.7) ** 2)
    return np.asarray(waves @ model, np.float64)
