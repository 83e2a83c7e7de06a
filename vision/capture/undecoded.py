"""Pictures that are decoded when somebody asks for their pixels: those of films, and of cameras that give JPEG."""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np

from vision.imaging.frame import REDUCTION, Image, size_of
from vision.imaging.jpeg_picture import JpegPicture

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
"""How OpenCV names a stream of JPEGs."""


class FilmPicture:
    """The newest picture that was read of a film: its conversion to bgr is half of reading it.

    Where nobody asks for its pixels before the next one is read, they are gone, and to ask then is a mistake.
    """

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture: cv2.VideoCapture | None = capture
        self.size_px = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))

    @cached_property
    def bgr(self) -> Image:
        """The picture, shape (H, W, 3)."""
        ok, bgr = (False, None) if self._capture is None else self._capture.retrieve()
        if not ok or bgr is None:
            raise LookupError("the film has gone on: who keeps a frame for later takes its bgr at once")
        array = colour(bgr)
        self.size_px = size_of(array)
        return array

    @property
    def reduced(self) -> Image:
        """Every eighth pixel of every eighth row, shape (ceil(H / 8), ceil(W / 8), 3)."""
        return self.bgr[::REDUCTION, ::REDUCTION]

    def let_go(self) -> None:
        """The next picture is read now."""
        self._capture = None


def ask_for_jpeg(capture: cv2.VideoCapture) -> bool:
    """Have a camera that gives JPEGs hand them over as they are; return whether it does so from now on."""
    if int(capture.get(cv2.CAP_PROP_FOURCC)) != MJPG:
        return False
    if capture.getBackendName() == "FFMPEG":
        return capture.set(cv2.CAP_PROP_FORMAT, -1)  # packets; each of this codec is one JPEG
    if capture.getBackendName() != "V4L2" or not capture.set(cv2.CAP_PROP_CONVERT_RGB, 0):
        return False
    ok, data = capture.read()  # drivers promise much: what comes is looked at
    if ok and data is not None and jpeg_of(data) is not None:
        return True
    capture.set(cv2.CAP_PROP_CONVERT_RGB, 1)
    return False


def jpeg_of(data: object) -> JpegPicture | None:
    """Return the JPEG that a camera has handed over; None where it is none."""
    try:
        return JpegPicture(np.asarray(data, np.uint8).tobytes())
    except ValueError:
        return None


def colour(bgr: object) -> Image:
    """Return a picture of OpenCV with three channels."""
    array = np.asarray(bgr, np.uint8)
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    return np.ascontiguousarray(array[:, :, :3])
