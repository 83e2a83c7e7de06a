"""A table that no game explains: one that is first seen with stones on it, and one that was upset on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.events import FoulSeen, Resumed, TurnPlayed
from tests.simulation.shown_table import TABLE, ShownTable, nine_mens_morris, tops_with
from vision.watching.player_actions import resume_from
from vision.watching.state import Table

pytestmark = pytest.mark.film

WATCHED = replace(TABLE, takes_over=True)
MOVED_AT_ONCE = {"b6": 1, "g1": 2, "e4": 1, "c3": 2}
PLAYED_ON = MOVED_AT_ONCE | {"a1": 1}
LYING = {"d6": 1, "f4": 2, "d2": 1, "b4": 2, "a7": 1}


@pytest.mark.parametrize("photographs", [False, True])
def test_a_game_that_is_first_seen_in_the_middle_is_followed_from_there(photographs: bool) -> None:
    camera = nine_mens_morris(WATCHED, photographs=photographs)
    said = camera.show(tops_with(LYING))
    assert [event.to_move for event in said if isinstance(event, Resumed)] == [1]
    assert camera.seen_tops() == tops_with(LYING)
    assert camera.state.game.position.hands == (6, 7)
    said = camera.show(tops_with(LYING | {"g1": 2}))
    assert [event.player for event in said if isinstance(event, TurnPlayed)] == [1]


def test_where_the_stones_do_not_tell_it_whoever_plays_next_was_to_move() -> None:
    camera = nine_mens_morris(WATCHED)
    lying = LYING | {"a1": 2, "g1": 1, "g7": 1}
    said = camera.show(tops_with(lying))
    assert [event.to_move for event in said if isinstance(event, Resumed)] == [None]
    said = camera.show(tops_with(lying | {"d6": 0, "d5": 1}))
    assert [event.player for event in said if isinstance(event, TurnPlayed)] == [0]
    assert not any(isinstance(event, FoulSeen) for event in said)
    assert camera.state.game.position.hands == (0, 0), "a stone that moves shows that all were laid"


@pytest.mark.parametrize("stones", [{}, {"d6": 1}, {"d6": 1, "f4": 2}])
def test_an_empty_board_with_a_stray_thing_on_it_is_the_beginning_of_a_game(stones: dict[str, int]) -> None:
    camera = nine_mens_morris(WATCHED)
    said = camera.show(tops_with(stones))
    assert not any(isinstance(event, Resumed) for event in said)
    assert camera.state.game.ply == 0


def unexplained(table: Table, *, photographs: bool = False) -> tuple[ShownTable, list[object]]:
    """A table on which four turns were played, then all four stones moved at once, then one laid; and what was said."""
    camera = nine_mens_morris(table, photographs=photographs)
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
    camera, said = unexplained(WATCHED, photographs=photographs)
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
