"""Every phrase of the set-up is used, and what is refused is said in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.step_texts import Refused, phrase
from languages import LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
PATHS = (
    "calibration/*.py", "calibration/commands/*.py", "web/setup/*.py", "web/views/setup_pages.py",
    "web/templates/setup.html", "web/static/setup/*.js",
)  # fmt: skip
SOURCES = "\n".join(p.read_text(encoding="utf-8") for pattern in PATHS for p in ROOT.glob(pattern))


def test_every_phrase_is_used() -> None:
    built = ("meter.", "grade.", "stones.", "step.", "table.", "wish.", "target.", "view.", "wizard.next.")
    unused = [key for key in catalogue("en", "setup") if not key.startswith(built) and key not in SOURCES]
    assert unused == []


def test_a_refusal_speaks_every_language() -> None:
    why = Refused("lens.few", n=3, least=6)
    assert str(why).startswith("only 3 views")
    assert set(why.texts) == set(LANGUAGES)
    assert "3" in why.texts["lb"]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match=f"language must be one of {', '.join(LANGUAGES)}, got 'tlh'"):
        phrase("step.lens", "tlh")
