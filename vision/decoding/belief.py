"""The belief about a game: the accepted turns, and the evidence since the last decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.game import Game, as_shown
from referee.moves import Move
from referee.position import Position
from referee.turns import Turn
from vision.evidence.fusion import Evidence
from vision.rotation.angle_at_rest import ROTATION_STEPS

PointTops = tuple[int, ...]
"""Appearance of each point: 0 bare, k a stone of player k - 1 on top."""

RingSteps = tuple[int, ...]
"""Steps by which each ring has turned, clockwise; empty on boards without rings."""

EvidenceArray = NDArray[np.float64]

TurnSequence = tuple[tuple[Move, ...], ...]
"""The moves of several turns, in order."""

LOOK_CORRELATION = 0.8
"""Correlation of the errors of two looks at one table at rest: they share light, shadows and paint."""


@dataclass(frozen=True, eq=False)
class RestEvidence:
    """The evidence since something last moved over each point; nats."""

    mean_log_likelihood: EvidenceArray  # (n_points, n_appearances), over all looks, less the last decided one's bias
    mean_alone: EvidenceArray  # the same with it
    looks_at: NDArray[np.intp]  # (n_points,), looks in which nothing hid the point
    # (n_points,), of a touch since the last decision; and (n_rings, n_steps), of turns since then
    change_log_odds: EvidenceArray = field(default_factory=lambda: np.zeros(0))
    ring_log_likelihood: EvidenceArray = field(default_factory=lambda: np.zeros((0, len(ROTATION_STEPS))))
    ring_steps: RingSteps = ()  # the likeliest; ``change_log_odds`` compares every hole with itself under them
    cover_log_odds: EvidenceArray | None = None  # (n_points,), of a stone laid on its like; None: like any change

    @property
    def n_looks(self) -> int:
        """Looks at the points that were seen most often."""
        return int(self.looks_at.max(initial=0))

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Points that no look at the others has seen since something moved over them, (n_points,)."""
        return np.asarray((self.looks_at == 0) & (self.n_looks > 0), np.bool_)

    @property
    def like_log_odds(self) -> EvidenceArray:
        """Log odds of a stone laid on one of its colour, by point."""
        return self.change_log_odds if self.cover_log_odds is None else self.cover_log_odds

    @property
    def effective_looks(self) -> EvidenceArray:
        """Effective sample size of the looks at each point (Kish 1965): frames of one rest are not independent."""
        return np.asarray(self.looks_at / (1 + np.maximum(self.looks_at - 1, 0) * LOOK_CORRELATION), np.float64)

    @property
    def log_likelihood(self) -> EvidenceArray:
        """Log likelihood of every appearance at every point, from all looks; nats, shape (n_points, n_appearances)."""
        return self.effective_looks[:, None] * self.mean_log_likelihood


@dataclass(frozen=True, eq=False)
class UndecidedRest:
    """The evidence of the previous rest, where that ended without a decision; arrays as in ``RestEvidence``.

    Both rests are compared with the same reference, so what both show counts once.
    """

    log_posterior: Mapping[TurnSequence, float]  # by the turns, in order, that may explain it; () is nothing done
    ring_log_likelihood: EvidenceArray
    change_log_odds: EvidenceArray  # of stones laid on one of their colour
    unlawful: Mapping[PointTops, float] = field(default_factory=dict)  # posterior of tables that only fouls lead to


@dataclass(frozen=True)
class Dispute:
    """A table that no lawful turn explains, and from which the game may go on."""

    tops: PointTops  # that the table shows
    ring_steps: RingSteps = ()  # by which each ring was turned unlawfully
    is_foul: bool = True  # else too much was done unseen, and nobody was accused


@dataclass(frozen=True, eq=False)
class AcceptedEvidence:
    """The evidence on which the newest turns were accepted, for reading the last one again."""

    log_likelihood: EvidenceArray | None = None  # (n_points, n_appearances), of their rest
    withdrawn: tuple[Turn, ...] = ()  # that the last accepted hypothesis took back; may be put on the table again
    under_hand: bool = False  # and the hand that played the last of them has not been seen to go


