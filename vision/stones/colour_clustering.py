"""Cluster the stones of one photograph by colour: into as many paints as explain them best.

Every clustering is weighed as a whole by its posterior: how closely the stones of one cluster agree in colour, what a
further paint costs, and how likely players who lay stones in turn own that many each. Painted stones of one pot agree
closely. Unpainted ones are grey or brown, differ much in brightness, and belong to one player at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.medians import median
from vision.stones.appearance import colour_statistics


@dataclass(frozen=True, eq=False)
class _Material:
    """Spread of log colours, (3,), within one cluster, and the prior of its centre (any where ``mean`` is None)."""

    spread: Float64Array
    mean: Float64Array | None = None
    mean_spread: Float64Array | None = None


_PAINTED = _Material(np.array([0.12, 0.035, 0.035]))
"""Painted stones of one pot. Source: measured, 1,029 painted stones on 110 tables of three renderers' palettes, widened
for paint laid on by hand."""

_UNPAINTED = _Material(np.array([0.22, 0.08, 0.08]), np.array([4.3, 0.03, -0.05]), np.array([0.4, 0.08, 0.09]))
"""Unpainted stones. Source: measured, 281 unpainted stones on 110 tables of three renderers' palettes."""

_UNPAINTED_PRIOR = 0.1
"""Probability that a cluster of a photograph is unpainted; any value from 0.05 to 0.33 clusters boards alike."""

_UNPAINTED_PRIOR_OF_PLAYER = 0.25
"""Probability that one player's stones are unpainted: who paints one player's stones often leaves the others' bare."""

ANY_COLOUR_LOG_DENSITY = -log(2.5 * 1.6 * 1.6)
"""Log density of a colour of which nothing is known: uniform over 2.5 in log brightness and 1.6 in both log ratios."""

_DEGREES_OF_FREEDOM = 6.0
"""Degrees of freedom of the Student's t distribution around the centre of a cluster: some stones lie far off."""

_OUTLIER_PRIOR = 0.01
"""Probability that a stone of one colour is an outlier that may have any colour."""

_OUTLIER_PRIOR_PER_VARIANCE = 0.08
"""Increase of that probability with the variance of the two log ratios on the stone itself."""

_MAX_OUTLIER_PRIOR = 0.4
"""Greatest probability that a stone is an outlier."""

_OUTLIER_FACTOR_IN_PLAY = 0.1
"""Factor on the outlier probability of a stone seen to be laid: most outliers in photographs are not stones."""

_MEDIAN_VARIANCE_SHARE = 0.06
"""Variance of a stone's median colour as a share of the variance of colour on the stone."""

_DIRICHLET_CONCENTRATION = 3.0
"""Concentration of the Dirichlet distribution of the players' shares of the stones: they lay them in turn."""

_PAINT_SHOWN_SHARE = 0.3
"""Share of a stone's samples near the centre of a cluster from which on the stone shows that cluster's paint."""

_PAINT_REACH_SPREADS = 2.5
"""Distance from the centre up to which a sample counts as near it, in spreads of unpainted stones."""

_MIN_PAINT_DISTANCE = 0.3
"""Distance in the two log ratios from which on two paints are unlike."""

_MIN_SHOWN_PAINT_POSTERIOR = 0.7
"""Least posterior of a label that was changed to the more colourful paint."""

_INDEPENDENCE_WEIGHT = 0.7
"""Factor on the log likelihoods of single stones in their posterior: they are not quite independent."""

_N_STARTS, _MAX_ITERATIONS = 6, 10
"""Starts for each number of clusters, and most iterations from each start."""


@dataclass(frozen=True, eq=False)
class _StoneColourStatistics:
    """Median colour of every stone (n, 3), its variance (n, 3), and the probability of an outlier (n,)."""

    median: Float64Array
    variance: Float64Array
    outlier_p: Float64Array

    def __getitem__(self, some: NDArray[np.bool_]) -> _StoneColourStatistics:
        return _StoneColourStatistics(self.median[some], self.variance[some], self.outlier_p[some])


