"""The analysis of finished games: what was lost where, and which turn changed the result."""

import itertools
import json

import pytest

from referee.endings import Outcome, Termination
from referee.fen import parse_fen
from referee.game import Game
from referee.moves import parse_turn
from referee.presets import find_variant
from referee.search.analysis import (
    ALLOWED_MILL,
    BLUNDER,
    GAVE_AWAY,
    MISSED_MILL,
    TurnAnalysis,
    analyse_turn,
    games_of,
    turning_point,
)
from referee.search.analysis_texts import analysis_sentences, better_sentences
from referee.search.reasons import Reason
from referee.search.thought import Limits, Value
from referee.typed_json import read, write
from tests.referee.planted_games import SOLVED, UNSOLVED, perfect_game, planted_game
from tests.referee.positions import played
from tests.referee.whole_games import analyse

pytestmark = pytest.mark.film

FEW = Limits(positions=1500)


@pytest.fixture(scope="module")
def lost() -> Game:
    """Tic Tac Toe in which player 2 answers the centre on a side, and player 1 wins by force."""
    return played("tic_tac_toe", "b2 b1 a1 c3 a3 c1 a2")


def test_the_turn_that_lost_a_drawn_game_is_the_turning_point(lost: Game) -> None:
    found = analyse(lost, FEW)
    assert found.turning_point == 2
    assert [one.ply for one in found.turns if BLUNDER in one.tags] == [2]
    turn = found.turns[1]
    assert turn.before == Value.drawn(2)
    assert turn.after is not None
    assert (turn.after.winner, turn.loss) == (0, 0.5)
    assert turn.best in {"a1", "a3", "c1", "c3"}


TWENTY = [pytest.param(SOLVED[k % len(SOLVED)], k, marks=pytest.mark.slow) for k in range(20)]


@pytest.mark.parametrize(("name", "seed"), [*((name, 1) for name in SOLVED), *TWENTY])
def test_nothing_is_told_of_a_perfect_game(name: str, seed: int) -> None:
    found = analyse(perfect_game(name, seed), FEW)
    assert found.turning_point is None
    assert [one for one in found.turns if one.tags or one.loss] == []


@pytest.mark.parametrize("name", SOLVED)
def test_a_planted_blunder_of_a_solved_game_is_found(name: str) -> None:
    game, planted = next(filter(None, (planted_game(name, seed, 1500) for seed in range(20))))
    assert analyse(game, FEW).turning_point == planted


def test_a_mill_that_was_missed_and_one_that_was_allowed_are_told() -> None:
    missing = played("nine_mens_morris", "a7 b6 d7 b4 a1")  # g7 closes; a1 does not even stop b2
    found = analyse_turn(games_of(missing)[-2], missing.turns[-1], Limits(positions=4000))
    assert MISSED_MILL in found.tags
    assert [sorted(mill) for mill in found.missed] == [["a7", "d7", "g7"]]
    assert found.best.startswith("g7x")
    assert any(reason.kind == "closes" for reason in found.reasons)
    allowing = played("nine_mens_morris", "a7 b6 f2 b4 d3")
    found = analyse_turn(games_of(allowing)[-2], allowing.turns[-1], Limits(positions=4000))
    assert ALLOWED_MILL in found.tags
    assert [sorted(mill) for mill in found.allowed] == [["b2", "b4", "b6"]]
    assert found.best == "b2"


def test_a_capture_that_gave_the_lead_away_is_told() -> None:
    begun = Game(
        parse_fen("****@@*O/*@*@*@**/*O**O*OO w m s 5 0 5 0 0 0 0 0 0 0 0 0 1", find_variant("nine_mens_morris"))
    )
    told = {}
    for capture in ("c3", "f2"):
        turn = begun
        for move in parse_turn(f"d1-a1x{capture}", begun.variant.board):
            turn = turn.play(move)
        told[capture] = analyse_turn(begun, turn.turns[-1], Limits(positions=4000))
    assert GAVE_AWAY in told["c3"].tags
    assert told["c3"].capture == "d1-a1xf2"
    assert told["f2"].tags == ()
    said = better_sentences(told["c3"], begun, "en", ("red", "blue"))
    assert said[-1].startswith("Another stone to take would have kept the lead. Red moves from d1 to a1")


