"""A frame: one picture of a camera with its time. Also pictures that come as JPEGs, and types of images and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.typed_json import Form, UnfitError, limits

Image = NDArray[np.uint8]
"""A picture, (H, W, 3), blue, green and red, where nothing else is said."""

Float32Array = NDArray[np.float32]

Float64Array = NDArray[np.float64]


def _numbers(value: object, name: str, _: object) -> Float64Array:
    try:
        numbers = np.array(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise UnfitError(name, {"type": "array", "items": {"type": "number"}})
    return numbers


Numbers = Annotated[Float64Array, Form({"type": "array"}, _numbers, lambda array: array.tolist())]
"""An array of numbers that stands in a file."""

PictureSize = tuple[Annotated[int, limits(minimum=16, maximum=8192)], Annotated[int, limits(minimum=16, maximum=8192)]]
"""Width and height of a picture in pixels."""


MIN_EDGE_LEVELS = 24
"""Difference from which two pixels, neighbours or one in two pictures, do not show the same thing, levels of 8 bits.
Source: measured, nowhere do two pictures of one of 60 drawn tables at rest differ as much."""


def size_of(bgr: Image) -> tuple[int, int]:
    """Return the width and height of a picture of shape (H, W, 3)."""
    return bgr.shape[1], bgr.shape[0]


def in_picture(xy_px: Float64Array, size_px: tuple[int, int], margin_px: float = 0.0) -> NDArray[np.bool_]:
    """Return which places, float64 of shape (..., 2), lie in a picture and ``margin_px`` from its rim; shape (...)."""
    x, y = xy_px[..., 0], xy_px[..., 1]
    right, bottom = size_px[0] - 1 - margin_px, size_px[1] - 1 - margin_px
    return np.asarray((x >= margin_px) & (x <= right) & (y >= margin_px) & (y <= bottom))


REDUCTION = 8
"""Pixels for one of a reduced picture, along a side: a block of JPEG, which is cheaper. Source: ISO/IEC 10918-1."""


def reduced(bgr: Image) -> Image:
    """Return a picture at an eighth of its size, shape (ceil(H / 8), ceil(W / 8), 3)."""
    width, height = (-(-side // REDUCTION) for side in size_of(bgr))
    below, right = height * REDUCTION - bgr.shape[0], width * REDUCTION - bgr.shape[1]
    part = cv2.copyMakeBorder(bgr, 0, below, 0, right, cv2.BORDER_REPLICATE) if below or right else bgr
    return reduce_by_averaging(np.asarray(part, np.uint8), (width, height))


def reduce_by_averaging(bgr: Image, size_px: tuple[int, int]) -> Image:
    """Return a picture reduced to a width and height by averaging areas, by halves first: that is faster."""
    while all(side % 2 == 0 and side >= 2 * aim for side, aim in zip(size_of(bgr), size_px, strict=True)):
        bgr = np.asarray(cv2.resize(bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    return (
        bgr if size_of(bgr) == size_px else np.asarray(cv2.resize(bgr, size_px, interpolation=cv2.INTER_AREA), np.uint8)
    )


class JpegPicture:
    """The data of one JPEG; a value like the picture in it.

    What cannot be decoded is grey, as decoders fill what is missing of a damaged picture. ``size_px`` is what the file
    says; how the camera was held is not asked.
    """

    def __init__(self, data: bytes, size_px: tuple[int, int]) -> None:
        self.data, self.size_px = np.frombuffer(data, np.uint8), size_px

    @cached_property
    def bgr(self) -> Image:
        """The picture, shape (H, W, 3)."""
        return self._decoded(cv2.IMREAD_COLOR, 1)

    @cached_property
    def reduced(self) -> Image:
        """The means of its blocks of 8 x 8 pixels, shape (ceil(H / 8), ceil(W / 8), 3), for half the cost."""
        return self._decoded(cv2.IMREAD_REDUCED_COLOR_8, REDUCTION)

    def _decoded(self, how: int, divisor: int) -> Image:
        bgr = cv2.imdecode(self.data, how | cv2.IMREAD_IGNORE_ORIENTATION)
        width, height = (-(-size // divisor) for size in self.size_px)
        return np.full((height, width, 3), 128, np.uint8) if bgr is None else np.asarray(bgr, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One image of the table; raises ``ValueError`` when the picture is an array and not a colour image of 8 bits."""

    picture: Image | JpegPicture
    time_s: float  # of capture, since the source was opened
    sequence: int  # number of the frame in its source, 0 first

    def __post_init__(self) -> None:
        bgr = self.picture
        if isinstance(bgr, np.ndarray) and (bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8):
            raise ValueError(f"a picture must be uint8 of shape (H, W, 3), got {bgr.dtype} of {bgr.shape}")

    @property
    def bgr(self) -> Image:
        """The pixels, shape (H, W, 3). Image space: x to the right, y down, the centre of the first at (0, 0)."""
        return self.picture if isinstance(self.picture, np.ndarray) else self.picture.bgr

    @property
    def reduced(self) -> Image:
        """A picture of an eighth of the size, the means of its blocks: less noise is left of them than of pixels."""
        return reduced(self.picture) if isinstance(self.picture, np.ndarray) else self.picture.reduced

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height; nothing is decoded for it."""
        return size_of(self.picture) if isinstance(self.picture, np.ndarray) else self.picture.size_px
