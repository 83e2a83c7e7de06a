"""Decides where a new vision process continues a film after the last one has died."""

from __future__ import annotations

REPLAYED_REST_S = 0.4
"""Time before the last event, in seconds, from which a film continues.

A turn is accepted at the end of a rest that is at least so long. Source: chosen.
"""

SKIPPED_S = 0.01
"""Time of a film in seconds that is skipped after vision has died at the same place again. Source: chosen."""

MAX_DEATHS_AT_PLACE = 1
"""Number of times that vision may die at one place of a film before that place is skipped. Source: chosen."""

JournalPosition = tuple[int, int]
"""How far a game has come: its number, and the number of its records."""


class FilmPosition:
    """Decides where a new vision process continues a film after the last one has died.

    Attributes:
        seen_s: Time of the film that the last process had come to, in seconds.
    """

    def __init__(self) -> None:
        self.seen_s = 0.0
        self._died_at: JournalPosition = (0, 0)
        self._n_deaths = 0

    def vision_died(self, at: JournalPosition) -> None:
        """Note that vision has died with the game at this place."""
        self._n_deaths = self._n_deaths + 1 if self._died_at == at else 1
        self._died_at = at

    def first_s(self, at: JournalPosition, last_event_s: float | None) -> float:
        """Return the time to continue from: the rest before the last event, where the table shows the journal's game.

        Where vision has died repeatedly with the game at this place, it is what comes after the last frame seen.
        """
        if self._died_at == at and self._n_deaths > MAX_DEATHS_AT_PLACE:
            return self.seen_s + SKIPPED_S
        return max(0.0, (last_event_s or 0.0) - REPLAYED_REST_S)
