"""The games of the rule sheets and their nearest relatives, as differences from one another.

Source numbers are those of the rule sheets: 000 the cloth board (Tic Tac Toe, Millchen), 001 the Roman mill,
002 nine men's morris, 003 Moulin Rouge, 004 Trialectic. GAR are the Generally Accepted Rules of Morabaraba,
WMD the World Mill Federation. Where a rule text can be read in two ways, the option says so and both are playable.
Every other game is a file of its own in ``games/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee import layouts
from referee.variant import Preset, Shape, Variant

# ---------------------------------------------------------------- options that change board or stones


def _players(variant: Variant, players: int) -> Variant:
    # 003 names no number of holes; four a player gives two players the 24 fields of the usual three-ring cloth
    return replace(variant, board=layouts.moulin_rouge(4 * players), stones=(variant.stones[0],) * players)


def _diagonals(variant: Variant, has_diagonals: int) -> Variant:
    return replace(variant, board=layouts.with_diagonals(variant.board, has_diagonals=bool(has_diagonals)))


# what the option ``diagonals`` does, for the games on square boards
SQUARE_SHAPES: Mapping[str, Shape] = {"diagonals": _diagonals}


# ---------------------------------------------------------------- the games

TIC_TAC_TOE_RULES = Variant(
    "tic_tac_toe",
    layouts.TIC_TAC_TOE,
    stones=(5, 4),  # 000: nine stones, laid in turns
    slides=False,
    line_wins=True,
    min_stones=0,
)

NINE_MENS_MORRIS_RULES = Variant(
    "nine_mens_morris", layouts.NINE_MENS_MORRIS, stones=(9, 9)
)  # 002: flying is only "a usual variant"

MILLCHEN_RULES = replace(
    NINE_MENS_MORRIS_RULES,
    name="millchen",
    fly="own",  # 000: "sofern dieser Spieler nur noch 3 Spielsteine auf dem Spielbrett hat"
    multi_moving="each",  # 000: one stone for every mill, but only one while placing
    repetition=3,  # 000: "3-Mal ... die gleiche Stellung"
    draw_plies=20,  # 000: "nach insgesamt 20 Spielzuegen von keinem der beiden Spieler eine Muehle"
)

SIX_MENS_MORRIS_RULES = replace(
    NINE_MENS_MORRIS_RULES, name="six_mens_morris", board=layouts.SIX_MENS_MORRIS, stones=(6, 6)
)  # 002, Murray

TWELVE_MENS_MORRIS_RULES = replace(
    NINE_MENS_MORRIS_RULES, name="twelve_mens_morris", board=layouts.TWELVE_MENS_MORRIS, stones=(12, 12), fly="own"
)  # 002; diagonals are mills: Sanmill, Gevay and Danner

MORABARABA_RULES = replace(
    TWELVE_MENS_MORRIS_RULES,
    name="morabaraba",
    no_remake=True,  # GAR: not "back to the original junction in his/her next move"
    draw_plies=20,  # GAR: "within ten moves", read as ten moves of each
    draw_when="one_has_three",  # GAR: "if either player has only three cows"
)

LASKER_MORRIS_RULES = replace(
    NINE_MENS_MORRIS_RULES, name="lasker_morris", stones=(10, 10), slide_while_placing=True, fly="own"
)

THREE_MENS_MORRIS_RULES = Variant(
    "three_mens_morris",
    layouts.THREE_MENS_MORRIS,
    stones=(3, 3),
    line_wins=True,
    min_stones=0,
    repetition=3,  # 002 is silent; without it the game need not end
)

ROMAN_MILL_RULES = Variant(
    "roman_mill",
    layouts.ROMAN_MILL,
    stones=(3, 3),
    line_wins=True,
    min_stones=0,
    stalemate="pass",  # 001: the other moves on until the first can move again
)

MOULIN_ROUGE_RULES = Variant(
    "moulin_rouge",
    layouts.MOULIN_ROUGE,
    stones=(10, 10),
    fly="own",  # 003: "Wer nur noch 3 Steine besitzt"
    rotates=True,
    protect="always",  # 003: "nicht aus einer Muehle!", without exception
    multi_placing="each",  # 003: two or three mills take two or three stones from everybody
    multi_moving="each",
    each_opponent=True,  # 003: "von jedem seiner Mitspieler"
    leftover="must",  # 003: the last two stones only go one by one, by mills
    last_reason="last_with_three",
    stalemate="pass",
)

TRIALECTIC_RULES = Variant(
    "trialectic",
    layouts.TRIALECTIC,
    stones=(9, 9, 9),
    max_height=3,  # 004: "bis zu 3 Steine ... aufeinander"
    towers=True,
    fly="own",
    protect="always",  # 004: "Steine aus einer Muehle darf er nicht nehmen"
    leftover="convert",  # 004: they belong to who took the third last one
    last_reason="last_with_three",
    stalemate="pass",
)

MORRIS_OPTIONS = {
    "fly": "000, 002",
    "capture": "000",
    "protect": "000, 002, WMD",
    "multi_placing": "000",
    "multi_moving": "000",
    "men": "002",
    "no_remake": "GAR",
    "board_full": "Sanmill",
    "diagonals": "Sanmill",  # hasDiagonalLines
    "fly_at": "Sanmill",  # flyPieceCount
    "min_stones": "Sanmill",  # piecesAtLeastCount
    "placing_mill": "Sanmill",  # millFormationActionInPlacingPhase; the other turn: Parker 1909, of Nerenchi
    "one_time": "Sanmill",  # oneTimeUseMill
    "stop_placing": "Parker 1909",  # of Nerenchi: "when only two places remain unfilled"
    "moves_first": "Sanmill",  # isDefenderMoveFirst
    "endgame_plies": "Sanmill",  # endgameNMoveRule
}
"""What tables ask for on the boards of squares, and which source asks for it."""

STANDARD_GAMES = (
    Preset(TIC_TAC_TOE_RULES, {}),
    Preset(MILLCHEN_RULES, MORRIS_OPTIONS, shapes=SQUARE_SHAPES),
    Preset(NINE_MENS_MORRIS_RULES, MORRIS_OPTIONS, shapes=SQUARE_SHAPES),
    Preset(
        THREE_MENS_MORRIS_RULES,
        {"diagonals": "002", "fly": "002", "no_centre_first": "002", "win_in_placing": "002"},
        shapes=SQUARE_SHAPES,
    ),
    Preset(SIX_MENS_MORRIS_RULES, MORRIS_OPTIONS, {"men": (3, 7)}, SQUARE_SHAPES),
    Preset(TWELVE_MENS_MORRIS_RULES, MORRIS_OPTIONS, shapes=SQUARE_SHAPES),
    Preset(MORABARABA_RULES, MORRIS_OPTIONS, shapes=SQUARE_SHAPES),
    Preset(LASKER_MORRIS_RULES, MORRIS_OPTIONS, shapes=SQUARE_SHAPES),
    Preset(
        ROMAN_MILL_RULES,
        {"win_in_placing": "001", "no_centre_first": "001"},
        begins="youngest",  # 001
    ),
    Preset(
        MOULIN_ROUGE_RULES,
        dict.fromkeys(
            ("players", "fields", "fly", "lock", "rotate_needs", "rotate_same_line", "multi", "protect", "leftover"),
            "003",
        ),
        {"leftover": ("must", "may", "never"), "fly": ("off", "own")},
        {"players": _players},
        board_with_holes=layouts.moulin_rouge,
        begins="lot",  # 003
    ),
    Preset(
        TRIALECTIC_RULES,
        dict.fromkeys(("fly", "capture", "multi", "protect", "take_from", "leftover"), "004"),
        {"leftover": ("convert", "remove"), "fly": ("off", "own")},
    ),
)
