"""Can these stones be told apart, and from the board? Said before the game, as the share that would be mistaken.

Two players: a further stone of one of them is taken for the other's as often as its colours, moved by what light and
paint differ by from stone to stone, fit the other's better. A player and the board: as often as stones so much or so
little unlike the bare points were overlooked on tables whose truth is known.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from vision.imaging.frame import Image
from vision.imaging.patches import Floats, luv_to_bgr, luv_to_hex
from vision.stones.appearance import Appearance
from vision.stones.colour_histogram import StoneColours
from vision.stones.observation import COLOUR_WORTH

FIELD = "field"

_STONE_SPREAD = np.array([0.25, 0.07, 0.07], np.float32)
"""How much the usual colour of one stone differs from that of the next of the same paint (log units)."""

_STEPS = (2, 1, 1)
"""The same times the square root of 3, in bins of the histogram: where a Gaussian is sampled at three places."""
_SHARES = (1 / 6, 2 / 3, 1 / 6)

_CONFUSED, _AT_LEAST = 0.6, 0.004
"""What came of the share so computed: on 500 stones laid on pictures of empty tables, each against what the others
taught, 6.5 % were confused where 13.9 % were foretold, 18.2 % where 29.5 %, and 0.5 % where none was."""

_OVERLOOKED = (0.8, 1.25)
"""Log odds of a stone being found: at no distance from the colour of the board, and more for each standard deviation.
Of 1433 stones laid on pictures of empty tables 21.9 % were overlooked under 0.7, 6.6 % from 1.2 to 1.8, 0.9 % from
2.5 to 3.5 and 0.1 % above 5."""

TOO_ALIKE, ALIKE = 0.05, 0.015
"""Shares of mistaken stones from which on a warning is due: one in 20 spoils a game, one in 70 costs a question."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well two things that must be told apart can be told apart.

    Attributes
    ----------
    one, other : str
        "player 1" and so on, or "field".
    d_prime : float
        Distance of their usual colours in standard deviations of the colours of single stones.
    colours : (str, str)
        The two colours, ``#rrggbb``.
    error : float
        Share of stones that will be mistaken, 0 to 1.
    words : str
        "too alike", "alike" or "clear".
    sentence : str
        The same for people.
    patches : (uint8 array of shape (SIDE, SIDE, 3), the same)
        A stone of each, or a bare point, for showing.
    """

    one: str
    other: str
    d_prime: float
    colours: tuple[str, str]
    error: float
    words: str
    sentence: str
    patches: tuple[Image, Image]


@dataclass(frozen=True, eq=False)
class _Look:
    name: str
    usual: Floats
    patch: Floats
    stones: StoneColours | None


def separation(appearance: Appearance) -> tuple[Likeness, ...]:
    """Every pair of players, and every player against the bare points, the likeliest to be mistaken first.

    Players whose stones have not been seen are left out. Whatever is not "clear" is worth a warning before the game.
    """
    looks = [
        _Look(f"player {k + 1}", s.mean_luv, s.mean_luv[None, None] if s.patch is None else s.patch, s)
        for k, s in enumerate(appearance.stones)
        if s.n_stones
    ]
    known = np.flatnonzero(appearance.looks > 0)
    if len(known):
        levels = np.median(appearance.bare[known].reshape(len(known), -1, 3), axis=1)
        usual = np.median(appearance.bare[known].reshape(-1, 3), axis=0).astype(np.float32)
        plainest = known[int(np.abs(levels - usual).sum(axis=1).argmin())]
        looks.append(_Look(FIELD, usual, appearance.bare[plainest], None))
    pairs = [_likeness(one, other) for one, other in itertools.combinations(looks, 2)]
    return tuple(sorted(pairs, key=lambda pair: (-pair.error, pair.d_prime)))


def _likeness(one: _Look, other: _Look) -> Likeness:
    d_prime = float(np.linalg.norm((one.usual - other.usual) / _STONE_SPREAD))
    if one.stones is None or other.stones is None:
        error = 1 / (1 + float(np.exp(_OVERLOOKED[0] + _OVERLOOKED[1] * min(d_prime, 9.0))))
    else:
        error = _CONFUSED * (_mistaken(one.stones, other.stones) + _mistaken(other.stones, one.stones)) / 2
    error = max(error, _AT_LEAST)
    words = "too alike" if error >= TOO_ALIKE else "alike" if error >= ALIKE else "clear"
    return Likeness(
        one.name,
        other.name,
        d_prime,
        (luv_to_hex(one.usual), luv_to_hex(other.usual)),
        error,
        words,
        _sentence(one.name, other.name, error, words),
        (luv_to_bgr(one.patch), luv_to_bgr(other.patch)),
    )


def _mistaken(stones: StoneColours, others: StoneColours) -> float:
    """Share of further stones of one player that fit the other better, by what the reader makes of their colours."""
    apart = (stones.log_density - others.log_density).reshape(stones.counts.shape)
    bins = np.argwhere(stones.counts > 0)
    weights = stones.counts[stones.counts > 0] / stones.counts.sum()
    last = np.array(stones.counts.shape) - 1
    share = 0.0
    for moves in itertools.product((0, 1, 2), repeat=3):
        moved = np.clip(bins + [(m - 1) * step for m, step in zip(moves, _STEPS, strict=True)], 0, last)
        nats = COLOUR_WORTH * float(apart[tuple(moved.T)] @ weights)
        share += float(np.prod([_SHARES[m] for m in moves])) / (1 + float(np.exp(np.clip(nats, -50, 50))))
    return share


def _sentence(one: str, other: str, error: float, words: str) -> str:
    if words == "clear":
        return f"The stones of {one} stand out well from {_of(other)}."
    often = f"about 1 in {max(2, round(1 / error))}"
    if other == FIELD:
        much = "like" if words == "too alike" else "much like"
        return f"The stones of {one} look {much} the board in this light: {often} would be overlooked."
    return f"The stones of {one} and {other} look {words} in this light: {often} would be mistaken."


def _of(other: str) -> str:
    return "the board" if other == FIELD else f"those of {other}"
