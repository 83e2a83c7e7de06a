"""Evidence of dots: holes, hollows, drawn rings and stones, whatever their colour and polarity.

A dot is a place that differs from its surroundings in the same direction all around, at a distance that fits its
size. Only the second-worst direction has to agree, so that a stroke may run into a hole.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.evidence import FLOOR, Floats
from vision.frame import Image

RADII_PX = (2.5, 4.0, 6.0, 9.0)
"""Radii of dots in a patch: 3 to 12 % of the radius of the playing area."""

N_AROUND = 8
"""Directions in which the surroundings are looked at."""

FULL = 8.0
"""Multiple of the texture at which a dot is certain."""


def dots(patch: Image, region: NDArray[np.uint8]) -> Floats:
    """How much each pixel looks like the middle of a dot of a certain size, colour and polarity.

    Parameters
    ----------
    patch : uint8 array of shape (H, W, 3), BGR
    region : uint8 array of shape (H, W)
        255 where a board may lie; the texture is measured there.

    Returns
    -------
    float32 array of shape (n_looks, H, W), 0 nothing, 1 certainly a dot
        One look for each of L, a, b, each radius and each polarity; the last ones for anything that differs.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    inside = region > 0
    looks = []
    for c in range(3):
        plane = np.ascontiguousarray(lab[..., c])
        for radius in RADII_PX:
            light, dark = _round(plane, radius)
            both = np.maximum(light[inside][::5], dark[inside][::5])
            typical = max(2 * FLOOR[c], float(np.percentile(both, 70)))
            for response in (light, dark):
                looks.append(np.minimum(response * np.float32(1 / (typical * FULL)), 1))
    looks += _clutter(patch, inside)
    return np.stack(looks)


def _clutter(patch: Image, inside: NDArray[np.bool_]) -> list[Floats]:
    """Places where anything differs from the ground around: outlines drawn round a hollow and stones in it alike."""
    ground = cv2.medianBlur(patch, 41)
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    differs = np.abs(lab - cv2.cvtColor(ground, cv2.COLOR_BGR2LAB).astype(np.float32))
    differs[..., 1:] *= 2
    amount = differs.max(-1)
    typical = max(4.0, float(np.percentile(amount[inside][::5], 60)))
    amount = np.minimum(amount / (4 * typical), 1)
    out = []
    for near in (2.0, 3.5):
        lump = cv2.GaussianBlur(amount, (0, 0), near) - cv2.GaussianBlur(amount, (0, 0), 3 * near)
        out.append(np.clip(3 * lump, 0, 1).astype(np.float32))
    return out


def _round(plane: Floats, radius_px: float) -> tuple[Floats, Floats]:
    """Light and dark dots of one size."""
    calm = cv2.GaussianBlur(plane, (0, 0), 0.4 * radius_px)
    far = 1.5 * radius_px
    margin = int(np.ceil(far)) + 1
    height, width = plane.shape
    sharp = cv2.GaussianBlur(plane, (0, 0), 0.5 + 0.15 * radius_px)
    wide = cv2.copyMakeBorder(sharp, margin, margin, margin, margin, cv2.BORDER_REPLICATE)
    around = np.empty((N_AROUND, height, width), np.float32)
    for k in range(N_AROUND):
        angle = 2 * np.pi * k / N_AROUND
        dx, dy = round(np.cos(angle) * far), round(np.sin(angle) * far)
        np.subtract(calm, wide[margin + dy : margin + dy + height, margin + dx : margin + dx + width], out=around[k])
    # Second-worst direction: the smallest is kept apart while the rest is compared.
    low, second = np.minimum(around[0], around[1]), np.maximum(around[0], around[1])
    high, below = second.copy(), low.copy()
    for k in range(2, N_AROUND):
        second = np.minimum(second, np.maximum(low, around[k]))
        low = np.minimum(low, around[k])
        below = np.maximum(below, np.minimum(high, around[k]))
        high = np.maximum(high, around[k])
    light: Floats = np.maximum(second, 0)
    dark: Floats = np.maximum(-below, 0)
    return light, dark
