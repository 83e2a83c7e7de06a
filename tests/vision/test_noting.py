"""What colours are worth: little in a light in which the paints have not been seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.game import Game
from referee.moves import parse_turn
from referee.position import Position
from referee.presets import find_variant
from vision.appearance import Appearance, unknown
from vision.noting import OTHER_LIGHT_WORTH, unsure_of_paint
from vision.observation import Observation

SURE = 7.0


def position_after(*moves: str) -> Position:
    game = Game.start(find_variant("millchen"))
    for text in moves:
        for move in parse_turn(text, game.position.board):
            game = game.play(move)
    return game.position


def lit(position: Position, *dark: str) -> Appearance:
    """Every point seen bare, some of them in a deep shadow."""
    known = unknown(24, 2)
    bare = np.array(known.bare)
    bare[[position.board.index[name] for name in dark]] -= (1.0, 0.0, 0.0)
    return replace(known, bare=bare, looks=np.ones(24))


def worth_of(position: Position, appearance: Appearance) -> dict[str, float]:
    """What is left of the preference for one colour at every point."""
    rows = np.tile((-SURE, 0.0, -SURE), (24, 1))
    left = unsure_of_paint(Observation(rows, 0.0, np.zeros(24)), appearance, position.tops, 2).log_likelihood
    return dict(zip(position.board.points, -left[:, 2] / SURE, strict=True))


def test_a_stone_in_a_deep_shadow_says_little_of_stones_in_the_sun():
    position = position_after("d6", "d7", "b4", "f4")
    worth = worth_of(position, lit(position, "d7", "f4", "c5"))
    assert worth["a1"] == OTHER_LIGHT_WORTH  # the second player's lie in the shadow
    assert worth["c5"] == OTHER_LIGHT_WORTH  # and the first one's in the sun
    after = position_after("d6", "d7", "b4", "f4", "c5", "a1")
    assert worth_of(after, lit(after, "d7", "f4", "c5"))["g7"] == 1.0
