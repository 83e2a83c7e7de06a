"""Colours of the stones of one photograph in, clusters of one paint each and their probabilities out.

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
    """Spread of log colours, (3,), within one cluster, and the prior of its centre (a paint's without a ``mean``)."""

    spread: Float64Array
    mean: Float64Array | None = None
    mean_spread: Float64Array | None = None


_PAINTED = _Material(np.array([0.12, 0.035, 0.035]))
"""Painted stones of one pot. Source: measured, 1,029 painted stones on 110 tables of three renderers' palettes, widened
for paint laid on by hand."""

_PAINTS = [_Material(share * _PAINTED.spread) for share in (0.5, 1, 1.5)]
"""Painted stones of one photograph: of a careful hand or a machine, as most are, or seen far away, where their colours
mix with what lies around them. Source: measured, with these of 7,416 stones of rendered and drawn tables 324 are given
to the wrong player, with the middle one alone 320, and of 165 on photographs 11 and 14."""

_UNPAINTED = _Material(np.array([0.22, 0.08, 0.08]), np.array([4.3, 0.03, -0.05]), np.array([0.4, 0.08, 0.09]))
"""Unpainted stones. Source: measured, 281 unpainted stones on 110 tables of three renderers' palettes."""

_UNPAINTED_PRIOR = 0.25
"""Probability that one player's stones are unpainted: who paints one player's stones often leaves the others' bare.
Source: measured, on those tables 0.1 and 0.5 differ in four mistakes from it."""

ANY_COLOUR_LOG_DENSITY = -log(2.5 * 1.6 * 1.6)
"""Log density of an unknown colour: uniform over 2.5 in log brightness and 1.6 in both log ratios."""

_BLACK, _BLACK_SPREAD = np.array([3.8, 0.0, 0.03]), np.array([0.35, 0.1, 0.12])
"""Log colour of black paint in photographs, and its spread. Source: measured, 15 players with black stones on 157
rendered pictures."""

_BLACK_SHARE = 0.25
"""Probability that a paint is black, which is met more than any other: else dark stones pass for unpainted ones.
Source: measured, without it nine stones more of those tables are given to the wrong player."""

_DEGREES_OF_FREEDOM = 6.0
"""Degrees of freedom of the Student's t distribution around the centre of a cluster: some stones lie far off. Source:
measured, on those tables 4 and 10 make 3 and 9 mistakes more."""

_OUTLIER_PRIOR, _OUTLIER_PRIOR_IN_PLAY = 0.02, 0.002
"""Probability that what seems a stone of one colour is an outlier that may have any: most of them in photographs are no
stones. The second is that of a stone that was seen to be laid. Source: measured, with 0.002 in photographs of those
tables as many stones are given to the wrong player, and their posterior has a mean loss of 0.238 nats, not 0.217."""

_MEDIAN_VARIANCE_SHARE = 0.12
"""Variance of a stone's median colour as a share of the variance of colour on the stone. Source: measured, on those
tables 308 stones are given to the wrong player, with 0.06 it is 324; on photographs 11 with both."""

_DIRICHLET_CONCENTRATION = 8.0
"""Concentration of the Dirichlet distribution of the players' shares of the stones: they lay them in turn, and of
eleven stones one may have four. Source: measured, on those tables 8 and 16 differ in no mistake."""

_ALIKE_PRIOR = 0.02
"""Probability that the stones of two players look alike."""

_INDEPENDENCE_WEIGHT = 0.7
"""Factor on the log likelihoods of single stones in their posterior: they are not quite independent."""


@dataclass(frozen=True, eq=False)
class _Cluster:
    """What the stones of one player are made of, their centre (..., 3), its precision, and the log evidence of both."""

    material: _Material
    centre: Float64Array
    precision: Float64Array
    log_evidence: Float64Array  # (...)


@dataclass(frozen=True, eq=False)
class _Clustering:
    """Stones in one light, (n, 2, 3), cluster of every stone, all clusters, and the log posterior of all of it."""

    stones: Float64Array
    labels: NDArray[np.intp]
    clusters: tuple[_Cluster, ...]
    log_p: float


def cluster_stones(
    samples: list[Float32Array],
    players: Mapping[int, float],
    ground: NDArray[np.floating] | None = None,
) -> tuple[list[int], Float64Array]:
    """Cluster stones, given by the log colours on each, (m, 3), into as few clusters as explain them.

    Returns the cluster of every stone, that of the first being 0, and its posterior. ``players`` is the prior
    probability of each number of players; there are at most as many clusters. ``ground`` is the log brightness around
    every stone: it differs with the light, as the stones' does, or with the board's own colours; what explains the
    stones better is believed.
    """
    if not samples:
        return [], np.zeros(0)
    statistics = np.array([colour_statistics(s) for s in samples], np.float64)
    lights = [statistics]
    if ground is not None:
        lights.append(statistics.copy())
        lights[1][:, 0, 0] -= ground - median(ground)
    n_max = min(max(players), len(samples))
    tried = [_evaluated(stones, labels, players) for stones in lights for labels in _divisions(stones, n_max)]
    best = max(tried, key=lambda clustering: clustering.log_p)
    order = list(dict.fromkeys(best.labels.tolist()))
    return [order.index(g) for g in best.labels.tolist()], _posterior_of_labels(best, players)


def _posterior_of_labels(best: _Clustering, players: Mapping[int, float]) -> Float64Array:
    """Return the probability of every label, (n,).

    The largest cluster may also be that of two players whose stones look alike: whose each is, is not known.
    """
    counts = np.bincount(best.labels)
    nats = _log_likelihoods_in_all(best) + np.log(counts + _DIRICHLET_CONCENTRATION)
    p = np.exp(_INDEPENDENCE_WEIGHT * (nats - nats.max(axis=1, keepdims=True)))
    own = np.asarray((p / p.sum(axis=1, keepdims=True))[np.arange(len(p)), best.labels], np.float64)
    if len(counts) < max(players):
        alone, largest = _log_share_prior(counts.tolist(), players), int(counts.argmax())
        alike = log(_ALIKE_PRIOR) + _log_share_prior(counts.tolist(), players, largest) - alone
        own[best.labels == largest] *= 1 - 0.5 / (1 + np.exp(-_INDEPENDENCE_WEIGHT * alike))
    return own


def next_stone_log_density(stones: Float64Array, new: Float64Array) -> Float64Array:
    """Return the log predictive density, (..., n), of further stones of clusters, given some of each.

    Both are ``colour_statistics``, (..., m, 2, 3) and (..., n, 2, 3); m may be 0. One stone shows the paint of its
    cluster, but not that it is paint: unpainted stones differ, and the next one may be much lighter. So the cluster may
    be made of either material, each weighed by the evidence of these stones. The density is Student's t around the
    centre of the cluster, as uncertain as so few stones leave it.
    """
    parts = []
    for material, prior in ((_PAINTED, 1 - _UNPAINTED_PRIOR), (_UNPAINTED, _UNPAINTED_PRIOR)):
        if stones.shape[-3]:
            cluster = _cluster(stones, material)
            evidence, spare = cluster.log_evidence, (1 / cluster.precision)[..., None, :]
            nats = _log_likelihoods(new, cluster.centre, material, spare, _OUTLIER_PRIOR_IN_PLAY)
        else:
            evidence, nats = np.zeros(stones.shape[:-3]), np.full(new.shape[:-2], ANY_COLOUR_LOG_DENSITY)
            if material.mean is not None and material.mean_spread is not None:
                spare = material.mean_spread**2
                nats = _log_likelihoods(new, material.mean, material, spare, _OUTLIER_PRIOR_IN_PLAY)
        parts.append((log(prior) + evidence, nats))
    weights = np.array([weight for weight, _ in parts])
    weights -= np.logaddexp.reduce(weights, axis=0)
    weighed = [weight[..., None] + nats for weight, (_, nats) in zip(weights, parts, strict=True)]
    density: Float64Array = np.logaddexp.reduce(weighed, axis=0)
    return density


def _divisions(stones: Float64Array, n_max: int) -> Iterator[NDArray[np.intp]]:
    """Yield labels by the nearest of some stones far apart, for every number of clusters and from every stone on."""
    scaled = stones[:, 0] / _PAINTED.spread
    distance = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    for k in range(1, n_max + 1):
        for first in range(len(stones)) if k > 1 else (0,):
            seeds = [first]
            while len(seeds) < k:
                seeds.append(int(distance[seeds].min(axis=0).argmax()))
            yield distance[seeds].argmin(axis=0)


def _evaluated(stones: Float64Array, labels: NDArray[np.intp], players: Mapping[int, float]) -> _Clustering:
    """Return a clustering into the clusters that have stones, all painted or all except one, and its log posterior."""
    names, labels = np.unique(labels, return_inverse=True)
    groups = [stones[labels == g] for g in range(len(names))]
    clusters = [max((_cluster(own, paint) for paint in _PAINTS), key=lambda c: c.log_evidence) for own in groups]
    unpainted = [_cluster(own, _UNPAINTED) for own in groups]
    gains = [bare.log_evidence - paint.log_evidence for bare, paint in zip(unpainted, clusters, strict=True)]
    bare, total = int(np.argmax(gains)), log(1 - _UNPAINTED_PRIOR)
    if gains[bare] + log(_UNPAINTED_PRIOR / len(names)) > total:
        clusters[bare], total = unpainted[bare], log(_UNPAINTED_PRIOR / len(names))
    total += float(sum(c.log_evidence for c in clusters)) + _log_share_prior(np.bincount(labels).tolist(), players)
    return _Clustering(stones, labels, tuple(clusters), total)


def _cluster(stones: Float64Array, material: _Material) -> _Cluster:
    """Return the stones as one cluster.

    The evidence is their likelihood at the best centre, times the prior of that centre, times the width of the peak
    there (Laplace's method: MacKay 2003, Information Theory, chapter 27).
    """
    centre, precision = _centre(stones, material)
    nats = _log_likelihoods(stones, centre, material).sum(axis=-1) + 0.5 * np.log(2 * np.pi / precision).sum(axis=-1)
    return _Cluster(material, centre, precision, nats + _log_centre_prior(centre, material))


def _centre(stones: Float64Array, material: _Material) -> tuple[Float64Array, Float64Array]:
    """Return the centre of a cluster by iteratively reweighted least squares, and its precision, both (..., 3)."""
    medians, variance = stones[..., 0, :], material.spread**2 + _MEDIAN_VARIANCE_SHARE * stones[..., 1, :]
    centre = median(medians, axis=-2)
    precision = np.ones(3)
    for _ in range(3):
        distance = ((medians - centre[..., None, :]) ** 2 / variance).sum(axis=-1)
        weights = ((_DEGREES_OF_FREEDOM + 3) / (_DEGREES_OF_FREEDOM + distance))[..., None] / variance
        total, precision = (medians * weights).sum(axis=-2), weights.sum(axis=-2)
        if material.mean is not None and material.mean_spread is not None:
            total = total + material.mean / material.mean_spread**2
            precision = precision + 1 / material.mean_spread**2
        centre = total / precision
    return centre, precision


_T_CONSTANT = (
    lgamma((_DEGREES_OF_FREEDOM + 3) / 2) - lgamma(_DEGREES_OF_FREEDOM / 2) - 1.5 * log(_DEGREES_OF_FREEDOM * np.pi)
)
"""Logarithm of the constant of that distribution, of three numbers. Source: its definition."""


def _log_likelihoods(
    stones: Float64Array,
    centre: Float64Array,
    material: _Material,
    spare: Float64Array | float = 0.0,
    outlier_p: float = _OUTLIER_PRIOR,
) -> Float64Array:
    """Return the log likelihood of every stone in a cluster with that centre, of a ``spare`` variance; (..., n)."""
    variance = material.spread**2 + _MEDIAN_VARIANCE_SHARE * stones[..., 1, :] + spare
    distance = ((stones[..., 0, :] - centre[..., None, :]) ** 2 / variance).sum(axis=-1)
    tail = (_DEGREES_OF_FREEDOM + 3) / 2 * np.log1p(distance / _DEGREES_OF_FREEDOM)
    inlier = _T_CONSTANT - 0.5 * np.log(variance).sum(axis=-1) - tail
    outlier = log(outlier_p) + ANY_COLOUR_LOG_DENSITY
    return np.asarray(np.logaddexp(log(1 - outlier_p) + inlier, outlier), np.float64)


def _log_likelihoods_in_all(clustering: _Clustering) -> Float64Array:
    """Return the log likelihood of every stone in every cluster, shape (n, k)."""
    return np.column_stack([_log_likelihoods(clustering.stones, c.centre, c.material) for c in clustering.clusters])


def _log_centre_prior(centre: Float64Array, material: _Material) -> Float64Array:
    """Return the log prior density of the centre of a cluster, (...)."""
    if material.mean is not None and material.mean_spread is not None:
        return _log_normal(centre, material.mean, material.mean_spread)
    black = log(_BLACK_SHARE) + _log_normal(centre, _BLACK, _BLACK_SPREAD)
    return np.asarray(np.logaddexp(log(1 - _BLACK_SHARE) + ANY_COLOUR_LOG_DENSITY, black))


def _log_normal(colour: Float64Array, mean: Float64Array, spread: Float64Array) -> Float64Array:
    nats = -0.5 * (((colour - mean) / spread) ** 2).sum(axis=-1) - np.log(spread).sum() - 1.5 * log(2 * np.pi)
    return np.asarray(nats)


def _log_share_prior(counts: list[int], players: Mapping[int, float], shared: int | None = None) -> float:
    """Return the log probability of the clusters' numbers of stones (Dirichlet-multinomial).

    Two players own the stones of the cluster ``shared``, if there is one, in whatever parts.
    """
    n, parts, owners = sum(counts), [-np.inf], [2 if k == shared else 1 for k in range(len(counts))]
    for n_players, prior in players.items():
        if n_players >= sum(owners) and prior > 0:
            total = n_players * _DIRICHLET_CONCENTRATION
            part = log(prior) + lgamma(total) - lgamma(n + total) - log(max(owners))
            for count, own in zip(counts, (_DIRICHLET_CONCENTRATION * k for k in owners), strict=True):
                part += lgamma(count + own) - lgamma(own)
            parts.append(part + sum(log(n_players - k) for k in range(sum(owners))))
    return float(np.logaddexp.reduce(parts))
