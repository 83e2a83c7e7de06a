"""The plain sentences of the rules, which no other test asks; docs/RULES.md says which test is of which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from referee.board import Board
from referee.endings import Outcome, Termination
from referee.fouls import play
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Place, Rotate, Slide, parse_move, parse_turn
from referee.position import Position
from referee.presets import PRESETS, find_variant

# ---------------------------------------------------------------- what the tests are written with


def setup(game: str, *players: str, to_move: int = 0, hands: Sequence[int] | None = None, **options: Any) -> Position:
    """A position from each player's points, as words."""
    points = {name: [k] for k, names in enumerate(players) for name in names.split()}
    return Position.set_up(find_variant(game, **options), points, hands, to_move)


def legal(position: Position) -> set[str]:
    return {str(move) for move in legal_moves(position)}


def after(position: Position, text: str) -> Position:
    for move in parse_turn(text, position.board):
        position = play(position, move)
    return position


def played(game: str, text: str, **options: Any) -> Game:
    value = Game.start(find_variant(game, **options))
    for word in text.split():
        for move in parse_turn(word, value.variant.board):
            value = value.play(move)
    return value


def lines_of(board: Board) -> set[frozenset[str]]:
    return {frozenset(board.points[i] for i in line) for line in board.lines}


def edges_of(board: Board) -> set[frozenset[str]]:
    return {frozenset(board.points[i] for i in edge) for edge in board.edges}


def rows(text: str) -> set[frozenset[str]]:
    return {frozenset(row.split()) for row in text.split(",")}


def along(*paths: str) -> set[frozenset[str]]:
    """Neighbours along paths of points."""
    return {frozenset(pair) for path in paths for pair in zip(path.split(), path.split()[1:], strict=False)}


# ---------------------------------------------------------------- 0 common terms, 2.3 mills


def test_opening_a_mill_and_closing_it_again_earns_a_new_capture_every_time() -> None:
    position = setup("nine_mens_morris", "a7 d7 g7 b2", "b6 d6 f4 d1 e3")
    opened = after(after(position, "g7-g4"), "d1-a1")
    closed = after(opened, "g4-g7")
    assert closed.owed == 1
    again = after(after(after(after(closed, "xb6"), "a1-a4"), "g7-g4"), "a4-a1")
    assert after(again, "g4-g7").owed == 1


def test_a_mill_that_only_stands_earns_nothing_for_another_stone() -> None:
    position = setup("nine_mens_morris", "a7 d7 g7 b2", "b6 d6 f4 d1")
    assert after(position, "b2-b4").owed == 0


def test_repetition_is_judged_before_the_turns_without_a_mill_and_both_before_the_turn_limit() -> None:
    forth_and_back = ("a7-a4", "g1-g4", "a4-a7", "g4-g1") * 2
    for draws, reason in (
        ({"repetition": 3, "draw_plies": 8, "max_turns": 8}, Termination.REPETITION),
        ({"repetition": 0, "draw_plies": 8, "max_turns": 8}, Termination.NO_MILL),
        ({"repetition": 0, "draw_plies": 0, "max_turns": 8}, Termination.TURN_LIMIT),
    ):
        game = Game(setup("millchen", "a7 d6 f4 c3", "g1 d2 b4 e5", **draws))
        for text in forth_and_back:
            game = game.play(parse_move(text, game.variant.board))
        assert game.outcome == Outcome(None, reason)


def test_a_capture_is_part_of_the_turn_and_never_takes_from_the_hand() -> None:
    position = setup("millchen", "a7 d7", "b6 d6", hands=(7, 7))
    due = play(position, parse_move("g7", position.board))
    assert (due.to_move, due.phase) == (0, "capture")
    assert legal(due) == {"xb6", "xd6"}
    taken = after(due, "xb6")
    assert taken.hands == (6, 7), "what was taken does not come back, and no hand pays"
    assert taken.counts == (3, 1)
    assert taken.to_move == 1


# ---------------------------------------------------------------- 1 Tic Tac Toe


