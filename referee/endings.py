"""How a game ends: who won, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Termination(StrEnum):
    """Why a game is over. The value is the ``reason`` that other programs read."""

    THREE_IN_A_ROW = "three_in_a_row"
    FEWER_THAN_THREE = "fewer_than_three"
    LAST_WITH_THREE = "last_with_three"
    NO_MOVES = "no_moves"
    BOARD_FULL = "board_full"
    NOBODY_CAN_MOVE = "nobody_can_move"
    REPETITION = "repetition"
    NO_MILL = "no_mill"
    TURN_LIMIT = "turn_limit"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    ARBITER = "arbiter"
    TIME = "time"
    ABANDONED = "abandoned"


# from the remark on a turn, without moves, by which a player leaves the others to play on, to why
WITHDRAWN = {"resigned": Termination.RESIGNATION, "timed_out": Termination.TIME}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game."""

    winner: int | None  # player (0 first) who won; ``None`` for a draw, and for a game that was abandoned
    termination: Termination  # why the game is over

    @property
    def is_draw(self) -> bool:
        """Whether nobody has won a game that was finished; one that was abandoned has no result at all."""
        return self.winner is None and self.termination is not Termination.ABANDONED
