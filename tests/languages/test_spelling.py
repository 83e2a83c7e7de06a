"""What every language writes in one way: the spaces at its marks, and the names of the games."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from languages import LANGUAGES
from referee.presets import PRESETS
from tests.languages.test_catalogues import PARTS, of
from web.page_words import words

WEB = Path(__file__).parents[2] / "web"
NO_BREAK = "\u00a0"
PLACE = re.compile(r"{[^{}]*}|\b(?:https?|rtsps?)://")
"""Places to fill and addresses have colons that are none of a sentence's."""

COLONS = {"**/*.js": r"\}: \$\{", "**/*.html": r"\}\}: |\}\}:<", "views/*.py": r"\}: \{", "game/*.py": r"\}: \{"}
"""How a source would write what should be the word ``label``: a name, a colon and what it is."""


def french() -> dict[str, str]:
    said = {f"{part}/{key}": text for part in PARTS for key, text in of("fr", part).items()}
    return said | {f"about/{name}": preset.about_in("fr") for name, preset in PRESETS.items() if "fr" in preset.about}


def test_french_has_a_space_at_its_marks_at_which_no_line_breaks() -> None:
    for key, text in french().items():
        for found in re.finditer(r"(.?)[:;!?»]+(?!\w)|«(.?)", PLACE.sub("x", text)):
            assert (found[1] or found[2]) in (NO_BREAK, "…"), f"{key}: {found[0]!r} in {text!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_begins_with_a_mark(language: str) -> None:
    for part in PARTS:
        assert not [text for text in of(language, part).values() if re.search(r"[ \u202f][:;!?»]|«[ \u202f]", text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_have_one_apostrophe(language: str) -> None:
    for part in set(PARTS) - {"referee", "rules", "errors"}:  # those go to terminals too
        assert not [text for text in of(language, part).values() if re.search(r"[^\W\d_]'[^\W\d_]", text)], part


def test_no_page_writes_a_colon_where_french_wants_a_space() -> None:
    for kind, pattern in COLONS.items():
        for path in WEB.glob(kind):
            text = path.read_text(encoding="utf-8")
            assert not re.search(pattern, text), f"{path}: {re.findall(f'.*{pattern}.*', text)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_the_games_have_no_figures_and_those_with_n_stones_are_built_alike(language: str) -> None:
    names = {key: text for key, text in words(language).items() if key.startswith("game.")}
    assert not [text for text in names.values() if re.search(r"[0-9']", text)]
    numbers = "|".join(of(language, "referee")[f"numbers.{n}"].removesuffix("n") for n in (5, 6, 7, 11, 12))
    counted = [names[f"game.{n}_mens_morris"] for n in ("five", "six", "seven", "eleven", "twelve")]
    assert len({re.sub(rf"({numbers})n?\b", "N", name, flags=re.IGNORECASE) for name in counted}) == 1, counted
