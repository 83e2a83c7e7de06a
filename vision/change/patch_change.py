"""Which points were touched since the last settled look: a witness that knows nothing of stones.

A stone laid on one of its own colour changes nothing that ``observation.py`` can name, and a shadow may look like a
stone; but two pebbles never lie alike, and a shadow seldom comes without anybody's hand. So each point's patch is
compared with what it was before, whatever it shows.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_SIDE, Patches, patch_samples_per_unit
from vision.stones.appearance import change_strength

CLIP = 7.0
"""Most nats that one point can say."""

EVEN_ODDS = 3.2
"""Change, in multiples of the median over all points, at which touched and untouched are equally likely."""

LEAST_EVEN, MOST_EVEN = 0.35, 0.9
"""The same is kept between these strengths of change (see ``change_strength``): of 17,000 rendered pairs of patches,
1 % of the untouched exceed the second, and 1 % of the touched stay under it."""

STEEPNESS = 7.0
"""Nats for each multiple of the even odds beyond it."""


def patch_change_log_odds(before: Patches, now: Patches) -> NDArray[np.float64]:
    """Say of every point whether something was laid there or taken away.

    Parameters
    ----------
    before, now : Patches
        Of the same field, at the last settled look and at this one.

    Returns
    -------
    float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``, nats; 0 for a point outside the picture.

    Raises
    ------
    ValueError
        When the patches are not of one field.
    """
    if before.log_colour.shape != now.log_colour.shape:
        raise ValueError(f"patches must be of one field, got {before.log_colour.shape} and {now.log_colour.shape}")
    light = np.median((now.log_colour - before.log_colour)[:, 1::3, 1::3].reshape(-1, 3), axis=0)
    low, high = _envelope(before.log_colour)
    log_colour = now.log_colour - light.astype(np.float32)
    strength = change_strength(log_colour - np.clip(log_colour, low, high))
    side = 2 * int(0.2 * patch_samples_per_unit()) + 1
    mass = cv2.blur(np.ascontiguousarray(strength).reshape(-1, PATCH_SIDE), (side, side)).reshape(strength.shape)
    most = np.where(_NEAR, mass, 0).reshape(len(mass), -1).max(axis=1).astype(np.float64)
    even = float(np.clip(EVEN_ODDS * np.median(most), LEAST_EVEN, MOST_EVEN))
    nats = np.clip(STEEPNESS * (most / even - 1), -CLIP, CLIP)
    return np.where(before.inside & now.inside, nats, 0.0)


SURFACE_CLIP = 5.0
"""Most nats that one point can say where light or place is another."""

SURFACE_CHROMA, SURFACE_DETAIL, SURFACE_BIAS = 2.75, 4.98, 10.45
"""Nats for the log of the change of colour and for the (Fisher-transformed) likeness of fine detail: a logistic fit to
4,000 pairs of drawn points before and after a board was pushed, a camera knocked or a lamp switched; left out one film
at a time it ranks 99 % of the pairs (touched, left alone) rightly, where ``patch_change_log_odds`` ranks 83 to 93 %."""

MOST_ASIDE = 2
"""Samples by which the two patches may be registered differently."""

SAME_DETAIL = 0.02
"""Energy of fine detail that stands for noise: plain surfaces must not seem to differ because their noise does."""


def surface_change_log_odds(before: Patches, now: Patches) -> NDArray[np.float64]:
    """Say of every point whether its surface is another one, whatever shadows and lamps do to it.

    For a board that has been pushed or lit anew: shadows then lie elsewhere on it. They leave the colour of what they
    fall on, and its fine detail (lines, threads, grain, the outline of a stone); a stone laid or taken changes both.

    Parameters
    ----------
    before, now : Patches
        Of the same board, at the last settled look and at this one, each cut where the board lay then.

    Returns
    -------
    float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``, nats; 0 for a point outside the picture.

    Raises
    ------
    ValueError
        When the patches are not of one board.
    """
    if before.log_colour.shape != now.log_colour.shape:
        raise ValueError(f"patches must be of one board, got {before.log_colour.shape} and {now.log_colour.shape}")
    light = np.median((now.log_colour - before.log_colour)[:, 1::3, 1::3].reshape(-1, 3), axis=0)
    log_colour = now.log_colour - light.astype(np.float32)
    low, high = _envelope(before.log_colour)
    change = log_colour - np.clip(log_colour, low, high)
    chroma = _blurred(np.hypot(change[..., 1], change[..., 2]))
    most = np.where(_CORE, chroma, 0).reshape(len(chroma), -1).max(axis=1)
    alike = np.clip(_likeness_of_detail(before.log_colour[..., 0], log_colour[..., 0]), -0.9, 0.97)
    nats = SURFACE_CHROMA * np.log(most + 0.01) - SURFACE_DETAIL * np.arctanh(alike) + SURFACE_BIAS
    clipped: NDArray[np.float64] = np.clip(nats.astype(np.float64), -SURFACE_CLIP, SURFACE_CLIP)
    return np.where(before.inside & now.inside, clipped, 0.0)


def _likeness_of_detail(before: Float32Array, now: Float32Array) -> Float32Array:
    """Correlation of the fine detail around every point, at the shift that fits best; shape (n_points,)."""
    a = _fine(before) * _CORE
    energy = (a * a).sum(axis=(1, 2))
    fine = _fine(now)
    best = np.full(len(a), -1.0, np.float32)
    for down in range(-MOST_ASIDE, MOST_ASIDE + 1):
        for right in range(-MOST_ASIDE, MOST_ASIDE + 1):
            b = np.roll(fine, (down, right), axis=(1, 2)) * _CORE
            both = np.einsum("nij,nij->n", a, b)
            alike = both / np.sqrt(energy * np.einsum("nij,nij->n", b, b) + SAME_DETAIL)
            best = np.maximum(best, alike)
    return best


def _fine(level: Float32Array) -> Float32Array:
    """Log brightness less its surroundings, strong edges held down."""
    return np.asarray(np.clip(level - _blurred(level), -0.3, 0.3))


def _blurred(level: Float32Array) -> Float32Array:
    side = 2 * int(0.2 * patch_samples_per_unit()) + 1
    return np.stack([cv2.blur(patch, (side, side)) for patch in level])


_ROWS, _COLUMNS = np.indices((PATCH_SIDE, PATCH_SIDE))
_NEAR = np.hypot(_ROWS - (PATCH_SIDE - 1) / 2, _COLUMNS - (PATCH_SIDE - 1) / 2) <= 0.42 * patch_samples_per_unit()
_CORE = np.hypot(_ROWS - (PATCH_SIDE - 1) / 2, _COLUMNS - (PATCH_SIDE - 1) / 2) <= 0.3 * patch_samples_per_unit()


def _envelope(log_colour: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Least and greatest value around every sample: a registration two pixels off is no change."""
    column = log_colour.reshape(-1, PATCH_SIDE, 3)
    square = np.ones((3, 3), np.uint8)
    low, high = cv2.erode(column, square), cv2.dilate(column, square)
    return np.asarray(low, np.float32).reshape(log_colour.shape), np.asarray(high, np.float32).reshape(log_colour.shape)
