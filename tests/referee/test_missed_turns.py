from __future__ import annotations

from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS
from referee.moves import parse_turn
from referee.presets import find_variant
from referee.resumption import is_soon_after


def test_soon_after_a_game_is_a_turn_or_two_or_the_middle_of_one() -> None:
    game = Game.start(find_variant("nine_mens_morris"))
    for turn in ("d6", "a1", "b6", "a4"):
        for move in parse_turn(turn, NINE_MENS_MORRIS):
            game = game.play(move)
    stones = {"d6": 1, "a1": 2, "b6": 1, "a4": 2}
    for more, is_soon in (
        ({"f6": 1}, True),  # a mill whose capture is not made yet
        ({"f6": 1, "a4": 0}, True),
        ({"g1": 1, "g4": 2}, True),
        ({"g1": 2}, False),  # the other player is to move
        ({"g1": 1, "g4": 2, "g7": 1}, False),
        ({"a4": 0}, False),
    ):
        tops = tuple((stones | more).get(name, 0) for name in NINE_MENS_MORRIS.points)
        assert is_soon_after(game, tops, 2) is is_soon, more
