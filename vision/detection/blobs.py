"""Round blobs of a picture, dark, light or coloured: holes, hollows, balls and stones, each with its size.

Blobs are peaks of the difference of two Gaussians in any channel of Lab. A peak counts by how much its middle differs
from its surroundings in nearly every direction. So a stroke may run into a hole, but the ground between two holes is
no blob.

References:
    Lowe, "Distinctive image features from scale-invariant keypoints", International Journal of Computer Vision, 2004.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Float64Array, Image

BLOB_IMAGE_SIDE_PX = 640
"""Longest side of the picture in which blobs are detected, px. A hole of 0.7 % of it is still 4 px across."""

BLOB_SIGMAS_PX = (1.5, 1.9, 2.4, 3.0, 3.8)
"""Standard deviations of the Gaussians in each octave, px. A blob of radius r responds most at about r / 1.5.
Neighbours have a ratio of about 1.26, three steps an octave."""

N_OCTAVES = 3
"""Sizes of the picture that are searched; each is half the one before."""

MIN_BLOB_CONTRAST_LAB = (2.5, 1.5, 1.5)
"""Least difference of a blob from its surroundings in L, a and b, levels of 8-bit Lab."""

N_BLOB_DIRECTIONS = 16
"""Directions in which the surroundings of a blob are sampled."""

N_IGNORED_DIRECTIONS = 2
"""Directions of least contrast that do not count, because strokes run into holes. Along a stripe four or more
directions show no contrast."""

MAX_CURVATURE_RATIO = 8.0
"""Largest ratio of the two principal curvatures of a peak. A hole seen from 60 degrees is twice as wide as it is high:
its ratio is 4."""

MIN_CONTRAST_EVENNESS = 0.3
"""Least share of the median contrast that the least counted direction must reach. Along a stripe it is near 0."""

MAX_BLOBS = 140
"""Blobs that are kept, those of highest contrast."""


@dataclass(frozen=True, eq=False)
class Blobs:
    """Round blobs, that of highest contrast first."""

    xy_px: Float64Array  # (n, 2), image space
    radius_px: Float64Array  # (n,)
    contrast: Float64Array  # (n,), difference from the surroundings in units of ``MIN_BLOB_CONTRAST_LAB``


def detect_blobs(bgr: Image) -> Blobs:
    """Return the blobs of a picture of shape (H, W, 3), in its image space; a small picture is enlarged first."""
    factor = BLOB_IMAGE_SIDE_PX / max(bgr.shape[:2])
    size = max(16, round(bgr.shape[1] * factor)), max(16, round(bgr.shape[0] * factor))
    resized = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    lab = cv2.cvtColor(resized, cv2.COLOR_BGR2LAB).astype(np.float32)
    found = []
    for octave in range(N_OCTAVES):
        shrinkage = 2**octave
        level = cv2.resize(lab, None, fx=1 / shrinkage, fy=1 / shrinkage, interpolation=cv2.INTER_AREA)
        blobs = _blobs_at_scale(np.asarray(level, dtype=np.float32))
        blobs[:, :2] = (blobs[:, :2] + 0.5) * shrinkage - 0.5
        blobs[:, 2] *= shrinkage
        found.append(blobs)
    x, y, radius, contrast = np.concatenate(found).T
    order = np.argsort(-contrast, kind="stable")
    x, y, radius, contrast = x[order], y[order], radius[order], contrast[order]
    kept: list[int] = []
    left = np.ones(len(x), np.bool_)
    while left.any() and len(kept) < MAX_BLOBS:
        # Non-maximum suppression: the same blob responds at several sizes and in several channels.
        i = int(left.argmax())
        kept.append(i)
        left &= np.hypot(x - x[i], y - y[i]) > 0.8 * np.maximum(radius[i], 0.7 * radius)
    xy = (np.column_stack([x[kept], y[kept]]) + 0.5) / factor - 0.5
    return Blobs(xy, radius[kept] / factor, contrast[kept])


def _blobs_at_scale(lab: Float32Array) -> Float64Array:
    """Return the blobs in one size of the picture: x, y, radius and contrast; shape (n, 4)."""
    out = [np.empty((0, 4))]
    width = lab.shape[1]
    blurred = [np.asarray(cv2.GaussianBlur(lab, (0, 0), s), dtype=np.float32) for s in BLOB_SIGMAS_PX]
    planes = [np.asarray(plane, dtype=np.float32) for plane in cv2.split(blurred[0])]
    for k in range(len(BLOB_SIGMAS_PX) - 1):
        sigma = float(np.sqrt(BLOB_SIGMAS_PX[k] * BLOB_SIGMAS_PX[k + 1]))
        radius = 1.5 * sigma
        for c, response in enumerate(cv2.split(blurred[k + 1] - blurred[k])):  # positive for dark blobs
            for sign in (1, -1):
                layer = np.asarray(response * np.float32(sign), dtype=np.float32)
                peak = layer > 0.12 * MIN_BLOB_CONTRAST_LAB[c]
                peak &= layer == cv2.dilate(layer, np.ones((3, 3), np.uint8))
                peak[:2] = peak[-2:] = peak[:, :2] = peak[:, -2:] = False
                rows, columns = np.divmod(np.flatnonzero(peak), width)
                even = _is_no_ridge(layer, rows, columns)
                rows, columns = rows[even], columns[even]
                if len(rows) == 0:
                    continue
                plane = planes[c]
                contrast = _directional_contrast(plane, rows, columns, radius, sign) / MIN_BLOB_CONTRAST_LAB[c]
                good = contrast > 1
                rows, columns, contrast = rows[good], columns[good], contrast[good]
                xy = np.column_stack([columns, rows]) + _subpixel_offsets(layer, rows, columns)
                out.append(np.column_stack([xy, np.full(len(rows), radius), contrast]))
    return np.concatenate(out)


def _directional_contrast(
    plane: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp], radius: float, sign: int
) -> Float64Array:
    """Return how blobs differ from their surroundings in (nearly) every direction, levels; 0 where it varies much."""
    angle = np.arange(N_BLOB_DIRECTIONS) * (2 * np.pi / N_BLOB_DIRECTIONS)
    far, near = 1.75 * radius, 0.45 * radius

    def at(distance: float) -> Float32Array:
        x = columns[:, None] + distance * np.cos(angle)
        y = rows[:, None] + distance * np.sin(angle)
        sampled = cv2.remap(
            plane, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(sampled, dtype=np.float32)

    middle = (at(near).mean(1) + plane[rows, columns]) / 2
    contrast = sign * (at(far) - middle[:, None])
    ordered = np.sort(contrast, axis=1).astype(np.float64)
    least, median = ordered[:, N_IGNORED_DIRECTIONS], ordered[:, N_BLOB_DIRECTIONS // 2]
    return np.where(least > MIN_CONTRAST_EVENNESS * median, least, 0.0)


def _is_no_ridge(layer: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which peaks are no ridges, by the ratio of their principal curvatures; bool array of shape (n,)."""
    height, width = layer.shape
    y, x = np.clip(rows, 1, height - 2), np.clip(columns, 1, width - 2)
    middle = layer[y, x]
    xx, yy = layer[y, x + 1] + layer[y, x - 1] - 2 * middle, layer[y + 1, x] + layer[y - 1, x] - 2 * middle
    xy = (layer[y + 1, x + 1] + layer[y - 1, x - 1] - layer[y - 1, x + 1] - layer[y + 1, x - 1]) / 4
    det = xx * yy - xy * xy
    even: NDArray[np.bool_] = (det > 0) & ((xx + yy) ** 2 * MAX_CURVATURE_RATIO < det * (MAX_CURVATURE_RATIO + 1) ** 2)
    return even


def _subpixel_offsets(layer: Float32Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Float64Array:
    """Return the offset of each peak within its pixel, -0.5 to 0.5 px in x and y; shape (n, 2)."""
    middle = layer[rows, columns]
    out = []
    for dy, dx in ((0, 1), (1, 0)):
        ahead, behind = layer[rows + dy, columns + dx], layer[rows - dy, columns - dx]
        curvature = np.maximum(2 * middle - ahead - behind, 1e-6)
        out.append(np.clip((ahead - behind) / (2 * curvature), -0.5, 0.5))
    return np.column_stack(out).astype(np.float64)
