"""Eleven men's morris: the board with diagonals, eleven stones for each, and nobody jumps.

Source: as the larger merels in England are generally described; no text was found that says more. With eleven stones
each two of the 24 points stay empty, so that the board is never full when moving begins.
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, SQUARE_SHAPES, TWELVE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(TWELVE_MENS_MORRIS_RULES, name="eleven_mens_morris", stones=(11, 11), fly="off"),
    offers={name: source for name, source in MORRIS_OPTIONS.items() if name != "men"},
    shapes=SQUARE_SHAPES,
)
