"""Games of other tables: one file for each, with its rules, and its board where that is a new one.

A module in this folder that sets ``GAME`` to a ``Preset`` is a game. It is found here and listed nowhere else: pages,
commands, referee and camera know it. CONTRIBUTING.md shows one. A game file may import ``referee.layouts``,
``referee.variant`` and ``referee.standard_games``, but not ``referee.presets``, which imports it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from languages import DEFAULT_LANGUAGE
from referee.variant import Preset


def find_games() -> tuple[Preset, ...]:
    """The game of every file in this folder, in the order of the files' names.

    Raises TypeError when a file sets no ``GAME``, or one that nothing names.

    >>> "achi" in {game.variant.name for game in find_games()}
    True
    """
    games = []
    for module in (f"{__name__}.{info.name}" for info in iter_modules(__path__)):
        game = getattr(import_module(module), "GAME", None)
        if not isinstance(game, Preset) or not game.name_in(DEFAULT_LANGUAGE):
            raise TypeError(f"{module} must set GAME to a Preset with names")
        games.append(game)
    return tuple(games)
