"""The archive of a club against a real PostgreSQL: nothing lost, nothing doubled, one sentence when it is away."""

import random
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from tests.web.cluster import Cluster, Line, needs_archive
from tests.web.conftest import Until
from tests.web.pace import is_kept
from web.club.postgres_archive import JournalForwarder, OpenArchive, PostgresArchive
from web.errors import MillchenError
from web.journal.journal import Journal

pytestmark = [needs_archive, pytest.mark.film]


def stored(cluster: Cluster) -> list[tuple[object, ...]]:
    return cluster.sql("SELECT origin_seq, game, kind, body, digest FROM event ORDER BY origin, origin_seq")


def written(journal: Journal) -> list[tuple[object, ...]]:
    return [(row.seq, row.game, row.kind, row.body, row.digest) for row in journal.rows_after(0, 100_000)]


def play(journal: Journal, n: int, game: int = 1) -> None:
    for ply in range(n):
        journal.append(game, "turn", {"moves": ["a1"], "n": ply}, ply=ply, by="camera")


def test_what_was_written_before_and_after_the_start_is_in_the_archive_as_it_stands_in_the_journal(
    journal: Journal, cluster: Cluster, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenArchive, "clock_offset_s", lambda *_: -4000.0)  # is told, and changes nothing
    play(journal, 510)
    forwarder = JournalForwarder(journal, PostgresArchive(cluster.address()))
    forwarder.start()
    play(journal, 20, game=2)
    until(lambda: forwarder.link.last_sent_seq == 530)
    forwarder.close()
    assert forwarder.link.ahead == -4000
    assert stored(cluster) == written(journal)
    assert cluster.sql("SELECT origin FROM journal") == [(journal.origin,)]


def outages(cluster: Cluster, journal: Journal, line: Line, n: int, until: Until) -> list[float]:
    """Cut and mend the line ``n`` times while a game goes on; the seconds from each mending until all had arrived."""
    random_, took = random.Random(n), []
    playing = threading.Event()

    def at_the_table() -> None:
        while not playing.wait(0.02):
            began = time.monotonic()
            play(journal, 1)
            slowest.append(time.monotonic() - began)

    slowest: list[float] = []
    forwarder = JournalForwarder(journal, PostgresArchive(cluster.address(line.port)))
    forwarder.start()
    until(lambda: forwarder.link.state == "open")
    table = threading.Thread(target=at_the_table)
    table.start()
    for k in range(n):
        time.sleep(random_.uniform(0, 0.15))
        (line.freeze if k % 10 == 1 else line.cut)()
        time.sleep(random_.uniform(0.02, 0.3))
        if k % 10 == 1:
            line.cut()
        behind = journal.rows_after(0, 100_000)[-1].seq
        line.mend()
        mended = time.monotonic()
        until(lambda behind=behind: forwarder.link.last_sent_seq >= behind)  # type: ignore[misc]
        took.append(time.monotonic() - mended)
    playing.set()
    table.join()
    until(lambda: forwarder.link.last_sent_seq == journal.rows_after(0, 100_000)[-1].seq)
    forwarder.close()
    print(f"{n} outages, {len(slowest)} events, slowest write {1000 * max(slowest):.0f} ms, caught up after at most "
          f"{max(took):.2f} s (mean {sum(took) / n:.2f} s)")  # fmt: skip
    return took


@pytest.mark.parametrize(("n", "exactly"), [(3, False), pytest.param(50, True, marks=pytest.mark.slow)])
def test_events_survive_outages_in_mid_game_none_lost_none_doubled(
    journal: Journal, cluster: Cluster, line: Line, until: Until, n: int, exactly: bool
) -> None:
    took = outages(cluster, journal, line, n, until)
    assert stored(cluster) == written(journal)
    assert is_kept(5, max(took), exactly)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"password": "wrong"}, "refuses this user or password"),
        ({"database": "nothing"}, "there is no database"),
        ({"port": 1}, "cannot be reached"),
    ],
)
def test_what_is_wrong_with_the_archive_is_one_sentence_without_the_password_and_the_game_goes_on(
    change: dict[str, object], sentence: str, journal: Journal, cluster: Cluster, until: Until
) -> None:
    forwarder = JournalForwarder(journal, PostgresArchive(cluster.address(**change)))  # type: ignore[arg-type]
    forwarder.start()
    until(lambda: forwarder.link.state in ("away", "refused"))
    forwarder.close()
    assert sentence in forwarder.link.text
    assert "wrong" not in forwarder.link.text and "\n" not in forwarder.link.text
    play(journal, 1)


@pytest.mark.parametrize("address", ["", "sqlite:///x", "postgresql://host", "http://x/y", "postgresql://u:p@h:x/d"])
def test_what_is_no_address_of_an_archive_is_refused_at_once(address: str) -> None:
    with pytest.raises(MillchenError, match="postgresql://user:password@host/database"):
        PostgresArchive(address)


def test_an_archive_of_a_newer_millchen_is_left_alone(journal: Journal, cluster: Cluster, until: Until) -> None:
    with PostgresArchive(cluster.address()).connected():
        pass
    cluster.sql("COMMENT ON TABLE event IS 'Millchen 99'")
    forwarder = JournalForwarder(journal, PostgresArchive(cluster.address()))
    forwarder.start()
    until(lambda: forwarder.link.state == "refused")
    forwarder.close()
    assert "newer Millchen" in forwarder.link.text


def test_a_journal_that_was_copied_and_played_on_is_found_out(tmp_path: Path, cluster: Cluster, until: Until) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        play(journal, 2)
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(tmp_path / "journal.sqlite") as here, sqlite3.connect(copy) as there:
        here.backup(there)
    for path, state in ((tmp_path / "journal.sqlite", "open"), (copy, "refused")):
        with Journal(path) as journal:
            play(journal, 1, game=2 if state == "open" else 3)
            forwarder = JournalForwarder(journal, PostgresArchive(cluster.address()))
            forwarder.start()
            until(lambda forwarder=forwarder, state=state: forwarder.link.state == state)  # type: ignore[misc]
            forwarder.close()
    assert "it was copied" in forwarder.link.text
    assert len(stored(cluster)) == 3
