"""Starts, quietens, calls and ends processes: whatever may crash, a camera or a decoder, runs in one of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

START_METHOD = "spawn"  # how a process starts: afresh, with nothing of this one, as on every system

QUIET_ENVIRONMENT = {"OPENCV_LOG_LEVEL": "ERROR", "OPENCV_FFMPEG_LOGLEVEL": "-8"}
"""Environment that silences OpenCV and FFmpeg: our own messages say what a camera lacks."""

PARENT_GONE = (BrokenPipeError, EOFError, ConnectionResetError)
"""What a process meets at its pipe when its parent has gone: nothing there is worth keeping."""


class ChildProcess:
    """A running process; its ``target`` gets its end of the pipe and the arguments."""

    def __init__(self, name: str, target: Callable[..., None], *arguments: object) -> None:
        context: Any = multiprocessing.get_context(START_METHOD)
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=target, args=(theirs, *arguments), name=name, daemon=True)
        mask = _block_sigint_in_children()
        try:
            self.process.start()
        finally:
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        # A thread of its own sends: a pipe to a process that hangs is full one day, and then blocks.
        self._outbox: SimpleQueue[object] = SimpleQueue()
        threading.Thread(target=send_all, args=(self.pipe, self._outbox), name="outbox", daemon=True).start()

    def send(self, command: object) -> None:
        """Send a command, in order and without waiting for it."""
        self._outbox.put(command)

    def end(self) -> None:
        """End the process and wait until it has gone."""
        self._outbox.put(None)
        self.process.terminate()
        self.process.join(timeout=0.5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join(timeout=0.5)


class ProcessEndedError(Exception):
    """The process has died, was ended, or has not answered in time."""


class CalledProcess:
    """A process that calls functions for one caller at a time; it starts, or starts again, with the next call.

    ``prepare`` is called in it first.
    """

    def __init__(self, name: str, prepare: Callable[[], None] | None = None) -> None:
        self._name, self._prepare = name, prepare
        self._starting = threading.Lock()
        self.child: ChildProcess | None = None

    @property
    def is_running(self) -> bool:
        """Whether it has been started and is alive."""
        return self.child is not None and self.child.process.is_alive()

    def ask(self, limit_s: float | None, function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Return what a function of a module returns within a time, or raise what it raises.

        Raises `ProcessEndedError` where it has died of that, takes too long, or was ended by another thread.
        """
        if not self.is_running:
            self.end()
        with self._starting:
            if self.child is None:
                self.child = ChildProcess(self._name, _answer_calls, self._prepare)
            child = self.child
        child.send((function, args, kwargs))
        try:
            if not child.pipe.poll(limit_s):
                raise TimeoutError(f"no answer in {limit_s} s")
            answer = child.pipe.recv()
        except (OSError, EOFError) as why:
            child.end()
            raise ProcessEndedError(repr(why)) from why
        if isinstance(answer, Exception):
            raise answer
        result: Result = answer
        return result

    def end(self) -> None:
        """End the process, whatever it does; any thread may call."""
        with self._starting:
            if self.child is not None:
                self.child.end()
            self.child = None


def _answer_calls(pipe: Connection, prepare: Callable[[], None] | None) -> None:
    """Call what comes through a pipe until it is closed; runs in the process."""
    quieten()
    if prepare is not None:
        prepare()
    with suppress(*PARENT_GONE):
        while True:
            function, args, kwargs = pipe.recv()
            try:
                answer = function(*args, **kwargs)
            except Exception as why:  # it is raised where it was asked for
                answer = why
            pipe.send(answer)


def send_all(pipe: Connection, outbox: SimpleQueue[object]) -> None:
    """Send what is put into the outbox, until None comes or the process has gone."""
    # The pipe is closed, perhaps in the midst of this (then its handle is None); its reader notices.
    with suppress(OSError, ValueError, TypeError):
        while (command := outbox.get()) is not None:
            pipe.send(command)


def quieten() -> None:
    """Keep this process from printing; its parent ends it, for Ctrl-C goes to the whole group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name, quiet in QUIET_ENVIRONMENT.items():
        os.environ.setdefault(name, quiet)


def _block_sigint_in_children() -> set[int] | None:
    """Block Ctrl-C in the process that this thread starts next: it inherits the signal mask. Return the mask before.

    A terminal sends Ctrl-C to it too, and while it is still loading it would print a traceback. (On Windows it may.)
    """
    if sys.platform == "win32":
        return None
    resource_tracker.ensure_running()  # first, as starting it takes the mask off again
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))
