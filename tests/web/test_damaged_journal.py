"""What is wrong with a journal is said once and stays where it is: everything else goes on (promise R23)."""

import json
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from languages import LANGUAGES
from millchen import main
from tests.web.conftest import Until
from web.errors import MillchenError
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.journal import copies
from web.journal.copies import back_up, copies_of, keep_copy, open_journal
from web.journal.data_folder import TurnPhotographs
from web.journal.journal import Journal, wal_file
from web.journal.journal_record import record_digest
from web.journal.salvage import salvaged_from
from web.table.current_game import CurrentGame

START = {"game": "tic_tac_toe", "options": {}, "source": "hand"}
N_TURNS = 3
LAST = 3 * (1 + N_TURNS)


def turn(ply: int) -> dict[str, object]:
    point = ("a1", "b1", "c1")[ply - 1]
    here = {"t": 1.0, "frame": 1, "confidence": 1.0, "skipped": [], "mills": []}
    return {**here, "player": 2 - ply % 2, "moves": [point]}


def play(journal: Journal, n_games: int = 3) -> None:
    """Games of a beginning and `N_TURNS` turns each: records 1 to 4, 5 to 8, 9 to 12."""
    for _ in range(n_games):
        number = journal.begin(START, by="hand").game
        for ply in range(1, N_TURNS + 1):
            journal.append(number, "turn", turn(ply), ply=ply, by="hand")


@pytest.fixture(scope="module")
def three_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "journal.sqlite"
    with Journal(path) as journal:
        play(journal)
    return path


@pytest.fixture
def played(three_games: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(three_games, tmp_path))


def change(path: Path, *statements: str) -> None:
    """Change the file behind Millchen's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.create_function("digest", 8, record_digest)
        for act in ("UPDATE", "DELETE"):
            database.execute(f"DROP TRIGGER event_no_{act}")
        for statement in statements:
            database.execute(statement)
        for act in ("UPDATE", "DELETE"):
            said = "BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
            database.execute(f"CREATE TRIGGER event_no_{act} BEFORE {act} ON event {said}")


def checked(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `millchen games check` finds."""
    capsys.readouterr()
    status = main(["games", "check", "--json", "--data", str(path.parent)])
    problems: list[str] = json.loads(capsys.readouterr().out)["problems"]
    assert status == (1 if problems else 0)
    return problems


