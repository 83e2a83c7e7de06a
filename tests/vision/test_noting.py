"""What colours are worth: little in a light in which the paints have not been seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.game import Game
from referee.moves import parse_turn
from referee.position import Position
from referee.presets import find_variant
from vision.compare import OTHER_LIGHT_WORTH, told_by_fellows, unsure_of_paint
from vision.decoding.belief import believe
from vision.imaging.patches import SIDE, Floats, Patches, samples_per_unit
from vision.stones.appearance import Appearance, unknown
from vision.stones.observation import Observation

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


def stone(level: float) -> Floats:
    """A round grey stone on darker cloth, brighter on one side, in the middle of a patch."""
    rows, columns = np.indices((SIDE, SIDE)) - (SIDE - 1) / 2
    patch = np.full((SIDE, SIDE, 3), (4.0, 0.4, 0.0), np.float32)
    disc = np.hypot(rows, columns) < 0.3 * samples_per_unit()
    patch[disc] = np.column_stack([level + 0.02 * columns[disc], np.zeros((disc.sum(), 2))])
    return patch


def test_of_two_greys_a_new_stone_is_whose_it_resembles_beside_it():
    game = Game.start(find_variant("millchen"))
    tops = [0] * 24
    for i, player in enumerate((1, 2, 1, 2, 1, 2)):
        tops[i] = player
    game = game.play_on(tops, to_move=0)
    luv = np.full((24, SIDE, SIDE, 3), (4.0, 0.4, 0.0), np.float32)
    appearance = replace(unknown(24, 2), bare=luv.copy(), looks=np.ones(24))
    for i, level in enumerate((5.4, 5.1, 5.35, 5.12, 5.42, 5.08, 5.38, 5.11)):
        luv[i] = stone(level)
    patches = Patches(luv, np.ones(24, np.bool_), 1.0)
    rows = np.tile((0.0, -SURE, -SURE), (24, 1))
    rows[:8] = (-SURE, 0.0, 0.0)  # the histograms cannot tell them apart
    new = np.isin(np.arange(24), (6, 7))
    belief = replace(believe(game), touched=np.where(new, 5.0, -SURE))
    nobody, observation = np.zeros(24, np.bool_), Observation(rows, 0.0, np.zeros(24))
    told = told_by_fellows(observation, patches, None, appearance, belief, nobody).log_likelihood
    assert told[6, 2] < -1.5 and told[6, 1] == 0
    assert told[7, 1] < -1.5 and told[7, 2] == 0
    assert (told[~new] == rows[~new]).all()
    hidden = np.isin(np.arange(24), (1, 3, 5))  # no fellow of the second player's is in sight
    assert (told_by_fellows(observation, patches, None, appearance, belief, hidden).log_likelihood == rows).all()
