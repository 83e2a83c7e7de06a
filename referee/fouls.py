"""Fouls: their kinds, as other programs read them, and the error that carries them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from referee.moves import Move


class Foul(StrEnum):
    """A reason why an act is against the rules, the gravest first: so are reasons sorted for people."""

    AFTER_END = "after_end"
    WRONG_PLAYER = "wrong_player"
    MOVED_OPPONENT = "moved_opponent"
    CAPTURED_OWN = "captured_own"
    MOVED_WHILE_PLACING = "moved_while_placing"
    PLACED_WHILE_MOVING = "placed_while_moving"
    TWO_MOVES = "two_moves"
    PASSED = "passed"
    CENTRE_FORBIDDEN = "centre_forbidden"
    OCCUPIED = "occupied"
    STACK_TOO_HIGH = "stack_too_high"
    MOVED_BLOCKED = "moved_blocked"
    REMADE_MILL = "remade_mill"
    NOT_ADJACENT = "not_adjacent"
    ROTATED_BACK = "rotated_back"
    ROTATED_WITHOUT_STONE = "rotated_without_stone"
    CAPTURE_WITHOUT_MILL = "capture_without_mill"
    CAPTURED_NOTHING = "captured_nothing"
    CAPTURED_FROM_MILL = "captured_from_mill"
    TOO_MANY_CAPTURES = "too_many_captures"
    CAPTURE_MISSING = "capture_missing"
    TOO_MANY_STONES = "too_many_stones"
    STONE_VANISHED = "stone_vanished"
    STONE_APPEARED = "stone_appeared"


ORDER = {foul: rank for rank, foul in enumerate(Foul)}
"""How grave a foul is, 0 the gravest."""


def sort_fouls(fouls: Iterable[Foul]) -> tuple[Foul, ...]:
    """The fouls, gravest first."""
    return tuple(sorted(fouls, key=ORDER.__getitem__))


class IllegalMoveError(ValueError):
    """A move that is not allowed here.

    Attributes:
        move: What was tried.
        reasons: Every reason against it, the gravest first.
    """

    def __init__(self, move: Move, reasons: Iterable[Foul]) -> None:
        self.move = move
        self.reasons = sort_fouls(reasons)
        super().__init__(f"illegal move {str(move)!r}: {', '.join(self.reasons)}")
