"""Cases: what the referee doubted is kept, shown, tried again, and never more than is said of it."""

import html
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask

from calibration.profile import Profile
from calibration.profile_folder import ProfileFolder
from languages import LANGUAGES, in_all_languages
from millchen import main
from referee.announce import sentence
from referee.boards import boards_for
from referee.events import BoardLost
from referee.game import Game
from referee.layouts import TRIALECTIC
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec, stacks_of
from tests.web.browsing import Page, Served, expect
from tests.web.conftest import LOCAL
from vision.cases.case import members_of, read_case_data, thought_of, tops_by_people, with_case_data
from vision.cases.case_replay import try_again
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import State, StepResult, TableSetup, start
from web.history.case_view import first_text
from web.hosted_tables import AppContext
from web.journal import data_folder
from web.journal.data_folder import CaseFolder
from web.net.roles import THIS_COMPUTER
from web.table.case_keeper import CaseKeeper
from web.views.case_pages import CASE_ROUTES

Step = tuple[State, Frame, TableSetup, StepResult[State]]
Evening = tuple[CaseFolder, Game]

MARK = np.array((255, 0, 255), np.uint8)  # what stands in the room, beside the board: nothing else is so coloured
FILES = {"case.json", "game.pgn", "before.jpg", "now.jpg"}
KEYS = {
    "format", "kind", "day", "versions", "said", "game", "options", "ply", "before", "is_disputed", "points",
    "drawing", "colours", "searches", "shows_room", "picture", "thought",
}  # fmt: skip


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    """Every step at a drawn table where a foul is made and put right."""
    rng, variant = np.random.default_rng(14), find_variant("tic_tac_toe")
    scene = Scene(random_spec(rng, variant.board, hardness=0.3, size_px=(640, 360)))
    table, steps = TableSetup(variant, boards_for(variant)), list[Step]()
    state = start(table)
    for shot in film(scene, Game.start(variant), Script(4, {3: "any"}), rng):
        bgr = shot.frame.bgr.copy()
        bgr[:40, :40] = bgr[-40:, -40:] = MARK
        frame = Frame(bgr, shot.frame.time_s, shot.frame.sequence)
        steps.append((state, frame, table, step(state, frame, table)))
        state = steps[-1][3].state
    return steps


def keeper_of(steps: list[Step], data: Path) -> tuple[CaseKeeper, Game]:
    """The keeper that has seen every step, and the game then."""
    keeper = CaseKeeper(data)
    for before, frame, _, result in steps:
        keeper.note_step(before, frame, result)
    return keeper, result.state.game


def evening_of(steps: list[Step], data: Path) -> Evening:
    """The cases of an evening, at whose end people put a stone right, and the game then."""
    keeper, game = keeper_of(steps, data)
    wrong = next(i for i, top in enumerate(game.position.tops) if top)
    corrected = game.play_on([0 if i == wrong else top for i, top in enumerate(game.position.tops)])
    keeper.note_answer("corrected", corrected)
    keeper.close()
    return CaseFolder(data), corrected


