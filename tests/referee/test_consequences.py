"""What follows from a turn: who is out, which draw is near; how positions are judged, and played on from."""

import pytest

from referee.announce import sentence
from referee.endings import Outcome, Termination
from referee.events import DrawNear, Event, OwnerChanged, PlayerOut, to_json
from referee.fen import parse_fen, to_fen
from referee.fouls import IllegalMoveError
from referee.game import Game
from referee.game_events import consequences
from referee.moves import Move, parse_move, parse_turn
from referee.position import Position
from referee.presets import find_variant
from referee.record import GameRecord, to_pgn
from referee.record import to_json as record_to_json
from referee.record_reader import whole_json
from referee.resumption import (
    begun_with,
    is_soon_after,
    likeliest_hands,
    play_as_read,
    possible_games,
    resume,
    with_sides_changed,
)
from tests.referee.positions import played, setup
from tests.referee.whole_games import from_pgn

RED_GREY_BLUE = ("red", "grey", "blue")


def trialectic(**options: object) -> Game:
    """The first player closes b1 b2 b3 next; the second one has three stones left, the third one four."""
    chosen = "".join(f" {name}={value}" for name, value in options.items())
    return Game(setup(f"trialectic{chosen}", "b1 b3 c2 | a1 a3 a5 | c1 c3 c5 c6"))


def after(game: Game, *moves: str) -> tuple[Game, Game, tuple[Event, ...]]:
    """The game before and after one turn, and what follows."""
    played = game
    for move in moves:
        played = played.play(parse_move(move, game.variant.board))
    return game, played, consequences(game, played)


def test_the_last_stones_in_trialectic_change_hands_and_both_is_said() -> None:
    _, played, said = after(trialectic(), "c2-b2", "xa1")
    assert said == (PlayerOut(1, "fewer_than_three", 0.0, 0), OwnerChanged(("a3", "a5"), 1, 0, 0.0, 0))
    assert [sentence(event, "en", RED_GREY_BLUE) for event in said] == [
        "Grey has fewer than three stones left and is out.",
        "The stones on a3 and a5 belong to Red now.",
    ]
    assert to_json(said[0], "") == {"event": "out", "t": 0.0, "frame": 0, "player": 2, "reason": "fewer_than_three"}
    assert to_json(said[1], "") == {"event": "owner", "t": 0.0, "frame": 0, "points": ["a3", "a5"], "from": 2, "to": 1}
    assert played.outcome is None


def test_stones_that_leave_the_board_are_named_so_that_somebody_takes_them_off() -> None:
    _, _, said = after(trialectic(leftover="remove"), "c2-b2", "xa1")
    assert said == (PlayerOut(1, "fewer_than_three", 0.0, 0, removed=("a3", "a5")),)
    assert sentence(said[0], "en", RED_GREY_BLUE).endswith("Please take the stones on a3 and a5 off the board.")


def test_who_gives_up_or_has_no_time_among_three_is_out_and_the_others_play_on() -> None:
    game = trialectic()
    assert consequences(game, game.withdrawn(1, Termination.RESIGNATION))[0] == PlayerOut(1, "resignation", 0.0, 0)
    assert consequences(game, game.withdrawn(2, Termination.TIME))[0] == PlayerOut(2, "time", 0.0, 0)


def shuffled(game: Game, n_turns: int) -> list[DrawNear]:
    """Warnings while both players move one stone to and fro."""
    steps = ("a7-d7", "a1-d1", "d7-a7", "d1-a1")
    warnings: list[DrawNear] = []
    for k in range(n_turns):
        before, game, said = after(game, steps[k % 4])
        warnings += [event for event in said if isinstance(event, DrawNear)]
    return warnings


def shuffling(**options: object) -> Game:
    points = {p: [0] for p in ("a7", "b6", "c5", "f4")} | {p: [1] for p in ("a1", "b2", "c3", "g4")}
    return Game(Position.set_up(find_variant("nine_mens_morris", **options), points, to_move=0))


