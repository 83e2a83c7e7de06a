"""Centres of circles in a known plane (holes, drawn rings and balls), to a fraction of a pixel.

Every piece of the rim of a hole points at its centre, whether it is lit or in shade, drawn or cut. So each gradient
votes for the two places one radius away along it (Loy and Zelinsky, "Fast radial symmetry", 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np

from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import percentile

MIN_RIM_GRADIENT_LAB = (0.8, 0.4, 0.4)
"""Least gradient in L, a and b that counts as a rim, levels of 8-bit Lab per px."""

SATURATED_GRADIENT_RATIO = 6.0
"""Multiple of the patch's usual gradient from which a rim has full weight, however strong it is."""

VOTE_BLUR_PX = 1.5
"""Standard deviation of the blur of the votes, px: rims are uneven, and planes are not known exactly."""

MIN_PEAK_SHARE = 0.75
"""Share of the most votes nearby under which a place does not count for the centre."""


def radial_symmetry_votes(patch: Image, radii_px: Sequence[float]) -> Float32Array:
    """Return each pixel's votes for being the centre of a circle, (n_radii, H, W): about 1 for a whole clear rim."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    height, width = lab.shape[:2]
    border = int(np.ceil(max(radii_px))) + 1  # for the votes beyond the patch, which do not count
    wide_height, wide_width = height + 2 * border, width + 2 * border
    rims = []
    for c in range(3):
        plane = cv2.GaussianBlur(lab[..., c], (0, 0), 1.0)
        gx = cv2.Sobel(plane, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
        gy = cv2.Sobel(plane, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
        magnitude = cv2.magnitude(gx, gy)
        usual = max(MIN_RIM_GRADIENT_LAB[c], float(percentile(magnitude, 60)))
        at = np.flatnonzero(magnitude > usual)
        y, x = np.divmod(at, width)
        strong = magnitude.ravel()[at]
        weight = (np.minimum(strong / usual, SATURATED_GRADIENT_RATIO) - 1) / (SATURATED_GRADIENT_RATIO - 1)
        towards = gx.ravel()[at] / strong, gy.ravel()[at] / strong
        rims.append(np.stack([x, y, *towards, weight]).astype(np.float32))
    x, y, ux, uy, weight = np.concatenate(rims, axis=1)
    weights = weight.astype(np.float64)
    out = np.empty((len(radii_px), height, width), np.float32)
    for layer, radius in zip(out, radii_px, strict=True):
        # A hole is darker all around or lighter all around; only a drawn ring is both. So the two signs compete.
        both: list[Float32Array] = []
        for step in (np.float32(radius), np.float32(-radius)):
            row, column = np.rint(y + step * uy) + border, np.rint(x + step * ux) + border
            at = (row * wide_width + column).astype(np.intp)
            votes = np.bincount(at, weights, wide_height * wide_width).reshape(wide_height, wide_width)
            inner = votes[border:-border, border:-border].astype(np.float32)
            both.append(np.asarray(cv2.GaussianBlur(inner, (0, 0), VOTE_BLUR_PX), np.float32))
        np.maximum(both[0], both[1], out=layer)
        layer *= np.float32(VOTE_BLUR_PX**2 / radius)
    return out


def find_circle_centres(
    votes: Float32Array, near_px: Float64Array, reach_px: float | Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Return the strongest centre of each radius within reach of some places, (n_radii, n, 2), and its votes."""
    grid, nearness = _places_nearby()
    reach = np.broadcast_to(np.asarray(reach_px, dtype=np.float64), (len(near_px),))
    xy = near_px[:, None] + reach[:, None, None] * grid
    column, row = xy[..., 0].astype(np.float32), xy[..., 1].astype(np.float32)
    centres, strengths = [], []
    for layer in votes:
        seen = cv2.remap(layer, column, row, cv2.INTER_LINEAR).astype(np.float64) * nearness
        best = seen.max(1)
        weight = np.maximum(seen - MIN_PEAK_SHARE * best[:, None], 0) + 1e-9
        centres.append((weight[..., None] * xy).sum(1) / weight.sum(1, keepdims=True))
        strengths.append(best)
    return np.stack(centres), np.stack(strengths)


@cache
def _places_nearby() -> tuple[Float64Array, Float64Array]:
    """Return the places of a grid within the unit circle, (n, 2), and how much each counts, (n,)."""
    k = np.linspace(-1, 1, 15)
    grid = np.stack(np.meshgrid(k, k), -1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1]
    return grid, np.exp(-0.5 * (grid**2).sum(1) / 0.6**2)
