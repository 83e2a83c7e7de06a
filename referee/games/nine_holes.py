"""Nine holes, which monks scratched into the stone of their cloisters.

Sources: Cyningstan (cyningstan.com/game/381), Murray 1951 (p. 39, as Ludii quotes it), Wikipedia ("Nine holes").
"""

from dataclasses import replace

from referee import layouts
from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        THREE_MENS_MORRIS_RULES,
        name="nine_holes",
        board=layouts.NINE_HOLES,  # Murray: "3x3 intersecting lines"; Cyningstan: "diagonal rows do not count"
        fly="own",  # Cyningstan: "takes one of his pieces from the board and places it in another empty space"
    ),
    offers={"fly": "Wikipedia", "win_in_placing": "002"},  # "a piece to an adjacent vacant space": fly=off
    values={"fly": ("off", "own")},
)
