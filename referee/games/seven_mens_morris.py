"""Seven men's morris: the six men's board with a point in the middle, joined to the inner square.

Source: Dries De Clercq ("5-6-7 Men's Morris"): "1 spot more on the board", "2 lines with 5 intersections".
"""

from dataclasses import replace

from referee import layouts
from referee.standard_games import MORRIS_OPTIONS, SIX_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        SIX_MENS_MORRIS_RULES,
        name="seven_mens_morris",
        board=layouts.SEVEN_MENS_MORRIS,  # three in a row anywhere on the two lines of five is a mill
        stones=(7, 7),
    ),
    # De Clercq: who starts in the middle wins, so "it might be a good suggestion to not use the central square until
    # all pawns have been placed"
    offers={
        **{name: source for name, source in MORRIS_OPTIONS.items() if name not in ("men", "diagonals")},
        "no_centre_placing": "De Clercq",
    },
)
