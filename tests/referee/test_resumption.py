"""A game goes on from a position as it is seen."""

from __future__ import annotations

import pytest

from referee.fouls import IllegalMoveError
from referee.game import Game
from referee.moves import Move, parse_turn
from referee.presets import find_variant
from referee.record import Record, to_pgn
from referee.resumption import is_soon_after, likeliest_hands, play_as_read, possible_games, resume
from tests.referee.positions import played
from tests.referee.whole_games import from_pgn


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


@pytest.mark.parametrize(
    ("stones", "to_move"), [({"a7": 1, "d7": 2}, 0), ({"a7": 1, "d7": 2, "g7": 1}, 1), ({"a7": 2, "d7": 1}, 0)]
)
def test_the_number_of_stones_tells_whose_turn_it_is_while_they_are_laid(stones: dict[str, int], to_move: int) -> None:
    start = played("nine_mens_morris", "")
    assert resume(start, tops_of(start, **stones), None).position.to_move == to_move


def test_either_player_may_be_next_where_nothing_tells_it() -> None:
    start = played("nine_mens_morris", "")
    game = resume(start, tops_of(start, a7=1, d7=1, g7=1, b6=1, c3=1, f6=2, b4=2, d2=2), None)
    assert {one.position.to_move for one in possible_games(game)} == {0, 1}
    for turn, player in (("a1", 0), ("a1", 1), ("a7-a4", 0), ("f6-f4", 1)):
        assert play_as_read(game, moves(game, turn), player).turns[-1].player == player


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
    text = to_pgn(Record(game))
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
