"""Hands that hesitate: a film that is shown more slowly, or twice as fast, is refereed as it is at its own speed."""

from dataclasses import replace

import numpy as np
import pytest

from referee.events import FoulSeen, TurnAmended, TurnPlayed
from referee.game import Game
from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.play import Eyes, table_of
from tests.synthetic import Script, film, random_spec
from vision.imaging.frame import Frame

pytestmark = pytest.mark.film

N_TURNS, FPS = 5, 10


@pytest.mark.parametrize(
    "speed", [0.33, *(pytest.param(speed, marks=pytest.mark.slow) for speed in (0.25, 0.5, 1.0, 2.0))]
)
def test_every_turn_is_told_and_nobody_accused_however_slow_the_hands_are(speed: float) -> None:
    """Each picture stands for a while and is noisy only once, as in a film that was slowed down."""
    variant, rng = find_variant("tic_tac_toe"), np.random.default_rng(7)
    scene = drawn(random_spec(rng, variant.board, hardness=0.2, size_px=(640, 360)))
    shots = list(film(scene, Game.start(variant), Script(N_TURNS, fps=FPS, rest_s=1.0, end_s=1.0), rng))
    shown = [shots[int(number * speed + 1e-9)] for number in range(int((len(shots) - 1e-9) / speed) + 1)]
    slow = (replace(shot, frame=Frame(shot.frame.bgr, k / FPS, k)) for k, shot in enumerate(shown))
    events = [event for _, said in Eyes(table_of(variant)).watch(slow) for event in said]
    told = [event for event in events if isinstance(event, TurnPlayed)]
    assert len(told) == len(shots[-1].game.turns) == N_TURNS
    assert not [event for event in events if isinstance(event, FoulSeen | TurnAmended)]
