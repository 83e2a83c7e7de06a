"""Hands that hesitate: a film that is shown more slowly, or twice as fast, is refereed as it is at its own speed."""

import numpy as np
import pytest

from referee.events import Event, FoulSeen, TurnAmended, TurnPlayed
from referee.game import Game
from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.play import at_end, table_of
from tests.synthetic import Script, film, random_spec
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import start

pytestmark = pytest.mark.film

N_TURNS, FPS = 5, 10


@pytest.mark.parametrize(
    "speed", [0.33, *(pytest.param(speed, marks=pytest.mark.slow) for speed in (0.25, 0.5, 1.0, 2.0))]
)
def test_every_turn_is_told_and_nobody_accused_however_slow_the_hands_are(speed: float) -> None:
    """Each picture stands for a while and is noisy only once, as in a film that was slowed down."""
    variant, rng = find_variant("tic_tac_toe"), np.random.default_rng(7)
    scene = drawn(random_spec(rng, variant.board, hardness=0.2, size_px=(640, 360)))
    table, state, events, number = table_of(variant), start(table_of(variant)), list[Event](), 0
    shot, frame = None, None
    for k, shot in enumerate(film(scene, Game.start(variant), Script(N_TURNS, fps=FPS, rest_s=1.0, end_s=1.0), rng)):
        while number < (k + 1) / speed - 1e-9:
            frame = Frame(shot.frame.bgr, number / FPS, number)
            state, said = step(state, frame, table)
            events, number = [*events, *said], number + 1
    assert shot is not None and frame is not None
    events += at_end(state, frame, table)
    told = [event for event in events if isinstance(event, TurnPlayed)]
    assert len(told) == len(shot.game.turns) == N_TURNS
    assert not [event for event in events if isinstance(event, FoulSeen | TurnAmended)]
