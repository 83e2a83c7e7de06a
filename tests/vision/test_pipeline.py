"""The path as a whole, on a table that a program draws."""

from copy import copy

import numpy as np
import pytest

from referee.events import BoardLost, Restored, TurnPlayed
from referee.moves import Place
from tests.simulation.shown_table import TABLE, ShownTable, nine_mens_morris, tops_with
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.pipeline import finish, step
from vision.watching.player_actions import change_game, correct_game
from vision.watching.state import start

pytestmark = pytest.mark.film


@pytest.fixture(scope="module")
def opening() -> ShownTable:
    """A table at which the first player has laid on d6."""
    shown = nine_mens_morris()
    shown.show(tops_with({}))
    shown.show(tops_with({"d6": 1}))
    return shown


@pytest.fixture
def table(opening: ShownTable) -> ShownTable:
    """The same table, for one test to go on from: states are values."""
    again = copy(opening)
    again.eyes = copy(opening.eyes)
    return again


def test_a_ghost_that_was_corrected_does_not_come_back(table: ShownTable) -> None:
    game = table.state.game
    right = game.play_on(tops_with({}), to_move=game.position.to_move, kinds=("corrected",))
    table.state = correct_game(table.state, right)  # the players say: there is nothing on d6
    assert table.show(tops_with({"d6": 1})) == [], "what looks like a stone there is known to be none"
    assert table.state.game.position.tops == tops_with({})


def test_what_is_open_when_a_film_ends_is_decided(table: ShownTable) -> None:
    table.rest_s = 0.4  # the film ends so soon after the hand
    assert table.show(tops_with({"d6": 1, "a1": 2})) == []
    state, said = finish(table.state, table.frame, TABLE)
    assert [(e.player, e.time_s) for e in said if isinstance(e, TurnPlayed)] == [(1, table.frame.time_s)]
    assert state.game.ply == 2


def test_a_film_that_ends_under_a_hand_says_nothing_more(table: ShownTable) -> None:
    table.rest_s = 0.0
    table.show(tops_with({"d6": 1, "a1": 2}))
    assert finish(table.state, table.frame, TABLE) == (table.state, ())


def test_a_stone_that_is_lifted_after_its_turn_was_taken_back_is_no_new_turn(table: ShownTable) -> None:
    table.state = change_game(table.state, table.state.game.take_back())
    assert table.show(tops_with({"d6": 1})) == [], "nobody has lifted it yet"
    assert [type(e) for e in table.show(tops_with({}))] == [Restored]
    assert [e.moves for e in table.show(tops_with({"b4": 1})) if isinstance(e, TurnPlayed)] == [(Place("b4"),)]


def test_a_table_without_a_board_is_said_to_have_none_once() -> None:
    state, said = start(TABLE), []
    rng = np.random.default_rng(0)
    for i in range(30):
        bgr = np.full((360, 640, 3), 140, np.uint8) + rng.integers(0, 4, (360, 640, 3), dtype=np.uint8)
        state, events = step(state, Frame(bgr, i / 10, i), TABLE)
        said += events
    assert [type(e) for e in said] == [BoardLost]
    assert isinstance(state.registration, NotRegistered)
    assert state.sight == "searching"
