"""Tables of solved games: every value follows from those one turn later, and who plays by them keeps what he has."""

import json
import zlib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.game import Game
from referee.moves import parse_move
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.search import shipped_solution
from referee.search.exact_table import ExactTable, SolvedGame, can_be_solved, solved
from referee.search.shipped_solution import StoredTable, rules_of, stored, unpack
from referee.search.think import choose_turn, table_of, think
from referee.search.thought import Limits, Value
from referee.turns import legal_turns
from referee.variant import Variant
from tools.solve_game import Solver

pytestmark = pytest.mark.film

LINE_GAMES = ("tic_tac_toe", "three_mens_morris", "achi", "tapatan", "nine_holes", "roman_mill", "tant_fant", "picaria")
SIX = find_variant("six_mens_morris")
STORED = {
    "six": SIX, "five": find_variant("five_mens_morris"), "six flying": find_variant("six_mens_morris", fly="own"),
    "five flying": find_variant("five_mens_morris", fly="own"),
}  # fmt: skip
FILES = ("six", "six flying")


def value_by_successors(table: SolvedGame, position: Position) -> Value:
    """What a position is worth by what its turns lead to, with no help from the tables' own code."""
    me = position.to_move
    after = [table.value(turn.after) for turn in legal_turns(position)]
    values = [value for value in after if value is not None]
    assert len(values) == len(after) > 0
    wins = [value.turns for value in values if value.winner == me and value.turns is not None]
    if wins:
        return Value.won(2, me, 1 + min(wins))
    losses = [value.turns for value in values if value.winner == 1 - me and value.turns is not None]
    return Value.won(2, 1 - me, 1 + max(losses)) if len(losses) == len(values) else Value.drawn(2)


def is_kept(table: SolvedGame, position: Position) -> bool:
    """Whether strong play from here keeps its value: a win comes one turn nearer, a loss no faster, a draw stays."""
    value = table.value(position)
    thought = choose_turn(Game(position), "strong", lambda: 0.0)
    after = table.value(thought.turn.after)
    assert value is not None and after is not None and thought.depth == 0
    if value.turns is None:
        return after.winner is None
    return after.winner == value.winner and after.turns == value.turns - 1


def every_position(table: ExactTable) -> list[Position]:
    """All positions of a game that are not over, one of those that are turned or mirrored into one another."""
    start = Position.start(table.variant)
    found = {table.key(start): start}
    todo = [start]
    while todo:
        for turn in legal_turns(todo.pop()):
            if turn.after.ended is None and (key := table.key(turn.after)) not in found:
                found[key] = turn.after
                todo.append(turn.after)
    return list(found.values())


