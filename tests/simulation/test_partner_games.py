"""Filmed games against Millchen: the eyes and the table notice another turn, and that it was put right."""

from __future__ import annotations

import pytest

from referee.presets import PRESETS, find_variant
from tests.simulation.partner_games import one_game_a_board, report, simulate


def test_another_turn_is_noticed_and_put_right_on_a_small_board() -> None:
    score = simulate("tic_tac_toe", 1, n_turns=4, wrong_at=0)
    assert (score.made, score.accepted, score.blamed) == (2, 2, 0), score
    assert (score.wrong, score.noticed, score.put_right) == (1, 1, 1), score
    assert any(text.startswith("I meant:") for text in score.said)


@pytest.mark.slow
def test_who_plays_on_lets_the_other_turn_stand() -> None:
    score = simulate("nine_mens_morris", 2, n_turns=4, wrong_at=0, stands=True)
    assert (score.wrong, score.noticed, score.made, score.accepted) == (1, 1, 1, 1), score
    kinds = [kind for kind in score.kinds if kind not in ("start", "partner", "proposed")]
    assert kinds == ["turn", "foul", "stood", "turn", "turn"], score
    assert any(text.startswith("Millchen places on") for text in score.said)


def test_there_is_a_game_on_every_board() -> None:
    games = one_game_a_board()
    assert len({find_variant(name).board.name for name in games}) == len(games)
    assert {find_variant(name).board.name for name in games} == {find_variant(name).board.name for name in PRESETS}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_another_turn_is_noticed_and_put_right_on_every_board() -> None:
    """What the eyes do not see they do not see: one film in ten may end for that. Nobody may be blamed wrongly."""
    scores = [simulate(name, seed) for name in one_game_a_board() for seed in (1, 2)]
    scores.append(simulate("moulin_rouge", 1, options={"players": 3}))
    print(report(scores))
    wrong, noticed = sum(one.wrong for one in scores), sum(one.noticed for one in scores)
    assert wrong >= 0.85 * len(scores)
    assert noticed >= 0.9 * wrong
    assert sum(one.put_right for one in scores) >= 0.9 * noticed
    assert sum(one.blamed for one in scores) == 0
