"""The board in sight is that of another game than the one chosen."""

from __future__ import annotations

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import BoardLost, OtherGameSeen
from referee.layouts import TRIALECTIC
from referee.presets import find_variant
from tests.drawn import drawn
from tests.synthetic import random_spec, stacks_of
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import Table, start

pytestmark = pytest.mark.film


def test_the_game_of_the_board_in_sight_is_offered_once() -> None:
    rng = np.random.default_rng(50)
    variant = find_variant("nine_mens_morris")
    table = Table(variant, boards_for(variant))
    scene = drawn(random_spec(rng, TRIALECTIC, n_players=3, hardness=0.2, size_px=(640, 360)))
    state, said = start(table), []
    for k in range(4):
        bgr, _ = scene.render(stacks_of([0] * len(TRIALECTIC.points)), rng=rng)
        state, events = step(state, Frame(bgr, float(k), k), table)
        said += events
    assert [type(event) for event in said] == [BoardLost, OtherGameSeen]
    assert said[1].options == ("trialectic",)
    assert said[1].chosen == "nine_mens_morris"
