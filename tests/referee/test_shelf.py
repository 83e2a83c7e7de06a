"""The games of other tables: the sentences of the sheet's ninth section, and what tables may ask for."""

from __future__ import annotations

from typing import Any

import pytest

from referee.announce import sentence
from referee.endings import Outcome, Termination
from referee.events import TurnPlayed
from referee.explain import rules_text
from referee.fen import parse_fen, to_fen
from referee.fouls import Foul, violations
from referee.game import Game
from referee.judge import judge_line
from referee.moves import Place, parse_move
from referee.position import Memory, Position
from referee.presets import PRESETS, find_variant
from referee.record import Record, to_json, to_pgn
from referee.record_reader import from_json, from_pgn
from referee.rulings import rule_on
from referee.turns import legal_turns, partial_turns, turns_showing
from tests.referee.test_ambiguities import after, legal, played, setup

# ---------------------------------------------------------------- full boards

FULL = ("a7 d7 b6 f6 c5 a4 b4 f4 c3 d2 a1 d1", "g7 d6 d5 e5 c4 e4 g4 d3 e3 b2 f2")
"""Twelve and eleven stones; g1 is free, and the second player has one stone left for it, which closes a mill."""


BOTH = {"men": 12, "placing_mill": "nothing", "board_full": "both_remove", "moves_first": "second"}


def full(game: str, first_mill: int | None = None, **options: Any) -> Position:
    """The position after the 24th stone."""
    position = setup(game, *FULL, to_move=1, hands=(0, 1), **options)
    return after(position._replace(memory=Memory(first_mill=first_mill)), "g1")


def removals(position: Position) -> str:
    """Who takes a stone, in order, and who moves then."""
    said = ""
    while position.removing:
        said += f"{position.to_move}x"
        take = str(position.prey[0])
        assert not position.dues
        position = after(position, take)
    return f"{said} {position.to_move}"


@pytest.mark.parametrize(
    ("game", "options", "first_mill", "order"),
    [
        ("shax", {}, 0, "0x1x 0"),
        ("shax", {}, 1, "1x0x 1"),
        ("shax", {}, None, "1x0x 1"),
        ("shax", {"first": 0, "board_full": "first_removes"}, 1, "0x 0"),
        ("shax", {"board_full": "second_removes"}, 0, "1x 0"),
        ("shax", {"board_full": "both_remove"}, None, "0x1x 0"),
        ("dooz", {}, None, "0x 0"),
        ("shax", {"board_full": "both_remove", "first": 1}, 1, "1x0x 1"),
        ("millchen", BOTH, None, "0x1x 1"),
    ],
)
def test_stones_are_taken_from_a_full_board_in_the_order_of_the_table(
    game: str, options: dict[str, Any], first_mill: int | None, order: str
) -> None:
    assert removals(full(game, first_mill, **options)) == order


def test_a_stone_that_is_taken_from_a_full_board_is_a_turn_of_its_own() -> None:
    position = full("shax", 0)
    assert (position.phase, position.removing, position.owed) == ("capture", True, 0)
    assert (
        {str(turn) for turn in legal_turns(position)} == legal(position) == {f"x{p}" for p in f"{FULL[1]} g1".split()}
    )
    assert not partial_turns(position)
    turn = legal_turns(position)[0]
    assert turns_showing(position, turn.after.tops) == (turn,)
    told = TurnPlayed(25, 0, turn.moves, (), 1.0, 0.0, 0)
    assert sentence(told, "en", ("red", "grey")) == "Red takes the stone on g7."
    assert sentence(told, "de", ("red", "grey")) == "Rot nimmt den Stein auf g7."


def test_fouls_while_a_stone_is_to_be_taken_have_their_names() -> None:
    position = full("shax", 0)
    board = position.board
    assert violations(position, parse_move("a7-d7", board)) >= {Foul.CAPTURE_MISSING}
    assert violations(position, parse_move("xa7", board)) == {Foul.CAPTURED_OWN}
    assert rule_on(position, position.tops).kinds == ("capture_missing",)
    seen = list(position.tops)
    seen[board.index["a7"]] = 0
    assert rule_on(position, seen).kinds[0] == "captured_own"
    seen[board.index["a7"]] = 1
    seen[board.index["g7"]] = seen[board.index["d6"]] = 0
    assert rule_on(position, seen).kinds[0] == "too_many_captures"


def test_a_full_board_stays_full_of_meaning_when_a_foul_stood() -> None:
    game = Game(full("shax", 1))
    seen = list(game.position.tops)
    seen[0], seen[1] = seen[1], seen[0]
    on = game.play_on(seen)
    assert on.position.memory.first_mill == 1


