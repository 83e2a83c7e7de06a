"""The command line in the hands of clumsy people: one sentence, the right status, never a traceback."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
import pytest

from millchen import DONE, UNUSABLE, WRONG_WORDS, main
from referee.presets import PRESETS

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
    said = capfd.readouterr().err
    assert said.startswith("millchen: ") and said.count("\n") == 1, said
    return said


def _command(
    words: str, folder: Path = ROOT, environment: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """The command in a process and a shell of its own."""
    call = ["bash", "-o", "pipefail", "-c", f'"{sys.executable}" "{ROOT}/millchen.py" {words}']
    return subprocess.run(
        call, cwd=folder, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def judged(text: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> tuple[int, list[dict]]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    status = run("judge", "--json")
    return status, [json.loads(line) for line in capfd.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    "words",
    [
        ("watch", "x", "--game", "chess"),
        ("watch", "x", "--game", "millchen", "--option", "fly=never"),
        ("watch", "x", "--game", "millchen", "--option", "colour=1"),
        ("watch", "x", "--game", "millchen", "--option", "fly"),
        ("watch", "x", "--game", "millchen", "--option", "men=" + "9" * 5000),
        ("watch", "x", "--game", "millchen", "--fps", "nan"),
        ("watch", "x", "--game", "millchen", "--fps", "0"),
        ("watch", "x", "--game", "millchen", "--corners", "1,2,3"),
        ("watch", "x", "--game", "millchen", "--corners", "nan,0,9,0,9,9,0,9"),
        ("watch", "x", "--game", "millchen", "--corners", "0,0,10,10,20,20,30,30"),
        ("watch", "x", "--game", "millchen", "--corners", "0,0,0,90,90,90,90,0"),
        ("read", "x", "--board", "chess"),
        ("rules", "millchen", "--option", "men=99"),
        ("--port", "99999"),
        ("--port", "-1"),
        ("--game", "chess"),
    ],
)
def test_wrong_words_end_with_the_usage_and_status_2(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == WRONG_WORDS
    said = capfd.readouterr().err
    assert said.startswith("usage: millchen") and "error: " in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("nope.mp4", "no file or folder"),
        ("", "no file or folder"),
        ("x" * 300, "no file or folder"),
        ("77", "camera 77"),
        ("http://127.0.0.1:9/", "does not answer"),
        ("ftp://127.0.0.1/", "addresses begin with"),
        ("text.mp4", "no video"),
        ("text.jpg", "damaged"),
        ("empty", "no picture in"),
    ],
)
def test_a_source_that_cannot_be_used_is_said_in_one_line(source: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("text.mp4", "text.jpg"):
        (tmp_path / name).write_text("this is a letter\n" * 20)
    done = _command(f"watch '{source}' --game millchen", tmp_path)
    assert done.returncode == UNUSABLE and done.stdout == ""
    assert done.stderr.startswith("millchen: ") and done.stderr.count("\n") == 1, done.stderr
    assert word in done.stderr


def test_read_answers_for_every_file_whatever_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zero.jpg").touch()
    (tmp_path / "text.jpg").write_text("no picture")
    (tmp_path / "folder.jpg").mkdir()
    cv2.imwrite(str(tmp_path / "one.png"), np.full((1, 1, 3), 200, np.uint8))
    cv2.imwrite(str(tmp_path / "row.png"), np.full((1, 900, 3), 200, np.uint8))
    (tmp_path / "cut.jpg").write_bytes(TABLE.read_bytes()[:900])
    names = ["zero.jpg", "text.jpg", "folder.jpg", "one.png", "row.png", "cut.jpg", "nope.jpg", "x" * 300]
    assert run("read", *(tmp_path / name for name in names), "/dev/zero", TABLE, "--json") == DONE
    answers = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [answer["board"] for answer in answers] == [None] * 9 + ["nine_mens_morris"]
    assert all(set(answer) == {"image", "board", "reason"} for answer in answers[:-1])
    assert all(answer["reason"].count("no playing field in sight") < 2 for answer in answers[:-1])
    read = answers[-1]
    assert set(read) == {"image", "board", "confidence", "points", "groups"} and len(read["points"]) == 24
    assert all(set(point) == {"x", "y", "stone", "height", "p"} for point in read["points"].values())


def test_a_folder_may_hold_a_broken_picture_and_one_of_another_size(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(TABLE, tmp_path / "a.jpg")
    (tmp_path / "b.jpg").write_text("no picture")
    small = cv2.resize(cv2.imread(str(TABLE)), None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(tmp_path / "c.png"), small)
    assert run("watch", tmp_path, "--game", "millchen", "--json") == DONE
    said = capfd.readouterr()
    events = [json.loads(line) for line in said.out.splitlines()]
    assert events[0]["event"] == "board" and set(events[0]) == {"event", "t", "frame", "board", "points"}
    assert said.err == ""


def test_corners_outside_the_picture_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    corners = "9000,9000,9900,9000,9900,9900,9000,9900"
    assert run("watch", TABLE, "--game", "millchen", "--corners", corners) == UNUSABLE
    assert "outside the picture" in complaint(capfd)


@pytest.mark.parametrize(
    "line",
    [
        "garbage",
        "null",
        "[" * 100_000,
        '{"game": null}',
        '{"game": "\\ud800"}',
        '{"game": "millchen", "options": []}',
        '{"game": "millchen", "options": {"men": "' + "9" * 5000 + '"}}',
        '{"game": "millchen", "options": {"men": NaN}}',
        '{"game": "millchen", "moves": [null]}',
        '{"game": "millchen", "moves": ["xd6.' + "9" * 5000 + '"]}',
        '{"game": "millchen", "moves": ["d\uff16"]}',
        '{"game": "millchen", "moves": ["--"]}',
        '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda line: line[:40],
)
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


def test_judge_with_a_closed_input_is_told_so() -> None:
    done = _command("judge <&-")
    assert done.returncode == UNUSABLE and done.stderr.startswith("millchen: ")
    assert "Traceback" not in done.stderr


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


def test_an_old_terminal_without_umlauts_still_reads_the_rules() -> None:
    run = _command("rules millchen --language lb", environment={"PYTHONIOENCODING": "ascii"})
    assert run.returncode == DONE and "?" in run.stdout and not run.stderr
