"""The rules: what may be done, and what it leads to.

A *move* is one act; a *turn* is all moves until somebody else is to move. A turn is one action (place, slide, jump,
turn a ring) and the captures that it earns.

When an action closes mills, the order is this. A line that wins ends the game. Otherwise captures fall due: from one
opponent of choice, or from each (``Variant.each_opponent``); a due for which no stone can be taken lapses at once.
After a capture it is asked first whether one player alone is left with enough stones: then the game ends there, and
what is still due lapses. When nothing is due any more the turn ends: who has too few stones is out; a full board is
judged; the next player is looked for, and who cannot act loses, is skipped, or draws (``Variant.stalemate``).
Repetition and the counted draws come after all that, in ``game.py``, so a win on the last quiet turn is a win.
"""

from __future__ import annotations

from referee.advance import advance
from referee.fouls import IllegalMoveError, violations
from referee.legal import legal_moves
from referee.moves import Move
from referee.position import Position
from referee.turns import Turn, iter_turns, legal_turns, partial_turns, turns_showing, whole_and_begun

__all__ = [
    "Turn",
    "advance",
    "iter_turns",
    "legal_moves",
    "legal_turns",
    "partial_turns",
    "play",
    "turns_showing",
    "violations",
    "whole_and_begun",
]


def play(position: Position, move: Move) -> Position:
    """The position after ``move``; always checked.

    Raises IllegalMoveError when the move is not allowed here; it carries every reason.
    """
    if move not in legal_moves(position):
        raise IllegalMoveError(move, violations(position, move))
    return advance(position, move)
