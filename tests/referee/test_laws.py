"""What holds for every game, whatever is played."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.advance import advance
from referee.board import Board
from referee.fen import parse_fen, to_fen
from referee.fouls import IllegalMoveError, play, violations
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Capture, Decline, Move, Pass, Place, Rotate, Slide, parse_move, parse_turn
from referee.position import Position
from referee.presets import PRESETS
from referee.record import GameRecord, to_json, to_pgn
from referee.record_reader import whole_json
from referee.rulings import rule_on
from referee.turns import Turn, legal_turns, partial_turns, turns_showing, whole_and_begun
from tests.referee.positions import rules_of
from tests.referee.whole_games import from_pgn

GAMES = [
    "tic_tac_toe", "millchen", "millchen capture=may fly=any multi_placing=each protect=never", "nine_mens_morris",
    "three_mens_morris", "six_mens_morris", "twelve_mens_morris", "morabaraba", "lasker_morris",
    "roman_mill win_in_placing=no", "moulin_rouge", "moulin_rouge players=3 leftover=may", "moulin_rouge players=4",
    "trialectic", "trialectic take_from=any multi=each capture=may", "trialectic leftover=remove", "achi", "dooz",
    "dooz men=6 diagonals=no multi_placing=each protect=unless_all", "eleven_mens_morris", "five_mens_morris",
    "nerenchi", "nerenchi placing_mill=capture", "nine_holes", "one_time_mill",
    "one_time_mill protect=unless_all multi_placing=each", "picaria", "picaria points=9 no_centre_placing=yes",
    "seven_mens_morris no_centre_placing=yes", "shax", "shax board_full=second_removes protect=always", "tant_fant",
    "tapatan", "twelve_mens_morris placing_mill=nothing board_full=both_remove stalemate=remove_one",
    "six_mens_morris men=7 stalemate=remove_one fly_at=4 fly=own moves_first=second",
    "millchen draw_plies=50 endgame_plies=10 min_stones=4 stop_placing=two_empty",
]  # fmt: skip


def random_game(game: str, seed: int, n_moves: int) -> Game:
    rng = random.Random(seed)
    value = Game.start(rules_of(game))
    for _ in range(n_moves):
        moves = value.legal_moves
        if not moves:
            break
        value = value.play(rng.choice(moves))
    return value


games = st.builds(random_game, st.sampled_from(GAMES), st.integers(0, 10**6), st.integers(0, 160))


def painted(position: Position, player: int) -> int:
    return sum(stone.paint == player for stack in position.stacks for stone in stack)


@settings(max_examples=60, deadline=None)
@given(games)
def test_stones_are_conserved(game: Game) -> None:
    stones = [
        tuple(painted(position, player) + position.hands[player] for player in range(game.variant.players))
        for position in (game.first_position, *(turn.after for turn in game.turns))
    ]
    assert stones[0] == game.variant.hands
    before = game.first_position
    for turn, earlier, later in zip(game.turns, stones, stones[1:], strict=False):
        taken = sum(isinstance(move, Capture) for move in turn.moves)
        # with somebody out, stones from his hand leave too, and some tables set stones of a hand aside
        if turn.after.out == before.out and not game.variant.remembers:
            assert sum(earlier) - sum(later) == taken
        assert sum(before.counts) - sum(turn.after.counts) == taken - any(isinstance(m, Place) for m in turn.moves) or (
            turn.after.out != before.out
        )
        assert all(a >= b for a, b in zip(earlier, later, strict=True))
        before = turn.after


@settings(max_examples=60, deadline=None)
@given(games)
def test_counts_are_those_of_the_board_and_who_is_not_done_can_move(game: Game) -> None:
    position = game.position
    for player in range(game.variant.players):
        assert position.counts[player] == sum(s.owner == player for stack in position.stacks for s in stack)
    assert all(len(stack) <= game.variant.max_height for stack in position.stacks)
    assert position.heights == tuple(map(len, position.stacks))
    assert bool(game.legal_moves) is (game.outcome is None)
    assert (game.phase == "over") is (game.outcome is not None)


@settings(max_examples=40, deadline=None)
@given(games)
def test_taking_back_restores_the_game_before(game: Game) -> None:
    if game.pending or not game.turns:
        return
    before = game.take_back()
    again = before.play_turn(game.turns[-1])
    assert again == game
    assert (again.position != game.position) is False, "tuples have a ``!=`` of their own"
    assert before.ply == game.ply - 1
    earlier = game.taken_back(3)
    assert earlier[0] == before
    assert [one.ply for one in earlier] == list(range(game.ply - 1, max(game.ply - 4, -1), -1))
    assert earlier[1:] == before.taken_back(2)


@settings(max_examples=60, deadline=None)
@given(games)
def test_what_is_written_reads_back(game: Game) -> None:
    assert parse_fen(to_fen(game.position), game.variant) == game.position
    record = GameRecord(game, (("White", 'Ann "the" \\ mill'),), ((0, "hello"), (game.ply, "the end")))
    assert from_pgn(to_pgn(record)) == whole_json(to_json(record)) == record
    for move in game.legal_moves:
        assert parse_move(str(move), game.variant.board) == move
    for turn in legal_turns(game.position)[:60] if game.outcome is None else ():
        assert parse_turn(str(turn), game.variant.board) == turn.moves


def may_go_again(turn: Turn) -> bool:
    """Whether who has made this turn may be the next to act as well."""
    variant = turn.after.variant
    extra = variant.placing_mill == "extra_turn" and bool(turn.mills)
    after_placing = variant.moves_first == "second" or variant.board_full not in ("draw", "first_loses", "stalemate")
    return extra or after_placing or variant.stalemate in ("pass", "remove_one")


def test_every_game_is_held_against_the_laws() -> None:
    assert {game.split()[0] for game in GAMES} == set(PRESETS)


@settings(max_examples=40, deadline=None)
@given(games)
def test_turns_are_complete_distinct_and_made_of_legal_moves(game: Game) -> None:
    if game.outcome is not None:
        return
    turns = legal_turns(game.position)
    seen = set()
    for turn in turns[:200]:
        position = game.position
        for move in turn.moves:
            position = play(position, move)
        assert position == turn.after
        assert turn.tops == turn.after.tops
        assert not position.dues
        assert position.ended is not None or position.to_move != turn.player or may_go_again(turn)
        assert turn.moves not in seen
        seen.add(turn.moves)
    begun = partial_turns(game.position)
    assert whole_and_begun(game.position) == (turns, begun)
    for turn in begun[:50]:
        assert turn.tops == turn.after.tops
        assert turn.after.dues
        assert turn.after.to_move == game.position.to_move


def tried(position: Position) -> tuple[list[Turn], list[Turn]]:
    """The whole turns and those begun, found by making every move, each set of captures once."""
    begun: list[list[Turn]] = [[] for _ in range(30)]
    whole: list[Turn] = []
    me = position.to_move
    for action in legal_moves(position):
        acted = advance(position, action)
        layer = {acted: (action,)}
        while layer:
            deeper: dict[Position, tuple[Move, ...]] = {}
            for reached, moves in layer.items():
                if not reached.dues:
                    whole.append(Turn(moves, reached, reached.closed, me))
                    continue
                begun[len(moves)].append(Turn(moves, reached, reached.closed, me))
                for take in legal_moves(reached):
                    deeper.setdefault(advance(reached, take), (*moves, take))
            layer = deeper
    return whole, [turn for of_a_length in begun for turn in of_a_length]


@pytest.mark.parametrize(
    ("game", "changes"),
    [("millchen capture=may", {"multi_moving": "one"}), ("lasker_morris multi_placing=each", {"multi_moving": "each"}),
     *(("moulin_rouge players=3", {"leftover": leftover}) for leftover in ("must", "convert", "may", "remove")),
     ("moulin_rouge players=3", {"protect": "unless_all"})],
)  # fmt: skip
def test_turns_are_those_that_making_every_move_finds_and_in_that_order(game: str, changes: dict[str, Any]) -> None:
    variant = replace(rules_of(game), **changes)
    most_due = 0
    for seed in range(3):
        rng = random.Random(seed)
        one = Game.start(variant)
        while one.outcome is None and one.ply < 70:
            found = whole_and_begun(one.position)
            if one.ply % 4 == 0:
                assert found == tuple(map(tuple, tried(one.position)))
            most_due = max([most_due, *(turn.after.owed for turn in found[1])])
            one = one.play_turn(max(rng.sample(found[0], min(3, len(found[0]))), key=lambda turn: len(turn.moves)))
    assert most_due >= (2 if variant.multi_moving == "each" else 1)


@settings(max_examples=40, deadline=None)
@given(games, st.randoms(use_true_random=False))
def test_the_turns_that_show_a_table_are_those_among_all_turns(game: Game, rng: random.Random) -> None:
    if game.outcome is not None:
        return
    turns = legal_turns(game.position)
    turn = rng.choice(turns)
    shown = turns_showing(game.position, turn.after.tops, turn.after.heights)
    same = [t for t in turns if t.after.tops == turn.after.tops and t.after.heights == turn.after.heights]
    assert {t.after for t in shown} == {t.after for t in same}


def every_move(board: Board) -> list[Move]:
    names = board.points[:10]
    moves: list[Move] = [Place(name) for name in names] + [Capture(name) for name in names]
    moves += [Slide(a, b) for a in names for b in names[:5]]
    moves += [Rotate(ring, steps) for ring in range(len(board.rings)) for steps in (1, -1)]
    return [*moves, Decline(), Pass(), Capture(names[0], 1), Capture(names[1], 3)]


@settings(max_examples=40, deadline=None)
@given(games)
def test_violations_never_raise_and_are_empty_exactly_for_legal_moves(game: Game) -> None:
    legal = set(legal_moves(game.position))
    for move in every_move(game.variant.board):
        reasons = violations(game.position, move)
        assert bool(reasons) is (move not in legal), (move, reasons)
        if reasons:
            with pytest.raises(IllegalMoveError) as caught:
                play(game.position, move)
            assert set(caught.value.reasons) == reasons


@settings(max_examples=60, deadline=None)
@given(games, st.randoms(use_true_random=False))
def test_any_disturbance_of_the_table_gets_a_ruling_and_can_be_played_on(game: Game, rng: random.Random) -> None:
    tops = list(game.position.tops)
    for _ in range(rng.randint(1, 3)):
        tops[rng.randrange(len(tops))] = rng.randint(0, game.variant.players)
    ruling = rule_on(game.position, tops)
    changed = [i for i, (a, b) in enumerate(zip(tops, game.position.tops, strict=True)) if a != b]
    assert ruling.points == tuple(game.variant.board.points[i] for i in changed)
    assert ruling.kinds or not changed or not game.position.dues
    on = game.play_on(tops, kinds=ruling.kinds)
    assert on.position.tops == tuple(tops)
    if on.outcome is None:  # the position was judged: whoever is to move can act, or was skipped for who can
        assert on.legal_moves
        assert on.position.to_move != game.position.to_move or any(on.position.out) or game.variant.stalemate == "pass"


def test_with_a_turn_limit_every_game_ends() -> None:
    for game in GAMES:
        rng = random.Random(1)
        value = Game.start(rules_of(f"{game} max_turns=50"))
        while value.outcome is None:
            value = value.play(rng.choice(value.legal_moves))
        assert value.ply <= 50