# ---------------------------------------------------------------- shax


def test_while_placing_in_shax_nothing_is_taken_but_the_first_mill_is_kept_in_mind() -> None:
    game = played("shax", "a1 b2 a4 b4 a7 b6")
    assert game.position.to_move == 0 and not game.position.dues
    assert [turn.mills for turn in game.turns[-2:]] == [(("a1", "a4", "a7"),), (("b2", "b4", "b6"),)]
    assert game.position.memory.first_mill == 0
    assert "mill:1" in to_fen(game.position)


def test_who_is_blocked_in_shax_waits_until_a_way_is_open() -> None:
    blocked = setup("shax", "a1 b2 c3", "a4 d1 b4 d2 c4 d3 g7", to_move=1)
    waiting = after(blocked, "g7-d7")
    assert waiting.to_move == 1 and waiting.ended is None
    turn = next(turn for turn in legal_turns(blocked) if str(turn) == "g7-d7")
    assert turn.skipped == (0,)
    opened = after(waiting, "a4-a7")
    assert opened.to_move == 0


def test_a_mill_that_is_closed_while_the_other_is_blocked_takes_nothing_in_shax() -> None:
    blocked = setup("shax", "a1 b2 c3", "a4 d1 b4 d2 c4 d3 a7 g7 d6", to_move=1)
    closed = after(blocked, "d6-d7")
    assert not closed.dues and closed.closed == () and closed.to_move == 1
    free = setup("shax", "a1 b2 c3 g1", "a4 d1 b4 d2 c4 d3 a7 g7 d6", to_move=1)
    assert after(free, "d6-d7").owed == 1


def test_there_is_no_flying_in_shax_and_mills_protect_nothing() -> None:
    position = setup("shax", "a1 a4 b2", "g7 g4 g1 f6")
    assert "a1-a7" not in legal(position)
    assert {"xg7", "xg4", "xg1", "xf6"} == legal(after(setup("shax", "a1 a4 d7", "g7 g4 g1 f6"), "d7-a7"))


# ---------------------------------------------------------------- one-time mill


def test_a_line_brings_a_player_one_stone_in_the_whole_game() -> None:
    position = setup("one_time_mill", "a1 a4 d7 f2", "g7 g4 f6 e5")
    position = after(position, "d7-a7xf6")
    position = after(after(position, "e5-d5"), "a7-d7")
    again = after(after(position, "d5-e5"), "d7-a7")
    assert not again.dues and again.closed == () and again.to_move == 1
    assert parse_fen(to_fen(again), again.variant) == again


def test_a_line_that_one_player_has_spent_is_new_to_the_other() -> None:
    spent = find_variant("one_time_mill").lookup.line_bit["a1", "a4", "a7"]
    points = {"a1": [1], "a4": [1], "d7": [1], "g1": [0], "g4": [0], "g7": [0]}
    position = Position.set_up(find_variant("one_time_mill"), points, to_move=1)
    for lines, owed in (((spent, 0), 1), ((0, spent), 0)):
        assert after(position._replace(memory=Memory(lines)), "d7-a7").owed == owed


def test_positions_differ_in_what_is_spent_and_records_keep_it() -> None:
    game = played("one_time_mill", "a1 g1 a4 g4 a7xg1 d6")
    plain = game.position._replace(memory=Memory())
    assert game.position != plain and "spent:" in to_fen(game.position)
    stood = game.play_on((*game.position.tops[:-1], 2))
    assert stood.position.memory == game.position.memory
    record = Record(stood)
    assert from_pgn(to_pgn(record)) == from_json(to_json(record)) == record


def test_stones_may_be_taken_out_of_mills_in_the_one_time_mill() -> None:
    assert "xg4" in legal(after(setup("one_time_mill", "a1 a4 d7 f2", "g7 g4 g1 e5"), "d7-a7"))


# ---------------------------------------------------------------- dooz


def test_a_mill_while_placing_dooz_costs_a_stone_from_the_hand_and_the_opponent_plays() -> None:
    game = played("dooz", "a1 g1 a4 g4 a7")
    assert game.position.hands == (9, 9) and game.position.counts == (3, 2)
    assert game.position.to_move == 1 and game.turns[-1].mills


def test_a_mill_in_dooz_takes_nothing_from_an_empty_hand() -> None:
    position = setup("dooz", "a1 a4", "g1 g4 f2", hands=(1, 0))
    assert after(position, "a7").counts == (3, 3)


