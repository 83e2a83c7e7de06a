"""Every language says everything that English says, with the same places to fill."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from languages import ABOUT_LANGUAGES, DEFAULT_LANGUAGE, LANGUAGES, catalogue, grammar
from tests.languages.shipped import SHIPPED_LANGUAGES

ROOT = Path(__file__).parents[2] / "languages"
PARTS = ("referee", "rules", "page", "setup", "making", "partner", "search", "story", "lessons", "errors")
OTHERS = [language for language in LANGUAGES if language != DEFAULT_LANGUAGE]
SAME_AS_IN_ENGLISH = {
    "referee": {"phrases.of", "phrases.asked_end", "colours.orange.0", "colours.orange.1", "winds.c"}
    | {"numbers.6"}
    | {f"wind_letters.{name}" for name in ("n", "e", "s", "w", "ne", "se", "sw", "nw", "c")},
    "page": {"club.tables", "club.table", "club.points", "seconds", "sheet.date", "clock.minutes", "source.demo"}
    | {"source.demo.help", "partner.name", "label", "settings.megabytes"}
    | {f"game.{name}" for name in ("tic_tac_toe", "millchen", "morabaraba", "moulin_rouge", "trialectic", "achi")}
    | {f"game.{name}" for name in ("dooz", "nerenchi", "picaria", "shax", "tant_fant", "tapatan")},
    "setup": {"line"},
    "making": {"paint.colour.orange", "paint.colour.turquoise"},
}
"""Texts that one of the shipped languages has in common with English: names, symbols, and words that are the same."""

MAX_LETTERS_OF_A_WORD = 12
"""A language that is not listed in ``SHIPPED_LANGUAGES`` may share any text with English that is no longer than this:
"Start" and "Morabaraba", but no sentence."""

SAY_LESS = {("referee", "phrases.board_lost")}
"""Texts that leave a place out in some languages."""


def texts(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a file with the way to it."""
    if isinstance(data, str):
        yield path, data
    else:
        inside = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in inside:
            yield from texts(value, f"{path}.{key}" if path else str(key))


def of(language: str, part: str) -> dict[str, str]:
    return dict(texts(dict(catalogue(language, part))))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_with_the_same_places_to_fill(language: str, part: str) -> None:
    english, said = of("en", part), of(language, part)
    assert set(said) == set(english)
    for key, text in said.items():
        assert text.strip() == text != "", key
        places, wanted = (sorted(re.findall(r"{[^{}]*}", each)) for each in (text, english[key]))
        assert places == wanted or (part, key) in SAY_LESS, key


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", OTHERS)
def test_nothing_was_left_in_english(language: str, part: str) -> None:
    english, said = of("en", part), of(language, part)
    left = sorted({key for key, text in said.items() if text == english.get(key)} - SAME_AS_IN_ENGLISH.get(part, set()))
    if language not in SHIPPED_LANGUAGES:
        bare = {key: re.sub(r"{[^{}]*}", "", said[key]) for key in left}
        left = [key for key in left if sum(map(str.isalpha, bare[key])) > MAX_LETTERS_OF_A_WORD]
    if left and ABOUT_LANGUAGES[language].get("complete") is False:
        pytest.xfail(f"{language}/{part}.json is still in work, in English are: {', '.join(left)}")
    assert not left, f"{language}/{part}.json is still in English at: {', '.join(left)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_of_itself_what_pages_and_voices_need(language: str) -> None:
    about = ABOUT_LANGUAGES[language]
    assert set(about) - {"complete", "grammar"} == {"name", "order", "voice", "locales"}
    assert about.get("complete", False) is False  # said only while it is not
    assert "complete" not in about or language not in SHIPPED_LANGUAGES
    assert LANGUAGES[language] == about["name"]
    assert about["locales"][0].split("-")[0] == language
    known = {f"{part}.json" for part in (*PARTS, "language")}
    assert {path.name for path in (ROOT / language).iterdir()} <= known


def test_the_menu_has_an_order() -> None:
    assert [language for language in LANGUAGES if language in SHIPPED_LANGUAGES] == list(SHIPPED_LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grammar_leaves_no_mark_in_a_finished_sentence(language: str) -> None:
    marks = set(re.findall(r"\(\w\)", json.dumps(dict(catalogue(language, "referee")), ensure_ascii=False)))
    joined = grammar(language)(" ".join(f"d{mark} x" for mark in sorted(marks)))
    assert "(" not in joined


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match=f"language must be one of {', '.join(LANGUAGES)}, got 'tlh'"):
        catalogue("tlh", "page")