def test_tic_tac_toe_has_nine_points_and_eight_lines_and_nothing_moves() -> None:
    variant = find_variant("tic_tac_toe")
    assert set(variant.board.points) == {f"{letter}{number}" for letter in "abc" for number in "123"}
    assert lines_of(variant.board) == rows("a1 b1 c1,a2 b2 c2,a3 b3 c3,a1 a2 a3,b1 b2 b3,c1 c2 c3,a1 b2 c3,a3 b2 c1")
    assert sum(variant.stones) == 9
    game = played("tic_tac_toe", "a1 b1 a2 b2 c1 a3 c2 c3 b3")
    assert game.outcome == Outcome(None, Termination.BOARD_FULL)
    assert all(isinstance(move, Place) for move in legal_moves(played("tic_tac_toe", "a1 b2").position))


# ---------------------------------------------------------------- 2 Millchen and nine men's morris

NINE_LINES = (
    "a7 d7 g7,b6 d6 f6,c5 d5 e5,c3 d3 e3,b2 d2 f2,a1 d1 g1,a1 a4 a7,b2 b4 b6,c3 c4 c5,e3 e4 e5,f2 f4 f6,g1 g4 g7,"
    "d5 d6 d7,d1 d2 d3,a4 b4 c4,e4 f4 g4"
)
SPOKES = ("d7 d6 d5", "d3 d2 d1", "a4 b4 c4", "e4 f4 g4")
SQUARES = ("a7 d7 g7 g4 g1 d1 a1 a4 a7", "b6 d6 f6 f4 f2 d2 b2 b4 b6", "c5 d5 e5 e4 e3 d3 c3 c4 c5")
CORNERS = ("a7 b6 c5", "g7 f6 e5", "a1 b2 c3", "g1 f2 e3")


@pytest.mark.parametrize("game", ["millchen", "nine_mens_morris"])
def test_the_board_of_nine_mens_morris_has_24_points_32_edges_and_16_lines(game: str) -> None:
    board = find_variant(game).board
    assert len(board.points) == 24
    assert edges_of(board) == along(*SQUARES, *SPOKES)
    assert len(board.edges) == 32
    assert lines_of(board) == rows(NINE_LINES)
    assert find_variant(game).stones == (9, 9)


def test_stones_are_placed_first_and_nothing_moves_before_all_are() -> None:
    game = played("millchen", "a7 b6 d5")
    assert all(isinstance(move, Place) for move in legal_moves(game.position))
    placed = played("millchen", "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 d3 c3 e3")
    assert placed.position.hands == (0, 0)
    assert placed.phase == "moving"
    assert all(isinstance(move, Slide) for move in legal_moves(placed.position))


def test_a_stone_moves_along_a_line_to_the_next_free_point_only() -> None:
    position = setup("nine_mens_morris", "a7 b4 c3 f2", "d7 b6 e5 f4")
    assert {move for move in legal(position) if move.startswith("a7")} == {"a7-a4"}
    assert {move for move in legal(position) if move.startswith("b4")} == {"b4-a4", "b4-c4", "b4-b2"}


@pytest.mark.parametrize("game", [name for name in PRESETS if PRESETS[name].variant.slides])
def test_nobody_may_pass(game: str) -> None:
    assert not any(str(move) == "--" for move in legal_moves(Position.start(find_variant(game))))


def test_a_players_phase_is_his_own() -> None:
    position = setup("millchen", "a7 d6 f4", "g1 d2 b2 c3", hands=(0, 1))
    assert position.phase == "flying"
    assert after(position, "a7-c4").phase == "placing"


def test_fewer_than_three_on_board_and_in_hand_has_lost() -> None:
    position = setup("millchen", "a7 d7 g4", "b6 d6 f4")
    assert after(position, "g4-g7xb6").ended == Outcome(0, Termination.FEWER_THAN_THREE)
    with_hand = setup("millchen", "a7 d7 g4", "b6 d6 f4", hands=(0, 1))
    assert after(with_hand, "g4-g7xb6").ended is None


