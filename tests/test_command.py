"""The command line in the hands of clumsy people: one sentence, the right status, never a traceback."""

import io
import json
import math
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
import pytest

from millchen import DONE, UNUSABLE, main
from referee.presets import PRESETS
from vision.commands.arguments import WRONG_WORDS, drawing_paths
from web.commands.doctor import check_everything

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests/data/command/table.jpg"


def run(*words: object) -> int:
    """The exit status of a command."""
    try:
        return main([str(word) for word in words])
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


def complaint(capfd: pytest.CaptureFixture[str]) -> str:
    """What was said to people: one sentence on one line."""
    said = capfd.readouterr()
    assert said.err.startswith("millchen: ") and said.err.count("\n") == 1 and said.out == "", said
    return said.err


def _command(
    words: str, folder: Path = ROOT, environment: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """The command in a process and a shell of its own."""
    call = ["bash", "-o", "pipefail", "-c", f'"{sys.executable}" "{ROOT}/millchen.py" {words}']
    return subprocess.run(
        call, cwd=folder, capture_output=True, text=True, timeout=240, env={**os.environ, **environment}
    )


def judged(text: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> tuple[int, list[dict]]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    status = run("judge", "--json")
    return status, [json.loads(line) for line in capfd.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("watch", "x", "--game", "chess"), "no game 'chess'; there are tic_tac_toe, millchen, "),
        (("watch", "x", "--game", "milchen"), "no game 'milchen'; did you mean millchen?"),
        (("watch", "x", "--gmae", "millchen"), "no option '--gmae'; did you mean --game?"),
        (("watch",), "SOURCE and --game are missing; see 'millchen watch --help'"),
        (("watch", "x", "--game", "millchen", "--option", "fly=never"), "got 'never'"),
        (("watch", "x", "--game", "millchen", "--option", "fli=own"), "no option 'fli'; did you mean fly?"),
        (("watch", "x", "--game", "millchen", "--option", "fly"), "--option: an option of the game is written NAME"),
        (("watch", "x", "--game", "millchen", "--option", "men=" + "9" * 5000), "must be a number from"),
        (("watch", "x", "--game", "millchen", "--game", "achi"), "--game is given twice: 'millchen' and 'achi'"),
        (("watch", "x", "--game", "millchen", "--fps", "0"), "--fps: frames a second must be over 0"),
        (("watch", "x", "--game", "millchen", "--corners", "1,2,3"), "--corners: four corners are eight numbers"),
        (("watch", "x", "--game", "millchen", "--corners", "-1,0,9,0,9,9,0,9"), "is written --corners=-1,0,9"),
        (("read",), "IMAGE is missing; see 'millchen read --help'"),
        (("read", "x", "--board", "nine_mens_moris"), "no board 'nine_mens_moris'; did you mean nine_mens_morris?"),
        (("read", "x", "--corners", "1,1,90,1,90,90,1,90"), "--corners needs --board"),
        (("read", "x", "--json=3"), "--json takes no value, got '3'"),
        (("rules", "millchen", "--language", "eng"), "no language 'eng'; did you mean en?"),
        (("rules", "\udcff"), "no game '\\udcff'; there are "),
        (("judge", "game"), "millchen judge takes no 'game'; see 'millchen judge --help'"),
        (("games", "lst"), "no command 'lst'; did you mean list?"),
        (("games", "show", "one"), "NUMBER is a whole number, got 'one'"),
        (("games", "export", "1", "--format", "pdf"), "no format 'pdf'; there are "),
        (("tables",), "one of list, show, export, import, delete is missing"),
        (("raed", "x"), "no command 'raed'; did you mean read?"),
        (("millchen",), "no command 'millchen'; did you mean --game millchen?"),
        ((str(TABLE),), "did you mean 'millchen read "),
        (("y" * 5000,), f"no command '{'y' * 59}…'; there are read, watch, "),
        (("-help",), "no option '-help'; did you mean --help?"),
        (("--demo", "milchen"), "no demo 'milchen'; did you mean millchen?"),
        (("--demo", "millchen", "--source", "0"), "--source and --demo exclude each other"),
        (("--port", "99999"), "--port: a port is a number from 0 to 65535, got '99999'"),
        (("--port",), "--port needs a value"),
        (("--game", "millchen", "--partner", "2"), "--partner: a partner is named as 2=medium or 2=medium:explain"),
        (("--game", "millchen", "--partner", "2=medum"), "no strength 'medum'; did you mean medium?"),
        (("--game", "millchen", "--partner", "3=easy"), "this game has players 1 to 2"),
        (("--lan", "here"), "--lan: an IP address of this computer is wanted, got 'here'"),
        (("--lan", "127.0.0.1"), "no phone reaches this computer at 127.0.0.1: name its address in the network"),
    ],
    ids=lambda word: " ".join(word)[:60] if isinstance(word, tuple) else "",
)
def test_wrong_words_are_one_sentence_with_the_nearest_word_and_status_2(
    words: tuple[str, ...], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == WRONG_WORDS
    said = complaint(capfd)
    assert told in said and "usage:" not in said and len(said) < 500


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--source", "77"), "the game is missing: name it with --game"),
        (("--source", "pipe", "--game", "millchen"), "'pipe' is a pipe or a device"),
        (("--source", "none.mp4", "--game", "millchen"), "there is no file 'none.mp4'"),
        (("--table", "a=", "--game", "millchen"), "a table is named as NAME or NAME=SOURCE"),
        (("--table", "a", "--table", "b", "--source", "0"), "several tables have a source and corners each"),
        (("--demo", "millchen", "--game", "achi"), "the demo of millchen shows no achi"),
        (("--game", "achi"), "there is no demo of achi"),
        (("--game", "millchen", "--partner", "2=easy"), "the demo shows its own players"),
        (("--option", "fly=own"), "rules belong to a game"),
        (("--mqtt", "x"), "a broker is given as"),
        (("watch", "pipe", "--game", "millchen"), "'pipe' is a pipe or a device"),
        (("watch", "none", "--game", "millchen"), "there is no file or folder 'none'"),
        (("watch", "ftp://127.0.0.1/", "--game", "millchen"), "addresses begin with"),
        (("watch", "empty", "--game", "millchen"), "no picture in"),
        (("calibrate", "x", "--source", "pipe"), "'pipe' is a pipe or a device"),
        (("calibrate", "x", "--source", "none", "--report", "letter/x.html"), "cannot be written"),
        (("tables", "import", "pipe"), "is no profile of a table"),
        (("tables", "show", "kitchen"), 'there is no table "kitchen"'),
        (("games", "list"), "there are no games in"),
        (("games", "import", "pipe"), "'pipe' is a pipe or a device"),
        (("read", str(TABLE), "--empty", "pipe"), "--empty 'pipe': this is a pipe or a device"),
        (("read", str(TABLE), "--draw", "letter/x.png"), "'letter/x.png' cannot be written"),
        (("read", str(TABLE), "--draw", "pipe"), "'pipe' is a folder or a device and cannot be written"),
        (("read", str(TABLE), str(TABLE), "--draw", "letter"), "'letter' is a file: the drawings of several pictures"),
        (("read", str(TABLE), "--draw", str(TABLE)), "is one of the pictures"),
    ],
    ids=lambda word: " ".join(word)[-60:] if isinstance(word, tuple) else "",
)
def test_what_cannot_be_used_is_one_sentence_and_status_1(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("empty").mkdir()
    Path("letter").write_text("this is a letter\n" * 20)
    page = ("--no-browser", "--no-link", "--port", "0") if words[0].startswith("--") else ()
    assert run(*words, *page, "--data", tmp_path / "data") == UNUSABLE
    assert told in complaint(capfd)


def test_drawings_go_into_folders_that_are_made_and_one_failed_picture_is_told_apart(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, drawn = tmp_path / "text.jpg", tmp_path / "new" / "folder"
    text.write_text("no picture")
    words = ("--board", "nine_mens_morris", "--draw", drawn, "--progress")
    assert run("read", TABLE, text, *words) == UNUSABLE
    said = capfd.readouterr()
    assert said.out.count("nine_mens_morris") == 1 and said.out.count("this is no picture") == 1
    assert said.err.splitlines() == ["0/2", "1/2"]
    assert [path.name for path in drawn.iterdir()] == ["table.png"]
    same_name = drawing_paths(str(drawn), [TABLE, text, Path("table.jpg")])
    assert [path.name for path in same_name] == ["table.png", "text.png", "table-2.png"]


def test_the_version_is_that_of_the_project_and_the_doctor_says_it_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == DONE
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert capfd.readouterr().out == f"millchen {version}\n"
    assert f"Millchen {version}," in next(check_everything(None, "0", 0)).text


@pytest.mark.film
@pytest.mark.parametrize(
    ("source", "word"), [("77", "camera 77"), ("http://127.0.0.1:9/", "does not answer"), ("text.mp4", "no film")]
)
def test_what_opencv_says_of_a_source_that_cannot_be_used_is_not_heard(source: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("this is a letter\n" * 20)
    done = _command(f"watch '{source}' --game millchen", tmp_path)
    assert done.returncode == UNUSABLE and done.stdout == ""
    assert done.stderr.startswith("millchen: ") and done.stderr.count("\n") == 1, done.stderr
    assert word in done.stderr


def test_read_answers_for_every_file_whatever_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zero.jpg").touch()
    cv2.imwrite(str(tmp_path / "one.png"), np.full((1, 1, 3), 200, np.uint8))
    cv2.imwrite(str(tmp_path / "row.png"), np.full((1, 900, 3), 200, np.uint8))
    names = ["zero.jpg", "one.png", "row.png", "x" * 300]
    assert run("read", *(tmp_path / name for name in names), "/dev/zero", TABLE, "--json") == DONE
    *refused, read = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(set(answer), answer["board"]) for answer in refused] == [({"image", "board", "reason"}, None)] * 5
    assert all(answer["reason"].count("no playing field in sight") < 2 for answer in refused)
    assert set(read) == {"image", "board", "confidence", "points", "groups"} and len(read["points"]) == 24
    assert all(set(point) == {"x", "y", "stone", "height", "p"} for point in read["points"].values())


def test_read_takes_the_corners_that_it_is_told_instead_of_searching(capfd: pytest.CaptureFixture[str]) -> None:
    """The first corner is that of a7, wherever it lies: here the names go round by a quarter of a turn."""
    words = ("read", TABLE, "--board", "nine_mens_morris", "--json")
    assert run(*words) == DONE
    found = json.loads(capfd.readouterr().out)
    at = {name: (point["x"], point["y"]) for name, point in found["points"].items()}
    corners = [at[name] for name in ("g7", "g1", "a1", "a7")]
    assert run(*words, "--corners", ",".join(str(n) for corner in corners for n in corner)) == DONE
    told = json.loads(capfd.readouterr().out)
    assert set(told) == set(found) and told["board"] == "nine_mens_morris"
    turned = {"a7": "g7", "d7": "g4", "g7": "g1", "d5": "e4", "e3": "c3"}
    for name, was in turned.items():
        assert math.dist([told["points"][name][k] for k in "xy"], at[was]) < 4, name
    lying = [sum(point["stone"] is not None for point in one["points"].values()) for one in (told, found)]
    assert lying == [3, 3]
    assert run(*words, "--corners", "9000,9000,9900,9000,9900,9900,9000,9900") == UNUSABLE
    assert "outside the picture" in json.loads(capfd.readouterr().out)["reason"]


@pytest.mark.parametrize(
    "line",
    [
        "garbage", '{"game": "\\ud800"}', '{"game": "millchen", "options": {"men": "' + "9" * 5000 + '"}}',
        '{"game": "millchen", "options": {"men": NaN}}', '{"game": "millchen", "moves": ["xd6.' + "9" * 5000 + '"]}',
        '{"game": "millchen", "moves": ["d\uff16"]}', '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda line: line[:40],
)  # fmt: skip
def test_judge_says_what_is_wrong_with_a_line_and_goes_on(
    line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    status, answers = judged(f'{line}\n\ufeff{{"game": "millchen"}}\n', monkeypatch, capfd)
    assert status == UNUSABLE and len(answers) == 2
    assert set(answers[0]) == {"game", "states", "error"}
    assert set(answers[0]["error"]) == {"at", "move", "reasons", "text"}
    assert set(answers[1]) == {"game", "states"}


@pytest.mark.parametrize("game", PRESETS)
def test_judge_gives_every_field_of_every_state(
    game: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    moves: list[str] = []
    for _ in range(30):  # always the last of the lawful actions, captures among them
        _, (answer,) = judged(json.dumps({"game": game, "moves": moves}), monkeypatch, capfd)
        state = answer["states"][-1]
        if not state["legal"]:
            break
        moves.append(state["legal"][-1])
    fields = {"after", "to_move", "phase", "legal", "points", "hand", "winner", "draw", "reason"}
    assert all(set(state) == fields for state in answer["states"])
    for state in answer["states"]:
        over = state["phase"] == "over"
        assert over == (state["reason"] is not None) == (not state["legal"])
        assert (state["phase"] == "capture") == any(move.startswith("x") for move in state["legal"])
        assert 1 <= state["to_move"] <= len(state["hand"])


def test_a_broken_letter_does_not_hide_the_lines_after_it(tmp_path: Path) -> None:
    (tmp_path / "games").write_bytes(b'{"game": "mill\xe9"}\n{"game": "millchen"}\n')
    done = _command(f"judge < '{tmp_path}/games'")
    assert done.returncode == UNUSABLE and done.stdout.count("\n") == 2 and done.stderr == ""


def test_who_stops_reading_gets_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "games").write_text('{"game": "millchen"}\n' * 500)
    done = _command(f"judge < '{tmp_path}/games' | head -1")
    assert (done.returncode, done.stderr) == (DONE, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is played by /dev/full")
def test_a_full_disk_is_said_in_one_line() -> None:
    done = _command("rules millchen > /dev/full")
    assert done.returncode == UNUSABLE
    assert done.stderr.startswith("millchen: ") and done.stderr.count("\n") == 1
