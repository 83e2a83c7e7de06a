"""Decides how to restart vision after a crash: which input to disable, where to resume, what to tell people.

Vision names the input that it is about to use (`CrashRiskNotice`); what kills it twice at one place is disabled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from languages import message
from web.game.first_record import medium_of
from web.table.source_names import Source
from web.table.supervisor import STEADY_RUN_S
from web.table.vision_messages import Corners, CrashCause
from web.table.vision_process import sentences_of

MAX_DEATHS = 2  # number of times that vision may die at the same thing before that is disabled, or skipped
REPLAYED_REST_S = 0.4  # time before the last event, in seconds, from which a film continues: less than a turn rests
SKIPPED_S = 0.01  # time of a film in seconds that is skipped after vision has died at the same place again
JournalPosition = tuple[int, int]  # how far a game has come: its number, and the number of its records


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