def test_who_places_or_flies_is_never_without_a_move() -> None:
    boxed = "a7 d7 a4", "g7 d6 b4 a1 c4 b6"
    assert setup("millchen", *boxed, hands=(1, 0)).phase == "placing"
    assert legal(setup("millchen", *boxed, hands=(1, 0)))
    assert legal(setup("millchen", *boxed)), "with three left one flies out"


def test_the_presets_are_those_of_the_table() -> None:
    millchen, nine = find_variant("millchen"), find_variant("nine_mens_morris")
    assert (millchen.fly, millchen.multi_placing, millchen.protect) == ("own", "one", "unless_all")
    assert (millchen.draw_plies, millchen.draw_count, millchen.repetition, millchen.max_turns) == (20, "moving", 3, 0)
    assert (nine.fly, nine.multi_placing, nine.multi_moving, nine.protect) == ("off", "one", "one", "unless_all")
    assert (nine.draw_plies, nine.repetition, nine.max_turns) == (0, 0, 0)
    assert millchen.stalemate == nine.stalemate == "lose"


# ---------------------------------------------------------------- 3 the relatives


def test_three_mens_morris_has_eight_lines_and_walks_along_the_diagonals_through_the_middle() -> None:
    variant = find_variant("three_mens_morris")
    assert lines_of(variant.board) == lines_of(find_variant("tic_tac_toe").board)
    assert frozenset(("a1", "b2")) in edges_of(variant.board)
    assert frozenset(("a2", "b1")) not in edges_of(variant.board)
    assert (variant.stones, variant.win_in_placing, variant.repetition, variant.fly) == ((3, 3), True, 3, "off")
    moved = Game(setup("three_mens_morris", "a1 b2 c2", "a2 b3 b1")).play(Slide("c2", "c3"))
    assert moved.outcome == Outcome(0, Termination.THREE_IN_A_ROW)


def test_six_mens_morris_has_two_squares_whose_spokes_are_no_lines() -> None:
    variant = find_variant("six_mens_morris")
    squares = ("a1 c1 e1 e3 e5 c5 a5 a3 a1", "b2 c2 d2 d3 d4 c4 b4 b3 b2")
    assert edges_of(variant.board) == along(*squares, "c1 c2", "c4 c5", "a3 b3", "d3 e3")
    assert lines_of(variant.board) == rows("a1 c1 e1,a5 c5 e5,a1 a3 a5,e1 e3 e5,b2 c2 d2,b4 c4 d4,b2 b3 b4,d2 d3 d4")
    assert (len(variant.board.points), variant.stones, variant.fly, variant.protect) == (
        16,
        (6, 6),
        "off",
        "unless_all",
    )


@pytest.mark.parametrize("game", ["twelve_mens_morris", "morabaraba"])
def test_the_corners_of_twelve_mens_morris_are_joined_and_their_diagonals_are_mills(game: str) -> None:
    variant = find_variant(game)
    assert edges_of(variant.board) == along(*SQUARES, *SPOKES, *CORNERS)
    assert (len(variant.board.edges), len(variant.board.lines)) == (40, 20)
    assert lines_of(variant.board) == rows(NINE_LINES) | rows(",".join(CORNERS))
    assert (variant.stones, variant.fly, variant.multi_moving) == ((12, 12), "own", "one")
    assert variant.board_full == "draw"


def test_morabaraba_is_that_of_the_generally_accepted_rules() -> None:
    variant = find_variant("morabaraba")
    assert (variant.no_remake, variant.draw_plies, variant.draw_when) == (True, 20, "one_has_three")
    assert (variant.protect, variant.multi_placing, variant.fly) == ("unless_all", "one", "own")


