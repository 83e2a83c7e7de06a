"""Counts of move sequences: the fingerprint of a rule set. A capture is a move of its own.

Where the figures come from: nine men's morris and Tic Tac Toe are published (Sanmill; any textbook), the small games
agree with the brute force of ``test_small_games.py``, Moulin Rouge and Trialectic with the second implementation in
``test_second_opinion.py``, the games of the shelf with ``test_shelf_second_opinion.py``, nine men's morris also with
OpenSpiel. The other figures were produced once by these rules
and keep them from changing unnoticed.
"""

from typing import Any

import pytest

from referee.advance import advance
from referee.fen import parse_fen
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import find_variant

FROM_THE_START: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("nine_mens_morris", {}, (24, 552, 12144, 255024)),  # published
    ("millchen", {}, (24, 552, 12144, 255024)),  # differs from nine men's morris only later
    ("tic_tac_toe", {}, (9, 72, 504, 3024, 15120, 54720)),  # published
    ("tic_tac_toe", {"first": 1}, (9, 72, 504, 3024, 15120)),
    ("three_mens_morris", {}, (9, 72, 504, 3024, 15120, 54720)),
    ("three_mens_morris", {"diagonals": False}, (9, 72, 504, 3024, 15120, 56160)),  # no mills on the diagonals
    ("three_mens_morris", {"no_centre_first": True}, (8, 64, 448, 2688, 13440, 48960)),
    ("six_mens_morris", {}, (16, 240, 3360, 43680)),
    ("twelve_mens_morris", {}, (24, 552, 12144, 255024)),
    ("morabaraba", {}, (24, 552, 12144)),
    ("lasker_morris", {}, (24, 552, 13552)),  # from the third ply on stones may also slide
    ("roman_mill", {}, (9, 72, 504, 3024, 15120, 57600)),
    ("roman_mill", {"win_in_placing": False}, (9, 72, 504, 3024, 15120, 60480)),
    ("moulin_rouge", {}, (24, 552, 15456)),  # from the third ply on rings turn: 24 x (22 x 26 + 3 x 24)
    ("moulin_rouge", {"lock": "off"}, (24, 552, 15456)),
    ("moulin_rouge", {"rotate_needs": "ring"}, (24, 552, 13248)),  # 24 x 23 x (22 + 2)
    ("moulin_rouge", {"players": 3}, (36, 1260, 42840)),
    ("trialectic", {}, (18, 324, 5832)),  # 18 cubed: the third stone of a tower still fits everywhere
    ("tapatan", {}, (9, 72, 504, 3024, 15120, 54720)),
    ("achi", {}, (9, 72, 504, 3024, 15120, 54720)),
    ("nine_holes", {}, (9, 72, 504, 3024, 15120, 56160)),  # no mills on the diagonals
    ("picaria", {}, (13, 156, 1716, 17160)),
    ("picaria", {"no_centre_placing": True}, (12, 132, 1320, 11880)),
    ("tant_fant", {}, (5, 14, 60, 266, 1044, 3864, 15048)),
    ("five_mens_morris", {}, (16, 240, 3360)),
    ("seven_mens_morris", {}, (17, 272, 4080)),
    ("nerenchi", {}, (24, 552, 12144)),
]

