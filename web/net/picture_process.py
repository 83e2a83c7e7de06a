"""A process of its own for pictures from outside: it does one thing after another, and ends when nothing is left to do.

Whatever a picture does to a decoder, it does there. The process is ended when it takes too long, and when nothing came
for a while; with it goes all memory.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from languages import message
from web.child_process import PARENT_GONE, ChildProcess, quieten
from web.errors import MillchenError

if sys.platform == "linux":
    import resource

log = logging.getLogger("millchen.web")

P = ParamSpec("P")
Result = TypeVar("Result")

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
        self._wait_s, self._limit_s, self._most_bytes = wait_s, limit_s, most_bytes
        self._places, self._lock = threading.Semaphore(1 + most_waiting), threading.Lock()
        self._child: ChildProcess | None = None
        self._idle = threading.Timer(0, self.end)

    def run(self, function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Return what a function of a module returns. Raises what it raises; `BusyError` without a place."""
        if not self._places.acquire(blocking=False):
            raise BusyError(message("upload.busy"))
        try:
            if not self._lock.acquire(timeout=self._wait_s):
                raise BusyError(message("upload.busy"))
            try:
                answer = self._ask(function, args, kwargs)
            finally:
                self._lock.release()
        finally:
            self._places.release()
        if isinstance(answer, Exception):
            raise answer
        found: Result = answer
        return found

    def _ask(self, *call: object) -> Any:
        """Return an answer of the process; where it gives no answer, the error that says that it was no picture."""
        self._idle.cancel()
        try:
            with suppress(OSError, EOFError):  # it has died of this picture, or of another one before
                limit_s = self._limit_s
                if self._child is None or not self._child.process.is_alive():
                    self._end()
                    self._child = ChildProcess("pictures", _answer, self._most_bytes)
                    limit_s += START_S
                self._child.send(call)
                if self._child.pipe.poll(limit_s):
                    return self._child.pipe.recv()
            log.warning("a picture has ended the process that looked at it, or has kept it for too long")
            self._end()
            return MillchenError(message("upload.unreadable"))
        finally:
            self._idle = threading.Timer(IDLE_S, self.end)
            self._idle.daemon = True
            self._idle.start()

    def end(self) -> None:
        """End the process; the next picture starts another one."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        self._idle.cancel()
        if self._child is not None:
            self._child.end()
            self._child.pipe.close()
        self._child = None


def _answer(pipe: Connection, most_bytes: int | None) -> None:
    """Call what comes through a pipe until it is closed; runs in the process."""
    quieten()
    if most_bytes is not None and sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
    with suppress(*PARENT_GONE):
        while True:
            function, args, kwargs = pipe.recv()
            try:
                answer = function(*args, **kwargs)
            except Exception as why:  # it is raised where it was asked for
                answer = why
            pipe.send(answer)
