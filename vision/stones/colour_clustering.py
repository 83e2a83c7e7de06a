"""Whose stones are whose: the stones of one photograph, sorted into as many paints as explain them best.

Every way to share the stones out is weighed as a whole: how closely the stones of one group agree in colour, what a
further paint costs, and how likely players who lay stones in turn own that many each. Painted stones of one pot agree
closely; unpainted ones are grey or brown and differ much in brightness, and at most one player has those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.stones.colour_histogram import colour_statistics

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Stuff:
    """What stones of one group differ by, and the colours that such groups have (any, where ``usual`` is None)."""

    spread: Doubles
    usual: Doubles | None = None
    usual_spread: Doubles | None = None


_PAINT = _Stuff(np.array([0.12, 0.035, 0.035]))
_NATURAL = _Stuff(np.array([0.22, 0.08, 0.08]), np.array([4.3, 0.03, -0.05]), np.array([0.4, 0.08, 0.09]))
"""Log brightness, log red over green, log blue over green, of the usual colours of single stones: measured on 1,029
painted and 281 unpainted ones on 110 tables of three renderers' palettes, and widened for paint laid on by hand."""

_NATURAL_SHARE = 0.1
"""Share of groups that are unpainted; boards are sorted alike with any share from a twentieth to a third."""

_NATURAL_SHARE_OF_ONE = 0.25
"""The same for the stones of one player: a family that paints one player's stones often leaves the others' bare."""

_ANY_COLOUR = -log(2.5 * 1.6 * 1.6)
"""Log density of a colour of which nothing is known: 2.5 in brightness, 1.6 in both ratios."""

_TAIL = 6.0
"""Degrees of freedom of the distribution around the usual colour of a group (Student's t): some stones lie far off."""

_ODD, _ODD_WHEN_MOTLEY, _ODD_AT_MOST = 0.01, 0.08, 0.4
"""Share of stones that may have any colour, and how it grows with the variance of colour on the stone itself."""

_ODD_IN_PLAY = 0.1
"""The same as a multiple where the stone was seen to be laid: what is odd in photographs is mostly no stone at all."""

_MOTLEY = 0.06
"""Share of the variance of colour on a stone that counts as doubt about its usual colour."""

_BALANCE = 3.0
"""Concentration of the Dirichlet distribution of the players' shares of the stones: they lay them in turn."""

_HALF, _RANGE, _UNLIKE = 0.3, 2.5, 0.3
"""A stone of which this share lies within so many spreads of a group shows its paint, where the paints are unlike."""

_HALF_SURE = 0.7
"""How sure it is at least then that the more colourful paint is its own."""

_DOUBT = 0.7
"""What the nats of single stones count for in the end: they are taken to be independent, and are not quite."""

_BEGINNINGS, _ROUNDS = 6, 10


@dataclass(frozen=True, eq=False)
class _Looks:
    """Usual colour of every stone (n, 3), its doubt as a variance (n, 3), and how likely it is odd (n,)."""

    usual: Doubles
    doubt: Doubles
    odd: Doubles

    def __getitem__(self, some: NDArray[np.bool_]) -> _Looks:
        return _Looks(self.usual[some], self.doubt[some], self.odd[some])


@dataclass(frozen=True, eq=False)
class _Sorting:
    """Groups of all stones, what each is made of, its usual colour, and the log probability of all of it."""

    labels: NDArray[np.intp]
    stuffs: tuple[_Stuff, ...]
    usual: tuple[Doubles, ...]
    log_p: float


def cluster_stones(
    samples: list[Float32Array], players: Mapping[int, float], *, piled: bool = False
) -> tuple[list[int], Doubles]:
    """Sort stones by colour into as few groups as explain them.

    Parameters
    ----------
    samples : list of float32 arrays of shape (m, 3)
        Log colours on every stone.
    players : mapping of int to float
        How likely so many players own the stones; groups are at most as many.
    piled : bool
        Whether stones lie on stones, so that two paints may be seen where each stone has one.

    Returns
    -------
    labels : list of int
        Group of every stone; the group of the first stone is 0.
    sure : float64 array of shape (n_stones,)
        Posterior of that label.
    """
    if not samples:
        return [], np.zeros(0)
    looks = _looks(samples)
    begun = _beginnings(looks.usual, min(max(players), len(samples)))
    settled = (_settled(looks, labels, stuffs, players) for labels, stuffs in begun)
    best = _moved_singly(looks, max(settled, key=lambda sorting: sorting.log_p), players)
    fits = _fits_of_all(looks, best)
    fits += np.log(np.bincount(best.labels, minlength=len(best.stuffs)) + _BALANCE)
    chances = np.exp(_DOUBT * (fits - fits.max(axis=1, keepdims=True)))
    chances /= chances.sum(axis=1, keepdims=True)
    labels = best.labels if piled else _paint_wins(samples, best)
    order = list(dict.fromkeys(labels.tolist()))
    sure = chances[np.arange(len(labels)), labels]
    return [order.index(int(g)) for g in labels], np.where(labels == best.labels, sure, np.maximum(sure, _HALF_SURE))


