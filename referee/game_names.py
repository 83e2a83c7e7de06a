"""Games by the names that people and other programs write."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from languages import LANGUAGES, message
from referee.announce import game_name
from referee.presets import PRESETS, find_variant
from referee.variant import Variant

_NUMBERS = {"3": "three", "5": "five", "6": "six", "7": "seven", "9": "nine", "11": "eleven", "12": "twelve"}
_ONE_WORD = {"man": "mens", "men": "mens", "merels": "morris", "merrills": "morris", "merelles": "morris"}
_ALSO = {
    "mill": "nine_mens_morris",
    "morris": "nine_mens_morris",
    "cowboy checkers": "nine_mens_morris",
    "muhlespiel": "nine_mens_morris",
    "jeu de moulin": "nine_mens_morris",
    "lasker": "lasker_morris",
    "trialectic muhle": "trialectic",
}
"""Further names, as ``_plain`` writes them. Source: chosen."""

COUNTED_DRAWS = ("repetition", "draw_plies", "max_turns")  # options by which a game is drawn by counting


def variant_called(name: str) -> Variant:
    """The rules of a game that is named as Millchen does, or as people do; ValueError when no game has such a name.

    Millchen's own name means its own rules. Any other one means what most programs play under it: nine men's morris is
    played with flying (as by Sanmill), and no game is drawn by counting.

    >>> rules = variant_called("Nine Men's Morris")
    >>> rules.name, rules.fly, variant_called("nine_mens_morris").fly
    ('nine_mens_morris', 'own', 'off')
    >>> [variant_called(name).name for name in ("12 men's morris", "Römische Mühle", "Moulin de Lasker", "Morabaraba")]
    ['twelve_mens_morris', 'roman_mill', 'lasker_morris', 'morabaraba']
    """
    if name in PRESETS:
        return find_variant(name)
    found = _names().get(_plain(name))
    if found is None:
        raise ValueError(message("record.no_game", name=repr(name[:40])))
    return usual_rules(found)


def usual_rules(game: str) -> Variant:
    """The rules that most programs play under the name of a game of ``PRESETS``; see ``variant_called``.

    >>> usual_rules("nine_mens_morris").fly
    'own'
    """
    options: dict[str, object] = {option: 0 for option in COUNTED_DRAWS if PRESETS[game].default(option)}
    if game == "nine_mens_morris":
        options["fly"] = "own"
    return find_variant(game, **options)


def with_option(rules: Variant, name: str, value: str) -> Variant:
    """The rules with one more option; ValueError when the game has no such option, or the option no such value."""
    return find_variant(rules.name, **(dict(rules.chosen) | {name: value}))


def _plain(name: str) -> str:
    """A name without case, accents, apostrophes and spelling that differs from writer to writer.

    >>> _plain("Nine Men’s  Morris"), _plain("9 man merels")
    ('nine mens morris', 'nine mens morris')
    """
    letters = unicodedata.normalize("NFKD", name.casefold()).replace("'", "").replace("’", "").replace("`", "")
    words = re.findall(r"[a-z0-9]+", "".join(letter for letter in letters if not unicodedata.combining(letter)))
    return " ".join(_ONE_WORD.get(word, _NUMBERS.get(word, word)) for word in words)


@cache
def _names() -> dict[str, str]:
    """From a plain name to the game."""
    names: dict[str, str] = {}
    for game in PRESETS:
        for called in (game.replace("_", " "), *(game_name(game, language) for language in LANGUAGES)):
            names.setdefault(_plain(called), game)
    return names | _ALSO
