"""The words of the page in every language (``page.json`` in ``languages/``); `referee.announce` has the referee's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from languages import catalogue
from referee.presets import PRESETS

Words = Mapping[str, str]

Sentences = Mapping[str, Mapping[str, str]]
"""By use ("texts" to read, "spoken" to hear, "title" for fouls) and language."""


@cache
def words(language: str) -> Words:
    """Return the catalogue of one of the `languages.LANGUAGES`."""
    colours = {f"colour.{name}": noun for name, (noun, _) in catalogue(language, "referee")["colours"].items()}
    winds = {f"wind.{name}": letters for name, letters in catalogue(language, "referee")["wind_letters"].items()}
    games = {f"game.{name}": preset.name_in(language).replace("'", "’") for name, preset in PRESETS.items()}
    return {**catalogue(language, "page"), **colours, **winds, **games}
