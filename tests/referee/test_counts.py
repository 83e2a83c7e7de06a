"""Counts of move sequences and of positions: the fingerprint of a rule set. A capture is a move of its own.

Nine men's morris and Tic Tac Toe are published (Sanmill; any textbook); 5,390, 5,550 and 255,168 stand in the rule
texts. The other figures are of games and options that `test_oracle` does not play.
"""

import pytest

from referee.advance import advance
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import find_variant
from referee.search.exact_table import solved
from referee.search.thought import Value
from referee.turns import Turn, legal_turns
from tests.referee.positions import rules_of

FROM_THE_START: list[tuple[str, tuple[int, ...]]] = [
    ("nine_mens_morris", (24, 552, 12144, 255024)),  # published
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


@pytest.mark.slow
def test_perft_five_of_nine_mens_morris_is_as_published() -> None:
    assert perft(Position.start(find_variant("nine_mens_morris")), 5) == 5_100_480


def test_tic_tac_toe_has_255168_games() -> None:
    ends = {0: 0, 1: 0, None: 0}
    cache: dict[Position, dict[int | None, int]] = {}

    def count(position: Position) -> dict[int | None, int]:
        if position not in cache:
            if position.ended is not None:
                cache[position] = {position.ended.winner: 1}
            else:
                total: dict[int | None, int] = {}
                for move in legal_moves(position):
                    for winner, n in count(advance(position, move)).items():
                        total[winner] = total.get(winner, 0) + n
                cache[position] = total
        return cache[position]

    ends.update(count(Position.start(find_variant("tic_tac_toe"))))
    assert ends == {0: 131184, 1: 77904, None: 46080}
    assert sum(ends.values()) == 255168
    assert len(cache) == 5478


@pytest.mark.parametrize(
    ("game", "n_positions", "n_skips"),
    [("three_mens_morris", 5390, 0), ("roman_mill", 5550, 0), ("roman_mill win_in_placing=no", 5782, 24)],
)
def test_a_small_game_has_so_many_positions(game: str, n_positions: int, n_skips: int) -> None:
    turns_of: dict[Position, tuple[Turn, ...]] = {}
    todo = [Position.start(rules_of(game))]
    while todo:
        position = todo.pop()
        if position not in turns_of:
            turns_of[position] = legal_turns(position)
            todo += [turn.after for turn in turns_of[position]]
    skips = [turn for turns in turns_of.values() for turn in turns if turn.skipped]
    assert (len(turns_of), len(skips)) == (n_positions, n_skips)


def values_of_openings(game: str) -> dict[str, Value | None]:
    start = Position.start(find_variant(game))
    table = solved(start.variant)
    assert table is not None
    return {str(turn): table.value(turn.after) for turn in legal_turns(start)}


def test_three_mens_morris_is_won_by_the_centre_in_nine_plies_and_lost_by_the_edges() -> None:
    openings = values_of_openings("three_mens_morris")
    assert openings["b2"] == Value.won(2, 0, 8)  # the opening itself is the first of nine plies
    for edge in ("a2", "b1", "b3", "c2"):
        value = openings[edge]
        assert value is not None and value.winner == 1


def test_roman_mill_is_drawn_with_best_play_whatever_the_first_stone() -> None:
    assert set(values_of_openings("roman_mill").values()) == {Value.drawn(2)}
