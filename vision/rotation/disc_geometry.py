"""Discs that turn about one middle: their common plane, and what rides along when one of them turns.

The holes of a hand-made disc are crooked, so the homography of the ideal board puts no single hole right, and its
middle is not the axle. What all holes have in common is that their rings turn about one axle: the plane is fitted to
that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.imaging.field import Field
from vision.imaging.homography import Floats, apply_homography

_ROUNDS = 8
"""Gauss-Newton steps; the residuals are nearly linear in six small numbers, so that four would do."""


@dataclass(frozen=True, eq=False)
class Discs:
    """The plane in which discs turn about the origin.

    Attributes
    ----------
    board_from_disc : float64 array of shape (3, 3)
        From the discs' plane, in which the outermost ring has radius 1; fixed to the board, so that it goes with
        ``Field.image_from_board`` wherever the camera goes.
    radii : float64 array of shape (n_rings,)
        Of the rings of holes, outermost first.
    """

    board_from_disc: Floats
    radii: Floats

    def image_from_disc(self, field: Field) -> Floats:
        """The plane as one picture shows it."""
        return np.asarray(field.image_from_board @ self.board_from_disc, np.float64)


def fit_discs(field: Field) -> Discs:
    """Find the plane and the axle under which every ring of holes is a circle with even steps, as nearly as can be.

    Parameters
    ----------
    field : Field
        Of a board with rings, image space.

    Returns
    -------
    Discs
        Least squares with Cauchy weights over all holes: one that was measured beside its place has little say.
    """
    rings = [list(ring) for ring in field.board.rings]
    ideal = np.asarray(field.board.xy, np.float64) - 0.5
    flat = apply_homography(np.linalg.inv(field.image_from_board).astype(np.float64), field.points_px) - 0.5
    size = max(float(np.linalg.norm(flat[ring], axis=1).mean()) for ring in rings)
    flat = flat / size
    even = [np.exp(-1j * np.arctan2(ideal[ring, 1], ideal[ring, 0])) for ring in rings]

    def seen(x: Floats) -> Floats:
        return apply_homography(_plane(x), flat)

    def residuals(x: Floats) -> Floats:
        placed = seen(x)
        # Turned back to one place, the holes of a ring lie on each other, up to their crookedness.
        back = [(placed[ring, 0] + 1j * placed[ring, 1]) * turn for ring, turn in zip(rings, even, strict=True)]
        apart = np.concatenate([one - one.mean() for one in back])
        return np.concatenate([apart.real, apart.imag])

    x = np.zeros(6)
    for _ in range(_ROUNDS):
        now = residuals(x)
        slope = np.stack([(residuals(x + 1e-5 * unit) - now) / 1e-5 for unit in np.eye(6)], axis=1)
        weight = 1 / (1 + (now / (2.5 * float(np.median(np.abs(now))) + 1e-6)) ** 2)
        x = x - np.linalg.solve(slope.T @ (slope * weight[:, None]) + 1e-6 * np.eye(6), slope.T @ (weight * now))
    centred = np.array([[1 / size, 0, -0.5 / size], [0, 1 / size, -0.5 / size], [0, 0, 1.0]])
    placed = seen(x)
    radii = np.array([float(np.linalg.norm(placed[ring], axis=1).mean()) for ring in rings])
    return Discs(np.asarray(np.linalg.inv(_plane(x) @ centred), np.float64), radii)


def _plane(x: Floats) -> Floats:
    """A homography near the identity by its six numbers that are no similarity (those change no circle)."""
    stretch, shear, right, down, tilt_x, tilt_y = x
    return np.array([[1 + stretch, shear, right], [shear, 1 - stretch, down], [tilt_x, tilt_y, 1.0]])


def ride(board: Board, steps: Sequence[int]) -> NDArray[np.intp]:
    """Where what is now at each point was before the rings turned.

    Parameters
    ----------
    board : Board
    steps : sequence of int
        How far each ring has turned.

    Returns
    -------
    int array of shape (n_points,)
        Index of the point that each point's hole came from.
    """
    came_from = np.arange(len(board.points))
    for ring, step in zip(board.rings, steps, strict=True):
        came_from[list(ring)] = np.roll(ring, step)
    return came_from


def ride_field(field: Field, discs: Discs, steps: Sequence[float]) -> Field:
    """The field after its rings have turned: each hole takes its own crookedness along.

    Parameters
    ----------
    field : Field
    discs : Discs
    steps : sequence of float
        How far each ring has turned; a ring that stopped between two steps has its points where its holes are.

    Returns
    -------
    Field
    """
    image_from_disc = discs.image_from_disc(field)
    disc_from_image = np.asarray(np.linalg.inv(image_from_disc), np.float64)
    points_px = field.points_px.copy()
    for ring, step in zip(field.board.rings, steps, strict=True):
        if step:
            holes = list(ring)
            angle = 2 * np.pi * step / len(holes)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            turned = np.roll(apply_homography(disc_from_image, field.points_px[holes]), round(step), axis=0) @ turn.T
            points_px[holes] = apply_homography(image_from_disc, turned)
    return replace(field, points_px=points_px)
