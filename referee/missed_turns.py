"""Whether a table shows a game a little later than it was left: what may have been played while nobody looked."""

from __future__ import annotations

from collections.abc import Sequence

from referee.game import Game
from referee.position import Position
from referee.resumption import readings
from referee.rules import legal_turns


def is_soon_after(game: Game, tops: Sequence[int], n_turns: int) -> bool:
    """Return whether a table shows the game with some turns more, or in the middle of its next one.

    Args:
        tops: sequence of int, by point. What the table shows: 0 bare, k a stone of player k - 1 on top.
        n_turns: Most turns that may have been played.
    """
    wanted = tuple(tops)
    if any(game.play(move).position.tops == wanted for move in game.legal_moves):
        return True
    return any(_leads_to(one.position, wanted, n_turns) for one in readings(game))


def _leads_to(position: Position, tops: tuple[int, ...], n_turns: int) -> bool:
    for turn in legal_turns(position):
        after = turn.tops
        if after == tops:
            return True
        is_on_the_way = all(now in (then, top) for now, then, top in zip(after, position.tops, tops, strict=True))
        if n_turns > 1 and is_on_the_way and turn.after.ended is None and _leads_to(turn.after, tops, n_turns - 1):
            return True
    return False
