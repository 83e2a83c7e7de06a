"""Settled cases of one table in, its own habits out: three numbers and their cross-validation.

A case counts with every point in sight: the posterior of the stone that people say lay there. Three numbers are fitted,
from a few values each, and held to those of every table as strongly as ``tools/evidence/fit_fusion.py`` holds its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from referee.typed_json import Count
from vision.cases.case import read_case_data, tops_by_people
from vision.cases.case_replay import try_again
from vision.evidence.fusion import Cues, Evidence, Habits, fuse
from vision.watching.compare import take_look
from vision.watching.gather_cues import gather_cues
from vision.watching.state import Watched
from vision.watching.table_tracking import track_field

MIN_CASES = 20
"""Settled cases of a table from which its habits are learnt."""

TOUCHED_SHARE = 0.06
"""Share of touched points in looks, the prior of the fits. Source: measured, 1,247 of 22,325 visible points of the
looks of version 0.3."""

PENALTY = 2.0
"""Nats for every squared step of a logarithm or a bias away from where a fit starts, so that rare conditions stay
sensible."""

WEIGHTS, BIASES = (0.5, 0.7, 1.0, 1.4, 2.0), tuple(np.arange(-3.0, 3.25, 0.5).tolist())
"""Values of habits among which a fit chooses."""


@dataclass(frozen=True, eq=False)
class CaseLook:
    """The look of a case, and the tops of its points as people have settled them."""

    points_px: NDArray[np.float64]  # (n_points, 2), as they lay then, in the whole picture
    size_px: tuple[int, int]  # of that
    cues: Cues
    came_from: NDArray[np.intp]
    truth: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class HabitFit:
    """The habits of a table, and their success in cases outside their fit."""

    habits: Habits
    n_cases: Count
    loss_before: float  # nats a case, with the coefficients of every table
    loss_after: float  # nats a case, with habits fitted to other cases
    wrong_before: Count  # points that were read wrong
    wrong_after: Count
    is_better: bool  # by more than chance, and in no more points wrong


def look_of_case(case: bytes) -> CaseLook | None:
    """Return the look of a case; None where people have not settled its tops, or the table was never seen.

    Raises ``ValueError`` as ``read_case_data``.
    """
    case_data, moment = read_case_data(case), try_again(case)
    tops = tops_by_people(case_data)
    state = moment.state
    if tops is None or not isinstance(state, Watched) or state.after_break:
        return None
    _, look = take_look(track_field(state, moment.frame).state, moment.frame)
    if look is None:
        return None
    cues, _ = gather_cues(state, look)
    left, top, *_ = case_data["picture"]["part"]
    width, height = case_data["picture"]["size"]
    return CaseLook(look.field.points_px + (left, top), (width, height), cues, look.came_from, np.array(tops))


def log_posteriors(evidence: Evidence, tops: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log posterior of every top at every point, (n_points, n_appearances), where ``tops`` lay before."""
    rows, change = evidence.log_likelihood, evidence.change_log_odds
    is_change = np.arange(rows.shape[1]) != tops[:, None]
    others = np.isfinite(rows).sum(axis=1, keepdims=True) - 1
    prior = np.where(is_change, np.log(TOUCHED_SHARE / others), np.log(1 - TOUCHED_SHARE))
    scores = rows + prior + (0.0 if change is None else is_change * change[:, None])
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), np.float64)


def fit_habits(looks: Sequence[CaseLook]) -> HabitFit:
    """Return the habits that explain the looks, and their success in each look outside a fit to the others."""
    habits = [Habits(*one) for one in product(WEIGHTS, BIASES, WEIGHTS)]
    results = np.array([[_loss_and_wrong(look, one) for look in looks] for one in habits])  # (n_habits, n_looks, 2)
    steps = np.array([(np.log(one.stone_weight), one.stone_bias, np.log(one.paint_weight)) for one in habits])
    losses, totals = results[:, :, 0], results[:, :, 0].sum(axis=1) + PENALTY * (steps**2).sum(axis=1)
    best_of_others = (totals[:, None] - losses).argmin(axis=0)
    before, after = results[habits.index(Habits())], results[best_of_others, np.arange(len(looks))]
    gain = before[:, 0] - after[:, 0]
    chance = gain.std(ddof=1) / np.sqrt(len(gain))  # standard error of its mean
    wrong_before, wrong_after = int(before[:, 1].sum()), int(after[:, 1].sum())
    return HabitFit(
        habits[int(totals.argmin())],
        len(looks),
        float(before[:, 0].mean()),
        float(after[:, 0].mean()),
        wrong_before,
        wrong_after,
        is_better=bool(gain.mean() > chance and wrong_after <= wrong_before),
    )


def _loss_and_wrong(look: CaseLook, habits: Habits) -> tuple[float, int]:
    """Return the loss of the truth at the points in sight, nats, and the number of wrong ones."""
    in_view = look.cues.in_view
    log_p, truth = log_posteriors(fuse(look.cues, habits=habits), look.cues.tops)[in_view], look.truth[in_view]
    nats = -np.maximum(log_p[np.arange(len(truth)), truth], -50)
    return float(nats.sum()), int((log_p.argmax(axis=1) != truth).sum())
