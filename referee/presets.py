"""Names and options in, rules of a game out; names may be Millchen's or people's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from languages import LANGUAGES, message
from referee.board import Board
from referee.games import find_games
from referee.nearest_word import no_such
from referee.standard_games import STANDARD_GAMES
from referee.variant import OPTIONS, Preset, Value, Variant


def presets_by_name(presets: Iterable[Preset]) -> dict[str, Preset]:
    """The games by their names; ValueError when two have the same name."""
    by_name: dict[str, Preset] = {}
    for preset in presets:
        if by_name.setdefault(preset.variant.name, preset) is not preset:
            raise ValueError(f"there are two games of the name {preset.variant.name!r}")
    return by_name


# the games by their names on the command line
PRESETS: dict[str, Preset] = presets_by_name((*STANDARD_GAMES, *find_games()))


def find_variant(name: str, /, **options: object) -> Variant:
    """The rules of the game ``name`` with the options that the table chose.

    Raises ValueError when the game, an option or a value is unknown; one sentence that names the word.

    >>> find_variant("millchen").fly
    'own'
    >>> find_variant("millchen", fly="both").chosen
    (('fly', 'both'),)
    >>> find_variant("chess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: no game 'chess'; there are tic_tac_toe, millchen, ...
    """
    if name not in PRESETS:
        raise ValueError(no_such("game", name, PRESETS))
    return choose(PRESETS[name], options)


def choose(preset: Preset, options: Mapping[str, object]) -> Variant:
    """The rules of ``preset`` with ``options``, in the order that the options build on one another.

    Raises ValueError when an option or a value is unknown.
    """
    offers = preset.options
    options = _in_own_words(options, offers)
    for word in options:
        if word not in offers:
            raise ValueError(f"the game {preset.variant.name} has {no_such('option', word, offers)}")
    variant = preset.variant
    choices: list[tuple[str, Value]] = []
    for word, option in OPTIONS.items():  # players before fields before first
        if word not in options:
            continue
        value = replace(option, values=preset.values_of(word)).read(options[word])
        before = variant
        variant = preset.with_option(variant, word, value)
        if variant != before:
            choices.append((word, value))
    return replace(variant, chosen=tuple(choices)) if choices else preset.variant


SAME_CHOICES: dict[tuple[str, str], tuple[str, str]] = {
    ("stalemate", "skip"): ("stalemate", "pass"),
    ("take_from", "hand"): ("placing_mill", "hand"),
    ("take_from", "board"): ("placing_mill", "capture"),
}
"""Other words for a choice: option and value as people may say them, and as ``OPTIONS`` has them."""


def _in_own_words(options: Mapping[str, object], offers: Mapping[str, str]) -> dict[str, object]:
    """The options with each choice in the words of ``OPTIONS``, where the game offers that option."""
    choices: dict[str, object] = {}
    for word, value in options.items():
        same, choice = SAME_CHOICES.get((word, str(value).strip().lower()), (word, value))
        choices |= {same: choice} if same in offers else {word: value}
    return choices


def variants_on(board: Board) -> tuple[str, ...]:
    """Names of the games that are played on ``board``."""
    return tuple(name for name, preset in PRESETS.items() if preset.variant.board.name == board.name)


def game_name(name: str, language: str = "en") -> str:
    """A game as people call it.

    >>> game_name("nine_mens_morris", "de")
    'Mühle'
    """
    return PRESETS[name].name_in(language)


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
    game = _names().get(_plain(name))
    if game is None:
        raise ValueError(message("record.no_game", name=repr(name[:40])))
    return usual_rules(game)


def usual_rules(game: str) -> Variant:
    """The rules that most programs play under the name of a game of ``PRESETS``; see ``variant_called``.

    >>> usual_rules("nine_mens_morris").fly
    'own'
    """
    options: dict[str, object] = {option: 0 for option in COUNTED_DRAWS if PRESETS[game].default(option)}
    if game == "nine_mens_morris":
        options["fly"] = "own"
    return find_variant(game, **options)


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
        for name in (game.replace("_", " "), *(game_name(game, language) for language in LANGUAGES)):
            names.setdefault(_plain(name), game)
    return names | _ALSO
