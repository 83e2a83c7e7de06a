"""From evidence to what happened: the stories that may explain a table, weighed.

States are games (``referee.game``), transitions are what people do between two quiet looks (``stories.py``), evidence
is the tempered sum of observations since something last moved (``belief.py``). The evidence of a still scene is not
independent from frame to frame, so the n-th look counts half of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.moves import Move
from vision.decoding.belief import Belief, Steps, Tops
from vision.decoding.turn_hypotheses import (
    COST_UNSEEN,
    Hypothesis,
    Kind,
    carried,
    lawful_stories,
    next_turns,
    unlawful_stories,
    unseen,
)
from vision.rotation.angle_at_rest import MAX_ROTATION_NATS, ROTATION_STEPS
from vision.rotation.disc_geometry import ring_permutation

N_EXTENDED = 6, 3
"""How many of the best first turns are followed up by second ones, and how many of these by third ones."""

MANY_NEWS = 3
"""Points at which something new is seen, from which on a third turn is thought of; it is, too, where two turns explain
the last rest, which stayed undecided."""

LIKELY = -3.0
"""Log posterior from which on turns explain the last rest."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The hypotheses that matter, best first, with their posteriors (which sum to at most 1)."""

    ranked: tuple[tuple[Hypothesis, float], ...]

    @property
    def best(self) -> Hypothesis:
        """The likeliest story."""
        return self.ranked[0][0]

    @property
    def leaning(self) -> dict[tuple[tuple[Move, ...], ...], float]:
        """Log posteriors of the turns by which all may be explained, for the next rest if this one stays undecided."""
        plain = (Kind.SAME, Kind.TURN, Kind.TWO_TURNS)
        told = [(tuple(t.moves for t in story.turns), p) for story, p in self.ranked if story.kind in plain and p > 0]
        return {turns: float(np.log(p)) for turns, p in reversed(told)}

    @property
    def confidence(self) -> float:
        """Its posterior."""
        return self.ranked[0][1]


def weigh(belief: Belief) -> Verdict:
    """Rank everything that may have happened by its posterior.

    Returns
    -------
    Verdict
        The best 8 hypotheses. Posteriors are normalised over all hypotheses considered; stories that show the same
        table share its evidence and differ by their costs alone.
    """
    stories = list(lawful_stories(belief))
    scores = _scores(stories, belief)
    # Half of the right pair of turns explains more than a wrong turn, so only the best are followed up.
    single = [i for i, story in enumerate(stories) if story.turns and story.kind in EXTENDED]
    best = [stories[i] for i in sorted(single, key=lambda i: -scores[i])[: N_EXTENDED[0]]]
    known = {turns for turns, nats in belief.leaning.items() if nats > LIKELY}
    begun = {turns[:1] for turns in known}
    best += [stories[i] for i in single if _moves(stories[i]) in begun and not any(stories[i] is s for s in best)]
    clear = _explains_all(stories[int(scores.argmax())], belief)
    more = [] if clear else _followed_up(belief, best)
    n_news = int((belief.news.argmax(axis=1) != np.array(belief.expected)).sum())
    if more and (n_news >= MANY_NEWS or any(len(turns) == 2 for turns in known)):
        pairs = _scores(more, belief)
        likely = [more[i] for i in np.argsort(-pairs, kind="stable")[: N_EXTENDED[1]]]
        likely += [story for story in more if _moves(story) in known and not any(story is s for s in likely)]
        more += _followed_up(belief, [story for story in likely if len(story.turns) == 2])
    # What play explains needs no foul; what only a change of the past explains may be one.
    past, towers = (Kind.TAKEN_BACK, Kind.MISREAD), belief.position.variant.max_height > 1
    # A stone of the wrong player might always lie on one of the right player's: that alone excuses nobody.
    told = [story for story in stories + more if not (towers and unseen(story))]
    played = {(story.tops, story.steps) for story in told if story.kind not in past}
    undone = {(story.tops, story.steps): story.cost for story in reversed(stories + more) if story.kind in past}
    lawful = [i for i, story in enumerate(stories) if story.kind in (Kind.TURN, Kind.MILL)]
    first = stories[max(lawful, key=lambda i: scores[i])] if lawful else None
    fouls: dict[tuple[Tops, Steps], Hypothesis] = {}
    for story in sorted(unlawful_stories(belief, first), key=lambda story: story.cost):
        table = story.tops, story.steps
        if table not in played and story.cost < undone.get(table, np.inf):
            fouls.setdefault(table, story)
    more += fouls.values()
    if more:
        stories += more
        scores = np.concatenate([scores, _scores(more, belief)])
    posterior = np.exp(scores - scores.max())
    posterior /= posterior.sum()
    order = np.argsort(-posterior, kind="stable")[:8]
    return Verdict(tuple((stories[i], float(posterior[i])) for i in order))


