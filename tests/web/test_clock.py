from __future__ import annotations

import pytest

from referee.endings import Termination
from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant
from web.errors import MillchenError
from web.game.game_state import Clock, parse_clock
from web.game.page_state import ClockView
from web.table.publisher import TableClock

START = Game.start(find_variant("nine_mens_morris"))


def played(*moves: str) -> Game:
    game = START
    for move in moves:
        game = game.play(parse_move(move, game.variant.board))
    return game


def test_a_clock_counts_down_and_gives_its_increment_with_the_turn() -> None:
    table = TableClock()
    table.update(1, START, parse_clock({"kind": "down", "minutes": 5, "increment": 3}, 2), 100.0)
    table.clock = table.clock.run(0, 100.0)
    shown = table.update(1, played("d6"), table.clock, 110.0)
    assert shown.seconds == (293.0, 300.0)  # ten seconds used, three given
    assert shown.running == 2
    assert table.update(1, played("d6"), table.clock, 112.5).seconds == (293.0, 297.5)


def test_the_first_accepted_turn_starts_the_clock_of_the_second_player() -> None:
    table = TableClock()
    table.update(1, START, parse_clock({"kind": "up", "minutes": 0, "increment": 0}, 2), 0.0)
    assert table.update(1, played("d6"), table.clock, 30.0).seconds == (0.0, 0.0)
    assert table.update(1, played("d6", "d7"), table.clock, 42.0) == ClockView("up", seconds=(0.0, 12.0), running=1)


def test_a_pause_costs_nobody_time_and_the_end_stops_every_clock() -> None:
    clock = parse_clock({"kind": "up", "minutes": 0, "increment": 0}, 2).run(0, 0.0).pause(7.0)
    assert clock.used(1000.0) == (7.0, 0.0)
    table = TableClock()
    table.update(1, START, clock, 1000.0)
    table.clock = table.clock.run(1, 1000.0)
    assert table.update(1, START.withdrawn(0, Termination.RESIGNATION), clock, 1004.0).running is None
    assert table.clock.used(2000.0) == (7.0, 4.0)


def test_a_turn_taken_back_gives_the_clock_to_whoever_is_to_move_without_an_increment() -> None:
    table = TableClock()
    table.update(1, played("d6"), parse_clock({"kind": "down", "minutes": 1, "increment": 5}, 2), 0.0)
    table.clock = table.clock.run(1, 0.0)
    assert table.update(1, START, table.clock, 4.0) == ClockView("down", 1.0, 5.0, (60.0, 56.0), 1)


def test_a_game_taken_up_again_has_its_clocks_standing_as_they_were_kept() -> None:
    table = TableClock()
    kept = Clock("down", 10.0, 0.0, (33.5, 12.0))
    assert table.update(7, played("d6"), kept, 5000.0).seconds == (566.5, 588.0)
    assert table.turn_fields(6000.0) == {"clock": [33.5, 12.0]}


def test_a_clock_that_counts_down_from_nothing_is_refused_with_a_sentence() -> None:
    with pytest.raises(MillchenError, match="a clock that counts down needs some minutes"):
        parse_clock({"kind": "down", "minutes": 0, "increment": 0}, 2)
