"""A table at rest whose light steps or whose lamp is switched: nothing happens, so nothing is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import BoardFound, Event
from referee.game import Game
from referee.presets import find_variant
from tests.simulation.play import Eyes
from tests.synthetic import Light, Scene, random_spec, stacks_of
from tests.synthetic.spec import random_light
from vision.imaging.frame import Frame
from vision.watching.state import Table

pytestmark = pytest.mark.film

FPS = 10
HELD_S, HELD_LONG_S = 1.0, 2.5  # after the second a foul is called even where the light is new
TOPS = (1, 0, 2, 0, 0, 1, 0, 0, 2, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0)
STEPS = {"half": 0.5, "two thirds": 0.67, "a quarter more": 1.25, "half more": 1.5}


def said_of(seed: int, lights: list[Light], hardness: float, held_s: float = HELD_S) -> list[Event]:
    """What is said of a table with stones on it, lit in turn by its own light and by each of the others."""
    game = Game.start(find_variant("millchen")).play_on(TOPS)
    spec = random_spec(np.random.default_rng(seed), game.variant.board, hardness=hardness, size_px=(640, 360))
    scene, noise = Scene(spec), np.random.default_rng(seed)
    eyes, events, time_s = Eyes(Table(game.variant, boards_for(game.variant)), game), [], 0.0
    for light in [spec.light, *lights]:
        for _ in range(round(held_s * FPS)):
            bgr, truth = scene.render(stacks_of(TOPS), rng=noise, light=light)
            said = eyes.see(Frame(bgr, time_s, round(time_s * FPS)), truth.points_px)
            events += [event for event in said if not isinstance(event, BoardFound)]
            time_s += 1 / FPS
    return events


def own_light(seed: int, hardness: float) -> Light:
    board = find_variant("millchen").board
    return random_spec(np.random.default_rng(seed), board, hardness=hardness, size_px=(640, 360)).light


def stepped(seed: int, gain: float, hardness: float) -> list[Light]:
    light = own_light(seed, hardness)
    return [replace(light, gain=light.gain * gain), light]


@pytest.mark.parametrize("gain", [pytest.param(gain, marks=pytest.mark.slow) for gain in (0.5, 1.5)])
def test_a_step_of_the_light_is_no_event(gain: float):
    assert said_of(3, stepped(3, gain, 0.3), 0.3) == []


def test_a_lamp_switched_is_no_event():
    assert said_of(6, [random_light(np.random.default_rng(76))], 0.3) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_grid_of_lights_on_hard_tables():
    loud = []
    for seed in range(20, 32):
        for gain in STEPS.values():
            loud += [(seed, gain, event) for event in said_of(seed, stepped(seed, gain, 0.5), 0.5, HELD_LONG_S)]
        lamps = [random_light(np.random.default_rng(seed + k)) for k in (100, 200)]
        loud += [(seed, "lamp", event) for event in said_of(seed, lamps, 0.5, HELD_LONG_S)]
    print(f"\n{len(loud)} events in 12 x 5 films: {loud}")
    assert not loud
