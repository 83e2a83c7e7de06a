"""Journals of every release are opened, and nothing is lost when that goes wrong half-way (promise R18)."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic import op

from web.game.replay import replay
from web.history.journal_reader import JournalReader
from web.journal.digest_chain import DamagedRecordError
from web.journal.journal import Journal
from web.journal.schema import SCHEMA_VERSION

RELEASED = sorted((Path(__file__).parents[1] / "data" / "journal").glob("format*.sqlite"))


def rows(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT seq, game, kind, ply, body, wall_time, by FROM event ORDER BY seq").fetchall()
    database.close()
    return found


def format_of(path: Path) -> int:
    with sqlite3.connect(path) as database:
        number = database.execute("PRAGMA user_version").fetchone()[0]
    database.close()
    return int(number)


@pytest.fixture(params=RELEASED, ids=lambda path: path.stem)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The journal of an earlier release: a game with a mill, a foul that stood and a correction; and a whole game."""
    return Path(shutil.copy(request.param, tmp_path / "journal.sqlite"))


def test_there_is_a_journal_of_every_earlier_format() -> None:
    assert [path.stem for path in RELEASED] == [f"format{number}" for number in range(1, SCHEMA_VERSION)]


def test_a_journal_of_an_earlier_release_is_copied_brought_up_to_date_and_replayed_to_the_same_games(old: Path) -> None:
    before, format_before = rows(old), format_of(old)
    with Journal(old) as journal:
        first, second = replay(journal.records(1)).game, replay(journal.records(2)).game
        assert (first.ply, first.outcome) == (6, None)
        assert [str(move) for move in first.turns[4].moves] == ["f6", "xd7"]
        assert second.outcome is not None and second.outcome.winner == 0
        journal.append(2, "turn", {"moves": ["a1"]}, ply=9, by="hand")
    assert rows(old)[:-1] == before
    assert format_of(old) == SCHEMA_VERSION
    copies = list((old.parent / "backups").glob("*"))
    assert [(rows(copy), format_of(copy)) for copy in copies] == [(before, format_before)]
    Journal(old).close()
    assert len(list((old.parent / "backups").iterdir())) == 1  # once is enough


def test_a_step_that_dies_half_way_leaves_the_journal_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, format_before = rows(old), format_of(old)

    execute = op.execute

    def die(text: str) -> None:
        if "CREATE TRIGGER" in text:
            raise RuntimeError("the power went")  # a new column is there and filled by now, the triggers are off
        execute(text)

    monkeypatch.setattr(op, "execute", die)
    with pytest.raises(RuntimeError):
        Journal(old)
    monkeypatch.undo()
    assert format_of(old) == format_before
    assert rows(old) == before
    with Journal(old) as journal:
        assert replay(journal.records(1)).game.ply == 6


def test_a_record_that_was_changed_is_found_and_the_other_games_can_be_read(old: Path) -> None:
    Journal(old).close()
    with sqlite3.connect(old) as database:
        database.execute("DROP TRIGGER event_no_UPDATE")
        database.execute("UPDATE event SET body = replace(body, 'd6', 'f4') WHERE seq = 2")
    database.close()
    with Journal(old) as journal:
        with pytest.raises(DamagedRecordError, match="record 2 of game 1 is damaged"):
            journal.records(1)
        assert replay(journal.records(2)).game.outcome is not None
    with JournalReader(old) as archive:
        assert archive.problems() == ["record 2 of game 1 is damaged: it is not what was written"]
        assert archive.replay(1).state is not None
        assert [entry.n_turns for entry in archive.entries()] == [0, 5]


def test_records_that_were_taken_out_are_missed(old: Path) -> None:
    Journal(old).close()
    with sqlite3.connect(old) as database:
        database.execute("DROP TRIGGER event_no_DELETE")
        database.execute("DELETE FROM event WHERE seq IN (4, 5, 18)")
    database.close()
    with JournalReader(old) as archive:
        problems = archive.problems()
    assert problems == [
        "records 4 to 5 are missing (of game 1)",
        "record 6 of game 1 is damaged: it does not follow on what was written before it",
        "records 18 to 18 are missing (of game 2)",
    ]
