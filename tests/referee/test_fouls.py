"""Every kind of foul: as a move that somebody claims (``violations``), as a table that somebody sees (``rule_on``)."""

from collections.abc import Iterator

import numpy as np
import pytest

from referee.advance import rotated
from referee.fouls import Foul, play, violations
from referee.game import Game
from referee.moves import parse_move
from referee.position import Position
from referee.presets import find_variant
from referee.rulings import NATS, rule_on
from referee.turns import legal_turns, partial_turns
from tests.referee.positions import played, setup
from tests.synthetic.foul import EVERY_KIND, KINDS_OF_DISCS, KINDS_OF_TOWERS, tables_of

PLACING = played("millchen", "a7 g7 a4 g4").position
MOVING = setup("millchen", "a7 d7 b6 d6 c5 c4 | g7 g4 g1 f6 f4 e5")
DUE = played("millchen", "a7 g7 a4 g4 a1").position
TOWERS = Position.set_up(
    find_variant("trialectic"),
    {"a1": [0, 1], "a2": [1, 2, 0], "b1": [0], "b2": [0], "c1": [1], "c3": [2], "c4": [1], "c5": [2], "b5": [0]},
)
ROUGE = played("moulin_rouge", "o1 m1 o+").position


def reasons(position: Position, text: str, player: int | None = None) -> set[str]:
    return {str(reason) for reason in violations(position, parse_move(text, position.board), player)}


@pytest.mark.parametrize(
    ("position", "move", "expected"),
    [
        (PLACING, "a7", {"occupied"}), (PLACING, "a7-d7", {"moved_while_placing"}),
        (PLACING, "g7-d3", {"moved_opponent", "moved_while_placing", "not_adjacent"}),
        (PLACING, "d7-d6", {"moved_while_placing", "stone_appeared"}), (PLACING, "xg7", {"capture_without_mill"}),
        (PLACING, "xa7", {"capture_without_mill", "captured_own"}),
        (PLACING, "xd7", {"capture_without_mill", "captured_nothing"}), (PLACING, "x-", {"capture_without_mill"}),
        (PLACING, "--", {"passed"}), (played("tic_tac_toe", "a1 b2").position, "a1-a2", {"moved_while_placing"}),
        (MOVING, "d3", {"placed_while_moving"}), (MOVING, "a7", {"placed_while_moving", "occupied"}),
        (MOVING, "a7-d3", {"not_adjacent"}), (MOVING, "a7-d7", {"occupied"}),
        (MOVING, "g7-d7", {"moved_opponent", "occupied"}), (DUE, "d7", {"capture_missing"}),
        (DUE, "a7-d7", {"capture_missing", "moved_while_placing"}), (DUE, "xa4", {"captured_own"}),
        (DUE, "xd7", {"captured_nothing"}), (DUE, "x-", {"capture_missing"}), (DUE, "--", {"capture_missing"}),
        (TOWERS, "a1-a6", {"moved_blocked"}), (TOWERS, "c1-c2", {"moved_opponent"}), (TOWERS, "b1-b2", set()),
        (TOWERS, "b2-a2", {"stack_too_high"}), (ROUGE, "o-", {"rotated_back"}), (ROUGE, "o+", set()),
    ],
)  # fmt: skip
def test_all_reasons_against_a_move(position: Position, move: str, expected: set[str]) -> None:
    assert reasons(position, move) == expected


def test_a_stone_in_a_mill_is_safe_and_a_second_capture_is_too_many() -> None:
    closed = play(setup("millchen", "a7 d7 +7 | b6 d6 f6 d2 +5"), parse_move("g7", PLACING.board))
    assert reasons(closed, "xb6") == {"captured_from_mill"}
    three = setup("moulin_rouge players=3", "o1 m1 +8 | o2 m4 +8 | o7 m8 +8")
    due = play(play(three, parse_move("i1", three.board)), parse_move("xo2", three.board))
    assert reasons(due, "xm4") == {"too_many_captures"}


def test_several_reasons_are_told_beside_one_another() -> None:
    full = setup("millchen", "a7 d7 b6 d6 c5 c4 e3 d2 a1 | g7 g4 g1 f6 f4 e5 b4 c3 d1")
    assert rule_on(full, seen(full, d3=1)).kinds == ("placed_while_moving", "too_many_stones")
    assert reasons(PLACING, "d6", player=1) == {"wrong_player"}
    assert reasons(PLACING, "a7-d7", player=1) == {"wrong_player", "moved_opponent", "moved_while_placing"}


