"""Clocks of players, and clocks that jump: order is told by number, time-outs by a clock that only runs (R15)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from referee.endings import Termination
from referee.game import Game
from referee.presets import find_variant
from tests.referee.positions import play_words
from tests.web.conftest import Open, Until
from web.game.game_state import parse_clock
from web.game.page_state import ClockView
from web.history.journal_reader import JournalReader
from web.journal import journal as journal_module
from web.journal.journal import Journal
from web.table.publisher import TableClock

JUMPS = (-3600, 3600, 10 * 365 * 86400, -10 * 365 * 86400, 1, -1, 7200, -7200, 0.5)


class Jumping(datetime):
    """A wall clock that somebody keeps setting."""

    n = 0

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        cls.n += 1
        return datetime(2026, 3, 29, 1, 59, 59, tzinfo=UTC) + timedelta(seconds=JUMPS[cls.n % len(JUMPS)])


def test_a_game_is_kept_and_told_in_order_while_the_wall_clock_jumps(
    open_table: Open, journal: Journal, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "datetime", Jumping)
    table = open_table("d6", "d7", "b6", "g7", "mill:f6xd7", "a7", pause_s=0.02)
    until(lambda: table.publisher.snapshot.game.ply == 6)
    records = journal.records(1)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    hours = [record.wall_time for record in records]
    assert hours != sorted(hours)  # the clock did jump
    assert [record.ply for record in records if record.kind == "turn"] == [1, 2, 3, 4, 5, 6]
    told = [said.seq for said in table.announcements_after(0)]
    assert told == sorted(told)
    with JournalReader(journal.path) as archive:
        assert archive.problems() == []
        assert archive.replay(1).state is not None


START = Game.start(find_variant("nine_mens_morris"))


def after(*moves: str) -> Game:
    return play_words(START, " ".join(moves))


def test_a_clock_counts_down_and_gives_its_increment_with_the_turn() -> None:
    table = TableClock()
    table.update(1, START, parse_clock({"kind": "down", "minutes": 5, "increment": 3}, 2), 100.0)
    table.clock = table.clock.run(0, 100.0)
    shown = table.update(1, after("d6"), table.clock, 110.0)
    assert shown.seconds == (293.0, 300.0)  # ten seconds used, three given
    assert shown.running == 2
    assert table.update(1, after("d6"), table.clock, 112.5).seconds == (293.0, 297.5)


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
    table.update(1, after("d6"), parse_clock({"kind": "down", "minutes": 1, "increment": 5}, 2), 0.0)
    table.clock = table.clock.run(1, 0.0)
    assert table.update(1, START, table.clock, 4.0) == ClockView("down", 1.0, 5.0, (60.0, 56.0), 1)
