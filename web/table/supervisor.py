"""Supervises the vision process: starts it, reads its messages, and replaces it when it dies or hangs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Protocol

from web.child_process import ChildProcess
from web.table import vision_messages
from web.table.vision_process import run_vision

log = logging.getLogger("millchen.supervisor")

VisionTarget = Callable[[Connection, vision_messages.VisionJob], None]
"""Function that the child process runs, with its end of the pipe and its job."""

RESTART_DELAYS_S = (0.5, 1.0, 2.0, 3.0, 5.0)  # waits before the source is tried again, in seconds; the last one repeats
STEADY_RUN_S = 10.0  # life of a process in seconds after which the waits begin with the shortest one again
SILENCE_TIMEOUT_S = 25.0  # silence in seconds after which a process counts as stuck in a driver
PICTURES_AFTER_REQUEST_S = 2.0  # time in seconds for which pictures keep coming after somebody has asked for one
PAGE_PICTURE_INTERVAL_S = 0.08  # shortest time between two pictures, in seconds
TICK_INTERVAL_S = 0.04  # time between two ticks of the owner, in seconds


class VisionOwner(Protocol):
    """The table that a vision process belongs to; the supervisor's thread calls it."""

    def next_job(self) -> vision_messages.VisionJob:
        """Return the job of a new vision process."""

    def receive(self, message: vision_messages.VisionMessage, generation: int) -> None:
        """Take in a message of the process of this generation; those of older ones are void."""

    def vision_died(self) -> None:
        """Take note that the process has died or hangs; another one starts after a while."""

    def tick(self) -> None:
        """Do what has to be done every few hundredths of a second."""

    def is_idle(self) -> bool:
        """Return whether the source has nothing more to show: no new process until `VisionSupervisor.restart`."""


@dataclass
class _VisionChild:
    """A running vision process; ``owes_picture`` while a picture was asked for and has not come yet."""

    process: ChildProcess
    generation: int
    heard_s: float
    owes_picture: bool = False
    asked_s: float = 0.0


class VisionSupervisor:
    """Keeps a vision process running from `start` to `close`; methods may be called from any thread."""

    def __init__(self, owner: VisionOwner, target: VisionTarget | None = None) -> None:
        self.generation = 0  # grows with every `restart`
        self.n_starts = 0  # processes so far
        self._owner = owner
        self._target = run_vision if target is None else target
        self._stop = threading.Event()
        self._sending = threading.Lock()
        self._child: _VisionChild | None = None
        self._pictures_until_s = 0.0
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    def start(self) -> None:
        """Start the first process."""
        self._thread.start()

    def close(self) -> None:
        """End the process and wait until it has gone."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        self._end()

    def restart(self) -> None:
        """Have the process replaced by a new one, with the owner's next job."""
        self.generation += 1

    def request_pictures(self) -> None:
        """Keep pictures coming for a while: somebody is looking."""
        self._pictures_until_s = time.monotonic() + PICTURES_AFTER_REQUEST_S

    def send(self, command: vision_messages.VisionCommand) -> bool:
        """Send a command to the process, in order and without waiting for it; return False where none is running."""
        with self._sending:
            child = self._child
            if child is None or child.generation != self.generation:
                return False
            child.process.send(command)
            return True

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        tries = 0
        while not self._stop.is_set():
            generation, began = self.generation, time.monotonic()
            while self._owner.is_idle() and self._is_current(generation):
                self._pause()
            if not self._is_current(generation):
                continue
            process = ChildProcess("vision", self._target, self._owner.next_job())
            self.n_starts += 1
            child = self._child = _VisionChild(process, generation, heard_s=time.monotonic())
            self._attend(child)
            self._end()
            while self._owner.is_idle() and self._is_current(generation):
                self._pause()
            if self.generation != generation:
                tries = 0
                continue
            tries = 0 if time.monotonic() - began > STEADY_RUN_S else tries + 1
            until = time.monotonic() + RESTART_DELAYS_S[min(tries, len(RESTART_DELAYS_S) - 1)]
            while self._is_current(generation) and time.monotonic() < until:
                self._pause()

    def _is_current(self, generation: int) -> bool:
        return not self._stop.is_set() and self.generation == generation

    def _pause(self) -> None:
        self._owner.tick()
        self._stop.wait(TICK_INTERVAL_S)

    def _end(self) -> None:
        with self._sending:
            child, self._child = self._child, None
        if child is not None:
            child.process.end()
            child.process.pipe.close()

    def _attend(self, child: _VisionChild) -> None:
        """Pass on the messages of a process until it ends, is to be replaced, or has been silent for too long."""
        while self._is_current(child.generation):
            ready = wait([child.process.pipe], timeout=TICK_INTERVAL_S)
            now = time.monotonic()
            self._ask_for_picture(child, now)
            self._owner.tick()
            if not ready:
                if now - child.heard_s > SILENCE_TIMEOUT_S:
                    log.error("vision has said nothing for %d s; a new process goes on", SILENCE_TIMEOUT_S)
                    self._owner.vision_died()
                    return
                continue
            try:
                message: vision_messages.VisionMessage = child.process.pipe.recv()
            except (EOFError, OSError):
                self._owner.vision_died()
                return
            child.heard_s = now
            if isinstance(message, vision_messages.EncodedPicture):
                child.owes_picture = False
            self._owner.receive(message, child.generation)
            if isinstance(message, vision_messages.SourceEnded | vision_messages.VisionFailed):
                return

    def _ask_for_picture(self, child: _VisionChild, now: float) -> None:
        if now < self._pictures_until_s and not child.owes_picture and now - child.asked_s >= PAGE_PICTURE_INTERVAL_S:
            child.owes_picture = self.send(vision_messages.SendPicture())
            child.asked_s = now
