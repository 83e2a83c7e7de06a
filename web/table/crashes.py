"""After the eyes have died: what of the outside they are not given a third time, where they go on, and what is said.

The eyes name what they are about to use (`web.table.vision_messages.Using`). Where they die twice at that, with the
game at the same place, it is let go. A camera that goes away is no such thing: it is tried again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from languages import message
from web.game.snapshot import medium_of
from web.table.film_position import FilmPosition, JournalPosition
from web.table.source_names import Source
from web.table.supervisor import STEADY_RUN_S
from web.table.vision_messages import Corners, Suspect
from web.table.vision_report import sentences_of

MAX_DEATHS = 2
"""Number of times that the eyes may die at the same thing before it is let go. Source: chosen."""


@dataclass(frozen=True, slots=True)
class SourceLoss:
    """What becomes of the source after its eyes have died: its state and the reason, as `SourceStatus` has them."""

    state: str
    reason: str


class EyeCrashes:
    """Counts how the eyes of a table end, and decides what the next ones are given; one thread at a time uses it.

    Args:
        clock: Seconds that never jump.

    Attributes:
        film: Where a film goes on.
        source: What the eyes look at.
        corners: four (x, y) or None. The field, where somebody has pointed at it.
        uses_known_tables: Whether the eyes are given the tables that were measured before.
        note: What was let go and why, by language; empty where nothing was.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.film = FilmPosition()
        self.use(Source("", "file", ""))

    def use(self, source: Source, corners: Corners | None = None) -> None:
        """Look at a source from now on; what was let go before is forgotten."""
        self.source, self.corners, self.uses_known_tables = source, corners, True
        self.forget()

    def place(self, corners: Corners) -> None:
        """Take corners that people have pointed at; they have not been tried yet."""
        self.corners = corners
        self.forget()

    def forget(self) -> None:
        """Forget how the eyes have ended so far: what they are given has changed."""
        self.note: Mapping[str, str] = {}
        self._using: Suspect | None = None
        self._died_at: tuple[Suspect | None, JournalPosition] | None = None
        self._n_deaths = self._n_losses = 0
        self._began_s = self._clock()

    # ------------------------------------------------------------ what the eyes tell

    def begin(self) -> None:
        """Take note that eyes are being started."""
        self._using, self._began_s = None, self._clock()

    def use_now(self, what: Suspect | None) -> None:
        """Take note of what the eyes are about to use; None is nothing that could be let go."""
        self._using = what

    def saw(self, time_s: float) -> None:
        """Take note that the eyes have processed a frame, and so are past all that they were given."""
        self._using, self.film.seen_s = None, time_s

    def lost(self, reason: str) -> str:
        """Take note that a camera has gone; return the reason, with the number of tries in a row that failed."""
        self._count_loss()
        return message("source.tries", why=reason, n=self._n_losses) if reason and self._n_losses > 1 else reason

    def died(self, at: JournalPosition, *, has_failed: bool = False) -> SourceLoss:
        """Take note that the eyes have died with the game at this place; let go what has killed them twice.

        A game is let go only where they ``has_failed`` by an error of their own: anything may kill what just starts.
        """
        self.film.vision_died(at)
        self._count_loss()
        suspect = self._suspect()
        self._n_deaths = self._n_deaths + 1 if self._died_at == (suspect, at) else 1
        self._died_at = suspect, at
        if self._n_deaths >= MAX_DEATHS:
            match suspect:
                case Suspect.CORNERS:
                    self.corners, self.note = None, sentences_of(message("eyes.corners"))
                case Suspect.KNOWN_TABLES:
                    self.uses_known_tables, self.note = False, sentences_of(message("eyes.known_tables"))
                case Suspect.GAME if has_failed:
                    return SourceLoss("failed", message("eyes.game"))
                case Suspect.SOURCE if self.source.is_film:
                    is_film = medium_of(self.source.kind) == "film"
                    return SourceLoss("failed", message("eyes.film" if is_film else "eyes.photographs"))
        return SourceLoss("lost", message("eyes.stopped", n=self._n_losses) if self._n_losses > 1 else "")

    def _count_loss(self) -> None:
        is_steady = self._clock() - self._began_s > STEADY_RUN_S
        self._n_losses = 1 if is_steady else self._n_losses + 1

    def _suspect(self) -> Suspect | None:
        """Return what the eyes died at: soon after their start, with a camera, it may be the corners yet."""
        if self._using is not None or self.source.is_film or self._clock() - self._began_s > STEADY_RUN_S:
            return self._using
        return Suspect.CORNERS if self.corners is not None else None
