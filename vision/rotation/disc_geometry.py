"""A field with rings in; the plane in which its discs turn about one axle, and their holes after a rotation, out.

The holes of a hand-made disc are crooked, so the homography of the ideal board puts no single hole in its place, and
its centre is not the axle. All rings turn about one axle, however, so the plane is fitted to that condition. It is
known to a pixel or two, the width of the rim of a hole. After a rotation each bare hole is therefore matched with its
own picture from before it, and the common shift of all holes of a ring moves all of them: a wrong plane or axle shifts
the holes of a circle by a constant and by one wave along it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.homography import apply_homography, rotation
from vision.imaging.medians import median
from vision.imaging.patches import (
    CELL,
    PATCH_SIDE,
    SAME_SURFACE_CORRELATION,
    patch_axes_px,
)

DISC_STRIP_REACH = 0.42
"""Reach of a strip to both sides of its holes, in distances to the next ring: short of the next disc's rim."""

MAX_HOLE_SHIFT_SAMPLES = 5
"""Largest shift of a hole that is searched, samples of a patch."""

MIN_ALIGNED_HOLES = 5
"""Holes that must match before a ring is moved, count: three parameters each way, and two holes more to check them."""


@dataclass(frozen=True, eq=False)
class DiscGeometry:
    """The plane in which the discs turn about the origin.

    ``board_from_disc`` leads from that plane, in which the outermost ring has radius 1, to board space. It stays valid
    when the camera moves, because ``Field.image_from_board`` moves with the camera.
    """

    board_from_disc: Float64Array
    radii: Float64Array  # (n_rings,), of the rings of holes, outermost first

    def image_from_disc(self, field: Field) -> Float64Array:
        """Return the homography from the plane of the discs to the picture of ``field``, shape (3, 3)."""
        return np.asarray(field.image_from_board @ self.board_from_disc, np.float64)

    def strip_places(self, field: Field, n_rows: int, angles_rad: Float64Array) -> list[Float32Array]:
        """Return the places of a strip around each disc, outer row first, (n_rows, n_angles, 2), image px."""
        spoke = np.stack([np.cos(angles_rad), np.sin(angles_rad)], axis=-1)
        strips = []
        for k, radius in enumerate(self.radii):
            gap = float(np.abs(np.delete(self.radii, k) - radius).min())
            across = radius + DISC_STRIP_REACH * gap * np.linspace(1, -1, n_rows)
            places = apply_homography(self.image_from_disc(field), across[:, None, None] * spoke)
            strips.append(places.astype(np.float32))
        return strips


def fit_disc_geometry(field: Field) -> DiscGeometry:
    """Return the plane and axle under which rings come closest to circles with even steps (Cauchy weights)."""
    rings = [list(ring) for ring in field.board.rings]
    ideal = np.asarray(field.board.xy, np.float64) - 0.5
    flat = apply_homography(np.linalg.inv(field.image_from_board).astype(np.float64), field.points_px) - 0.5
    size = max(float(np.linalg.norm(flat[ring], axis=1).mean()) for ring in rings)
    flat = flat / size
    even = [np.exp(-1j * np.arctan2(ideal[ring, 1], ideal[ring, 0])) for ring in rings]

    def on_plane(x: Float64Array) -> Float64Array:
        return apply_homography(_plane(x), flat)

    def residuals(x: Float64Array) -> Float64Array:
        places = on_plane(x)
        # Rotated back to one place, the holes of a ring lie on each other, except for their crookedness.
        back = [(places[ring, 0] + 1j * places[ring, 1]) * turn for ring, turn in zip(rings, even, strict=True)]
        apart = np.concatenate([one - one.mean() for one in back])
        return np.concatenate([apart.real, apart.imag])

    x = np.zeros(6)
    for _ in range(8):  # Gauss-Newton: nearly linear in six small numbers, so that four would do
        now = residuals(x)
        slope = np.stack([(residuals(x + 1e-5 * unit) - now) / 1e-5 for unit in np.eye(6)], axis=1)
        weight = 1 / (1 + (now / (2 * float(median(np.abs(now))) + 1e-6)) ** 2)
        x = x - np.linalg.solve(slope.T @ (slope * weight[:, None]) + 1e-6 * np.eye(6), slope.T @ (weight * now))
    centred = np.array([[1 / size, 0, -0.5 / size], [0, 1 / size, -0.5 / size], [0, 0, 1.0]])
    places = on_plane(x)
    radii = np.array([float(np.linalg.norm(places[ring], axis=1).mean()) for ring in rings])
    return DiscGeometry(np.asarray(np.linalg.inv(_plane(x) @ centred), np.float64), radii)


