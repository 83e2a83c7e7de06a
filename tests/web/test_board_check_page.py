"""Whoever shows a finished board gets it back with its points and faults, and a sheet to keep."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask

from languages import catalogue
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import LOCAL
from tests.web.test_position_page import checked

pytestmark = pytest.mark.film

TABLES = Path(__file__).parents[1] / "data" / "locate"
GOOD, FAR = TABLES / "tic_tac_toe.jpg", TABLES / "nine_mens_morris.jpg"  # the stones of the second are small


def test_a_good_board_is_called_good_and_a_fault_is_named_in_the_language_of_the_page(app: Flask) -> None:
    good = checked(app, GOOD.read_bytes(), "tic_tac_toe").get_json()
    assert good["grade"] == "good" and good["lines"] == []
    told = checked(app, FAR.read_bytes(), "nine_mens_morris", "de").get_json()
    assert told["grade"] == "fair"
    assert told["lines"][-1]["text"].endswith(catalogue("de", "making")["check.too_small.advice"])
    client = app.test_client()
    picture = client.get(f"/make/checked/{told['number']}.jpg", base_url=LOCAL)
    drawn = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)
    assert drawn is not None and max(drawn.shape) >= 900
    sheet = client.get(f"/make/checked/{told['number']}.html", base_url=LOCAL)
    assert "attachment" in sheet.headers["Content-Disposition"]
    assert "<svg" in sheet.text or "data:image/jpeg" in sheet.text
    assert "http" not in sheet.text.replace("data:image", "")


def test_what_shows_no_board_is_refused_with_a_reason(app: Flask) -> None:
    grey = cv2.imencode(".jpg", np.full((360, 480, 3), 128, np.uint8))[1].tobytes()
    told = checked(app, grey, "millchen", "fr").get_json()
    assert told["grade"] == "poor" and told["summary"]
    assert [line["text"] for line in told["lines"]] == [catalogue("fr", "making")["check.not_found.advice"]]
    for data, status in ((b"no picture", 422), (b"", 422), (b"x" * 5_000_000, 413)):
        answer = checked(app, data, "millchen", "fr")
        assert answer.status_code == status, answer.data[:100]
        assert answer.get_json()["error"]["text"]
    assert checked(app, GOOD.read_bytes(), "chess").status_code == 404


def test_a_photograph_is_checked_on_the_page(served: Serve, visit: Visit) -> None:
    page = visit(served("d6"), "make?game=nine_mens_morris", width=390)
    page.locator("#board-photo").set_input_files(FAR)
    expect(page.locator("#check-summary")).to_contain_text("24 points are found")
    expect(page.locator("#check-lines li")).to_have_count(1)
    expect(page.locator("#checked-picture[src]")).to_be_visible()
    # decode() waits for the picture; a wait by a string would be an eval, which the page refuses
    width = page.locator("#checked-picture").evaluate("async picture => (await picture.decode(), picture.naturalWidth)")
    assert width >= 900
    with page.expect_download() as coming:
        page.locator("#check-sheet").click()
    assert coming.value.suggested_filename == "millchen-board.html"
    page.locator("#board-photo").set_input_files({"name": "x.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"})
    expect(page.locator("#check-error")).to_contain_text("JPEG")
    expect(page.locator("#checked")).to_be_hidden()
    page.locator("#check-camera").click()
    expect(page.locator("#check-summary")).to_have_attribute("data-grade", "poor")  # this table's camera sees no board
    expect(page.locator("#check-sheet")).to_be_hidden()
