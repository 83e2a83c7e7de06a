"""Frames of discs under a hand in, posterior probabilities of their steps out.

Two looks at rest show that a featureless disc may have been turned, not in which direction. While it turns, its holes
stand between two steps, and every frame shows how far, wherever the hand leaves a part of the disc free. The angle of
each ring is the state of a hidden Markov model, filtered by the forward recursion (Rabiner 1989). A frame counts only
modulo one step: which hole is which is decided at rest (``angle_at_rest``), because the same resting disc would
otherwise count as new evidence in every frame. The edges of shadows stay while the disc turns under them. Each part may
therefore show what it showed before, with only its holes rotated.

A part under a hand or its shadow fits at no angle and gives no evidence. Both directions stay equally likely for a ring
that is hidden all the time, for a jump from one rest to the next, and for half a step that was seen once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median, percentile
from vision.rotation.angle_at_rest import (
    DISC_STRIP_ROWS,
    DISC_STRIP_SAMPLES_PER_STEP,
    MAX_MISFIT_RATIO,
    MAX_ROTATION_NATS,
    N_RADIAL_PARTS,
    NATS_PER_FIT,
    ROTATION_STEPS,
    fine_detail,
)
from vision.rotation.disc_geometry import DiscGeometry

OVERSAMPLING = 2
"""Side of the square of fine samples whose mean is one sample."""

ANGLES_PER_STEP, MOTION_STRIP_ROWS = DISC_STRIP_SAMPLES_PER_STEP // OVERSAMPLING, DISC_STRIP_ROWS // OVERSAMPLING
"""Angles that are distinguished in one step, and samples of a disc from its rim inwards."""

SPEED_SIGMA_STEPS_PER_S = 1.5
"""Standard deviation of the speed of a ring, steps per second: a hand takes half a second to a second for a step."""

JUMP_PROBABILITY = 1e-3
"""Probability that a ring has any angle at all in the next frame."""

_N_ANGLES = len(ROTATION_STEPS) * ANGLES_PER_STEP
_ANGLES_STEPS = (np.arange(_N_ANGLES) - _N_ANGLES // 2) / ANGLES_PER_STEP
"""The angles, steps, round 0."""


@dataclass(frozen=True, eq=False)
class RingAngleFilter:
    """State of the filter: the angle of every ring since a look at rest.

    Places are x and y, (2, n_rows, n_columns), of ``OVERSAMPLING`` times the rows and columns of a template. Templates
    are (4 * ANGLES_PER_STEP, 3, MOTION_STRIP_ROWS, ANGLES_PER_STEP * n), the expected look of each disc of n holes at
    every angle. The first three quarters are the whole disc of the look at rest, rotated by -1.5 to 1.5 steps. The last
    quarter rotates only what most holes share, by -0.5 to 0.5 steps, and leaves the rest where it was, as the edges of
    shadows do.
    """

    places_px: tuple[Float32Array, ...]
    templates: tuple[Float32Array, ...]
    posterior: Float64Array  # (n_rings, n_angles), -2.5 to 2.5 steps


def start_angle_filter(bgr: Image, field: Field, discs: DiscGeometry) -> RingAngleFilter:
    """Return the filter at a look at rest at a board with rings: every ring has angle 0."""
    n = len(field.board.rings[0])
    n_fine = n * ANGLES_PER_STEP * OVERSAMPLING
    angles_rad = 2 * np.pi * (np.arange(n_fine) - (OVERSAMPLING - 1) / 2) / n_fine
    strips = discs.strip_places(field, MOTION_STRIP_ROWS * OVERSAMPLING, angles_rad)
    places = [np.ascontiguousarray(np.moveaxis(strip, 2, 0)) for strip in strips]
    templates = []
    for at in places:
        disc = _disc_strip(bgr, at)
        hole = np.tile(median(disc.reshape(3, MOTION_STRIP_ROWS, n, ANGLES_PER_STEP), axis=2), n)
        half = ANGLES_PER_STEP // 2
        under_shadow = disc - hole + _rotated(hole, half)
        templates.append(np.concatenate([_rotated(disc, 3 * half), under_shadow]))
    posterior = np.tile(np.asarray(_ANGLES_STEPS == 0, np.float64), (len(places), 1))
    return RingAngleFilter(tuple(places), tuple(templates), posterior)


def _rotated(strip: Float32Array, reach: int) -> Float32Array:
    """Return a strip (3, rows, n) rotated by ``-reach`` up to ``reach`` - 1 angles, (2 * reach, 3, rows, n)."""
    columns = np.arange(strip.shape[2]) - np.arange(-reach, reach)[:, None]
    return np.ascontiguousarray(strip[..., columns % strip.shape[2]].transpose(2, 0, 1, 3))


def update_angle_filter(angles: RingAngleFilter, bgr: Image, seconds: float) -> RingAngleFilter:
    """Return the filter after one more frame from the same place, ``seconds`` after the last one."""
    predicted = (
        angles.posterior @ _transition(round(seconds, 3)).T * (1 - JUMP_PROBABILITY) + JUMP_PROBABILITY / _N_ANGLES
    )
    posterior = np.empty_like(predicted)
    for ring, (at, templates) in enumerate(zip(angles.places_px, angles.templates, strict=True)):
        fit = 2 * NATS_PER_FIT * _angle_log_fit(templates, _disc_strip(bgr, at))
        posterior[ring] = predicted[ring] * np.tile(np.exp(fit - fit.max()), _N_ANGLES // ANGLES_PER_STEP)
    return replace(angles, posterior=posterior / posterior.sum(axis=1, keepdims=True))


def rotation_log_posterior(angles: RingAngleFilter) -> Float64Array:
    """Return the log posterior, nats, of the steps of each ring, (n_rings, n_steps): 0 to ``-MAX_ROTATION_NATS``."""
    n_rings = len(angles.posterior)
    marginal = angles.posterior.reshape(n_rings, len(ROTATION_STEPS), ANGLES_PER_STEP)
    whole, halfway = marginal.sum(axis=2), marginal[:, 1:, 0] / 2  # halfway between two steps may be either
    whole[:, :-1] += halfway
    whole[:, 1:] -= halfway
    nats = np.log(whole + 1e-30)
    return np.asarray(np.maximum(nats - nats.max(axis=1, keepdims=True), -MAX_ROTATION_NATS), np.float64)


def log_posterior_of_still_rings(angles: RingAngleFilter) -> Float64Array | None:
    """Return the same while every ring seems to stand as in the look at rest; else None."""
    nats = rotation_log_posterior(angles)
    return nats if (nats[:, ROTATION_STEPS.index(0)] == 0.0).all() else None


@lru_cache(maxsize=8)
def _transition(seconds: float) -> Float64Array:
    """Return the probabilities of angles after a time, from angles before it, (n_angles, n_angles)."""
    sigma = np.hypot(1 / ANGLES_PER_STEP, SPEED_SIGMA_STEPS_PER_S * seconds)
    further = np.exp(-0.5 * ((_ANGLES_STEPS[:, None] - _ANGLES_STEPS) / sigma) ** 2)
    return np.asarray(further / further.sum(axis=1, keepdims=True), np.float64)


def _disc_strip(bgr: Image, places_px: Float32Array) -> Float32Array:
    """Return the fine detail of log colour, shape (3, MOTION_STRIP_ROWS, ANGLES_PER_STEP * n)."""
    fine = cv2.remap(bgr, places_px[0], places_px[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    size = fine.shape[1] // OVERSAMPLING, fine.shape[0] // OVERSAMPLING
    strip = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
    return fine_detail(np.asarray(strip, np.uint8), ANGLES_PER_STEP)


def _angle_log_fit(templates: Float32Array, now: Float32Array) -> Float64Array:
    """Return the log fit of every angle modulo a step, from -0.5 steps up, shape (ANGLES_PER_STEP,)."""
    squares = ((templates - now) ** 2).sum(axis=1)
    width = ANGLES_PER_STEP // 2
    zones = np.array_split(np.arange(MOTION_STRIP_ROWS), N_RADIAL_PARTS)
    parts = np.stack([squares[:, zone].sum(axis=1) for zone in zones], axis=1)
    parts = parts.reshape(4, ANGLES_PER_STEP, N_RADIAL_PARTS, -1, width).sum(axis=4)
    # Each part may show any of the neighbouring holes, because stones move along and holes differ; or a resting shadow.
    misfit = parts.min(axis=0).reshape(ANGLES_PER_STEP, -1)
    noise = float(percentile(misfit.min(axis=0), 25)) + 1e-3
    return np.asarray(-0.5 * np.log1p(np.minimum(misfit / noise, MAX_MISFIT_RATIO)).sum(axis=1), np.float64)
