"""Scores of one board are read together: what all its points share is the board's own, and not a stone."""

from __future__ import annotations

import numpy as np
import pytest

from vision.stones.board_mixture import board_mixture

BARE, STONE = board_mixture().means


def scores(n_bare: int, n_stones: int, seed: int, shift: float = 0.0) -> np.ndarray:
    """Scores of bare points, then of stones, scattered a little, all moved by ``shift`` nats."""
    middles = np.repeat([BARE, STONE], [n_bare, n_stones], axis=0)
    return middles + shift + np.random.default_rng(seed).normal(0, 0.5, middles.shape)


@pytest.mark.parametrize("shift", [-4.5, -1.5, 0.0, 1.5, 4.5])
@pytest.mark.parametrize(("n_bare", "n_stones"), [(5, 4), (15, 9), (12, 12), (3, 6)])
def test_readers_that_err_alike_on_all_points_of_a_board_are_corrected(
    n_bare: int, n_stones: int, shift: float
) -> None:
    for seed in range(5):
        is_stone = board_mixture().log_odds(scores(n_bare, n_stones, seed, shift)) > 0
        assert is_stone.tolist() == [False] * n_bare + [True] * n_stones


@pytest.mark.parametrize("n", [9, 16, 24])
def test_marks_that_one_reader_takes_for_stones_at_all_points_are_no_stones(n: int) -> None:
    marked = scores(n, 0, seed=n)
    marked[:, -1] = STONE[-1]
    assert (board_mixture().log_odds(marked) < 0).all()


def test_the_order_of_the_points_and_their_names_play_no_part() -> None:
    some = scores(10, 6, seed=1, shift=1.0)
    order = np.random.default_rng(2).permutation(16)
    assert np.allclose(board_mixture().log_odds(some)[order], board_mixture().log_odds(some[order]))


def test_one_dirty_point_is_no_certain_stone() -> None:
    dirty = scores(9, 0, seed=3)
    dirty[0] = (BARE + STONE) / 2
    assert board_mixture().log_odds(dirty)[0] < 3
