"""Tant fant of India: the stones lie on the board from the start, and one's own home row does not win.

Source: Wikipedia ("Tant fant").
"""

from dataclasses import replace

from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        THREE_MENS_MORRIS_RULES,  # Wikipedia: "the same board as tapatan and achi"
        name="tant_fant",
        start=(("a1", "b1", "c1"), ("a3", "b3", "c3")),  # "initially lined up on their side of the board"
        home_wins=False,  # "3 in a rows formed in player's home row with their own pieces do not count"
        stalemate="lose",  # "may be considered a loss for the player or a stalemate draw": stalemate=draw
    ),
)
