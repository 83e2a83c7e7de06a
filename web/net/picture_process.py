"""Calls functions on pictures from outside in a process of its own, one after another.

Whatever a picture does to a decoder, it does there. A process that takes too long, or has nothing to do, is ended, and
all its memory with it.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from functools import partial

from languages import message
from web.child_process import CalledProcess, P, ProcessEndedError, Result
from web.errors import MillchenError

if sys.platform == "linux":
    import resource

log = logging.getLogger("millchen.web")

START_S = 20.0  # longest time that the process takes to start, on a busy machine
IDLE_S = 20.0  # seconds without a picture after which the process ends


class BusyError(MillchenError):
    """There is no room just now; the next picture may find some."""


class PictureProcess:
    """Calls functions there; a few callers wait, and more are refused. Any thread may call.

    A caller waits for ``wait_s`` at most, and a function may take ``limit_s``. Where the system can do that, the
    process has ``most_bytes`` at most.
    """

    def __init__(self, most_waiting: int, wait_s: float, limit_s: float, most_bytes: int | None = None) -> None:
        self._wait_s, self._limit_s = wait_s, limit_s
        self._places, self._lock = threading.Semaphore(1 + most_waiting), threading.Lock()
        self._process = CalledProcess("pictures", partial(_limit_memory, most_bytes))
        self._idle = threading.Timer(0, self.end)

    def run(self, function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Return what a function of a module returns. Raises what it raises; `BusyError` without a place."""
        if not self._places.acquire(blocking=False):
            raise BusyError(message("upload.busy"))
        try:
            if not self._lock.acquire(timeout=self._wait_s):
                raise BusyError(message("upload.busy"))
            try:
                self._idle.cancel()
                limit_s = self._limit_s + (0.0 if self._process.is_running else START_S)
                return self._process.ask(limit_s, function, *args, **kwargs)
            except ProcessEndedError as why:
                log.warning("a picture has ended the process that looked at it, or has kept it for too long")
                raise MillchenError(message("upload.unreadable")) from why
            finally:
                self._idle = threading.Timer(IDLE_S, self.end)
                self._idle.daemon = True
                self._idle.start()
                self._lock.release()
        finally:
            self._places.release()

    def end(self) -> None:
        """End the process; the next picture starts another one."""
        with self._lock:
            self._idle.cancel()
            self._process.end()


def _limit_memory(most_bytes: int | None) -> None:
    if most_bytes is not None and sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
