"""Whole small games, counted completely; the figures are those of the rule texts or published elsewhere."""

from typing import Any

import pytest

from referee.advance import advance
from referee.board import Board
from referee.endings import Termination
from referee.legal import legal_moves
from referee.position import Position
from referee.presets import find_variant
from referee.turns import Turn, legal_turns


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


def solve(found: dict[Position, tuple[Turn, ...]]) -> dict[Position, tuple[int, int]]:
    """For each decided position who wins and after how many plies; all others are drawn."""
    value: dict[Position, tuple[int, int]] = {
        position: (position.ended.winner, 0)
        for position in found
        if position.ended is not None and position.ended.winner is not None
    }
    newly = value
    while newly:
        newly = {}  # a round finds what is decided one ply earlier than the last one did
        for position, turns in found.items():
            if position in value or position.ended is not None:
                continue
            me = position.to_move
            results = [value.get(turn.after) for turn in turns]
            wins = [result[1] for result in results if result is not None and result[0] == me]
            if wins:
                newly[position] = (me, 1 + min(wins))
            elif all(result is not None for result in results):
                newly[position] = (1 - me, 1 + max(result[1] for result in results if result is not None))
        value |= newly
    return value


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


@pytest.mark.slow
def test_tic_tac_toe_has_255168_games_walked_one_by_one() -> None:
    ends: dict[int | None, int] = {}

    def walk(position: Position) -> None:
        if position.ended is not None:
            ends[position.ended.winner] = ends.get(position.ended.winner, 0) + 1
        for move in legal_moves(position):
            walk(advance(position, move))

    walk(Position.start(find_variant("tic_tac_toe")))
    assert ends == {0: 131184, 1: 77904, None: 46080}


def test_three_mens_morris_has_5390_positions_and_nobody_is_ever_blocked() -> None:
    found, skips = explore("three_mens_morris")
    assert len(found) == 5390
    assert not skips
    reasons = {position.ended.termination for position in found if position.ended is not None}
    assert reasons == {Termination.THREE_IN_A_ROW}


def test_three_mens_morris_without_diagonals_can_block_a_player() -> None:
    found, _ = explore("three_mens_morris", diagonals=False)
    reasons = {position.ended.termination for position in found if position.ended is not None}
    assert reasons == {Termination.THREE_IN_A_ROW, Termination.NO_MOVES}


def test_three_mens_morris_is_won_by_the_centre_in_nine_plies_and_lost_by_the_edges() -> None:
    found, _ = explore("three_mens_morris")
    value = solve(found)
    start = Position.start(find_variant("three_mens_morris"))
    openings = {str(turn): value.get(turn.after) for turn in found[start]}
    assert openings["b2"] == (0, 8)  # the opening itself is the first of nine plies
    for edge in ("a2", "b1", "b3", "c2"):
        result = openings[edge]
        assert result is not None and result[0] == 1


def test_roman_mill_has_5550_positions_and_nobody_is_ever_blocked_when_placing_wins() -> None:
    found, skips = explore("roman_mill")
    assert len(found) == 5550
    assert not skips


def test_roman_mill_has_24_turns_with_a_skip_when_only_moving_wins() -> None:
    _, skips = explore("roman_mill", win_in_placing=False)
    assert len(skips) == 24


@pytest.mark.parametrize("win_in_placing", [True, False])
def test_roman_mill_is_drawn_with_best_play_whatever_the_first_stone(win_in_placing: bool) -> None:
    found, _ = explore("roman_mill", win_in_placing=win_in_placing)
    value = solve(found)
    start = Position.start(find_variant("roman_mill", win_in_placing=win_in_placing))
    assert all(turn.after not in value for turn in found[start])


def test_three_mens_morris_by_brute_force_over_tuples() -> None:
    """The same count without any of the rules' code: nine cells, two players, eight lines."""
    board: Board = find_variant("three_mens_morris").board
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    near = {a: {b for line in lines for b in line if a in line and abs(line.index(a) - line.index(b)) == 1}
            for a in range(9)}  # fmt: skip
    assert {frozenset(line) for line in lines} == {frozenset(line) for line in board.lines}
    seen = set()
    todo = [((0,) * 9, 1)]
    while todo:
        cells, player = state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        if any(cells[a] and cells[a] == cells[b] == cells[c] for a, b, c in lines):
            continue
        free = [i for i in range(9) if not cells[i]]
        if cells.count(player) < 3:
            steps = [(None, to) for to in free]
        else:
            steps = [(start, to) for start in range(9) if cells[start] == player for to in free if to in near[start]]
        for start, to in steps:
            new = list(cells)
            if start is not None:
                new[start] = 0
            new[to] = player
            todo.append((tuple(new), 3 - player))
    assert len(seen) == 5390
