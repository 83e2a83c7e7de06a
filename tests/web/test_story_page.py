"""Where each game comes from: a story in every language, its sources named, and the way to it from the rules."""

import pytest
from flask import Flask
from markupsafe import escape

from languages import LANGUAGES, catalogue
from referee.explain import rules_text
from referee.presets import PRESETS, find_variant
from tests.web.browsing import Stage, expect
from tests.web.conftest import LOCAL
from web.page_words import words
from web.views.story_pages import HELP_PARTS, STORIES


def test_every_story_names_its_sources_and_no_source_is_left_over() -> None:
    sheets = catalogue("en", "story")["sheets"]
    titles, sources, names = (STORIES[part] for part in ("titles", "sources", "names"))
    assert set(sources) == set(PRESETS) >= set(names)
    assert {source for named in sources.values() for source in named} == set(titles) | set(sheets)
    assert {code for called in names.values() for code in called} == set(catalogue("en", "story")["languages"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_tells_the_story_with_names_sources_and_rules(app: Flask, language: str) -> None:
    client, known = app.test_client(), words(language)
    for game in ("nine_mens_morris", "dooz", "moulin_rouge"):
        answer = client.get(f"/story/{game}", base_url=LOCAL, headers={"Accept-Language": language})
        text = answer.get_data(as_text=True)
        assert answer.status_code == 200
        assert catalogue(language, "story")["told"][game][:40].replace("'", "&#39;") in text
        assert known[f"game.{game}"] in text and known["comes_from.sources"] in text
        assert text.count("<bdi>") == len(STORIES["sources"][game])
        assert f'href="/make?game={game}"' in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_a_table_stand_on_one_sheet_and_help_is_said_in_every_language(app: Flask, language: str) -> None:
    client, known = app.test_client(), words(language)
    asked = {"base_url": LOCAL, "headers": {"Accept-Language": language}}
    sheet = client.get("/rules/millchen?capture=may&fly=both", **asked).get_data(as_text=True)
    for sentence in rules_text(find_variant("millchen", capture="may", fly="both"), language).split("\n")[2:]:
        assert escape(sentence) in sheet
    assert client.get("/rules/millchen?fly=high", **asked).status_code == 422
    assert client.get("/rules/chess", **asked).status_code == 404
    told = client.get("/help", **asked).get_data(as_text=True)
    assert all(escape(line) in told for key in HELP_PARTS for line in known[f"help.{key}.do"].split("\n"))


def test_the_rules_of_the_running_game_are_one_tap_away(stage: Stage) -> None:
    page = stage.begin("millchen", {"capture": "may", "fly": "both"})
    page.get_by_role("link", name="Rules", exact=True).click()
    expect(page.locator("h1").last).to_have_text("Millchen")
    for sentence in rules_text(find_variant("millchen", capture="may", fly="both"), "en").split("\n")[2:]:
        expect(page.locator(".rules-sheet")).to_contain_text(sentence)
    stage.reload()
