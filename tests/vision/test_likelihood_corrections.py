"""What colours are worth: little in a light in which the paints have not been seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.game import Game
from referee.moves import parse_turn
from referee.position import Position
from referee.presets import find_variant
from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_SIDE, Patches, patch_samples_per_unit
from vision.stones.appearance import Appearance, unknown_appearance
from vision.stones.likelihood_corrections import (
    OTHER_LIGHT_WEIGHT,
    compare_with_other_stones,
    discount_unseen_light,
)
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
    known = unknown_appearance(24, 2)
    bare = np.array(known.bare)
    bare[[position.board.index[name] for name in dark]] -= (1.0, 0.0, 0.0)
    return replace(known, bare=bare, bare_counts=np.ones(24))


def worth_of(position: Position, appearance: Appearance) -> dict[str, float]:
    """What is left of the preference for one colour at every point."""
    rows = np.tile((-SURE, 0.0, -SURE), (24, 1))
    left = discount_unseen_light(Observation(rows), appearance, position.tops, 2).log_likelihood
    return dict(zip(position.board.points, -left[:, 2] / SURE, strict=True))


def test_a_stone_in_a_deep_shadow_says_little_of_stones_in_the_sun():
    position = position_after("d6", "d7", "b4", "f4")
    worth = worth_of(position, lit(position, "d7", "f4", "c5"))
    assert worth["a1"] == OTHER_LIGHT_WEIGHT  # the second player's lie in the shadow
    assert worth["c5"] == OTHER_LIGHT_WEIGHT  # and the first one's in the sun
    after = position_after("d6", "d7", "b4", "f4", "c5", "a1")
    assert worth_of(after, lit(after, "d7", "f4", "c5"))["g7"] == 1.0


def stone(level: float) -> Float32Array:
    """A round grey stone on darker cloth, brighter on one side, in the middle of a patch."""
    rows, columns = np.indices((PATCH_SIDE, PATCH_SIDE)) - (PATCH_SIDE - 1) / 2
    patch = np.full((PATCH_SIDE, PATCH_SIDE, 3), (4.0, 0.4, 0.0), np.float32)
    disc = np.hypot(rows, columns) < 0.3 * patch_samples_per_unit()
    patch[disc] = np.column_stack([level + 0.02 * columns[disc], np.zeros((disc.sum(), 2))])
    return patch


def test_of_two_greys_a_new_stone_is_whose_it_resembles_beside_it():
    tops = [0] * 24
    for i, player in enumerate((1, 2, 1, 2, 1, 2)):
        tops[i] = player
    log_colour = np.full((24, PATCH_SIDE, PATCH_SIDE, 3), (4.0, 0.4, 0.0), np.float32)
    appearance = replace(unknown_appearance(24, 2), bare=log_colour.copy(), bare_counts=np.ones(24))
    for i, level in enumerate((5.4, 5.1, 5.35, 5.12, 5.42, 5.08, 5.38, 5.11)):
        log_colour[i] = stone(level)
    patches = Patches(log_colour, np.ones(24, np.bool_), 1.0)
    rows = np.tile((0.0, -SURE, -SURE), (24, 1))
    rows[:8] = (-SURE, 0.0, 0.0)  # the histograms cannot tell them apart
    new = np.isin(np.arange(24), (6, 7))
    on_top, touched = np.array(tops), np.where(new, 5.0, -SURE)
    nobody, observation = np.zeros(24, np.bool_), Observation(rows)
    told = compare_with_other_stones(observation, patches, None, appearance, on_top, touched, nobody).log_likelihood
    assert told[6, 2] < -1.5 and told[6, 1] == 0
    assert told[7, 1] < -1.5 and told[7, 2] == 0
    assert (told[~new] == rows[~new]).all()
    hidden = np.isin(np.arange(24), (1, 3, 5))  # no fellow of the second player's is in sight
    assert (
        compare_with_other_stones(observation, patches, None, appearance, on_top, touched, hidden).log_likelihood
        == rows
    ).all()
