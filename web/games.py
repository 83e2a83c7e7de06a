"""The games that the page offers."""

from __future__ import annotations

from dataclasses import dataclass

from referee.presets import PRESETS


@dataclass(frozen=True, slots=True)
class Offer:
    """A game to choose: its name on the command line and the board it is played on."""

    name: str
    board: str


# Towers and turning rings need eyes of their own (several stones on a point, a ring that moved without its stones);
# until those are there, the page offers the games that a look from above can follow.
GAMES = tuple(
    Offer(name, preset.variant.board.name)
    for name, preset in PRESETS.items()
    if preset.variant.max_height == 1 and not preset.variant.rotates
)