def test_five_turns_before_a_draw_for_want_of_a_mill_it_is_said_once() -> None:
    game = shuffling(draw_plies=20)
    assert shuffled(game, 19) == [DrawNear("draw_near", 5, 0.0, 0)]
    assert game.quiet_turns_left == 20
    assert shuffling().quiet_turns_left is None


def test_the_second_time_of_a_position_is_said_once() -> None:
    game = shuffling(repetition=3)
    assert shuffled(game, 7) == [DrawNear("repetition_near", 1, 0.0, 0)]
    assert (shuffling().occurrences, shuffling(repetition=3).occurrences) == (None, 1)


TWO_STONES = {"a7": [0], "d6": [0], "b2": [1], "d2": [1], "f2": [1]}


def test_a_position_that_is_read_is_judged() -> None:
    variant = find_variant("nine_mens_morris")
    position = Position.set_up(variant, TWO_STONES, to_move=0)
    assert from_pgn(f'[Variant "nine_mens_morris"]\n[FEN "{to_fen(position)}"]\n\n*').game.outcome is not None
    assert Game(parse_fen(to_fen(position), variant)).legal_moves == ()


def test_a_foul_that_stands_is_judged_and_kept_so_in_every_record() -> None:
    three = {**TWO_STONES, "g1": [0]}
    game = Game(Position.set_up(find_variant("nine_mens_morris", fly="own"), three, to_move=1))
    tops = list(game.position.tops)
    tops[game.variant.board.index["g1"]] = 0
    on = game.play_on(tops, kinds=("stone_vanished",))
    assert on.outcome == Outcome(1, Termination.FEWER_THAN_THREE)
    assert game.play_on(tops, kinds=("stone_vanished",), is_judged=False).outcome is None
    assert from_pgn(to_pgn(GameRecord(on))).game.outcome == on.outcome
    assert whole_json(record_to_json(GameRecord(on))).game.outcome == on.outcome


def test_a_position_that_was_taken_over_is_judged_only_where_nothing_is_open_in_it() -> None:
    game = Game.start(find_variant("nine_mens_morris"))
    few = Position.set_up(game.variant, TWO_STONES).tops
    assert resume(game, few, 0).outcome is None  # the others may still be in the hands
    moving = Game(Position.set_up(game.variant, {**TWO_STONES, "g1": [0]}, to_move=0))
    assert resume(moving, few, 0).outcome == Outcome(1, Termination.FEWER_THAN_THREE)


def moves(game: Game, turn: str) -> tuple[Move, ...]:
    return parse_turn(turn, game.variant.board)


def tops_of(game: Game, **stones: int) -> tuple[int, ...]:
    return tuple(stones.get(name, 0) for name in game.variant.board.points)


@pytest.mark.parametrize(
    ("name", "counts", "hands", "to_move"),
    [
        ("nine_mens_morris", (0, 0), (9, 9), 0),
        ("nine_mens_morris", (4, 3), (5, 6), 1),
        ("nine_mens_morris", (5, 3), (0, 0), 0),  # one of the second player's has been taken
        ("nine_mens_morris", (6, 6), (0, 0), 0),  # more often the others were taken than not laid yet
        ("tic_tac_toe", (3, 2), (2, 2), 1),  # nothing is ever taken
        ("trialectic", (2, 2, 1), (7, 7, 8), 2),
    ],
)
def test_what_is_missing_is_likely_in_hand_as_long_as_few_stones_lie_in_turn(
    name: str, counts: tuple[int, ...], hands: tuple[int, ...], to_move: int
) -> None:
    assert likeliest_hands(find_variant(name), counts) == (hands, to_move)


def test_either_player_may_be_next_where_nothing_tells_it() -> None:
    start = played("nine_mens_morris", "")
    game = resume(start, tops_of(start, a7=1, d7=1, g7=1, b6=1, c3=1, f6=2, b4=2, d2=2), None)
    assert {one.position.to_move for one in possible_games(game)} == {0, 1}
    for turn, player in (("a1", 0), ("a1", 1), ("a7-a4", 0), ("f6-f4", 1)):
        assert play_as_read(game, moves(game, turn), player).turns[-1].player == player


