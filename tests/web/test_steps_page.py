"""The page of the steps: every game in every way, and all of it on one sheet of paper."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from calibration.making.making_steps import WAYS, steps_for, ways_for
from calibration.step_texts import phrase
from languages import LANGUAGES
from referee.presets import PRESETS
from tests.web.browsing import Page, Serve, Visit, expect
from tests.web.conftest import LOCAL

LOCALES = {"lb": "lb-LU", "de": "de-DE", "fr": "fr-FR", "en": "en-GB"}
MOST_STONES = "trialectic"


def sheets(page: Page) -> int:
    """How many sheets a page takes when it is printed."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, print_background=True)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_is_told_in_each_of_its_ways(app: Flask, language: str) -> None:
    client = app.test_client()
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


def test_without_a_way_the_first_one_is_shown_and_unknown_ones_are_not_there(app: Flask) -> None:
    client = app.test_client()
    first = client.get("/make/steps/millchen", base_url=LOCAL).get_data(as_text=True)
    assert '?way=cloth_wool" aria-current="page"' in first
    for path in ("/make/steps/chess", "/make/steps/millchen?way=card_discs", "/make/steps/millchen?way="):
        assert client.get(path, base_url=LOCAL).status_code == 404


def test_size_and_holes_that_were_chosen_are_told_and_kept(app: Flask) -> None:
    client = app.test_client()
    page = client.get("/make/steps/moulin_rouge?holes=12&size=40", base_url=LOCAL).get_data(as_text=True)
    assert "30° apart" in page and "discs of 40 / " in page
    assert 'href="/make/steps/moulin_rouge?way=card_discs&amp;size=40&amp;holes=12"' in page
    for wrong in ("size=1e9", "size=nan", "holes=8.5", "holes=1000000", "size=x", "players=7", "players=x"):
        assert client.get(f"/make/steps/moulin_rouge?{wrong}", base_url=LOCAL).status_code == 400


@pytest.mark.parametrize("players", range(2, 7))
def test_turning_discs_are_made_for_as_many_as_play(app: Flask, players: int) -> None:
    client, heaps = app.test_client(), " + ".join(["10"] * players)
    page = client.get(f"/make/steps/moulin_rouge?players={players}", base_url=LOCAL).get_data(as_text=True)
    assert f"{10 * players} pebbles ({heaps})" in page and f"Draw {4 * players} places" in page
    assert f'href="/make?game=moulin_rouge&amp;players={players}"' in page
    assert f'src="/boards/moulin_rouge.svg?holes={4 * players}"' in page
    picture = client.get(f"/boards/moulin_rouge.svg?holes={4 * players}", base_url=LOCAL).get_data(as_text=True)
    assert picture.count('class="hollow"') == 12 * players
    page = client.get(f"/make?game=moulin_rouge&players={players}", base_url=LOCAL).get_data(as_text=True)
    assert f'steps/moulin_rouge?way=card_discs&amp;players={players}"' in page and f'value="{4 * players}"' in page
    assert page.count('type="color" name="paint') == players
    assert 'name="players"' not in client.get("/make?game=achi&players=3", base_url=LOCAL).get_data(as_text=True)


def test_it_is_printed_on_one_sheet(served: Serve, visit: Visit) -> None:
    page = visit(served("d6"), f"make/steps/{MOST_STONES}", width=390, language="de-DE")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.click("#print")
    assert page.evaluate("window.printed")
    assert sheets(page) == 1
    page.get_by_role("link", name=phrase("step.way.paper", "de")).click()
    expect(page.locator(".making-steps li")).to_have_count(len(WAYS["paper"].steps))
    assert sheets(page) == 1
    page.evaluate("document.querySelector('.making-steps').after(document.querySelector('.making-steps').cloneNode(1))")
    assert sheets(page) == 2  # this can fail


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_in_every_way_is_printed_on_one_sheet(served: Serve, visit: Visit, language: str) -> None:
    at = served("d6")
    page = visit(at, language=LOCALES[language])
    taken = {}
    for game, preset in PRESETS.items():
        for way in ways_for(preset.variant):
            page.goto(f"{at.address}make/steps/{game}?way={way}")
            taken[game, way] = sheets(page)
    print(f"{language}: {len(taken)} pages of steps, on one sheet each: {sum(n == 1 for n in taken.values())}")
    assert set(taken.values()) == {1}
