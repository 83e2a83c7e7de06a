"""A position that people have laid, or that a photograph shows: what it is for the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from languages import message, message_of
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.position import Position
from referee.resumption import likeliest_hands
from referee.variant import Variant
from web.errors import MillchenError
from web.game.game_json import game_to_json, standing_mills
from web.game.replay import GameState

Stones = Mapping[str, Sequence[int]]
"""For each point with stones their players, 1 first, bottom first."""


def weigh_position(
    variant: Variant, stones: Stones, hands: Sequence[int] | None, to_move: int | None
) -> dict[str, Any]:
    """Return the position as JSON: ``fen``, ``hands``, ``to_move`` (1 first) and the ``mills`` that stand.

    Without ``hands`` or ``to_move`` it has the likeliest ones.

    Raises:
        MillchenError: When a player has too many stones, or the game would be over.
    """
    counts = [sum(player == k + 1 for tower in stones.values() for player in tower) for k in range(variant.players)]
    likely, mover = likeliest_hands(variant, counts)
    towers = {point: [player - 1 for player in tower] for point, tower in stones.items()}
    try:
        position = Position.set_up(
            variant, towers, likely if hands is None else hands, mover if to_move is None else to_move - 1
        )
    except ValueError as why:
        raise MillchenError(message_of(why)) from why
    if Game(position).outcome is not None:
        raise MillchenError(message("position.over"))
    return {
        "fen": to_fen(position),
        "hands": position.hands,
        "to_move": position.to_move + 1,
        "mills": standing_mills(position),
    }


def position_of_fen(fen: str, variant: Variant) -> Position:
    """Return a position; raises MillchenError where the text is none of this game."""
    try:
        return parse_fen(fen, variant)
    except ValueError as why:
        raise MillchenError(message_of(why)) from why


def bare_view(variant: Variant) -> dict[str, Any]:
    """Return the view of the bare board, for a page that lays the stones itself."""
    state = GameState(Game(Position.set_up(variant, {})))
    return game_to_json(0, state, state.game, lambda _: {"texts": {}, "title": {}})
