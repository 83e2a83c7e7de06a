"""Every game by its name: those of ``standard_games.py`` and the files in ``games/``; and the choice of options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from referee.board import Board
from referee.games import find_games
from referee.nearest_word import no_such
from referee.standard_games import STANDARD_GAMES
from referee.variant import OPTIONS, Preset, Value, Variant


def presets_by_name(presets: Iterable[Preset]) -> dict[str, Preset]:
    """The games by their names; ValueError when two have the same name."""
    found: dict[str, Preset] = {}
    for preset in presets:
        if found.setdefault(preset.variant.name, preset) is not preset:
            raise ValueError(f"there are two games of the name {preset.variant.name!r}")
    return found


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
    known = preset.options
    options = _in_own_words(options, known)
    for word in options:
        if word not in known:
            raise ValueError(f"the game {preset.variant.name} has {no_such('option', word, known)}")
    variant = preset.variant
    chosen: list[tuple[str, Value]] = []
    for word, option in OPTIONS.items():  # players before fields before first
        if word not in options:
            continue
        value = replace(option, values=preset.values_of(word)).read(options[word])
        before = variant
        variant = preset.with_option(variant, word, value)
        if variant != before:
            chosen.append((word, value))
    return replace(variant, chosen=tuple(chosen)) if chosen else preset.variant


SAME_CHOICES: dict[tuple[str, str], tuple[str, str]] = {
    ("stalemate", "skip"): ("stalemate", "pass"),
    ("take_from", "hand"): ("placing_mill", "hand"),
    ("take_from", "board"): ("placing_mill", "capture"),
}
"""Choices that tables have another word for: option and value as people may say them, and as ``OPTIONS`` has them."""


def _in_own_words(options: Mapping[str, object], known: Mapping[str, str]) -> dict[str, object]:
    """The options with each choice in the words of ``OPTIONS``, where the game offers that option."""
    choices: dict[str, object] = {}
    for word, value in options.items():
        same, meant = SAME_CHOICES.get((word, str(value).strip().lower()), (word, value))
        choices |= {same: meant} if same in known else {word: value}
    return choices


def variants_on(board: Board) -> tuple[str, ...]:
    """Names of the games that are played on ``board``."""
    return tuple(name for name, preset in PRESETS.items() if preset.variant.board.name == board.name)