CHANGED = "record 6 of game 2 is damaged: it is not what was written"
REDIGESTED = "UPDATE event SET digest = digest(seq, game, follows, kind, ply, body, wall_time, by) WHERE seq = {}"
DAMAGES = {
    "changed": (("UPDATE event SET body = replace(body, 'a1', 'b2') WHERE seq = 6",), [CHANGED]),
    "no text": (("UPDATE event SET body = CAST(x'7b22c3e4' AS TEXT) WHERE seq = 6",), [CHANGED]),
    "overwritten": (("UPDATE event SET body = x'00', digest = 'x' WHERE seq = 6",), [CHANGED]),
    "its number changed": (("UPDATE event SET ply = 'one' WHERE seq = 6",), [CHANGED]),
    "of another game": (
        ("UPDATE event SET game = 1 WHERE seq = 6",),
        [CHANGED.replace("game 2", "game 1"), "records of game 2 are missing"],
    ),
    "moved": (("UPDATE event SET seq = 99 WHERE seq = 6",), [CHANGED.replace("record 6", "record 99")]),
    "its body taken from another": (
        ("UPDATE event SET body = (SELECT body FROM event WHERE seq = 7) WHERE seq = 6",),
        [CHANGED],
    ),
    "taken out": (("DELETE FROM event WHERE seq = 6",), ["records of game 2 are missing"]),
    "a game taken out": (("DELETE FROM event WHERE game = 2",), ["records of game 2 are missing"]),
    "put in": (
        (
            "INSERT INTO event (game, kind, ply, body, wall_time, monotonic_s, by)"
            " VALUES (2, 'turn', 4, '{}', '', 0, 'hand')",
            REDIGESTED.format(13),
        ),
        ["records of game 2 are missing"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_damaged_is_named_with_its_game_and_the_other_games_are_whole(
    name: str, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statements, wanted = DAMAGES[name]
    change(played, *statements)
    assert set(checked(played, capsys)) >= set(wanted)
    with open_journal(played):
        pass
    with JournalReader(played) as reader:
        found = dict(reader.replays())
    assert [len(found[n].records) for n in (1, 3)] == [1 + N_TURNS] * 2
    assert 2 not in found or found[2].problem or name in ("of another game", "put in")


def take_up(game: CurrentGame, journal: Journal) -> bool:
    """Whether the table goes on with a game of the journal."""
    return game.take_up("tic_tac_toe", {}, "hand", TurnPhotographs(journal.path))


@pytest.mark.parametrize("seq", [9, 10, 12])
def test_the_game_at_the_table_goes_on_from_what_stands_before_a_damaged_record(seq: int, played: Path) -> None:
    change(played, f"UPDATE event SET body = '{{}}' WHERE seq = {seq}")
    with open_journal(played) as journal:
        (said,) = journal.findings
        assert "records are missing in: 3" in said
        assert len({said.translated(language) for language in LANGUAGES}) == len(LANGUAGES)
        game = CurrentGame(journal)
        if take_up(game, journal):
            goes_on = {9: (2, N_TURNS), 12: (3, N_TURNS - 1)}  # without its beginning it is no game of the table
            assert (game.number, game.state.game.ply) == goes_on[seq]
        game.begin("tic_tac_toe", {}, "hand")
        assert game.number == 4
    with open_journal(played) as journal:
        assert take_up(CurrentGame(journal), journal)
        assert journal.findings == []  # said once
    with JournalReader(played) as reader:
        assert [one.number for one in GameIndex().unreadable(reader)] == ([3] if seq == 9 else [])


# ------------------------------------------------------------ the file is alone, or missing


@pytest.mark.parametrize("n_games", [1, 3])
def test_the_file_alone_has_every_turn(n_games: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = tmp_path / "alone" / "journal.sqlite"
    alone.parent.mkdir()
    with Journal(tmp_path / "journal.sqlite") as journal:
        play(journal, n_games)
        shutil.copy(journal.path, alone)  # as a folder that is synchronised, and of which the log is lost
        with open_journal(alone) as copied:
            assert copied.findings == [] and copied.rows_after(0, -1) == journal.rows_after(0, -1)
    assert checked(alone, capsys) == []


@pytest.mark.parametrize("for_s", [0.3, 1.5])
def test_the_file_alone_has_what_was_written_while_somebody_read(for_s: float, tmp_path: Path, until: Until) -> None:
    path, alone = tmp_path / "journal.sqlite", tmp_path / "alone" / "journal.sqlite"
    alone.parent.mkdir()

    def has_all() -> bool:
        shutil.copy(path, alone)
        with closing(sqlite3.connect(alone)) as database:
            return bool(database.execute("SELECT max(seq) FROM event").fetchone() == (LAST,))

    with Journal(path) as journal, closing(sqlite3.connect(path, check_same_thread=False)) as reader:
        play(journal, 2)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM event").fetchone() == (LAST - 4,)
        threading.Timer(for_s, reader.rollback).start()
        play(journal, 1)
        assert has_all() or for_s > 1, "who reads for a moment is waited for"
        until(has_all)


def test_a_file_that_is_gone_comes_back_from_its_newest_copy(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_copy(played)
    played.unlink()
    with open_journal(played) as journal:
        (said,) = journal.findings
        assert "was not there any more: its newest copy journal_" in said
        assert journal.begin(START, by="hand").seq == LAST + 1
    assert checked(played, capsys) == []


# ------------------------------------------------------------ the file cannot be read


def is_laid_aside(file: Path) -> bool:
    return file.exists() and (file.suffix == ".sqlite" or file.stat().st_size > 0)


PAGE_BYTES, N_GAMES = 4096, 60
SPOILS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "a letter": lambda path: path.write_bytes(b"this is a letter to grandmother, not a journal at all " * 400),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:PAGE_BYTES].ljust(path.stat().st_size, b"\xa5")),
    "only a log": lambda path: path.rename(wal_file(path)),
}


@pytest.mark.parametrize("has_copy", [False, True])
@pytest.mark.parametrize("spoil", SPOILS)
def test_a_file_that_cannot_be_read_is_laid_aside_untouched_and_its_copy_is_taken(
    spoil: str, has_copy: bool, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if has_copy:
        keep_copy(played)
    SPOILS[spoil](played)
    before = {file.name: file.read_bytes() for file in (played, wal_file(played)) if is_laid_aside(file)}
    with pytest.raises(MillchenError, match="start Millchen, it makes it anew from what is whole"):
        Journal(played)  # what only reads moves nothing
    with open_journal(played) as journal:
        (said,) = journal.findings
        assert "The damaged file lies untouched in set-aside/journal_" in said
        if has_copy:
            assert [len(journal.records(n)) for n in (1, 2, 3)] == [1 + N_TURNS] * 3
            assert journal.begin(START, by="hand").seq == LAST + 1  # photographs are called by the number
    (aside,) = (played.parent / "set-aside").iterdir()
    assert {file.name: file.read_bytes() for file in aside.iterdir()} == before
    is_whole = not checked(played, capsys)
    assert is_whole or not has_copy, "what was set aside is told, and is no problem any more"
    assert main(["games", "check", "--data", str(played.parent)]) == (0 if is_whole else 1)
    assert "a damaged journal.sqlite was set aside in set-aside/journal_" in capsys.readouterr().out
    with open_journal(played) as journal:
        assert journal.findings == []
    assert main(["games", "list", "--data", str(aside)]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


def test_of_a_torn_page_only_its_own_games_suffer_and_none_where_there_is_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "whole" / "journal.sqlite"
    path.parent.mkdir()
    with Journal(path) as journal:
        play(journal, N_GAMES)
    keep_copy(path)
    content, kept = path.read_bytes(), path.parent / "backups"
    n_pages = len(content) // PAGE_BYTES
    for number in range(0, n_pages, 1 + n_pages // 8):
        for has_copy in (False, True):
            torn_one = tmp_path / f"{number}_{has_copy}" / "journal.sqlite"
            torn_one.parent.mkdir()
            if has_copy:
                shutil.copytree(kept, torn_one.parent / "backups")
            at = number * PAGE_BYTES
            torn_one.write_bytes(content[:at] + bytes(PAGE_BYTES) + content[at + PAGE_BYTES :])
            assert [main(["games", act, "--data", str(torn_one.parent)]) for act in ("list", "check")] == [1, 1]
            with open_journal(torn_one) as journal:
                (said,) = journal.findings
            with JournalReader(torn_one) as reader:
                replays = dict(reader.replays())
            whole = {n for n, game in replays.items() if len(game.records) == 1 + N_TURNS and not game.problem}
            lost = {*map(int, re.findall(r"\d+", said.partition("missing in: ")[2].partition(".")[0]))}
            if has_copy:
                assert len(whole) == N_GAMES, said
            elif number:
                assert len(whole) >= N_GAMES - 8 and whole | lost >= {*range(1, N_GAMES + 1)}, said
            else:  # without its head SQLite reads nothing, and the sentence claims nothing
                assert not whole and "nothing could be read" in said.translated("en")


# ------------------------------------------------------------ copies


def test_copies_are_made_thinned_out_and_never_replaced_by_one_that_has_less(played: Path, monkeypatch: Any) -> None:
    kept = played.parent / "backups"
    kept.mkdir()
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(90)]
    for day in days:
        (kept / f"journal_{day}.sqlite").write_bytes(b"old")
    keep_copy(played)
    by_hand = back_up(played)
    names = {copy.name for copy in copies_of(played)}
    assert {by_hand.name, f"journal_{today()}.sqlite"} <= names
    assert {f"journal_2026-{end}.sqlite" for end in ("01-31", "02-28", "03-31")} <= names
    assert len(names) == 1 + copies.DAYS_KEPT + 2  # the end of March is among the newest days
    by_hand.unlink()
    played.unlink()
    with Journal(played) as journal:
        play(journal, 1)
    keep_copy(played)
    assert any(salvaged_from(copy).events.keys() >= {12} for copy in copies_of(played)), "what was lost is still there"
    monkeypatch.setattr(copies, "SHARE_OF_DISK", 0.0)
    (kept / f"journal_{today()}.sqlite").unlink()
    keep_copy(played)
    assert [len(copy.stem) for copy in copies_of(played)].count(len("journal_2026-11-25")) == 1


def today() -> date:
    return datetime.now(UTC).date()


def test_a_copy_is_taken_back_by_game_overwriting_nothing(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = back_up(played, played.with_name("kept.sqlite"))
    played.unlink()
    with Journal(played) as journal:  # its numbers are those of the copy
        play(journal, 1)
        fresh = journal.records(1)
    for told in ("3 games taken back, 12 records", "0 games taken back, 0 records"):
        assert main(["games", "restore", str(kept), "--data", str(played.parent)]) == 0
        assert told in capsys.readouterr().out
    with Journal(played) as journal:
        assert journal.records(1) == fresh
        assert sorted(len(journal.records(row.game)) for row in journal.games()) == [4, 4, 4, 4]
    assert checked(played, capsys) == []
    assert main(["games", "restore", "none.sqlite", "--data", str(played.parent)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
