"""Counts of move sequences and games, the fingerprint of a rule set; a capture is a move of its own.

Those of nine men's morris and Tic Tac Toe are published (Sanmill; any textbook).
"""

from functools import cache

import pytest

from referee.advance import advance
from referee.legal import legal_moves
from referee.position import Position
from tests.referee.positions import rules_of

FROM_THE_START: list[tuple[str, tuple[int, ...]]] = [
    ("nine_mens_morris", (24, 552, 12144, 255024)),  # published, as is 5,100,480 of five
    ("millchen", (24, 552, 12144, 255024)),  # differs from nine men's morris only later
    ("tic_tac_toe", (9, 72, 504, 3024, 15120, 54720)),  # published
    ("lasker_morris", (24, 552, 13552)),  # from the third ply on stones may also slide
    ("moulin_rouge rotate_needs=ring", (24, 552, 13248)),  # 24 x 23 x (22 + 2)
]


def perft(position: Position, depth: int) -> int:
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(advance(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize(("game", "counts"), FROM_THE_START)
def test_perft_from_the_start(game: str, counts: tuple[int, ...]) -> None:
    start = Position.start(rules_of(game))
    assert tuple(perft(start, depth + 1) for depth in range(len(counts))) == counts


@cache
def n_games(position: Position) -> int:
    return 1 if position.ended else sum(n_games(advance(position, move)) for move in legal_moves(position))


def test_tic_tac_toe_has_255168_games() -> None:
    assert n_games(Position.start(rules_of("tic_tac_toe"))) == 255168
