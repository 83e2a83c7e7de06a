"""The words of the page in every language (``page.json`` in ``languages/``); `referee.announce` has the referee's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

from languages import LANGUAGES, catalogue
from referee.presets import PRESETS

Words = Mapping[str, str]


class Texts(Mapping[str, str]):
    """A sentence by language; each is made when somebody asks for it."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self._say, self._said = say, dict[str, str]()

    def __getitem__(self, language: str) -> str:
        if language not in self._said:
            if language not in LANGUAGES:
                raise KeyError(language)
            self._said[language] = self._say(language)
        return self._said[language]

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)


Sentences = Mapping[str, Texts]
"""By use: "texts" to read, "spoken" to hear, "title" for fouls."""


def in_languages(languages: Collection[str]) -> Callable[[object], Any]:
    """Return the function by which ``json.dumps`` writes what is no JSON yet, with sentences in these languages."""
    return lambda value: {one: value[one] for one in languages} if isinstance(value, Texts) else vars(value)


@cache
def words(language: str) -> Words:
    """Return the catalogue of one of the `languages.LANGUAGES`."""
    colours = {f"colour.{name}": noun for name, (noun, _) in catalogue(language, "referee")["colours"].items()}
    winds = {f"wind.{name}": letters for name, letters in catalogue(language, "referee")["wind_letters"].items()}
    games = {f"game.{name}": preset.name_in(language).replace("'", "’") for name, preset in PRESETS.items()}
    return {**catalogue(language, "page"), **colours, **winds, **games}