def next_stone_log_density(known: Doubles, new: Doubles) -> Doubles:
    """How likely stones are further ones of a group of which some are known.

    One stone tells the paint of its group, but not that it is paint: unpainted stones differ, and the next one may be
    much lighter. So the group may be made of either stuff, each weighed by the evidence of its known stones.

    Parameters
    ----------
    known : float64 array of shape (m, 2, 3)
        Usual colour of every known stone, log colours, and the variance on it; m may be 0.
    new : float64 array of shape (n, 2, 3)
        The same of the stones that are asked about, each by itself.

    Returns
    -------
    float64 array of shape (n,)
        Log density of their usual colours: Student's t around that of the group, as unsure as so few stones leave it.
    """
    own, asked, parts = _looks_of(known), _looks_of(new), []
    asked = _Looks(asked.usual, asked.doubt, _ODD_IN_PLAY * asked.odd)
    for stuff, share in ((_PAINT, 1 - _NATURAL_SHARE_OF_ONE), (_NATURAL, _NATURAL_SHARE_OF_ONE)):
        if len(known):
            middle, precision = _middle(own, stuff)
            evidence = float(_fits(own, middle, stuff).sum() + 0.5 * np.log(2 * np.pi / precision).sum())
            evidence += _log_usual(middle, stuff)
            fits = _fits(_Looks(asked.usual, asked.doubt + 1 / precision, asked.odd), middle, stuff)
        else:
            evidence, fits = 0.0, np.full(len(new), _ANY_COLOUR)
            if stuff.usual is not None and stuff.usual_spread is not None:
                wide = _Looks(asked.usual, asked.doubt + stuff.usual_spread**2, asked.odd)
                fits = _fits(wide, stuff.usual, stuff)
        parts.append((log(share) + evidence, fits))
    weights = np.array([weight for weight, _ in parts])
    weights -= np.logaddexp.reduce(weights)
    likely: Doubles = np.logaddexp.reduce([w + fits for w, (_, fits) in zip(weights, parts, strict=True)], axis=0)
    return likely


def _looks(samples: list[Float32Array]) -> _Looks:
    return _looks_of(np.array([colour_statistics(s) for s in samples], np.float64))


def _looks_of(singles: Doubles) -> _Looks:
    usual, variance = singles.reshape(-1, 2, 3).transpose(1, 0, 2)
    odd = np.minimum(_ODD + _ODD_WHEN_MOTLEY * variance[:, 1:].sum(axis=1), _ODD_AT_MOST)
    return _Looks(usual, _MOTLEY * variance, odd)


