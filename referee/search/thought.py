"""The types of thinking: limits go in, values of positions and a thought come out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

from referee.endings import Outcome
from referee.turns import Turn
from referee.typed_json import In, Player, Share


class Limits(NamedTuple):
    """How far one thought may go; what is reached first ends it.

    The same number of positions, or the same depth, gives the same thought on every machine; a clock is for slow ones.
    """

    positions: int | None = None  # number of positions that are looked at
    depth: int | None = None  # number of turns that are looked ahead
    is_time_up: Callable[[], bool] | None = None  # nothing is begun any more once it returns True

    @classmethod
    def within(
        cls, seconds: float, clock: Callable[[], float], positions: int | None = None, depth: int | None = None
    ) -> Limits:
        """Limits that end ``seconds`` after this call by ``clock``, which counts seconds."""
        until = clock() + seconds
        return cls(positions, depth, lambda: clock() >= until)

    def are_reached(self, n_positions: int) -> bool:
        """Whether a thought that has looked at so many positions must end."""
        if self.positions is not None and n_positions > self.positions:
            return True
        return self.is_time_up is not None and n_positions % CHECK_EVERY == 0 and self.is_time_up()


CHECK_EVERY = 64  # positions between two looks at the clock: some thousandths of a second


class OutOfLimitsError(Exception):
    """The limits are reached; what the last whole depth found stands."""


class Value(NamedTuple):
    """What a position is worth to each player."""

    shares: tuple[Share, ...]  # by player, the share of the game to expect, from 0 (lost) to 1 (won); together 1
    winner: Player | None = None  # who wins by force, 0 first
    turns: int | None = None  # after how many turns of all players together he does so when everybody plays best
    # by a table, or a line without a way out; without a winner it is a draw
    is_proved: Annotated[bool, In("proved")] = False

    @classmethod
    def won(cls, n_players: int, winner: int, turns: int) -> Value:
        """The value of a game that ``winner`` wins in ``turns``."""
        return cls(tuple(float(player == winner) for player in range(n_players)), winner, turns, True)

    @classmethod
    def of(cls, outcome: Outcome, n_players: int, turns: int = 0) -> Value:
        """The value of a game that is over, or will be after so many turns."""
        return cls.drawn(n_players) if outcome.winner is None else cls.won(n_players, outcome.winner, turns)

    @classmethod
    def drawn(cls, n_players: int) -> Value:
        """The value of a draw."""
        return cls((1 / n_players,) * n_players, is_proved=True)

    @classmethod
    def estimated(cls, points: tuple[float, ...], out: tuple[bool, ...]) -> Value:
        """The value for ``points`` by player, in hundredths of a stone; who is ``out`` has no share.

        See ``evaluation.evaluate``.
        """
        best = max(p for p, is_out in zip(points, out, strict=True) if not is_out)
        odds = [math.exp((p - best) / POINTS_PER_NAT) * (not is_out) for p, is_out in zip(points, out, strict=True)]
        return cls(tuple(odd / sum(odds) for odd in odds))

    def a_turn_earlier(self) -> Value:
        """The value as it is a turn earlier: a decided game is a turn longer."""
        return self if self.turns is None else self._replace(turns=self.turns + 1)


POINTS_PER_NAT = 150.0  # lead in hundredths of a stone by which the odds of winning grow by the factor e


class RankedTurn(NamedTuple):
    """One of the turns that may be played now, and what it leads to."""

    turn: Turn
    value: Value


class Thought(NamedTuple):
    """What came out of thinking about a position."""

    turn: Turn  # the whole turn to play, its captures included
    value: Value  # what the position is worth when it is played
    line: tuple[Turn, ...]  # how the game may go on: that turn and what answers it, as far as it was seen
    # the turns that were compared, best first; where it was not asked for all of them, only the first is certain to
    # have its right value
    ranked: tuple[RankedTurn, ...]
    depth: int  # turns that were looked ahead in full; 0 where a table knew it
    n_positions: int  # positions that were looked at
