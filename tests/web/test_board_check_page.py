"""The check of a finished board on the page: a photograph goes in, sentences, a picture and a sheet come out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask

from languages import catalogue
from tests.calibration.faulty_boards import DrawnBoard, draw_board
from tests.web.browsing import Page, Served, expect
from vision.imaging.frame import Image

LOCAL = "http://127.0.0.1:8321"
PNG = "image/png"


def encoded(bgr: Image) -> bytes:
    return cv2.imencode(".png", bgr)[1].tobytes()


@pytest.fixture(scope="module")
def drawn() -> DrawnBoard:
    return draw_board(251003, "missing_link", name="seven_mens_morris", size_px=(640, 480))


def test_a_photograph_that_was_sent_is_checked_and_its_picture_and_sheet_are_kept(
    app: Flask, drawn: DrawnBoard
) -> None:
    client, german = app.test_client(), {"Accept-Language": "de"}
    told = client.post(
        "/api/make/check?game=seven_mens_morris",
        data=encoded(drawn.bgr),
        base_url=LOCAL,
        headers=german,
        content_type=PNG,
    ).get_json()
    (line,) = told["lines"]
    assert told["grade"] == "fair" and line["grade"] == "poor"
    assert line["text"].startswith("A: ") and all(name in line["text"] for name in drawn.names)
    assert catalogue("de", "making")["check.faults.one"] in told["summary"]
    painted = client.get(f"/make/checked/{told['number']}.jpg", base_url=LOCAL)
    seen = cv2.imdecode(np.frombuffer(painted.data, np.uint8), cv2.IMREAD_COLOR)
    assert seen is not None and seen.shape == (675, 900, 3)
    sheet = client.get(f"/make/checked/{told['number']}.html", base_url=LOCAL, headers=german)
    assert "attachment" in sheet.headers["Content-Disposition"]
    assert catalogue("de", "making")["check.title"] in sheet.get_data(as_text=True)
    assert client.get("/make/checked/99999.jpg", base_url=LOCAL).status_code == 404


def test_what_shows_no_board_is_said_and_an_unknown_game_is_refused(app: Flask) -> None:
    client, bare = app.test_client(), encoded(np.full((240, 320, 3), 120, np.uint8))
    answer = client.post("/api/make/check?game=seven_mens_morris", data=bare, base_url=LOCAL, content_type=PNG)
    assert answer.status_code == 422, answer.data
    assert "playing field" in answer.get_data(as_text=True)
    for asked, data, status in (("chess", bare, 404), ("achi", b"no picture", 422)):
        answer = client.post(f"/api/make/check?game={asked}", data=data, base_url=LOCAL, content_type=PNG)
        assert answer.status_code == status, answer.data


def test_a_photograph_is_chosen_and_what_was_found_is_shown(
    served: Callable[..., Served], visit: Callable[..., Page], drawn: DrawnBoard, tmp_path: Path
) -> None:
    photo = tmp_path / "board.png"
    photo.write_bytes(encoded(drawn.bgr))
    page = visit(served("d6"), "make?game=seven_mens_morris", width=390)
    expect(page.locator("#game")).to_have_value("seven_mens_morris")
    page.locator("#board-photo").set_input_files(str(photo))
    expect(page.locator("#check-lines li")).to_have_count(1, timeout=60_000)
    for name in drawn.names:
        expect(page.locator("#check-lines")).to_contain_text(name)
    expect(page.locator("#check-summary")).to_have_attribute("data-grade", "fair")
    expect(page.locator("#checked-picture")).to_be_visible()
    assert page.locator("#checked-picture").evaluate("it => it.decode().then(() => it.naturalWidth)") == 900
