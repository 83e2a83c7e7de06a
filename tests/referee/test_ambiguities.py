"""Every place where a rule text can be read in two ways: the default reading, and the other one as an option."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from referee.endings import Outcome, Termination
from referee.fouls import play
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Capture, Slide, parse_move, parse_turn
from referee.position import Position, Stone
from referee.presets import find_variant
from referee.turns import legal_turns


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


# ---------------------------------------------------------------- 2.5 who may fly


def _jumps(position: Position) -> bool:
    near = position.board.neighbours
    index = position.board.index
    return any(
        isinstance(move, Slide) and index[move.to] not in near[index[move.start]] for move in legal_moves(position)
    )


THREE, FOUR = "a7 d6 f4", "g1 d2 b2 c3"


@pytest.mark.parametrize(
    ("fly", "three_against_four", "four_against_three", "three_against_three"),
    [("own", True, False, True), ("both", False, False, True), ("any", True, True, True), ("off", False, False, False)],
)
def test_who_may_fly(fly: str, three_against_four: bool, four_against_three: bool, three_against_three: bool) -> None:
    assert _jumps(setup("millchen", THREE, FOUR, fly=fly)) is three_against_four
    assert _jumps(setup("millchen", FOUR, THREE, fly=fly)) is four_against_three
    assert _jumps(setup("millchen", THREE, "g1 d2 b2", fly=fly)) is three_against_three


def test_flying_is_own_in_millchen_and_off_in_nine_mens_morris() -> None:
    assert find_variant("millchen").fly == "own"
    assert find_variant("nine_mens_morris").fly == "off"


def test_three_on_the_board_with_stones_in_hand_is_still_placing() -> None:
    position = setup("millchen", THREE, FOUR, hands=(1, 0))
    assert position.phase == "placing"
    assert not any(isinstance(move, Slide) for move in legal_moves(position))


# ---------------------------------------------------------------- 2.6 two mills, optional capture, protection

TWO_MILLS = ("d7 g7 a4 a1", "b6 d6 f4 e3")


@pytest.mark.parametrize(("multi", "owed"), [("one", 1), ("each", 2)])
def test_two_mills_with_one_placed_stone(multi: str, owed: int) -> None:
    position = setup("millchen", *TWO_MILLS, hands=(5, 5), multi_placing=multi)
    assert play(position, parse_move("a7", position.board)).owed == owed
    assert find_variant("millchen").multi_placing == "one"


def test_two_mills_with_one_placed_stone_take_one_in_nine_mens_morris() -> None:
    position = setup("nine_mens_morris", *TWO_MILLS, hands=(5, 5))
    assert play(position, parse_move("a7", position.board)).owed == 1


def test_a_slide_never_closes_two_mills_on_this_board() -> None:
    board = find_variant("millchen").board
    for start, near in enumerate(board.neighbours):
        for to in near:
            assert sum(start not in line for line in board.lines_through[to]) == 1


def test_multi_moving_makes_a_difference_only_when_anybody_flies() -> None:
    flyer = ("d7 g7 a4 a1 c3", "b6 d6 f4")
    for multi, owed in (("one", 1), ("each", 2)):
        position = setup("millchen", *flyer, fly="any", multi_moving=multi)
        assert play(position, parse_move("c3-a7", position.board)).owed == owed


@pytest.mark.parametrize(("multi", "owed"), [("one", 1), ("each", 2)])
def test_two_mills_with_one_slide_on_the_board_with_diagonals(multi: str, owed: int) -> None:
    position = setup("twelve_mens_morris", "b6 g7 d7 a4 a1", "e3 e4 f2 d1", multi_moving=multi)
    assert play(position, parse_move("b6-a7", position.board)).owed == owed


@pytest.mark.parametrize(("capture", "declines"), [("must", False), ("may", True)])
def test_a_mill_must_or_may_take(capture: str, declines: bool) -> None:
    position = setup("millchen", "a7 d7", "b6 d6", hands=(7, 7), capture=capture)
    due = play(position, parse_move("g7", position.board))
    assert ("x-" in legal(due)) is declines
    assert any(str(turn) == "g7x-" for turn in legal_turns(position)) is declines
    assert find_variant("millchen").capture == "must"


@pytest.mark.parametrize(
    ("protect", "with_a_free_stone", "all_in_mills"),
    [
        ("unless_all", {"xd2"}, {"xb6", "xd6", "xf6"}),
        ("always", {"xd2"}, set()),
        ("never", {"xb6", "xd6", "xf6", "xd2"}, {"xb6", "xd6", "xf6"}),
    ],
)
def test_stones_in_a_mill_are_protected(protect: str, with_a_free_stone: set[str], all_in_mills: set[str]) -> None:
    mixed = setup("millchen", "a7 d7", "b6 d6 f6 d2", hands=(7, 5), protect=protect)
    assert legal(play(mixed, parse_move("g7", mixed.board))) == with_a_free_stone
    only_mill = setup("millchen", "a7 d7", "b6 d6 f6", hands=(7, 6), protect=protect)
    closed = play(only_mill, parse_move("g7", only_mill.board))
    if all_in_mills:
        assert legal(closed) == all_in_mills
    else:  # nothing can be taken: the turn is over
        assert closed.to_move == 1
        assert not closed.dues
    assert find_variant("millchen").protect == "unless_all"


def test_fewer_than_three_on_the_board_counts_the_hand() -> None:
    game = played("millchen", "a7 b6 a4 d6 a1xb6")
    assert game.position.counts == (3, 1)
    assert game.outcome is None


# ---------------------------------------------------------------- 2.7 turns without a mill


def _shuffle(game: str, n_plies: int, **options: Any) -> Game:
    """Two players who go for walks without ever closing a mill; repetition is off."""
    position = setup(game, "a7 d6 f4 c3", "g1 d2 b4 e5", repetition=0, **options)
    value = Game(position)
    rng = random.Random(1)
    while value.ply < n_plies and value.outcome is None:
        value = value.play_turn(rng.choice([turn for turn in legal_turns(value.position) if not turn.mills]))
    return value


@pytest.mark.parametrize("draw_plies", [20, 40])
def test_twenty_turns_without_a_mill_are_those_of_both_players_or_of_each(draw_plies: int) -> None:
    assert _shuffle("millchen", draw_plies - 1, draw_plies=draw_plies).outcome is None
    drawn = _shuffle("millchen", draw_plies, draw_plies=draw_plies)
    assert drawn.outcome == Outcome(None, Termination.NO_MILL)
    assert find_variant("millchen").draw_plies == 20


QUIET_PLACING = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 d3 c3 e3"


def test_placements_do_not_count_towards_the_no_mill_draw_unless_all_do() -> None:
    assert played("millchen", QUIET_PLACING).quiet == 0
    assert played("millchen", QUIET_PLACING, draw_count="all").quiet == 18


def test_a_closed_mill_sets_the_counter_to_zero_even_if_nothing_could_be_taken() -> None:
    position = setup("millchen", "a7 d7 g4 c3", "b6 d6 f6", protect="always")
    game = Game(position, quiet=7).play(parse_move("g4-g7", position.board))
    assert game.ply == 1
    assert game.quiet == 0


def test_nine_mens_morris_has_no_no_mill_draw() -> None:
    assert _shuffle("nine_mens_morris", 60).outcome is None


# ---------------------------------------------------------------- 2.8 the same position three times

BACK_AND_FORTH = ("a7-a4", "g1-g4", "a4-a7", "g4-g1")


def _walk(moves: Sequence[str], game: str = "millchen", **options: Any) -> Game:
    value = Game(setup(game, "a7 d6 f4 c3", "g1 d2 b4 e5", draw_plies=0, **options))
    for text in moves:
        value = value.play(parse_move(text, value.variant.board))
    return value


def test_the_third_occurrence_of_a_position_is_a_draw() -> None:
    assert _walk(BACK_AND_FORTH * 2).outcome == Outcome(None, Termination.REPETITION)
    assert _walk((*BACK_AND_FORTH * 2,)[:-1]).outcome is None


def test_repetition_origin_decides_whether_the_first_position_counts() -> None:
    assert _walk(BACK_AND_FORTH * 2, repetition_origin=False).outcome is None
    later = _walk((*BACK_AND_FORTH * 2, "a7-a4"), repetition_origin=False)
    assert later.outcome == Outcome(None, Termination.REPETITION)  # one ply later, as Sanmill's live profile


def test_repetition_counts_in_all_or_only_in_a_row() -> None:
    detour = ("a7-d7", "g1-d1", "d7-a7", "d1-g1")
    mixed = (*BACK_AND_FORTH, *detour)
    assert _walk(mixed).outcome == Outcome(None, Termination.REPETITION)
    assert _walk(mixed, repetition_mode="consecutive").outcome is None
    assert _walk(BACK_AND_FORTH * 2, repetition_mode="consecutive").outcome is not None


def test_the_same_stones_with_the_other_player_to_move_are_another_position() -> None:
    # the flyer comes home in three jumps, the other in two steps
    game = Game(setup("millchen", THREE, FOUR))
    for text in ("a7-c5", "g1-g4", "c5-e5", "g4-g1", "e5-a7"):
        game = game.play(parse_move(text, game.variant.board))
    assert game.position.stacks == game.first_position.stacks
    assert game.seen.count(game.seen[-1]) == 1


def test_nine_mens_morris_has_no_repetition_draw_unless_switched_on() -> None:
    assert _walk(BACK_AND_FORTH * 3, "nine_mens_morris").outcome is None
    assert _walk(BACK_AND_FORTH * 2, "nine_mens_morris", repetition=3).outcome is not None


# ---------------------------------------------------------------- 2.9 who starts, 1 and 3 the smaller games


@pytest.mark.parametrize("first", [0, 1])
def test_either_player_may_start(first: int) -> None:
    game = Game.start(find_variant("millchen", first=first))
    assert game.position.to_move == first


def test_the_starter_of_tic_tac_toe_has_five_stones() -> None:
    assert find_variant("tic_tac_toe").hands == (5, 4)
    assert find_variant("tic_tac_toe", first=1).hands == (4, 5)


def test_three_mens_morris_with_and_without_diagonals() -> None:
    with_them = setup("three_mens_morris", "a1 b1 c2", "a2 b3 c1")
    without = setup("three_mens_morris", "a1 b1 c2", "a2 b3 c1", diagonals=False)
    assert "a1-b2" in legal(with_them)
    assert "a1-b2" not in legal(without)
    assert len(without.board.edges) == 12
    assert len(without.board.lines) == 6


def test_nine_holes_lets_stones_move_anywhere() -> None:
    walking = setup("three_mens_morris", "a1 b1 c2", "a2 b3 c1")
    flying = setup("three_mens_morris", "a1 b1 c2", "a2 b3 c1", fly="own")
    assert "a1-c3" not in legal(walking)
    assert "a1-c3" in legal(flying)


@pytest.mark.parametrize("game", ["three_mens_morris", "roman_mill"])
def test_the_first_stone_may_be_kept_from_the_middle(game: str) -> None:
    start, kept = (Position.start(find_variant(game, no_centre_first=value)) for value in (False, True))
    assert len(legal_moves(start)) == 9
    assert len(legal_moves(kept)) == 8
    assert len(legal_moves(play(kept, legal_moves(kept)[0]))) == 8  # the second stone may go there


@pytest.mark.parametrize("game", ["three_mens_morris", "roman_mill"])
def test_a_line_made_by_the_third_placement_wins_or_does_not(game: str) -> None:
    line = "a1 a2 b1 b3 c1" if game == "three_mens_morris" else "n ne c e s"
    assert played(game, line).outcome == Outcome(0, Termination.THREE_IN_A_ROW)
    assert played(game, line, win_in_placing=False).outcome is None


def test_a_line_that_stands_from_placing_must_be_broken_and_made_again() -> None:
    game = played("roman_mill", "n e c w s sw s-se e-ne se-s", win_in_placing=False)
    assert game.outcome == Outcome(0, Termination.THREE_IN_A_ROW)


def test_six_mens_morris_protects_mills_or_does_not() -> None:
    for protect, prey in (("unless_all", {"xb2"}), ("never", {"xb2", "xa5", "xc5", "xe5"})):
        position = setup("six_mens_morris", "a1 c1", "a5 c5 e5 b2", hands=(4, 2), protect=protect)
        assert legal(play(position, parse_move("e1", position.board))) == prey


@pytest.mark.parametrize("men", [5, 7])
def test_six_mens_morris_with_five_or_seven_men(men: int) -> None:
    assert find_variant("six_mens_morris", men=men).hands == (men, men)


FULL_BOARD = (
    "a7 d7 b6 d6 f4 g4 c3 e3 b2 d2 a1 e4",
    "g7 f6 c5 d5 e5 a4 b4 c4 d3 f2 d1 g1",
)


@pytest.mark.parametrize(
    ("board_full", "outcome"),
    [
        ("draw", Outcome(None, Termination.BOARD_FULL)),
        ("first_loses", Outcome(1, Termination.BOARD_FULL)),
        ("stalemate", Outcome(1, Termination.NO_MOVES)),
    ],
)
def test_a_full_board_after_24_placements(board_full: str, outcome: Outcome) -> None:
    first, second = FULL_BOARD
    position = setup(
        "twelve_mens_morris", first, second.removesuffix(" g1"), hands=(0, 1), to_move=1, board_full=board_full,
        protect="always",
    )  # fmt: skip
    assert play(position, parse_move("g1", position.board)).ended == outcome


# ---------------------------------------------------------------- 3.4 Morabaraba


@pytest.mark.parametrize(("no_remake", "allowed"), [(True, False), (False, True)])
def test_a_broken_mill_may_not_be_remade_straight_away(no_remake: bool, allowed: bool) -> None:
    position = setup("morabaraba", "a7 d7 g7 f4 e4 c3", "b6 d6 c5 e3 d1 b2", no_remake=no_remake)
    opened = after(position, "g7-g4xb2")  # breaks a7 d7 g7, closes e4 f4 g4
    answer = after(opened, "d1-a1")
    assert ("g4-g7" in legal(answer)) is allowed


def test_the_ban_on_remaking_ends_after_the_next_turn() -> None:
    position = setup("morabaraba", "a7 d7 g7 f4 e4 c3", "b6 d6 c5 e3 d1 b2")
    opened = after(position, "g7-g4xb2")
    later = after(after(after(opened, "d1-a1"), "c3-d3"), "a1-d1")
    assert "g4-g7" in legal(later)


def test_the_ban_stays_when_the_new_line_was_broken_by_a_capture() -> None:
    position = setup("morabaraba", "a7 d7 g7 f4 e4 c3", "b6 d6 c5 e3 d1 b2 a1")
    opened = after(position, "g7-g4xd6")
    answer = after(opened, "a1-a4")
    assert opened.bans[0] is not None
    assert "g4-g7" not in legal(answer)


@pytest.mark.parametrize(
    ("draw_when", "stones", "counted"),
    [
        ("one_has_three", ("a7 d6 f4", "g1 d2 b2 c4"), True),
        ("one_has_three", ("a7 d6 f4 c3", "g1 d2 b2 c4"), False),
        ("all_have_three", ("a7 d6 f4", "g1 d2 b2 c4"), False),
        ("all_have_three", ("a7 d6 f4", "g1 d2 b2"), True),
        ("always", ("a7 d6 f4 c3", "g1 d2 b2 c4"), True),
    ],
)
def test_the_ten_move_draw_counts_when_somebody_has_three(draw_when: str, stones: Any, counted: bool) -> None:
    game = Game(setup("morabaraba", *stones, draw_when=draw_when))
    game = game.play_turn(next(turn for turn in legal_turns(game.position) if not turn.mills))
    assert game.quiet == (1 if counted else 0)


def test_the_ten_move_draw_is_twenty_plies_or_ten() -> None:
    assert find_variant("morabaraba").draw_plies == 20
    assert find_variant("morabaraba", draw_plies=10).draw_plies == 10


# ---------------------------------------------------------------- 2.10, 4: a blocked player

BLOCKED = ("a7 d7 a4 b4", "g7 d6 a1 b6 c4 b2")


@pytest.mark.parametrize(
    ("stalemate", "ended", "to_move"),
    [
        ("lose", Outcome(1, Termination.NO_MOVES), 0),
        ("draw", Outcome(None, Termination.NO_MOVES), 0),
        ("pass", None, 1),
    ],
)
def test_a_blocked_player_loses_draws_or_is_skipped(stalemate: str, ended: Outcome | None, to_move: int) -> None:
    first, second = BLOCKED
    before = setup("nine_mens_morris", first, second.replace("b2", "d2"), to_move=1, stalemate=stalemate)
    blocked = play(before, parse_move("d2-b2", before.board))
    assert blocked.ended == ended
    assert blocked.to_move == to_move


def test_a_blocked_player_of_the_roman_mill_is_skipped() -> None:
    stones = ("nw n ne", "w e")
    position = setup("roman_mill", *stones, to_move=1, hands=(0, 1), win_in_placing=False)
    turn = next(turn for turn in legal_turns(position) if str(turn) == "c")
    assert turn.skipped == (0,)
    assert turn.after.to_move == 1
    lost = setup("roman_mill", *stones, to_move=1, hands=(0, 1), win_in_placing=False, stalemate="lose")
    assert play(lost, parse_move("c", lost.board)).ended == Outcome(1, Termination.NO_MOVES)


# ---------------------------------------------------------------- 5 Moulin Rouge


def rouge(*players: str, to_move: int = 0, hands: Sequence[int] | None = None, **options: Any) -> Position:
    return setup("moulin_rouge", *players, to_move=to_move, hands=hands, **options)


@pytest.mark.parametrize(("lock", "allowed"), [("last_turn", False), ("off", True)])
def test_the_ring_just_turned_must_not_be_turned_back(lock: str, allowed: bool) -> None:
    position = rouge("o1 m3", "i2 o5", hands=(8, 8), lock=lock)
    turned = play(position, parse_move("o+", position.board))
    assert ("o-" in legal(turned)) is allowed
    assert {"o+", "m+", "m-", "i+", "i-"} <= legal(turned)
    other = play(turned, parse_move("m+", turned.board))
    assert "o-" in legal(other)  # only the turn right before counts


@pytest.mark.parametrize(("needs", "allowed"), [("board", True), ("ring", False)])
def test_turning_needs_a_stone_on_the_board_or_on_the_ring(needs: str, allowed: bool) -> None:
    position = rouge("o1", "m3", hands=(9, 9), rotate_needs=needs)
    assert ("i+" in legal(position)) is allowed
    assert "o+" in legal(position)
    empty = rouge("", "m3", hands=(10, 9), rotate_needs=needs)
    assert not legal(empty) & {"o+", "m+", "i+"}


@pytest.mark.parametrize(("same_line", "owed"), [(True, 1), (False, 0)])
def test_a_mill_that_turning_fills_anew_counts_or_does_not(same_line: bool, owed: int) -> None:
    # the stones of o1 and o8 change places with their neighbours: radius 1 stays a mill of other stones
    position = rouge("o1 m1 i1 o8", "o4 m5 i6 m7", hands=(6, 6), rotate_same_line=same_line)
    assert play(position, parse_move("o+", position.board)).owed == owed


@pytest.mark.parametrize(("multi", "owed"), [("each", 2), ("one", 1)])
def test_two_mills_by_turning_take_two_stones_or_one(multi: str, owed: int) -> None:
    position = rouge("o8 o1 m1 i1 m2 i2", "o4 m5 i6 m7", hands=(4, 6), multi=multi)
    assert play(position, parse_move("o+", position.board)).owed == owed


def test_a_mill_takes_from_each_opponent() -> None:
    position = rouge("o1 m1 o5", "o2 m4", "o7 m8", hands=(7, 8, 8), players=3)
    due = play(position, parse_move("i1", position.board))
    assert due.owed == 2
    assert legal(due) == {"xo2", "xm4", "xo7", "xm8"}
    assert legal(play(due, parse_move("xo2", due.board))) == {"xo7", "xm8"}


@pytest.mark.parametrize(("protect", "prey"), [("always", set()), ("unless_all", {"xo5", "xm5", "xi5"})])
def test_stones_in_mills_are_always_safe_in_moulin_rouge(protect: str, prey: set[str]) -> None:
    position = rouge("o1 m1", "o5 m5 i5", hands=(8, 7), protect=protect)
    due = play(position, parse_move("i1", position.board))
    assert (legal(due) if due.dues else set()) == prey


def test_a_mill_made_for_another_by_turning_earns_nothing_but_protects() -> None:
    position = rouge("o1 m1 i8 i5", "o3 m3 i2 o6", hands=(6, 6))
    turned = play(position, parse_move("i+", position.board))
    assert legal(turned) == {"xo6"}  # i2 came to i3: o3 m3 i3 is safe already
    quiet = rouge("o1 i5", "o3 m3 i2 o6", hands=(8, 6))
    assert play(quiet, parse_move("i+", quiet.board)).owed == 0


@pytest.mark.parametrize(("leftover", "owed", "declines"), [("must", 2, False), ("may", 2, True), ("never", 1, False)])
def test_what_becomes_of_the_stones_of_a_player_who_is_out(leftover: str, owed: int, declines: bool) -> None:
    variant = find_variant("moulin_rouge", players=3, leftover=leftover)
    points = {"o1": [0], "m1": [0], "i2": [0], "o5": [1], "m6": [1], "i9": [1], "o7": [2], "m8": [2]}
    position = Position.set_up(variant, points, to_move=0, out=(False, False, True))
    due = play(position, parse_move("i2-i1", variant.board))
    assert due.owed == owed
    rest = play(due, parse_move("xo5", variant.board))
    assert rest.ended == Outcome(0, Termination.LAST_WITH_THREE)  # at once, the leftovers lapse
    points["i12"] = [1]
    longer = play(Position.set_up(variant, points, to_move=0, out=(False, False, True)), Slide("i2", "i1"))
    rest = play(longer, Capture("o5"))
    assert ("x-" in legal(rest)) is declines
    assert ({"xo7", "xm8"} <= legal(rest)) is (leftover != "never")


@pytest.mark.parametrize("fields", [8, 24])
def test_the_fields_may_be_counted_by_ring_or_together(fields: int) -> None:
    assert len(find_variant("moulin_rouge", fields=fields).board.points) == 24


@pytest.mark.parametrize(("players", "fewest"), [(2, 7), (3, 11), (4, 14)])
def test_the_fields_must_exceed_the_stones(players: int, fewest: int) -> None:
    assert len(find_variant("moulin_rouge", players=players, fields=fewest).board.points) == 3 * fewest
    with pytest.raises(ValueError, match="fields"):
        find_variant("moulin_rouge", players=players, fields=fewest - 1)


def test_jumping_needs_three_stones_and_an_empty_hand_and_turning_stays_allowed() -> None:
    position = rouge("o1 m3 i5", "o2 o4 o6 o8")
    assert "o1-i7" in legal(position)
    assert "o+" in legal(position)
    assert "o1-i7" not in legal(rouge("o1 m3 i5 m7", "o2 o4 o6 o8"))
    assert "o1-i7" not in legal(rouge("o1 m3 i5", "o2 o4 o6 o8", fly="off"))


# ---------------------------------------------------------------- 6 Trialectic


def tri(towers: dict[str, list[int]], to_move: int = 0, hands: Sequence[int] | None = None, **options: Any) -> Position:
    stacks: dict[str, Sequence[int | Stone]] = {name: list(stones) for name, stones in towers.items()}
    return Position.set_up(find_variant("trialectic", **options), stacks, hands, to_move)


OTHERS = {"c1": [1], "c3": [1], "c5": [1], "c2": [2], "b5": [2], "b6": [2]}


def test_levels_must_be_the_same_for_a_mill() -> None:
    level = tri({"a1": [0], "a2": [0], **OTHERS}, hands=(5, 5, 5))
    assert play(level, parse_move("a3", level.board)).owed == 1
    mixed = tri({"a1": [0], "a2": [1, 0], **OTHERS}, hands=(5, 5, 5))
    assert play(mixed, parse_move("a3", mixed.board)).owed == 0
    covered = tri({"a1": [0, 1], "a2": [0], **OTHERS}, hands=(5, 5, 5))
    assert play(covered, parse_move("a3", covered.board)).owed == 1  # a covered stone counts for a mill


def test_a_tower_of_three_is_a_mill_and_protects() -> None:
    position = tri({"a1": [0, 0], **OTHERS}, hands=(5, 5, 5))
    due = play(position, parse_move("a1", position.board))
    assert due.closed == (("a1",),)
    assert due.owed == 1


@pytest.mark.parametrize(("multi", "owed"), [("one", 1), ("each", 2)])
def test_several_mills_in_one_turn_of_trialectic(multi: str, owed: int) -> None:
    position = tri({"a2": [0], "a3": [0], "a5": [0], "a6": [0], **OTHERS}, hands=(5, 5, 5), multi=multi)
    assert play(position, parse_move("a1", position.board)).owed == owed


def test_only_the_top_stone_or_any_stone_can_be_taken() -> None:
    towers = {"a1": [0], "a2": [0], "b1": [1, 2], "c1": [1], "c3": [2]}
    top = tri(towers, hands=(5, 5, 5))
    assert legal(play(top, parse_move("a3", top.board))) == {"xb1", "xc1", "xc3"}
    free = tri(towers, hands=(5, 5, 5), take_from="any")
    due = play(free, parse_move("a3", free.board))
    assert legal(due) == {"xb1.1", "xb1.2", "xc1.1", "xc3.1"}
    dropped = play(due, parse_move("xb1.1", due.board))
    assert dropped.stacks[dropped.board.index["b1"]] == (Stone(2, 2),)


def test_a_mill_that_arises_by_dropping_earns_nothing() -> None:
    towers = {"a1": [0], "a2": [0], "b1": [0], "b2": [0], "b3": [1, 0], "c1": [1], "c3": [2], "c5": [2]}
    position = tri(towers, hands=(4, 5, 5), take_from="any")
    dropped = after(position, "a3xb3.1")
    assert dropped.to_move == 1
    assert dropped.owed == 0


@pytest.mark.parametrize("leftover", ["convert", "remove"])
def test_the_last_two_stones_change_sides_or_leave(leftover: str) -> None:
    owners = {0: "a1 a2 a4 b3", 1: "b1 b4 c5", 2: "c1 c3 b6 c6"}
    position = tri({name: [player] for player, names in owners.items() for name in names.split()}, leftover=leftover)
    closed = play(position, parse_move("a4-a3", position.board))
    taken = play(closed, parse_move("xb1", position.board))
    index = taken.board.index
    assert taken.out == (False, True, False)
    if leftover == "convert":
        assert taken.stacks[index["b4"]] == (Stone(0, 1),)  # the paint stays, the owner is new
        assert taken.tops[index["b4"]] == 2
        assert taken.owners[index["b4"]] == 1
        assert taken.counts == (6, 0, 4)
    else:
        assert taken.stacks[index["b4"]] == ()
        assert taken.counts == (4, 0, 4)
    assert taken.to_move == 2


def test_sliding_goes_only_next_door_though_onto_any_level() -> None:
    position = tri({"a1": [0], "a2": [1, 2], "b1": [0], "c3": [0], "c5": [0], **{"b5": [1], "c1": [2]}})
    assert "a1-a2" in legal(position)
    assert "a1-c1" not in legal(position)


def test_declining_is_an_option_of_trialectic() -> None:
    for capture, declines in (("must", False), ("may", True)):
        position = tri({"a1": [0], "a2": [0], **OTHERS}, hands=(5, 5, 5), capture=capture)
        assert ("x-" in legal(play(position, parse_move("a3", position.board)))) is declines


def test_the_second_elimination_wins_at_once() -> None:
    variant = find_variant("trialectic")
    towers = {"a1": [0], "a2": [0], "a4": [0], "c1": [2], "c3": [2], "b5": [2]}
    position = Position.set_up(variant, towers, to_move=0, out=(False, True, False))
    won = after(position, "a4-a3xc1")
    assert won.ended == Outcome(0, Termination.LAST_WITH_THREE)


# ---------------------------------------------------------------- 0 the order in which a turn is judged


def test_a_win_on_the_last_quiet_ply_is_a_win() -> None:
    first, second = BLOCKED
    before = setup("millchen", first, second.replace("b2", "d2"), to_move=1)
    game = Game(before, quiet=19).play(parse_move("d2-b2", before.board))
    assert game.outcome == Outcome(1, Termination.NO_MOVES)


def test_a_capture_that_brings_the_opponent_under_the_limit_ends_the_game_though_more_is_due() -> None:
    position = rouge("o8 o1 m1 i1 m2 i2", "o4 m5 i6")
    due = play(position, parse_move("o+", position.board))
    assert due.owed == 2
    assert play(due, parse_move("xm5", due.board)).ended == Outcome(0, Termination.LAST_WITH_THREE)


def test_a_turn_limit_draws_the_game() -> None:
    game = played("nine_mens_morris", "a7 d7 g7", max_turns=3)
    assert game.outcome == Outcome(None, Termination.TURN_LIMIT)
