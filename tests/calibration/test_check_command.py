"""``millchen make --check PHOTO``: what it prints and writes, and which words do not go together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

import millchen
from tests.calibration.faulty_boards import DrawnBoard, draw_board

pytestmark = pytest.mark.film

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def go(*words: object) -> tuple[int, str, str]:
        try:
            status = millchen.main(["make", *map(str, words)])
        except SystemExit as wrong_words:
            status = int(str(wrong_words.code))
        said = capsys.readouterr()
        return status, said.out, said.err

    return go


@pytest.fixture(scope="module")
def drawn() -> DrawnBoard:
    return draw_board(251003, "missing_link", name="seven_mens_morris", size_px=(640, 480))


@pytest.fixture(scope="module")
def photo(drawn: DrawnBoard, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photos") / "board.png"
    cv2.imwrite(str(path), drawn.bgr)
    return path


def test_a_check_is_printed_as_one_json_object_and_written_as_sheet_and_picture(
    run: Run, photo: Path, drawn: DrawnBoard, tmp_path: Path
) -> None:
    sheet, picture = tmp_path / "new" / "sheet.html", tmp_path / "seen.png"
    words = ("--check", photo, drawn.board.name, "--json", "--sheet", sheet, "--draw", picture, "--language", "fr")
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    (line,) = out.splitlines()
    told = json.loads(line)
    assert told["image"] == str(photo)
    assert (told["board"], told["drawing"], told["good"]) == (drawn.board.name, drawn.drawing, False)
    assert set(told["points"]) == set(drawn.board.points)
    place = told["points"][drawn.board.points[0]]
    assert [place["x"], place["y"]] == pytest.approx(drawn.points_px[0], abs=8)
    (fault,) = told["faults"]
    assert fault["kind"] == "missing_link"
    assert set(fault["points"]) == drawn.names
    assert set(fault) == {"letter", "kind", "points", "beside", "amount", "colours", "text", "advice"}
    assert "ligne" in fault["text"]
    page = sheet.read_text(encoding="utf-8")
    assert "lang=fr" in page and fault["advice"].split()[0] in page
    assert not re.search(r"https?://|<script|<link|url\(", page), "a sheet needs nothing but itself"
    assert re.findall(r"src='([^,]*)", page) == ["data:image/jpeg;base64"]
    painted = cv2.imread(str(picture))
    assert painted is not None and painted.shape == (675, 900, 3)


def test_without_json_sentences_are_printed_and_the_board_is_recognised(run: Run, tmp_path: Path) -> None:
    good = draw_board(251007, None, name="nine_mens_morris", size_px=(640, 480))
    path = tmp_path / "good.png"
    cv2.imwrite(str(path), good.bgr)
    status, out, err = run("--check", path)
    assert (status, err) == (0, "")
    assert out == f"{path}: All 24 points are found, and every line is seen: this board is good.\n"


def test_no_board_no_picture_and_no_file_are_said_and_end_with_1(run: Run, tmp_path: Path) -> None:
    bare, broken = tmp_path / "bare.png", tmp_path / "broken.jpg"
    cv2.imwrite(str(bare), np.full((240, 320, 3), 120, np.uint8))
    broken.write_bytes(b"no picture")
    for path, part in ((bare, "all of one colour"), (broken, "no picture"), (tmp_path / "none.png", "no such file")):
        status, out, _ = run("--check", path, "--json")
        told = json.loads(out)
        assert (status, told["board"], told["good"]) == (1, None, False)
        assert part in told["reason"]
        status, out, _ = run("--check", path)
        assert status == 1
        assert part in out


def test_neither_the_photograph_nor_the_sheet_is_overwritten(run: Run, photo: Path, tmp_path: Path) -> None:
    before = photo.read_bytes()
    for words in (("--draw", photo), ("--sheet", photo), ("--draw", tmp_path / "s", "--sheet", tmp_path / "s")):
        status, out, err = run("--check", photo, *words)
        assert (status, out, len(err.splitlines())) == (1, "", 1)
        assert "would be overwritten" in err
    assert photo.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "name a board to make"),
        (("nine_mens_morris", "--json"), "--json needs --check"),
        (("nine_mens_morris", "--sheet", "a.html"), "--sheet needs --check"),
        (("--check", "a.png", "nine_mens_morris", "--to", "b.pdf"), "--to belongs to a template"),
        (("--check", "a.png", "--size", "30"), "--size belongs to a template"),
        (("--check", "a.png", "--mirror"), "--mirror belongs to a template"),
        (("--check", "a.png", "chess"), "no board and no game 'chess'"),
    ],
)
def test_words_that_do_not_go_together_get_one_sentence(run: Run, words: tuple[str, ...], part: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert part in err
    assert len(err.splitlines()) == 1
