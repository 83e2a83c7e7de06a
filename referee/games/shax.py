"""Shax of Somalia, also Jar: twelve stones each fill the board before the first one is taken.

Sources: House That Jak Built ("Shax"), Cardboard Koinonia ("Board Game History: Shax"), games.porg.es ("Shax"),
Wikipedia ("Shax (board game)"). They agree in all that stands here, except on who takes the first stone where both have
closed a mill: games.porg.es lets only one player take.
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, NINE_MENS_MORRIS_RULES, SQUARE_SHAPES
from referee.variant import Preset

GAME = Preset(
    replace(
        NINE_MENS_MORRIS_RULES,  # Jak: "the 9 Men's Morris board (3 squares and no diagonals)"
        name="shax",
        stones=(12, 12),
        placing_mill="nothing",  # Jak: "No pieces are removed during this phase of the game"
        # Jak: "the player who made the first jare has the right to remove one piece", "the other player then removes
        # one", "If no jare was made ... the 2nd player makes the first removal"; who removed first moves first
        board_full="first_mill_removes",
        stalemate="pass",  # Koinonia: "he may demand that the opponent moves his stones until the blockade is removed"
        mill_while_blocked=False,  # Koinonia: "if a jare is formed during these moves, then no capture is performed"
        protect="never",  # Koinonia: "pieces in a jare are never protected against capture"
        fly="off",  # Koinonia: "There is no flying phase"
    ),
    offers={name: MORRIS_OPTIONS[name] for name in ("diagonals", "protect", "capture", "board_full")},
    values={"board_full": ("first_mill_removes", "first_removes", "second_removes", "both_remove")},
    shapes=SQUARE_SHAPES,
)
