"""A process that thinks: functions of ``referee.search`` are called there, one after another."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import ParamSpec, TypeVar

log = logging.getLogger("millchen.thinking")

P = ParamSpec("P")
T = TypeVar("T")

NICENESS = 10
"""How far the process stands back behind eyes and page for the processor, as ``nice`` counts. Source: chosen."""


class Thinker:
    """Calls functions in a process of its own, in order; its methods may be called from any thread.

    The process starts with the first call. When it dies, the calls that it had fail with `BrokenProcessPool`, and the
    next call starts a new one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._is_closed = False

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function there; it, its arguments and its answer must be such that they can be pickled.

        Raises:
            RuntimeError: When the thinker was closed.
        """
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the thinker is closed")
            for _ in range(2):
                if self._pool is None:
                    self._pool = _new_pool()
                try:
                    return self._pool.submit(function, *args, **kwargs)
                except BrokenProcessPool:
                    log.warning("the process that thinks has died; a new one goes on")
                    self._pool = None
            raise RuntimeError("no process that thinks can be started")

    def stop(self) -> None:
        """Break off whatever is thought about; the next call starts a new process."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            processes = list((pool._processes or {}).values())  # public only from Python 3.14 on (kill_workers)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                with suppress(OSError, ValueError):
                    process.kill()

    def close(self) -> None:
        """End the process for good."""
        self._is_closed = True
        self.stop()


def _new_pool() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=_stand_back)


def _stand_back() -> None:
    """Leave Ctrl-C to the parent, and the processor to eyes and page; end with the parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent has gone: one that was killed could not end this process, which would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
