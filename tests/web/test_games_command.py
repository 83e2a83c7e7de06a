import json
import shutil
from pathlib import Path

import pytest

from millchen import main
from web.game.first_record import lesson_body
from web.game.replay import start_record_body
from web.history.exports import page_free_writers
from web.history.finished_games import game_history
from web.history.journal_reader import JournalReader
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal

TWO_GAMES = Path(__file__).parents[1] / "data" / "journal" / "two_games.sqlite"
"""A game with a mill, a foul that stood and a correction; and a whole game."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    shutil.copy(TWO_GAMES, tmp_path / "journal.sqlite")
    return tmp_path


def games(data: Path, *words: str) -> int:
    return main(["games", *words, "--data", str(data)])


def test_the_games_are_listed_for_people_and_for_programs(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(data) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "nine_mens_morris" in first and "6 turns  Not finished" in first
    assert "tic_tac_toe" in second and "Player 1 has won" in second
    assert games(data, "list", "--json") == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(game["number"], game["turns"], game["over"], game["winner"]) for game in listed] == [
        (1, 6, False, None),
        (2, 5, True, 1),
    ]


@pytest.mark.parametrize("kind", page_free_writers())
def test_what_needs_no_page_is_exported_as_the_page_has_it(
    kind: str, data: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert games(data, "export", "2", "--format", kind, "--to", str(tmp_path / f"game.{kind}")) == 0
    capsysbinary.readouterr()
    assert games(data, "export", "2", "--format", kind) == 0
    with JournalReader(data / "journal.sqlite") as archive:
        wanted = page_free_writers()[kind](game_history(archive.replay(2)))
    wanted = wanted.encode() if isinstance(wanted, str) else wanted
    assert capsysbinary.readouterr().out == (tmp_path / f"game.{kind}").read_bytes() == wanted


def test_a_copy_can_be_made_while_millchen_runs(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with DataFolder(data), Journal(data / "journal.sqlite") as journal:
        journal.append(3, "start", {"game": "millchen", "options": {}, "source": "hand"}, by="hand")
        assert games(data, "backup", str(tmp_path / "copy" / "journal.sqlite")) == 0
        assert games(data, "backup", str(tmp_path / "copy" / "journal.sqlite")) == 1  # nothing is written over
        assert "exists already" in capsys.readouterr().err
    assert games(tmp_path / "copy", "list", "--json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_check_says_what_is_wrong_and_fails(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(data, "check") == 0
    assert "2 games, everything is as it was written" in capsys.readouterr().out
    with Journal(data / "journal.sqlite") as journal:
        journal.append(2, "turn", {"moves": ["z9"]}, ply=6, by="hand")
    assert games(data, "check", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert len(told["problems"]) == 1 and "record 19 of game 2 cannot be replayed" in told["problems"][0]
    assert games(data, "show", "2") == 1
    shown = capsys.readouterr()
    assert "Player 1 has won" in shown.out and "what stands before it is whole" in shown.err


@pytest.mark.parametrize("words", [("list",), ("check",), ("show", "1"), ("backup",)])
def test_without_a_journal_one_sentence_is_said_and_nothing_is_made(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert games(tmp_path / "none", *words) == 1
    said = capsys.readouterr().err
    assert "there are no games in" in said and said.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_demos_and_lessons_are_listed_only_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with DataFolder(tmp_path), Journal(tmp_path / "journal.sqlite") as journal:
        for source in ("demo", "hand", "demo:trialectic"):
            journal.begin({"game": "millchen", "options": {}, "source": source}, by="hand")
        journal.begin(start_record_body("millchen", {}, "0") | lesson_body("millchen", 7), by="hand")
    for words, numbers in (((), [2]), (("--demo",), [1, 3]), (("--lesson",), [4])):
        assert games(tmp_path, "list", "--json", *words) == 0
        assert [json.loads(line)["number"] for line in capsys.readouterr().out.splitlines()] == numbers
    assert games(tmp_path, "list", "--lesson") == 0
    assert capsys.readouterr().out.rstrip().endswith("lesson 7")
    assert games(tmp_path) == 0
    assert "lesson" not in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        games(tmp_path, "list", "--lesson", "--demo")
    assert ended.value.code == 2
    assert "exclude each other" in capsys.readouterr().err
