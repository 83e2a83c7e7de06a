"""Why a turn is good or bad, in terms of the table: what it closes, opens, blocks and leads to.

A reason is data; ``reason_sentences`` says it in words. Nothing is claimed that the position or the search does not show.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.game import Game
from referee.search.thought import RankedTurn


class Reason(NamedTuple):
    """One thing that speaks for a turn, or against it.

    Attributes
    ----------
    kind : str
        Which sentence it is, see ``reason_sentences``.
    points : tuple of str
        Where it is seen on the board; may be empty.
    n : int
        How many: of mills, stones or turns; 0 where the sentence has no number.
    player : int or None
        Whom it is about, where that is not the mover.
    """

    kind: str
    points: tuple[str, ...] = ()
    n: int = 0
    player: int | None = None


def reasons_for(game: Game, choice: RankedTurn) -> tuple[Reason, ...]:
    """What speaks for (or, where it loses, against) a turn in ``game``, the weightiest first; at most three."""
    return ()
