"""Rings on their way: the angle of each disc while a hand turns it, followed from frame to frame.

A disc that looks the same all around shows at rest that it may have been turned, not which way. On its way its holes
stand between two steps: how far, from step to step, is seen in every frame wherever the hand leaves a part of the disc
free, and rings turn continuously, so that the sum of it tells way and steps. Angle and speed of each ring are the
state of a hidden Markov model, filtered by the forward recursion (Rabiner, "A tutorial on hidden Markov models", 1989,
III.A). A frame is heard only modulo one step: which hole is which is for the comparison of two looks at rest to say
(``rings``), so that what rests on the table is not taken for new testimony in frame after frame. The edges of shadows
rest while the disc turns under them: each part of it may show what it showed, with nothing but the holes turned.

What a hand and its shadow cover fits at no angle and says nothing. A ring that nobody can see, a jump from one rest to
the next and a half turn seen once leave both ways equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography
from vision.rotation.angle_at_rest import REACH, STEPS, Strip
from vision.rotation.disc_geometry import Discs

PHASES = 12
"""Angles that are told apart from one step to the next."""

ROWS = 7
"""Samples of a disc from its rim inwards."""

FINE = 2
"""Each sample is the mean of so many by so many pixels."""

ZONES = 3
"""A disc is judged in so many parts across, and two along one step."""

SPEED = 2.0
"""Steps a second at which rings turn under a hand (standard deviation): half a second to a second for a step."""

SWAY = 10.0
"""Steps a second by which that changes within a second: hands begin and stop within two tenths of one."""

UNEVEN = 0.04
"""Steps by which a ring lies elsewhere in any frame than its speed says."""

JUMP = 1e-3
"""How often a ring is anywhere at all in the next frame."""

WORTH = 0.5
"""Nats for a unit of log-fit: parts of one frame, and frames that follow each other, are mistaken alike."""

MISFIT = 30.0
"""Multiples of the noise from which a part that fits worse does not speak against an angle any more."""

MOST_NATS = 8.0
"""Most nats that all frames together may say."""

_REACH_STEPS = max(STEPS) + 0.5
_N_ANGLES = round(2 * _REACH_STEPS * PHASES)
_ANGLES = np.arange(_N_ANGLES) / PHASES - _REACH_STEPS
_SPEEDS = np.arange(-6.0, 7.0)
_USUAL = np.exp(-0.5 * (_SPEEDS / SPEED) ** 2) / np.exp(-0.5 * (_SPEEDS / SPEED) ** 2).sum()


@dataclass(frozen=True, eq=False)
class Underway:
    """The angles of all rings since a look at rest.

    Attributes
    ----------
    places_px : tuple of float32 arrays of shape (2, FINE * ROWS, FINE * PHASES * n_holes)
        Where each disc is sampled, x and y, image space.
    then : tuple of float32 arrays of shape (4 * PHASES, 3, ROWS, PHASES * n_holes)
        The discs of that look, turned by -1.5 to 1.5 steps; and once more by -0.5 to 0.5 steps, but for what is not
        the same at most holes, which rests where it was: the edges of shadows do.
    belief : float64 array of shape (n_rings, n_speeds, n_angles)
        Posterior of speed and angle of each ring, -6 to 6 steps a second and -2.5 to 2.5 steps.
    """

    places_px: tuple[NDArray[np.float32], ...]
    then: tuple[NDArray[np.float32], ...]
    belief: Floats


def set_out(bgr: Image, field: Field, discs: Discs) -> Underway:
    """Begin at a look at rest.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    field : Field
        Of a board with rings, image space.
    discs : Discs
        The plane in which they turn.
    """
    n = len(field.board.rings[0])
    angle = 2 * np.pi * (np.arange(n * PHASES * FINE) - (FINE - 1) / 2) / (n * PHASES * FINE)
    spoke = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    matrix, places = discs.image_from_disc(field), []
    for k, radius in enumerate(discs.radii):
        gap = float(np.abs(np.delete(discs.radii, k) - radius).min())
        across = radius + REACH * gap * np.linspace(1, -1, ROWS * FINE)
        places.append(np.moveaxis(apply_homography(matrix, across[:, None, None] * spoke), 2, 0).astype(np.float32))
    then = []
    for at in places:
        disc = _disc(bgr, at)
        shifts = range(-3 * PHASES // 2, 3 * PHASES // 2)
        riding = [np.roll(disc, shift, axis=2) for shift in shifts]
        hole = np.tile(np.median(disc.reshape(3, ROWS, n, PHASES), axis=2), n)
        resting = [disc - hole + np.roll(hole, shift, axis=2) for shift in range(-PHASES // 2, PHASES // 2)]
        then.append(np.stack(riding + resting))
    belief = np.zeros((len(places), len(_SPEEDS), _N_ANGLES))
    belief[:, _SPEEDS == 0, _ANGLES == 0] = 1.0
    return Underway(tuple(places), tuple(then), belief)


def follow_rings(underway: Underway, bgr: Image, seconds: float) -> Underway:
    """Take in one frame.

    Parameters
    ----------
    underway : Underway
    bgr : uint8 array of shape (H, W, 3)
        Taken from where the look was.
    seconds : float
        Time since the last frame, or since something began to move.
    """
    faster, further = _motion(round(seconds, 3))
    ahead = np.einsum("vab,rvb->rva", further, np.einsum("wv,rva->rwa", faster, underway.belief))
    ahead = ahead * (1 - JUMP) + JUMP * _USUAL[:, None] / _N_ANGLES
    belief = np.empty_like(ahead)
    for ring, (at, then) in enumerate(zip(underway.places_px, underway.then, strict=True)):
        fit = WORTH * _fit(then, _disc(bgr, at))
        belief[ring] = ahead[ring] * np.tile(np.exp(fit - fit.max()), _N_ANGLES // PHASES)
    return replace(underway, belief=belief / belief.sum(axis=(1, 2), keepdims=True))


def told_steps(underway: Underway) -> Floats:
    """What all frames together say of how far each ring has turned.

    Returns
    -------
    float64 array of shape (n_rings, len(STEPS))
        Nats; 0 for the likeliest, at least -MOST_NATS.
    """
    angles = underway.belief.sum(axis=1).reshape(len(underway.belief), len(STEPS), PHASES)
    whole, halfway = angles.sum(axis=2), angles[:, 1:, 0] / 2  # halfway between two steps may be either
    whole[:, :-1] += halfway
    whole[:, 1:] -= halfway
    nats = np.log(whole + 1e-30)
    return np.asarray(np.maximum(nats - nats.max(axis=1, keepdims=True), -MOST_NATS), np.float64)


@lru_cache(maxsize=8)
def _motion(seconds: float) -> tuple[Floats, Floats]:
    """How speeds change in a time, (n_speeds, n_speeds), and angles at each speed, (n_speeds, n_angles, n_angles)."""
    change = np.exp(-0.5 * ((_SPEEDS[:, None] - _SPEEDS) / np.hypot(0.5, SWAY * seconds)) ** 2) * _USUAL[:, None]
    sigma = np.hypot(UNEVEN, SWAY * seconds**2 / 2)
    away = _ANGLES[:, None] - _ANGLES - seconds * _SPEEDS[:, None, None]
    further = np.exp(-0.5 * (away / sigma) ** 2)
    return change / change.sum(axis=0), further / (further.sum(axis=1, keepdims=True) + 1e-30)


def _disc(bgr: Image, places_px: NDArray[np.float32]) -> Strip:
    """Fine detail of log brightness and of two log colours, shape (3, ROWS, PHASES * n_holes)."""
    fine = cv2.remap(bgr, places_px[0], places_px[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.resize(fine, (fine.shape[1] // FINE, fine.shape[0] // FINE), interpolation=cv2.INTER_AREA)
    log = np.log(seen.astype(np.float32) + 8)
    level = log.mean(axis=2)
    layers = np.dstack([level, log[..., 0] - level, log[..., 2] - level])
    around = np.concatenate([layers[:, -PHASES:], layers, layers[:, :PHASES]], axis=1)
    slow = cv2.blur(around, (PHASES + 1, ROWS))[:, PHASES:-PHASES]
    return np.asarray(np.moveaxis(np.clip(layers - slow, -0.5, 0.5), 2, 0), np.float32)


def _fit(then: NDArray[np.float32], now: Strip) -> Floats:
    """Log-fit of every angle modulo a step, from -0.5 up, shape (PHASES,)."""
    squares = ((then - now) ** 2).sum(axis=1)
    width = PHASES // 2
    zones = np.array_split(np.arange(ROWS), ZONES)
    parts = np.stack([squares[:, zone].sum(axis=1) for zone in zones], axis=1)
    parts = parts.reshape(4, PHASES, ZONES, -1, width).sum(axis=4)
    # Each part may show any of the holes next to it, for stones ride along and holes differ, or a shadow that rests.
    misfit = parts.min(axis=0).reshape(PHASES, -1)
    noise = float(np.quantile(misfit.min(axis=0), 0.25)) + 1e-3
    return np.asarray(-0.5 * np.log1p(np.minimum(misfit / noise, MISFIT)).sum(axis=1), np.float64)
