"""Wrappers of OpenCV calls whose shapes and types differ between versions, or that mypy cannot check."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Image

COARSE_STEP_PX = 1.2
"""Step between samples from which a picture is reduced first: coarse steps would pick single threads of the weave."""


def outer_contours(mask: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """Return the outer contours of the white parts of ``mask``, each of shape (n, 2) with x, y last."""
    contours = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(c, dtype=np.int32).reshape(-1, 2) for c in contours[-2]]


def shrink(image: Image, factor: float) -> Image:
    """Return ``image`` with its sides multiplied by ``factor`` (at most 1), averaging over the pixels that merge."""
    if factor >= 1:
        return image
    size = max(1, round(image.shape[1] * factor)), max(1, round(image.shape[0] * factor))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def encoded(image: Image, ending: str = ".jpg", quality: int = 95) -> bytes:
    """Return the file of a picture, by the ending of its name; of a JPEG, the quality by OpenCV's scale of 0 to 100."""
    how = [cv2.IMWRITE_JPEG_QUALITY, quality] if ending == ".jpg" else []
    return np.asarray(cv2.imencode(ending, image, how)[1], np.uint8).tobytes()


def reduction_for(step_px: float) -> int:
    """Return the whole number that divides the sides of a picture before it is sampled in steps of so many pixels."""
    return max(1, int(step_px / COARSE_STEP_PX))


def reduced(image: Image, times: int) -> Image:
    """Return ``image`` with its sides divided by a whole number, averaging over the pixels that merge."""
    if times == 1:
        return image
    size = image.shape[1] // times, image.shape[0] // times
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def decoded(jpeg: bytes) -> Image:
    """Return the picture of a JPEG that was checked before, shape (H, W, 3)."""
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