def test_in_lasker_morris_a_stone_is_placed_or_moved_and_flies_only_with_an_empty_hand() -> None:
    variant = find_variant("lasker_morris")
    assert (variant.stones, variant.board) == ((10, 10), find_variant("millchen").board)
    position = setup("lasker_morris", "a7 d6", "g1 d2", hands=(8, 8))
    assert {type(move) for move in legal_moves(position)} == {Place, Slide}
    assert {"a7-d7", "a7-a4", "g7"} <= legal(position)
    few = setup("lasker_morris", "a7 d6 f4", "g1 d2 b2 c3", hands=(1, 0))
    assert "a7-c4" not in legal(few)
    assert "a7-c4" in legal(setup("lasker_morris", "a7 d6 f4", "g1 d2 b2 c3"))


# ---------------------------------------------------------------- 4 the Roman mill

RIM = "n ne e se s sw w nw n"


def test_the_roman_mill_has_nine_points_four_lines_and_the_rim_is_a_way() -> None:
    variant = find_variant("roman_mill")
    assert edges_of(variant.board) == along(RIM, *(f"c {point}" for point in RIM.split()[:-1]))
    assert lines_of(variant.board) == rows("n c s,ne c sw,e c w,se c nw")
    assert (variant.stones, variant.fly, variant.capture, variant.min_stones) == ((3, 3), "off", "must", 0)
    assert (variant.stalemate, variant.win_in_placing, variant.repetition) == ("pass", True, 0)


def test_in_the_roman_mill_three_on_the_rim_or_round_the_middle_do_not_win() -> None:
    assert played("roman_mill", "n c ne s nw").outcome is None
    assert played("roman_mill", "n s c sw e").outcome is None, "n c e is bent"
    assert played("roman_mill", "n sw c w s").outcome == Outcome(0, Termination.THREE_IN_A_ROW)


def test_in_the_roman_mill_the_middle_must_be_left_when_nothing_else_can_move() -> None:
    position = setup("roman_mill", "c n ne", "nw e s", win_in_placing=False)
    boxed = setup("roman_mill", "c", "n ne e")
    assert {move.split("-")[0] for move in legal(boxed)} == {"c"}
    assert "--" not in legal(boxed) | legal(position)
    assert "n-s" not in legal(position), "nobody jumps"


def test_in_the_roman_mill_the_youngest_starts() -> None:
    assert PRESETS["roman_mill"].begins == "youngest"


# ---------------------------------------------------------------- 5 Moulin Rouge


@pytest.mark.parametrize(("players", "holes"), [(2, 8), (3, 12), (4, 16)])
def test_moulin_rouge_has_three_rings_whose_radii_are_the_only_lines(players: int, holes: int) -> None:
    variant = find_variant("moulin_rouge", players=players)
    board = variant.board
    assert set(board.points) == {f"{ring}{k}" for ring in "omi" for k in range(1, holes + 1)}
    assert lines_of(board) == {frozenset(f"{ring}{k}" for ring in "omi") for k in range(1, holes + 1)}
    circles = [" ".join(f"{ring}{k}" for k in (*range(1, holes + 1), 1)) for ring in "omi"]
    assert edges_of(board) == along(*circles, *(f"o{k} m{k} i{k}" for k in range(1, holes + 1)))
    assert variant.stones == (10,) * players
    assert PRESETS["moulin_rouge"].begins == "lot"


def test_in_moulin_rouge_it_goes_round_and_who_is_out_is_left_out() -> None:
    game = played("moulin_rouge", "o1 o2 o3 o4", players=3)
    assert [turn.player for turn in game.turns] == [0, 1, 2, 0]
    points = {"o1": [0], "m3": [0], "i5": [0], "o7": [0], "o2": [1], "m8": [2], "i7": [2], "i9": [2]}
    position = Position.set_up(find_variant("moulin_rouge", players=3), points, to_move=0, out=(False, True, False))
    assert after(position, "o1-o12").to_move == 2


def test_a_turn_of_moulin_rouge_is_one_act_a_stone_or_a_ring() -> None:
    placing = setup("moulin_rouge", "o1", "m3", hands=(9, 9))
    assert {type(move) for move in legal_moves(placing)} == {Place, Rotate}
    moving = setup("moulin_rouge", "o1 m3 i5 i6", "o2 m4 i7 i8")
    assert {type(move) for move in legal_moves(moving)} == {Slide, Rotate}
    assert after(moving, "o+").to_move == 1
    assert {move for move in legal(moving) if move.startswith("m3-")} == {"m3-m2", "m3-o3", "m3-i3"}


