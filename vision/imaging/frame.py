"""A frame: one camera image with its time. Also the array types of images and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]


def size_of(bgr: Image) -> tuple[int, int]:
    """Return the width and height of a picture of shape (H, W, 3)."""
    return bgr.shape[1], bgr.shape[0]


def in_picture(xy_px: Float64Array, size_px: tuple[int, int], margin_px: float = 0.0) -> NDArray[np.bool_]:
    """Return which places, float64 of shape (..., 2), lie in a picture and ``margin_px`` from its rim; shape (...)."""
    last = size_px[0] - 1 - margin_px, size_px[1] - 1 - margin_px
    return np.asarray(((xy_px >= margin_px) & (xy_px <= last)).all(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One image of the table.

    Attributes
    ----------
    bgr : uint8 array of shape (H, W, 3)
        Image space: x to the right, y down, the centre of the first pixel at (0, 0).
    time_s : float
        Capture time, seconds since the source was opened.
    sequence : int
        Number of the frame in its source, 0 first.

    Raises
    ------
    ValueError
        When ``bgr`` is not a colour image of 8 bits.
    """

    bgr: Image
    time_s: float
    sequence: int

    def __post_init__(self) -> None:
        if self.bgr.ndim != 3 or self.bgr.shape[2] != 3 or self.bgr.dtype != np.uint8:
            raise ValueError(f"bgr must be uint8 of shape (H, W, 3), got {self.bgr.dtype} of {self.bgr.shape}")

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self.bgr.shape[1], self.bgr.shape[0]