FROM_THE_MIDDLE: list[tuple[str, dict[str, Any], str, tuple[int, ...]]] = [
    ("nine_mens_morris", {}, "O*@@O*@*/OOO@@O@O/@O*O***@ b m s 9 0 8 0 0 0 0 0 0 0 0 0 1", (6, 42, 286, 2030, 13656)),
    ("millchen", {}, "O***O**@/O**@****/O*@OOO*O b m s 8 0 3 0 0 0 0 0 0 0 0 0 1", (39, 386, 15054)),
    ("twelve_mens_morris", {}, "O@@@OOO*/@OO@@@*@/@*OOOO*@ w m s 10 0 10 0 0 0 0 0 0 0 0 0 1", (6, 24, 150, 812, 5126)),
    ("morabaraba", {}, "OO@O@@@O/@@*@O@O*/O*@O*OO* w m s 10 0 9 0 0 0 0 0 0 0 0 0 1", (8, 63, 500, 4014, 28758)),
    ("lasker_morris", {}, "@@*@@*@O/O*@*O***/O@*O*@OO b p p 7 3 8 2 0 0 0 0 0 0 0 0 1", (20, 282, 4923)),
    (
        "moulin_rouge",
        {},
        "@*@O**O@/*@**@@**/*O@*O@O@ w m s 5 0 9 0 0 0 0 0 0 0 0 0 1 lock:m+",
        (12, 258, 3147, 63874),
    ),
    (
        "moulin_rouge",
        {"players": 3},
        "XXOX@OXO@*OX/O@*O@*XO@X*@/@@*@X*@*XO*O w m s 9 0 10 0 9 0 0 0 0 0 0 0 0 0 0 0 0 1 lock:i+",
        (13, 192, 2421, 29007),
    ),
    (
        "trialectic",
        {},
        "O(XXO)O(@XX)(O@)*/@(@O)X(O@O)*@/(X@X)O@XO(@X) b m s 9 0 9 0 9 0 0 0 0 0 0 0 0 0 0 0 0 1",
        (9, 79, 925, 8464),
    ),
    (
        "trialectic",
        {"take_from": "any", "multi": "each"},
        "O(XXO)O(@XX)(O@)*/@(@O)X(O@O)*@/(X@X)O@XO(@X) b m s 9 0 9 0 9 0 0 0 0 0 0 0 0 0 0 0 0 1",
        (9, 84, 974, 9231),
    ),
    ("six_mens_morris", {}, "*OO@*@OOO@@@**** w m s 5 0 5 0 0 0 0 0 0 0 0 0 1", (5, 24, 121, 624, 3457, 17820)),
    ("millchen", {"capture": "may"}, "@***@OOO/@*O**@OO/@@O@***@ w m s 7 0 8 0 0 0 0 0 0 0 0 0 1",
     (4, 27, 141, 1080, 6478)),
    ("one_time_mill", {}, "@*@**O*O/OO@*@@O*/@@***OO* w m s 7 0 7 0 0 0 0 0 0 0 0 0 1 spent:8800,41",
     (8, 78, 610, 5504)),
    ("dooz", {}, "*@**@*O@/O**@****/**O*O**O b p p 5 7 4 8 0 0 0 0 0 0 0 0 1", (15, 210, 2730)),
    ("dooz", {}, "OO*@O@@@/@*@O*@*O/OO@@OO@O w m s 10 0 10 0 0 0 0 0 0 0 0 0 1", (7, 53, 406, 2860)),
    ("nerenchi", {}, "***O***@/@*****O@/O*O@O*** b p p 5 7 4 8 0 0 0 0 0 0 0 0 1", (15, 210, 2730)),
    ("nerenchi", {}, "O@OO*@@O/@@@*O@@O/OO*O@*OO w p p 11 1 9 3 0 0 0 0 0 0 0 0 1", (4, 21, 74, 238)),
    ("shax", {}, "OO@OOO@@/@OO@*@@O/@OO@O@@O b p p 12 0 11 1 0 0 0 0 0 0 0 0 1 mill:1", (1, 12, 144, 365)),
    ("shax", {}, "*O@O@@OO/O@O@OO*O/O@@*@*O* b m s 11 0 8 0 0 0 0 0 0 0 0 0 1", (3, 32, 252, 1155, 7687)),
    ("seven_mens_morris", {}, "O*@@@O@***OOO*O@O w m s 7 0 5 0 0 0 0 0 0 0 0 0 1", (7, 44, 285, 1499)),
    ("eleven_mens_morris", {}, "O@*O*@@*/*@@@O*@O/OO@O@OOO w m s 10 0 9 0 0 0 0 0 0 0 0 0 1", (10, 66, 483, 3665)),
    ("five_mens_morris", {}, "O*O@@***O**@@O@O w m s 5 0 5 0 0 0 0 0 0 0 0 0 1", (8, 33, 194, 1119, 6289)),
]  # fmt: skip


def perft(position: Position, depth: int) -> int:
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(advance(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize(("game", "options", "counts"), FROM_THE_START)
def test_perft_from_the_start(game: str, options: dict[str, Any], counts: tuple[int, ...]) -> None:
    start = Position.start(find_variant(game, **options))
    assert tuple(perft(start, depth + 1) for depth in range(len(counts))) == counts


@pytest.mark.parametrize(("game", "options", "fen", "counts"), FROM_THE_MIDDLE)
def test_perft_from_the_middle_of_a_game(game: str, options: dict[str, Any], fen: str, counts: tuple[int, ...]) -> None:
    position = parse_fen(fen, find_variant(game, **options))
    assert tuple(perft(position, depth + 1) for depth in range(len(counts))) == counts


@pytest.mark.slow
def test_perft_five_of_nine_mens_morris_is_as_published() -> None:
    assert perft(Position.start(find_variant("nine_mens_morris")), 5) == 5_100_480


@pytest.mark.slow
def test_perft_of_tic_tac_toe_to_the_end_is_as_published() -> None:
    start = Position.start(find_variant("tic_tac_toe"))
    published = (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
    assert tuple(perft(start, depth) for depth in range(1, 10)) == published