@dataclass(frozen=True, eq=False)
class Belief:
    """The accepted turns of a game, and the evidence since.

    ``bias`` is (n_points, n_appearances): the nats by which the last decided look preferred each appearance to the
    accepted one. The same preference in the next looks is no new evidence. ``turns_to_trust`` is above zero
    where the table has lately shown that it is misread: fouls that were called and that nobody heeded, questions that
    had to be asked, tables taken over as they were seen.
    """

    game: Game
    rest: RestEvidence
    pending: Turn | None = None  # a mill has been closed and announced; its capture is still due
    dispute: Dispute | None = None  # a foul that was called and not resolved
    idle: bool = False  # hands came since the last turn, and nothing was seen to have been done
    visited: bool = False  # something moved over the field since the last decision: hands come to do something
    photographed: bool = False  # single photographs are looked at: between two of them nobody watches
    bias: EvidenceArray | None = None  # None before the first decision
    undecided_rest: UndecidedRest | None = None  # the previous rest, where it ended without a decision
    last_evidence: AcceptedEvidence = field(default_factory=AcceptedEvidence)
    turns_to_trust: int = 0  # that must be understood before anybody is accused again
    is_question_open: bool = False  # to the players; void with the next decision
    n_fixed_turns: int = 0  # turns, from the first, that stand as people have said; what is seen against them is asked

    @property
    def position(self) -> Position:
        """The position that the table should show, a turn begun included."""
        return self.pending.after if self.pending is not None else self.game.position

    @property
    def expected_tops(self) -> PointTops:
        """The tops that the table showed at the last decision."""
        return self.dispute.tops if self.dispute is not None else self.position.tops

    @property
    def shown_position(self) -> Position:
        """The position that the table showed at the last decision, a foul included, by the fewest stones moved."""
        return self.position if self.dispute is None else as_shown(self.position, self.dispute.tops)

    @property
    def undecided_log_posterior(self) -> Mapping[TurnSequence, float]:
        """Log posteriors of the turns that explain the previous rest, where that is undecided; else empty."""
        return self.undecided_rest.log_posterior if self.undecided_rest is not None else {}


def initial_belief(game: Game) -> Belief:
    """Return the belief in a game without any evidence."""
    return Belief(game, _no_evidence(game))


def _no_evidence(game: Game) -> RestEvidence:
    position = game.position
    n_points, n_appearances = len(position.tops), len(position.hands) + 1
    return RestEvidence(
        np.zeros((n_points, n_appearances)),
        np.zeros((n_points, n_appearances)),
        np.zeros(n_points, np.intp),
        change_log_odds=np.zeros(n_points),
        ring_log_likelihood=np.zeros((len(position.board.rings), len(ROTATION_STEPS))),
    )


def preference_against(belief: Belief, tops: PointTops) -> EvidenceArray:
    """Return the nats by which one look preferred each appearance to ``tops``, shape (n_points, n_appearances).

    Where it saw nothing of a point, those of the look before are kept.
    """
    one_look = belief.rest.mean_alone
    accepted = one_look[np.arange(len(tops)), np.array(tops)]
    nats = np.maximum(one_look - accepted[:, None], 0.0)
    if belief.bias is not None:
        unseen = ~one_look.any(axis=1) & (np.array(tops) == np.array(belief.expected_tops))
        nats[unseen] = belief.bias[unseen]
    return np.asarray(nats, np.float64)


def forget_rest(belief: Belief) -> Belief:
    """Return the belief without the evidence of the rest: something has moved since."""
    return replace(belief, rest=_no_evidence(belief.game))


def remember_undecided(
    belief: Belief,
    rest: RestEvidence,
    log_posterior: Mapping[TurnSequence, float],
    unlawful: Mapping[PointTops, float] | None = None,
) -> Belief:
    """Return the belief with a rest that ended without a decision."""
    if not log_posterior:
        return replace(belief, undecided_rest=None)
    undecided = UndecidedRest(log_posterior, rest.ring_log_likelihood, rest.like_log_odds, unlawful or {})
    return replace(belief, undecided_rest=undecided)


def forget_points(belief: Belief, covered: NDArray[np.bool_]) -> Belief:
    """Return the belief without the evidence of the points that something covers, or moves over; (n_points,)."""
    return replace(belief, rest=replace(belief.rest, looks_at=np.where(covered, 0, belief.rest.looks_at)))


def update(belief: Belief, evidence: Evidence, new_evidence: Evidence | None = None) -> Belief:
    """Return the belief with one more look; ``new_evidence`` is it less what the last decided one preferred.

    Without that all of the look is new. Raises ``ValueError`` when the evidence has another shape than the
    belief's.
    """
    rest, new_evidence = belief.rest, evidence if new_evidence is None else new_evidence
    if new_evidence.log_likelihood.shape != rest.mean_log_likelihood.shape:
        shape, got = rest.mean_log_likelihood.shape, new_evidence.log_likelihood.shape
        raise ValueError(f"log_likelihood must have shape {shape}, got {got}")
    n, change = rest.looks_at[:, None], new_evidence.change_log_odds
    rest = replace(
        rest,
        mean_log_likelihood=(n * rest.mean_log_likelihood + new_evidence.log_likelihood) / (n + 1),
        mean_alone=(n * rest.mean_alone + evidence.log_likelihood) / (n + 1),
        looks_at=rest.looks_at + 1,
        change_log_odds=rest.change_log_odds if change is None else change,
        cover_log_odds=new_evidence.cover_log_odds,
    )
    return replace(belief, rest=rest)
