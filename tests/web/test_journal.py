import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from millchen import main
from tests.web.conftest import fill_disk
from web.errors import MillchenError, NotWrittenError
from web.history.journal_reader import JournalReader
from web.journal.copies import open_journal
from web.journal.journal import Journal
from web.journal.schema import SCHEMA_VERSION

WRITER = """
import sys
from pathlib import Path
from web.journal.journal import Journal
journal = Journal(Path(sys.argv[1]))
n = 0
while True:
    n += 1
    record = journal.append(1, "turn", {"n": n}, ply=n, by="camera")
    print(record.seq, flush=True)  # said only after the commit
"""


@pytest.mark.parametrize("change", ["UPDATE event SET kind = 'x'", "DELETE FROM event"])
def test_nothing_in_the_journal_can_be_changed_or_deleted(journal: Journal, change: str) -> None:
    journal.append(1, "start", {}, by="hand")
    with closing(sqlite3.connect(journal.path)) as other, pytest.raises(sqlite3.DatabaseError, match="only grows"):
        other.execute(change)


@pytest.mark.film
def test_no_acknowledged_event_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    said: list[int] = []
    for k in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        said += [int(writer.stdout.readline()) for _ in range(1 + 2 * k)]
        writer.kill()
        said += [int(line) for line in writer.stdout.read().split("\n")[:-1] if line]
        writer.stdout.close()
        writer.wait()
    with Journal(path) as journal:
        kept = [record.seq for record in journal.records(1)]
    assert set(said) <= set(kept)
    assert kept == sorted(set(kept))
    assert len(said) > 20


@pytest.mark.parametrize("version", [1, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])
def test_a_journal_of_another_version_is_refused_in_one_sentence_and_stays_untouched(
    version: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.begin({"game": "millchen", "options": {}, "source": "hand"}, by="hand")
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {version}")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    refusal = (
        f"journal.sqlite has format {version}, and this Millchen reads format {SCHEMA_VERSION} alone: open it with"
    )
    for open_it in (Journal, JournalReader, open_journal):
        with pytest.raises(MillchenError, match=refusal):
            open_it(path)
    assert main(["games", "--data", str(tmp_path)]) == 1
    assert refusal in (said := capsys.readouterr().err) and said.count("\n") == 1
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")
    database.close()
    with pytest.raises(MillchenError, match="another program"):
        Journal(path)


def test_an_event_that_does_not_fit_on_the_disk_is_refused_and_can_be_tried_again(journal: Journal) -> None:
    journal.append(1, "start", {}, by="hand")
    make_room = fill_disk(journal)
    with pytest.raises(MillchenError, match="cannot write the journal .*full"):
        journal.append(1, "turn", {"filling": "x" * 50_000}, ply=1, by="camera")
    make_room()
    journal.append(1, "turn", {"filling": "x" * 50_000}, ply=1, by="camera")
    assert [record.kind for record in journal.records(1)] == ["start", "turn"]


@pytest.mark.parametrize("lose", [Path.unlink, lambda path: path.rename(path.with_name("elsewhere"))])
def test_what_is_written_to_a_file_that_is_gone_is_not_acknowledged(
    journal: Journal, lose: Callable[[Path], object]
) -> None:
    journal.append(1, "start", {}, by="hand")
    lose(journal.path)
    with pytest.raises(NotWrittenError, match="was moved away or deleted"):
        journal.append(1, "turn", {}, ply=1, by="hand")


def test_of_two_that_write_one_goes_on_and_the_other_says_why_not(journal: Journal) -> None:
    with Journal(journal.path) as second:  # somebody has deleted the file `lock`
        journal.append(1, "start", {}, by="hand")
        for _ in range(2):
            with pytest.raises(NotWrittenError, match="another program has written into journal.sqlite"):
                second.append(1, "turn", {}, ply=1, by="camera")
        journal.append(1, "turn", {}, ply=1, by="hand")
        assert [(one.ply, one.by) for one in second.records(1)] == [(None, "hand"), (1, "hand")]
