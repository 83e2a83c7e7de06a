"""The threads that answer: some at the start, more as they are wanted, never more than agreed.

Cheroot's own pool does not grow by itself, and making 256 threads before the first page is most of what a start waits
for once the libraries are there.
"""

from __future__ import annotations

import threading
from typing import Any

from cheroot.workers.threadpool import ThreadPool

INITIAL_THREADS = 12  # a page with its modules, its picture and its events
MIN_IDLE_THREADS = 6  # threads that have nothing to do, so that nobody waits for one to be made


class GrowingThreadPool(ThreadPool):
    """A pool that makes threads while there are fewer idle ones than `MIN_IDLE_THREADS`, up to its ``max``."""

    _queue: Any  # cheroot's own, which its stubs keep to themselves
    _threads: Any
    _spawn_worker: Any

    def __init__(self, server: Any, most: int, queue_size: int) -> None:
        super().__init__(server, min=INITIAL_THREADS, max=most, accepted_queue_size=queue_size)
        self._growing = threading.Lock()
        self._is_ended = False

    def put(self, obj: Any) -> None:
        """Take in a connection that wants a thread."""
        with self._growing:
            missing = self._queue.qsize() + 1 + MIN_IDLE_THREADS - self.idle
            for _ in range(min(missing, self.max - len(self._threads))):
                if not self._is_ended:
                    self._threads.append(self._spawn_worker())
        super().put(obj)

    def stop(self, timeout: Any = 5) -> None:
        """End every thread; those that answer have so many seconds."""
        with self._growing:
            self._is_ended = True
        super().stop(timeout)
