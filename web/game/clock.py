"""The players' clock: what was agreed about time, and how much each player has used; the caller passes the time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from languages import message
from referee.game import Game
from web.errors import MillchenError
from web.game.page_state import ClockView

MAX_CLOCK_MINUTES = 600.0  # longest time per player that can be agreed, in minutes
MAX_CLOCK_INCREMENT_S = 600.0  # largest increment per turn that can be agreed, in seconds


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock for every player; at most one of them runs."""

    kind: str = "off"  # "off", "down" (each player has so many minutes) or "up" (the clock only counts)
    minutes: float = 0.0
    increment_s: float = 0.0  # time that a player gets back for every turn
    used_s: tuple[float, ...] = ()  # thinking time of each player up to the last stop, less the increments
    running: int | None = None
    since_s: float = 0.0  # time at which the running one was started, on the caller's clock

    def used(self, now_s: float) -> tuple[float, ...]:
        """Return the seconds that each player has used, the running time included."""
        return tuple(
            spent + (now_s - self.since_s if player == self.running else 0.0)
            for player, spent in enumerate(self.used_s)
        )

    def pause(self, now_s: float) -> Clock:
        """Return the clock with all players' times standing."""
        return replace(self, used_s=self.used(now_s), running=None)

    def run(self, player: int, now_s: float) -> Clock:
        """Return the clock with the time of ``player`` running and the others standing."""
        if player == self.running:
            return self
        return replace(self.pause(now_s), running=player, since_s=now_s)

    def press(self, player: int, now_s: float) -> Clock:
        """Return the clock after the running player has moved: the time of ``player`` runs now."""
        mover, stopped = self.running, self.pause(now_s)
        if mover is None or mover == player:
            return stopped.run(player, now_s)
        used = [spent - (self.increment_s if who == mover else 0.0) for who, spent in enumerate(stopped.used_s)]
        return replace(stopped, used_s=tuple(used)).run(player, now_s)

    def after_act(self, act: str, game: Game, now_s: float) -> Clock:
        """Return the clock after people have said "start" or "pause", or pressed it, at this point of a game."""
        if self.kind == "off" or game.outcome is not None:
            raise MillchenError(message("clock.none"))
        if act == "pause":
            return self.pause(now_s)
        if act == "start" or self.running is None:
            return self.run(game.position.to_move, now_s)
        return self.press((self.running + 1) % game.variant.players, now_s)

    def view(self, now_s: float) -> ClockView:
        """Return the clock for the page."""
        used = self.used(now_s)
        shown = used if self.kind == "up" else tuple(60 * self.minutes - spent for spent in used)
        running = None if self.running is None else self.running + 1
        return ClockView(self.kind, self.minutes, self.increment_s, tuple(round(s, 2) for s in shown), running)

    def settings(self) -> dict[str, Any]:
        """Return what was agreed, as the journal keeps it."""
        return {"kind": self.kind, "minutes": self.minutes, "increment": self.increment_s}


def parse_clock(body: Mapping[str, Any], players: int) -> Clock:
    """Return the clock of ``{"kind": ..., "minutes": ..., "increment": ...}``, or refuse it."""
    clock = Clock(str(body["kind"]), float(body["minutes"]), float(body["increment"]), (0.0,) * players)
    if clock.kind == "down" and clock.minutes == 0:
        raise MillchenError(message("clock.needs_minutes"))
    return clock


class TableClock:
    """The clock of one table; it follows the game turn by turn."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._game_number, self._ply = 0, 0

    def update(self, number: int, game: Game, saved: Clock, now_s: float) -> ClockView:
        """Bring the clock in line with the game and return it for the page.

        After an accepted turn the time of the player to move runs; after a turn was taken back it runs without an
        increment. At the end of the game all clocks stand. A new or resumed game starts with the ``saved`` one.
        """
        is_new, ply_before = number != self._game_number, self._ply
        ply, player = game.ply, game.position.to_move
        self._game_number, self._ply = number, ply
        if is_new:
            self.clock = saved
        if game.outcome is not None:
            self.clock = self.clock.pause(now_s)
        elif self.clock.kind != "off" and not is_new and ply > ply_before:
            self.clock = self.clock.press(player, now_s)
        elif self.clock.running is not None and ply < ply_before:
            self.clock = self.clock.run(player, now_s)  # a turn was taken back
        return self.clock.view(now_s)

    def turn_fields(self, now_s: float) -> dict[str, Any]:
        """Return the fields that the record of a turn gets: the seconds used so far; empty without a clock."""
        return {} if self.clock.kind == "off" else {"clock": [round(spent, 2) for spent in self.clock.used(now_s)]}
