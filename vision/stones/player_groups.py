"""Divide the stones of one photograph among players: whose each is, from how alike every two of them are.

The network of points says of every two stones how likely they are one player's. The best division is that with the
greatest sum of the log odds of all pairs that it puts together (correlation clustering, Bansal, Blum and Chawla 2004).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float64Array

MAX_ROUNDS = 20
"""Most rounds in which every stone is tried in every group; three are usual."""

PAIR_WEIGHT = 0.5
"""Factor on the mean log odds of a stone and those of a group in its posterior: pairs of one stone err together."""


def group_stones(same_log_odds: Float64Array, players: Mapping[int, float]) -> tuple[list[int], Float64Array]:
    """Return the group of every stone, that of the first being 0, and its posterior, from log odds of pairs, (n, n).

    ``players`` is the prior probability of each number of players; there are at most as many groups.
    """
    n = len(same_log_odds)
    if n == 0:
        return [], np.zeros(0)
    pairs = same_log_odds.copy()
    np.fill_diagonal(pairs, 0)
    divisions = [_settled(pairs, _far_apart(pairs, k)) for k in range(1, min(max(players), n) + 1)]

    def worth(labels: NDArray[np.intp]) -> float:
        n_groups = len(np.unique(labels))
        prior = sum(share for n_players, share in players.items() if n_players >= n_groups)
        together = float(pairs[labels[:, None] == labels].sum() / 2)
        return together + float(np.log(max(prior, 1e-9)))

    best = max(divisions, key=worth)
    names = list(dict.fromkeys(best.tolist()))
    labels = np.array([names.index(name) for name in best.tolist()])
    return labels.tolist(), _posterior(pairs, labels, max(players))


def _far_apart(pairs: Float64Array, k: int) -> NDArray[np.intp]:
    """Return labels around k stones: the two least alike, and then each that is least like those before it."""
    seeds = [int(k) for k in np.unravel_index(pairs.argmin(), pairs.shape)][:k]
    while len(seeds) < k:
        seeds.append(int(pairs[:, seeds].max(axis=1).argmin()))
    own = pairs.copy()
    np.fill_diagonal(own, np.inf)
    return np.asarray(own[:, seeds].argmax(axis=1), np.intp)


def _settled(pairs: Float64Array, labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the labels after every stone has gone to the group with the greatest sum, until none goes."""
    labels, k = labels.copy(), int(labels.max()) + 1
    for _ in range(MAX_ROUNDS):
        before = labels.copy()
        for i in range(len(labels)):
            labels[i] = int(np.bincount(labels, pairs[i], k).argmax())
        if (labels == before).all():
            break
    return labels


def _posterior(pairs: Float64Array, labels: NDArray[np.intp], most_groups: int) -> Float64Array:
    """Return the probability of every label, given the others; a group that no stone is in may be a stone's own."""
    n, k = len(labels), int(labels.max()) + 1
    in_group = np.eye(k)[labels]
    others = in_group.sum(axis=0) - in_group
    mean = np.where(others > 0, pairs @ in_group / np.maximum(others, 1), 0.0)
    weight = PAIR_WEIGHT * np.sqrt(np.maximum(others, 1))
    nats = weight * mean
    if k < most_groups:
        nats = np.column_stack([nats, np.zeros(n)])
    p = np.exp(nats - nats.max(axis=1, keepdims=True))
    return np.asarray(p[np.arange(n), labels] / p.sum(axis=1), np.float64)
