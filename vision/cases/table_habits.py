"""One table's own habits: settled cases in, three numbers and their cross-validation out.

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
from vision.cases.case import read_told, tops_as_said
from vision.cases.case_replay import try_again
from vision.evidence.fusion import Cues, Evidence, Habits, fuse
from vision.watching.compare import take_look
from vision.watching.gather_cues import gather_cues
from vision.watching.state import Watched
from vision.watching.table_tracking import track_field

MIN_CASES = 20
"""Settled cases of a table from which its habits are learnt."""

N_FOLDS = 5
"""Parts of the cases, each left out once."""

TOUCHED_SHARE = 0.06
"""Share of touched points in looks, the prior of the fits. Source: measured, 1,247 of 22,325 visible points of the
looks of version 0.3."""

PENALTY = 2.0
"""Nats for every squared step of a logarithm or a bias away from where a fit starts, so that rare conditions stay
sensible."""

TRIED_WEIGHTS, TRIED_BIASES = (0.5, 0.7, 1.0, 1.4, 2.0), tuple(np.arange(-3.0, 3.25, 0.5).tolist())


@dataclass(frozen=True, eq=False)
class CaseLook:
    """The look of a case, and what lay on the points by what people did and said."""

    points_px: NDArray[np.float64]  # (n_points, 2), as they lay then, in the whole picture
    size_px: tuple[int, int]  # of that
    cues: Cues
    came_from: NDArray[np.intp]
    truth: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The habits of a table, and what they do in cases that were left out."""

    habits: Habits
    n_cases: Count
    loss_before: float  # nats a case, with the coefficients of every table
    loss_after: float  # nats a case, with habits fitted to other cases
    wrong_before: Count  # points that were read wrong
    wrong_after: Count
    is_better: bool  # by more than chance, and in no more points wrong


def look_of_case(case: bytes) -> CaseLook | None:
    """Return the look of a case; None where people have left open what lay there, or nothing is known of the table.

    Raises ``ValueError`` as ``read_told``.
    """
    told = read_told(case)
    tops, moment = tops_as_said(told), try_again(case)
    state = moment.state
    if tops is None or not isinstance(state, Watched) or state.after_break:
        return None
    _, look = take_look(track_field(state, moment.frame).state, moment.frame)
    if look is None:
        return None
    cues, _ = gather_cues(state, look)
    left, top, *_ = told["picture"]["part"]
    width, height = told["picture"]["size"]
    return CaseLook(look.field.points_px + (left, top), (width, height), cues, look.came_from, np.array(tops))


def log_posteriors(evidence: Evidence, tops: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log posterior of every top at every point, (n_points, n_appearances), where ``tops`` lay before."""
    rows, change = evidence.log_likelihood, evidence.change_log_odds
    changed = np.arange(rows.shape[1]) != tops[:, None]
    others = np.isfinite(rows).sum(axis=1, keepdims=True) - 1
    prior = np.where(changed, np.log(TOUCHED_SHARE / others), np.log(1 - TOUCHED_SHARE))
    scores = rows + prior + (0.0 if change is None else changed * change[:, None])
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), np.float64)


def fit_habits(looks: Sequence[CaseLook]) -> Fitted:
    """Return the habits that explain the looks, and how they do on looks that were left out of a fit."""
    tried = [Habits(*one) for one in product(TRIED_WEIGHTS, TRIED_BIASES, TRIED_WEIGHTS)]
    results = np.array([[_loss_and_wrong(look, one) for look in looks] for one in tried])  # (n_tried, n_looks, 2)
    held = PENALTY * np.array(
        [np.log(one.stone_weight) ** 2 + one.stone_bias**2 + np.log(one.paint_weight) ** 2 for one in tried]
    )
    folds = np.arange(len(looks)) % N_FOLDS
    after = np.empty((len(looks), 2))
    for fold in range(N_FOLDS):
        best = (results[:, folds != fold, 0].sum(axis=1) + held).argmin()
        after[folds == fold] = results[best, folds == fold]
    before = results[tried.index(Habits())]
    gain = before[:, 0] - after[:, 0]
    chance = gain.std(ddof=1) / np.sqrt(len(gain))  # standard error of its mean
    wrong_before, wrong_after = int(before[:, 1].sum()), int(after[:, 1].sum())
    return Fitted(
        tried[int((results[:, :, 0].sum(axis=1) + held).argmin())],
        len(looks),
        float(before[:, 0].mean()),
        float(after[:, 0].mean()),
        wrong_before,
        wrong_after,
        is_better=bool(gain.mean() > chance and wrong_after <= wrong_before),
    )


def _loss_and_wrong(look: CaseLook, habits: Habits) -> tuple[float, int]:
    """Return the nats by which the truth was missed at the points in sight, and the number of those read wrong."""
    shown = look.cues.in_view
    log_p, truth = log_posteriors(fuse(look.cues, habits=habits), look.cues.tops)[shown], look.truth[shown]
    missed = -np.maximum(log_p[np.arange(len(truth)), truth], -50)
    return float(missed.sum()), int((log_p.argmax(axis=1) != truth).sum())
