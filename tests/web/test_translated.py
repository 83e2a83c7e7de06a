"""What goes wrong is said in the language of the page; no sentence that people can meet is missing, none is unused."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from flask import Flask
from web.i18n.error_texts import in_all, translated

from languages import LANGUAGES

ROOT = Path(__file__).parents[2]
CATALOGUE: dict[str, dict[str, str]] = json.loads((ROOT / "web/static/words/faults.json").read_text(encoding="utf-8"))
MET_ON_THE_PAGE = (
    "web/game/player_commands.py",
    "web/game/hand_corrections.py",
    "web/table/live_table.py",
    "web/table/source_names.py",
    "web/views/player_api.py",
    "web/views/phone_pages.py",
    "web/views/invite_pages.py",
    "web/app.py",
    "web/net/image_upload.py",
    "web/views/event_stream.py",
    "web/game/clock.py",
    "web/setup/setup_session.py",
    "web/setup/camera_process.py",
    "calibration/cameras.py",
    "vision/capture/sources.py",
)
RAISED = {"MillchenError", "SourceError", "Forbidden", "Unauthorized", "TooManyRequests", "ServiceUnavailable"}
OF_PROGRAMS = {
    "commands come from our own page only",
    "frames a second must be over 0 and at most 1000, got {}",
}
"""Mistakes that only a program can make: they stay English."""


def shape(node: ast.expr) -> str | None:
    """A sentence of the sources with ``{}`` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def raised() -> set[str]:
    found = set()
    for file in MET_ON_THE_PAGE:
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                name = getattr(node.exc.func, "id", "")
                sentence = shape(node.exc.args[0]) if name in RAISED else None
                if sentence is not None:
                    found.add(sentence)
    return found


def test_no_sentence_that_people_can_meet_is_missing() -> None:
    assert raised() - set(CATALOGUE) - OF_PROGRAMS == set()


def test_no_sentence_is_unused() -> None:
    written = "".join(
        re.sub(r"\{[^{}]*\}", "{}", path.read_text(encoding="utf-8"))
        for package in ("web", "vision", "calibration")
        for path in sorted((ROOT / package).rglob("*.py"))
    ).replace("{} {}", "{}")  # a place of two words is one in the catalogue
    places = re.compile(r"^(the )?((upper|lower)? ?(left|right)?) (part|corner|side)$")
    for sentence in CATALOGUE:
        shortened = sentence.removeprefix("no playing field in sight: ")
        assert shortened in written or places.match(sentence), sentence


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_sentence_is_there_with_the_same_places_to_fill(language: str) -> None:
    for sentence, translations in CATALOGUE.items():
        assert set(re.findall(r"{\d}", translations[language])) == {f"{{{k}}}" for k in range(sentence.count("{}"))}
        assert translations[language] != sentence


def test_what_is_filled_in_is_kept_or_translated_too() -> None:
    assert translated("there is no file 'x.mp4': name a video, a camera number or an address", "de") == (
        "es gibt keine Datei 'x.mp4': nennt ein Video, eine Kamera oder eine Adresse"
    )
    hidden = "a hand or an arm hides the upper left part of the board, 34 % of its lines: take it away"
    assert translated(hidden, "fr") == (
        "une main ou un bras cache la partie en haut à gauche du plateau, 34 % de ses lignes : retirez cela"
    )
    outside = "the lower right corner of the board is outside the picture: move the camera or the board"
    assert translated(outside, "de").startswith("die Ecke unten rechts des Bretts liegt außerhalb")
    assert translated("something new {1}", "lb") == "something new {1}"
    assert in_all("") == {}


def test_a_refused_command_answers_in_the_language_of_the_page(app: Flask) -> None:
    caller = app.test_client()
    for language, says in (("de", "das habe ich schon auf d6"), ("en", "that is what I have on d6 already")):
        answer = caller.post("/api/correct", json={"point": "d6", "top": 1}, headers={"Accept-Language": language})
        assert (answer.status_code, answer.get_json()["error"]["text"]) == (422, says)
