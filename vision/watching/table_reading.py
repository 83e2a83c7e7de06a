"""Read all points of a table from one look, whatever was accepted before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from vision.decoding.belief import PointTops
from vision.decoding.posterior import Posterior
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame
from vision.stones.photograph_reader import GROUP_NAMES, PhotographReading, read_photograph

MIN_SURE_POSTERIOR = 0.9
"""Posterior from which a point of a reading is learnt from, and a stone shows that a game has begun."""


@dataclass(frozen=True, eq=False)
class UndecidedLook:
    """A look that was not decided on, to be read when the next rest is not decided on either."""

    frame: Frame
    field: Field
    log_likelihood: NDArray[np.float64]  # (n_points, n_appearances), its evidence, nats
    posterior: Posterior | None  # what it was taken for; None before anything was
    n_unexplained: int  # unexplained rests before its own


@dataclass(frozen=True, eq=False)
class TableReading:
    """All points of a table, read from one look."""

    tops: tuple[int, ...]  # by point: 0 bare, k a stone of player k - 1 on top
    confidence: float  # posterior that every point in sight is read right
    sure: tuple[bool, ...]  # by point, whether it is sure enough to be learnt from
    n_unexplained: int  # unexplained rests before its own
    time_s: float  # of the look, seconds of the source


def read_table(look: UndecidedLook, expected: PointTops) -> TableReading:
    """Return the likeliest appearance of every point, from the evidence of a look and the picture read alone.

    Both see the same pixels, so they are pooled as one: the geometric mean of their posteriors. Where that is also what
    the look was taken for, the posterior of that counts. A row without evidence belongs to a point that is out of
    sight: the expected top stays.
    """
    rows = look.log_likelihood
    n_points, n_appearances = rows.shape
    alone = read_photograph(look.frame.bgr, Registration(look.field, 1.0), n_groups_max=n_appearances - 1)
    of_group = _players_of_groups(rows, alone)
    tops = np.array([0 if group is None else of_group[group] + 1 for group in alone.stones])
    single = np.repeat(np.log((1 - alone.p) / (n_appearances - 1) + 1e-9)[:, None], n_appearances, axis=1)
    single[np.arange(n_points), tops] = np.log(alone.p)
    pooled = 0.5 * (rows + single)
    pooled -= np.logaddexp.reduce(pooled, axis=1, keepdims=True)
    in_sight = rows.any(axis=1)
    best = tuple(int(top) for top in np.where(in_sight, pooled.argmax(axis=1), np.array(expected)))
    confidence = float(np.exp(pooled.max(axis=1)[in_sight].sum()))
    if look.posterior is not None and look.posterior.best.tops == best:
        confidence = max(confidence, look.posterior.confidence)
    sure = in_sight & (pooled.max(axis=1) >= np.log(MIN_SURE_POSTERIOR))
    return TableReading(best, confidence, tuple(map(bool, sure)), look.n_unexplained, look.frame.time_s)


def _players_of_groups(rows: NDArray[np.float64], alone: PhotographReading) -> dict[str, int]:
    """Return the player of each group of stones: those whose known colours fit best."""
    groups = [name for name in GROUP_NAMES if name in alone.stones]
    nats = np.array([rows[[group == name for group in alone.stones], 1:].sum(axis=0) for name in groups])
    players = range(rows.shape[1] - 1)
    best = max(
        permutations(players, len(groups)), key=lambda order: sum(nats[k, player] for k, player in enumerate(order))
    )
    return dict(zip(groups, best, strict=True))