def test_a_stone_kept_from_a_point_for_one_turn_has_a_reason_too() -> None:
    start = Position.start(find_variant("three_mens_morris", no_centre_first=True))
    assert reasons(start, "b2") == {"centre_forbidden"}
    tops = seen(start, b2=1)
    assert (rule_on(start, tops).kinds, rule_on(start, tops).player) == (("centre_forbidden",), 0)
    position = setup("morabaraba", "a7 d7 g7 f4 e4 c3 | b6 d6 c5 e3 d1 b2")
    for text in ("g7-g4", "xb2", "d1-a1"):
        position = play(position, parse_move(text, position.board))
    assert reasons(position, "g4-g7") == {"remade_mill"}
    assert rule_on(position, seen(position, g4=0, g7=1)).kinds[0] == "remade_mill"


def seen(position: Position, **changes: int) -> list[int]:
    tops = list(position.tops)
    for name, top in changes.items():
        tops[position.board.index[name]] = top
    return tops


@pytest.mark.parametrize(
    ("position", "changes", "kind", "player"),
    [
        (PLACING, {"d6": 1, "d5": 1}, "two_moves", 0),
        (PLACING, {"d6": 2}, "wrong_player", 1),
        (PLACING, {"d6": 1, "g7": 0}, "capture_without_mill", 0),
        (PLACING, {"a7": 0, "d7": 1}, "moved_while_placing", 0),
        (PLACING, {"a7": 0, "d3": 1}, "moved_while_placing", 0),
        (PLACING, {"g7": 0, "d7": 2}, "moved_opponent", 0),
        (PLACING, {"a1": 1}, "capture_missing", 0),
        (PLACING, {"a1": 1, "g7": 0, "g4": 0}, "too_many_captures", 0),
        (PLACING, {"a1": 1, "a7": 0}, "captured_own", 0),
        (PLACING, {"g7": 0}, "stone_vanished", None),
        (PLACING, {"a7": 0}, "stone_vanished", None),
        (PLACING, {"g7": 1}, "occupied", 0),
        (MOVING, {"a7": 0, "d3": 1}, "not_adjacent", 0),
        (MOVING, {"d3": 1}, "placed_while_moving", 0),
        (MOVING, {"d3": 2}, "wrong_player", 1),
        (MOVING, {"f4": 0, "e4": 2}, "moved_opponent", 0),
        (MOVING, {"a7": 0, "a4": 1, "d6": 0, "d5": 1}, "two_moves", 0),
        (MOVING, {"a7": 0, "a4": 1, "f6": 0}, "capture_without_mill", 0),
        (MOVING, {"c5": 0, "d5": 1, "g7": 0}, "captured_from_mill", 0),
        (MOVING, {"c5": 0, "d5": 1}, "capture_missing", 0),
        (DUE, {}, "capture_missing", 0),
        (DUE, {"a4": 0}, "captured_own", 0),
        (DUE, {"g7": 0, "g4": 0}, "too_many_captures", 0),
        (DUE, {"d6": 2}, "capture_missing", 0),
        (play(DUE, parse_move("xg7", DUE.board)), {"g4": 0}, "too_many_captures", 0),
        (played("tic_tac_toe", "a1 b2 a2 b1 a3").position, {"c3": 2}, "after_end", None),
    ],
)
def test_what_is_seen_names_the_foul(
    position: Position, changes: dict[str, int], kind: str, player: int | None
) -> None:
    ruling = rule_on(position, seen(position, **changes))
    assert ruling.kinds[0] == kind
    if kind != "after_end":
        assert ruling.player == player
    assert set(ruling.points) == set(changes)


def _turned(position: Position, ring: int, steps: int) -> list[int]:
    stacks = rotated(position.stacks, position.board.rings[ring], steps)
    return [stack[-1].paint + 1 if stack else 0 for stack in stacks]


def test_rings_turned_back_without_a_stone_or_twice() -> None:
    assert rule_on(ROUGE, _turned(ROUGE, 0, -1)).kinds[0] == "rotated_back"
    start = played("moulin_rouge", "o1").position
    assert rule_on(start, _turned(start, 0, 1)).kinds[0] == "rotated_without_stone"
    four = played("moulin_rouge", "o1 m1 o4 m5").position
    assert rule_on(four, _turned(four, 0, 2)).kinds[0] == "two_moves"