@dataclass(frozen=True, eq=False)
class _Clustering:
    """Cluster of every stone, material and centre of every cluster, and the log posterior of all of it."""

    labels: NDArray[np.intp]
    materials: tuple[_Material, ...]
    centres: tuple[Float64Array, ...]
    log_p: float


def cluster_stones(
    samples: list[Float32Array], players: Mapping[int, float], *, stacked: bool = False
) -> tuple[list[int], Float64Array]:
    """Cluster stones, given by the log colours on each, (m, 3), into as few clusters as explain them.

    Returns the cluster of every stone, that of the first being 0, and its posterior. ``players`` is the prior
    probability of each number of players; there are at most as many clusters. ``stacked`` says that stones lie on
    stones, so that two paints may be seen where each stone has one.
    """
    if not samples:
        return [], np.zeros(0)
    stones = _stone_colours(np.array([colour_statistics(s) for s in samples], np.float64))
    starts = _initial_clusterings(stones.median, min(max(players), len(samples)))
    refined = (_refined(stones, labels, materials, players) for labels, materials in starts)
    best = _moved_singly(stones, max(refined, key=lambda clustering: clustering.log_p), players)
    nats = _log_likelihoods_in_all(stones, best)
    nats += np.log(np.bincount(best.labels, minlength=len(best.materials)) + _DIRICHLET_CONCENTRATION)
    posterior = np.exp(_INDEPENDENCE_WEIGHT * (nats - nats.max(axis=1, keepdims=True)))
    posterior /= posterior.sum(axis=1, keepdims=True)
    labels = best.labels if stacked else _prefer_shown_paint(samples, best)
    order = list(dict.fromkeys(labels.tolist()))
    own = posterior[np.arange(len(labels)), labels]
    own = np.where(labels == best.labels, own, np.maximum(own, _MIN_SHOWN_PAINT_POSTERIOR))
    return [order.index(int(g)) for g in labels], own


def next_stone_log_density(known: Float64Array, new: Float64Array) -> Float64Array:
    """Return the log predictive density, (n,), of further stones of a cluster, given the stones of it that are known.

    Both are ``colour_statistics``, (m, 2, 3) and (n, 2, 3); m may be 0. One stone shows the paint of its cluster, but
    not that it is paint: unpainted stones differ, and the next one may be much lighter. So the cluster may be made of
    either material, each weighed by the evidence of its known stones. The density is Student's t around the centre of
    the cluster, as uncertain as so few stones leave it.
    """
    own, asked, parts = _stone_colours(known), _stone_colours(new), []
    asked = _StoneColourStatistics(asked.median, asked.variance, _OUTLIER_FACTOR_IN_PLAY * asked.outlier_p)
    for material, prior in ((_PAINTED, 1 - _UNPAINTED_PRIOR_OF_PLAYER), (_UNPAINTED, _UNPAINTED_PRIOR_OF_PLAYER)):
        if len(known):
            centre, precision = _centre(own, material)
            evidence = float(_log_likelihoods(own, centre, material).sum() + 0.5 * np.log(2 * np.pi / precision).sum())
            evidence += _log_centre_prior(centre, material)
            wide = _StoneColourStatistics(asked.median, asked.variance + 1 / precision, asked.outlier_p)
            nats = _log_likelihoods(wide, centre, material)
        else:
            evidence, nats = 0.0, np.full(len(new), ANY_COLOUR_LOG_DENSITY)
            if material.mean is not None and material.mean_spread is not None:
                wide = _StoneColourStatistics(asked.median, asked.variance + material.mean_spread**2, asked.outlier_p)
                nats = _log_likelihoods(wide, material.mean, material)
        parts.append((log(prior) + evidence, nats))
    weights = np.array([weight for weight, _ in parts])
    weights -= np.logaddexp.reduce(weights)
    density: Float64Array = np.logaddexp.reduce([w + nats for w, (_, nats) in zip(weights, parts, strict=True)], axis=0)
    return density


def _stone_colours(statistics: Float64Array) -> _StoneColourStatistics:
    """Return the statistics of stones from their ``colour_statistics``, shape (n, 2, 3)."""
    median, variance = statistics.reshape(-1, 2, 3).transpose(1, 0, 2)
    outlier_p = np.minimum(
        _OUTLIER_PRIOR + _OUTLIER_PRIOR_PER_VARIANCE * variance[:, 1:].sum(axis=1), _MAX_OUTLIER_PRIOR
    )
    return _StoneColourStatistics(median, _MEDIAN_VARIANCE_SHARE * variance, outlier_p)


