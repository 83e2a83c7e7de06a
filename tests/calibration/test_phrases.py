"""Every text of the set-up and of making a board is used, and every one that is asked for is there."""

import re
from pathlib import Path

import pytest

from calibration.placement import Meter
from calibration.step_texts import Refused, phrase
from languages import LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
PLACES = (
    "calibration/**/*.py", "web/setup/*.py", "web/views/*.py", "web/templates/setup.html", "web/templates/make.html",
    "web/templates/steps.html", "web/static/setup/*.js", "web/static/make/*.js", "web/static/board/grips.js",
)  # fmt: skip
SOURCES = "\n".join(path.read_text(encoding="utf-8") for place in PLACES for path in sorted(ROOT.glob(place)))
TEXTS = {part: set(catalogue("en", part)) for part in ("setup", "making")}
BUILT = ("meter.", "grade.", "stones.", "step.", "table.", "wish.", "target.", "view.", "wizard.next.")
"""Beginnings of keys of the set-up that are put together where no pattern sees it."""


@pytest.mark.parametrize("part", TEXTS)
def test_every_text_is_used(part: str) -> None:
    """A key stands in the code, or begins as one that is put together there."""
    whole = set(re.findall(r"[\"'`]([a-z_]+(?:\.[a-z_]+)*)[\"'`]", SOURCES))
    begun = {f"{start}." for start in re.findall(r"[\"'`]([a-z_]+(?:\.[a-z_]+)*)\.(?:\{|[\"'] ?~)", SOURCES)}
    begun |= set(BUILT) if part == "setup" else set()
    assert {key for key in TEXTS[part] if key not in whole and not key.startswith(tuple(begun))} == set()


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r"(?:phrases?\(|says\[|say\()[\"']([a-z_]+(?:\.[a-z_]+)+)[\"'][\]),]", SOURCES))
    assert len(asked) > 30
    assert asked - TEXTS["making"] - TEXTS["setup"] == set()


def test_a_refusal_speaks_every_language() -> None:
    why = Refused("lens.few", n=3, least=6)
    assert str(why).startswith("only 3 views")
    assert "1,5 %" in Refused("lens.flat", percent=1.52).texts["fr"]
    assert set(why.texts) == set(LANGUAGES)
    assert "3" in why.texts["lb"]


def test_a_number_is_written_as_the_language_writes_it() -> None:
    meter = Meter("sharp", 1.34)
    assert meter.texts["en"].startswith("Sharpness: 1.3 px blur – good (under 1.8)")
    assert meter.texts["de"].startswith("Schärfe: 1,3 px Unschärfe – gut (unter 1,8)")
    assert "0,03 px" in phrase("check.lens", "de", n=9, rms=0.034, cover=80)
