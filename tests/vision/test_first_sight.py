"""A table that no game explains: first seen with stones on it, upset on the way, or another one after a break."""

from dataclasses import replace

import numpy as np
import pytest

from referee.events import FoulSeen, QuestionAsked, Restored, Resumed, TurnPlayed
from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS
from referee.moves import parse_turn
from tests.simulation.shown_table import TABLE, VARIANT, ShownTable, nine_mens_morris, tops_with
from vision.stones.photograph_reader import PhotographReading
from vision.watching.player_actions import resume_from
from vision.watching.state import Break, TableSetup, start
from vision.watching.whole_readings import starting_tops

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


@pytest.mark.parametrize(
    ("stones", "taken_over"), [({}, []), ({"d6": 1}, [1]), ({"d6": 2}, [1]), ({"d6": 1, "f4": 2}, [None])]
)
def test_the_first_stones_are_said_and_an_empty_board_is_the_beginning_of_a_game(
    stones: dict[str, int], taken_over: list[int | None]
) -> None:
    camera = nine_mens_morris(WATCHED)
    said = camera.show(tops_with(stones))
    assert [event.to_move for event in said if isinstance(event, Resumed)] == taken_over
    assert all(event.is_begun for event in said if isinstance(event, Resumed))
    assert not any(isinstance(event, TurnPlayed) for event in said)
    assert sum(map(bool, camera.seen_tops())) == len(stones)


@pytest.mark.parametrize("photographs", [False, True])
@pytest.mark.parametrize("first", [1, 2])
def test_of_as_many_stones_of_both_those_are_the_first_player_s_of_which_the_next_is_laid(
    first: int, photographs: bool
) -> None:
    camera = nine_mens_morris(WATCHED, photographs=photographs)
    lying = {"d6": 1, "f4": 2, "d2": 1, "b4": 2}
    said = camera.show(tops_with(lying))
    for number, name in enumerate(("a1", "g7")):
        said += camera.show(tops_with(lying := lying | {name: (first + number - 1) % 2 + 1}))
    assert [event.player for event in said if isinstance(event, TurnPlayed)] == [0, 1]
    assert not any(isinstance(event, FoulSeen | QuestionAsked) for event in said)
    owners = {name: top - 1 if first == 1 else 2 - top for name, top in lying.items()}
    tops = dict(zip(NINE_MENS_MORRIS.points, camera.seen_tops(), strict=True))
    assert {name: top - 1 for name, top in tops.items() if top} == owners
    assert [event.to_move for event in said if isinstance(event, Resumed)] == ([None] if first == 1 else [None, 0])


def unexplained(table: TableSetup, *, photographs: bool = False) -> tuple[ShownTable, list[object]]:
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
    assert (camera.state.proposed_position, camera.state.whole_board.n_unexplained) == (None, 0)
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


WRITTEN = {"d6": 1, "d7": 2, "b6": 1, "g7": 2, "f4": 1, "b4": 2}


def written() -> Game:
    game = Game.start(VARIANT)
    for turn in WRITTEN:
        for move in parse_turn(turn, NINE_MENS_MORRIS):
            game = game.play(move)
    return game


def camera_at() -> ShownTable:
    camera = nine_mens_morris(seed=3)
    camera.state = start(TABLE, written(), Break(is_disputed=True))
    return camera


def turns(said: list[object]) -> list[str]:
    return ["".join(map(str, event.moves)) for event in said if isinstance(event, TurnPlayed)]


def test_a_cleared_table_is_shown_as_it_is_seen_and_once_the_stones_lie_again_the_game_goes_on() -> None:
    camera = camera_at()
    said = camera.show(tops_with({}))
    assert turns(said) == []
    assert camera.state.proposed_position is not None
    assert camera.state.proposed_position.tops == tops_with({})
    said = camera.show(tops_with(WRITTEN))
    assert camera.state.proposed_position is None
    assert [type(event) for event in said] == [Restored], "a foul of before the break is put right"
    said += camera.show(tops_with(WRITTEN | {"a1": 1}))
    assert turns(said) == ["a1"]


def test_the_same_table_is_followed_from_there_and_what_was_played_in_the_break_is_found() -> None:
    camera, more = camera_at(), {"a1": 1, "a4": 2}
    said = camera.show(tops_with(WRITTEN | more))
    assert turns(said) == ["a1", "a4"], "that nobody saw the hands is no sign that they did nothing"
    said += camera.show(tops_with(WRITTEN | more | {"g1": 1}))
    assert turns(said) == ["a1", "a4", "g1"]
    assert (camera.state.proposed_position, camera.state.after_break) == (None, None)


def test_a_stone_that_has_gone_in_the_break_is_shown() -> None:
    camera = camera_at()
    stones = {name: top for name, top in WRITTEN.items() if name != "d7"}  # g7, half without paint, is in doubt
    assert turns(camera.show(tops_with(stones))) == []
    assert camera.state.proposed_position is not None
    assert camera.state.proposed_position.tops == tops_with(stones)


def test_a_stone_in_doubt_that_is_out_of_turn_is_none_or_the_other_player_s() -> None:
    points, game = NINE_MENS_MORRIS.points, Game.start(VARIANT)
    seen = np.array([1.0 if name == "a1" else 0.45 if name == "g7" else 0.0 for name in points])
    tops = tuple("A" if p else None for p in seen)
    for p_stone, lying in ((0.55, {"a1": 1}), (0.85, {"a1": 1, "g7": 2})):
        sure = np.where(seen == 0.45, p_stone, 1.0)
        reading = PhotographReading(points, np.zeros((24, 2)), tops, (seen > 0).astype(int),
                                    np.where(seen > 0, seen, 1.0), sure, (("A", "#a8402f"),))  # fmt: skip
        assert starting_tops(reading, game) == (tops_with(lying), True)


def test_many_points_in_doubt_are_no_beginning_as_one_sure_stone_is() -> None:
    game = Game.start(VARIANT)
    for in_doubt, is_begun in (([0.9, 0.85, 0.9], False), ([0.9, 0.97, 0.9], True)):
        p = np.array([*in_doubt, *[0.99] * 21])
        stones = ("A", "B", "A", *[None] * 21)
        groups = (("A", "#a8402f"), ("B", "#204060"))
        heights = (p < 0.98).astype(int)
        reading = PhotographReading(NINE_MENS_MORRIS.points, np.zeros((24, 2)), stones, heights, p, p, groups)
        assert starting_tops(reading, game)[1] == is_begun
