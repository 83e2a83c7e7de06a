"""Achi, which children in Ghana play with sticks on lines that they draw on the ground."""

from __future__ import annotations

from dataclasses import replace

from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        THREE_MENS_MORRIS_RULES,
        name="achi",
        stones=(4, 4),  # Bell: four each, placed, then moved along a line to the next free point
        stalemate="lose",  # RULES.md 9; Bell is silent, and CSIRO lets who cannot move skip: stalemate=pass
    ),
    offers={"men": "Wikipedia", "win_in_placing": "002"},  # some tables play it with three each
    values={"men": (3, 4)},
    names={"lb": "Achi", "de": "Achi", "fr": "Achi", "en": "Achi"},
)
