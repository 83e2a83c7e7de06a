"""From evidence to what happened: the stories that may explain a table, weighed.

States are games (``referee.game``), transitions are what people do between two quiet looks (``stories.py``), evidence
is the tempered sum of observations since something last moved (``belief.py``). The evidence of a still scene is not
independent from frame to frame, so the n-th look counts half of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.belief import Belief
from vision.rings import CLIP, STEPS
from vision.stories import Hypothesis, Kind, lawful_stories, second_turns, unlawful_stories

N_EXTENDED = 6
"""How many of the best first turns are followed up by second ones."""


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
    single = [i for i, story in enumerate(stories) if story.turns and story.kind in (Kind.TURN, Kind.MISREAD)]
    # Half of the right pair of turns explains more than a wrong turn, so only the best are followed up.
    best = sorted(single, key=lambda i: -scores[i])[:N_EXTENDED]
    more = [story for i in best for story in second_turns(belief, stories[i])]
    # What play explains needs no foul; what only a change of the past explains may be one.
    past = (Kind.TAKEN_BACK, Kind.MISREAD)
    played = {(story.tops, story.steps) for story in stories + more if story.kind not in past}
    undone = {(story.tops, story.steps): story.cost for story in reversed(stories + more) if story.kind in past}
    for story in unlawful_stories(belief):
        table = story.tops, story.steps
        if table not in played and story.cost < undone.get(table, np.inf):
            more.append(story)
    if more:
        stories += more
        scores = np.concatenate([scores, _scores(more, belief)])
    posterior = np.exp(scores - scores.max())
    posterior /= posterior.sum()
    order = np.argsort(-posterior, kind="stable")[:8]
    return Verdict(tuple((stories[i], float(posterior[i])) for i in order))


def _scores(stories: list[Hypothesis], belief: Belief) -> NDArray[np.float64]:
    tops = np.array([story.tops for story in stories])
    rows = np.arange(tops.shape[1])
    news = belief.news
    scores = news[rows, tops].sum(axis=1) - np.array([story.cost for story in stories])
    changed = tops != np.array(belief.expected)
    # Where colours change, both witnesses count alike; alone, more looks at a still scene add nothing to this one.
    scores += changed @ belief.touched * belief.looks_worth
    if belief.position.variant.max_height > 1:
        before = belief.heights
        grown = np.array([story.heights or before for story in stories]) != np.array(before)
        scores += (grown & ~changed) @ belief.touched
    for i, story in enumerate(stories):
        if story.kind is Kind.MISREAD:
            scores[i] += _reweighed(story, belief)
        for ring, step in enumerate(story.steps):
            scores[i] += belief.turning[ring, STEPS.index(step)] if step in STEPS else -CLIP
    return np.asarray(scores, np.float64)


def _reweighed(story: Hypothesis, belief: Belief) -> float:
    """What the evidence of the last accepted turn says for the story's turn instead of the accepted one, nats."""
    if not belief.accepted:
        return 0.0
    evidence = belief.accepted[-1]
    rows = np.arange(len(evidence))
    then, instead = np.array(belief.game.position.tops), np.array(story.turns[0].after.tops)
    return float((evidence[rows, instead] - evidence[rows, then]).sum())
