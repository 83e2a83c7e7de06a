"""The colour of the strokes of a board: learnt from a first fit, then used to see these strokes only.

Around each sample of the fitted drawing the colour of the middle is compared with the colour of both sides. The
typical difference, measured against the variation of the ground, gives the direction in Lab in which strokes stand out
best (Fisher's linear discriminant). In that one direction and polarity, stripes and grain nearly vanish.

References:
    R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7 (1936).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import LINE_SIDE_DISTANCES_PX, oriented_line_filter, stretch_response
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median, percentile

GROUND_DISTANCE_PX = 6.0
"""Distance from the middle of a stroke to the ground beside it, px of the patch; wider than half a brush stroke."""


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
    """Return the line response of each pixel, for lines of one colour, as ``line_responses``; 0 outside the region.

    ``stroke_colour`` is from ``stroke_colour_direction``. The response is 1 at about the contrast that places on
    strokes, ``samples_px``, typically have.
    """
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
