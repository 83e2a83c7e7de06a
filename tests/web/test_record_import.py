"""Games from files, opened on the page and by `millchen games`, and what else that command does with games."""

import json
import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from millchen import main
from tests.referee.test_record_files import PLAYOK, SANMILL
from tests.web.conftest import LOCAL
from web.game.first_record import lesson_body
from web.game.replay import start_record_body
from web.history.exports import page_free_writers
from web.history.finished_games import game_history
from web.history.journal_reader import JournalReader
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal


def post(client: FlaskClient, text: str, name: str = "game.pgn", **more: object) -> tuple[int, dict[str, object]]:
    answer = client.post("/api/games/import", json={"name": name, "text": text, **more}, base_url=LOCAL)
    return answer.status_code, answer.get_json()


def n_games(client: FlaskClient) -> int:
    return len(client.get("/api/games", base_url=LOCAL).get_json()["games"])


@pytest.mark.parametrize("kind", ["pgn", "json"])
def test_what_was_taken_away_comes_back_with_names_remarks_and_who_decided(client: FlaskClient, kind: str) -> None:
    text = ('[Date "2025.12.24"]\n[White "Anna"]\n[Black "Ben"]\n[Variant "millchen"]\n[Fly "both"]\n'
            '[Result "1/2-1/2"]\n[Termination "arbiter"]\n[Arbiter "Marie"]\n\n'
            "1. d6 {[%clk 0:09:58] well played} f4 {late} 1/2-1/2")  # fmt: skip
    (first,) = post(client, text)[1]["games"]  # type: ignore[misc]
    taken = client.get(f"/games/{first}.{kind}", base_url=LOCAL).get_data(as_text=True)
    answer = post(client, taken, f"game.{kind}")[1]
    assert (answer["games"], answer["known"]) == ([first], 1)
    (second,) = post(client, taken.replace("Anna", f"Anna {kind}"), f"game.{kind}")[1]["games"]  # type: ignore[misc]
    games = [client.get(f"/api/games/{number}", base_url=LOCAL).get_json() for number in (first, second)]
    for game, name in zip(games, ("Anna", f"Anna {kind}"), strict=True):
        assert (game["names"], game["begun"], game["decider"]) == ([name, "Ben"], "2025-12-24", "Marie")
        assert [ply["remark"] for ply in game["plies"]] == ["", "well played", "late"]
    assert "Decision: Marie." in client.get(f"/games/{second}", base_url=LOCAL).get_data(as_text=True)
    pgns = [client.get(f"/games/{number}.pgn", base_url=LOCAL).get_data(as_text=True) for number in (first, second)]
    assert pgns[0] == pgns[1].replace(f"Anna {kind}", "Anna")
    assert "[%clk 0:09:58]" in pgns[0]


def test_every_game_of_a_file_is_kept_or_none(client: FlaskClient) -> None:
    before = n_games(client)
    status, answer = post(client, f"{SANMILL}\n{PLAYOK}\n\n1. d6 d6 *")
    assert (status, n_games(client)) == (400, before)
    two = f"{SANMILL}\n{PLAYOK}".replace("2026", "2027")
    status, answer = post(client, two)
    assert (status, n_games(client)) == (200, before + 2)
    again = f"{two.replace('1. d2', '{other bytes} 1. d2')}\n1. g7 *"
    status, more = post(client, again, "other.pgn")
    assert (status, more["known"], n_games(client)) == (200, 2, before + 3)
    assert more["games"][:2] == answer["games"]  # type: ignore[index]


def test_a_game_with_other_players_or_another_day_or_ending_is_another_one(client: FlaskClient) -> None:
    one = '[Date "2024.01.02"]\n[White "Anna"]\n\n1. d6 f4 *'
    changes = (("Anna", "Eva"), ("01.02", "01.03"), ("f4 *", "f4 1-0"), ("f4", "f2"))
    numbers = [post(client, text)[1]["games"] for text in (one, *(one.replace(*change) for change in changes))]
    assert len({str(number) for number in numbers}) == len(numbers)
    (first,) = numbers[0]  # type: ignore[misc]
    assert client.post(f"/api/games/{first}/names", json={"names": ["Rosa", ""]}, base_url=LOCAL).status_code == 200
    told = post(client, one)[1]  # names that were given here change nothing
    assert told == {"ok": True, "games": [first], "known": 1}


