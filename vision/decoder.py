"""From evidence to what happened: hypotheses over whole turns between two looks, and one that is open.

States are games (``referee.game``), transitions are what people do between two quiet looks, evidence is the
tempered sum of observations since something last moved. A hypothesis says what the table should show and what it
costs, in nats, to believe it happened:

* nothing; a lawful turn; a turn whose capture is still due, and then that capture; two lawful turns between two looks;
* turns taken back; the last turn read wrongly, and another one in its place (its own evidence is weighed again);
* after a foul: the table put right, put right and a turn played, or the foul let stand and a turn played on;
* and the open alternative: any stones anywhere. It is never forbidden, only dear, so a foul can be seen and a
  misread point is no foul. What it means is for the referee to say (``referee.rulings``), not for the decoder.

The evidence of a still scene is not independent from frame to frame, so the n-th look counts half of the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from referee.game import Game
from referee.moves import Move, Rotate
from referee.position import Position
from referee.rules import Turn, legal_turns, partial_turns
from vision.observation import Observation
from vision.rings import CLIP, STEPS

Tops = tuple[int, ...]
Steps = tuple[int, ...]
Evidence = NDArray[np.float64]

COST_TURN = 2.0
"""Nats against a lawful turn, before it is shared out among the turns that are possible."""

COST_SECOND_TURN = 5.0
"""Nats more for a second turn between two looks: people wait for each other, mostly."""

COST_TAKE_BACK = 6.0
COST_TAKE_BACK_MORE = 1.0
"""Nats for taking back one turn, and for each further one."""

COST_MISREAD = 7.0
"""Nats for having read the last turn wrongly, before its own evidence is weighed again."""

COST_PLAY_ON = 5.0
"""Nats for letting a foul stand and playing on: most people put it right."""

COST_OPEN = 5.0
COST_OPEN_EDIT = 2.5
"""Nats for something that no rule explains, and for each point that it changes."""

COST_FROM_NOWHERE = 4.0
"""Nats for each stone more on the table than its player has left to lay: stones do not multiply."""

MOST_TAKEN_BACK = 6
"""Turns that may be taken back between two looks."""

N_EXTENDED = 6
"""How many of the best first turns are followed up by second ones."""


class Kind(Enum):
    """What a hypothesis says happened since the last decision."""

    SAME = auto()
    TURN = auto()
    MILL = auto()
    CHANGED_MIND = auto()
    TWO_TURNS = auto()
    TAKEN_BACK = auto()
    MISREAD = auto()
    RESTORED = auto()
    PLAYED_ON = auto()
    OPEN = auto()


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One story of what happened, with what the table should show if it is true.

    Attributes
    ----------
    kind : Kind
    tops : tuple of int
        Appearance per point: 0 bare, k the stone on top is painted in the colour of player k - 1.
    cost : float
        Minus the log of the prior, up to a constant; nats.
    game : Game
        The game before ``turns``, if the story is true.
    turns : tuple of Turn
        Lawful turns played since, in order.
    pending : Turn or None
        A turn begun whose capture is still due.
    undone : int
        How many accepted turns the story takes away.
    """

    kind: Kind
    tops: Tops
    cost: float
    game: Game
    turns: tuple[Turn, ...] = ()
    pending: Turn | None = None
    undone: int = 0
    steps: Steps = ()
    """How far each ring has turned since the last decision, if the story is true; empty where nothing turns."""


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
    turning : float64 array of shape (n_rings, len(STEPS))
        Log-likelihood of how far each ring has turned since the last decision, nats.
    disputed_steps : tuple of int
        How far each ring was turned by the foul in dispute.
    """

    game: Game
    evidence: Evidence
    pending: Turn | None = None
    disputed: Tops | None = None
    n_looks: int = 0
    accepted: tuple[Evidence, ...] = ()
    turning: Evidence = field(default_factory=lambda: np.zeros((0, len(STEPS))))
    disputed_steps: Steps = ()

    @property
    def position(self) -> Position:
        """The position that the table should show, a turn begun included."""
        return self.pending.after if self.pending is not None else self.game.position

    @property
    def expected(self) -> Tops:
        """What the table showed at the last decision."""
        return self.disputed if self.disputed is not None else self.position.tops


@dataclass(frozen=True, eq=False)
class Verdict:
    """The hypotheses that matter, best first, with their posteriors (which sum to at most 1)."""

    ranked: tuple[tuple[Hypothesis, float], ...]

    @property
    def best(self) -> Hypothesis:
        """The likeliest story."""
        return self.ranked[0][0]

    @property
    def confidence(self) -> float:
        """Its posterior."""
        return self.ranked[0][1]


def believe(game: Game) -> Belief:
    """Start from a game and no evidence."""
    position = game.position
    n_points, n_players = len(position.tops), len(position.hands)
    turning = np.zeros((len(position.board.rings), len(STEPS)))
    return Belief(game, np.zeros((n_points, n_players + 1)), turning=turning)


def forget_looks(belief: Belief) -> Belief:
    """Drop the evidence: something has moved since."""
    nothing = np.zeros_like(belief.evidence)
    return replace(belief, evidence=nothing, n_looks=0, turning=np.zeros_like(belief.turning))


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


def weigh(belief: Belief) -> Verdict:
    """Rank everything that may have happened by its posterior.

    Returns
    -------
    Verdict
        The best 8 hypotheses. Posteriors are normalised over all hypotheses considered; stories that show the same
        table share its evidence and differ by their costs alone.
    """
    stories = [_with_steps(story, belief) for story in _stories(belief)]
    scores = _scores(stories, belief)
    followed = [_with_steps(story, belief) for story in _two_turns(stories, scores)]
    if followed:
        stories += followed
        scores = np.concatenate([scores, _scores(followed, belief)])
    lawful = {(story.tops, story.steps) for story in stories}
    unlawful = [story for story in (_open(belief), *_ring_fouls(belief)) if (story.tops, story.steps) not in lawful]
    if unlawful:
        stories += unlawful
        scores = np.concatenate([scores, _scores(unlawful, belief)])
    posterior = np.exp(scores - scores.max())
    posterior /= posterior.sum()
    order = np.argsort(-posterior, kind="stable")[:8]
    return Verdict(tuple((stories[i], float(posterior[i])) for i in order))


def _scores(stories: list[Hypothesis], belief: Belief) -> NDArray[np.float64]:
    tops = np.array([story.tops for story in stories])
    rows = np.arange(tops.shape[1])
    scores = belief.evidence[rows, tops].sum(axis=1) - np.array([story.cost for story in stories])
    for i, story in enumerate(stories):
        if story.kind is Kind.MISREAD:
            scores[i] += _reweighed(story, belief)
        for ring, step in enumerate(story.steps):
            scores[i] += belief.turning[ring, STEPS.index(step)] if step in STEPS else -CLIP
    return np.asarray(scores, np.float64)


def _steps_of(game: Game, moves: Iterable[Move], sign: int = 1) -> list[int]:
    """How far moves turn each ring, together."""
    steps = [0] * len(game.position.board.rings)
    for move in moves:
        if isinstance(move, Rotate):
            steps[move.ring] += sign * move.steps
    return steps


def _with_steps(story: Hypothesis, belief: Belief) -> Hypothesis:
    """Work out how far each ring has turned since the last decision, if a story is true."""
    board = belief.game.position.board
    if not board.rings:
        return story
    put_right = belief.disputed is not None and story.kind not in (Kind.SAME, Kind.PLAYED_ON)
    steps = np.array([-s for s in belief.disputed_steps] if put_right else [0] * len(board.rings))
    for turn in belief.game.turns[len(belief.game.turns) - story.undone :]:
        steps += _steps_of(belief.game, turn.moves, -1)
    begun = belief.pending.moves if belief.pending is not None else ()
    for turn in story.turns:
        steps += _steps_of(belief.game, turn.moves)
    if story.pending is not None:
        steps += _steps_of(belief.game, story.pending.moves)
    steps += _steps_of(belief.game, begun, -1)
    return replace(story, steps=tuple(int(s) for s in steps))


def _reweighed(story: Hypothesis, belief: Belief) -> float:
    """What the evidence of the last accepted turn says for the story's turn instead of the accepted one, nats."""
    if not belief.accepted:
        return 0.0
    evidence = belief.accepted[-1]
    rows = np.arange(len(evidence))
    then, instead = np.array(belief.game.position.tops), np.array(story.turns[0].after.tops)
    return float((evidence[rows, instead] - evidence[rows, then]).sum())