def test_a_turning_ring_carries_its_stones_one_field_and_may_be_an_empty_one() -> None:
    position = setup("moulin_rouge", "o1 m3", "m4 m5", hands=(8, 8))
    clockwise, back = after(position, "o+"), after(position, "o-")
    assert clockwise.tops[clockwise.board.index["o2"]] == back.tops[back.board.index["o8"]] == 1
    assert {"i+", "i-"} <= legal(position), "turning an empty ring is legal by the text"


def test_a_ring_may_be_turned_on_in_the_same_direction() -> None:
    turned = after(setup("moulin_rouge", "o1 m3", "i2 o5", hands=(8, 8)), "o+")
    assert "o+" in legal(turned)
    assert "o-" not in legal(turned)


def test_three_along_a_ring_are_no_mill_and_one_on_each_ring_are() -> None:
    position = setup("moulin_rouge", "o1 o2 m5 i5", "m1 m2 i7 i8", hands=(6, 6))
    assert after(position, "o3").owed == 0
    assert after(position, "o5").owed == 1


def test_from_an_opponent_with_fewer_unprotected_stones_only_those_are_taken() -> None:
    # turning closes radii 1 and 2, and a mill of the second player on radius 5: he has one stone outside of it
    position = setup("moulin_rouge", "o12 o1 m1 i1 m2 i2", "o4 m5 i5 m7", "m9 i9 m10", players=3, hands=(4, 6, 7))
    due = after(position, "o+")
    assert due.owed == 4
    assert legal(due) == {"xm7", "xm9", "xi9", "xm10"}
    assert legal(after(due, "xm7")) == {"xm9", "xi9", "xm10"}, "his stones in mills stay, there is no exception"


def test_who_falls_under_three_is_out_his_hand_is_gone_and_his_stones_stay() -> None:
    points = {"o1": [0], "m1": [0], "i2": [0], "i4": [0], "o5": [1], "m6": [1], "m8": [1], "o9": [2], "m9": [2],
              "i10": [2], "i11": [2]}  # fmt: skip
    position = Position.set_up(find_variant("moulin_rouge", players=3), points, to_move=0)
    done = after(position, "i2-i1xo5xo9")
    assert done.out == (False, True, False)
    assert done.hands[1] == 0
    assert done.stacks[done.board.index["m6"]], "they stay as obstacles"
    assert done.to_move == 2


def test_in_moulin_rouge_nobody_is_without_a_move_while_he_has_a_stone() -> None:
    walled_in = setup("moulin_rouge", "o1 o2 o3 o4", "o5 o8 m1 m2 m3 m4")
    assert {type(move) for move in legal_moves(walled_in)} == {Rotate}


def test_moulin_rouge_and_trialectic_have_no_draw_by_themselves() -> None:
    for game in ("moulin_rouge", "trialectic"):
        variant = find_variant(game)
        assert (variant.repetition, variant.draw_plies, variant.max_turns) == (0, 0, 0)


# ---------------------------------------------------------------- 6 Trialectic


def tri(towers: dict[str, list[int]], hands: Sequence[int] | None = None, to_move: int = 0, **options: Any) -> Position:
    return Position.set_up(find_variant("trialectic", **options), dict(towers), hands, to_move)


def test_trialectic_has_18_points_24_edges_12_lines_and_three_players() -> None:
    variant = find_variant("trialectic")
    assert set(variant.board.points) == {f"{letter}{k}" for letter in "abc" for k in range(1, 7)}
    triangles = [" ".join(f"{letter}{k}" for k in (1, 2, 3, 4, 5, 6, 1)) for letter in "abc"]
    assert edges_of(variant.board) == along(*triangles, "a2 b2 c2", "a4 b4 c4", "a6 b6 c6")
    sides = [f"{t}1 {t}2 {t}3,{t}3 {t}4 {t}5,{t}5 {t}6 {t}1" for t in "abc"]
    assert lines_of(variant.board) == rows(",".join([*sides, "a2 b2 c2,a4 b4 c4,a6 b6 c6"]))
    assert (variant.stones, variant.max_height, variant.first) == ((9, 9, 9), 3, 0)
    assert [turn.player for turn in played("trialectic", "a1 a2 a3 a4").turns] == [0, 1, 2, 0]


