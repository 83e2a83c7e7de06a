"""The words of the page in every language: ``page.json`` of each folder in ``languages/``, and the names of colours.

What the referee announces has its own sentences in `referee.announce`; here stands only what the page itself says.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from languages import catalogue

Words = Mapping[str, str]


@cache
def words(language: str) -> Words:
    """The catalogue of one of the `languages.LANGUAGES`.

    Raises
    ------
    ValueError
        When the language is not known.
    """
    colours = catalogue(language, "referee")["colours"]
    return {**catalogue(language, "page"), **{f"colour.{name}": noun for name, (noun, _) in colours.items()}}
