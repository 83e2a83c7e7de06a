"""Five men's morris: six men's morris with five stones for each player.

Sources: Google Sites "Board and Pieces" ("The game can also be played with five counters"; "Fivepenny Merills" is an
English name of the board), Dries De Clercq ("5-6-7 Men's Morris": "uses the same board but only 5 men", a draw).
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, SIX_MENS_MORRIS_RULES, SQUARE_SHAPES
from referee.variant import Preset

GAME = Preset(
    replace(SIX_MENS_MORRIS_RULES, name="five_mens_morris", stones=(5, 5)),  # De Clercq
    offers={name: source for name, source in MORRIS_OPTIONS.items() if name != "men"},
    shapes=SQUARE_SHAPES,
)
