"""Every text about making a board is used, and every one that is used is there."""

from __future__ import annotations

import re
from pathlib import Path

from languages import catalogue

ROOT = Path(__file__).parents[2]
PLACES = (
    "calibration/making/*.py",
    "calibration/commands/*.py",
    "web/views/*.py",
    "web/templates/make.html",
    "web/templates/steps.html",
    "web/static/make/*.js",
)
SOURCES = "\n".join(path.read_text(encoding="utf-8") for place in PLACES for path in sorted(ROOT.glob(place)))
KEYS = catalogue("en", "making")


def test_every_text_about_making_is_used() -> None:
    """A key stands in the code, or begins as one that is put together there."""
    whole = set(re.findall(r"[\"'`]([a-z_]+(?:\.[a-z_]+)+)[\"'`]", SOURCES))
    begun = {f"{start}." for start in re.findall(r"[\"'`]([a-z_]+(?:\.[a-z_]+)*)\.(?:\{|[\"'] ?~)", SOURCES)}
    assert {key for key in KEYS if key not in whole and not key.startswith(tuple(begun))} == set()


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r"(?:phrases?\(|says\[|say\()[\"']([a-z_]+(?:\.[a-z_]+)+)[\"'][\]),]", SOURCES))
    assert len(asked) > 30
    assert asked - set(KEYS) - set(catalogue("en", "setup")) == set()
