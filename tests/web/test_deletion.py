"""A game that people delete is gone wherever it was, and nothing else is; so are names that were replaced."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from millchen import main
from tests.web.browsing import Served, Visit, expect
from tests.web.cluster import Cluster, needs_archive
from tests.web.conftest import House, Until
from tests.web.scripted_eyes import JPEG
from tests.web.test_cases import zipped
from tests.web.test_club_archive import stored, written
from tests.web.test_damaged_journal import change, checked, turn
from tests.web.test_games_page import at as at
from web.club.postgres_archive import JournalForwarder, PostgresArchive
from web.errors import MillchenError, NotWrittenError
from web.game.replay import replay
from web.history.deletion import delete_games, rename_players
from web.history.kept_analyses import KeptAnalyses, KeptAnalysis
from web.hosted_tables import TableRequest
from web.journal.copies import back_up, copies_of, keep_copy, open_journal, take_back, wipe_forgotten
from web.journal.data_folder import CaseFolder, TurnPhotographs
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord, case_mark

START = {"game": "tic_tac_toe", "options": {}, "source": "hand"}
N_GAMES = 4


def play(journal: Journal, n_games: int = N_GAMES) -> None:
    """Games between Annabelle001 and Ben, Annabelle002 and Ben and so on; each goes on when the next one has begun."""
    first = journal.last_game() or 0
    for number in range(first + 1, first + 1 + n_games):
        journal.begin(START, by="hand")
        journal.append(number, "named", {"names": [f"Annabelle{number:03}", "Ben"]}, by="hand")
        text = f"Annabelle{number:03} has thought for long. " * 400  # over several pages
        journal.append(number, "remark", {"text": text}, ply=0, by="hand")
        if number > 1 and number - 1 not in journal.deleted:
            journal.append(number - 1, "turn", turn(1), ply=1, by="hand")


@pytest.fixture
def played(journal: Journal) -> Journal:
    play(journal)
    return journal


def known_in(folder: Path) -> set[int]:
    """The games whose names stand in any file of a folder, in whatever form."""
    found = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return {number for number in range(1, 200) if f"Annabelle{number:03}".encode() in found}


def clean_up(journal: Journal) -> None:
    """Do what a running Millchen does in a thread of its own."""
    wipe_forgotten(journal)
    keep_copy(journal.path)


def test_a_deleted_game_leaves_nothing_behind_and_nothing_else_goes(
    played: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, photographs, cases = played.path.parent, TurnPhotographs(played.path), CaseFolder(played.path.parent)
    names = [f"Annabelle{number:03}" for number in range(5, 25)]
    start = UnwrittenRecord("start", None, START)
    together = [[start, UnwrittenRecord("named", None, {"names": [name, "x" * 3000]})] for name in names]
    played.begin_all(together, by="file")  # so many pages of the log that a later commit does not write over all
    keep_copy(played.path)
    asked_for = back_up(played.path)
    records = {number: played.records(number) for number in range(1, N_GAMES + 1)}
    for number in (1, 2):
        photographs.save(records[number][-1].seq, JPEG)
        cases.add(zipped(**{"case.json": json.dumps({"of": case_mark(records[number][0])}).encode()}))
        game = replay(records[number]).game
        KeptAnalyses.beside(played.path).save(game, KeptAnalysis(number, game.ply))
    delete_games(played, [2, 4, 24])
    played.append(1, "remark", {"text": "later"}, ply=0, by="hand")
    clean_up(played)
    assert known_in(folder) == {1, 3, *range(5, 24)}, "a page, a log or a copy has kept a name"
    assert asked_for in copies_of(played.path), "a copy that people asked for stays"
    assert [photographs.has(records[number][-1].seq) for number in (1, 2)] == [True, False]
    assert cases.numbers() == [1]
    assert (played.records(1)[:-1], played.records(3)) == (records[1], records[3])
    assert played.begin(START, by="hand").game == 25, "a number is never used twice"
    with pytest.raises(NotWrittenError):
        played.append(2, "remark", {"text": "late"}, by="hand")
    with pytest.raises(MillchenError):
        delete_games(played, [3, 99])
    assert checked(played.path, capsys) == []


def test_no_rescue_and_no_copy_brings_a_deleted_game_back(played: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = back_up(played.path, played.path.parent / "elsewhere.sqlite")
    keep_copy(played.path)
    delete_games(played, [2])  # and now the power goes: the copies still have it
    assert take_back(played, elsewhere).games == 0
    played.close()
    change(played.path, "UPDATE event SET body = '{}' WHERE seq = 1")  # so that it is made anew, from the copy too
    with open_journal(played.path) as journal:
        assert journal.findings, "nothing was damaged"
        assert journal.deleted == {2}
        assert {row.game for row in journal.games()} == {1, 3, 4}
        clean_up(journal)
    assert checked(played.path, capsys)[:-1] == []  # the damaged file is named, which people delete
    shutil.rmtree(played.path.parent / "set-aside")
    elsewhere.unlink()
    assert known_in(played.path.parent) == {1, 3, 4}


DELETER = """
import sys
from pathlib import Path
from tests.web.test_deletion import play
from web.history.deletion import delete_games
from web.journal.copies import keep_copy, open_journal, wipe_forgotten
with open_journal(Path(sys.argv[1])) as journal:
    while True:
        play(journal, 2)
        keep_copy(journal.path)
        print("kept", journal.last_game(), flush=True)
        gone = journal.last_game() - 1
        delete_games(journal, [gone])
        print("gone", gone, flush=True)
        wipe_forgotten(journal)
