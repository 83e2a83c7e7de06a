"""Colours of cloth, line and the players' paints in, which are mistaken and better paints out, before anybody paints.

Two colours are as far apart as CIEDE2000 says, in daylight, under a warm lamp and in eyes that see no red and green. A
table says how many stones a camera mistakes at a distance.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.making.colour_difference import EYES, ciede2000, distance_in, lab_of
from calibration.placement import GRADES, Limits
from calibration.step_texts import Refused, owner_texts, phrases

UNPAINTED = "#8a857d"
"""Usual colour of a pebble as it was found. Source: chosen, the middle of grey and brown garden pebbles."""

UNPAINTED_SPREAD = 1.5  # spread of unpainted pebbles, as a multiple of the spread of one pot's; measured

RED_GREEN = "red_green"  # of ``EYES``, for people instead of a camera

MISTAKEN = ((1, 25.0), (4, 14.0), (7, 7.0), (16, 5.5), (20, 1.2), (22, 0.9), (27, 0.1), (50, 0.0))
"""Distances of two paints, and stones of a hundred that a camera takes for the other's. Source: counted, the means
of 90 pairs on 40 drawn tables by day and under a lamp, smoothed."""

OVERLOOKED = 0.2
"""The same for a paint and the bare ground below it, as a share: a stone's shade sets it off.
Source: as `MISTAKEN`, 105 paints."""

CAMERA_LIMITS = Limits(1.0, 5.0, high=False)  # stones of a hundred that a camera may mistake, or overlook
EYE_LIMITS = Limits(14.0, 8.0, high=True)  # distances of colours that eyes tell easily, and with pains

CLOTH, LINE = "cloth", "line"  # the names of what is no player
PLAYER_LIMITS = (2, 6)  # least and greatest number of players; those of the games

PALETTE = {
    "white": "#f2efe6", "black": "#1c1c1e", "red": "#b3191f", "orange": "#e0701a", "yellow": "#e3b31c",
    "green": "#2a7d3c", "turquoise": "#1f9a9a", "blue": "#1d4fa8", "purple": "#6b2f87", "pink": "#d97fa5",
    "brown": "#6b4226", "grey": "#8c9096",
}  # fmt: skip
"""Usual paints by name. Source: chosen; tempera and acrylic as shops have them."""


@dataclass(frozen=True, slots=True)
class PaintChoice:
    """Colours that somebody wants to make a board of, each ``#rrggbb``.

    Raises Refused when there are too few or too many, or a colour is written otherwise.
    """

    cloth: str
    line: str
    paints: tuple[str | None, ...]  # one for each player, two to six; None leaves the pebbles as they were found

    def __post_init__(self) -> None:
        low, high = PLAYER_LIMITS
        if not low <= len(self.paints) <= high:
            raise Refused("make.paints", low=low, high=high, got=len(self.paints))
        for colour in (self.cloth, self.line, *self.paints):
            lab_of(UNPAINTED if colour is None else colour)

    def with_paint(self, player: int, colour: str) -> PaintChoice:
        """Return the choice with another paint of a player, 0 first."""
        return replace(self, paints=(*self.paints[:player], colour, *self.paints[player + 1 :]))


@dataclass(frozen=True, slots=True)
class PairAdvice:
    """Two colours that must be told apart."""

    one: str  # "player 1" and so on
    other: str  # the same, "cloth" or "line"
    eye: str  # one of `EYES`
    distance: float  # CIEDE2000; less where pebbles are unpainted

    @property
    def per_hundred(self) -> float | None:
        """Stones of a hundred that a camera will mistake, or overlook; None for eyes."""
        if self.eye == RED_GREEN:
            return None
        distances, mistaken = np.array(MISTAKEN).T
        n_lost = float(np.interp(self.distance, distances, mistaken))
        return n_lost * OVERLOOKED if self.other in (CLOTH, LINE) else n_lost

    @property
    def grade(self) -> str:
        """How well they are told apart: "good", "fair" or "poor"."""
        n_lost = self.per_hundred
        return EYE_LIMITS.grade(self.distance) if n_lost is None else CAMERA_LIMITS.grade(n_lost)

    @property
    def texts(self) -> dict[str, str]:
        """The pair in one sentence, by language."""
        n_lost = self.per_hundred
        if n_lost is None:
            verdict = phrases(f"paint.eyes.{self.grade}")
        elif n_lost < 1:
            verdict = phrases("paint.hardly_any")
        else:
            verdict = phrases("paint.overlooked" if self.other in (CLOTH, LINE) else "paint.mistaken", n=round(n_lost))
        one, other = owner_texts(self.one), owner_texts(self.other)
        return phrases("paint.pair", one=one, other=other, eye=phrases(f"paint.{self.eye}"), judged=verdict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A better paint for one player."""

    player: int  # 1 first
    colour: str  # ``#rrggbb``
    name_key: str  # its key in ``making.json``
    change: float  # CIEDE2000 difference from the paint that was chosen

    @property
    def texts(self) -> dict[str, str]:
        """The proposal in one sentence, by language."""
        return phrases("paint.proposal", n=self.player, paint=phrases(self.name_key))