EXTENDED = (Kind.TURN, Kind.MISREAD, Kind.PLAYED_ON)


def _explains_all(story: Hypothesis, belief: Belief) -> bool:
    """Whether a story leaves nothing over for a second turn to explain: neither to the eyes nor to what was touched."""
    if belief.leaning or belief.position.variant.max_height > 1 or belief.position.board.rings:
        return False
    tops = np.array(story.tops)
    seen = bool((belief.news.argmax(axis=1) == tops).all())
    return seen and bool(((tops != np.array(belief.expected)) == (belief.touched > 0)).all())


def _moves(story: Hypothesis) -> tuple[tuple[Move, ...], ...]:
    return tuple(turn.moves for turn in story.turns) if story.pending is None else ()


def _followed_up(belief: Belief, stories: list[Hypothesis]) -> list[Hypothesis]:
    return [longer for story in stories for longer in next_turns(belief, story)]


def _scores(stories: list[Hypothesis], belief: Belief) -> NDArray[np.float64]:
    tops = np.array([story.tops for story in stories])
    rows = np.arange(tops.shape[1])
    news = belief.news
    scores = news[rows, tops].sum(axis=1) - np.array([story.cost - carried(belief, story) for story in stories])
    changed = tops != _carried_tops(stories, belief)
    # Where colours change, both witnesses count alike; alone, more looks at a still scene add nothing to this one.
    scores += changed @ belief.touched * belief.looks_worth
    scores -= COST_UNSEEN * changed[:, ~belief.evidence.any(axis=1)].sum(axis=1) * (belief.n_looks > 0)
    if belief.position.variant.max_height > 1:
        # A tower is touched once, whether its colour changes by it or not: pixels count again only as far as eyes that
        # see what lay there before are asked again.
        expected, before = np.array(belief.expected), belief.position.heights
        worth = max(belief.looks_worth, 1.0)
        against = np.maximum(news[rows, expected] - news[rows, tops], 0.0) / worth
        twice = (changed & (expected > 0)) * np.maximum(belief.touched - against, 0.0)
        scores -= (worth - 1.0) * twice.sum(axis=1)
        grown = np.array([story.heights or before for story in stories]) != np.array(before)
        scores += (grown & ~changed) @ belief.touched
    for i, story in enumerate(stories):
        for ring, step in enumerate(story.steps):
            scores[i] += (
                belief.turning[ring, ROTATION_STEPS.index(step)] if step in ROTATION_STEPS else -MAX_ROTATION_NATS
            )
    return np.asarray(scores, np.float64)


def _carried_tops(stories: list[Hypothesis], belief: Belief) -> NDArray[np.intp]:
    """What each story says that nobody has touched: what was expected, carried on by the rings that have turned.

    ``touched`` was measured for the likeliest turns of the rings: about those of another turn it says nothing.
    """
    expected = np.array(belief.expected)
    board = belief.position.board
    if not any(belief.rode):
        return np.broadcast_to(expected, (len(stories), len(expected)))
    came_from = {steps: ring_permutation(board, steps) for steps in {story.steps for story in stories}}
    rows = expected[np.array([came_from[story.steps] for story in stories])]
    told = np.array([story.tops for story in stories])
    elsewhere = np.array([story.steps for story in stories]) != np.array(belief.rode)
    for ring, other in zip(board.rings, elsewhere.T, strict=True):
        rows[np.ix_(other, ring)] = told[np.ix_(other, ring)]
    return np.asarray(rows, np.intp)
