"""What goes wrong is said in the language of the page; every word and error that is used is there, and none else."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from flask import Flask

from languages import DEFAULT_LANGUAGE, LANGUAGES, catalogue
from referee.presets import PRESETS
from referee.variant import OPTIONS
from vision.detection.refusal import MISSING_SHARES
from web.club.evening import PAIRING_SYSTEMS
from web.colour_names import colour_name
from web.history.exports import FORMATS
from web.page_words import words
from web.table.case_keeper import BY_PEOPLE
from web.table.offered_games import OFFERED_GAMES
from web.views.error_pages import SENTENCES, TITLED
from web.views.invite_pages import LINK_DAYS
from web.views.story_pages import HELP_PARTS

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
    "SourceEnded",
}
"""What is raised or returned with a sentence for people."""

OF_PROGRAMS = {
    "commands come from our own page only", "frames a second must be over 0 and at most 1000, got {}", "{}: {}",
    "an evening is one of {}, got {}", "a result is one of {}, or empty; got {}",
    "nothing called {} happens on an evening", "there is no player {}", "there is no such pairing",
    "{} would play twice in one round",
}  # fmt: skip
"""Mistakes that only a program can make: they stay English."""

SIDES = ("upper", "lower", "left", "right")
FAMILIES = {
    "place.": {f"{one}_part" for one in SIDES} | {f"{one}_{other}_part" for one in SIDES[:2] for other in SIDES[2:]},
    "cut.": {f"{kind}.{side}" for kind in ("side", "way") for side in SIDES}
    | {f"share.{share}" for share in MISSING_SHARES},
    "journal.": {"games", "evenings"},
    "camera.": {"shakes", "flickers", "noisy", "frozen"},
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


WEB = Path(__file__).parents[2] / "web"
OPTION_WORDS = {
    f"{name}.{value}".removeprefix(f"{name}." if value in ("one", "each") else "")
    for preset in PRESETS.values()
    for name in preset.options
    if isinstance(values := preset.values_of(name), tuple) and isinstance(values[0], str)
    for value in values
} | set(OPTIONS)
PAGE_FAMILIES = {
    "do.": {"won", "foul"},
    "game.": set(PRESETS),
    "player.": {str(n) for n in range(1, 7)},
    "corner.": {"1", "2", "3", "4"},
    "sight.": {"opening", "searching", "watching", "hand", "lost", "disputed", "over", "by_hand", "unlike"}
    | {"by_hand.move", "by_hand.take", "by_hand.correct", "by_hand.goal"},
    "ring.": {"1", "2", "3"},
    "set.": {"ring_on", "ring_back"},
    "demo.": {"searching", "found", "lost", "placing", "moving", "mill", "foul", "restored", "over"},
    "nav.": {"learn", "make", "games"},
    "source.": {
        "demo", "demo.help", "camera", "camera.none", "phone", "phone.help", "hand", "hand.help", "other", "other.help",
        "stale", "lost", "ended", "failed", "never",
    },
    "links.": {role + end for role in ("viewer", "camera", "referee") for end in ("", ".help")}
    | {f"days.{n}" for n in LINK_DAYS},
    "fix.": {"move", "take", "put"},
    "theme.": {"auto", "light", "dark", "hall"},
    "step.": {"game", "people", "source", "first", "back", "play", "on", "last", "start", "nothing"},
    "clock.": {"off", "down", "up", "minutes", "increment"},
    "option.": OPTION_WORDS,
    "result.": {"open", "draw", "won", "none"},
    "end.": {"decision"},
    "error.": {*map(str, SENTENCES), "other", *TITLED.values()},
    "help.": {part + end for part in HELP_PARTS for end in ("", ".do")},
    "kept.": {"board", "stood", "named", "remark", "source"}
    | {no + kind for kind in ("partner", "hints", "pictures") for no in ("", "no_")},
    "case.": {"before", "now", "readme", "readme_room"},
    "case.kind.": {*BY_PEOPLE.values(), "question", "foul", "resumed", "misread", "stood", "unexplained", "unfound"},
    "case.said.": {"corrected", "turned", "restored", "stood", "resumed", "turn", "amended", "redone", "kept"},
    "club.link.": {"away", "password", "database", "newer", "copied", "foreign", "mistake", "journal"},
    "club.system.": {system + end for system in PAIRING_SYSTEMS for end in ("", ".help")},
    "export.": {row.label.removeprefix("export.") for row in FORMATS.values() if row.label},
    "analysis.tag.": {tag + end for tag in ("missed", "allowed") for end in ("_mill", "_row")}
    | {"blunder", "gave_away"},
    "by_hand.": {
        "bare", "stone", "back", "again", "resigned", "time", "turned", "turned_back", "on_top", "turn", "stone_of",
        "on_top_of",
    },
}  # fmt: skip
"""Keys that are put together while the page runs; everything else stands in the sources letter by letter."""

MEDIA = ("camera", "film", "photographs", "hand", "lesson")
"""What a key may end in, to fit that; the key without it is the text for all others."""


@cache
def used() -> set[str]:
    found = {family + name for family, names in PAGE_FAMILIES.items() for name in names}
    for path in [*WEB.glob("static/**/*.js"), *WEB.glob("templates/*"), *WEB.rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'\bfitting[wW]ords\(\s*"([a-z_.]+)"', text))
        found |= set(re.findall(r'words(?:\([\w.]+\))?\["([a-z_.0-9]+)"(?:\]| if)', text))
        found |= set(re.findall(r'\b(?:words|hasWords)\(\s*"([a-z_.0-9]+)"', text))
        either = re.findall(r'words\((?:[^?\n]|\?\?)*\? "([a-z_.]+)" : "([a-z_.]+)"', text)
        found |= {key for pair in either for key in pair}
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_is_missing_and_none_is_unused(language: str) -> None:
    have = set(catalogue(language, "page"))
    elsewhere = {*catalogue(language, "setup"), *catalogue(language, "making")}  # on their pages, in the same way
    assert used() - have - elsewhere == set()
    fitting = {key for key in have if key.rpartition(".")[2] in MEDIA and key.rpartition(".")[0] in used()}
    assert have - used() - fitting == set()


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
