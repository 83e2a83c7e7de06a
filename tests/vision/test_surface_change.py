"""Which points were touched: told by the picture alone, whatever the stones look like."""

from dataclasses import replace

import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS, TRIALECTIC
from tests.drawn import drawn, field_of
from tests.synthetic import Scene, Stone, random_spec
from tests.synthetic.ground import Nudge
from tests.synthetic.spec import random_light
from vision.change.surface_change import surface_change_log_odds
from vision.imaging.patches import cut_patches

pytestmark = pytest.mark.film

SEEDS = (0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 5)))
STONES: list[list[int]] = [[0], [], [1], []] * 6
ONE_MORE = [[1] if point == 9 else stack for point, stack in enumerate(STONES)]


def scene_of(board, seed: int, n_players: int = 2) -> Scene:
    return drawn(random_spec(np.random.default_rng(seed), board, hardness=0.3, n_players=n_players, size_px=(960, 540)))


def seen(scene: Scene, stacks: list[list[int]], **changed: object) -> np.ndarray:
    before, _ = scene.render(stacks, rng=np.random.default_rng(0))
    now, _ = scene.render(changed.pop("then", stacks), rng=np.random.default_rng(1), **changed)
    field = field_of(scene)
    return surface_change_log_odds(cut_patches(before, field), cut_patches(now, field))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stone_laid_touches_its_point_most_and_nothing_else_touches_any(seed: int):
    scene = scene_of(NINE_MENS_MORRIS, seed)
    assert (seen(scene, STONES) < 0).all()
    dimmer = replace(scene.spec.light, gain=0.75 * scene.spec.light.gain)
    assert (seen(scene, STONES, light=dimmer) < 3).all()
    nats = seen(scene, STONES, then=ONE_MORE)
    assert int(nats.argmax()) == 9
    assert nats[9] > np.sort(nats)[-2] + 3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stone_laid_on_one_of_its_own_colour_is_noticed(seed: int):
    stacks: list[list[Stone]] = [[Stone(0, 0)], [], [Stone(1, 1)], [], [Stone(2, 2)], []] * 3
    then = [list(stack) for stack in stacks]
    then[6] = [Stone(0, 0), Stone(0, 5)]
    nats = seen(scene_of(TRIALECTIC, seed, 3), stacks, then=then)
    assert int(nats.argmax()) == 6
    assert nats[6] > np.sort(nats)[-2] + 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_board_pushed_under_another_lamp_keeps_its_surfaces_but_for_a_stone_laid_meanwhile(seed: int):
    scene, light = scene_of(NINE_MENS_MORRIS, seed), random_light(np.random.default_rng(seed + 50))
    bgr, truth = scene.render(STONES, rng=np.random.default_rng(0))
    before = cut_patches(bgr, field_of(scene, truth.points_px))
    nats = []
    for stones in (STONES, ONE_MORE):
        bgr, truth = scene.render(stones, rng=np.random.default_rng(1), nudge=Nudge(0.05, -0.03, 5.0), light=light)
        nats += [surface_change_log_odds(before, cut_patches(bgr, field_of(scene, truth.points_px)))]
    assert (nats[0] < 0).mean() > 0.8
    assert nats[1][9] > 0
