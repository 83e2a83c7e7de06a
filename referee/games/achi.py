"""Achi, which children in Ghana play with sticks on lines that they draw on the ground.

Sources: Cyningstan (cyningstan.com/game/107, after R. C. Bell), Wikipedia ("Achi (game)"), CSIRO ("Play Achi").
"""

from dataclasses import replace

from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        THREE_MENS_MORRIS_RULES,  # Cyningstan: its board; three in a row win, placed or moved
        name="achi",
        stones=(4, 4),  # Cyningstan: four each, placed, then moved along a line to the next free point
        stalemate="lose",  # as it is generally told; Cyningstan is silent, CSIRO lets that player skip: stalemate=pass
    ),
    offers={"men": "Wikipedia"},  # "In another version, each player has only three pieces"
    values={"men": (3, 4)},
)
