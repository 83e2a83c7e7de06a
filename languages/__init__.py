"""All sentences for people, one folder a language: a key and values in, a sentence in each language out.

A folder with a ``language.json`` is a language. It is found here and listed nowhere else: pages, commands and the
referee take their choice from ``LANGUAGES``. Nothing else needs to know a language by its name. The README says what
is in a folder.

>>> LANGUAGES["fr"]
'Français'
>>> catalogue("de", "referee")["fouls"]["occupied"]
'der Punkt ist nicht frei'
>>> told = message("game.already", point="d6")
>>> told
'that is what I have on d6 already'
>>> told.translated("de")
'das habe ich schon auf d6'
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, reduce
from importlib.resources import files
from types import MappingProxyType
from typing import Any

DEFAULT_LANGUAGE = "en"
"""The language of the program itself: of its logs, its JSON, and of ``Message`` as a plain string."""


def _find_languages() -> dict[str, dict[str, Any]]:
    """The ``language.json`` of every language by the language's code, in the order of the menu."""
    folders = [folder for folder in files(__name__).iterdir() if (folder / "language.json").is_file()]
    languages = {folder.name: json.loads((folder / "language.json").read_text(encoding="utf-8")) for folder in folders}
    return dict(sorted(languages.items(), key=lambda item: (item[1]["order"], item[0])))


ABOUT_LANGUAGES: Mapping[str, Mapping[str, Any]] = MappingProxyType(_find_languages())
"""Contents of each ``language.json``: its own ``name``, its ``order`` in the menu, the ``voice`` of
espeak-ng, the ``locales`` in which a browser writes dates, best first, and the rules of its ``grammar``."""

LANGUAGES: Mapping[str, str] = MappingProxyType({code: about["name"] for code, about in ABOUT_LANGUAGES.items()})
"""The name of each language in itself, by its code, in the order of the menu."""


_BEFORE_MARKS = re.compile(r"[ \u202f](?=[:;!?»])|(?<=«)[ \u202f]")


@cache
def catalogue(language: str, part: str) -> Mapping[str, Any]:
    """One file of a language, ``page`` say; ValueError when the language is not known.

    No line ends before a mark that has a space before it, as French ones have.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    file = files(__name__) / language / f"{part}.json"
    texts: dict[str, Any] = json.loads(_BEFORE_MARKS.sub("\u00a0", file.read_text(encoding="utf-8")))
    return MappingProxyType(texts)


@cache
def grammar(language: str) -> Callable[[str], str]:
    """The function that fits words to their neighbours in a sentence, by the ``grammar`` in ``language.json``.

    >>> grammar("lb")("vu(n) d6 op vu(n) b4"), grammar("fr")("d(e) Orange, d(e) Rouge"), grammar("en")("a(n) red stone")
    ('vun d6 op vu b4', 'd’Orange, de Rouge', 'a red stone')
    """
    rules = [(re.compile(pattern, re.IGNORECASE), by) for pattern, by in ABOUT_LANGUAGES[language].get("grammar", ())]
    return lambda text: reduce(lambda joined, rule: rule[0].sub(rule[1], joined), rules, text)


class Message(str):
    """A sentence for people that can be said in every language; as a string it is the English one.

    ``key`` is that of ``errors.json``, or the way to a text of another file: ``referee/fouls/occupied``. A value that
    is itself a message is translated with it.
    """

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, values: Mapping[str, object]) -> Message:
        """Fill the English sentence."""
        text = super().__new__(cls, _sentence(key, values, DEFAULT_LANGUAGE))
        text.key, text.values = key, dict(values)
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.key, self.values)

    def translated(self, language: str) -> str:
        """The sentence in one of the ``LANGUAGES``."""
        return _sentence(self.key, self.values, language)


def message(key: str, /, **values: object) -> Message:
    """The message for a key of ``errors.json``, with its places filled."""
    return Message(key, values)


def number_text(value: float, language: str) -> str:
    """A number with at most one decimal, or two below one, as the language writes it.

    >>> number_text(28.04, "en"), number_text(22.5, "de"), number_text(0.034, "fr")
    ('28', '22,5', '0,03')
    """
    text = f"{round(value, 1 if abs(value) >= 1 else 2):g}"
    return text if language == DEFAULT_LANGUAGE else text.replace(".", ",")


def _sentence(key: str, values: Mapping[str, object], language: str) -> str:
    part, *way = key.split("/") if "/" in key else ("errors", key)
    text: str = reduce(lambda texts, name: texts[name], way, catalogue(language, part))  # type: ignore[assignment]
    said = {name: number_text(one, language) if isinstance(one, float) else one for name, one in values.items()}
    slots = {name: one.translated(language) if isinstance(one, Message) else one for name, one in said.items()}
    return text.format(**slots)


def translated(text: str, language: str) -> str:
    """A message in one of the ``LANGUAGES``; any other text as it is."""
    return text.translated(language) if isinstance(text, Message) else text


def in_all_languages(text: str) -> dict[str, str]:
    """A message in every language; empty for no message."""
    return {language: translated(text, language) for language in LANGUAGES} if text else {}


def message_of(error: BaseException) -> str:
    """The ``Message`` of an error that has one, else its plain English text.

    >>> message_of(ValueError(message("game.over"))).translated("fr")
    'la partie est déjà finie'
    """
    argument = error.args[0] if error.args else ""
    return argument if isinstance(argument, Message) else str(error)
