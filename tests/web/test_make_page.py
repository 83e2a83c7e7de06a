"""Whoever makes a board: templates, paints and sizes, the steps of each way, and the check of the finished board."""

import io
import re
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from calibration.making.making_steps import WAYS, steps_for, ways_for
from calibration.step_texts import phrase
from languages import LANGUAGES, catalogue
from referee.presets import PRESETS
from tests.web.browsing import Page, Serve, Visit, expect
from tests.web.conftest import LOCAL
from tests.web.test_position_page import checked


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_a_page_on_which_its_board_is_made(app: Flask, language: str) -> None:
    for game in PRESETS:
        answer = app.test_client().get(f"/make?game={game}", base_url=LOCAL, headers={"Accept-Language": language})
        page = answer.get_data(as_text=True)
        assert answer.status_code == 200
        assert f"<h1>{catalogue(language, 'making')['make.title']}</h1>" in page
        assert f'<option value="{game}" selected>' in page and "<svg" in page
        assert f'href="/make/steps/{game}?way=' in page and f'href="/story/{game}"' in page


def test_the_template_comes_as_pdf_and_its_sheets_as_svg(client: FlaskClient) -> None:
    asked = "game=six_mens_morris&size=50&paper=a3&line=3&marks=0"
    told = client.get(f"/api/make/template?{asked}", base_url=LOCAL).get_json()
    assert told["sheets"] == "4 sheets of A3" and told["preview"].startswith("<svg")
    pdf = client.get(f"/make/template.pdf?{asked}", base_url=LOCAL)
    assert pdf.data.startswith(b"%PDF") and pdf.data.count(b"/Type /Page ") == 4
    assert 'filename="millchen-six_mens_morris.pdf"' in pdf.headers["Content-Disposition"]
    packed = zipfile.ZipFile(io.BytesIO(client.get(f"/make/template.zip?{asked}", base_url=LOCAL).data))
    assert len(packed.namelist()) == 4
    assert all(packed.read(name).startswith(b"<svg") for name in packed.namelist())


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("game=chess", 404), ("game=achi&size=1e9", 422), ("game=achi&size=nan", 422), ("game=achi&size=x", 400),
        ("game=achi&line=-1", 422), ("game=achi&paper=a0", 422), ("game=achi&drawing=holes", 422),
        ("game=achi&holes=8", 422), ("game=moulin_rouge&holes=8.5", 400), ("game=moulin_rouge&holes=1000000", 422),
        ("", 404),
    ],
)  # fmt: skip
def test_what_cannot_be_printed_is_said_in_the_language_of_the_page(app: Flask, asked: str, status: int) -> None:
    for way in ("api/make/template", "make/template.pdf", "make/template.zip"):
        answer = app.test_client().get(f"/{way}?{asked}", base_url=LOCAL, headers={"Accept-Language": "de"})
        assert answer.status_code == status, (way, answer.data[:200])


def test_the_preview_follows_the_sliders_and_another_game_has_its_own(served: Serve, visit: Visit) -> None:
    page = visit(served("d6"), "make", width=390)
    expect(page.locator("#game")).to_have_value("nine_mens_morris")
    expect(page.locator("#n-sheets")).to_have_text("2 sheets of A4")
    before = page.locator("#preview").inner_html()
    page.locator("[name=size]").fill("60")
    expect(page.locator("#n-sheets")).not_to_have_text("2 sheets of A4")
    expect(page.locator("label:has([name=size]) output")).to_have_text("60 cm")
    assert page.locator("#preview").inner_html() != before
    expect(page.locator("label:has([name=line]) output")).to_have_text("9.6 mm")  # nobody has chosen another
    page.locator("[name=size]").fill("8")
    expect(page.locator("label:has([name=marks]) output")).to_have_text("3.2 mm")
    page.locator("#template [name=line]").fill("3")
    expect(page.locator("label:has([name=line]) output")).to_have_text("3 mm")
    page.locator("[name=size]").fill("40")
    expect(page.locator("#n-sheets")).to_have_text("6 sheets of A4")
    expect(page.locator("#template [name=line]")).to_have_value("3")
    expect(page.locator(".ways-to-make a").first).to_have_attribute("href", re.compile("size=40"))
    expect(page.locator("#template-error")).to_be_hidden()
    page.locator("#game").select_option("moulin_rouge")
    expect(page.locator("[name=holes]")).to_have_value("8")
    with page.expect_download() as coming:
        page.locator("#template .strong").click()
    assert coming.value.suggested_filename == "millchen-moulin_rouge.pdf"


MOST_STONES = "trialectic"


def sheets(page: Page) -> int:
    """How many sheets a page takes when it is printed."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, print_background=True)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_is_told_in_each_of_its_ways(client: FlaskClient, language: str) -> None:
    for game in ("tic_tac_toe", "moulin_rouge", MOST_STONES):
        variant = PRESETS[game].variant
        for way in ways_for(variant):
            path = f"/make/steps/{game}?way={way}"
            answer = client.get(path, base_url=LOCAL, headers={"Accept-Language": language})
            text, told = answer.get_data(as_text=True), steps_for(way, variant, language)
            assert answer.status_code == 200
            assert text.count('class="step-drawing"') == len(told.steps)
            assert f'href="/make/steps/{game}?way={way}" aria-current="page"' in text
            assert phrase("step.needs", language) in text


def test_it_is_printed_on_one_sheet(served: Serve, visit: Visit) -> None:
    page = visit(served("d6"), f"make/steps/{MOST_STONES}", width=390, language="de-DE")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.click("#print")
    assert page.evaluate("window.printed")
    assert sheets(page) == 1
    page.get_by_role("link", name=phrase("step.way.paper", "de")).click()
    expect(page.locator(".making-steps li")).to_have_count(len(WAYS["paper"]["steps"]))
    assert sheets(page) == 1
    page.evaluate("document.querySelector('.making-steps').after(document.querySelector('.making-steps').cloneNode(1))")
    assert sheets(page) == 2  # this can fail


TABLES = Path(__file__).parents[1] / "data" / "locate"
GOOD, FAR = TABLES / "tic_tac_toe.jpg", TABLES / "nine_mens_morris.jpg"  # the stones of the second are small


@pytest.mark.film
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


@pytest.mark.film
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
