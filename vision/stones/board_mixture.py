"""Scores of all points of a board in, log odds of a stone on each out.

Readers err alike on all points of one board: hollows, broad strokes and dim light move the scores of all its bare
points, and those of all its stones. So the scores of a board are a mixture of two normal distributions, of bare points
and of stones, whose means differ from board to board and have a joint normal prior. Every division of the points into
stones and bare ones then has an evidence in closed form; a point's probability is the mean over the divisions at every
place in the order from the most stone-like point to the least.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import lgamma

import numpy as np

from vision.imaging.frame import Float64Array

POINT_WEIGHT = 0.5
"""Factor on what the scores of one point say once the means of its board are known: scores of one picture err together.
Source: measured on boards that were not fitted to, loss with 1 and with 0.5: 62 photographs of go boards 0.103, 0.097;
50 rendered 0.046, 0.034; 30 drawn of hollows 0.026, 0.033."""

MAX_POINT_NATS = 7.0
"""Most nats that one point can say: dirt or a hand on it is no stone, however clear. Source: chosen."""


@dataclass(frozen=True, eq=False)
class BoardMixture:
    """How scores are distributed, of bare points (0) and of stones (1); ``tools/readers/fit_mixture.py`` fits it."""

    means: Float64Array  # (2, n_scores), over all boards
    covariance_of_means: Float64Array  # (2 * n_scores, 2 * n_scores), from board to board, bare points first
    scatter: Float64Array  # (2, n_scores, n_scores), covariance of the points of one board

    def log_odds(self, scores: Float64Array) -> Float64Array:
        """Return the log odds of a stone on every point of one board, nats, (n_points,), from (n_points, n_scores)."""
        n, size = scores.shape
        precision, prior = np.linalg.inv(self.scatter), np.linalg.inv(self.covariance_of_means)
        toward_stones = precision.mean(axis=0) @ (self.means[1] - self.means[0])
        rank = np.argsort(np.argsort(-(scores @ toward_stones), kind="stable"))
        is_stone = rank < np.arange(n + 1)[:, None]
        members = np.stack([~is_stone, is_stone]).astype(float)  # (2, n_divisions, n_points)
        counts = members.sum(axis=2)
        information = np.tile(prior, (n + 1, 1, 1))
        information[:, :size, :size] += counts[0, :, None, None] * precision[0]
        information[:, size:, size:] += counts[1, :, None, None] * precision[1]
        pull = prior @ self.means.ravel() + np.concatenate(members @ scores @ precision, axis=1)
        means = np.linalg.solve(information, pull[..., None])[..., 0]
        log_det = np.linalg.slogdet(precision)[1]
        spread = np.einsum("ni,cij,nj->cn", scores, precision, scores)
        evidence = (pull * means).sum(axis=1) - np.linalg.slogdet(information)[1]
        evidence += log_det @ counts - np.einsum("ckn,cn->k", members, spread)
        n_orders = np.array([lgamma(k + 1) + lgamma(n - k + 1) for k in range(n + 1)])  # every number is as likely
        weight = evidence / 2 + n_orders
        weight = np.exp(weight - weight.max())
        aside = scores - means.reshape(n + 1, 2, 1, size)
        distance = np.einsum("kcni,cij,kcnj->kcn", aside, precision, aside)
        nats = POINT_WEIGHT * (distance[:, 0] - distance[:, 1] + log_det[1] - log_det[0]) / 2
        nats = np.clip(nats, -MAX_POINT_NATS, MAX_POINT_NATS) + np.log((counts[1] + 1) / (counts[0] + 1))[:, None]
        p = np.average(1 / (1 + np.exp(-nats)), axis=0, weights=weight)
        return np.asarray(np.log(p / (1 - p)))


@cache
def board_mixture() -> BoardMixture:
    """Return the mixture of ``board_mixture.json``; read once."""
    stored = json.loads((files("vision.stones") / "board_mixture.json").read_text(encoding="utf-8"))
    return BoardMixture(*(np.array(stored[name]) for name in ("means", "covariance_of_means", "scatter")))
