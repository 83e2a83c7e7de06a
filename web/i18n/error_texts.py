"""What went wrong, in the language of whoever reads it: sentences made in English are looked up by their shape.

``static/words/faults.json`` has each sentence as it stands in the sources, with ``{}`` for what is filled in, and
its translations with ``{0}``, ``{1}`` for the same. What is filled in may be words itself ("the left part"); those
stand in the catalogue too. A sentence that is not there (a program's mistake, not a person's) stays English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from languages import LANGUAGES


@cache
def _catalogue() -> Mapping[str, Mapping[str, str]]:
    text = (files("web") / "static" / "words" / "faults.json").read_text(encoding="utf-8")
    catalogue: dict[str, dict[str, str]] = json.loads(text)
    return catalogue


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    return tuple(
        (re.compile("(.+?)".join(re.escape(part) for part in sentence.split("{}")), re.DOTALL), translations)
        for sentence, translations in _catalogue().items()
        if "{}" in sentence
    )


@lru_cache(maxsize=256)
def translated(sentence: str, language: str) -> str:
    """A sentence in one of the `LANGUAGES`; as it is where it is not known."""
    catalogue = _catalogue()
    if sentence in catalogue:
        return catalogue[sentence].get(language, sentence)
    for shape, translations in _shapes():
        found = shape.fullmatch(sentence)
        if found and language in translations:
            return translations[language].format(*(translated(part, language) for part in found.groups()))
    return sentence


def in_all(sentence: str) -> dict[str, str]:
    """A sentence in every language, for pages in any of them; empty where there is nothing to say."""
    return {language: translated(sentence, language) for language in LANGUAGES} if sentence else {}
