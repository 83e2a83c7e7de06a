"""Which points were touched: told by the picture alone, whatever the stones look like."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS, TRIALECTIC
from tests.drawn import drawn
from tests.synthetic import Scene, Stone, random_spec
from tests.synthetic.ground import Nudge
from tests.synthetic.spec import random_light
from vision.change.patch_change import patch_change_log_odds, surface_change_log_odds
from vision.imaging.field import Field
from vision.imaging.patches import cut_patches

pytestmark = pytest.mark.film


SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5)))


def scene_of(board, seed: int, n_players: int = 2) -> Scene:
    return drawn(random_spec(np.random.default_rng(seed), board, hardness=0.3, n_players=n_players, size_px=(960, 540)))


def field_of(scene: Scene, board) -> Field:
    points = scene.points_px()
    matrix, _ = cv2.findHomography(np.array(board.xy), points)
    return Field(board, board.drawings[0].name, points, matrix)


def seen(scene: Scene, board, stacks: list[list[int]], **changed: object) -> np.ndarray:
    before, _ = scene.render(stacks, rng=np.random.default_rng(0))
    now, _ = scene.render(changed.pop("then", stacks), rng=np.random.default_rng(1), **changed)
    field = field_of(scene, board)
    return patch_change_log_odds(cut_patches(before, field), cut_patches(now, field))


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_was_touched_on_a_table_at_rest(seed: int):
    stacks = [[0], [], [1], []] * 6
    assert (seen(scene_of(NINE_MENS_MORRIS, seed), NINE_MENS_MORRIS, stacks) < 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_stone_laid_touches_its_point_most(seed: int):
    stacks: list[list[int]] = [[0], [], [1], []] * 6
    then = [list(stack) for stack in stacks]
    then[9] = [1]
    nats = seen(scene_of(NINE_MENS_MORRIS, seed), NINE_MENS_MORRIS, stacks, then=then)
    assert int(nats.argmax()) == 9
    assert nats[9] > 3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stone_laid_on_one_of_its_own_colour_is_noticed(seed: int):
    stacks: list[list[Stone]] = [[Stone(0, 0)], [], [Stone(1, 1)], [], [Stone(2, 2)], []] * 3
    then = [list(stack) for stack in stacks]
    then[6] = [Stone(0, 0), Stone(0, 5)]
    nats = seen(scene_of(TRIALECTIC, seed, 3), TRIALECTIC, stacks, then=then)
    assert int(nats.argmax()) == 6
    assert nats[6] > 0


@pytest.mark.parametrize("seed", range(5))
def test_another_light_touches_nothing(seed: int):
    scene = scene_of(NINE_MENS_MORRIS, seed)
    dimmer = replace(scene.spec.light, gain=0.75 * scene.spec.light.gain)
    assert (seen(scene, NINE_MENS_MORRIS, [[0], [], [1], []] * 6, light=dimmer) < 3).all()


def test_patches_of_different_fields_are_refused():
    nine, three = (scene_of(board, 0, 3) for board in (NINE_MENS_MORRIS, TRIALECTIC))
    a, _ = nine.render([[]] * 24, rng=np.random.default_rng(0))
    b, _ = three.render([[]] * 18, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="one field"):
        patch_change_log_odds(
            cut_patches(a, field_of(nine, NINE_MENS_MORRIS)), cut_patches(b, field_of(three, TRIALECTIC))
        )


def pushed_and_lit_anew(seed: int, then: list[list[int]] | None = None) -> np.ndarray:
    stacks: list[list[int]] = [[0], [], [1], []] * 6
    scene = scene_of(NINE_MENS_MORRIS, seed)
    push = Nudge(0.05, -0.03, 5.0)
    light = random_light(np.random.default_rng(seed + 50))
    before, truth = scene.render(stacks, rng=np.random.default_rng(0))
    now, truth_now = scene.render(then or stacks, rng=np.random.default_rng(1), nudge=push, light=light)
    fields = []
    for points in (truth.points_px, truth_now.points_px):
        matrix, _ = cv2.findHomography(np.array(NINE_MENS_MORRIS.xy), points)
        fields.append(Field(NINE_MENS_MORRIS, "drawn", points, matrix))
    return surface_change_log_odds(cut_patches(before, fields[0]), cut_patches(now, fields[1]))


@pytest.mark.parametrize("seed", range(4))
def test_a_board_pushed_under_another_lamp_keeps_its_surfaces(seed: int):
    assert (pushed_and_lit_anew(seed) < 0).mean() > 0.8


@pytest.mark.parametrize("seed", range(4))
def test_a_stone_laid_while_the_board_is_pushed_is_another_surface(seed: int):
    then: list[list[int]] = [[0], [], [1], []] * 6
    then[9] = [1]
    assert pushed_and_lit_anew(seed, then)[9] > 0


def test_surfaces_of_different_boards_are_refused():
    nine, three = scene_of(NINE_MENS_MORRIS, 0), scene_of(TRIALECTIC, 0, 3)
    patches = [
        cut_patches(scene.render([[]] * len(board.points), rng=np.random.default_rng(0))[0], field_of(scene, board))
        for scene, board in ((nine, NINE_MENS_MORRIS), (three, TRIALECTIC))
    ]
    with pytest.raises(ValueError, match="one field"):
        surface_change_log_odds(*patches)