@pytest.mark.parametrize(
    "text",
    [
        "", "(" * 60_000, "[" * 60_000, '[{"a":' * 8_000, "\x00\x01\x02", "d6 " * 200_000, "1. d6 {\ud800} *", "hello",
    ],
    ids=["empty", "brackets", "square brackets", "JSON", "binary", "huge", "half a letter", "prose"],
)  # fmt: skip
def test_a_hostile_file_gets_one_sentence_and_leaves_nothing(client: FlaskClient, text: str) -> None:
    before = n_games(client)
    status, answer = post(client, text)
    assert status in (400, 413)
    said = str(answer["error"]["text"])  # type: ignore[index]
    assert 0 < len(said) < 300 and "\n" not in said
    assert n_games(client) == before


def games(data: Path, *words: str) -> int:
    return main(["games", *words, "--data", str(data)])


def test_the_command_opens_files_and_refuses_bad_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, picture = tmp_path / "good.pgn", tmp_path / "bad.pgn", tmp_path / "picture.png"
    good.write_text(f"{SANMILL}\n{PLAYOK}", encoding="utf-8")
    bad.write_text("1. d6 d6 *", encoding="utf-8")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert games(tmp_path, "import", str(bad), str(picture), "--language", "de") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[0].endswith("Zug 2 (Zeile 1, Spalte 7), 'd6': der Punkt ist nicht frei")
    assert said.err.count("\n") == 2
    assert games(tmp_path, "import", str(good)) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "good.pgn: game 1, nine_mens_morris, fly=own, 40 turns, Player 2 has won"
    assert second.startswith("good.pgn: game 2, nine_mens_morris, fly=own, 39 turns")
    assert games(tmp_path, "show", "1", "--language", "fr") == 0
    assert capsys.readouterr().out.splitlines()[-2].startswith(" 40. AI va de d2 à d3, ferme un moulin")
    assert games(tmp_path, "check") == 0
    capsys.readouterr()
    for kind in ("pgn", "json"):
        assert games(tmp_path, "export", "2", "--format", kind, "--to", str(tmp_path / f"again.{kind}")) == 0
        assert games(tmp_path, "import", str(tmp_path / f"again.{kind}")) == 0
        assert capsys.readouterr().out == f"again.{kind}: game 2, which you have already\n"
        assert games(tmp_path / kind, "import", str(tmp_path / f"again.{kind}")) == 0
        capsys.readouterr()
        with (
            JournalReader(tmp_path / "journal.sqlite") as one,
            JournalReader(tmp_path / kind / "journal.sqlite") as other,
        ):
            assert one.replay(2).state.game == other.replay(1).state.game  # type: ignore[union-attr]


def test_a_journal_that_is_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text("1. d6 *", encoding="utf-8")
    with DataFolder(tmp_path), Journal(tmp_path / "journal.sqlite"):
        assert games(tmp_path, "import", str(tmp_path / "a.pgn")) == 1
    assert "its page opens files too, at /games" in capsys.readouterr().err


def test_a_chosen_game_stands_above_that_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[Variant "Nine Men\'s Morris"]\n\n1. a7 d7 2. b6 d6 3. c5xd7 d5'
    (tmp_path / "a.pgn").write_text(text, encoding="utf-8")
    assert games(tmp_path, "import", str(tmp_path / "a.pgn")) == 1
    assert capsys.readouterr().err.endswith("'c5xd7': a stone was taken without a mill\n")
    assert games(tmp_path, "import", "--game", "twelve_mens_morris", str(tmp_path / "a.pgn")) == 0
    assert "twelve_mens_morris, 6 turns, Not finished" in capsys.readouterr().out


TWO_GAMES = Path(__file__).parents[1] / "data" / "journal" / "two_games.sqlite"
"""A game with a mill, a foul that stood and a correction; and a whole game."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    shutil.copy(TWO_GAMES, tmp_path / "journal.sqlite")
    return tmp_path


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
