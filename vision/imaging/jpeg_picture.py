"""A picture that came as a JPEG: decoded when somebody looks at it, and at an eighth of the size for far less."""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np

from vision.imaging.frame import Image

_START = b"\xff\xd8"
_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""Markers of the segments with the size of the picture (SOF0 to SOF15). Source: ITU-T T.81, table B.1."""

_GREY = 128

MAX_PIXELS = 50_000_000
"""Most pixels of a picture; a header may claim any number, and memory for all of them is taken."""


class JpegPicture:
    """The data of one JPEG; a value like the picture in it.

    What cannot be decoded is grey, as decoders fill what is missing of a damaged picture. ``size_px`` is what the file
    says; how the camera was held is not asked. Raises ``ValueError`` when ``data`` is not the beginning of a JPEG, or
    of one that no camera takes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = np.frombuffer(data, np.uint8)
        self.size_px = _size_in(data)

    @cached_property
    def bgr(self) -> Image:
        """The picture, shape (H, W, 3)."""
        return self._decoded(cv2.IMREAD_COLOR, 1)

    @cached_property
    def reduced(self) -> Image:
        """The means of its blocks of 8 x 8 pixels, shape (ceil(H / 8), ceil(W / 8), 3), for half the cost."""
        return self._decoded(cv2.IMREAD_REDUCED_COLOR_8, 8)

    def _decoded(self, how: int, divisor: int) -> Image:
        try:
            bgr = cv2.imdecode(self.data, how | cv2.IMREAD_IGNORE_ORIENTATION)
        except cv2.error:  # larger than OpenCV decodes
            bgr = None
        if bgr is not None:
            return np.asarray(bgr, np.uint8)
        width, height = (-(-size // divisor) for size in self.size_px)
        return np.full((height, width, 3), _GREY, np.uint8)


def _size_in(data: bytes) -> tuple[int, int]:
    """Return the width and height that the first segments of a JPEG tell."""
    if data.startswith(_START):
        at = len(_START)
        while at + 9 <= len(data) and data[at] == 0xFF:
            marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
            if marker in _SIZES:
                height, width = (int.from_bytes(data[k : k + 2], "big") for k in (at + 5, at + 7))
                if 0 < width * height <= MAX_PIXELS:
                    return width, height
                break
            at += 2 + length
    raise ValueError("this is no JPEG")
