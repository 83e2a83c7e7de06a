"""Where new eyes take up a film that others have left in the middle."""

from __future__ import annotations

JournalPosition = tuple[int, int]
"""Where a game stands: its number, and how many records there are of it."""

REPLAYED_REST_S = 0.4  # a turn is accepted at the end of a rest at least so long
SKIPPED_S = 0.01
MAX_FAILURES = 1  # at one place; after more of them what is there is passed over


class FilmPosition:
    """What is known of eyes that have died.

    Attributes
    ----------
    seen_s : float
        Time of the film that the last eyes had come to.
    """

    def __init__(self) -> None:
        self.seen_s = 0.0
        self._failed_at: JournalPosition = (0, 0)
        self._n_failed = 0

    def failed(self, at: JournalPosition) -> None:
        """Eyes have died with the game there."""
        self._n_failed = self._n_failed + 1 if self._failed_at == at else 1
        self._failed_at = at

    def from_s(self, at: JournalPosition, last_s: float | None) -> float:
        """Where to take it up: at the last rest in which the table showed what the journal says, ``last_s``."""
        if self._failed_at == at and self._n_failed > MAX_FAILURES:
            return self.seen_s + SKIPPED_S
        return max(0.0, (last_s or 0.0) - REPLAYED_REST_S)
