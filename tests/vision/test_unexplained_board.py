"""Always a way out: a table that nothing explains is shown as it is seen, or taken over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.events import FoulSeen, Resumed, TurnPlayed
from tests.simulation.shown_table import TABLE, ShownTable, nine_mens_morris, tops_with
from vision.watching.player_actions import resume_from
from vision.watching.state import Table

pytestmark = pytest.mark.film

MOVED_AT_ONCE = {"b6": 1, "g1": 2, "e4": 1, "c3": 2}
PLAYED_ON = MOVED_AT_ONCE | {"a1": 1}


def unexplained(table: Table) -> tuple[ShownTable, list[object]]:
    """A table on which four turns were played, then all four stones moved at once, then one laid; and what was said."""
    camera = nine_mens_morris(table)
    stones: dict[str, int] = {}
    camera.show(tops_with(stones))
    for name, top in (("d6", 1), ("f4", 2), ("d2", 1), ("b4", 2)):
        stones[name] = top
        camera.show(tops_with(stones))
    assert camera.state.game.ply == 4
    said = camera.show(tops_with(MOVED_AT_ONCE))
    said += camera.show(tops_with(PLAYED_ON))
    return camera, said


@pytest.mark.parametrize("photographs", [False, True])
def test_a_table_that_nothing_explains_is_taken_over_and_the_game_goes_on(photographs: bool) -> None:
    camera, said = unexplained(replace(TABLE, takes_over=True, photographs=photographs))
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
