"""Another implementation of nine men's morris, written by other people, must allow exactly the same actions."""

import random

import pytest

from referee.game import Game
from referee.moves import Capture, Move, Place
from referee.presets import find_variant

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (pip install open_spiel)")

N = 24
VARIANT = find_variant("nine_mens_morris", fly="own", max_turns=200)
INDEX = VARIANT.board.index


def _action(move: Move) -> int:
    """OpenSpiel's number of a move: the point itself, or start and goal above 24."""
    if isinstance(move, Place):
        return INDEX[move.to]
    if isinstance(move, Capture):
        return INDEX[move.at]
    return N + INDEX[move.start] * N + INDEX[move.to]


def _compare(n_games: int, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    theirs = pyspiel.load_game("nine_mens_morris")
    figures = {"games": 0, "positions": 0, "first": 0, "second": 0, "drawn": 0}
    for _ in range(n_games):
        state, game = theirs.new_initial_state(), Game.start(VARIANT)
        while not state.is_terminal():
            assert game.outcome is None, (state.history(), game.outcome)
            assert state.current_player() == game.position.to_move
            moves = {_action(move): move for move in game.legal_moves}
            assert set(state.legal_actions()) == set(moves), state.history()
            figures["positions"] += 1
            action = rng.choice(sorted(moves))
            state.apply_action(action)
            game = game.play(moves[action])
        assert game.outcome is not None, state.history()
        winner = game.outcome.winner
        assert state.returns() == [0.0, 0.0] if winner is None else state.returns()[winner] == 1.0
        figures["games"] += 1
        figures["drawn" if winner is None else ("first", "second")[winner]] += 1
    return figures


def test_openspiel_allows_the_same_actions_in_fifty_random_games() -> None:
    assert _compare(50, seed=1)["games"] == 50


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_openspiel_allows_the_same_actions_in_two_thousand_random_games(capsys: pytest.CaptureFixture[str]) -> None:
    figures = _compare(2000, seed=2)
    with capsys.disabled():
        print("\nOpenSpiel:", figures)
    assert figures["games"] == 2000
