"""Clocks that jump move nothing that matters: order is told by number, time-outs by a clock that only runs (R15)."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import Open, Until
from web.history.journal_reader import JournalReader
from web.journal import journal as journal_module
from web.journal.journal import Journal
from web.table.live_table import SourceCounters

ROOT = Path(__file__).parents[2]

MAY_ASK = {
    "web/journal/journal.py": "writes the hour beside an event, for people; names the folder of a damaged journal",
    "web/journal/copies.py": "names a copy",
    "web/net/network.py": "a certificate has a date",
    "web/net/logs.py": "writes the hour of a line (from the record)",
    "calibration/commands/calibrate.py": "writes the day into a profile",
    "web/club/postgres_archive.py": "tells people that this computer's clock is wrong",
    "web/setup/setup_session.py": "writes the day into a profile",
    "web/table/case_keeper.py": "writes the day into a case",
    "web/views/settings_page.py": "names a copy",
}
"""Who may ask what o'clock it is, and what for; everybody else measures time with a clock that never jumps."""

JUMPS = (-3600, 3600, 10 * 365 * 86400, -10 * 365 * 86400, 1, -1, 7200, -7200, 0.5)


def asks(tree: ast.Module) -> list[int]:
    """Lines on which a module asks the wall clock."""
    words = {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if (getattr(node.func.value, "id", ""), node.func.attr) in words
    ]


def test_only_those_who_write_dates_for_people_ask_what_oclock_it_is() -> None:
    found = set()
    for package in ("web", "vision", "calibration", "referee"):
        for path in (ROOT / package).rglob("*.py"):
            if asks(ast.parse(path.read_text(encoding="utf-8"))):
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= set(MAY_ASK)
    assert "web/journal/journal.py" in found


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


def test_losses_of_the_last_hour_are_counted_by_a_clock_that_only_runs() -> None:
    now = [0.0]
    counters = SourceCounters(lambda: now[0])
    for _ in range(3):
        counters.count_loss()
        now[0] += 1500.0
    told = counters.to_json()
    assert (told["losses"], told["losses_last_hour"], told["age_s"]) == (3, 2, None)
    counters.count_frame(7, 20.0)
    now[0] += 2.0
    assert (counters.to_json()["frames"], counters.to_json()["age_s"]) == (8, 2.0)
