"""Separability of the players' stones from each other and from the board: usual colours in, error rates out.

Of two paints that differ from stone to stone alike, a further stone is taken for the other's as often as a normal
distribution crosses the middle between them. The error rate of a player and the board is a logistic function of their
distance, fitted to stones that were overlooked on tables whose truth is known.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import log_colour_to_hex
from vision.stones.appearance import Appearance, usual_colour

FIELD = "field"
"""The name of the bare points in a ``Separability``."""

STONE_SPREAD = np.array([0.25, 0.07, 0.07], np.float32)
"""Standard deviation of the usual colour from one stone to the next of the same paint, log colour."""

_FOUND_LOG_ODDS, _FOUND_LOG_ODDS_PER_SD = 0.8, 1.25
"""Log odds of finding a stone: at no distance from the colour of the board, and more for each standard deviation.

Of 1433 stones laid on pictures of empty tables 21.9 % were overlooked under 0.7, 6.6 % from 1.2 to 1.8, 0.9 % from 2.5
to 3.5 and 0.1 % above 5. Source: fitted to those shares by eye."""

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

    @property
    def error(self) -> float:
        """Share of stones that will be mistaken, 0 to 1."""
        return overlooked_share(self.d_prime) if FIELD in (self.one, self.other) else mistaken_share(self.d_prime)

    @property
    def rating(self) -> str:
        """Rating: "too alike", "alike" or "clear"."""
        return "too alike" if self.error >= TOO_ALIKE_ERROR else "alike" if self.error >= ALIKE_ERROR else "clear"


def pairwise_separability(appearance: Appearance) -> tuple[Separability, ...]:
    """Return every pair of players seen, and every one against the bare points, the highest error rate first."""
    usual = {f"player {k}": usual_colour(stones) for k, stones in enumerate(appearance.stones, 1) if stones}
    has_bare = appearance.bare_counts > 0
    if has_bare.any():
        usual[FIELD] = median(appearance.bare[has_bare].reshape(-1, 3), axis=0)
    pairs = [
        Separability(one, other, colour_distance(a, b), (log_colour_to_hex(a), log_colour_to_hex(b)))
        for (one, a), (other, b) in itertools.combinations(usual.items(), 2)
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair.error, pair.d_prime)))


def colour_distance(one: Float32Array, other: Float32Array) -> float:
    """Return how far two log colours (3,) are apart, in standard deviations of the colours of single stones."""
    return float(np.linalg.norm((one - other) / STONE_SPREAD))


def mistaken_share(d_prime: float) -> float:
    """Return the share of stones of a paint that are taken for one so far from it."""
    return math.erfc(d_prime / 2 / math.sqrt(2)) / 2


def overlooked_share(d_prime: float) -> float:
    """Return the share of stones of a colour that are overlooked on a ground so far from it."""
    return 1 / (1 + math.exp(_FOUND_LOG_ODDS + _FOUND_LOG_ODDS_PER_SD * d_prime))
