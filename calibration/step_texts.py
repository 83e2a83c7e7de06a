"""What calibration says to people, in every language: data in ``words/``, one catalogue per language.

A result speaks through keys and numbers; the sentence is made here, so that command, page and report say the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("lb", "de", "fr", "en")


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Every phrase of one of the `LANGUAGES`, by key.

    Raises
    ------
    ValueError
        When the language is not known.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    text = (files("calibration") / "words" / f"{language}.json").read_text(encoding="utf-8")
    phrases: dict[str, str] = json.loads(text)
    return phrases


def phrase(key: str, language: str = "en", /, **values: object) -> str:
    """The phrase for a key, with its places filled."""
    return catalogue(language)[key].format(**values)


def phrases(key: str, /, **values: object) -> dict[str, str]:
    """The phrase for a key in every language."""
    return {language: phrase(key, language, **values) for language in LANGUAGES}


class Refused(ValueError):
    """A step cannot be done with what was given; the message says what to do instead.

    Attributes
    ----------
    key : str
        Of the phrase.
    values : dict
        What fills its places.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(phrase(key, "en", **values))
        self.key, self.values = key, values

    @property
    def texts(self) -> dict[str, str]:
        """The message in every language."""
        return phrases(self.key, **self.values)
