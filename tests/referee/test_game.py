"""What a game knows beyond its position: ends that no move makes, who starts, going back."""

import pytest

from languages import catalogue
from referee.endings import Outcome, Termination
from referee.fouls import Foul, IllegalMoveError
from referee.game import Game
from referee.moves import parse_move
from referee.presets import PRESETS, find_variant
from tests.referee.positions import played


def test_a_game_that_is_over_can_neither_go_on_nor_end_again() -> None:
    over = played("millchen", "a7").ended(Outcome(None, Termination.AGREEMENT))
    with pytest.raises(IllegalMoveError) as caught:
        over.play(parse_move("d7", over.variant.board))
    assert caught.value.reasons == (Foul.AFTER_END,)
    with pytest.raises(ValueError, match="over already"):
        over.ended(Outcome(None, Termination.AGREEMENT))
    with pytest.raises(ValueError, match="over already"):
        over.withdrawn(0, Termination.RESIGNATION)


def test_with_three_players_the_others_play_on_when_one_resigns() -> None:
    game = played("trialectic", "a1 b1 c1")
    on = game.withdrawn(0, Termination.RESIGNATION)
    assert on.outcome is None
    assert on.position.to_move == 1
    assert on.position.out == (True, False, False)
    assert on.turns[-1].remarks == ("resigned",)
    assert on.withdrawn(2, Termination.RESIGNATION).outcome == Outcome(1, Termination.RESIGNATION)


def test_taking_back_in_the_middle_of_a_turn_drops_the_unfinished_moves() -> None:
    game = played("millchen", "a7 g7 a4 g4 a1")
    assert game.pending
    assert game.take_back().ply == 4
    assert not game.take_back().pending


@pytest.mark.parametrize("game", PRESETS)
def test_every_option_has_a_default_a_sentence_a_source_and_values_that_are_remembered(game: str) -> None:
    preset = PRESETS[game]
    for name, source in preset.options.items():
        assert catalogue("en", "rules")["options"][name].endswith(".") and source
        assert find_variant(game, **{name: preset.default(name)}) == preset.variant
        values = preset.values_of(name)
        for value in values if isinstance(values, tuple) else (True, False):
            if type(value) is not int or name not in ("men", "fields", "players", "first"):
                assert dict(find_variant(game, **{name: value}).chosen).get(name, preset.default(name)) == value


@pytest.mark.parametrize(
    ("game", "options", "word"),
    [
        ("chess", {}, "'chess'"), ("millchen", {"wings": 3}, "'wings'"),
        ("millchen", {"fly": "sometimes"}, "'sometimes'"), ("millchen", {"repetition": "often"}, "'often'"),
        ("millchen", {"repetition": -1}, "-1"), ("millchen", {"first": 2}, "2"), ("moulin_rouge", {"players": 7}, "7"),
        ("moulin_rouge", {"leftover": "convert"}, "'convert'"), ("moulin_rouge", {"fields": 50}, "50"),
        ("three_mens_morris", {"diagonals": "perhaps"}, "'perhaps'"),
    ],
)  # fmt: skip
def test_an_unknown_game_option_or_value_is_named(game: str, options: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError) as caught:
        find_variant(game, **options)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_impossible_positions_are_refused_in_one_sentence() -> None:
    variant = find_variant("millchen")
    for points, hands in (
        ({"a7": [2]}, None),
        ({"z9": [0]}, None),
        ({"a7": [0, 0]}, None),
        ({name: [0] for name in variant.board.points[:10]}, None),
        ({"a7": [0]}, (9, 9)),
        ({}, (1,)),
    ):
        with pytest.raises(ValueError) as caught:
            type(Game.start(variant).position).set_up(variant, points, hands)
        assert "\n" not in str(caught.value)


def test_a_move_that_is_no_notation_is_refused() -> None:
    board = find_variant("millchen").board
    for text in ("", "d9", "d6-", "-d6", "d6--d5", "xx", "x", "o+", "d6 d5", "d6-d5-d4", "1", "x-x-", "ÄÖ", "x" * 500):
        with pytest.raises(ValueError, match="no |not a move"):
            parse_move(text, board)


def test_tables_may_say_skip_for_pass_and_where_a_mill_takes_from_while_placing() -> None:
    assert find_variant("nine_mens_morris", stalemate="skip") == find_variant("nine_mens_morris", stalemate="pass")
    assert find_variant("nine_mens_morris", take_from="hand").placing_mill == "hand"
    assert find_variant("dooz", take_from="board").placing_mill == "capture"
    assert find_variant("trialectic", take_from="any").take_from == "any"
    with pytest.raises(ValueError, match="no option 'take_from'"):
        find_variant("tic_tac_toe", take_from="hand")
