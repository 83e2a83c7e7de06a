"""Always a way out: a table that nothing explains is shown as it is seen, or taken over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import FoulSeen, Resumed, TurnPlayed
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.way_out import Camera, play_way_out
from tests.synthetic import random_spec
from vision.watching.player_actions import resume_from
from vision.watching.state import Table

pytestmark = pytest.mark.film

VARIANT = find_variant("nine_mens_morris")
TABLE = Table(VARIANT, boards_for(VARIANT))
MOVED_AT_ONCE = {"b6": 1, "g1": 2, "e4": 1, "c3": 2}
PLAYED_ON = MOVED_AT_ONCE | {"a1": 1}


def tops_with(stones: dict[str, int]) -> tuple[int, ...]:
    return tuple(stones.get(name, 0) for name in NINE_MENS_MORRIS.points)


def unexplained(table: Table, seed: int = 11) -> tuple[Camera, list[object]]:
    """A table on which four turns were played, then all four stones moved at once, then one laid; and what was said."""
    spec = random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540))
    camera = Camera(drawn(spec), table, np.random.default_rng(seed), 1.5)
    stones: dict[str, int] = {}
    camera.show(tops_with(stones))
    for name, top in (("d6", 1), ("f4", 2), ("d2", 1), ("b4", 2)):
        stones[name] = top
        camera.show(tops_with(stones))
    assert camera.state.game.ply == 4
    said = camera.show(tops_with(MOVED_AT_ONCE))
    said += camera.show(tops_with(PLAYED_ON))
    return camera, said


def test_a_table_that_nothing_explains_is_taken_over_and_the_game_goes_on() -> None:
    camera, said = unexplained(replace(TABLE, takes_over=True))
    resumed = [event for event in said if isinstance(event, Resumed)]
    assert [event.to_move for event in resumed] == [1]
    assert camera.seen_tops() == tops_with(PLAYED_ON)
    assert camera.state.game.turns[-1].remarks[0] == "resumed"
    assert (camera.state.proposed_position, camera.state.n_unexplained) == (None, 0)
    events = camera.show(tops_with(PLAYED_ON | {"g7": 2}))
    assert [event.player for event in events if isinstance(event, TurnPlayed)] == [1]


def test_on_the_page_the_board_is_shown_as_it_is_seen_and_people_take_it_over() -> None:
    camera, said = unexplained(TABLE)
    assert not any(isinstance(event, Resumed | FoulSeen) for event in said)
    seen = camera.state.proposed_position
    assert seen is not None
    assert sum(seen.tops) == sum(PLAYED_ON.values())
    camera.state = resume_from(camera.state, seen.tops, seen.to_move)
    assert camera.state.proposed_position is None
    assert camera.seen_tops() == tops_with(PLAYED_ON)
    events = camera.show(tops_with(PLAYED_ON | {"g7": 2}))
    assert [event.player for event in events if isinstance(event, TurnPlayed)] == [1]


@pytest.mark.parametrize("photographs", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_game_goes_on_within_one_turn_after_three_stones_were_moved_at_once(photographs: bool) -> None:
    went = play_way_out(200, photographs=photographs)
    assert went.late is not None
    assert went.late <= 1
    assert (went.right, went.false_resumed) == (went.after, 0)