@dataclass(frozen=True, slots=True)
class PaintAdvice:
    """The verdict on a choice of colours."""

    pairs: tuple[PairAdvice, ...]  # all pairs, the worst first
    proposals: tuple[Proposal, ...] = ()  # better paints; none where all is clear
    # "either" proposal is enough by itself, or all go "together"; "unsolved" where cloth or line are the matter
    cure: str = "all_clear"

    @property
    def grade(self) -> str:
        """The worst grade of all pairs."""
        return self.pairs[0].grade

    @property
    def texts(self) -> dict[str, str]:
        """The advice in one sentence, by language."""
        return phrases(f"paint.{self.cure}")


def advise_paints(choice: PaintChoice) -> PaintAdvice:
    """Return the colours of a choice that will be mistaken for each other, and better paints for them."""
    pairs = tuple(sorted(_pairs(choice), key=lambda pair: (-GRADES.index(pair.grade), -(pair.per_hundred or 0.0))))
    if not (n_unclear := _n_unclear(choice)):
        return PaintAdvice(pairs)
    everyone = set(range(len(choice.paints)))
    culprits = [k for k in sorted(everyone) if _n_unclear(choice, k) == n_unclear]  # all of it is theirs
    cures = [proposal for n, proposal in (_best_paint(choice, k) for k in culprits) if n == 0]
    if cures:
        return PaintAdvice(pairs, tuple(sorted(cures, key=lambda cure: cure.change)), "either")
    while everyone:  # each player once: who has most unclear pairs gets the paint that leaves fewest
        player = max(sorted(everyone), key=lambda k: _n_unclear(choice, k))
        everyone.remove(player)
        fewest, proposal = _best_paint(choice, player)
        if fewest < _n_unclear(choice, player):
            cures.append(proposal)
            choice = choice.with_paint(player, proposal.colour)
    return PaintAdvice(pairs, tuple(cures), "unsolved" if _n_unclear(choice) else "together")


def _pairs(choice: PaintChoice) -> Iterator[PairAdvice]:
    """Yield every pair of colours in every light and eye."""
    players = [(f"player {k}", paint) for k, paint in enumerate(choice.paints, start=1)]
    grounds: list[tuple[str, str | None]] = [(CLOTH, choice.cloth), (LINE, choice.line)]
    pairs = itertools.chain(itertools.combinations(players, 2), itertools.product(players, grounds))
    for ((one, paint), (other, colour)), eye in itertools.product(pairs, EYES):
        if (other, eye) == (LINE, RED_GREEN):
            continue  # a pebble on a line is seen by its shape; people need not tell its colour from the line's
        distance = distance_in(eye, paint or UNPAINTED, colour or UNPAINTED)
        is_spread = eye != RED_GREEN and None in (paint, colour)
        yield PairAdvice(one, other, eye, distance / UNPAINTED_SPREAD if is_spread else distance)


def _n_unclear(choice: PaintChoice, player: int | None = None) -> int:
    """Return the number of unclear pairs, of all or of one player, 0 first."""
    name = "" if player is None else f"player {player + 1}"
    return sum(pair.grade != "good" for pair in _pairs(choice) if not name or name in (pair.one, pair.other))


def _best_paint(choice: PaintChoice, player: int) -> tuple[int, Proposal]:
    """Return the nearest usual paint with which a player, 0 first, has fewest unclear pairs, and their number."""
    before = lab_of(choice.paints[player] or UNPAINTED)
    answers = [
        (
            _n_unclear(choice.with_paint(player, colour), player),
            Proposal(player + 1, colour, f"paint.colour.{name}", float(ciede2000(before, lab_of(colour)))),
        )
        for name, colour in PALETTE.items()
    ]
    return min(answers, key=lambda answer: (answer[0], answer[1].change))
