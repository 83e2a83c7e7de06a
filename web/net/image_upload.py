"""Images from outside in, pictures that are safe to use out; and the newest picture of a phone's camera."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Condition

import numpy as np

from languages import message
from vision.imaging.cv import encoded
from vision.imaging.frame import Image
from web.errors import MillchenError
from web.net.picture_decoder import JPEG_QUALITY, decode_picture
from web.net.picture_process import PictureProcess

FRAME_TIMEOUT_S = 2.0  # seconds without a frame after which the phone counts as gone and the camera as lost

DECODER = PictureProcess(most_waiting=6, wait_s=1.0, limit_s=5.0, most_bytes=100_000_000)
"""Decodes the pictures of all phones, whichever table or link they come from: who waited longer sends the next one."""

LOOKER = PictureProcess(most_waiting=2, wait_s=20.0, limit_s=20.0)
"""Decodes and looks at photographs of boards, one after the other, which takes a few seconds each."""


def decode_image(data: bytes) -> Image:
    """Return the image in a file that somebody has sent; only in a `PictureProcess`. Raises `MillchenError`."""
    rgb = np.asarray(decode_picture(data), np.uint8)
    return np.ascontiguousarray(rgb[:, :, ::-1])


def encode_jpeg(bgr: Image) -> bytes:
    """Return the image as a JPEG file; encoding it anew leaves nothing of the file that was sent."""
    return encoded(bgr, quality=JPEG_QUALITY)


class PhoneFrames:
    """The newest JPEG of a phone, between the request that sends it and the process that reads it."""

    def __init__(self) -> None:
        self._jpeg = b""
        self._received_s = -FRAME_TIMEOUT_S
        self.n_received = 0
        self.n_readers = 0  # that are waiting for frames now
        self._changed = Condition()

    def put(self, data: bytes) -> None:
        """Replace the newest frame and wake the readers."""
        with self._changed:
            self._jpeg = data
            self.n_received += 1
            self._received_s = time.monotonic()
            self._changed.notify_all()

    def check(self) -> None:
        """Raise a MillchenError where no phone sends its picture just now."""
        if time.monotonic() - self._received_s > FRAME_TIMEOUT_S:
            raise MillchenError(message("phone.none"))

    def frames(self, wait_s: float = FRAME_TIMEOUT_S) -> Iterator[bytes]:
        """Yield every new frame; end when none comes for ``wait_s`` seconds."""
        self.n_readers += 1
        try:
            number = self.n_received
            while True:
                with self._changed:
                    if not self._changed.wait_for(lambda: self.n_received != number, wait_s):  # noqa: B023
                        return
                    number, data = self.n_received, self._jpeg
                yield data
        finally:
            self.n_readers -= 1