@pytest.fixture(scope="module")
def evening(steps: list[Step], tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return evening_of(steps, tmp_path_factory.mktemp("evening"))


@pytest.fixture(scope="module")
def in_vain() -> list[Step]:
    """Every step of a search for one board where that of another game lies, which is said to be that of the game."""
    rng, variant = np.random.default_rng(50), find_variant("nine_mens_morris")
    table, steps = TableSetup(variant, boards_for(variant)), list[Step]()
    scene = Scene(random_spec(rng, TRIALECTIC, n_players=3, hardness=0.2, size_px=(640, 360)))
    state = start(table)
    for k in range(4):
        bgr, _ = scene.render(stacks_of([0] * len(TRIALECTIC.points)), rng=rng)
        steps.append((state, frame := Frame(bgr, float(k), k), table, step(state, frame, table)))
        state = steps[-1][3].state
    return steps


def searches_of(steps: list[Step], data: Path, *, rooms: bool) -> CaseFolder:
    """The cases of a search, where people then stay with their game."""
    CaseFolder(data).switch(on=True, rooms=rooms)
    keeper, game = keeper_of(steps, data)
    keeper.note_answer("corrected", game)  # of the game that was laid by hand, and of no picture
    keeper.note_answer("kept", game)
    keeper.close()
    return CaseFolder(data)


def data_of(case: bytes) -> dict[str, Any]:
    return dict(json.loads(members_of(case)["case.json"]))


def thought_again(case: bytes) -> dict[str, Any]:
    return dict(json.loads(json.dumps(thought_of(try_again(case)))))


def picture_of(case: bytes, name: str) -> np.ndarray[Any, Any]:
    return np.asarray(cv2.imdecode(np.frombuffer(members_of(case)[name], np.uint8), cv2.IMREAD_COLOR))


def cases_of(folder: CaseFolder) -> list[bytes]:
    return [case for number in folder.numbers() if (case := folder.load(number)) is not None]


def test_a_foul_and_what_people_say_of_a_turn_are_kept(evening: Evening) -> None:
    folder, game = evening
    newest, *_, first = cases_of(folder)
    assert (data_of(first)["kind"], data_of(newest)["kind"]) == ("foul", "corrected")
    assert data_of(first)["thought"]["hypotheses"][0]["foul"]
    assert [said["kind"] for said in data_of(first)["said"]][:1] == ["restored"]
    assert data_of(newest)["said"] == [{"kind": "corrected", "tops": list(game.position.tops)}]


def test_where_no_board_was_found_the_picture_is_kept_if_people_agree(in_vain: list[Step], tmp_path: Path) -> None:
    folder = searches_of(in_vain, tmp_path, rooms=True)
    newest, first = cases_of(folder)
    assert [data_of(case)["kind"] for case in (first, newest)] == ["unfound", "other_game"]
    assert [[said["kind"] for said in data_of(case)["said"]] for case in (first, newest)] == [[], ["kept"]]
    (at_first, lost), (at_last, other) = [(one[1], event) for one in in_vain for event in one[3].events]
    assert isinstance(lost, BoardLost)
    assert data_of(first)["thought"]["search"] == in_all_languages(lost.reason)
    assert first_text(data_of(newest), "de") == sentence(other, "de")
    for case, frame in ((first, at_first), (newest, at_last)):
        assert set(members_of(case)) == FILES - {"before.jpg"}
        assert tops_by_people(data_of(case)) is None
        assert np.abs(picture_of(case, "now.jpg") - frame.bgr.astype(float)).mean() < 3  # a JPEG of all of it
        assert thought_again(case)["search"] == data_of(case)["thought"]["search"]


def test_without_it_nothing_of_the_room_is_kept(in_vain: list[Step], tmp_path: Path) -> None:
    searches_of(in_vain, tmp_path, rooms=False)
    assert list(tmp_path.iterdir()) == []


def likeliest(thought: dict[str, Any]) -> list[Any]:
    return [one["tops"] for one in thought["hypotheses"][:1]]


def test_a_case_tried_again_is_decided_as_then_or_as_people_say(evening: Evening) -> None:
    named = Path(os.environ.get("MILLCHEN_CASES", os.devnull)).glob("*.millchen-case")  # one more golden set
    for case in [*cases_of(evening[0]), *(path.read_bytes() for path in sorted(named))]:
        again = thought_again(case)
        assert likeliest(again) or data_of(case)["shows_room"]  # of a search in vain nothing else can be asked
        assert likeliest(again) in (likeliest(data_of(case)["thought"]), [tops_by_people(data_of(case))])


def test_a_case_shows_the_board_and_nothing_of_the_room(evening: Evening) -> None:
    for case in cases_of(evening[0]):
        assert set(members_of(case)) == FILES
        for name in ("before.jpg", "now.jpg"):
            assert not (np.abs(picture_of(case, name) - MARK.astype(float)).max(axis=2) < 40).any()


def test_a_case_says_no_more_than_this(evening: Evening) -> None:
    case = cases_of(evening[0])[0]
    assert set(data_of(case)) == KEYS
    assert set(data_of(case)["versions"]) == {"millchen", "opencv", "numpy", "python", "machine"}
    assert len(data_of(case)["day"]) == len("2026-11-26")


def test_who_wants_no_cases_has_none(steps: list[Step], tmp_path: Path) -> None:
    CaseFolder(tmp_path).switch(on=False)
    evening_of(steps, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [data_folder.CASE_SWITCH]


def zipped(**members: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return written.getvalue()


HARMS: list[dict[str, Any]] = [
    {"game.pgn": b"1. d6 d6 *"}, {"game.pgn": b"1. a1 " * 100_000}, {"now.jpg": b"no picture"}, {"now.jpg": b""},
    {"points": {"a1": [1, 2]}}, {"points": [1]}, {"before": ["x"]}, {"searches": "often"},
]  # fmt: skip
"""Members of a file that are exchanged, and what it tells."""


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: repr(harm)[:30])
def test_a_harmful_case_is_refused_in_a_sentence(evening: Evening, harm: dict[str, Any]) -> None:
    case, name = cases_of(evening[0])[-1], next(iter(harm))
    members, said = (harm, {}) if "." in name else ({}, harm)
    with pytest.raises(ValueError, match="no case of Millchen that can be read"):
        try_again(with_case_data(case, {**data_of(case), "is_disputed": True, **said}, **members))


def test_a_case_of_another_version_is_refused_in_a_sentence(evening: Evening, tmp_path: Path) -> None:
    case, old = cases_of(evening[0])[-1], CaseFolder(tmp_path)
    old.add(with_case_data(case, {**data_of(case), "format": 1}))
    for ask in (read_case_data, try_again):
        with pytest.raises(ValueError, match="kept by another version of Millchen"):
            ask(cases_of(old)[0])
    assert main(["cases", "list", "--data", str(tmp_path)]) == 0


@pytest.mark.parametrize("case", [b"no zip", zipped(other=b""), zipped(**{"case.json": b"[]"})], ids=len)
def test_what_is_no_case_is_refused_in_a_sentence(case: bytes) -> None:
    with pytest.raises(ValueError, match="no case of Millchen that can be read"):
        read_case_data(case)


def test_the_command_lists_exports_tries_again_and_deletes(
    evening: Evening, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, data = evening[0], str(evening[0].data_folder)

    def said(*words: str, status: int = 0) -> str:
        assert main(["cases", *words, "--data", data]) == status
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    n = len(folder.numbers())
    assert len(said("list").splitlines()) == n
    assert json.loads(said("show", "1"))["kind"] == "foul"
    sent = tmp_path / "sent.millchen-case"
    assert said("export", "1", "--to", str(sent)) == f"{sent}\n"
    assert set(members_of(sent.read_bytes())) == {*FILES, "README.txt"}
    assert all(name.encode() in members_of(sent.read_bytes())["README.txt"] for name in FILES)
    of_all = said("replay")
    assert f"{n} cases: {n} decided as then" in of_all
    assert "2 of them people have settled: 1 are right now, 1 were right then" in of_all
    assert "1: foul" not in said("replay", str(sent))
    assert "and that is right" in said("replay", str(sent))
    assert "there is no case 99" in said("show", "99", status=1)
    ProfileFolder(Path(data)).save(Profile("Hall"))
    assert 'only 0 settled cases show table "Hall"' in said("fit", "Hall", status=1)
    assert said("fit", "Hall", "--undo") == ""
    (tmp_path / "other").write_bytes(b"no case")
    assert "no case of Millchen" in said("replay", str(tmp_path / "other"), status=1)
    copy = CaseFolder(tmp_path)
    copy.add(sent.read_bytes())
    assert main(["cases", "delete", "1", "--data", str(tmp_path)]) == 0
    assert copy.numbers() == []


@pytest.mark.parametrize(("kind", "language"), [*(("foul", language) for language in LANGUAGES), ("unfound", "lb")])
def test_the_pages_show_a_case_in_every_language(
    evening: Evening, in_vain: list[Step], tmp_path: Path, shell: AppContext, app: Flask, kind: str, language: str
) -> None:
    case = (evening[0] if kind == "foul" else searches_of(in_vain, tmp_path, rooms=True)).load(1)
    assert case is not None
    assert data_of(case)["kind"] == kind
    number, page = shell.table.cases.add(case), app.test_client()
    torn = shell.table.cases.add(case[:1000])

    def asked(path: str) -> str:
        answer = page.get(path, base_url=LOCAL, headers={"Accept-Language": language})
        assert answer.status_code == 200, path
        return answer.get_data(as_text=True)

    assert f'href="/cases/{number}"' in asked("/cases")
    assert page.get(f"/cases/{torn}", base_url=LOCAL).status_code == 404
    shown = asked(f"/cases/{number}")
    assert all(name in shown for name in members_of(case))
    assert html.escape(first_text(data_of(case), language).partition(" ")[0]) in shown
    drawings = re.findall(rf"/cases/{number}/\d\.svg", shown)
    assert len(drawings) == len(data_of(case)["thought"]["hypotheses"])
    assert all("<svg" in asked(path) for path in drawings)
    sent = page.get(f"/cases/{number}.millchen-case", base_url=LOCAL, headers={"Accept-Language": language}).data
    readme = members_of(sent)["README.txt"].decode()
    assert all(part in html.unescape(shown) for part in readme.strip().split("\n\n"))
    assert page.get(f"/cases/{number}/now.jpg", base_url=LOCAL).data == members_of(case)["now.jpg"]
    assert page.post("/api/cases/delete", base_url=LOCAL, json={"numbers": [number]}).get_json()["deleted"] == 1
    assert page.get(f"/cases/{number}", base_url=LOCAL).status_code == 404


def test_all_cases_are_thrown_away_only_after_a_question(
    evening: Evening, served: Callable[..., Served], visit: Callable[..., Page]
) -> None:
    at = served()
    for case in cases_of(evening[0]):
        at.table.cases.add(case)
    page = visit(at, "cases")
    page.check("#keep-rooms")
    for answer, n in (("no", len(cases_of(evening[0]))), ("yes", 0)):
        page.click("button[data-delete]")
        page.click(f"#sure-delete button[value='{answer}']")
        expect(page.locator(".game-row")).to_have_count(n)
        assert len(at.table.cases.numbers()) == n
    expect(page.locator("#keep-rooms")).to_be_checked()
    assert (at.table.cases.is_on, at.table.cases.shows_rooms) == (True, True)


def test_no_link_of_the_network_opens_the_cases() -> None:
    assert {route.role for route in CASE_ROUTES} == {THIS_COMPUTER}
