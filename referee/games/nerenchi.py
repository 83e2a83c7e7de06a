"""Nerenchi of Sri Lanka: a mill while placing brings another turn, and the last two points stay free.

Sources: Parker 1909 (Ancient Ceylon, pp. 577-580, as Ludii quotes it), Sanmill (``NerenchiRuleSettings`` in
rule_settings.dart). Parker has nine stones each and no diagonals; Sanmill twelve and diagonals, as Ludovisi 1873 draws.
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, SQUARE_SHAPES, TWELVE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        TWELVE_MENS_MORRIS_RULES,
        name="nerenchi",
        placing_mill="extra_turn",  # Parker: "he lays down an additional piece"; Sanmill: placing_mill=capture
        stop_placing="two_empty",  # Parker: "When only two places remain unfilled"
        moves_first="second",  # Sanmill: isDefenderMoveFirst; Parker: "the next player moves one of his pieces"
        protect="never",  # Sanmill: mayRemoveFromMillsAlways, with a question mark
    ),
    offers=MORRIS_OPTIONS,
    shapes=SQUARE_SHAPES,
)