"""


@pytest.mark.film
def test_a_kill_in_the_middle_leaves_the_game_or_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, said = tmp_path / "journal.sqlite", dict[int, str]()
    for k in range(3):
        words = [sys.executable, "-c", DELETER, str(path)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as deleter:
            assert deleter.stdout is not None
            lines = [deleter.stdout.readline() for _ in range(1 + k % 3)]
            deleter.kill()
            lines += deleter.stdout.read().splitlines()
        said |= {int(number): what for what, number in map(str.split, lines)}
        assert checked(path, capsys) == []
    assert sorted(set(said.values())) == ["gone", "kept"]
    with open_journal(path) as journal:
        for number, what in said.items():
            records = journal.records(number)
            assert [one.kind for one in records[:2]] == (["start", "named"] if what == "kept" else []), number
        clean_up(journal)
        there = {row.game for row in journal.games()}
    assert known_in(tmp_path) <= there


def test_names_are_replaced_everywhere_and_the_game_stays(played: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    keep_copy(played.path)
    before = replay(played.records(2)).game
    rename_players(played, 2, ["", ""])
    assert replay(played.records(2)).game == before
    assert played.records(2)[2].body["text"].startswith("… has thought")
    clean_up(played)
    assert known_in(played.path.parent) == {1, 3, 4}
    assert checked(played.path, capsys) == []
    assert take_back(played, copies_of(played.path)[0]) == (0, 0, ())


def test_the_game_that_is_on_at_a_table_is_not_deleted_and_a_kept_name_is_offered_no_more(house: House) -> None:
    live = house.tables.open(TableRequest("hand", "tic_tac_toe")).live
    assert house.ask(house.address, "/api/names", {"names": ["Annabelle", "Ben"]})[0] == 200
    status, answer = house.ask(house.address, "/api/games/delete", {"games": [1]})
    assert (status, answer["error"]["text"][:9]) == (422, "game 1 is")
    assert house.ask(house.address, "/api/game", {"game": "tic_tac_toe", "source": "demo"})[0] == 200
    assert "Annabelle" in live.publisher.snapshot.last.names
    assert house.ask(house.address, "/api/games/delete", {"games": [1]})[0] == 200
    assert "Annabelle" not in live.publisher.snapshot.last.names
    assert house.ask(house.address, "/api/games/delete", {"games": [1]})[0] == 200, "a retry is answered as the first"
    assert house.ask(house.address, "/api/games/delete", {"games": [77]})[0] == 422
    assert house.ask(house.address, "/api/go-on", {"game": 1})[0] == 422


@needs_archive
@pytest.mark.film
def test_the_archive_forgets_it_too(played: Journal, cluster: Cluster, until: Until) -> None:
    for act in (lambda: None, lambda: delete_games(played, [4, 2]), lambda: rename_players(played, 1, ["Carla", ""])):
        forwarder = JournalForwarder(played, PostgresArchive(cluster.address()))
        forwarder.start()
        act()
        until(lambda forwarder=forwarder: forwarder.link.last_sent_seq == played.last_seq())  # type: ignore[misc]
        forwarder.close()
        assert stored(cluster) == written(played)


def test_the_command_asks_where_it_can_and_deletes_where_it_is_told(
    played: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played.close()

    def games(*words: str) -> int:
        return main(["games", *words, "--data", str(played.path.parent)])

    assert games("delete", "2") == 1
    assert "--yes" in capsys.readouterr().err
    assert games("delete", "2", "99", "--yes") == 1
    assert games("rename", "3", "1=Carla") == 0
    assert games("delete", "2", "4", "--yes") == 0
    assert known_in(played.path.parent) == {1}
    assert games("delete", "--all", "--yes") == 0
    assert known_in(played.path.parent) == set()
    assert games("check") == 0


def test_games_are_chosen_in_the_list_and_deleted_after_a_question(at: Served, visit: Visit) -> None:
    at.table.new_game("tic_tac_toe")
    page = visit(at, "games")
    page.click("#delete-choose")
    page.locator(".pick").click()
    page.click("#delete-chosen")
    expect(page.locator("#delete-games-title")).to_have_text("Delete this game?")
    page.click("#delete-games button[value=no]")
    assert at.journal.records(1)
    page.click("#delete-chosen")
    page.click("#delete-games button[value=yes]")
    expect(page.locator(".game-row")).to_have_count(1)
    assert not at.journal.records(1)
