"""The colour of the strokes: what tells them from the ground, learnt from the first fit of this very board.

Around each sample the colour of the middle is compared with both sides. The typical difference, measured against how
the ground itself differs from place to place, is the direction in Lab in which strokes stand out best (Fisher's
linear discriminant). Seen in that one direction, with that one polarity, stripes and grain nearly vanish.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import HALF_WIDTHS_PX, N_WAYS, oriented
from vision.imaging.frame import Image
from vision.imaging.homography import Floats

SIDES_PX = 6.0
"""Distance from the middle of a stroke to the ground beside it; wider than the half width of a brush stroke."""


def direction(patch: Image, samples_px: Floats, normals: Floats, support: Floats) -> Floats:
    """Unit-free direction in Lab in which strokes are brighter than the ground, shape (3,).

    Along it, the ground varies by about 1.
    """
    lab = cv2.cvtColor(cv2.GaussianBlur(patch, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(np.float32)
    middle = _at(lab, samples_px)
    sides = np.stack([_at(lab, samples_px + SIDES_PX * normals), _at(lab, samples_px - SIDES_PX * normals)])
    differs = middle - sides.mean(0)
    trusted = support >= np.median(support) * 0.5
    # What the ground does by itself: the same differences where the template has no stroke.
    ground = []
    for away in (9.0, -9.0):
        at = samples_px + away * normals
        ground.append(_at(lab, at) - 0.5 * (_at(lab, at + SIDES_PX * normals) + _at(lab, at - SIDES_PX * normals)))
    spread = np.concatenate(ground)
    size = np.linalg.norm(spread, axis=1)
    spread = spread[size <= np.percentile(size, 85)]
    covariance = spread.T @ spread / len(spread) + np.diag([2.0, 0.6, 0.6])
    typical = np.median(differs[trusted], axis=0)
    for _ in range(3):
        far = np.linalg.norm(differs[trusted] - typical, axis=1)
        close = far <= np.percentile(far, 70)
        typical = differs[trusted][close].mean(0)
    way = np.linalg.solve(covariance, typical)
    found: Floats = (way / np.sqrt(max(float(way @ covariance @ way), 1e-9))).astype(np.float64)
    return found


def ink(patch: Image, way: Floats, region: NDArray[np.uint8], samples_px: Floats) -> NDArray[np.float32]:
    """Evidence of strokes of one colour, as ``evidence.strokes``: (N_WAYS, H, W), 0 to 1.

    1 stands for the strength that strokes of the first fit typically have.
    """
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    plane = np.ascontiguousarray(lab @ way.astype(np.float32))
    best = np.zeros((N_WAYS, *plane.shape), np.float32)
    for half in HALF_WIDTHS_PX:
        np.maximum(best, oriented(plane, half, light_only=True), out=best)
    strength = _at(np.ascontiguousarray(best.max(0))[..., None], samples_px)[:, 0]
    full = max(1.2, float(np.percentile(strength, 60)))
    best *= np.float32(1 / (0.8 * full))
    best -= 0.2
    np.clip(best, 0, 0.8, out=best)
    best *= np.float32(1 / 0.8)
    best[:, region == 0] = 0
    return best


def _at(planes: NDArray[np.float32], xy: Floats) -> Floats:
    """Values at fractional pixels, (n, channels)."""
    column, row = xy[:, :1].astype(np.float32), xy[:, 1:].astype(np.float32)
    seen = cv2.remap(planes, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values: Floats = seen.reshape(len(xy), -1).astype(np.float64)
    return values