def _stories(belief: Belief) -> Iterator[Hypothesis]:
    """Everything but pairs of turns and the open alternative."""
    game = belief.game
    yield Hypothesis(Kind.SAME, belief.expected, 0.0, game, pending=belief.pending)
    if belief.disputed is not None:
        yield from _after_a_foul(belief)
    elif belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turns(game, Kind.TURN, COST_TURN)
    yield from _taken_back(belief)
    if game.turns and belief.disputed is None and belief.pending is None:
        before = game.take_back()
        for story in _turns(before, Kind.MISREAD, COST_MISREAD, undone=1):
            if story.tops != game.position.tops and story.turns:
                yield story


def _turns(game: Game, kind: Kind, cost: float, undone: int = 0) -> Iterator[Hypothesis]:
    """Each lawful turn from a game, whole or with its capture still due."""
    if game.outcome is not None:
        return
    whole = legal_turns(game.position)
    begun = partial_turns(game.position)
    share = 0.5 * float(np.log(max(1, len(whole))))
    for turn in whole:
        yield Hypothesis(kind, turn.after.tops, cost + share, game, turns=(turn,), undone=undone)
    for turn in begun:
        half = Kind.MILL if kind is Kind.TURN else kind
        yield Hypothesis(half, turn.after.tops, cost + share, game, pending=turn, undone=undone)