def test_moving_in_dooz_takes_from_the_board_and_out_of_mills() -> None:
    assert "xg4" in legal(after(setup("dooz", "a1 a4 d7 f2", "g7 g4 g1 e5"), "d7-a7"))
    safe = setup("dooz", "a1 a4 d7 f2", "g7 g4 g1 e5", protect="unless_all")
    assert legal(after(safe, "d7-a7")) == {"xe5"}


# ---------------------------------------------------------------- nerenchi


def test_a_mill_while_placing_nerenchi_brings_another_turn() -> None:
    game = played("nerenchi", "a1 g1 a4 g4 a7")
    assert game.position.to_move == 0 and not game.position.dues
    assert game.turns[-1].skipped == ()
    assert played("nerenchi", "a1 g1 a4 g4 a7 d7").position.to_move == 1
    assert played("nerenchi", "a1 g1 a4 g4 a7", placing_mill="capture").position.owed == 1


def test_placing_nerenchi_stops_with_two_points_free_and_the_second_player_moves_first() -> None:
    position = setup("nerenchi", "a7 d7 b6 f6 c5 a4 b4 f4 c3 d2", "g7 d6 d5 e5 c4 e4 g4 d3 e3 b2 f2", hands=(2, 1))
    stopped = after(position, "g1")
    assert stopped.hands == (0, 0) and stopped.to_move == 1 and stopped.phase == "moving"


def test_who_lays_the_last_stone_with_a_mill_still_takes_before_the_second_player_moves() -> None:
    position = setup("six_mens_morris", "a5 c5", "b2 c2 d3", to_move=0, hands=(1, 0), moves_first="second")
    closed = after(position, "e5")
    assert (closed.owed, closed.removing, closed.to_move) == (1, False, 0)
    assert parse_fen(to_fen(closed), closed.variant) == closed
    assert after(closed, "xb2").ended == Outcome(0, Termination.FEWER_THAN_THREE)


# ---------------------------------------------------------------- tant fant, nine holes, picaria, seven men's


def test_tant_fant_begins_with_the_stones_on_two_opposite_rows() -> None:
    game = Game.start(find_variant("tant_fant"))
    assert game.position.tops == (2, 2, 2, 0, 0, 0, 1, 1, 1)
    assert game.position.hands == (0, 0) and game.phase == "moving" and game.outcome is None
    assert {"a1-a2", "a1-b2"} <= {str(move) for move in game.legal_moves}
    assert Game.start(find_variant("tant_fant", first=1)).position.to_move == 1


def test_three_on_the_own_home_row_do_not_win_tant_fant_but_on_the_other_they_do() -> None:
    home = setup("tant_fant", "a1 b1 c2", "a3 b3 a2")
    assert after(home, "c2-c1").ended is None
    away = setup("tant_fant", "a3 b3 c2", "a1 b1 a2")
    assert after(away, "c2-c3").ended == Outcome(0, Termination.THREE_IN_A_ROW)


def test_records_of_tant_fant_begin_where_it_begins() -> None:
    game = played("tant_fant", "b1-b2 a3-a2 a1-b1")
    assert "FEN" not in to_pgn(Record(game))
    assert from_pgn(to_pgn(Record(game))) == Record(game)


def test_nine_holes_moves_to_any_point_and_diagonals_win_nothing() -> None:
    position = setup("nine_holes", "a1 b2 c1", "a3 b3 c2")
    assert "a1-a2" in legal(position) and "c1-a2" in legal(position)
    assert after(setup("nine_holes", "a1 b2 a3", "b3 c2 b1"), "a3-c3").ended is None
    assert "c1-a2" not in legal(setup("nine_holes", "a1 b2 c1", "a3 b3 c2", fly="off"))


@pytest.mark.parametrize(("points", "n_points", "n_edges", "n_lines"), [(13, 13, 28, 16), (9, 9, 20, 8)])
def test_picaria_has_thirteen_points_or_nine(points: int, n_points: int, n_edges: int, n_lines: int) -> None:
    board = find_variant("picaria", points=points).board
    assert (len(board.points), len(board.edges), len(board.lines)) == (n_points, n_edges, n_lines)


def test_the_middle_may_be_closed_to_stones_from_the_hand() -> None:
    assert "c3" in legal(Position.start(find_variant("picaria")))
    game = played("picaria", "a1 e5", no_centre_placing=True)
    assert "c3" not in {str(move) for move in game.legal_moves}
    assert violations(game.position, Place("c3"))
    assert "b2-c3" in legal(setup("picaria", "b2 a1 e1", "a5 c5 d4", no_centre_placing=True))


