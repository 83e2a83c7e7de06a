"""Tapatan, which is played in the Philippines on boards that are carved into doorsteps.

Sources: Culin 1900 (Philippine Games, p. 648, as Ludii quotes it), University of Waterloo ("Row Games: Tapatan").
"""

from dataclasses import replace

from referee.standard_games import THREE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    # Culin: 3x3 points with diagonals, three pebbles each; "to get three pebbles of the same color on a line in any
    # direction", also while placing (Ludii); then one moves to the next free point and jumps over nothing (Waterloo)
    replace(THREE_MENS_MORRIS_RULES, name="tapatan"),
    offers={"fly": "Cold Summer do Brasil", "win_in_placing": "002"},  # "players may move tokens to any available spot"
    values={"fly": ("off", "own")},
)
