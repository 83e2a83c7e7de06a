"""Separability of the players' stones from each other and from the board, estimated before the game as an error rate.

Two players: a further stone of one of them is taken for the other's as often as its colours fit the other's better,
after they have been moved by the differences of light and paint from stone to stone. A player and the board: the error
rate is a logistic function of their distance, fitted to stones that were overlooked on tables whose truth is known.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import log_colour_to_hex
from vision.stones.appearance import BIN_SIZES, Appearance, StoneColours

EFFECTIVE_COLOUR_SAMPLES = 8.0
"""Effective sample size of the many samples on one stone: they share light, glare and paint."""

FIELD = "field"
"""The name of the bare points in a ``Separability``."""

STONE_SPREAD = np.array([0.25, 0.07, 0.07], np.float32)
"""Standard deviation of the usual colour from one stone to the next of the same paint, log colour."""

_QUADRATURE_WEIGHTS = (1 / 6, 2 / 3, 1 / 6)
"""Weights of a Gaussian sampled at -sqrt(3), 0 and sqrt(3) standard deviations (Gauss-Hermite quadrature).
Source: cited, Abramowitz and Stegun 1964, 25.4.46."""

_CONFUSION_SCALE = 0.6
"""Factor from the computed share of confused stones to the measured one.

Of 500 stones laid on pictures of empty tables, each against what the others taught, 6.5 % were confused where 13.9 %
were computed, 18.2 % where 29.5 %, and 0.5 % where none was. Source: chosen to fit those shares."""

_FOUND_LOG_ODDS, _FOUND_LOG_ODDS_PER_SD = 0.8, 1.25
"""Log odds of finding a stone: at no distance from the colour of the board, and more for each standard deviation.

Of 1433 stones laid on pictures of empty tables 21.9 % were overlooked under 0.7, 6.6 % from 1.2 to 1.8, 0.9 % from 2.5
to 3.5 and 0.1 % above 5. Source: chosen to fit those shares."""

TOO_ALIKE_ERROR = 0.05
"""Error rate from which on stones are "too alike": one mistake in 20 spoils a game."""

ALIKE_ERROR = 0.015
"""Error rate from which on stones are "alike": one mistake in 70 costs a question."""


@dataclass(frozen=True, slots=True)
class Separability:
    """The separability of two kinds of things by their colours."""

    one: str  # "player 1" and so on, or "field"
    other: str
    d_prime: float  # of their usual colours, in standard deviations of the colours of single stones
    colours: tuple[str, str]  # ``#rrggbb``
    error: float  # share of stones that will be mistaken, 0 to 1
    rating: str  # "too alike", "alike" or "clear"


@dataclass(frozen=True, eq=False)
class _ColourClass:
    name: str
    usual: Float32Array
    stones: StoneColours | None


def pairwise_separability(appearance: Appearance) -> tuple[Separability, ...]:
    """Return every pair of players seen, and every one against the bare points, the highest error rate first."""
    classes = [
        _ColourClass(f"player {k + 1}", s.mean_log_colour, s) for k, s in enumerate(appearance.stones) if s.n_stones
    ]
    known = np.flatnonzero(appearance.bare_counts > 0)
    if len(known):
        usual = median(appearance.bare[known].reshape(-1, 3), axis=0).astype(np.float32)
        classes.append(_ColourClass(FIELD, usual, None))
    pairs = [_separability(one, other) for one, other in itertools.combinations(classes, 2)]
    return tuple(sorted(pairs, key=lambda pair: (-pair.error, pair.d_prime)))


def colour_distance(one: Float32Array, other: Float32Array) -> float:
    """Return how far two log colours (3,) are apart, in standard deviations of the colours of single stones."""
    return float(np.linalg.norm((one - other) / STONE_SPREAD))


def overlooked_share(d_prime: float) -> float:
    """Return the share of stones of a colour that are overlooked on a ground so far from it."""
    return 1 / (1 + float(np.exp(_FOUND_LOG_ODDS + _FOUND_LOG_ODDS_PER_SD * d_prime)))


def _separability(one: _ColourClass, other: _ColourClass) -> Separability:
    d_prime = colour_distance(one.usual, other.usual)
    if one.stones is None or other.stones is None:
        error = overlooked_share(d_prime)
    else:
        shares = _confused_share(one.stones, other.stones) + _confused_share(other.stones, one.stones)
        error = _CONFUSION_SCALE * shares / 2
    rating = "too alike" if error >= TOO_ALIKE_ERROR else "alike" if error >= ALIKE_ERROR else "clear"
    colours = log_colour_to_hex(one.usual), log_colour_to_hex(other.usual)
    return Separability(one.name, other.name, d_prime, colours, error, rating)


def _confused_share(stones: StoneColours, others: StoneColours) -> float:
    """Return the share of further stones of one player whose histogram log likelihood prefers the other player."""
    log_ratio = (stones.log_density - others.log_density).reshape(stones.counts.shape)
    bins = np.argwhere(stones.counts > 0)
    weights = stones.counts[stones.counts > 0] / stones.counts.sum()
    nodes = np.indices((3, 3, 3)).reshape(3, -1).T
    last = np.array(stones.counts.shape) - 1
    spread = np.rint(np.sqrt(3) * STONE_SPREAD / BIN_SIZES).astype(int)
    moved = np.clip(bins + ((nodes - 1) * spread)[:, None], 0, last)
    nats = EFFECTIVE_COLOUR_SAMPLES * (log_ratio[tuple(np.moveaxis(moved, 2, 0))] * weights).sum(axis=1)
    chances = np.array(_QUADRATURE_WEIGHTS)[nodes].prod(axis=1)
    return float((chances / (1 + np.exp(np.clip(nats, -50, 50)))).sum())
