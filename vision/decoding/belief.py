"""The belief about a game: the accepted turns, and the evidence since the last decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.game import Game, as_shown
from referee.moves import Move
from referee.position import Position
from referee.rules import Turn
from vision.rotation.angle_at_rest import ROTATION_STEPS
from vision.stones.observation import Observation

PointTops = tuple[int, ...]
"""Appearance of each point: 0 bare, k a stone of player k - 1 on top."""

RingSteps = tuple[int, ...]
"""Steps by which each ring has turned, clockwise; empty on boards without rings."""

EvidenceArray = NDArray[np.float64]

TurnSequence = tuple[tuple[Move, ...], ...]
"""The moves of several turns, in order."""

MAX_TOWER_COLOUR_NATS = 4.0
"""Upper bound, in nats a look, of the preference for one colour over another on a tower, whose lower stones are seen as
well. Source: chosen."""

MAX_BARE_NATS = 1.0
"""Upper bound, in nats a look, of the evidence for a bare point where pixels have changed: small pebbles hardly fill a
patch. Source: chosen."""


@dataclass(frozen=True, eq=False)
class RestEvidence:
    """The evidence since something last moved.

    Attributes
    ----------
    log_likelihood : float64 array of shape (n_points, n_appearances)
        Tempered sum of the log-likelihoods of all looks, nats.
    n_looks : int
        Number of looks in it.
    change_log_odds : float64 array of shape (n_points,)
        Log odds that a stone was laid on each point or taken away since the last decision, nats.
    is_pixelwise : bool
        Whether the change was measured pixel by pixel. It then outweighs the appearance of bare points.
    ring_log_likelihood : float64 array of shape (n_rings, len(ROTATION_STEPS))
        Of the steps by which each ring has turned since the last decision, nats.
    ring_steps : tuple of int
        The likeliest of them. ``change_log_odds`` compares every hole with itself under these steps.
    """

    log_likelihood: EvidenceArray
    n_looks: int = 0
    change_log_odds: EvidenceArray = field(default_factory=lambda: np.zeros(0))
    is_pixelwise: bool = False
    ring_log_likelihood: EvidenceArray = field(default_factory=lambda: np.zeros((0, len(ROTATION_STEPS))))
    ring_steps: RingSteps = ()

    @property
    def effective_looks(self) -> float:
        """Effective sample size of ``log_likelihood``, 0 to 2: frames of one rest are not independent."""
        return 2.0 - 2.0 ** (1 - self.n_looks)

    def cleared(self) -> RestEvidence:
        """Return no evidence, of the same shape."""
        return RestEvidence(
            np.zeros_like(self.log_likelihood),
            change_log_odds=np.zeros_like(self.change_log_odds),
            ring_log_likelihood=np.zeros_like(self.ring_log_likelihood),
        )


@dataclass(frozen=True, eq=False)
class UndecidedRest:
    """The evidence of the previous rest, where that ended without a decision.

    Attributes
    ----------
    log_posterior : mapping of tuple of tuple of Move to float
        By the turns, in order, that may explain it; no turns at all: nothing had been done.
    ring_log_likelihood : float64 array of shape (n_rings, len(ROTATION_STEPS))
    change_log_odds : float64 array of shape (n_points,)
        As in ``RestEvidence``. Both rests are compared with the same reference, so what both show counts once.
    """

    log_posterior: Mapping[TurnSequence, float]
    ring_log_likelihood: EvidenceArray
    change_log_odds: EvidenceArray


@dataclass(frozen=True)
class Dispute:
    """A table that no lawful turn explains, and from which the game may go on.

    Attributes
    ----------
    tops : tuple of int, by point
        The tops that the table shows.
    ring_steps : tuple of int
        Steps by which each ring was turned unlawfully.
    is_foul : bool
        A foul was called. Otherwise too much was done unseen, and nobody was accused.
    """

    tops: PointTops
    ring_steps: RingSteps = ()
    is_foul: bool = True


@dataclass(frozen=True, eq=False)
class AcceptedEvidence:
    """The evidence on which the newest turns were accepted, for reading the last one again.

    Attributes
    ----------
    log_likelihood : tuple of float64 arrays of shape (n_points, n_appearances)
        One for each rest, newest last.
    n_turns : int
        Number of turns that were accepted in the newest rest.
    withdrawn : tuple of Turn
        Turns, in order, that the last accepted hypothesis took back; they may be put on the table again.
    """

    log_likelihood: tuple[EvidenceArray, ...] = ()
    n_turns: int = 1
    withdrawn: tuple[Turn, ...] = ()


@dataclass(frozen=True, eq=False)
class Belief:
    """The accepted turns of a game, and the evidence since.

    Attributes
    ----------
    game : Game
        All turns accepted so far.
    rest : RestEvidence
        The evidence since something last moved.
    pending : Turn or None
        A mill has been closed and announced; its capture is still due.
    dispute : Dispute or None
        A foul that was called and not resolved.
    visited : bool
        Whether anything moved over the field since the last decision: hands come to do something.
    bias : float64 array of shape (n_points, n_appearances) or None
        Nats by which the last decided look preferred each appearance to the accepted one. The same preference in the
        next looks is no new evidence. None before the first decision.
    undecided : UndecidedRest or None
        The previous rest, where it ended without a decision.
    accepted : AcceptedEvidence
    ignored_fouls : float
        Number of fouls that were called, but neither put right nor played on from. It decays with every turn that is
        understood. Players who ignore several fouls show that the referee has misread something.
    asked : bool
        Whether a question to the players is open. It becomes void with the next decision.
    """

    game: Game
    rest: RestEvidence
    pending: Turn | None = None
    dispute: Dispute | None = None
    visited: bool = False
    bias: EvidenceArray | None = None
    undecided: UndecidedRest | None = None
    accepted: AcceptedEvidence = field(default_factory=AcceptedEvidence)
    ignored_fouls: float = 0.0
    asked: bool = False

    @property
    def new_evidence(self) -> EvidenceArray:
        """Log-likelihoods of the rest less the bias, with the colours of towers limited; nats."""
        rest, effective_looks = self.rest, self.rest.effective_looks
        news = rest.log_likelihood if self.bias is None else rest.log_likelihood - effective_looks * self.bias
        laid = (np.array(self.expected_tops) == 0) & (rest.change_log_odds > 0)
        if rest.is_pixelwise and laid.any():
            least = np.where(laid, -MAX_BARE_NATS * effective_looks, -np.inf)
            colours = np.maximum(news[:, 1:], np.minimum(news[:, :1], 0.0) + least[:, None])
            news = np.column_stack([news[:, :1], colours])
        if self.position.variant.max_height == 1:
            return news
        colours = news[:, 1:]
        least = colours.max(axis=1, keepdims=True) - MAX_TOWER_COLOUR_NATS * effective_looks
        towers = np.array(self.shown_position.heights)[:, None] > 0
        return np.column_stack([news[:, :1], np.where(towers, np.maximum(colours, least), colours)])

    @property
    def position(self) -> Position:
        """The position that the table should show, a turn begun included."""
        return self.pending.after if self.pending is not None else self.game.position

    @property
    def disputed_tops(self) -> PointTops | None:
        """The tops that the table showed when a foul was called; None while nothing is in dispute."""
        return self.dispute.tops if self.dispute is not None else None

    @property
    def expected_tops(self) -> PointTops:
        """The tops that the table showed at the last decision."""
        return self.dispute.tops if self.dispute is not None else self.position.tops

    @property
    def shown_position(self) -> Position:
        """The position that the table showed at the last decision; a foul in dispute has added or taken stones.

        Where several positions show the same tops, it is the one that differs by the fewest stones.
        """
        return self.position if self.dispute is None else as_shown(self.position, self.dispute.tops)

    @property
    def undecided_log_posterior(self) -> Mapping[TurnSequence, float]:
        """Log posteriors of the turns that explain the previous rest, where that is undecided; else empty."""
        return self.undecided.log_posterior if self.undecided is not None else {}


def initial_belief(game: Game) -> Belief:
    """Return the belief in a game without any evidence."""
    position = game.position
    n_points, n_players = len(position.tops), len(position.hands)
    turning = np.zeros((len(position.board.rings), len(ROTATION_STEPS)))
    rest = RestEvidence(
        np.zeros((n_points, n_players + 1)), change_log_odds=np.zeros(n_points), ring_log_likelihood=turning
    )
    return Belief(game, rest)


def preference_against(belief: Belief, tops: PointTops) -> EvidenceArray:
    """Return the nats by which one look preferred each appearance to ``tops``, shape (n_points, n_appearances)."""
    one_look = belief.rest.log_likelihood / max(belief.rest.effective_looks, 1.0)
    accepted = one_look[np.arange(len(tops)), np.array(tops)]
    return np.asarray(np.maximum(one_look - accepted[:, None], 0.0), np.float64)


def forget_rest(belief: Belief) -> Belief:
    """Return the belief without the evidence of the rest: something has moved since."""
    return replace(belief, rest=belief.rest.cleared())


def remember_undecided(belief: Belief, rest: RestEvidence, log_posterior: Mapping[TurnSequence, float]) -> Belief:
    """Return the belief with a rest that ended without a decision."""
    if not log_posterior:
        return replace(belief, undecided=None)
    undecided = UndecidedRest(log_posterior, rest.ring_log_likelihood, rest.change_log_odds)
    return replace(belief, undecided=undecided)


def update(belief: Belief, observation: Observation) -> Belief:
    """Return the belief with one more look. Look n counts ``2 ** -n``, so a rest never weighs more than two looks.

    Raises
    ------
    ValueError
        When the observation has another shape than the belief's evidence.
    """
    rest = belief.rest
    if observation.log_likelihood.shape != rest.log_likelihood.shape:
        shape, got = rest.log_likelihood.shape, observation.log_likelihood.shape
        raise ValueError(f"log_likelihood must have shape {shape}, got {got}")
    total = rest.log_likelihood + 0.5**rest.n_looks * observation.log_likelihood
    return replace(belief, rest=replace(rest, log_likelihood=total, n_looks=rest.n_looks + 1))
