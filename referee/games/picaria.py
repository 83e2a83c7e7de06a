"""Picaria of the Zuni, with the points where the diagonals cross.

Sources: Wikipedia ("Picaria"), bead.game ("Picaria"): two boards, 9 and 13 points, with the same rules.
"""

from __future__ import annotations

from dataclasses import replace

from referee import layouts
from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset, Variant


def _points(variant: Variant, points: int) -> Variant:
    return replace(variant, board=layouts.PICARIA if points == 13 else layouts.PICARIA_NINE)


GAME = Preset(
    replace(
        THREE_MENS_MORRIS_RULES,  # three each; "an adjacent empty intersection, along the lines indicated"
        name="picaria",
        board=layouts.PICARIA,  # bead.game: "a 2-by-2 grid connected by diagonal lines, intersections create 13"
    ),
    offers={"points": "Wikipedia", "no_centre_placing": "Wikipedia", "win_in_placing": "002"},
    # "on any vacant space except the center"; Wikipedia in French: rules that players may agree on, not standard ones
    shapes={"points": _points},
)