def _beginnings(usual: Doubles, most: int) -> Iterator[tuple[NDArray[np.intp], tuple[_Stuff, ...]]]:
    """Labels to begin with, around stones as unlike as can be, for every number of groups and what they may be."""
    n = len(usual)
    scaled = usual / (2 * _PAINT.spread) * (0.6, 1, 1)
    apart = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    for k in range(1, most + 1):
        for first in range(0, n, max(1, n // _BEGINNINGS)) if k > 1 else (0,):
            seeds = [first]
            while len(seeds) < k:
                seeds.append(int(apart[seeds].min(axis=0).argmax()))
            labels = apart[seeds].argmin(axis=0)
            yield labels, (_PAINT,) * k
            for natural in range(k):
                yield labels, tuple(_NATURAL if g == natural else _PAINT for g in range(k))


def _settled(
    looks: _Looks, labels: NDArray[np.intp], stuffs: tuple[_Stuff, ...], players: Mapping[int, float]
) -> _Sorting:
    """The best of what comes of it when every stone goes where it fits best, again and again."""
    best = now = _weighed(looks, labels, stuffs, players)
    for _ in range(_ROUNDS):
        shares = np.log(np.bincount(now.labels, minlength=len(stuffs)) + _BALANCE)
        labels = (_fits_of_all(looks, now) + shares).argmax(axis=1)
        if (labels == now.labels).all():
            break
        now = _weighed(looks, labels, stuffs, players)
        best = max(best, now, key=lambda sorting: sorting.log_p)
    return best


def _moved_singly(looks: _Looks, best: _Sorting, players: Mapping[int, float]) -> _Sorting:
    """The sorting after every stone has been tried in the other groups, twice."""
    for i in list(range(len(best.labels))) * 2 if len(best.stuffs) > 1 else ():
        for g in range(len(best.stuffs)):
            labels = best.labels.copy()
            labels[i] = g
            if g != best.labels[i]:
                best = max(best, _weighed(looks, labels, best.stuffs, players), key=lambda sorting: sorting.log_p)
    return best


def _weighed(
    looks: _Looks, labels: NDArray[np.intp], stuffs: tuple[_Stuff, ...], players: Mapping[int, float]
) -> _Sorting:
    """A sorting and its log probability, -inf where a group has no stone.

    The evidence of a group is its likelihood at the best usual colour, times the prior of that colour, times the
    width of the peak there (Laplace's method: MacKay 2003, Information Theory, chapter 27).
    """
    counts = np.bincount(labels, minlength=len(stuffs))
    if not counts.all():
        return _Sorting(labels, stuffs, tuple(np.zeros(3) for _ in stuffs), -np.inf)
    total, usual = _log_shares(counts.tolist(), players), []
    for g, stuff in enumerate(stuffs):
        own = looks[labels == g]
        middle, precision = _middle(own, stuff)
        total += float(_fits(own, middle, stuff).sum() + 0.5 * np.log(2 * np.pi / precision).sum())
        total += _log_usual(middle, stuff)
        usual.append(middle)
    n_natural = sum(stuff is _NATURAL for stuff in stuffs)
    total += log(_NATURAL_SHARE / len(stuffs)) if n_natural else log(1 - _NATURAL_SHARE)
    return _Sorting(labels, stuffs, tuple(usual), total)


def _middle(looks: _Looks, stuff: _Stuff) -> tuple[Doubles, Doubles]:
    """Usual colour of a group, found by weights that fall off with the distance, and its precision, both (3,)."""
    variance = stuff.spread**2 + looks.doubt
    middle = np.median(looks.usual, axis=0)
    precision = np.ones(3)
    for _ in range(3):
        far = ((looks.usual - middle) ** 2 / variance).sum(axis=1)
        weights = ((_TAIL + 3) / (_TAIL + far))[:, None] / variance
        total, precision = (looks.usual * weights).sum(axis=0), weights.sum(axis=0)
        if stuff.usual is not None and stuff.usual_spread is not None:
            total, precision = total + stuff.usual / stuff.usual_spread**2, precision + 1 / stuff.usual_spread**2
        middle = total / precision
    return middle, precision


_T_CONSTANT = lgamma((_TAIL + 3) / 2) - lgamma(_TAIL / 2) - 1.5 * log(_TAIL * np.pi)


def _fits(looks: _Looks, middle: Doubles, stuff: _Stuff) -> Doubles:
    """Log likelihood of every stone in a group with that usual colour, shape (n,)."""
    variance = stuff.spread**2 + looks.doubt
    far = ((looks.usual - middle) ** 2 / variance).sum(axis=1)
    near = _T_CONSTANT - 0.5 * np.log(variance).sum(axis=1) - (_TAIL + 3) / 2 * np.log1p(far / _TAIL)
    fits: Doubles = np.logaddexp(np.log1p(-looks.odd) + near, np.log(looks.odd) + _ANY_COLOUR)
    return fits


def _fits_of_all(looks: _Looks, sorting: _Sorting) -> Doubles:
    """Log likelihood of every stone in every group, shape (n, k)."""
    return np.column_stack(
        [_fits(looks, middle, stuff) for middle, stuff in zip(sorting.usual, sorting.stuffs, strict=True)]
    )


def _log_usual(middle: Doubles, stuff: _Stuff) -> float:
    """Log density of the usual colour of a group."""
    if stuff.usual is None or stuff.usual_spread is None:
        return _ANY_COLOUR
    off = (middle - stuff.usual) / stuff.usual_spread
    return float(-0.5 * (off**2).sum() - np.log(stuff.usual_spread).sum() - 1.5 * log(2 * np.pi))


def _log_shares(counts: list[int], players: Mapping[int, float]) -> float:
    """Log probability that the stones are shared out like this, whoever of the players owns which group.

    Balanced shares are likelier: the counts follow a multinomial distribution whose chances are Dirichlet distributed.
    """
    n, parts = sum(counts), []
    for n_players, chance in players.items():
        if n_players >= len(counts) and chance > 0:
            part = log(chance) + lgamma(n_players * _BALANCE) - lgamma(n + n_players * _BALANCE)
            part += sum(lgamma(count + _BALANCE) - lgamma(_BALANCE) for count in counts)
            parts.append(part + sum(log(n_players - taken) for taken in range(len(counts))))
    return float(np.logaddexp.reduce(parts))


def _paint_wins(samples: list[Float32Array], sorting: _Sorting) -> NDArray[np.intp]:
    """The labels, but a stone belongs to the most colourful paint that it shows a good part of.

    A pebble painted on one half belongs to its paint, for no unpainted pebble has a painted half; and where much of
    what was taken for the stone is the ground beside it, its usual colour is nobody's, but a part of it is somebody's.
    """
    labels, usual = sorting.labels.copy(), np.array(sorting.usual)
    colourful = np.hypot(usual[:, 1], usual[:, 2])
    reach = _RANGE * _NATURAL.spread * (2, 1, 1)
    for i, stone in enumerate(samples):
        shown = (np.abs(stone[:, None] - usual[None]) < reach).all(axis=2).mean(axis=0) >= _HALF
        richest = int(np.where(shown, colourful, -1.0).argmax())
        unlike = np.linalg.norm(usual[richest, 1:] - usual[labels[i], 1:]) > _UNLIKE
        if shown.any() and unlike and (not shown[labels[i]] or colourful[richest] > colourful[labels[i]]):
            labels[i] = richest
    return labels
