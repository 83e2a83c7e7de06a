"""The players' clock: what is agreed about time, and what each player has used of it.

Values only. The table says what time it is (a monotonic clock, so that a change of summer time costs nobody a game) and
who is to move; the page counts on from what it was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.game import Game
from web.errors import MillchenError

CLOCK_KINDS = ("off", "down", "up")
MOST_MINUTES, MOST_INCREMENT_S = 600.0, 600.0


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock for every player, of which at most one runs.

    Attributes
    ----------
    kind : str
        "off", "down" (each player has so many minutes) or "up" (it only counts).
    minutes : float
        What each player has; of no meaning when counting up.
    increment_s : float
        What a player gets for every turn.
    used_s : tuple of float, by player
        Thinking time up to the last stop, increments taken off.
    running : int or None
        The player whose time runs; None while all stand.
    since_s : float
        When it was started, by the table's own clock.
    """

    kind: str = "off"
    minutes: float = 0.0
    increment_s: float = 0.0
    used_s: tuple[float, ...] = ()
    running: int | None = None
    since_s: float = 0.0

    def used(self, now_s: float) -> tuple[float, ...]:
        """Seconds that each player has used, the running one included."""
        return tuple(
            spent + (now_s - self.since_s if player == self.running else 0.0)
            for player, spent in enumerate(self.used_s)
        )

    def pause(self, now_s: float) -> Clock:
        """All clocks stand."""
        return replace(self, used_s=self.used(now_s), running=None)

    def run(self, player: int, now_s: float) -> Clock:
        """The clock of ``player`` runs, the others stand."""
        if player == self.running:
            return self
        return replace(self.pause(now_s), running=player, since_s=now_s)

    def press(self, player: int, now_s: float) -> Clock:
        """The player whose clock runs has moved; now that of ``player`` runs."""
        mover, stopped = self.running, self.pause(now_s)
        if mover is None or mover == player:
            return stopped.run(player, now_s)
        used = [spent - (self.increment_s if who == mover else 0.0) for who, spent in enumerate(stopped.used_s)]
        return replace(stopped, used_s=tuple(used)).run(player, now_s)

    def to_json(self, now_s: float) -> dict[str, Any]:
        """The clock for the page: seconds that each player has left (or has used, counting up), and who runs."""
        used = self.used(now_s)
        shown = used if self.kind == "up" else tuple(60 * self.minutes - spent for spent in used)
        return {
            **self.settings(),
            "seconds": [round(value, 2) for value in shown],
            "running": None if self.running is None else self.running + 1,
        }

    def settings(self) -> dict[str, Any]:
        """What was agreed, as the journal keeps it."""
        return {"kind": self.kind, "minutes": self.minutes, "increment": self.increment_s}


def parse_clock(body: Mapping[str, Any], players: int) -> Clock:
    """The clock that somebody asks for: ``{"kind": ..., "minutes": ..., "increment": ...}``.

    Raises
    ------
    MillchenError
        When there is no such clock.
    """
    kind = body.get("kind", "off")
    if kind not in CLOCK_KINDS:
        raise MillchenError(f"a clock is one of {', '.join(KINDS)}, got {kind!r}")
    minutes = _parse_number(body, "minutes", MOST_MINUTES)
    if kind == "down" and minutes == 0:
        raise MillchenError("a clock that counts down needs some minutes")
    return Clock(kind, minutes, _parse_number(body, "increment", MOST_INCREMENT_S), (0.0,) * players)


def _parse_number(body: Mapping[str, Any], name: str, most: float) -> float:
    value = body.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise MillchenError(f"{name} must be a number from 0 to {most:g}")
    return float(value)


class TableClock:
    """The clock that stands on one table; follows the game turn by turn."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._number, self._ply = 0, 0

    def follow(self, number: int, game: Game, kept: Clock, now_s: float) -> dict[str, Any]:
        """Let the clock of whoever is to move run once a turn has been accepted; what the page shows of it.

        Parameters
        ----------
        number : int
            The game's number.
        game : Game
        kept : Clock
            The clock as the journal has it. A game that is taken up again begins with it, and it stands.
        now_s : float
        """
        is_new, ply_before = number != self._number, self._ply
        ply, player = game.ply, game.position.to_move
        self._number, self._ply = number, ply
        if is_new:
            self.clock = kept
        if game.outcome is not None:
            self.clock = self.clock.pause(now_s)
        elif self.clock.kind != "off" and not is_new and ply > ply_before:
            self.clock = self.clock.press(player, now_s)
        elif self.clock.running is not None and ply < ply_before:
            self.clock = self.clock.run(player, now_s)  # a turn was taken back
        return self.clock.to_json(now_s)

    def stamp(self, now_s: float) -> dict[str, Any]:
        """What is kept of the clock with a turn: the seconds used so far."""
        return {} if self.clock.kind == "off" else {"clock": [round(spent, 2) for spent in self.clock.used(now_s)]}
