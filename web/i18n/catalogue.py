"""The words of the page in every language: one catalogue per language, data in ``static/words``.

What the referee announces has its own sentences in `referee.announce`; here stands only what the page itself says.
Colours are named in one place for both, `referee.phrases`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from referee.phrases import COLOURS

LANGUAGES = {"lb": "Lëtzebuergesch", "de": "Deutsch", "fr": "Français", "en": "English"}
DEFAULT = "en"

Words = Mapping[str, str]


@cache
def words(language: str) -> Words:
    """The catalogue of one of the `LANGUAGES`."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    text = (files("web") / "static" / "words" / f"{language}.json").read_text(encoding="utf-8")
    catalogue: dict[str, str] = json.loads(text)
    return catalogue | {f"colour.{name}": noun for name, (noun, _) in COLOURS[language].items()}
