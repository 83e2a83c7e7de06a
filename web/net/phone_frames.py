"""Where the newest picture of a phone lies, between whoever sends it and the eyes that read it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Condition

FRAME_TIMEOUT_S = 2.0  # without a picture for so long there is no phone, and the eyes call the camera lost


class PhoneFrames:
    """The newest picture that a phone has sent; an older one that nobody took is dropped."""

    def __init__(self) -> None:
        self._jpeg = b""
        self.n_received = 0
        self.n_readers = 0
        self._changed = Condition()

    def put(self, data: bytes) -> None:
        """Lay down a newer picture."""
        with self._changed:
            self._jpeg = data
            self.n_received += 1
            self._changed.notify_all()

    def frames(self, wait_s: float = FRAME_TIMEOUT_S) -> Iterator[bytes]:
        """Every newest picture, until none comes for ``wait_s``."""
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
