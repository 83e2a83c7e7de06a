"""After a ring has turned: where exactly its holes lie now.

The plane in which discs turn is known to a pixel or two, which is the width of a hole's rim. So each bare hole is
compared with its own picture before the turn, and what all holes of a ring say together moves them all, those under
stones too: a wrong plane or axle shifts the holes of a circle by a constant and one wave along it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.homography import Floats
from vision.imaging.patches import SIDE, axes_of, samples_per_unit
from vision.imaging.patches import Floats as Floats32

MOST_OFF = 5
"""Samples of a patch by which a hole may lie off."""

ALIKE = 0.6
"""Correlation with its own picture from which a hole is heard."""

LEAST_HOLES = 5
"""Holes that must be heard to move a ring: three numbers each way, and two more to check them."""

_ROWS, _COLUMNS = np.indices((SIDE, SIDE))
_CORE = np.hypot(_ROWS - (SIDE - 1) / 2, _COLUMNS - (SIDE - 1) / 2) <= 0.5 * samples_per_unit()


def seat(field: Field, carried: Floats32, now: Floats32, bare: NDArray[np.bool_], moved: NDArray[np.bool_]) -> Field:
    """Move the holes of turned rings to where they are seen.

    Parameters
    ----------
    field : Field
        With the holes where the plane of the discs puts them.
    carried, now : float32 arrays of shape (n_points, SIDE, SIDE, 3)
        Log colours: what each hole looked like before the turn, see ``patches.carry``, and now at ``field``.
    bare : bool array of shape (n_points,)
        Holes that were bare before; a stone is seen from another side after a turn.
    moved : bool array of shape (n_points,)
        Points on rings that have turned.

    Returns
    -------
    Field
    """
    points_px, axes = field.points_px.copy(), axes_of(field) * (2 / SIDE)
    for ring in field.board.rings:
        holes = np.array(ring)
        if not moved[holes].any():
            continue
        shifts, alike = zip(*(_shift(carried[k, ..., 0], now[k, ..., 0]) for k in holes), strict=True)
        heard = bare[holes] & (np.array(alike) > ALIKE)
        if heard.sum() >= LEAST_HOLES:
            smooth = _smooth(np.array(shifts), heard)
            points_px[holes] += np.einsum("nij,nj->ni", axes[holes], smooth)
    return replace(field, points_px=points_px)


def _shift(before: NDArray[np.float32], now: NDArray[np.float32]) -> tuple[tuple[float, float], float]:
    """Samples (along columns, along rows) by which a patch has moved, and how alike the two are then."""
    a = (before - before[_CORE].mean()) * _CORE
    b = now - now[_CORE].mean()
    reach, size = MOST_OFF + 1, 2 * MOST_OFF + 3
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
    down = float(row - reach) + _vertex(fit[row - 1 : row + 2, column])
    right = float(column - reach) + _vertex(fit[row, column - 1 : column + 2])
    return (right, down), best


def _vertex(three: Floats) -> float:
    left, top, right = three
    bend = left - 2 * top + right
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < -1e-9 else 0.0


def _smooth(shifts: Floats, heard: NDArray[np.bool_]) -> Floats:
    """A constant and one wave around the ring for each direction, by least squares with Cauchy weights."""
    angle = 2 * np.pi * np.arange(len(shifts)) / len(shifts)
    waves = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], axis=1)
    weight: Floats = heard.astype(np.float64)
    model: Floats = np.zeros((3, 2))
    for _ in range(5):
        weighted = waves * weight[:, None]
        model = np.asarray(np.linalg.solve(waves.T @ weighted + 0.05 * np.eye(3), weighted.T @ shifts), np.float64)
        apart = np.linalg.norm(shifts - waves @ model, axis=1)
        weight = heard / (1 + (apart / 0.7) ** 2)
    return np.asarray(waves @ model, np.float64)
