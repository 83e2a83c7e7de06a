"""Dooz, the mill of Iran: while stones are laid, a mill costs the opponent a stone out of the hand.

Source: Sanmill (``DoozRuleSettings`` in rule_settings.dart, which names dezyan.blogfa.com and three films on
aparat.com).
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, SQUARE_SHAPES, TWELVE_MENS_MORRIS_RULES
from referee.variant import Preset

GAME = Preset(
    replace(
        TWELVE_MENS_MORRIS_RULES,  # Sanmill: twelve each, with diagonals
        name="dooz",
        placing_mill="hand",  # Sanmill: removeOpponentsPieceFromHandThenOpponentsTurn
        protect="never",  # Sanmill: mayRemoveFromMillsAlways; aparat.com/v/o39z663 plays without: protect=unless_all
        board_full="first_removes",  # Sanmill: sideToMoveRemovePiece
    ),
    offers=MORRIS_OPTIONS,
    shapes=SQUARE_SHAPES,
)