def test_a_stone_is_placed_on_any_point_with_fewer_than_three() -> None:
    position = tri({"a1": [0, 1, 2], "a2": [1, 1]}, hands=(8, 6, 8))
    assert "a1" not in legal(position)
    assert {"a2", "b3"} <= legal(position)


def test_only_the_top_stone_of_a_point_moves_and_a_covered_one_is_blocked() -> None:
    position = tri({"a1": [0, 1], "b5": [0], "c3": [0], "c5": [0], "b1": [0], "a3": [1], "c1": [2]})
    assert not any(move.startswith("a1-") for move in legal(position))
    assert "b5-b6" in legal(position)


def test_one_stone_of_one_opponent_is_taken_none_out_of_a_mill_and_none_is_owed_where_none_is_free() -> None:
    towers = {"a1": [0], "a2": [0], "b1": [1], "b2": [1], "b3": [1], "c5": [2], "c1": [1]}
    due = after(tri(towers, hands=(7, 5, 8)), "a3")
    assert due.owed == 1
    assert legal(due) == {"xc5", "xc1"}, "of an opponent of his choice, but not out of a mill"
    safe = {"a1": [0], "a2": [0], "b1": [1], "b2": [1], "b3": [1]}
    assert after(tri(safe, hands=(7, 6, 9)), "a3").owed == 0


def test_with_three_left_a_top_stone_jumps_to_any_point_with_fewer_than_three() -> None:
    few = tri({"a1": [0], "b2": [0], "c5": [0], "b5": [1, 1, 1], "c4": [2, 2], "c2": [2, 1]})
    assert {"a1-c4", "a1-c3", "c5-c2"} <= legal(few)
    assert "a1-b5" not in legal(few)
    assert "a1-c4" not in legal(tri({"a1": [0], "b2": [0], "c5": [0], "c4": [2, 2]}, hands=(1, 9, 7)))


def test_who_cannot_move_in_trialectic_is_skipped() -> None:
    covered = {"a1": [1, 2], "a3": [1, 2], "a5": [1, 2], "b1": [1, 0], "c1": [0], "c3": [0], "c5": [0]}
    game = Game(tri(covered)).play(Slide("c1", "c2"))
    assert game.turns[-1].skipped == (1,), "the second player has covered stones only"
    assert game.position.to_move == 2


def test_the_stones_of_who_is_out_count_for_their_new_owner() -> None:
    towers = {"a1": [0], "a2": [0], "a4": [0], "b3": [0], "b1": [1], "b4": [1], "c5": [1], "c1": [2], "c3": [2],
              "b6": [2], "c6": [2]}  # fmt: skip
    taken = after(tri(towers), "a4-a3xb1")
    assert taken.counts == (6, 0, 4)
    assert "b4-b5" in legal(Position.set_up(taken.variant, {
        name: list(stack) for name, stack in zip(taken.board.points, taken.stacks, strict=True) if stack
    }, to_move=0, out=taken.out)), "they move for him"  # fmt: skip


# ---------------------------------------------------------------- 9 the shelf


def test_achi_has_four_or_three_stones_each_on_the_board_with_diagonals_and_who_cannot_move_loses() -> None:
    variant = find_variant("achi")
    assert (variant.stones, variant.stalemate, variant.line_wins) == ((4, 4), "lose", True)
    assert lines_of(variant.board) == lines_of(find_variant("three_mens_morris").board)
    assert find_variant("achi", men=3).stones == (3, 3)
    assert played("achi", "a1 b1 a2 b2 a3").outcome == Outcome(0, Termination.THREE_IN_A_ROW)
