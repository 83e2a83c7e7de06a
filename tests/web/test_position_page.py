"""One photograph of a board is an answer: its position is put right by a tap, and played on or taken away."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from languages import LANGUAGES, catalogue
from referee.fen import parse_fen
from referee.presets import find_variant, variants_on
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import LOCAL
from web.app import create_app
from web.errors import MillchenError
from web.history.exports import page_free_writers
from web.history.finished_games import game_history
from web.history.journal_reader import JournalReader
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.net.roles import REFEREE
from web.page_words import words
from web.table.live_table import LiveTable

pytestmark = pytest.mark.film

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "table.jpg"
BOARDS = ROOT / "tests" / "data" / "locate"
SEEN = {"b6": 1, "c5": 1, "d3": 1, "d2": 1, "f2": 1, "a1": 1, "e5": 2, "c4": 2, "e4": 2, "f4": 2, "e3": 2, "b2": 2}
GAME = "nine_mens_morris"
LAID = {"fen": "*@@@O*@O/**@OO@*O/*****O** w p p 6 3 6 3", "colours": ["#1740b5", "#a8a22e"]}


def sent(app: Flask, data: bytes, game: str = GAME, language: str = "en", to: str = "positions") -> TestResponse:
    """What is answered to a photograph."""
    how: dict[str, Any] = {"base_url": LOCAL, "headers": {"Accept-Language": language}}
    return app.test_client().post(f"/api/{to}?game={game}", data=data, content_type="image/jpeg", **how)


checked = partial(sent, to="make/check")
"""What is answered where only the board is to be checked."""


def weighed(app: Flask, number: int, **body: Any) -> TestResponse:
    return app.test_client().post(f"/api/positions/{number}", json={"game": GAME, **body}, base_url=LOCAL)


def as_jpeg(bgr: Any) -> bytes:
    return cv2.imencode(".jpg", bgr)[1].tobytes()


def refused_pictures() -> dict[str, bytes]:
    table = cv2.imread(str(BOARDS / "nine_mens_morris.jpg"))
    assert table is not None
    wood = np.random.default_rng(2).normal(150, 12, (360, 480, 1)) + (20, 0, -20)
    return {
        "sight.few_pixels": as_jpeg(np.full((1, 1, 3), 200, np.uint8)),
        "sight.even": as_jpeg(np.full((1080, 1920, 3), 128, np.uint8)),
        "sight.dark": as_jpeg(np.zeros((360, 480, 3), np.uint8)),
        "sight.show_whole": as_jpeg(cv2.GaussianBlur(wood, (0, 0), 1.2).clip(0, 255).astype(np.uint8)),
        "sight.outside": as_jpeg(table[:, : table.shape[1] * 45 // 100]),
        "upload.unreadable": b"no picture",
    }


@pytest.mark.parametrize("key", refused_pictures())
def test_what_cannot_be_read_is_refused_in_the_sentence_of_a_check_of_the_board(app: Flask, key: str) -> None:
    picture = refused_pictures()[key]
    is_searched = key in ("sight.show_whole", "sight.outside")  # which takes seconds: once is enough
    for language in ("de",) if is_searched else LANGUAGES:
        answer = sent(app, picture, language=language)
        assert answer.status_code == 422
        said = answer.get_json()["error"]["text"]
        assert said.startswith(catalogue(language, "errors")[key].split("{")[0])
        if key == "sight.outside":  # a check finds what there is of the board, and says what is missing
            continue
        check = checked(app, picture, language=language)
        told = check.get_json()
        assert said == (told["summary"] if check.status_code == 200 else told["error"]["text"])


def test_stones_are_read_and_what_is_in_hand_and_whose_turn_it_is_are_guessed(app: Flask) -> None:
    number = sent(app, TABLE.read_bytes()).get_json()["number"]
    assert '"stones": {"a1": [1]' in app.test_client().get(f"/positions/{number}", base_url=LOCAL).text
    stones = {name: [player] for name, player in SEEN.items()}
    told = weighed(app, number, stones=stones).get_json()
    position = parse_fen(told["fen"], find_variant(GAME))
    shown = dict(zip(position.board.points, position.tops, strict=True))
    assert {name: top for name, top in shown.items() if top} == SEEN
    assert (told["hands"], told["to_move"], told["mills"]) == ([0, 0], 1, [["e5", "e4", "e3"]])
    told = weighed(app, number, stones=stones, hands=[3, 2], to_move=2).get_json()
    assert (told["hands"], told["to_move"]) == ([3, 2], 2)
    over = weighed(app, number, stones={"a1": [1], "a4": [2]}, hands=[0, 0])
    assert over.get_json()["error"]["text"] == catalogue("en", "errors")["position.over"]
    many = weighed(app, number, stones=stones, hands=[4, 3])
    assert "10 stones of player 1 are too many" in many.get_json()["error"]["text"]


@pytest.mark.parametrize(
    "board",
    [
        *("moulin_rouge", "roman_mill", "trialectic"),
        *(pytest.param(board, marks=pytest.mark.slow) for board in ("nine_mens_morris", "tic_tac_toe")),
    ],
)
def test_every_board_is_recognised_and_offers_the_games_that_are_played_on_it(app: Flask, board: str) -> None:
    asked = "six_mens_morris"
    number = sent(app, (BOARDS / f"{board}.jpg").read_bytes(), asked).get_json()["number"]
    client = app.test_client()
    page = client.get(f"/positions/{number}", base_url=LOCAL).text
    games = variants_on(find_variant(board).board)
    assert "This board does not look like Six men’s morris" in page
    assert all(f'<option value="{game}"' in page for game in games)
    for game in games:
        told = weighed(app, number, game=game, stones={})
        assert told.status_code == 200 or "over" in told.get_json()["error"]["text"], told.data
        assert client.get(f"/positions/{number}?game={game}", base_url=LOCAL).status_code == 200
    assert client.get(f"/positions/{number}?game={asked}", base_url=LOCAL).status_code == 404


def test_a_game_from_a_position_is_taken_up_and_exported_with_it(journal: Journal) -> None:
    table = LiveTable(journal)
    table.open("hand", GAME, {})
    table.new_game(GAME, {}, "hand", laid=LAID)
    snapshot = table.publisher.snapshot
    assert (snapshot.game.hands, snapshot.game.to_move) == ((3, 3), 1)
    assert table.publisher.colours == (*LAID["colours"],)
    for wrong in ({**LAID, "fen": "nothing"}, {**LAID, "fen": "O@******/********/******** w m s 1 0 1 0"}):
        with pytest.raises(MillchenError):
            table.new_game(GAME, {}, "hand", laid=wrong)
    number = table.publisher.snapshot.game.id
    assert number == snapshot.game.id
    table.close()
    again = LiveTable(journal)
    again.open("hand", "tic_tac_toe", {})
    shown = again.publisher.snapshot
    assert (shown.game.id, shown.game.stones, again.publisher.colours) == (number, (6, 6), (*LAID["colours"],))
    again.close()
    with JournalReader(journal.path) as archive:
        history = game_history(archive.replay(number), "en")
    assert f'[FEN "{LAID["fen"].split(" 6 ")[0]}' in page_free_writers()["pgn"](history)


def test_a_phone_of_a_referee_may_show_a_photograph_and_no_film(shell: AppContext) -> None:
    phone = create_app(shell, trusted_hosts=["127.0.0.1"], role_of=lambda _: REFEREE, in_network=True)
    page = phone.test_client().get("/", base_url=LOCAL).text
    assert 'id="film-file" accept="image/*"' in page and "A photograph of a board" in page
    assert sent(phone, TABLE.read_bytes()).status_code == 200


def test_one_photograph_is_put_right_and_played_on(served: Serve, visit: Visit, tmp_path: Path) -> None:
    at = served()
    page = visit(at)
    cv2.imwrite(str(tmp_path / "cut.png"), cv2.imread(str(TABLE))[116:])  # a7 is out of sight
    page.click("#choose")
    page.click("[data-step=source]")  # the first of five taps
    page.set_input_files("#film-file", tmp_path / "cut.png")  # the second is on "Pick"
    page.wait_for_url("**/positions/*")
    expect(page.locator("#position-doubt")).to_have_text("Please look: I am not sure of a7.")
    expect(page.locator("#position-movers [aria-pressed=true]")).to_have_text("Blue")
    page.get_by_role("button", name="a7: free").click()
    page.locator("#set-right [data-top='1']").click()
    expect(page.locator("#position-doubt")).to_be_hidden()
    page.click("#position-play")
    page.wait_for_url(at.address)
    expect(page.locator(".player.active .who")).to_have_text("Blue’s turn")
    game = at.table.publisher.snapshot.game
    assert (game.stones, game.hands, game.ply) == ((7, 6), (0, 0), 0)
    page.get_by_role("button", name="b6: Blue").click()
    page.get_by_role("button", name="d6: free").click()
    expect(page.locator(".player.active .who")).to_have_text("Yellow’s turn")
    page.get_by_role("button", name="e5: Yellow").click()
    page.get_by_role("button", name="g7: free").click()
    expect(page.locator("#foul")).to_be_visible()
    assert at.table.publisher.snapshot.game.foul.kind == "not_adjacent"


def test_people_show_the_corners_of_a_board_that_is_not_found(served: Serve, visit: Visit, tmp_path: Path) -> None:
    """Stones lie on a cloth whose lines nobody sees: four taps say where the board is, and it is read there."""
    at = served()
    page, corners = visit(at), ((300, 100), (1100, 140), (1050, 860), (260, 800))
    cloth = np.random.default_rng(1).normal(170, 2, (960, 1280, 3))
    cloth = cv2.GaussianBlur(cloth.clip(0, 255).astype(np.uint8), (0, 0), 1)
    stones = dict(zip(("a7", "g7", "g1", "a1"), corners, strict=True))
    for place, colour in zip(corners, ((40, 40, 150), (30, 30, 30)) * 2, strict=True):
        cv2.circle(cloth, place, 40, colour, -1, cv2.LINE_AA)
    cv2.imwrite(str(tmp_path / "cloth.png"), cloth)
    page.click("#choose")
    page.click("[data-step=source]")
    page.set_input_files("#film-file", tmp_path / "cloth.png")
    page.get_by_role("button", name=words("en")["show_corners"]).click()
    overlay = page.locator("#corner-dialog .overlay")
    expect(overlay).to_be_visible()
    box = overlay.bounding_box()
    assert box is not None
    scale = min(box["width"] / 1280, box["height"] / 960)
    left, top = (box["width"] - 1280 * scale) / 2, (box["height"] - 960 * scale) / 2
    for x, y in corners:
        page.mouse.click(box["x"] + left + x * scale, box["y"] + top + y * scale)
    page.click("#corner-dialog [value=yes]")
    page.wait_for_url("**/positions/*")
    for name in stones:
        expect(page.get_by_role("button", name=re.compile(f"^{name}: (?!free)"))).to_be_visible()
    lying = json.loads(page.locator("#position").inner_text())["stones"]
    assert lying == {"a7": [1], "g7": [2], "g1": [1], "a1": [2]}
