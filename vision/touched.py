"""Which points were touched since the last settled look: a witness that knows nothing of stones.

A stone laid on one of its own colour changes nothing that ``observation.py`` can name, and a shadow may look like a
stone; but two pebbles never lie alike, and a shadow seldom comes without anybody's hand. So each point's patch is
compared with what it was before, whatever it shows.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import change_strength
from vision.patches import SIDE, Floats, Patches, samples_per_unit

CLIP = 7.0
"""Most nats that one point can say."""

EVEN_ODDS = 3.2
"""Change, in multiples of the median over all points, at which touched and untouched are equally likely."""

LEAST_EVEN, MOST_EVEN = 0.35, 0.9
"""The same is kept between these strengths of change (see ``change_strength``): of 17,000 rendered pairs of patches,
1 % of the untouched exceed the second, and 1 % of the touched stay under it."""

STEEPNESS = 7.0
"""Nats for each multiple of the even odds beyond it."""


def touched(before: Patches, now: Patches) -> NDArray[np.float64]:
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
    if before.luv.shape != now.luv.shape:
        raise ValueError(f"patches must be of one field, got {before.luv.shape} and {now.luv.shape}")
    light = np.median((now.luv - before.luv)[:, 1::3, 1::3].reshape(-1, 3), axis=0)
    low, high = _envelope(before.luv)
    luv = now.luv - light.astype(np.float32)
    strength = change_strength(luv - np.clip(luv, low, high))
    side = 2 * int(0.2 * samples_per_unit()) + 1
    mass = cv2.blur(np.ascontiguousarray(strength).reshape(-1, SIDE), (side, side)).reshape(strength.shape)
    most = np.where(_NEAR, mass, 0).reshape(len(mass), -1).max(axis=1).astype(np.float64)
    even = float(np.clip(EVEN_ODDS * np.median(most), LEAST_EVEN, MOST_EVEN))
    nats = np.clip(STEEPNESS * (most / even - 1), -CLIP, CLIP)
    return np.where(before.inside & now.inside, nats, 0.0)


_ROWS, _COLUMNS = np.indices((SIDE, SIDE))
_NEAR = np.hypot(_ROWS - (SIDE - 1) / 2, _COLUMNS - (SIDE - 1) / 2) <= 0.42 * samples_per_unit()


def _envelope(luv: Floats) -> tuple[Floats, Floats]:
    """Least and greatest value around every sample: a registration two pixels off is no change."""
    column = luv.reshape(-1, SIDE, 3)
    square = np.ones((3, 3), np.uint8)
    low, high = cv2.erode(column, square), cv2.dilate(column, square)
    return np.asarray(low, np.float32).reshape(luv.shape), np.asarray(high, np.float32).reshape(luv.shape)