def test_a_foul_that_stood_is_stepped_over() -> None:
    game = played("tic_tac_toe", "b2 b1")
    tops = list(game.position.tops)
    tops[game.variant.board.index["a1"]] = 2
    game = game.play_on(tops, to_move=0, kinds=("two_moves",))
    for text in ("a3", "c1"):
        game = game.play(parse_turn(text, game.variant.board)[0])
    found = analyse(game, FEW)
    assert [one.played for one in found.turns] == ["b2", "b1", "", "a3", "c1"]
    assert found.turns[2].tags == ()
    assert found.turns[2].before is not None


def test_who_resigns_a_lost_game_has_one() -> None:
    game = played("tic_tac_toe", "b2 b1 a1 c3").withdrawn(1, Termination.RESIGNATION)
    assert analyse(game, FEW).turning_point == 2


def told(ply: int, player: int, before: float, after: float) -> TurnAnalysis:
    values = [Value((share, 1 - share) if player == 0 else (1 - share, share)) for share in (before, after)]
    return TurnAnalysis(ply, player, "a1", "b2", values[0], values[1], before - after, (BLUNDER,))


def test_the_turning_point_is_the_one_whose_change_stayed() -> None:
    win, end = Outcome(0, Termination.NO_MOVES), Value.won(2, 0, 0)
    lost_then_given_back = [told(2, 1, 0.5, 0.0), told(5, 0, 1.0, 0.5), told(8, 1, 0.5, 0.0)]
    assert turning_point(lost_then_given_back, win, end) == 8
    assert turning_point([told(2, 1, 0.6, 0.1), told(8, 1, 0.4, 0.2)], win, end) == 2
    assert turning_point([told(5, 0, 1.0, 0.5)], win, end) is None
    draw = Outcome(None, Termination.REPETITION)
    assert turning_point(lost_then_given_back[:2], draw, Value.drawn(2)) == 5
    assert turning_point(lost_then_given_back[:2], draw, Value.won(2, 0, 3)) is None
    assert turning_point(lost_then_given_back, Outcome(None, Termination.ABANDONED), end) is None


def test_an_analysis_is_plain_data_and_read_back() -> None:
    whole = TurnAnalysis(
        7, 1, "a1-a2", "b2-c2xd6", Value.won(2, 1, 5), Value((0.25, 0.75)), 0.25, (BLUNDER, GAVE_AWAY),
        (("a1", "b1", "c1"),), (("a3", "b3", "c3"),), "a1-a2xd7", (Reason("blocks", ("d2",), 0, 0),), ("d6",),
    )  # fmt: skip
    assert read(TurnAnalysis, json.loads(json.dumps(write(whole)))) == whole
    assert write(whole)["player"] == 2
    with pytest.raises(ValueError, match="player must be a whole number"):
        read(TurnAnalysis, {"ply": 1})


@pytest.mark.parametrize("language", ["en", "de", "fr", "lb"])
def test_what_is_told_is_whole_sentences(lost: Game, language: str) -> None:
    games = games_of(lost)
    for found in analyse(lost, FEW).turns:
        if not found.tags:
            continue
        said = analysis_sentences(found, True, language, ("red", "blue"))
        said += better_sentences(found, games[found.ply - 1], language, ("red", "blue"))
        assert len(said) >= 3
        assert all(text[0].isupper() and text[-1] == "." and "{" not in text and "(n)" not in text for text in said)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("names", "n_games"), [(SOLVED, 25), (UNSOLVED, 25)])
def test_nine_of_ten_planted_blunders_are_found(names: tuple[str, ...], n_games: int) -> None:
    limits, n, n_found = Limits(positions=2500), 0, 0
    for seed in itertools.count(3000):
        made = planted_game(names[seed % len(names)], seed, 2500, least_turns=3)
        if made is not None:
            n, n_found = n + 1, n_found + (analyse(made[0], limits).turning_point == made[1])
        if n == n_games:
            break
    print(f"found {n_found} of {n} in {', '.join(names)}")
    assert n_found >= 0.9 * n
