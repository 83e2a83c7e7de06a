"""What is believed of a game: what is accepted, and the evidence since."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.game import Game
from referee.position import Position
from referee.rules import Turn
from vision.observation import Observation
from vision.rings import STEPS

Tops = tuple[int, ...]
Steps = tuple[int, ...]
Evidence = NDArray[np.float64]


TOWER_COLOUR = 4.0
"""Most nats by which one colour may be preferred to another on a tower, in one look: its lower stones are seen, too."""


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
    evidence : float64 array of shape (n_points, n_appearances)
        Tempered sum of log-likelihoods since something last moved, nats.
    n_looks : int
        How many observations are in ``evidence``.
    accepted : tuple of Evidence
        The evidence by which the newest turns were accepted, newest last; for reading them again.
    touched : float64 array of shape (n_points,)
        Evidence that something was laid on each point or taken away since the last decision, nats.
    visited : bool
        Whether anything moved over the field since the last decision: hands come to do something.
    turning : float64 array of shape (n_rings, len(STEPS))
        Log-likelihood of how far each ring has turned since the last decision, nats.
    disputed_steps : tuple of int
        How far each ring was turned by the foul in dispute.
    habit : float64 array of shape (n_points, n_appearances) or None
        By how much the eyes preferred another appearance to the accepted one in the last decided look: what they said
        against it then is no news now.
    unheeded : int
        Grows by 2 with every foul that is called, falls by 1 with every turn, and is 0 when a foul was put right:
        a referee whom nobody heeds has misread something.
    """

    game: Game
    evidence: Evidence
    pending: Turn | None = None
    disputed: Tops | None = None
    n_looks: int = 0
    accepted: tuple[Evidence, ...] = ()
    touched: Evidence = field(default_factory=lambda: np.zeros(0))
    visited: bool = False
    turning: Evidence = field(default_factory=lambda: np.zeros((0, len(STEPS))))
    disputed_steps: Steps = ()
    habit: Evidence | None = None
    unheeded: int = 0

    @property
    def looks_worth(self) -> float:
        """How many looks ``evidence`` is worth, 0 to 2: the n-th counts half of the one before."""
        return 2.0 - 2.0 ** (1 - self.n_looks)

    @property
    def news(self) -> Evidence:
        """``evidence`` without what the eyes said in the last decided look already, and of towers what they can say."""
        news = self.evidence if self.habit is None else self.evidence - self.looks_worth * self.habit
        if self.position.variant.max_height == 1:
            return news
        colours = news[:, 1:]
        least = colours.max(axis=1, keepdims=True) - TOWER_COLOUR * self.looks_worth
        towers = np.array(self.heights)[:, None] > 0
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
    def heights(self) -> Tops:
        """How many stones lay on each point at the last decision; a foul is taken to change no tower."""
        return self.position.heights


def believe(game: Game) -> Belief:
    """Start from a game and no evidence."""
    position = game.position
    n_points, n_players = len(position.tops), len(position.hands)
    turning = np.zeros((len(position.board.rings), len(STEPS)))
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
        turning=np.zeros_like(belief.turning),
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
