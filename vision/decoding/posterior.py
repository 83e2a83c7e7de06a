"""A belief in, the posterior of the hypotheses out that may explain the table.

States are games (``referee.game``). Transitions are what people do between two looks (``turn_hypotheses.py``). Evidence
is the mean of all looks since something last moved, times their effective number (``belief.py``): frames of a still
scene are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.decoding.belief import Belief, EvidenceArray, PointTops, RingSteps, TurnSequence
from vision.decoding.turn_hypotheses import (
    DOUBT_NATS,
    MAX_CHANGED_POINTS,
    SELDOM_COST_NATS,
    TURN_COST_NATS,
    Hypothesis,
    HypothesisKind,
    after_unseen_rotation,
    follow_up_hypotheses,
    lawful_hypotheses,
    second_turn_cost,
    still,
    undecided_rest_log_ratio,
    unlawful_hypotheses,
)
from vision.rotation.angle_at_rest import MAX_ROTATION_NATS, ROTATION_STEPS
from vision.rotation.disc_geometry import ring_permutation


@dataclass(frozen=True, eq=False)
class Posterior:
    """The hypotheses that matter, best first, with their posteriors (which sum to at most 1)."""

    ranked: tuple[tuple[Hypothesis, float], ...]
    log_likelihood: EvidenceArray | None = None  # (n_points, n_appearances), the evidence, nats

    @property
    def best(self) -> Hypothesis:
        """The hypothesis with the highest posterior."""
        return self.ranked[0][0]

    @property
    def turn_log_posteriors(self) -> dict[TurnSequence, float]:
        """Log posteriors of plain sequences of turns, for the next rest if this one stays undecided."""
        plain = (HypothesisKind.NOTHING_DONE, HypothesisKind.TURN, HypothesisKind.TWO_TURNS)
        likely = [(hypothesis, p) for hypothesis, p in self.ranked if hypothesis.kind in plain and p > 0]
        return {h.moves: float(np.log(p)) for h, p in reversed(likely)}

    @property
    def unlawful_tables(self) -> dict[PointTops, float]:
        """Posteriors of the tables that only unlawful acts lead to, for the next rest if this one stays undecided."""
        return {h.tops: p for h, p in reversed(self.ranked) if h.kind is HypothesisKind.UNEXPLAINED}

    def of_others(self, holds: Callable[[Hypothesis], bool]) -> float:
        """Return the posterior of all hypotheses after the best one for which something holds."""
        return sum(p for other, p in self.ranked[1:] if holds(other))

    @property
    def confidence(self) -> float:
        """The posterior of the best hypothesis."""
        return self.ranked[0][1]


def decode(belief: Belief) -> Posterior:
    """Return the posterior of the best 8 hypotheses about the time since the last decision."""
    hypotheses = list(lawful_hypotheses(belief))
    scores = _scores(hypotheses, belief)
    clear = _explains_everything(hypotheses[int(scores.argmax())], belief)
    more = [] if clear else _follow_ups(belief, hypotheses)
    more += _fouls(belief, hypotheses + more)
    if more:
        hypotheses += more
        scores = np.concatenate([scores, _scores(more, belief)])
    posterior = np.exp(scores - scores.max())
    posterior /= posterior.sum()
    order = np.argsort(-posterior, kind="stable")[:8]
    return Posterior(tuple((hypotheses[i], float(posterior[i])) for i in order), belief.rest.log_likelihood)


def _follow_ups(belief: Belief, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """Return the best hypotheses with one turn extended by every second one, and the best of these by every third.

    Half of the right pair of turns explains more than a wrong turn, so only the best are followed up, one for each
    point that may have changed, and those that may explain the undecided rest before. Three turns need as many points
    with new evidence, unless two explain that rest: else three turns explain a foul. Of photographs the turns that may
    explain the one before count as well: each may be a stone laid on its like.
    """
    earlier = [turns for turns, nats in belief.undecided_log_posterior.items() if nats > -DOUBT_NATS]
    n_news = int((belief.rest.log_likelihood.argmax(axis=1) != np.array(belief.expected_tops)).sum())
    n_earlier = max(map(len, earlier), default=0)
    may_be_three = n_news + n_earlier * belief.photographed >= 3 or n_earlier > 1
    follow_ups: list[Hypothesis] = []
    longest = hypotheses
    for n_turns in range(1, 2 + may_be_three):
        whole = [hypothesis for hypothesis in longest if len(hypothesis.turns) == n_turns and not hypothesis.pending]
        starts = {turns[:n_turns] for turns in earlier}
        order = np.argsort(-_scores(whole, belief), kind="stable").tolist() if whole else []
        order = [i for rank, i in enumerate(order) if rank < MAX_CHANGED_POINTS // n_turns or whole[i].moves in starts]
        longest = [longer for i in order for longer in follow_up_hypotheses(belief, whole[i])]
        if n_turns == 1:
            longest += after_unseen_rotation(belief)
        follow_ups += longest
    return follow_ups


def _fouls(belief: Belief, others: list[Hypothesis]) -> Iterable[Hypothesis]:
    """Return the likeliest unlawful act for each table that no other hypothesis explains.

    A table that turns explain is no foul. A table that only a change of the past explains may be one.
    """
    past = HypothesisKind.TAKEN_BACK, HypothesisKind.MISREAD
    # A wrong stone might always lie on a right one, so a turn that does not show cannot rule out a foul.
    lawful = {(h.tops, h.steps) for h in others if not h.hides and h.kind not in past}
    # Stones that a ring has carried along show its turn, though it seems to lie still.
    lawful |= {(tops, still(belief)) for tops, steps in lawful if any(steps)}
    fouls: dict[tuple[PointTops, RingSteps], Hypothesis] = {}
    for foul in sorted(unlawful_hypotheses(belief, lawful), key=lambda hypothesis: hypothesis.cost):
        fouls.setdefault((foul.tops, foul.steps), foul)
    return fouls.values()


def _explains_everything(hypothesis: Hypothesis, belief: Belief) -> bool:
    """Return whether a hypothesis explains appearance and change of every point, and no second turn could do."""
    if hypothesis.cost >= TURN_COST_NATS + second_turn_cost(belief):
        return False
    if belief.undecided_log_posterior or belief.position.variant.max_height > 1 or belief.position.board.rings:
        return False
    tops = np.array(hypothesis.tops)
    fits_look = bool((belief.rest.log_likelihood.argmax(axis=1) == tops).all())
    return fits_look and bool(((tops != np.array(belief.expected_tops)) == (belief.rest.change_log_odds > 0)).all())


def _scores(hypotheses: list[Hypothesis], belief: Belief) -> NDArray[np.float64]:
    n_points = len(belief.expected_tops)
    rows = np.arange(n_points)
    tops = np.frombuffer(b"".join([bytes(hypothesis.tops) for hypothesis in hypotheses]), np.uint8)
    tops = tops.reshape(len(hypotheses), n_points)
    news = belief.rest.log_likelihood
    costs = [hypothesis.cost for hypothesis in hypotheses]
    if belief.undecided_log_posterior:
        ratios = [undecided_rest_log_ratio(belief, hypothesis) for hypothesis in hypotheses]
        costs = [cost - ratio for cost, ratio in zip(costs, ratios, strict=True)]
    scores = news[rows, tops].sum(axis=1) - np.array(costs)
    changed = tops != _untouched_tops(hypotheses, tops, belief)
    scores += changed @ belief.rest.change_log_odds
    scores -= SELDOM_COST_NATS * changed[:, ~news.any(axis=1)].sum(axis=1) * (belief.rest.n_looks > 0)
    if belief.position.variant.max_height > 1:
        before = belief.position.heights
        growth = np.array([hypothesis.heights or before for hypothesis in hypotheses]) - np.array(before)
        scores += ((growth > 0) & ~changed) @ belief.rest.like_log_odds
        scores += ((growth < 0) & ~changed) @ belief.rest.change_log_odds
    steps = np.array([hypothesis.steps for hypothesis in hypotheses])
    for ring, steps_by_hypothesis in zip(belief.rest.ring_log_likelihood, steps.T, strict=False):
        nats = dict(zip(ROTATION_STEPS, ring.tolist(), strict=True))
        scores += [nats.get(step, -MAX_ROTATION_NATS) for step in steps_by_hypothesis.tolist()]
    return np.asarray(scores, np.float64)


def _untouched_tops(hypotheses: list[Hypothesis], tops: NDArray[np.uint8], belief: Belief) -> NDArray[np.intp]:
    """Return the tops of each hypothesis if nobody touched a stone: the expected tops, moved along by turned rings.

    The change was measured for the likeliest steps of the rings. A ring with other steps is given the ``tops`` of the
    hypothesis itself, so that the change says nothing about it.
    """
    expected = np.array(belief.expected_tops)
    board = belief.position.board
    if not any(belief.rest.ring_steps):
        return np.broadcast_to(expected, (len(hypotheses), len(expected)))
    came_from = {steps: ring_permutation(board, steps) for steps in {hypothesis.steps for hypothesis in hypotheses}}
    rows = expected[np.array([came_from[hypothesis.steps] for hypothesis in hypotheses])]
    elsewhere = np.array([hypothesis.steps for hypothesis in hypotheses]) != np.array(belief.rest.ring_steps)
    for ring, other in zip(board.rings, elsewhere.T, strict=True):
        rows[np.ix_(other, ring)] = tops[np.ix_(other, ring)]
    return np.asarray(rows, np.intp)
