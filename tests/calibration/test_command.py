"""The commands that set up and make, from files: what they keep, print, write and refuse."""

import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.profile_folder import ProfileFolder
from referee.layouts import NINE_MENS_MORRIS
from tests.calibration.faulty_boards import DrawnBoard, draw_board
from tests.calibration.studio import LENSES, picture, shots
from tests.process import said_by_command
from tests.synthetic import Scene, random_spec

pytestmark = pytest.mark.film

Run = Callable[..., tuple[int, str, str]]
make = partial(said_by_command, "make")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return lambda *words: said_by_command(*words, "--data", tmp_path / "data")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty board, the same with stones, and a folder of views of the sheet, all through one camera."""
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(7)
    scene = Scene(random_spec(rng, NINE_MENS_MORRIS, hardness=0.2))
    tops: list[list[int]] = [[] for _ in range(24)]
    for point, player in ((0, 0), (5, 1), (9, 0), (14, 1), (18, 0), (22, 1)):
        tops[point] = [player]
    cv2.imwrite(str(folder / "empty.png"), scene.render([[] for _ in range(24)], rng=rng)[0])
    cv2.imwrite(str(folder / "stones.png"), scene.render(tops, rng=rng)[0])
    (folder / "views").mkdir()
    lens = LENSES["weak"]
    for k, shot in enumerate(shots(lens, 9, np.random.default_rng(17))):
        cv2.imwrite(str(folder / "views" / f"{k}.png"), picture(lens, shot, noise=3, rng=rng))
    return folder


def test_a_table_is_measured_from_files_and_kept(run: Run, pictures: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    status, out, err = run(
        "calibrate", "kitchen", "--source", pictures / "empty.png", "--lens", str(pictures / "views"),
        "--stones", str(pictures / "stones.png"), "--side", "300", "--report", str(report),
    )  # fmt: skip
    assert status == 0, err
    assert "24 of 24 points seen, stones told apart" in out
    assert "Lens measured from 9 views" in out
    assert "cm over the board" in out
    told = report.read_text(encoding="utf-8")
    assert "24 of 24 points seen" in told
    assert told.count("<rect") == 9  # the error of each view
    kept = ProfileFolder(tmp_path / "data").load("kitchen")
    assert kept.lens is not None
    assert kept.lens.lens.matrix[0, 0] == pytest.approx(LENSES["weak"].matrix[0, 0], rel=0.005)
    assert kept.stones is not None and sum(top > 0 for top in kept.stones.tops) == 6
    before = ProfileFolder(tmp_path / "data").folder.joinpath("kitchen.json").read_text(encoding="utf-8")
    status, out, err = run("calibrate", "kitchen", "--step", "stones", "--stones", pictures / "empty.png")
    assert status == 1
    assert "too few stones are seen on the board: lay a few of each player" in err
    assert ProfileFolder(tmp_path / "data").folder.joinpath("kitchen.json").read_text(encoding="utf-8") == before
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), np.full((360, 640, 3), 90, np.uint8))
    status, out, _ = run("read", pictures / "stones.png", str(small), "--table", "kitchen", "--json")
    seen, refused = (json.loads(line) for line in out.splitlines())
    assert status == 0
    assert kept.field is not None
    places = [[seen["points"][name]["x"], seen["points"][name]["y"]] for name in NINE_MENS_MORRIS.points]
    assert np.abs(np.array(places) - kept.field.field.points_px).max() < 0.1
    assert sum(point["stone"] is not None for point in seen["points"].values()) == 6
    assert "measured in pictures of 1280 x 720, these have 640 x 360" in refused["reason"]
    status, out, _ = run("tables", "list", "--json")
    assert json.loads(out)["board"] == "nine_mens_morris"
    status, out, _ = run("tables", "show", "kitchen", "--language", "de")
    assert "Stand" in out or "Linse" in out


def test_views_that_cannot_be_used_are_refused_and_nothing_is_kept(run: Run, pictures: Path, tmp_path: Path) -> None:
    """Which views cannot be used is in ``test_lens``; here is that the command says so, and leaves one out."""
    empty, few, mixed = str(pictures / "empty.png"), tmp_path / "few", tmp_path / "mixed"
    few.mkdir()
    for k in range(3):
        shutil.copy(pictures / "views" / f"{k}.png", few)
    for folder, reason in ((few, "only 3 views of the sheet can be used"), (tmp_path / "none", "no file or folder")):
        status, _, err = run("calibrate", "hall", "--source", empty, "--lens", str(folder))
        assert (status, ProfileFolder(tmp_path / "data").names()) == (1, [])
        assert reason in err
    shutil.copytree(pictures / "views", mixed)
    small = cv2.resize(np.asarray(cv2.imread(str(mixed / "3.png"))), (640, 360))
    cv2.imwrite(str(mixed / "3.png"), small)
    status, out, _ = run("calibrate", "hall", "--source", empty, "--lens", str(mixed), "--step", "lens")
    assert status == 0
    assert "Lens measured from 8 views" in out  # the one of another size is left out


def test_a_picture_without_a_board_is_refused_with_a_reason(run: Run, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.png"
    cv2.imwrite(str(nothing), np.full((360, 640, 3), 4, np.uint8))
    status, _, err = run("calibrate", "x", "--source", str(nothing))
    assert status == 1
    assert "no board was found: the picture is too dark" in err
    assert ProfileFolder(tmp_path / "data").names() == []


def test_tables_travel_as_files(run: Run, pictures: Path, tmp_path: Path) -> None:
    assert run("calibrate", "one", "--source", pictures / "empty.png", "--step", "camera")[0] == 0
    out_file = str(tmp_path / "one.json")
    assert run("tables", "export", "one", out_file)[0] == 0
    assert run("tables", "import", out_file)[0] == 1  # there is one of this name
    assert run("tables", "import", out_file, "--name", "two")[0] == 0
    assert ProfileFolder(tmp_path / "data").names() == ["one", "two"]
    assert run("tables", "delete", "one")[0] == 0
    status, _, err = run("tables", "show", "one")
    assert status == 1
    assert 'there is no table "one"; known are: two' in err


def test_a_template_is_written_as_pdf_and_each_sheet_as_svg(tmp_path: Path) -> None:
    pdf = tmp_path / "new" / "t.pdf"
    assert make("millchen", "--to", pdf, "--language", "lb")[:2] == (0, f"{pdf}\n")
    assert pdf.read_bytes().startswith(b"%PDF-1.4")
    framed = tmp_path / "o.svg"
    told = make("tic_tac_toe", "--drawing", "framed", "--size", "12,5", "--to", framed)
    assert told[:2] == (0, f"{framed}\n")
    discs = ("--holes", "12", "--paper", "a3", "--mirror", "--line", "1", "--marks", "0")
    status, out, _ = make("moulin_rouge", "--to", tmp_path / "d.svg", *discs)
    assert status == 0
    files = [Path(line) for line in out.splitlines()]
    assert [file.name for file in files[:2]] == ["d-A1.svg", "d-B1.svg"]
    assert all(file.read_text(encoding="utf-8").startswith("<svg") for file in files)


@pytest.fixture(scope="module")
def drawn() -> DrawnBoard:
    return draw_board(251003, "missing_link", name="seven_mens_morris", size_px=(640, 480))


@pytest.fixture(scope="module")
def photo(drawn: DrawnBoard, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photos") / "board.png"
    cv2.imwrite(str(path), drawn.bgr)
    return path


def test_a_check_is_printed_as_one_json_object_and_written_as_sheet_and_picture(
    photo: Path, drawn: DrawnBoard, tmp_path: Path
) -> None:
    sheet, picture = tmp_path / "new" / "sheet.html", tmp_path / "seen.png"
    words = ("--check", photo, drawn.board.name, "--json", "--sheet", sheet, "--draw", picture, "--language", "fr")
    status, out, err = make(*words)
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


def test_without_json_sentences_are_printed_and_the_board_is_recognised(tmp_path: Path) -> None:
    good = draw_board(251007, None, name="nine_mens_morris", size_px=(640, 480))
    path = tmp_path / "good.png"
    cv2.imwrite(str(path), good.bgr)
    status, out, err = make("--check", path)
    assert (status, err) == (0, "")
    assert out == f"{path}: All 24 points are found, and every line is seen: this board is good.\n"


def test_neither_the_photograph_nor_the_sheet_is_overwritten(photo: Path, tmp_path: Path) -> None:
    before = photo.read_bytes()
    for words in (("--draw", photo), ("--sheet", photo), ("--draw", tmp_path / "s", "--sheet", tmp_path / "s")):
        status, out, err = make("--check", photo, *words)
        assert (status, out, len(err.splitlines())) == (1, "", 1)
        assert "would be overwritten" in err
    assert photo.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("", "name a board to make"),
        ("nine_mens_morris --json", "--json needs --check"),
        ("nine_mens_morris --sheet a.html", "--sheet needs --check"),
        ("--check a.png nine_mens_morris --to b.pdf", "--to belongs to a template"),
        ("--check a.png --size 30", "--size belongs to a template"),
        ("--check a.png --mirror", "--mirror belongs to a template"),
        ("--check a.png chess", "no board and no game 'chess'"),
        ("chess", "there is no board and no game 'chess'; the boards are nine_mens_morris,"),
        ("tapatan --size 3", "a board is 8 to 100 cm across, got 3"),
        ("shax --line 0", "0.3 to 11.2 mm wide, got 0"),
        ("tapatan --line thick", "--line: must be a number, got 'thick'"),
        ("tapatan --holes 8", "only turning discs have holes to choose"),
        ("moulin_rouge --cloth", "turning discs are not sewn on cloth"),
        ("shax --drawing cells", "this board has no drawing 'cells'; there is lines"),
        ("shax --to x.png", "a template is written as .pdf or .svg, got 'x.png'"),
    ],
)
def test_wrong_words_get_one_sentence(words: str, part: str) -> None:
    status, out, err = make(*words.split())
    assert (status, out) == (1 if "x.png" in words else 2, "")
    assert part in err
    assert len(err.splitlines()) == 1