def test_a_ring_turned_and_a_stone_gone_from_where_it_came_to_gets_a_ruling() -> None:
    """The point was bare before the turn, so no stone that lay there can be asked whose it was."""
    four = played("moulin_rouge", "o1 m1 o4 m5").position
    for ring, steps in ((ring, steps) for ring in range(len(four.board.rings)) for steps in (1, -1)):
        turned = _turned(four, ring, steps)
        came = [point for point, top in enumerate(turned) if top and not four.stacks[point]]
        for point in came:
            tops = [0 if i == point else top for i, top in enumerate(turned)]
            assert rule_on(four, tops).kinds


def test_a_stone_lifted_off_ones_own_is_anothers_and_one_pulled_out_from_under_it_was_blocked() -> None:
    lifted = rule_on(TOWERS, seen(TOWERS, a1=1, a6=2))  # on a1 the second player's stone lies on the first one's
    assert (lifted.kinds[0], lifted.player) == ("moved_opponent", 0)
    pulled = rule_on(TOWERS, seen(TOWERS, a6=1))
    assert (pulled.kinds[0], pulled.player) == ("moved_blocked", 0)


def test_towers_keep_their_stones_when_a_foul_stands() -> None:
    game = Game(TOWERS)
    tops, heights = list(TOWERS.tops), list(TOWERS.heights)
    at = TOWERS.board.index["b1"]
    tops[at], heights[at] = 2, 2
    on = game.play_on(tops, heights, kinds=("wrong_player",))
    assert [stone.paint for stone in on.position.stacks[at]] == [0, 1]
    assert on.position.stacks[TOWERS.board.index["a2"]] == TOWERS.stacks[TOWERS.board.index["a2"]]


def _tables_of_fouls(seed: int) -> Iterator[tuple[str, Position, tuple[int, ...]]]:
    """Positions of a game, each with the tables that one foul of each kind may leave there."""
    rng = np.random.default_rng(seed)
    name = ("millchen", "nine_mens_morris", "morabaraba", "trialectic", "moulin_rouge")[seed % 5]
    game = Game.start(find_variant(name))
    for _ in range(60):
        turns = legal_turns(game.position)
        if game.outcome is not None or not turns:
            return
        game = game.play_turn(turns[int(rng.integers(len(turns)))])
        lawful = {turn.after.tops for turn in (*legal_turns(game.position), *partial_turns(game.position))}
        for kind in (*EVERY_KIND, *KINDS_OF_DISCS, *KINDS_OF_TOWERS):
            ways = tables_of(kind, game.position, lawful)
            if game.outcome is None and ways:
                yield kind, game.position, ways[int(rng.integers(len(ways)))][1]


def test_an_act_explains_every_foul_that_people_make_and_the_rules_refuse_it() -> None:
    explained: set[str] = set()
    for seed in range(5):
        for kind, position, tops in _tables_of_fouls(seed):
            ruling = rule_on(position, tops)
            assert ruling.moves, (kind, ruling)
            assert ruling.nats > 0
            lawful_so_far = "capture_missing" in ruling.kinds
            if len(ruling.moves) == 1 and position.variant.max_height == 1 and not lawful_so_far:
                assert violations(position, ruling.moves[0], ruling.player)
            explained |= set(ruling.kinds)
    unseen = {"after_end", "stone_appeared"}  # how players clear the table; what an act explains has a better name
    unseen |= {"passed", "captured_nothing"}  # they leave no trace on the table
    unseen |= {"centre_forbidden", "remade_mill"}  # only by an option, or seldom: they have their own test above
    assert explained >= {str(foul) for foul in Foul} - unseen


def test_several_acts_at_once_are_less_likely_and_nothing_is_impossible() -> None:
    gone = (("g7",), ("g7", "a7"), ("g7", "a7", "a4"))
    vanished = [rule_on(PLACING, seen(PLACING, **dict.fromkeys(names, 0))).nats for names in gone]
    assert vanished == sorted(vanished)
    odd = rule_on(PLACING, seen(PLACING, a7=2, g7=1, d6=2, d5=1)).nats  # no act explains it
    assert max(NATS.values()) < odd < float("inf")
    assert rule_on(MOVING, [(top + 1) % 3 for top in MOVING.tops]).nats > 40
