"""Lessons: small positions with exactly one solution; ``lessons.json`` ships them."""

from __future__ import annotations

from typing import NamedTuple

from referee.fen import parse_fen
from referee.moves import turn_text
from referee.position import Position
from referee.turns import Turn, iter_turns
from referee.variant import Variant

KINDS = (  # easy ones first; where three in a row wins, closing a mill means winning
    "mill_in_one",  # the turn closes a mill
    "block",  # no turn closes a mill; after this one the next player cannot close one, after each other he can
    "double_mill",  # the mover can close a mill with his next turn, whatever is played in between
    "trap",  # the mover wins by force within ``n_turns`` of his own turns; with one: the others cannot move any more
)


class Lesson(NamedTuple):
    """One position with its task and its answer."""

    game: str  # name of the game
    kind: str  # one of ``KINDS``
    fen: str  # the position, see ``referee.fen``
    solution: str  # the turn that solves it, its captures included
    line: tuple[str, ...]  # the solution first; for the last two kinds also an answer and the turn aimed at
    n_turns: int = 1  # own turns to what is asked for, the solution included
    any_capture: bool = False  # whether any capture will do, of those that the action earns

    def position(self, variant: Variant) -> Position:
        """The position, by the rules of its game."""
        return parse_fen(self.fen, variant)

    def n_stones(self, variant: Variant) -> int:
        """Stones on the board."""
        return sum(self.position(variant).counts)

    def is_solved_by(self, turn: Turn) -> bool:
        """Whether a turn of its position is the answer."""
        return answers(self.solution, turn_text(turn.moves), any_capture=self.any_capture)


def answers(solution: str, notation: str, *, any_capture: bool) -> bool:
    """Whether a turn, in notation, is the solution: the same action, and the same captures in any order."""
    (action, *captures), (other_action, *other_captures) = solution.split("x"), notation.split("x")
    return action == other_action and (any_capture or sorted(captures) == sorted(other_captures))


def does_close(turn: Turn) -> bool:
    """Whether a turn closes a mill; where three in a row wins, whether it wins."""
    return turn.wins if turn.reached.variant.line_wins else bool(turn.mills)


def may_close_one(position: Position) -> bool:
    """Whether the player to move has a turn that closes a mill."""
    if position.ended is not None or position.removing:
        return False
    return any(map(does_close, iter_turns(position)))
