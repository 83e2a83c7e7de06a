"""What is one table's own is learnt from its settled cases, and kept only where it helps in others."""

from __future__ import annotations

import numpy as np
import pytest

from referee.layouts import TIC_TAC_TOE
from tests.drawn import drawn, field_of
from tests.synthetic import random_spec
from vision.cases.table_habits import MIN_CASES, CaseLook, fit_habits
from vision.evidence.fusion import Cues, Habits, fuse

N = 9


def looks(bias: float, n: int = MIN_CASES, *, spread: float = 2.0) -> list[CaseLook]:
    """Looks in which the cues of stones say too much by ``bias`` nats."""
    rng, scene = np.random.default_rng(8), drawn(random_spec(np.random.default_rng(1), TIC_TAC_TOE))
    _, shown = scene.render([[] for _ in range(N)], rng=rng)
    field = field_of(scene, shown.points_px)
    none, every = np.zeros(N, np.bool_), np.ones(N, np.bool_)
    found = []
    for _ in range(n):
        truth = rng.integers(1, 3, N) * (rng.random(N) < 0.6)
        truth[:2] = rng.integers(1, 3, 2)
        said = rng.normal(np.where(truth > 0, 3.0, -3.0), spread) + bias
        paint = rng.normal(0.0, 1.0, (N, 2)) + 3.0 * (truth[:, None] == np.array([1, 2]))
        stone = dict.fromkeys(("bare_look", "photograph", "stone_map", "paint_fit", "beside_fit"), said)
        paints = dict.fromkeys(("histogram", "remembered", "beside"), paint)
        touched = np.arange(N) < 2
        change, before = np.where(touched, 4.0, -4.0), np.where(touched, 0, truth)
        cues = Cues(stone, paints, change, np.full(N, "pixels"), before, every, every, every, none, none, every)
        found.append(CaseLook(field, (1280, 720), cues, np.arange(N), truth))
    return found


@pytest.mark.parametrize("bias", [-4.0, 7.0])
def test_a_table_whose_stones_are_misjudged_one_way_is_read_better(bias: float) -> None:
    fitted = fit_habits(looks(bias))
    assert fitted.habits.stone_bias * bias < 0
    assert fitted.loss_after < fitted.loss_before
    assert fitted.wrong_after < fitted.wrong_before
    assert fitted.is_better


def test_a_table_that_is_read_well_keeps_what_holds_for_every_table() -> None:
    fitted = fit_habits(looks(0.0, spread=0.5))
    assert fitted.habits == Habits()
    assert not fitted.is_better


def test_a_table_without_habits_of_its_own_is_read_as_every_table() -> None:
    cues = looks(0.0, 1)[0].cues
    every = fuse(cues).log_likelihood
    np.testing.assert_allclose(fuse(cues, habits=Habits()).log_likelihood, every, atol=1e-12)
    more = fuse(cues, habits=Habits(stone_bias=1.0)).log_likelihood
    stones = [rows[:, 1:].max(axis=1) - rows[:, 0] for rows in (every, more)]
    np.testing.assert_allclose(stones[1] - stones[0], 1.0)
