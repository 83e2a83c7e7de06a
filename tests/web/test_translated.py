"""What goes wrong is said in the language of the page: every error that people meet has a key, no key is unused."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from flask import Flask

from languages import DEFAULT_LANGUAGE, catalogue
from vision.detection.refusal import MISSING_SHARES

ROOT = Path(__file__).parents[2]
PACKAGES = ("web", "calibration", "vision", "referee")
MET_ON_THE_PAGE = (
    "web/game/player_commands.py", "web/game/game_state.py", "web/game/hand_corrections.py", "web/table/live_table.py",
    "web/table/source_names.py", "web/views/player_api.py", "web/views/games_api.py", "web/views/command_routes.py",
    "web/views/phone_pages.py", "web/views/invite_pages.py", "web/views/error_pages.py", "web/app.py",
    "web/net/image_upload.py", "web/net/film_upload.py", "web/views/phone_pages.py", "web/views/event_stream.py",
    "web/setup/setup_session.py", "web/setup/setup_camera.py", "web/club/club.py", "web/club/evening.py",
    "web/views/club_pages.py", "web/hosted_tables.py",
)  # fmt: skip
SAYING = {"MillchenError", "SourceError", "Forbidden", "Unauthorized", "TooManyRequests", "ServiceUnavailable"} | {
    "NotRegistered",
    "CameraGone",
}
"""What is raised or returned with a sentence for people."""

OF_PROGRAMS = {
    "commands come from our own page only",
    "frames a second must be over 0 and at most 1000, got {}",
    "{}: {}",
    "an evening is one of {}, got {}",
    "a result is one of {}, or empty; got {}",
    "nothing called {} happens on an evening",
    "there is no player {}",
    "there is no such pairing",
    "{} would play twice in one round",
}
"""Mistakes that only a program can make: they stay English."""

SIDES = ("upper", "lower", "left", "right")
FAMILIES = {
    "place.": {f"{one}_part" for one in SIDES} | {f"{one}_{other}_part" for one in SIDES[:2] for other in SIDES[2:]},
    "cut.": {f"{kind}.{side}" for kind in ("side", "way") for side in SIDES}
    | {f"share.{share}" for share in MISSING_SHARES},
    "journal.": {"games", "evenings"},
    "make.": {"view", "pixels"},
    "camera.": {"shakes", "flickers", "noisy"},
}
"""Keys that are put together or handed on while the program runs; all others stand in the sources letter by letter."""


def shape(node: ast.expr) -> str | None:
    """A sentence of the sources with ``{}`` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


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


def test_no_sentence_that_people_can_meet_is_plain_english() -> None:
    seeing = [path for path in (ROOT / "vision").rglob("*.py") if path.parent.name != "commands"]
    for path in [ROOT / file for file in MET_ON_THE_PAGE] + seeing:
        plain = {shape(call.args[0]) for name, call in calls(path) if name in SAYING and call.args} - {None}
        assert plain - OF_PROGRAMS == set(), path


def test_a_refused_command_answers_in_the_language_of_the_page(app: Flask) -> None:
    caller = app.test_client()
    for language, says in (("de", "das habe ich schon auf d6"), ("en", "that is what I have on d6 already")):
        answer = caller.post(
            "/api/correct",
            json={"point": "d6", "top": 1, "seen": {"game": 1, "seq": 9}},
            headers={"Accept-Language": language},
        )
        assert (answer.status_code, answer.get_json()["error"]["text"]) == (422, says)
