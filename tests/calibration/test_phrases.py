from __future__ import annotations

import re
from pathlib import Path

import pytest

from calibration.step_texts import LANGUAGES, Refused, catalogue, phrase

ROOT = Path(__file__).parents[2]
PATHS = ("calibration/**/*.py", "web/setup/*.py", "web/views/*.py", "web/templates/*.html", "web/static/**/*.js")
SOURCES = "\n".join(p.read_text(encoding="utf-8") for pattern in PATHS for p in ROOT.glob(pattern))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything_with_the_same_places_to_fill(language: str) -> None:
    english = catalogue("en")
    assert set(catalogue(language)) == set(english)
    for key, text in catalogue(language).items():
        assert text.strip() == text != ""
        assert sorted(re.findall(r"{\w+", text)) == sorted(re.findall(r"{\w+", english[key])), key
        if language != "en":
            assert text != english[key] or key in ("line",), key


def test_every_phrase_is_used() -> None:
    built = ("meter.", "grade.", "stones.", "step.", "table.", "wish.", "target.", "view.")
    unused = [key for key in catalogue("en") if not key.startswith(built) and key not in SOURCES]
    assert unused == []


def test_a_refusal_speaks_every_language() -> None:
    why = Refused("lens.few", n=3, least=6)
    assert str(why).startswith("only 3 views")
    assert set(why.texts) == set(LANGUAGES)
    assert "3" in why.texts["lb"]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language must be one of lb, de, fr, en, got 'xx'"):
        phrase("step.lens", "xx")
