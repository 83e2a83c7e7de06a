"""The newest frame of a phone's camera, between the request that sends it and the process that reads it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Condition

from languages import message
from web.errors import MillchenError

FRAME_TIMEOUT_S = 2.0
"""Seconds without a frame after which the phone counts as gone and the camera as lost. Source: chosen."""


class PhoneFrames:
    """Holds the newest JPEG that a phone has sent; an older one that nobody has read is dropped.

    Attributes:
        n_received: Frames received so far.
        n_readers: Readers that are waiting for frames now.
    """

    def __init__(self) -> None:
        self._jpeg = b""
        self._received_s = -FRAME_TIMEOUT_S
        self.n_received = 0
        self.n_readers = 0
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
