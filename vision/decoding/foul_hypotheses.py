"""The hypotheses of an unlawful act.

The referee (``referee.rulings``) says of every table that the evidence suggests which act leads there, and how often
people do that. A table that no act explains is never forbidden, only dear.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np

from referee.position import Position
from referee.rulings import Ruling, rule_on, rule_on_turned_ring
from vision.decoding.belief import Belief, PointTops, RingSteps
from vision.decoding.turn_hypotheses import (
    MAX_SUSPECTED_STONES,
    TURN_COST_NATS,
    Hypothesis,
    HypothesisKind,
    cost_of_unseen_hands,
)

MAX_STONES_OF_ACT = 3
"""Most of them that one act changes: a stone moved, and one taken. Source: chosen; acts that change more are found
where all that is likelier than not has changed."""

MIN_SUSPICION_NATS = -3.0
"""Least evidence for such a stone against what was expected."""


def unlawful_hypotheses(belief: Belief, explained: Container[tuple[PointTops, RingSteps]]) -> Iterator[Hypothesis]:
    """Yield the unlawful acts that the evidence suggests, each with the table that it leads to, and each ring turned.

    They cost what people do as seldom. Several acts may lead to a table; the likeliest one stands for them. A table
    that is ``explained`` (it, and the steps of the rings) is no foul.
    """
    position, shown = belief.shown_position, belief.expected_tops
    still = (0,) * len(belief.rest.ring_log_likelihood)
    for tops in _suspected_tables(belief):
        if (tops, still) not in explained:
            yield _unlawful(belief, tops, still, _ruling(position, tops))
    for r, ring in enumerate(belief.position.board.rings):
        for step in (-1, 1):
            places = list(shown)
            for k, point in enumerate(ring):
                places[ring[(k + step) % len(ring)]] = shown[point]
            turned, steps = tuple(places), tuple(step if k == r else 0 for k in range(len(still)))
            if (turned, steps) not in explained:
                ruling = rule_on_turned_ring(position, r, step) if turned == shown else _ruling(position, turned)
                yield _unlawful(belief, turned, steps, ruling)


def _unlawful(belief: Belief, tops: PointTops, steps: RingSteps, ruling: Ruling) -> Hypothesis:
    cost = TURN_COST_NATS + cost_of_unseen_hands(belief) + ruling.nats
    return Hypothesis(
        HypothesisKind.UNEXPLAINED, tops, cost, belief.game, pending=belief.pending, steps=steps, ruling=ruling
    )


@lru_cache(maxsize=4096)
def _ruling(position: Position, tops: PointTops) -> Ruling:
    """Return the ruling on a table; the looks of one rest suggest the same tables again and again."""
    return rule_on(position, tops)


def _suspected_tables(belief: Belief) -> Iterator[PointTops]:
    """Yield the tables that differ from the expected one by some of the stones that the evidence suggests."""
    expected = np.array(belief.expected_tops)
    rows = np.arange(len(expected))
    news = belief.rest.log_likelihood
    change = belief.rest.change_log_odds
    nats = news - news[rows, expected][:, None] + change[:, None]
    nats[rows, expected] = -np.inf
    order = np.argsort(-nats, axis=None, kind="stable")
    suspected = [divmod(int(k), nats.shape[1]) for k in order if nats.flat[k] > MIN_SUSPICION_NATS]
    likeliest = suspected[:MAX_SUSPECTED_STONES]
    groups = [group for n in range(1, MAX_STONES_OF_ACT + 1) for group in combinations(likeliest, n)]
    plain = dict(reversed([(point, top) for point, top in suspected if nats[point, top] > 0]))
    for stones in [*groups, tuple(plain.items())]:
        points = {point for point, _ in stones}
        if stones and len(points) == len(stones):
            tops = expected.copy()
            for point, top in stones:
                tops[point] = top
            yield tuple(tops.tolist())