def positions_set_up(variant: Variant, n: int, seed: int) -> Iterator[Position]:
    """Positions thrown together, most of which no game leads to, with hands as a game empties them."""
    random, points, men = Random(seed), variant.board.points, variant.stones[0]
    n_found = 0
    while n_found < n:
        laid = random.choice([*range(2 * men), *[2 * men] * men])
        hands = (men - (laid + 1) // 2, men - laid // 2)
        lost = [random.randint(0, 3), random.randint(0, 3)]
        counts = [men - hand - gone for hand, gone in zip(hands, lost, strict=True)]
        if min(counts) < 0 or min(count + hand for count, hand in zip(counts, hands, strict=True)) < 3:
            continue
        chosen = random.sample(points, sum(counts))
        stones = {point: [int(i >= counts[0])] for i, point in enumerate(chosen)}
        to_move = laid % 2 if laid < 2 * men else random.randint(0, 1)
        position = Game(Position.set_up(variant, stones, hands, to_move)).position
        if position.ended is None:
            n_found += 1
            yield position


def test_the_games_in_which_three_in_a_row_wins_are_all_here() -> None:
    assert {name for name, preset in PRESETS.items() if can_be_solved(preset.variant)} == set(LINE_GAMES)


def exact_value(position: Position) -> Value | None:
    table = table_of(position.variant)
    return None if table is None else table.value(position)


LARGE = 5_000
"""Positions from which on every eighth stands for all, but for who asks for slow tests."""


@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", LINE_GAMES)
def test_every_value_of_a_small_game_follows_and_strong_play_keeps_what_it_has(game: str, every: int) -> None:
    table = solved(find_variant(game))
    assert table is not None
    positions = every_position(table)
    assert {table.key(position) for position in positions} == set(table.distances)
    asked = positions[:: every if len(positions) > LARGE else 1]
    wrong = [str(position) for position in asked if table.value(position) != value_by_successors(table, position)]
    spoiled = [str(position) for position in asked if not is_kept(table, position)]
    print(f"{game}: {len(asked)} of {len(positions)} positions, {len(wrong)} values wrong, {len(spoiled)} spoiled")
    assert (wrong, spoiled) == ([], [])


def stored_of(variant: Variant) -> StoredTable:
    table = stored(variant)
    assert table is not None
    return table


@pytest.mark.parametrize("n", [400, pytest.param(50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", STORED)
def test_six_and_five_mens_morris_are_drawn_and_each_value_follows_from_those_a_turn_later(game: str, n: int) -> None:
    variant = STORED[game]
    table = stored_of(variant)
    assert table.value(Position.start(variant)) == Value.drawn(2)
    decided, longest, n_wrong = 0, 0, 0
    for position in positions_set_up(variant, n, seed=1):
        value = table.value(position)
        n_wrong += value != value_by_successors(table, position)
        assert value is not None
        decided += value.winner is not None
        longest = max(longest, value.turns or 0)
    print(f"{game}: {n} positions, {decided} decided, the longest in {longest} turns, {n_wrong} disagreements")
    assert n // 50 < decided < n and longest > 7 and n_wrong == 0


@pytest.mark.parametrize("game", STORED)
def test_strong_play_keeps_every_win_and_every_draw(game: str) -> None:
    table = stored_of(STORED[game])
    assert [str(p) for p in positions_set_up(STORED[game], 300, 4) if not is_kept(table, p)] == []


def test_while_a_capture_is_due_the_best_one_counts() -> None:
    game = Game.start(SIX)
    for text in ("a1", "b2", "a3", "c1", "a5"):
        game = game.play(parse_move(text, SIX.board))
    assert game.position.owed == 1
    values = [value for turn in legal_turns(game.position) if (value := exact_value(turn.after)) is not None]
    now = exact_value(game.position)
    assert now is not None and now.shares[0] == max(value.shares[0] for value in values)
    thought = think(game, Limits(positions=1))
    assert thought.depth == 0 and thought.value == now


def test_what_no_game_can_lead_to_has_no_value() -> None:
    stones = {"a1": [0], "c1": [1]}
    for hands, to_move, is_known in (((5, 4), 0, True), ((5, 4), 1, False), ((1, 5), 0, False), ((0, 0), 0, False)):
        value = exact_value(Position.set_up(SIX, stones, hands, to_move))
        assert (value is not None) == is_known


@pytest.mark.parametrize(
    "options",
    [
        {"men": 7}, {"fly": "both"}, {"fly": "own", "fly_at": 4}, {"capture": "may"}, {"protect": "never"},
        {"multi_moving": "each"}, {"diagonals": True}, {"min_stones": 4}, {"stalemate": "pass"}, {"no_remake": True},
        {"repetition": 3}, {"draw_plies": 30}, {"endgame_plies": 30}, {"max_turns": 100},
    ],
    ids=str,
)  # fmt: skip
def test_other_rules_have_no_table(options: dict[str, Any]) -> None:
    assert table_of(find_variant("six_mens_morris", **options)) is None


@pytest.mark.slow
@pytest.mark.parametrize("game", STORED)
def test_the_file_is_what_the_script_writes(game: str) -> None:
    solver, table = Solver(STORED[game]), stored_of(STORED[game])
    solver.solve()
    for part, at in solver.layout.offsets.items():
        mine, there = solver.positions(part)[0], table.layout.offsets[part]
        assert bytes(solver.codes[at : at + len(mine)]) == table.codes[there : there + len(mine)]
    assert solver.layout.size == len(solver.codes) - 1


def shipped() -> bytes:
    return files("referee.search").joinpath("tables", "six_mens_morris.table").read_bytes()


def test_every_file_serves_a_game_and_all_together_are_smaller_than_five_megabytes() -> None:
    tables = [path.read_bytes() for path in Path(shipped_solution.__file__).parent.joinpath("tables").iterdir()]
    made_for = {json.loads(table.partition(b"\n")[0])["rules"] for table in tables}
    assert made_for == {rules_of(STORED[game]) for game in FILES}
    assert sum(map(len, tables)) <= 5_000_000


def _of_other_codes(data: bytes) -> bytes:
    header, _, packed = data.partition(b"\n")
    codes = bytearray(zlib.decompress(packed))
    codes[1000] ^= 1
    return header + b"\n" + zlib.compress(bytes(codes), 1)


DAMAGES = {
    "torn": lambda data: data[:-1000],
    "torn in its first line": lambda data: data[:30],
    "empty": lambda data: b"",
    "another header": lambda data: b"[1, 2]\n" + data,
    "a byte changed": lambda data: data[:500_000] + bytes([data[500_000] ^ 1]) + data[500_001:],
    "another value": _of_other_codes,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_with_a_sentence_and_the_game_goes_on_by_searching(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DAMAGES[damage](shipped())
    with pytest.raises(ValueError, match=r"^the table is damaged: .+"):
        unpack(data, SIX)
    monkeypatch.setattr(shipped_solution, "files", lambda package: tmp_path)
    (tmp_path / "tables").mkdir()
    file = tmp_path / "tables" / "six_mens_morris.table"
    file.write_bytes(data)
    for _ in range(2):  # damaged, and not there
        stored.cache_clear()
        try:
            assert table_of(SIX) is None
            assert think(Game.start(SIX), Limits(positions=50, depth=1)).depth == 1
        finally:
            stored.cache_clear()
        file.unlink(missing_ok=True)


def test_a_file_of_other_rules_or_of_another_format_is_not_read() -> None:
    header, _, packed = shipped().partition(b"\n")
    said = json.loads(header)
    for word, value in (("rules", "0" * 64), ("format", 2), ("men", 5)):
        assert unpack(json.dumps(said | {word: value}).encode() + b"\n" + packed, SIX) is None