def test_who_lays_the_next_stone_is_first_where_as_many_lie_of_both() -> None:
    game = resume(played("nine_mens_morris", ""), tops_of(played("nine_mens_morris", ""), a7=1, d7=2), None)
    first, second = (play_as_read(game, moves(game, "g4"), player) for player in (0, 1))
    assert with_sides_changed(game, first) is None
    changed = with_sides_changed(game, second)
    assert changed is not None
    assert (changed.position.tops, changed.position.to_move) == (tops_of(game, a7=2, d7=1), 0)
    assert with_sides_changed(resume(game, game.position.tops, 1), second) is None, "people have said whose turn it is"


@pytest.mark.parametrize(("top", "order"), [(2, (1, 0)), (1, None)])
def test_the_turns_stay_where_a_stone_has_lain_from_the_beginning(top: int, order: tuple[int, int] | None) -> None:
    game = played("tic_tac_toe", "b2 a3 c3")
    begun = begun_with(game, {game.position.board.index["a1"]: top})
    assert (begun and begun[1]) == order, "the first player cannot have laid two"
    if begun is not None:
        assert [turn.player for turn in begun[0].turns[1:]] == [1, 0, 1]
        assert begun[0].position.tops == tops_of(game, a1=1, b2=2, a3=1, c3=2)


def test_a_stone_that_moves_although_stones_are_missing_shows_that_all_were_laid() -> None:
    start = played("nine_mens_morris", "")
    game = resume(start, tops_of(start, a7=1, d7=2, g7=1, f6=2, a1=1, g1=2), None)
    assert game.position.hands == (6, 6)
    moved = play_as_read(game, moves(game, "a7-a4"))
    assert moved.position.hands == (0, 0)
    laid = play_as_read(play_as_read(game, moves(game, "c3")), moves(game, "b6"))
    assert laid.position.hands == (5, 5)
    assert play_as_read(laid, moves(game, "a7-a4")).position.hands == (0, 0)


def test_a_game_that_was_not_taken_over_has_one_reading() -> None:
    game = played("nine_mens_morris", "a7 d7")
    assert possible_games(game) == (game,)
    with pytest.raises(IllegalMoveError):
        play_as_read(game, moves(game, "a7-a4"))


def test_the_record_of_a_game_that_was_taken_over_is_read_back() -> None:
    start = played("nine_mens_morris", "a7 d7")
    game = resume(start, tops_of(start, a7=1, d7=1, g7=1, b6=1, c3=1, f6=2, b4=2, d2=2), None)
    for turn, player in (("f6-f4", 1), ("a7-a4", 0)):
        game = play_as_read(game, moves(game, turn), player)
    text = to_pgn(GameRecord(game))
    assert "resumed" in text
    assert from_pgn(text).game == game


def test_what_is_no_table_is_refused() -> None:
    game = played("tic_tac_toe", "")
    for tops, to_move in (((0,) * 8, None), ((3,) * 9, None), ((0,) * 9, 2)):
        with pytest.raises(ValueError, match="must be"):
            resume(game, tops, to_move)


@pytest.mark.parametrize(
    ("more", "is_soon"),
    [
        ({"f6": 1}, True),  # a mill whose capture is not made yet
        ({"f6": 1, "a4": 0}, True),
        ({"g1": 1, "g4": 2}, True),
        ({"g1": 2}, False),  # the other player is to move
        ({"g1": 1, "g4": 2, "g7": 1}, False),
        ({"a4": 0}, False),
    ],
)
def test_soon_after_a_game_is_a_turn_or_two_or_the_middle_of_one(more: dict[str, int], is_soon: bool) -> None:
    game = played("nine_mens_morris", "d6 a1 b6 a4")
    tops = tops_of(game, **({"d6": 1, "a1": 2, "b6": 1, "a4": 2} | more))
    assert is_soon_after(game, tops, 2) is is_soon
