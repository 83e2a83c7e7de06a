"""What is believed of a game: what is accepted, and the evidence since."""

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

Tops = tuple[int, ...]
Steps = tuple[int, ...]
Evidence = NDArray[np.float64]


TOWER_COLOUR = 4.0
"""Most nats by which one colour may be preferred to another on a tower, in one look: its lower stones are seen, too."""

SURELY_BARE = 1.0
"""Most nats by which eyes that see a bare point may outweigh, in one look, pixels that are not what they were: small
pebbles hardly fill a patch."""


@dataclass(frozen=True, eq=False)
class Belief:
    """What is accepted, and the evidence since.

    Attributes
    ----------
    game : Game
        All turns accepted so far.
    pending : Turn or None
        A mill has been closed and announced; its capture is still due.
    disputed : tuple of int or None
        What the table showed when a foul was called; None while nothing is in dispute.
    withdrawn : tuple of Turn
        The turns, in order, that were taken back by the last accepted story: they may be put on the table again.
    taken_up : bool
        What is in dispute is no foul: too much went by unseen, and the game goes on from what the table showed.
    evidence : float64 array of shape (n_points, n_appearances)
        Tempered sum of log-likelihoods since something last moved, nats.
    n_looks : int
        How many observations are in ``evidence``.
    accepted : tuple of Evidence
        The evidence of the rests in which the newest turns were accepted, newest last; for reading the last one again.
    together : int
        How many turns were accepted in the newest of them.
    touched : float64 array of shape (n_points,)
        Evidence that something was laid on each point or taken away since the last decision, nats.
    closely : bool
        Whether ``touched`` was seen pixel by pixel, so that eyes have to yield to it.
    visited : bool
        Whether anything moved over the field since the last decision: hands come to do something.
    turning : float64 array of shape (n_rings, len(STEPS))
        Log-likelihood of how far each ring has turned since the last decision, nats.
    rode : tuple of int
        The likeliest of them, for which ``touched`` was measured: holes are compared with themselves.
    disputed_steps : tuple of int
        How far each ring was turned by the foul in dispute.
    habit : float64 array of shape (n_points, n_appearances) or None
        By how much the eyes preferred another appearance to the accepted one in the last decided look: what they said
        against it then is no news now.
    unheeded : float
        Fouls that were called and neither put right nor the last word: grows by 1 when play goes on over one or another
        is seen on top of it, fades with every turn that is understood, and is 0 when a foul was put right. A referee
        whom nobody heeds has misread something.
    leaning : mapping of tuple of tuple of Move to float
        Log posteriors of turns, in order, by which the last rest may be explained that ended without a decision; no
        turns at all: nothing had been done. Empty where the last rest was decided.
    rings_then : float64 array of shape (n_rings, len(STEPS))
        ``turning`` in that rest. The rings are compared with the same look now as then: what they show counts once.
    touched_then : float64 array of shape (n_points,)
        ``touched`` in that rest, for the same reason.
    """

    game: Game
    evidence: Evidence
    pending: Turn | None = None
    disputed: Tops | None = None
    n_looks: int = 0
    accepted: tuple[Evidence, ...] = ()
    together: int = 1
    touched: Evidence = field(default_factory=lambda: np.zeros(0))
    closely: bool = False
    visited: bool = False
    turning: Evidence = field(default_factory=lambda: np.zeros((0, len(ROTATION_STEPS))))
    rode: Steps = ()
    disputed_steps: Steps = ()
    habit: Evidence | None = None
    unheeded: float = 0.0
    leaning: Mapping[tuple[tuple[Move, ...], ...], float] = field(default_factory=dict)
    rings_then: Evidence = field(default_factory=lambda: np.zeros((0, len(ROTATION_STEPS))))
    touched_then: Evidence = field(default_factory=lambda: np.zeros(0))
    taken_up: bool = False
    withdrawn: tuple[Turn, ...] = ()

    @property
    def looks_worth(self) -> float:
        """How many looks ``evidence`` is worth, 0 to 2: the n-th counts half of the one before."""
        return 2.0 - 2.0 ** (1 - self.n_looks)

    @property
    def news(self) -> Evidence:
        """``evidence`` without what the eyes said in the last decided look already, and of towers what they can say."""
        news = self.evidence if self.habit is None else self.evidence - self.looks_worth * self.habit
        laid = (np.array(self.expected) == 0) & (self.touched > 0)
        if self.closely and laid.any():
            least = np.where(laid, -SURELY_BARE * self.looks_worth, -np.inf)
            colours = np.maximum(news[:, 1:], np.minimum(news[:, :1], 0.0) + least[:, None])
            news = np.column_stack([news[:, :1], colours])
        if self.position.variant.max_height == 1:
            return news
        colours = news[:, 1:]
        least = colours.max(axis=1, keepdims=True) - TOWER_COLOUR * self.looks_worth
        towers = np.array(self.shown.heights)[:, None] > 0
        return np.column_stack([news[:, :1], np.where(towers, np.maximum(colours, least), colours)])

    @property
    def position(self) -> Position:
        """The position that the table should show, a turn begun included."""
        return self.pending.after if self.pending is not None else self.game.position

    @property
    def expected(self) -> Tops:
        """What the table showed at the last decision."""
        return self.disputed if self.disputed is not None else self.position.tops

    @property
    def shown(self) -> Position:
        """The position that the table showed at the last decision: a foul in dispute has added stones, or taken them.

        Where that may have been done in several ways, as few stones as can be have come or gone.
        """
        return self.position if self.disputed is None else as_shown(self.position, self.disputed)


def believe(game: Game) -> Belief:
    """Start from a game and no evidence."""
    position = game.position
    n_points, n_players = len(position.tops), len(position.hands)
    turning = np.zeros((len(position.board.rings), len(ROTATION_STEPS)))
    return Belief(game, np.zeros((n_points, n_players + 1)), touched=np.zeros(n_points), turning=turning)


def overruled(belief: Belief, tops: Tops) -> Evidence:
    """By how much one look preferred each appearance to what was decided, nats; 0 where it did not."""
    one_look = belief.evidence / max(belief.looks_worth, 1.0)
    accepted = one_look[np.arange(len(tops)), np.array(tops)]
    return np.asarray(np.maximum(one_look - accepted[:, None], 0.0), np.float64)


def forget_looks(belief: Belief) -> Belief:
    """Drop the evidence: something has moved since."""
    nothing = np.zeros_like(belief.evidence)
    return replace(
        belief,
        evidence=nothing,
        n_looks=0,
        touched=np.zeros_like(belief.touched),
        closely=False,
        turning=np.zeros_like(belief.turning),
        rode=(),
    )


def update(belief: Belief, observation: Observation) -> Belief:
    """Add one look; the n-th counts ``2 ** -n`` (n from 0), so a still scene never weighs more than two looks.

    Raises
    ------
    ValueError
        When the observation has another shape than the belief's evidence.
    """
    if observation.log_likelihood.shape != belief.evidence.shape:
        shape, got = belief.evidence.shape, observation.log_likelihood.shape
        raise ValueError(f"log_likelihood must have shape {shape}, got {got}")
    weight = 0.5**belief.n_looks
    return replace(belief, evidence=belief.evidence + weight * observation.log_likelihood, n_looks=belief.n_looks + 1)
