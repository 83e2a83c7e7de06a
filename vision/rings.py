"""Turning rings: how far each disc has turned since the last settled look.

The holes of a ring look alike, so a turn by a whole step shows only in what is not repeated from hole to hole: the
stones, and the grain, stains and marks of the disc. Each ring is unrolled into a strip along its points; what repeats
from hole to hole is taken away; what is left is compared with the strip of the last look, turned by every number of
steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.field import Field
from vision.frame import Image

Strip = NDArray[np.float32]

STEPS = (-2, -1, 0, 1, 2)
"""Turns that are told apart, in steps, +1 clockwise as seen in the picture (where nothing is mirrored)."""

SAMPLES_PER_STEP = 24
"""Samples of a strip from one hole to the next."""

BAND = (-0.34, -0.17, 0.0, 0.17, 0.34)
"""Where a strip is sampled across the ring: offsets in units of the distance to the next ring."""

CLIP = 8.0
"""Most nats by which one turn of a ring may be preferred to another."""

WORTH = 24.0
"""Nats for a full unit of correlation: textures that differ by a third of it leave no doubt."""


class Strips(NamedTuple):
    """The rings of a board unrolled, each float32 of shape (n_band * 3, n_holes, SAMPLES_PER_STEP)."""

    rings: tuple[Strip, ...]


def unroll(bgr: Image, field: Field) -> Strips:
    """Cut every ring of a field out of a picture.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Of a board with rings, image space.

    Returns
    -------
    Strips
    """
    rings = [field.points_px[list(ring)] for ring in field.board.rings]
    middle = np.mean([ring.mean(axis=0) for ring in rings], axis=0)
    sizes = [float(np.linalg.norm(ring - middle, axis=1).mean()) for ring in rings]
    strips = []
    for k, ring in enumerate(rings):
        curve = _closed_curve(ring)
        apart = min(abs(sizes[k] - size) for j, size in enumerate(sizes) if j != k)
        scales = 1 + np.array(BAND) * apart / sizes[k]
        places = (middle + scales[:, None, None] * (curve - middle)).astype(np.float32)
        seen = cv2.remap(bgr, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        log = np.log(seen.astype(np.float32) + 8)
        strips.append(log.transpose(0, 2, 1).reshape(len(BAND) * 3, len(ring), SAMPLES_PER_STEP))
    return Strips(tuple(strips))


def _closed_curve(ring: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth closed curve through the points of a ring, ``SAMPLES_PER_STEP`` samples to a step."""
    n = len(ring)
    coefficients = np.fft.fft(ring[:, 0] + 1j * ring[:, 1])
    padded = np.zeros(n * SAMPLES_PER_STEP, np.complex128)
    half = (n + 1) // 2
    padded[:half] = coefficients[:half]
    padded[-(n - half) :] = coefficients[half:]
    curve = np.fft.ifft(padded) * SAMPLES_PER_STEP
    return np.stack([curve.real, curve.imag], axis=1)


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


def ride_field(field: Field, steps: Sequence[float]) -> Field:
    """The field after its rings have turned: each hole takes its own crookedness along.

    Parameters
    ----------
    field : Field
    steps : sequence of float
        How far each ring has turned; a ring that stopped between two steps has its points where its holes are.

    Returns
    -------
    Field
    """
    board_from_image = np.linalg.inv(field.image_from_board)
    points_px = field.points_px.copy()
    for ring, step in zip(field.board.rings, steps, strict=True):
        if step:
            holes = list(ring)
            measured = _project(np.asarray(board_from_image, np.float64), field.points_px[holes])
            angle = 2 * np.pi * step / len(holes)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            centre = np.asarray(measured.mean(axis=0), np.float64)
            moved = np.asarray(centre + np.roll(measured - centre, round(step), axis=0) @ turn.T, np.float64)
            points_px[holes] = _project(field.image_from_board, moved)
    return replace(field, points_px=points_px)


def _project(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    homogeneous = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], np.float64)


def slack(before: Strips, now: Strips) -> NDArray[np.float64]:
    """Say how far the holes of each ring lie from where they lay: discs seldom stop exactly on a step.

    Returns
    -------
    float64 array of shape (n_rings,)
        Part of a step, -0.5 to 0.5; found from what repeats from hole to hole, so whole steps make no difference.
    """
    found = []
    for old, new in zip(before.rings, now.rings, strict=True):
        a, b = (np.median(strip, axis=1) for strip in (old, new))
        a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
        fit = np.array([float((np.roll(a, d, axis=1) * b).sum()) for d in range(SAMPLES_PER_STEP)])
        best = int(fit.argmax())
        left, top, right = (fit[(best + d) % SAMPLES_PER_STEP] for d in (-1, 0, 1))
        bend = left - 2 * top + right
        fine = best + (0.5 * (left - right) / bend if bend < 0 else 0.0)
        found.append(((fine / SAMPLES_PER_STEP + 0.5) % 1.0) - 0.5)
    return np.array(found)


def turned(before: Strips, now: Strips) -> NDArray[np.float64]:
    """Say how many steps each ring has turned.

    Parameters
    ----------
    before, now : Strips
        Of the same field.

    Returns
    -------
    float64 array of shape (n_rings, len(STEPS))
        Log-likelihood of every number of steps in ``STEPS``, nats; 0 for the likeliest, at least -CLIP.

    Raises
    ------
    ValueError
        When the strips are not of one board.
    """
    if [s.shape for s in before.rings] != [s.shape for s in now.rings]:
        raise ValueError("strips must be of one board")
    rows = []
    for old, new, off in zip(before.rings, now.rings, slack(before, now), strict=True):
        straight = np.roll(new.reshape(len(new), -1), -round(off * SAMPLES_PER_STEP), axis=1).reshape(new.shape)
        a, b = _unrepeated(old), _unrepeated(straight)
        alike = np.array([_alike(np.roll(a, step, axis=1), b) for step in STEPS])
        rows.append(np.maximum(WORTH * (alike - alike.max()), -CLIP))
    return np.array(rows)


def _unrepeated(strip: Strip) -> Strip:
    """A strip without the light on the whole ring, what repeats from hole to hole, and slow shades along it."""
    n_holes = strip.shape[1]
    flat = strip - strip.mean(axis=1, keepdims=True)
    around = flat.reshape(len(flat), -1)
    # Light that lies on the table does not turn: drop all that changes more slowly than from hole to hole.
    waves = np.fft.rfft(around, axis=1)
    waves[:, : max(2, n_holes // 3)] = 0
    sharp = np.fft.irfft(waves, around.shape[1], axis=1)
    return np.asarray(sharp.reshape(strip.shape), np.float32)


def _alike(a: Strip, b: Strip) -> float:
    """Correlation of two strips, outliers (a stone that was laid) held down; -1 to 1."""
    limit = 3 * float(np.median(np.abs(b))) + 1e-4
    a, b = np.clip(a, -limit, limit), np.clip(b, -limit, limit)
    return float((a * b).sum() / (np.sqrt((a * a).sum() * (b * b).sum()) + 1e-6))
