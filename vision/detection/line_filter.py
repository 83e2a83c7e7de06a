"""Line filter: how strongly each pixel of a patch looks like the middle of a thin line, for each direction.

A line is a place where both sides differ from the middle in the same direction. A step edge (the rim of a shadow, a
stone, a printed area) differs on one side only and gives no response. Each colour channel is normalised by its own
texture. So the stripes of a striped cloth are suppressed, and a thread of another colour still stands out.

The colour of the strokes of a board is learnt from a first fit, then used to see these strokes only: the typical
difference of samples on them from both sides, measured against the variation of the ground, is the direction in Lab in
which they stand out best (Fisher's linear discriminant, 1936).
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median, percentile

N_DIRECTIONS = 8
"""Number of line directions: 0 (along x) to 180 degrees in steps of 22.5 (towards y, which points down)."""

LINE_SIDE_DISTANCES_PX = (2.0, 4.5)
"""Distances from the middle of a line to its two sides, px of the patch: for a thread and for a brush stroke."""

MIN_TEXTURE_LAB = (1.6, 0.9, 0.9)
"""Least difference that counts as one unit of texture in L, a and b (8-bit Lab): sensor noise after smoothing."""

CERTAIN_LINE_CONTRAST = 6.0
"""Difference between a line and its sides at which the response is full, in units of the texture."""

MIN_KERNEL_WEIGHT = 0.01
"""Least weight of a pixel beside that in the middle of an averaging kernel."""

GROUND_DISTANCE_PX = 6.0
"""Distance from the middle of a stroke to the ground beside it, px of the patch; wider than half a brush stroke."""


def line_responses(patch: Image, region: NDArray[np.uint8]) -> Float32Array:
    """Return the response of lines of any colour, 0 to 1, (N_DIRECTIONS, H, W); 0 where ``region`` is 0."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    outside = np.flatnonzero(region == 0)
    sampled = np.flatnonzero(region)[::7]
    best = np.zeros((N_DIRECTIONS, *patch.shape[:2]), np.float32)
    for c in range(3):
        for side_px in LINE_SIDE_DISTANCES_PX:
            response = oriented_line_filter(np.ascontiguousarray(lab[..., c]), side_px)
            strongest = np.maximum.reduce([layer.ravel()[sampled] for layer in response])
            texture = max(MIN_TEXTURE_LAB[c], float(percentile(np.maximum(strongest, 0), 70)))
            for layer, best_layer in zip(response, best, strict=True):
                layer *= np.float32(1 / (texture * CERTAIN_LINE_CONTRAST))
                np.maximum(best_layer, layer, out=best_layer)
    for layer in best:
        stretch_response(layer, 0.15, outside)
    return best


def stretch_response(layer: Float32Array, least: float, outside: NDArray[np.intp]) -> None:
    """Stretch the responses from ``least`` to 1 over 0 to 1, in place, with 0 at the pixels ``outside``."""
    layer -= np.float32(least)
    np.maximum(layer, 0, out=layer)
    np.minimum(layer, np.float32(1 - least), out=layer)
    layer *= np.float32(1 / (1 - least))
    if len(outside):
        layer.ravel()[outside] = 0


def oriented_line_filter(plane: Float32Array, side_px: float, *, light_only: bool = False) -> Float32Array:
    """Return the contrast of lines of about ``2 * side_px`` across, (N_DIRECTIONS, H, W); negative where no line is."""
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
        if not light_only:
            darker = cv2.subtract(cv2.min(one, two), averaged)
        cv2.subtract(averaged, cv2.max(one, two, dst=outer), dst=averaged)
        if not light_only:
            cv2.max(averaged, darker, dst=averaged)
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


def stroke_colour_direction(
    patch: Image, samples_px: Float64Array, normals: Float64Array, support: Float64Array
) -> Float64Array:
    """Return the direction in Lab, (3,), in which strokes are brighter than the ground.

    The ground varies by about 1 along it. Samples and normals across the strokes, (n_samples, 2), are in patch space.
    Those whose support, the line response, is under half the median are left out.
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
    trusted = support >= median(support) * 0.5
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
    unlike = 0.5 * (sides[0] - sides[1])[trusted]
    covariance = _scatter(variation) + _scatter(unlike) + np.diag([2.0, 0.6, 0.6])
    typical = median(differences[trusted], axis=0)
    for _ in range(3):
        residual = np.linalg.norm(differences[trusted] - typical, axis=1)
        inlier = residual <= percentile(residual, 70)
        typical = differences[trusted][inlier].mean(0)
    direction = np.linalg.solve(covariance, typical)
    unit: Float64Array = (direction / np.sqrt(max(float(direction @ covariance @ direction), 1e-9))).astype(np.float64)
    return unit


def _scatter(differences: Float64Array) -> Float64Array:
    """Return the mean outer product of the differences without the largest ones, (3, 3)."""
    size = np.linalg.norm(differences, axis=1)
    usual = differences[size <= percentile(size, 85)]
    scatter: Float64Array = usual.T @ usual / len(usual)
    return scatter


def coloured_line_responses(
    patch: Image, stroke_colour: Float64Array, region: NDArray[np.uint8], samples_px: Float64Array
) -> Float32Array:
    """Return the response of lines of one colour; 1 at about the contrast that the samples typically have."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    plane = np.ascontiguousarray(lab @ stroke_colour.astype(np.float32))
    thin, thick = (oriented_line_filter(plane, side_px, light_only=True) for side_px in LINE_SIDE_DISTANCES_PX)
    strongest = np.zeros_like(plane)
    for layer, other in zip(thin, thick, strict=True):
        np.maximum(layer, other, out=layer)
        np.maximum(strongest, layer, out=strongest)
    contrast = _sample_planes(strongest[..., None], samples_px)[:, 0]
    full = max(1.2, float(percentile(contrast, 60)))
    outside = np.flatnonzero(region == 0)
    for layer in thin:
        layer *= np.float32(1 / (0.8 * full))
        stretch_response(layer, 0.2, outside)
    return thin


def _sample_planes(planes: Float32Array, xy: Float64Array) -> Float64Array:
    """Return the values at fractional pixels, bilinear, (n, channels)."""
    column, row = xy[:, :1].astype(np.float32), xy[:, 1:].astype(np.float32)
    seen = cv2.remap(planes, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values: Float64Array = seen.reshape(len(xy), -1).astype(np.float64)
    return values
