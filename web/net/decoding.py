"""Room for pictures that are being decoded: one or two at once, and together no more memory than was agreed.

Many small files that unfold to large pictures then wait for one another, or are refused, whatever links they come from.
The room has threads of its own: what a thread has freed, the C library keeps for that thread, so that decoding in each
of the server's many would keep the memory of many pictures.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from languages import message
from web.errors import MillchenError

DECODING_BUDGET_BYTES = 128_000_000
"""Most memory of all pictures that are being decoded: one of the largest that is allowed fits. Source: chosen."""

MAX_DECODING = 1 if (os.cpu_count() or 1) < 4 else 2
"""Pictures that are decoded at once: the eyes have the other processors. Source: chosen."""

MAX_WAITING = 6
"""Pictures that wait to be decoded; a phone sends the next one anyway. Source: chosen."""

MAX_WAIT_S = 1.0
"""Longest wait, seconds; a picture that waited longer shows what is over. Source: chosen."""

Result = TypeVar("Result")


class BusyError(MillchenError):
    """There is no room just now; the next picture may find some."""


class DecodingRoom:
    """Runs decoders, a few at once; may be used from any thread.

    Args:
        most: Pictures that are decoded at once.
        budget_bytes: Most memory that they are reckoned to need together.
        most_waiting: Pictures that wait; more are refused at once.
        wait_s: Longest wait in seconds.
    """

    def __init__(
        self,
        most: int = MAX_DECODING,
        budget_bytes: int = DECODING_BUDGET_BYTES,
        most_waiting: int = MAX_WAITING,
        wait_s: float = MAX_WAIT_S,
    ) -> None:
        self._most_inside, self._wait_s = most + most_waiting, wait_s
        self._threads = ThreadPoolExecutor(most, "decoding")
        self._n_inside, self._free_bytes = 0, budget_bytes
        self._changed = threading.Condition()

    def run(self, decode: Callable[[], Result]) -> Result:
        """Return what a function returns that decodes a picture, run in a thread of the room.

        Raises:
            BusyError: When it would have to wait for too long, or too many wait already.
        """
        with self._changed:
            if self._n_inside >= self._most_inside:
                raise BusyError(message("upload.busy"))
            self._n_inside += 1
        running = self._threads.submit(decode)
        running.add_done_callback(self._leave)
        try:
            return running.result(self._wait_s)
        except TimeoutError:
            if running.cancel():
                raise BusyError(message("upload.busy")) from None
            return running.result()

    @contextmanager
    def memory(self, n_bytes: int) -> Iterator[None]:
        """Hold so much of the budget while the block decodes; wait for it where others have it.

        Raises:
            BusyError: When it is more than the others leave, after the longest wait.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: n_bytes <= self._free_bytes, self._wait_s):
                raise BusyError(message("upload.busy"))
            self._free_bytes -= n_bytes
        try:
            yield
        finally:
            with self._changed:
                self._free_bytes += n_bytes
                self._changed.notify_all()

    def _leave(self, _: object) -> None:
        with self._changed:
            self._n_inside -= 1
