"""Keeps eyes open: starts their process, listens to it, and starts another one when it dies or hangs."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from web.table import vision_process

log = logging.getLogger("millchen.keeper")

VisionTarget = Callable[[Connection, vision_process.VisionJob], None]

RESTART_DELAYS_S = (0.5, 1.0, 2.0, 3.0, 5.0)  # before the source is tried again; the last one repeats
STEADY_RUN_S = 10.0  # eyes that lived so long begin again with the shortest wait
SILENCE_TIMEOUT_S = 25.0  # eyes that have said nothing for so long are stuck in a driver
PICTURES_AFTER_REQUEST_S = 2.0  # pictures go on for so long after somebody has asked for one
PICTURE_INTERVAL_S = 0.08
TICK_INTERVAL_S = 0.04
START_METHOD = "spawn"  # how a process begins: anew, with nothing of this one, as on every system


class VisionOwner(Protocol):
    """Whose eyes they are; called from the keeper's thread."""

    def next_job(self) -> vision_process.VisionJob:
        """What new eyes are to look at."""

    def receive(self, message: vision_process.VisionMessage, generation: int) -> None:
        """A message of the eyes of this generation; of older ones nobody wants to hear."""

    def vision_lost(self) -> None:
        """The eyes have died or hang; others will be started after a while."""

    def tick(self) -> None:
        """Some hundredths of a second have passed."""

    def is_waiting(self) -> bool:
        """The source has nothing more to show: no new eyes until it is renewed."""


@dataclass
class _VisionChild:
    """A running child process."""

    process: BaseProcess
    pipe: Connection
    generation: int
    heard_s: float
    owes_picture: bool = False
    asked_s: float = 0.0


class VisionSupervisor:
    """Eyes that stay open from `start` to `close`; methods may be called from any thread.

    Attributes
    ----------
    generation : int
        Grows with every `renew`.
    n_starts : int
        How many processes there have been.
    """

    def __init__(self, owner: VisionOwner, look: VisionTarget) -> None:
        self.generation = 0
        self.n_starts = 0
        self._owner = owner
        self._look = look
        self._stop = threading.Event()
        self._sending = threading.Lock()
        self._child: _VisionChild | None = None
        self._wanted_until = 0.0
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)

    def start(self) -> None:
        """Open the eyes."""
        self._thread.start()

    def close(self) -> None:
        """End the eyes and wait until they have gone."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        self._end()

    def renew(self) -> None:
        """Have the present eyes replaced by others, with the owner's next job."""
        self.generation += 1

    def request_pictures(self) -> None:
        """Somebody is looking: keep pictures coming for a while."""
        self._wanted_until = time.monotonic() + PICTURES_AFTER_REQUEST_S

    def send(self, command: vision_process.VisionCommand) -> bool:
        """Send a command to the present eyes; False when there are none."""
        with self._sending:
            seeing = self._child
            if seeing is None or seeing.generation != self.generation:
                return False
            try:
                seeing.pipe.send(command)
            except OSError:
                return False
            return True

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        _block_sigint_in_children()
        tries = 0
        while not self._stop.is_set():
            generation, began = self.generation, time.monotonic()
            while self._owner.is_waiting() and self._is_wanted(generation):
                self._pause()
            if not self._is_wanted(generation):
                continue
            seeing = self._begin(generation)
            self._attend(seeing)
            self._end()
            while self._owner.is_waiting() and self._is_wanted(generation):
                self._pause()
            if self.generation != generation:
                tries = 0
                continue
            tries = 0 if time.monotonic() - began > STEADY_RUN_S else tries + 1
            until = time.monotonic() + RESTART_DELAYS_S[min(tries, len(RESTART_DELAYS_S) - 1)]
            while self._is_wanted(generation) and time.monotonic() < until:
                self._pause()

    def _is_wanted(self, generation: int) -> bool:
        return not self._stop.is_set() and self.generation == generation

    def _pause(self) -> None:
        self._owner.tick()
        self._stop.wait(TICK_INTERVAL_S)

    def _begin(self, generation: int) -> _VisionChild:
        context: Any = multiprocessing.get_context(START_METHOD)
        ours, theirs = context.Pipe()
        process = context.Process(target=self._look, args=(theirs, self._owner.next_job()), name="eyes", daemon=True)
        process.start()
        theirs.close()
        self.n_starts += 1
        self._child = _VisionChild(process, ours, generation, heard_s=time.monotonic())
        return self._child

    def _end(self) -> None:
        with self._sending:
            seeing, self._child = self._child, None
        if seeing is None:
            return
        seeing.process.terminate()
        seeing.process.join(timeout=0.5)
        if seeing.process.is_alive():
            seeing.process.kill()
            seeing.process.join(timeout=0.5)
        seeing.pipe.close()

    def _attend(self, seeing: _VisionChild) -> None:
        """Listen to the eyes until they end, are to be replaced, or say nothing any more."""
        while self._is_wanted(seeing.generation):
            ready = wait([seeing.pipe], timeout=TICK_INTERVAL_S)
            now = time.monotonic()
            self._ask_for_picture(seeing, now)
            self._owner.tick()
            if not ready:
                if now - seeing.heard_s > SILENCE_TIMEOUT_S:
                    log.error("the eyes have said nothing for %d s; new ones go on", SILENCE_TIMEOUT_S)
                    self._owner.vision_lost()
                    return
                continue
            try:
                message: vision_process.VisionMessage = seeing.pipe.recv()
            except (EOFError, OSError):
                self._owner.vision_lost()
                return
            seeing.heard_s = now
            if isinstance(message, vision_process.EncodedPicture):
                seeing.owes_picture = False
            self._owner.receive(message, seeing.generation)
            if isinstance(message, vision_process.SourceEnded | vision_process.VisionFailed):
                return

    def _ask_for_picture(self, seeing: _VisionChild, now: float) -> None:
        if now < self._wanted_until and not seeing.owes_picture and now - seeing.asked_s >= PICTURE_INTERVAL_S:
            seeing.owes_picture = self.send(vision_process.SendPicture())
            seeing.asked_s = now


def _block_sigint_in_children() -> None:
    """Have the processes that this thread starts be deaf to Ctrl-C from their first moment: they inherit its mask.

    A terminal sends it to them too, and one that is still loading would print where it was. (On Windows it may.)
    """
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # first, as starting it takes the mask off again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
