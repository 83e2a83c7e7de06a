"""Round spots of a picture, dark, light or coloured: holes, hollows, balls and stones, each with its size.

Spots are sought where the difference of two Gaussians peaks in any channel of Lab (Lowe, "Distinctive image features
from scale-invariant keypoints", 2004). A spot counts for how much its middle differs from its surroundings in nearly
every direction: a stroke may run into a hole, but the ground between two holes is no spot.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import Floats as Floats32
from vision.imaging.frame import Image
from vision.imaging.homography import Floats

SIDE_PX = 640
"""Longest side of the picture in which spots are sought: a hole of 0.7 % of it is still 4 px across."""

SIGMAS_PX = (1.5, 1.9, 2.4, 3.0, 3.8)
"""Widths of the Gaussians on each of three sizes of the picture; a spot of radius r answers best at about r / 1.5."""

OCTAVES = 3

LEAST = (2.5, 1.5, 1.5)
"""Least difference from the surroundings in L, a and b (8-bit Lab) that makes a spot."""

N_AROUND = 16
"""Directions in which the surroundings are looked at."""

OVERLOOKED = 2
"""Worst directions that do not count: strokes run into holes. Along a stripe four or more find no difference."""

MOST_SLENDER = 8.0
"""Largest ratio of the curvatures of a peak; seen from 60 degrees a hole is twice as wide as high, its ratio 4."""

EVEN = 0.3
"""Least share of the middling direction that the worst ones must reach; along a stripe it is next to nothing."""

MOST = 140
"""Spots that are kept, the clearest ones."""


@dataclass(frozen=True, eq=False)
class Blobs:
    """Round spots, the clearest first.

    Attributes
    ----------
    xy_px : float64 array of shape (n, 2), image space
    radius_px : float64 array of shape (n,)
    clear : float64 array of shape (n,)
        Difference from the surroundings in units of the least that counts.
    """

    xy_px: Floats
    radius_px: Floats
    clear: Floats


def blobs(bgr: Image, most: int = MOST) -> Blobs:
    """The spots of a picture; small pictures are enlarged first."""
    factor = SIDE_PX / max(bgr.shape[:2])
    size = max(16, round(bgr.shape[1] * factor)), max(16, round(bgr.shape[0] * factor))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    found = []
    for octave in range(OCTAVES):
        times = 2**octave
        level = cv2.resize(lab, None, fx=1 / times, fy=1 / times, interpolation=cv2.INTER_AREA)
        spots = _of_level(np.asarray(level, dtype=np.float32))
        spots[:, :2] = (spots[:, :2] + 0.5) * times - 0.5
        spots[:, 2] *= times
        found.append(spots)
    x, y, radius, clear = np.concatenate(found).T
    order = np.argsort(-clear, kind="stable")
    x, y, radius, clear = x[order], y[order], radius[order], clear[order]
    kept: list[int] = []
    for i in range(len(x)):
        # The same spot answers at several sizes and in several channels; its clearest answer stands for it.
        if (np.hypot(x[kept] - x[i], y[kept] - y[i]) > 0.8 * np.maximum(radius[kept], 0.7 * radius[i])).all():
            kept.append(i)
        if len(kept) == most:
            break
    xy = (np.column_stack([x[kept], y[kept]]) + 0.5) / factor - 0.5
    return Blobs(xy, radius[kept] / factor, clear[kept])


def _of_level(lab: Floats32) -> Floats:
    """Spots on one size of the picture: x, y, radius, clearness; shape (n, 4)."""
    out = [np.empty((0, 4))]
    height, width = lab.shape[:2]
    blurred = [np.asarray(cv2.GaussianBlur(lab, (0, 0), s), dtype=np.float32) for s in SIGMAS_PX]
    for k in range(len(SIGMAS_PX) - 1):
        sigma = float(np.sqrt(SIGMAS_PX[k] * SIGMAS_PX[k + 1]))
        radius = 1.5 * sigma
        answer = blurred[k + 1] - blurred[k]  # positive for dark spots
        for c in range(3):
            for sign in (1, -1):
                layer = np.ascontiguousarray(answer[..., c]) * np.float32(sign)
                peak = (layer == cv2.dilate(layer, np.ones((3, 3), np.uint8))) & (layer > 0.12 * LEAST[c])
                rows, columns = np.nonzero(peak)
                if len(rows) == 0:
                    continue
                clear = _clear(blurred[0][..., c], rows, columns, radius, sign) / LEAST[c]
                good = (
                    (clear > 1)
                    & _is_round(layer, rows, columns)
                    & (rows > 1)
                    & (rows < height - 2)
                    & (columns > 1)
                    & (columns < width - 2)
                )
                rows, columns, clear = rows[good], columns[good], clear[good]
                xy = np.column_stack([columns, rows]) + _within(layer, rows, columns)
                out.append(np.column_stack([xy, np.full(len(rows), radius), clear]))
    return np.concatenate(out)


def _clear(plane: Floats32, rows: NDArray[np.intp], columns: NDArray[np.intp], radius: float, sign: int) -> Floats:
    """How much spots differ from their surroundings whichever way one looks; shape (n,)."""
    angle = np.arange(N_AROUND) * (2 * np.pi / N_AROUND)
    far, near = 1.75 * radius, 0.45 * radius

    def at(reach: float) -> Floats32:
        x = columns[:, None] + reach * np.cos(angle)
        y = rows[:, None] + reach * np.sin(angle)
        seen = cv2.remap(
            plane, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(seen, dtype=np.float32)

    middle = (at(near).mean(1) + plane[rows, columns]) / 2
    differs = sign * (at(far) - middle[:, None])
    ordered = np.sort(differs, axis=1).astype(np.float64)
    worst, middling = ordered[:, OVERLOOKED], ordered[:, N_AROUND // 2]
    return np.where(worst > EVEN * middling, worst, 0.0)


def _is_round(layer: Floats32, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which peaks are no ridges."""
    height, width = layer.shape
    y, x = np.clip(rows, 1, height - 2), np.clip(columns, 1, width - 2)
    middle = layer[y, x]
    xx, yy = layer[y, x + 1] + layer[y, x - 1] - 2 * middle, layer[y + 1, x] + layer[y - 1, x] - 2 * middle
    xy = (layer[y + 1, x + 1] + layer[y - 1, x - 1] - layer[y - 1, x + 1] - layer[y + 1, x - 1]) / 4
    det = xx * yy - xy * xy
    even: NDArray[np.bool_] = (det > 0) & ((xx + yy) ** 2 * MOST_SLENDER < det * (MOST_SLENDER + 1) ** 2)
    return even


def _within(layer: Floats32, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
    """Place of peaks within their pixel, -0.5 to 0.5; shape (n, 2)."""
    middle = layer[rows, columns]
    out = []
    for dy, dx in ((0, 1), (1, 0)):
        ahead, behind = layer[rows + dy, columns + dx], layer[rows - dy, columns - dx]
        bend = np.maximum(2 * middle - ahead - behind, 1e-6)
        out.append(np.clip((ahead - behind) / (2 * bend), -0.5, 0.5))
    return np.column_stack(out).astype(np.float64)