def test_the_middle_lines_of_seven_mens_morris_have_three_places_for_a_mill() -> None:
    lines = {frozenset(line) for line in find_variant("seven_mens_morris").lookup.line_bit}
    assert {frozenset(names.split()) for names in ("c5 c4 c3", "c4 c3 c2", "c3 c2 c1")} <= lines
    assert len(lines) == 14


# ---------------------------------------------------------------- what tables ask for


def test_who_cannot_move_may_take_a_stone_that_blocks_him_and_moves() -> None:
    position = setup("nine_mens_morris", "a1 d7 d6", "a4 d1 a7 g7 b6 f6 d5 g1 e3", to_move=1, stalemate="remove_one")
    blocked = after(position, "e3-e4")
    assert blocked.to_move == 0 and blocked.removing
    assert legal(blocked) == {"xa4", "xd1", "xa7", "xg7", "xb6", "xf6", "xd5"}
    assert violations(blocked, parse_move("xg1", blocked.board)) == {Foul.NOT_ADJACENT}
    freed = after(blocked, "xa4")
    assert freed.to_move == 0 and not freed.removing and legal(freed) == {"a1-a4"}
    assert parse_fen(to_fen(blocked), blocked.variant) == blocked


@pytest.mark.parametrize("game", ["tic_tac_toe", "tapatan", "moulin_rouge", "trialectic"])
def test_taking_a_stone_when_blocked_is_offered_only_where_stones_are_taken_by_two(game: str) -> None:
    with pytest.raises(ValueError, match="'remove_one'"):
        find_variant(game, stalemate="remove_one")


def test_flying_may_begin_with_four_stones_and_losing_with_three() -> None:
    assert "a1-d7" in legal(setup("millchen", "a1 a4 b2 c3", "g7 g4 f6 e5 d1", fly_at=4))
    ended = after(setup("millchen", "a1 a4 d7 f2", "g7 g4 f6 e5", min_stones=4), "d7-a7xf6").ended
    assert ended == Outcome(0, Termination.FEWER_THAN_THREE)


@pytest.mark.parametrize(
    ("game", "wanted", "n_edges", "n_lines"),
    [("millchen", True, 40, 20), ("twelve_mens_morris", False, 32, 16), ("six_mens_morris", True, 24, 8),
     ("three_mens_morris", False, 12, 6)],
)  # fmt: skip
def test_every_square_board_can_be_had_with_diagonals_and_without(
    game: str, wanted: bool, n_edges: int, n_lines: int
) -> None:
    assert PRESETS[game].default("diagonals") is not wanted
    board = find_variant(game, diagonals=wanted).board
    assert (len(board.edges), len(board.lines)) == (n_edges, n_lines)


def test_both_counters_run_at_once() -> None:
    four = {"draw_plies": 30, "endgame_plies": 4, "repetition": 0}
    game = Game(setup("millchen", "a7 d6 f4", "g1 d2 b2 c4", **four))
    for word in ("f4-e4", "c4-c3", "e4-f4", "c3-c4"):
        assert game.outcome is None
        game = game.play(parse_move(word, game.variant.board))
    assert game.outcome == Outcome(None, Termination.NO_MILL)
    game = Game(setup("millchen", "a7 d6 f4 e5", "g1 d2 b2 c4", **four))
    for word in ("f4-e4", "c4-c3", "e4-f4", "c3-c4"):
        game = game.play(parse_move(word, game.variant.board))
    assert game.outcome is None and game.quiet == 4


def test_judge_plays_a_whole_opening_of_shax_with_its_removals() -> None:
    stones = [name for pair in zip(FULL[0].split(), f"{FULL[1]} g1".split(), strict=True) for name in pair]
    line = f'{{"game": "shax", "moves": {[*stones, "xa7", "xg1", "g4-g1"]}}}'.replace("'", '"')
    answer, lawful = judge_line(line)
    assert lawful, answer["error"]
    phases = [(state["phase"], state["to_move"]) for state in answer["states"][24:]]
    assert phases == [("capture", 2), ("capture", 1), ("moving", 2), ("moving", 1)]


@pytest.mark.parametrize("language", ["en", "de", "fr", "lb"])
@pytest.mark.parametrize("game", ["shax", "nerenchi", "dooz", "one_time_mill", "tant_fant", "picaria"])
def test_the_rules_of_the_shelf_are_told_in_each_language(game: str, language: str) -> None:
    said = rules_text(find_variant(game), language).splitlines()[2:]
    others = {rules_text(find_variant(other), language) for other in PRESETS if other != game}
    assert said and "\n".join(said) not in {"\n".join(text.splitlines()[2:]) for text in others}
