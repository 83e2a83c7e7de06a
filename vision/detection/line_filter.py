"""Evidence of strokes: where a patch shows a thin line, and which way it runs, whatever its colour.

A stroke is a place where both sides differ from the middle in the same direction; a step (the rim of a shadow, a
stone, a printed area) differs on one side only and gives nothing. Every colour channel is measured against its own
texture, so that a striped cloth silences its own stripes and leaves the thread of another colour to speak.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Image

N_WAYS = 8
"""Directions that are told apart, from 0 (along x) to 180 degrees in steps of 22.5 (towards y, which points down)."""

HALF_WIDTHS_PX = (2.0, 4.5)
"""Distances from the middle of a stroke at which its two sides are looked at: thread and brush."""

FLOOR = (1.6, 0.9, 0.9)
"""Least difference that counts as one unit of texture in L, a and b (8-bit Lab): sensor noise after smoothing."""

FULL = 6.0
"""Multiple of the texture at which a stroke is certain."""

Floats = NDArray[np.float32]


def strokes(patch: Image, region: NDArray[np.uint8]) -> Floats:
    """How much each pixel looks like the middle of a stroke, for each direction.

    Parameters
    ----------
    patch : uint8 array of shape (H, W, 3), BGR
    region : uint8 array of shape (H, W)
        255 where a board may lie; the texture is measured there, and the evidence is 0 elsewhere.

    Returns
    -------
    float32 array of shape (N_WAYS, H, W)
        0 nothing, 1 certainly a stroke that runs in that direction.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    inside = region > 0
    best = np.zeros((N_WAYS, *patch.shape[:2]), np.float32)
    for c in range(3):
        for half in HALF_WIDTHS_PX:
            response = oriented(np.ascontiguousarray(lab[..., c]), half)
            sample = response[:, inside][:, ::7]
            typical = max(FLOOR[c], float(np.percentile(sample.max(0), 70)))
            np.maximum(best, response * np.float32(1 / (typical * FULL)), out=best)
    best -= 0.15
    np.clip(best, 0, 0.85, out=best)
    best *= np.float32(1 / 0.85)
    best[:, ~inside] = 0
    return best


def oriented(plane: Floats, half_px: float, *, light_only: bool = False) -> Floats:
    """Strength of lines of about ``2 * half_px`` or less across in each direction, (N_WAYS, H, W).

    Dark and light lines count alike unless ``light_only``.
    """
    calm = cv2.GaussianBlur(plane, (0, 0), 0.45 * half_px)
    margin = int(np.ceil(half_px)) + 1
    height, width = plane.shape
    out = np.empty((N_WAYS, height, width), np.float32)
    for k, kernel in enumerate(_brushes(round(2 * half_px) + 3)):
        smooth = cv2.filter2D(calm, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        wide = cv2.copyMakeBorder(smooth, margin, margin, margin, margin, cv2.BORDER_REPLICATE)
        angle = np.pi * k / N_WAYS
        dx, dy = round(-np.sin(angle) * half_px), round(np.cos(angle) * half_px)
        one = wide[margin + dy : margin + dy + height, margin + dx : margin + dx + width]
        two = wide[margin - dy : margin - dy + height, margin - dx : margin - dx + width]
        light = smooth - np.maximum(one, two)
        if light_only:
            out[k] = light
        else:
            np.maximum(np.minimum(one, two) - smooth, light, out=out[k])
    np.maximum(out, 0, out=out)
    return out


@cache
def _brushes(length_px: int) -> tuple[Floats, ...]:
    """Averaging kernels along each direction."""
    out = []
    side = length_px | 1
    middle = side // 2
    yy, xx = np.mgrid[-middle : middle + 1, -middle : middle + 1].astype(np.float32)
    for k in range(N_WAYS):
        angle = np.pi * k / N_WAYS
        along = xx * np.cos(angle) + yy * np.sin(angle)
        across = -xx * np.sin(angle) + yy * np.cos(angle)
        weight = np.exp(-0.5 * (across / 0.6) ** 2) * np.clip(middle + 0.5 - np.abs(along), 0, 1)
        out.append((weight / weight.sum()).astype(np.float32))
    return tuple(out)
