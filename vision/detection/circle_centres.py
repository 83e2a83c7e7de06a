"""Middles of round things of a known plane: holes, drawn rings and balls, to a part of a pixel.

Seen from above, the rim of a hole is a circle; every piece of it points at the middle, lit or in shade, drawn or cut.
So each gradient votes for the two places one radius away along it (Loy and Zelinsky, "Fast radial symmetry for
detecting points of interest", 2003). What is dark in a hole or bright on a ball does not pull the middle aside.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.detection.line_filter import Floats as Floats32
from vision.imaging.frame import Image
from vision.imaging.homography import Floats

GRAIN = (0.8, 0.4, 0.4)
"""Least gradient in L, a and b (8-bit Lab a pixel) that counts as a rim."""

FULL = 6.0
"""Multiple of the typical gradient at which a rim counts fully, however strong it is."""

SOFT_PX = 1.5
"""Blur of the votes: rims are uneven, planes not quite known."""

PLAIN_SHARE = 0.75
"""Share of the best votes under which a place does not pull at the middle."""


def votes(patch: Image, radii_px: Sequence[float]) -> Floats32:
    """How much of a circle of each radius lies round each pixel.

    Parameters
    ----------
    patch : uint8 array of shape (H, W, 3), BGR
        Seen from above.
    radii_px : sequence of float

    Returns
    -------
    float32 array of shape (n_radii, H, W)
        About 1 for a whole clear rim in one channel of Lab, more where several channels show it.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    height, width = lab.shape[:2]
    signed = np.zeros((len(radii_px), 2, height * width), np.float64)
    for c in range(3):
        plane = cv2.GaussianBlur(lab[..., c], (0, 0), 1.0)
        gx = cv2.Sobel(plane, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
        gy = cv2.Sobel(plane, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
        size = cv2.magnitude(gx, gy)
        usual = max(GRAIN[c], float(np.percentile(size, 60)))
        y, x = np.nonzero(size > usual)
        strong = size[y, x]
        weight = (np.minimum(strong / usual, FULL) - 1) / (FULL - 1)
        ux, uy = gx[y, x] / strong, gy[y, x] / strong
        for i, radius in enumerate(radii_px):
            for j, way in enumerate((radius, -radius)):
                column, row = np.rint(x + way * ux).astype(np.intp), np.rint(y + way * uy).astype(np.intp)
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                at = row[inside] * width + column[inside]
                signed[i, j] += np.bincount(at, weight[inside], height * width)
    out = []
    for i, radius in enumerate(radii_px):
        # A hole is darker all around or lighter all around; only a drawn ring is both.
        both = [cv2.GaussianBlur(s.reshape(height, width).astype(np.float32), (0, 0), SOFT_PX) for s in signed[i]]
        out.append(np.maximum(both[0], both[1]) * np.float32(SOFT_PX**2 / radius))
    return np.stack(out)


def middles(cast: Floats32, at_px: Floats, reach_px: float | Floats) -> tuple[Floats, Floats]:
    """The middles near some places.

    Parameters
    ----------
    cast : float32 array of shape (n_radii, H, W)
        From ``votes``.
    at_px : float64 array of shape (n, 2)
    reach_px : float or float64 array of shape (n,)
        How far each may be from its place; nearer ones are favoured.

    Returns
    -------
    middles_px : float64 array of shape (n_radii, n, 2)
    strength : float64 array of shape (n_radii, n)
    """
    k = np.linspace(-1, 1, 15)
    grid = np.stack(np.meshgrid(k, k), -1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1]
    reach = np.broadcast_to(np.asarray(reach_px, dtype=np.float64), (len(at_px),))
    xy = at_px[:, None] + reach[:, None, None] * grid
    column, row = xy[..., 0].astype(np.float32), xy[..., 1].astype(np.float32)
    near = np.exp(-0.5 * (grid**2).sum(1) / 0.6**2)
    places, strengths = [], []
    for layer in cast:
        seen = cv2.remap(layer, column, row, cv2.INTER_LINEAR).astype(np.float64) * near
        best = seen.max(1)
        weight = np.maximum(seen - PLAIN_SHARE * best[:, None], 0) + 1e-9
        places.append((weight[..., None] * xy).sum(1) / weight.sum(1, keepdims=True))
        strengths.append(best)
    return np.stack(places), np.stack(strengths)
