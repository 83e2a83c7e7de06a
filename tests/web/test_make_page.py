"""Whoever makes a board: the page shows a template, judges paints and sizes, and checks the finished board."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from flask import Flask

from languages import LANGUAGES, catalogue
from referee.presets import PRESETS
from tests.web.browsing import Page, Served, expect

LOCAL = "http://127.0.0.1:8321"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_every_game_has_a_page_on_which_its_board_is_made(app: Flask, game: str, language: str) -> None:
    answer = app.test_client().get(f"/make?game={game}", base_url=LOCAL, headers={"Accept-Language": language})
    page = answer.get_data(as_text=True)
    assert answer.status_code == 200
    assert f"<h1>{catalogue(language, 'making')['make.title']}</h1>" in page
    assert f'<option value="{game}" selected>' in page and "<svg" in page
    assert f'href="/make/steps/{game}?way=' in page and f'href="/story/{game}"' in page


def test_the_template_comes_as_pdf_and_its_sheets_as_svg(app: Flask) -> None:
    client, asked = app.test_client(), "game=six_mens_morris&size=50&paper=a3&line=3&marks=0"
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
        ("game=chess", 404),
        ("game=achi&size=1e9", 422),
        ("game=achi&size=nan", 422),
        ("game=achi&size=x", 400),
        ("game=achi&line=-1", 422),
        ("game=achi&paper=a0", 422),
        ("game=achi&drawing=holes", 422),
        ("game=achi&holes=8", 422),
        ("game=moulin_rouge&holes=8.5", 400),
        ("game=moulin_rouge&holes=1000000", 422),
        ("", 404),
    ],
)
def test_what_cannot_be_printed_is_said_in_the_language_of_the_page(app: Flask, asked: str, status: int) -> None:
    for way in ("api/make/template", "make/template.pdf", "make/template.zip"):
        answer = app.test_client().get(f"/{way}?{asked}", base_url=LOCAL, headers={"Accept-Language": "de"})
        assert answer.status_code == status, (way, answer.data[:200])


def test_the_preview_follows_the_sliders_and_another_game_has_its_own(
    served: Callable[..., Served], visit: Callable[..., Page]
) -> None:
    page = visit(served("d6"), "make", width=390)
    expect(page.locator("#game")).to_have_value("nine_mens_morris")
    expect(page.locator("#n-sheets")).to_have_text("2 sheets of A4")
    before = page.locator("#preview").inner_html()
    page.locator("[name=size]").fill("60")
    expect(page.locator("#n-sheets")).not_to_have_text("2 sheets of A4")
    expect(page.locator("label:has([name=size]) output")).to_have_text("60 cm")
    assert page.locator("#preview").inner_html() != before
    page.locator("#template [name=line]").fill("20")
    page.locator("[name=size]").fill("8")
    expect(page.locator("#template-error")).to_be_visible()
    page.locator("#game").select_option("moulin_rouge")
    expect(page.locator("[name=holes]")).to_have_value("8")
    with page.expect_download() as coming:
        page.locator("#template .strong").click()
    assert coming.value.suggested_filename == "millchen-moulin_rouge.pdf"
