"""Sentences of set-up and making in every language (``setup.json``, ``making.json``), and their refusals.

A result has keys and numbers; this module makes the sentence, so command, page and report say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from languages import LANGUAGES, Message, catalogue, in_all_languages, message, number_text


@cache
def _phrases(language: str) -> Mapping[str, str]:
    return {**catalogue(language, "setup"), **catalogue(language, "making")}


def phrase(key: str, language: str = "en", /, **values: object) -> str:
    """Return the phrase for a key, with its places filled; ValueError when the language is not known."""
    said = {name: number_text(one, language) if isinstance(one, float) else one for name, one in values.items()}
    return _phrases(language)[key].format(**said)


def phrases(key: str, /, **values: object) -> dict[str, str]:
    """Return the phrase for a key in every language; a value that is itself said by language is so there, too."""
    by_language = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    return {
        language: phrase(key, language, **values | {name: texts[language] for name, texts in by_language.items()})
        for language in LANGUAGES
    }


def owner_texts(owner: str) -> dict[str, str]:
    """Return what a colour is the colour of, by language: "player 1" and so on, "cloth" or "line"."""
    kind, _, n = owner.partition(" ")
    return phrases(f"paint.{kind}", n=n)


class Refused(ValueError):
    """A step refuses its input; the message, a key of ``errors.json``, says what to do instead."""

    def __init__(self, key: str, /, **values: object) -> None:
        # an error from another process is made anew from its message
        self.message = key if isinstance(key, Message) else message(key, **values)
        super().__init__(self.message)

    @property
    def texts(self) -> dict[str, str]:
        """The message in every language."""
        return in_all_languages(self.message)


def refuse_outside(key: str, value: float, limits: tuple[float, float]) -> None:
    """Raise Refused where a value is out of its limits, or no number."""
    if not limits[0] <= value <= limits[1]:
        raise Refused(key, low=f"{limits[0]:g}", high=f"{limits[1]:g}", got=f"{value:g}")
