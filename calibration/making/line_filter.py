"""Line filter: how strongly each pixel of a patch looks like the middle of a thin line, for each direction.

A line is a place where both sides differ from the middle in the same direction. A step edge (the rim of a shadow, a
stone, a printed area) differs on one side only and gives no response.

The colour of the strokes of a board is learnt from where they lie: how samples on them typically differ from both
sides, measured against the variation of the ground, is the direction in Lab in which they stand out best (Fisher's
linear discriminant, 1936).
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median, percentile

N_DIRECTIONS = 8
"""Number of line directions: 0 (along x) to 180 degrees in steps of 22.5 (towards y, which points down)."""

LINE_SIDE_DISTANCES_PX = (2.0, 4.5)
"""Distances from the middle of a line to its two sides, px of the patch: for a thread and for a brush stroke."""

MIN_KERNEL_WEIGHT = 0.01
"""Least weight of a pixel beside that in the middle of an averaging kernel."""

GROUND_DISTANCE_PX = 6.0
"""Distance from the middle of a stroke to the ground beside it, px of the patch; wider than half a brush stroke."""


def oriented_line_filter(plane: Float32Array, side_px: float) -> Float32Array:
    """Return the contrast of light lines some ``2 * side_px`` across, (N_DIRECTIONS, H, W); negative where none is."""
    smooth_plane = cv2.GaussianBlur(plane, (0, 0), 0.45 * side_px)
    margin = int(np.ceil(side_px)) + 1
    height, width = plane.shape
    out = np.empty((N_DIRECTIONS, height, width), np.float32)
    padded = np.empty((height + 2 * margin, width + 2 * margin), np.float32)
    outer = np.empty_like(plane)
    for k, kernel in enumerate(_averaging_kernels(round(2 * side_px) + 3)):
        averaged = cv2.filter2D(smooth_plane, -1, kernel, dst=out[k], borderType=cv2.BORDER_REPLICATE)
        cv2.copyMakeBorder(averaged, margin, margin, margin, margin, cv2.BORDER_REPLICATE, dst=padded)
        angle = np.pi * k / N_DIRECTIONS
        dx, dy = round(-np.sin(angle) * side_px), round(np.cos(angle) * side_px)
        one = padded[margin + dy : margin + dy + height, margin + dx : margin + dx + width]
        two = padded[margin - dy : margin - dy + height, margin - dx : margin - dx + width]
        cv2.subtract(averaged, cv2.max(one, two, dst=outer), dst=averaged)
    return out


@cache
def _averaging_kernels(length_px: int) -> tuple[Float32Array, ...]:
    """Return one averaging kernel of this length along each direction, without its negligible and empty parts.

    OpenCV skips weights of 0, and convolves large kernels by a Fourier transform, which takes five times as long.
    """
    out = []
    side = length_px | 1
    middle = side // 2
    yy, xx = np.mgrid[-middle : middle + 1, -middle : middle + 1].astype(np.float32)
    for k in range(N_DIRECTIONS):
        angle = np.pi * k / N_DIRECTIONS
        along = xx * np.cos(angle) + yy * np.sin(angle)
        across = -xx * np.sin(angle) + yy * np.cos(angle)
        weight = np.exp(-0.5 * (across / 0.6) ** 2) * np.clip(middle + 0.5 - np.abs(along), 0, 1)
        weight[weight < MIN_KERNEL_WEIGHT] = 0
        rows, columns = (int(np.abs(np.argwhere(weight)[:, i] - middle).max()) for i in (0, 1))
        weight = weight[middle - rows : middle + rows + 1, middle - columns : middle + columns + 1]
        out.append(np.ascontiguousarray(weight / weight.sum(), dtype=np.float32))
    return tuple(out)


def stroke_colour_direction(patch: Image, samples_px: Float64Array, normals: Float64Array) -> Float64Array:
    """Return the direction in Lab, (3,), in which strokes are brighter than the ground.

    The ground varies by about 1 along it. Samples and normals across the strokes, (n_samples, 2), are in patch space.
    """
    lab = cv2.cvtColor(cv2.GaussianBlur(patch, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(np.float32)
    middle = _sample_planes(lab, samples_px)
    sides = np.stack(
        [
            _sample_planes(lab, samples_px + GROUND_DISTANCE_PX * normals),
            _sample_planes(lab, samples_px - GROUND_DISTANCE_PX * normals),
        ]
    )
    differences = middle - sides.mean(0)
    # The variation of the ground: the same differences at places where the template has no stroke.
    ground = []
    for away in (9.0, -9.0):
        at = samples_px + away * normals
        beside = _sample_planes(lab, at + GROUND_DISTANCE_PX * normals) + _sample_planes(
            lab, at - GROUND_DISTANCE_PX * normals
        )
        ground.append(_sample_planes(lab, at) - 0.5 * beside)
    variation = np.concatenate(ground)
    # A stroke must stand out from both of its sides; they differ where it is the rim of a filled field.
    unlike = 0.5 * (sides[0] - sides[1])
    covariance = _scatter(variation) + _scatter(unlike) + np.diag([2.0, 0.6, 0.6])
    typical = median(differences, axis=0)
    for _ in range(3):
        residual = np.linalg.norm(differences - typical, axis=1)
        inlier = residual <= percentile(residual, 70)
        typical = differences[inlier].mean(0)
    direction = np.linalg.solve(covariance, typical)
    unit: Float64Array = (direction / np.sqrt(max(float(direction @ covariance @ direction), 1e-9))).astype(np.float64)
    return unit


def _scatter(differences: Float64Array) -> Float64Array:
    """Return the mean outer product of the differences without the largest ones, (3, 3)."""
    size = np.linalg.norm(differences, axis=1)
    usual = differences[size <= percentile(size, 85)]
    scatter: Float64Array = usual.T @ usual / len(usual)
    return scatter


def _sample_planes(planes: Float32Array, xy: Float64Array) -> Float64Array:
    """Return the values at fractional pixels, bilinear, (n, channels)."""
    column, row = xy[:, :1].astype(np.float32), xy[:, 1:].astype(np.float32)
    seen = cv2.remap(planes, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values: Float64Array = seen.reshape(len(xy), -1).astype(np.float64)
    return values