def _initial_clusterings(median: Float64Array, n_max: int) -> Iterator[tuple[NDArray[np.intp], tuple[_Material, ...]]]:
    """Yield initial labels around stones far apart, for every number of clusters and their materials."""
    n = len(median)
    scaled = median / (2 * _PAINTED.spread) * (0.6, 1, 1)
    distance = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    for k in range(1, n_max + 1):
        for first in range(0, n, max(1, n // _N_STARTS)) if k > 1 else (0,):
            seeds = [first]
            while len(seeds) < k:
                seeds.append(int(distance[seeds].min(axis=0).argmax()))
            labels = distance[seeds].argmin(axis=0)
            yield labels, (_PAINTED,) * k
            for unpainted in range(k):
                yield labels, tuple(_UNPAINTED if g == unpainted else _PAINTED for g in range(k))


def _refined(
    stones: _StoneColourStatistics,
    labels: NDArray[np.intp],
    materials: tuple[_Material, ...],
    players: Mapping[int, float],
) -> _Clustering:
    """Return the best clustering met while every stone moves to the likeliest cluster repeatedly (as in k-means)."""
    best = now = _evaluated(stones, labels, materials, players)
    for _ in range(_MAX_ITERATIONS):
        shares = np.log(np.bincount(now.labels, minlength=len(materials)) + _DIRICHLET_CONCENTRATION)
        labels = (_log_likelihoods_in_all(stones, now) + shares).argmax(axis=1)
        if (labels == now.labels).all():
            break
        now = _evaluated(stones, labels, materials, players)
        best = max(best, now, key=lambda clustering: clustering.log_p)
    return best


def _moved_singly(stones: _StoneColourStatistics, best: _Clustering, players: Mapping[int, float]) -> _Clustering:
    """Return the clustering after every stone has been tried in the other clusters, twice."""
    for i in list(range(len(best.labels))) * 2 if len(best.materials) > 1 else ():
        for g in range(len(best.materials)):
            labels = best.labels.copy()
            labels[i] = g
            if g != best.labels[i]:
                moved = _evaluated(stones, labels, best.materials, players)
                best = max(best, moved, key=lambda clustering: clustering.log_p)
    return best


def _evaluated(
    stones: _StoneColourStatistics,
    labels: NDArray[np.intp],
    materials: tuple[_Material, ...],
    players: Mapping[int, float],
) -> _Clustering:
    """Return a clustering with its centres and its log posterior, -inf where a cluster has no stone.

    The evidence of a cluster is its likelihood at the best centre, times the prior of that centre, times the width of
    the peak there (Laplace's method: MacKay 2003, Information Theory, chapter 27).
    """
    counts = np.bincount(labels, minlength=len(materials))
    if not counts.all():
        return _Clustering(labels, materials, tuple(np.zeros(3) for _ in materials), -np.inf)
    total, centres = _log_share_prior(counts.tolist(), players), []
    for g, material in enumerate(materials):
        own = stones[labels == g]
        centre, precision = _centre(own, material)
        total += float(_log_likelihoods(own, centre, material).sum() + 0.5 * np.log(2 * np.pi / precision).sum())
        total += _log_centre_prior(centre, material)
        centres.append(centre)
    n_unpainted = sum(material is _UNPAINTED for material in materials)
    total += log(_UNPAINTED_PRIOR / len(materials)) if n_unpainted else log(1 - _UNPAINTED_PRIOR)
    return _Clustering(labels, materials, tuple(centres), total)


def _centre(stones: _StoneColourStatistics, material: _Material) -> tuple[Float64Array, Float64Array]:
    """Return the centre of a cluster by iteratively reweighted least squares, and its precision, both (3,)."""
    variance = material.spread**2 + stones.variance
    centre = median(stones.median, axis=0)
    precision = np.ones(3)
    for _ in range(3):
        distance = ((stones.median - centre) ** 2 / variance).sum(axis=1)
        weights = ((_DEGREES_OF_FREEDOM + 3) / (_DEGREES_OF_FREEDOM + distance))[:, None] / variance
        total, precision = (stones.median * weights).sum(axis=0), weights.sum(axis=0)
        if material.mean is not None and material.mean_spread is not None:
            total = total + material.mean / material.mean_spread**2
            precision = precision + 1 / material.mean_spread**2
        centre = total / precision
    return centre, precision


_T_CONSTANT = (
    lgamma((_DEGREES_OF_FREEDOM + 3) / 2) - lgamma(_DEGREES_OF_FREEDOM / 2) - 1.5 * log(_DEGREES_OF_FREEDOM * np.pi)
)


def _log_likelihoods(stones: _StoneColourStatistics, centre: Float64Array, material: _Material) -> Float64Array:
    """Return the log likelihood of every stone in a cluster with that centre, shape (n,)."""
    variance = material.spread**2 + stones.variance
    distance = ((stones.median - centre) ** 2 / variance).sum(axis=1)
    tail = (_DEGREES_OF_FREEDOM + 3) / 2 * np.log1p(distance / _DEGREES_OF_FREEDOM)
    inlier = _T_CONSTANT - 0.5 * np.log(variance).sum(axis=1) - tail
    nats: Float64Array = np.logaddexp(
        np.log1p(-stones.outlier_p) + inlier, np.log(stones.outlier_p) + ANY_COLOUR_LOG_DENSITY
    )
    return nats


def _log_likelihoods_in_all(stones: _StoneColourStatistics, clustering: _Clustering) -> Float64Array:
    """Return the log likelihood of every stone in every cluster, shape (n, k)."""
    clusters = zip(clustering.centres, clustering.materials, strict=True)
    return np.column_stack([_log_likelihoods(stones, centre, material) for centre, material in clusters])


def _log_centre_prior(centre: Float64Array, material: _Material) -> float:
    """Return the log prior density of the centre of a cluster."""
    if material.mean is None or material.mean_spread is None:
        return ANY_COLOUR_LOG_DENSITY
    off = (centre - material.mean) / material.mean_spread
    return float(-0.5 * (off**2).sum() - np.log(material.mean_spread).sum() - 1.5 * log(2 * np.pi))


def _log_share_prior(counts: list[int], players: Mapping[int, float]) -> float:
    """Return the log probability of the clusters' numbers of stones (Dirichlet-multinomial)."""
    n, parts, concentration = sum(counts), [], _DIRICHLET_CONCENTRATION
    for n_players, prior in players.items():
        if n_players >= len(counts) and prior > 0:
            part = log(prior) + lgamma(n_players * concentration) - lgamma(n + n_players * concentration)
            part += sum(lgamma(count + concentration) - lgamma(concentration) for count in counts)
            parts.append(part + sum(log(n_players - taken) for taken in range(len(counts))))
    return float(np.logaddexp.reduce(parts))


def _prefer_shown_paint(samples: list[Float32Array], clustering: _Clustering) -> NDArray[np.intp]:
    """Return the labels, but a stone belongs to the most colourful paint of which it shows a good part.

    A pebble painted on one half belongs to its paint, because no unpainted pebble has a painted half. And where much of
    a mask is the ground beside the stone, the median colour is nobody's, but a part of it is somebody's.
    """
    labels, centres = clustering.labels.copy(), np.array(clustering.centres)
    chroma = np.hypot(centres[:, 1], centres[:, 2])
    reach = _PAINT_REACH_SPREADS * _UNPAINTED.spread * (2, 1, 1)
    for i, stone in enumerate(samples):
        near = (np.abs(stone[:, None] - centres[None]) < reach).all(axis=2)
        shown = near.mean(axis=0) >= _PAINT_SHOWN_SHARE
        richest = int(np.where(shown, chroma, -1.0).argmax())
        unlike = np.linalg.norm(centres[richest, 1:] - centres[labels[i], 1:]) > _MIN_PAINT_DISTANCE
        if shown.any() and unlike and (not shown[labels[i]] or chroma[richest] > chroma[labels[i]]):
            labels[i] = richest
    return labels
