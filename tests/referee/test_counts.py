"""Counts of move sequences and of positions: the fingerprint of a rule set. A capture is a move of its own.

Nine men's morris and Tic Tac Toe are published (Sanmill; any textbook); 5,390, 5,550 and 255,168 stand in the rule
texts. The other figures are of games and options that `test_oracle` does not play, and were counted once by these
rules.
"""

from typing import Any

import pytest

from referee.advance import advance
from referee.endings import Termination
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import find_variant
from referee.search.exact_table import solved
from referee.search.thought import Value
from referee.turns import Turn, legal_turns

FROM_THE_START: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("nine_mens_morris", {}, (24, 552, 12144, 255024)),  # published
    ("millchen", {}, (24, 552, 12144, 255024)),  # differs from nine men's morris only later
    ("tic_tac_toe", {}, (9, 72, 504, 3024, 15120, 54720)),  # published
    ("tic_tac_toe", {"first": 1}, (9, 72, 504, 3024, 15120)),
    ("three_mens_morris", {}, (9, 72, 504, 3024, 15120, 54720)),
    ("three_mens_morris", {"diagonals": False}, (9, 72, 504, 3024, 15120, 56160)),  # no mills on the diagonals
    ("three_mens_morris", {"no_centre_first": True}, (8, 64, 448, 2688, 13440, 48960)),
    ("morabaraba", {}, (24, 552, 12144)),
    ("lasker_morris", {}, (24, 552, 13552)),  # from the third ply on stones may also slide
    ("roman_mill", {}, (9, 72, 504, 3024, 15120, 57600)),
    ("roman_mill", {"win_in_placing": False}, (9, 72, 504, 3024, 15120, 60480)),
    ("moulin_rouge", {}, (24, 552, 15456)),  # from the third ply on rings turn: 24 x (22 x 26 + 3 x 24)
    ("moulin_rouge", {"lock": "off"}, (24, 552, 15456)),
    ("moulin_rouge", {"rotate_needs": "ring"}, (24, 552, 13248)),  # 24 x 23 x (22 + 2)
    ("trialectic", {}, (18, 324, 5832)),  # 18 cubed: the third stone of a tower still fits everywhere
]


def perft(position: Position, depth: int) -> int:
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(advance(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize(("game", "options", "counts"), FROM_THE_START)
def test_perft_from_the_start(game: str, options: dict[str, Any], counts: tuple[int, ...]) -> None:
    start = Position.start(find_variant(game, **options))
    assert tuple(perft(start, depth + 1) for depth in range(len(counts))) == counts


@pytest.mark.slow
def test_perft_five_of_nine_mens_morris_is_as_published() -> None:
    assert perft(Position.start(find_variant("nine_mens_morris")), 5) == 5_100_480


def explore(game: str, **options: Any) -> tuple[dict[Position, tuple[Turn, ...]], list[Turn]]:
    """Every position that can come about, with its turns; and the turns after which somebody is skipped."""
    start = Position.start(find_variant(game, **options))
    found: dict[Position, tuple[Turn, ...]] = {}
    skips: list[Turn] = []
    todo = [start]
    while todo:
        position = todo.pop()
        if position in found:
            continue
        found[position] = legal_turns(position)
        for turn in found[position]:
            todo.append(turn.after)
            if turn.skipped:
                skips.append(turn)
    return found, skips


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


POSITIONS: list[tuple[str, dict[str, Any], int, int, int]] = [
    ("three_mens_morris", {}, 5390, 0, 0), ("roman_mill", {}, 5550, 0, 0),
    ("roman_mill", {"win_in_placing": False}, 5782, 0, 24), ("nine_holes", {"fly": "off"}, 5466, 8, 0),
    ("achi", {}, 5716, 12, 0),
]  # fmt: skip


@pytest.mark.parametrize(("game", "options", "n_positions", "n_blocked", "n_skips"), POSITIONS)
def test_a_small_game_has_so_many_positions(
    game: str, options: dict[str, Any], n_positions: int, n_blocked: int, n_skips: int
) -> None:
    found, skips = explore(game, **options)
    blocked = [p for p in found if p.ended is not None and p.ended.termination is Termination.NO_MOVES]
    assert (len(found), len(blocked), len(skips)) == (n_positions, n_blocked, n_skips)


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
