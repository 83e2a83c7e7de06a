"""The games that the page offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.presets import PRESETS, find_variant
from web.errors import ShellError


@dataclass(frozen=True, slots=True)
class Offer:
    """A game to choose: its name on the command line and the board it is played on."""

    name: str
    board: str


GAMES = tuple(Offer(name, preset.variant.board.name) for name, preset in PRESETS.items())


def check_game(game: str, options: Mapping[str, Any]) -> None:
    """Refuse a game or an option that is not known.

    Raises
    ------
    ShellError
    """
    try:
        find_variant(game, **options)
    except (ValueError, TypeError) as why:
        raise ShellError(str(why)) from why
