"""What goes wrong is said in the language of the page; every word and error that is used is there, and none else."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from languages import DEFAULT_LANGUAGE, LANGUAGES, catalogue
from vision.detection.refusal import MISSING_SHARES
from web.colour_names import colour_name
from web.page_words import words
from web.table.offered_games import OFFERED_GAMES

ROOT = Path(__file__).parents[2]
PACKAGES = ("web", "calibration", "vision", "referee")


SIDES = ("upper", "lower", "left", "right")
FAMILIES = {
    "place.": {f"{one}_part" for one in SIDES} | {f"{one}_{other}_part" for one in SIDES[:2] for other in SIDES[2:]},
    "cut.": {f"{kind}.{side}" for kind in ("side", "way") for side in SIDES}
    | {f"share.{share}" for share in MISSING_SHARES},
    "journal.": {"games", "evenings"},
    "lens.": {"wrong", "blurred"},
    "camera.": {"shakes", "flickers", "noisy", "frozen"},
    "picture.": {"folder", "missing", "device"},
}
"""Keys that are put together or handed on while the program runs; all others stand in the sources letter by letter."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call in a file with the name of what is called."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


@cache
def asked() -> tuple[tuple[str, frozenset[str | None]], ...]:
    """Every key of an error in the sources, with the names of what fills its places."""
    found: list[tuple[str, frozenset[str | None]]] = []
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        for name, call in calls(path):
            if name == "refuse_outside" and isinstance(call.args[0], ast.Constant):
                found.append((str(call.args[0].value), frozenset({"low", "high", "got"})))
            if name in ("message", "Refused") and call.args:
                first = call.args[0]
                keys = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
                filled = frozenset(keyword.arg for keyword in call.keywords)
                found += [(str(key.value), filled) for key in keys if isinstance(key, ast.Constant)]
    return tuple(found)


def test_every_key_is_there_and_none_is_unused() -> None:
    used = {key for key, _ in asked()} | {family + name for family, names in FAMILIES.items() for name in names}
    assert used == set(catalogue(DEFAULT_LANGUAGE, "errors"))


def test_every_place_of_a_sentence_is_filled() -> None:
    english = catalogue(DEFAULT_LANGUAGE, "errors")
    for key, filled in asked():
        assert filled == set(re.findall(r"{(\w+)", english[key])), key


def test_a_refused_command_answers_in_the_language_of_the_page(app: Flask) -> None:
    caller = app.test_client()
    for language, says in (("de", "das habe ich schon auf d6"), ("en", "that is what I have on d6 already")):
        answer = caller.post(
            "/api/correct",
            json={"point": "d6", "top": 1, "seen": {"game": 1, "seq": 9}},
            headers={"Accept-Language": language},
        )
        assert (answer.status_code, answer.get_json()["error"]["text"]) == (422, says)


MEDIA = ("camera", "film", "photographs", "hand", "lesson")
"""What a key may end in, to fit that; the key without it is the text for all others."""

PAGE_SOURCES = [path for form in ("static/**/*.js", "templates/*", "**/*.py") for path in (ROOT / "web").glob(form)]


@cache
def in_sources(form: str) -> frozenset[Any]:
    """Whatever has this form in the scripts, templates and modules of the page."""
    return frozenset(found for path in PAGE_SOURCES for found in re.findall(form, path.read_text(encoding="utf-8")))


def test_no_key_is_missing_and_none_is_unused() -> None:
    """A key stands in the sources letter by letter, or the beginning of one that is put together while they run."""
    have = set(catalogue("en", "page"))
    elsewhere = {*catalogue("en", "setup"), *catalogue("en", "making")}  # on their pages, in the same way
    asked_for = in_sources(
        r"""\b(?:fitting[wW]ords|words|hasWords)\(\s*"([a-z_.0-9]+[a-z0-9])"|words(?:\([\w.]+\))?\["([a-z_.0-9]+)"\]"""
    )
    assert {key for pair in asked_for for key in pair if key} - have - elsewhere - set(words("en")) == set()
    whole = in_sources(r"""["'`]([a-z_]+(?:\.[a-z_0-9]+)*)["'`]""")
    begun = tuple(in_sources(r"""["'`]([a-z_]+(?:\.[a-z_0-9]+)*\.)["'`]?(?:\$?\{| ?\+|\s*~)"""))
    fitting = {key for key in have if key.rpartition(".")[2] in MEDIA and key.rpartition(".")[0] in whole}
    assert {key for key in have - fitting if key not in whole and not key.startswith(begun)} == set()


def test_every_colour_and_game_has_a_name() -> None:
    for language in LANGUAGES:
        assert all(f"colour.{name}" in words(language) for name in catalogue("en", "referee")["colours"])
        assert all(f"game.{game.name}" in words(language) for game in OFFERED_GAMES)


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ("#b3191f", "red"), ("#1d4fa8", "blue"), ("#e3b31c", "yellow"), ("#e9e6dd", "white"), ("#1c1c1e", "black"),
        ("#2a7d3c", "green"), ("#8b8880", "grey"), ("#9a8f7e", "grey"), ("#6d655c", "grey"), ("#6b1010", "red"),
    ],
)  # fmt: skip
def test_stones_are_called_by_the_colour_that_people_see(colour: str, name: str) -> None:
    assert colour_name(colour) == name
    assert name in catalogue("en", "referee")["colours"]