def _completions(belief: Belief) -> Iterator[Hypothesis]:
    """The captures that a turn begun still owes, or another turn altogether."""
    game, begun = belief.game, belief.pending
    assert begun is not None  # the caller looked
    endings = legal_turns(begun.after)
    share = 0.5 * float(np.log(max(1, len(endings))))
    for ending in endings:
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        yield Hypothesis(Kind.TURN, turn.after.tops, COST_TURN / 2 + share, game, turns=(turn,))
    for ending in partial_turns(begun.after):
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        yield Hypothesis(Kind.MILL, turn.after.tops, COST_TURN / 2 + share, game, pending=turn)
    yield Hypothesis(Kind.CHANGED_MIND, game.position.tops, COST_TAKE_BACK, game)
    for story in _turns(game, Kind.TURN, COST_TAKE_BACK + COST_TURN):
        if story.tops != begun.after.tops:
            yield replace(story, kind=Kind.CHANGED_MIND if story.pending is not None else Kind.TURN)


def _taken_back(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    for k in range(1, min(MOST_TAKEN_BACK, len(game.turns)) + 1):
        game = game.take_back()
        cost = COST_TAKE_BACK + COST_TAKE_BACK_MORE * (k - 1)
        yield Hypothesis(Kind.TAKEN_BACK, game.position.tops, cost, game, undone=k)


def _after_a_foul(belief: Belief) -> Iterator[Hypothesis]:
    """The table put right, put right and played, or the foul let stand."""
    game, tops = belief.game, belief.disputed
    assert tops is not None  # the caller looked
    yield Hypothesis(Kind.RESTORED, belief.position.tops, 1.0, game, pending=belief.pending)
    if belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turns(game, Kind.TURN, 1.0 + COST_TURN)
    for player in range(game.variant.players):  # whose turn it is then depends on who was at fault
        yield from _turns(game.play_on(tops, to_move=player), Kind.PLAYED_ON, COST_PLAY_ON + COST_TURN)


def _two_turns(stories: list[Hypothesis], scores: NDArray[np.float64]) -> list[Hypothesis]:
    """Follow up the best single turns by a second turn: half of the right pair explains more than a wrong turn."""
    single = [i for i, story in enumerate(stories) if story.turns and story.kind in (Kind.TURN, Kind.MISREAD)]
    single.sort(key=lambda i: -scores[i])
    pairs = []
    for i in single[:N_EXTENDED]:
        first = stories[i]
        game = first.game.play_turn(first.turns[0])
        for second in _turns(game, Kind.TWO_TURNS, COST_SECOND_TURN):
            kind = first.kind if first.kind is Kind.MISREAD else Kind.TWO_TURNS
            pairs.append(
                Hypothesis(
                    kind,
                    second.tops,
                    first.cost + second.cost,
                    first.game,
                    turns=first.turns + second.turns,
                    pending=second.pending,
                    undone=first.undone,
                )
            )
    return pairs


def _open(belief: Belief) -> Hypothesis:
    """The likeliest table of all, at a price for every point that differs from what was last decided."""
    expected = np.array(belief.expected)
    price = np.full(belief.evidence.shape, COST_OPEN_EDIT)
    price[np.arange(len(expected)), expected] = 0.0
    tops = np.argmax(belief.evidence - price, axis=1)
    n_edits = int((tops != expected).sum())
    return Hypothesis(
        Kind.OPEN,
        tuple(int(a) for a in tops),
        COST_OPEN + COST_OPEN_EDIT * n_edits + COST_FROM_NOWHERE * _n_from_nowhere(belief, tops),
        belief.game,
        pending=belief.pending,
        steps=(0,) * len(belief.turning),
    )


def _ring_fouls(belief: Belief) -> Iterator[Hypothesis]:
    """Each ring turned by a step, lawful or not; as one act it is likelier than all its stones moved one by one."""
    shown = belief.expected
    for r, ring in enumerate(belief.position.board.rings):
        for step in (-1, 1):
            tops = list(shown)
            for k, point in enumerate(ring):
                tops[ring[(k + step) % len(ring)]] = shown[point]
            steps = [0] * len(belief.turning)
            steps[r] = step
            cost = COST_OPEN + COST_OPEN_EDIT
            yield Hypothesis(Kind.OPEN, tuple(tops), cost, belief.game, pending=belief.pending, steps=tuple(steps))


def _n_from_nowhere(belief: Belief, tops: NDArray[np.intp]) -> int:
    """How many stones a table shows that nobody had in the hand (where towers can hide none)."""
    position = belief.position
    if position.variant.max_height > 1:
        return 0
    shown = np.bincount(tops, minlength=belief.evidence.shape[1])[1:]
    lawful = np.bincount(np.array(position.tops), minlength=belief.evidence.shape[1])[1:]
    return int(np.maximum(shown - lawful - np.array(position.hands), 0).sum())