def _plane(x: Float64Array) -> Float64Array:
    """Return a homography near the identity from six numbers; similarities are left out: they keep circles circles."""
    stretch, shear, right, down, tilt_x, tilt_y = x
    return np.array([[1 + stretch, shear, right], [shear, 1 - stretch, down], [tilt_x, tilt_y, 1.0]])


def ring_permutation(board: Board, steps: Sequence[int]) -> NDArray[np.intp]:
    """Return the index of the point from which the hole at each point came when rings turned by ``steps``."""
    came_from = np.arange(len(board.points))
    for ring, step in zip(board.rings, steps, strict=True):
        came_from[list(ring)] = np.roll(ring, step)
    return came_from


def rotate_field_rings(field: Field, discs: DiscGeometry, steps: Sequence[float]) -> Field:
    """Return the field after its rings have turned by ``steps``, whole or not; each hole keeps its own crookedness."""
    image_from_disc = discs.image_from_disc(field)
    disc_from_image = np.asarray(np.linalg.inv(image_from_disc), np.float64)
    points_px = field.points_px.copy()
    for ring, step in zip(field.board.rings, steps, strict=True):
        if step:
            holes = list(ring)
            places = np.roll(apply_homography(disc_from_image, field.points_px[holes]), round(step), axis=0)
            turned = places @ rotation(2 * np.pi * step / len(holes)).T
            points_px[holes] = apply_homography(image_from_disc, turned)
    return replace(field, points_px=points_px)


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
        use = bare[holes] & (np.array(correlation) > SAME_SURFACE_CORRELATION)
        if use.sum() >= MIN_ALIGNED_HOLES:
            smooth = _fit_wave(np.array(shifts), use)
            points_px[holes] += np.einsum("nij,nj->ni", axes[holes], smooth)
    return replace(field, points_px=points_px)


def _best_shift(before: Float32Array, now: Float32Array) -> tuple[tuple[float, float], float]:
    """Return the best shift (along columns, along rows) of a patch in samples, and its correlation (NCC)."""
    reach = MAX_HOLE_SHIFT_SAMPLES + 1
    middle = slice(reach, -reach)
    template, core = before[middle, middle], CELL[middle, middle].astype(np.float32)
    fit = np.nan_to_num(cv2.matchTemplate(now, template, cv2.TM_CCOEFF_NORMED, mask=core), posinf=0.0).astype(
        np.float64
    )
    inner = fit[1:-1, 1:-1]
    row, column = (int(k) + 1 for k in np.unravel_index(int(inner.argmax()), inner.shape))
    down = float(row - reach) + _parabola_peak(fit[row - 1 : row + 2, column])
    right = float(column - reach) + _parabola_peak(fit[row, column - 1 : column + 2])
    return (right, down), float(fit[row, column])


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
        model = np.asarray(np.linalg.solve(waves.T @ weighted + 1e-3 * np.eye(3), weighted.T @ shifts), np.float64)
        apart = np.linalg.norm(shifts - waves @ model, axis=1)
        weight = use / (1 + apart**2)
    return np.asarray(waves @ model, np.float64)
