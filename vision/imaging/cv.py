"""Wrappers of OpenCV calls whose shapes and types differ between versions, or that mypy cannot check."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float64Array, Image


def outer_contours(mask: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """Return the outer contours of the white parts of ``mask``, each of shape (n, 2) with x, y last."""
    found = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(c, dtype=np.int32).reshape(-1, 2) for c in found[-2]]


def shrink(image: Image, factor: float) -> Image:
    """Return ``image`` with its sides multiplied by ``factor`` (at most 1), averaging over the pixels that merge."""
    if factor >= 1:
        return image
    size = max(1, round(image.shape[1] * factor)), max(1, round(image.shape[0] * factor))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def warp_square(image: NDArray[Any], image_from_patch: Float64Array, side_px: int) -> NDArray[Any]:
    """Return the square patch of ``side_px`` whose pixels ``image_from_patch`` maps into ``image``; edges are repeated.

    Where the patch is coarser than the image, the image is averaged first. Otherwise thin lines would fall between the
    samples.
    """
    middle = np.array([(side_px - 1) / 2, (side_px - 1) / 2, 1.0])
    h = image_from_patch
    p = h @ middle
    jacobian = (h[:2, :2] * p[2] - np.outer(p[:2], h[2, :2])) / p[2] ** 2
    step = np.sqrt(abs(np.linalg.det(jacobian)))
    source, move = image, h
    if step > 1.5:
        factor = 1.0 / step
        size = max(8, round(image.shape[1] * factor)), max(8, round(image.shape[0] * factor))
        source = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        fx, fy = size[0] / image.shape[1], size[1] / image.shape[0]
        small_from_image = np.array([[fx, 0, 0.5 * fx - 0.5], [0, fy, 0.5 * fy - 0.5], [0, 0, 1]])
        move = small_from_image @ h
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpPerspective(source, move, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    )
