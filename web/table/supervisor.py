"""Starts the process with the camera, reads its messages, and replaces it when it dies or hangs.

The process names each input before it uses it (`CrashRiskNotice`). An input that kills it twice at the same place of
the game is disabled.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from languages import message
from web.child_process import ChildProcess
from web.game.first_record import medium_of
from web.table import vision_messages
from web.table.source_names import Source
from web.table.vision_messages import Corners, CrashCause
from web.table.vision_process import sentences_of

log = logging.getLogger("millchen.supervisor")

VisionTarget = Callable[[Connection, vision_messages.VisionJob], None]
"""Function that the child process runs, with its end of the pipe and its job."""

RESTART_DELAYS_S = (0.5, 1.0, 2.0, 3.0, 5.0)  # waits before the source is tried again, in seconds; the last one repeats
STEADY_RUN_S = 10.0  # life of a process in seconds after which the waits begin with the shortest one again
SILENCE_TIMEOUT_S = 25.0  # silence in seconds after which a process counts as stuck in a driver
PICTURES_AFTER_REQUEST_S = 2.0  # time in seconds for which pictures keep coming after somebody has asked for one
PAGE_PICTURE_INTERVAL_S = 0.08  # shortest time between two pictures, in seconds
TICK_INTERVAL_S = 0.04  # time between two ticks of the owner, in seconds


MAX_DEATHS = 2  # number of times that vision may die at the same thing before that is disabled, or skipped
REPLAYED_REST_S = 0.4  # time before the last event, in seconds, from which a film continues: less than a turn rests
SKIPPED_S = 0.01  # time of a film in seconds that is skipped after vision has died at the same place again
JournalPosition = tuple[int, int]  # how far a game has come: its number, and the number of its records


class VisionOwner(Protocol):
    """The table that a camera process belongs to; the supervisor's thread calls it."""

    def next_process(self) -> tuple[Callable[..., None], Sequence[Any]]:
        """Return the function that a new process runs, and what it is given beside its end of the pipe."""

    def receive(self, message: Any, generation: int) -> None:
        """Take in a message of the process of this generation; those of older ones are void."""

    def vision_died(self) -> None:
        """Take note that the process has died or hangs; another one starts after a while."""

    def tick(self) -> None:
        """Do what has to be done every few hundredths of a second."""

    def needs_no_process(self) -> bool:
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
    """Keeps a process with the camera running from `start` to `close`; any thread may call."""

    def __init__(self, owner: VisionOwner) -> None:
        self.generation = 0  # grows with every `restart`
        self.n_starts = 0  # processes so far
        self._owner = owner
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

    def send(self, command: object) -> bool:
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
            while self._owner.needs_no_process() and self._is_current(generation):
                self._pause()
            if not self._is_current(generation):
                continue
            target, arguments = self._owner.next_process()
            process = ChildProcess("camera", target, *arguments)
            self.n_starts += 1
            child = self._child = _VisionChild(process, generation, heard_s=time.monotonic())
            self._attend(child)
            self._end()
            while self._owner.needs_no_process() and self._is_current(generation):
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
                received = child.process.pipe.recv()
            except (EOFError, OSError):
                self._owner.vision_died()
                return
            child.heard_s = now
            if isinstance(received, vision_messages.EncodedPicture):
                child.owes_picture = False
            self._owner.receive(received, child.generation)
            if isinstance(received, vision_messages.SourceEnded | vision_messages.VisionFailed):
                return

    def _ask_for_picture(self, child: _VisionChild, now: float) -> None:
        if now < self._pictures_until_s and not child.owes_picture and now - child.asked_s >= PAGE_PICTURE_INTERVAL_S:
            child.owes_picture = self.send(vision_messages.Ask.PICTURE)
            child.asked_s = now


class CameraGuest(Protocol):
    """The set-up, which looks through a table's camera in the place of vision."""

    gone_reason: str  # why its process has nothing more to show; empty while it has

    def receive(self, message: object) -> None:
        """Take in a message of its process."""

    def tick(self) -> None:
        """Give the camera back where nobody looks any more."""


class VisionRestartPolicy:
    """Counts how the vision processes of a table end; one thread at a time uses it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.seen_s = 0.0  # time of the source that vision has come to
        self.use(Source("", "file", ""))

    def use(self, source: Source, corners: Corners | None = None) -> None:
        """Look at a source from now on; what was disabled before is given to vision again."""
        self.source, self.uses_known_tables = source, True
        self.place(corners)

    def place(self, corners: Corners | None) -> None:
        """Take corners that people have pointed at; they have not been tried yet."""
        self.corners = corners
        self.disabled_features_note: Mapping[str, str] = {}  # what was disabled and why, by language
        self.risk: CrashCause | None = None  # what vision is about to use; None is nothing that could be disabled
        self._died_at: tuple[CrashCause | None, JournalPosition] | None = None
        self._n_deaths = self._n_losses = 0
        self._began_s = self._clock()

    def begin(self) -> None:
        """Note that a process is being started."""
        self.risk, self._began_s = None, self._clock()

    def saw(self, time_s: float) -> None:
        """Note that vision has processed a frame, and so is past all that it was given."""
        self.risk, self.seen_s = None, time_s

    def lost(self, reason: str) -> str:
        """Note that a camera has gone; return the reason, with the number of tries in a row that failed."""
        self._count_loss()
        return message("source.tries", why=reason, n=self._n_losses) if reason and self._n_losses > 1 else reason

    def died(self, at: JournalPosition, *, has_failed: bool = False) -> tuple[str, str]:
        """Note that vision has died with the game at this place; disable what has killed it twice.

        A game is given up only where vision ``has_failed`` by an error of its own: anything may kill what just starts.
        The answer is the state of the source and the reason, as `SourceStatus` has them.
        """
        self._count_loss()
        cause = self._cause()
        self._n_deaths = self._n_deaths + 1 if self._died_at == (cause, at) else 1
        self._died_at = cause, at
        if self._n_deaths >= MAX_DEATHS:
            match cause:
                case CrashCause.CORNERS:
                    self.corners, self.disabled_features_note = None, sentences_of(message("eyes.corners"))
                case CrashCause.KNOWN_TABLES:
                    self.uses_known_tables = False
                    self.disabled_features_note = sentences_of(message("eyes.known_tables"))
                case CrashCause.GAME if has_failed:
                    return "failed", message("eyes.game")
                case CrashCause.SOURCE if self.source.is_film:
                    is_film = medium_of(self.source.kind) == "film"
                    return "failed", message("eyes.film" if is_film else "eyes.photographs")
        return "lost", message("eyes.stopped", n=self._n_losses) if self._n_losses > 1 else ""

    def first_s(self, at: JournalPosition, last_event_s: float) -> float:
        """Return the time of a film to continue from: the rest before the last event, as the journal has the game.

        Where vision has died twice with the game at this place, it is what comes after the last frame seen.
        """
        if self._died_at is not None and self._died_at[1] == at and self._n_deaths >= MAX_DEATHS:
            return self.seen_s + SKIPPED_S
        return max(0.0, last_event_s - REPLAYED_REST_S)

    def _count_loss(self) -> None:
        is_steady = self._clock() - self._began_s > STEADY_RUN_S
        self._n_losses = 1 if is_steady else self._n_losses + 1

    def _cause(self) -> CrashCause | None:
        """Return what vision died at: soon after its start, with a camera, it may be the corners yet."""
        if self.risk is not None or self.source.is_film or self._clock() - self._began_s > STEADY_RUN_S:
            return self.risk
        return CrashCause.CORNERS if self.corners is not None else None
