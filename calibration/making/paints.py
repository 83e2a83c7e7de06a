"""Colours that can be told apart: cloth, line and the players' paints, judged before anything is painted.

Two colours are as far apart as CIEDE2000 says, in daylight, under a warm lamp and in eyes that see no red and green. A
table says how many stones a camera mistakes at a distance.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.making.colour_difference import EYES, ciede2000, distance_in, hex_of_lab, lab_of
from calibration.step_texts import Refused, phrases
from vision.imaging.frame import Float64Array

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

CAMERA_LIMITS = (1.0, 5.0)  # stones of a hundred from which on colours are alike, and too alike

EYE_LIMITS = (14.0, 8.0)  # distances below which two colours are hard to tell for eyes, and too hard
ONE_POT = 5.0  # distance up to which pebbles of one pot differ in light and shade; about 1 is just seen side by side

CLOTH, LINE = "cloth", "line"  # the names of what is no player
PLAYER_LIMITS = (2, 6)  # least and greatest number of players; those of the games

PALETTE = {
    "white": "#f2efe6", "black": "#1c1c1e", "red": "#b3191f", "orange": "#e0701a", "yellow": "#e3b31c",
    "green": "#2a7d3c", "turquoise": "#1f9a9a", "blue": "#1d4fa8", "purple": "#6b2f87", "pink": "#d97fa5",
    "brown": "#6b4226", "grey": "#8c9096",
}  # fmt: skip
"""Usual paints by name. Source: chosen; tempera and acrylic as shops have them."""

# changes of CIELAB lightness with white or black mixed into a paint; a step is surely seen
LIGHTNESS_STEPS = {"lighter": (15.0, 30.0), "darker": (-15.0, -30.0)}

RATINGS = ("clear", "alike", "too alike")  # the words of ``vision.stones.separability``, the best first


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
        lost = float(np.interp(self.distance, distances, mistaken))
        return lost * OVERLOOKED if self.other in (CLOTH, LINE) else lost

    @property
    def rating(self) -> str:
        """One of `RATINGS`."""
        lost = self.per_hundred
        if lost is None:
            return RATINGS[sum(self.distance < limit for limit in EYE_LIMITS)]
        return RATINGS[sum(lost >= limit for limit in CAMERA_LIMITS)]

    @property
    def texts(self) -> dict[str, str]:
        """The pair in one sentence, by language."""
        lost = self.per_hundred
        if lost is None:
            judged = phrases(f"paint.eyes.{self.rating.replace(' ', '_')}")
        elif lost < 1:
            judged = phrases("paint.hardly_any")
        else:
            judged = phrases("paint.overlooked" if self.other in (CLOTH, LINE) else "paint.mistaken", n=round(lost))
        one, other = (
            phrases(f"paint.{kind}", n=n) for kind, _, n in (self.one.partition(" "), self.other.partition(" "))
        )
        return phrases("paint.pair", one=one, other=other, eye=phrases(f"paint.{self.eye}"), judged=judged)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A better paint for one player."""

    player: int  # 1 first
    colour: str  # ``#rrggbb``
    name_key: str  # key in ``making.json`` of a usual paint, or of the player's own made lighter or darker
    change: float  # CIEDE2000 difference from the paint that was chosen

    @property
    def texts(self) -> dict[str, str]:
        """The proposal in one sentence, by language."""
        return phrases("paint.proposal", n=self.player, paint=phrases(self.name_key))


@dataclass(frozen=True, slots=True)
class PaintAdvice:
    """The verdict on a choice of colours."""

    choice: PaintChoice
    pairs: tuple[PairAdvice, ...]  # all pairs, whatever is worst first
    proposals: tuple[Proposal, ...] = ()  # better paints; none where all is clear
    together: bool = (
        False  # whether the proposals must be followed together; each of them is enough by itself otherwise
    )
    solves: bool = True  # whether all pairs are clear then; where False, cloth or line are the matter

    @property
    def rating(self) -> str:
        """The worst rating of all pairs."""
        return max((pair.rating for pair in self.pairs), key=RATINGS.index)

    @property
    def texts(self) -> dict[str, str]:
        """The advice in one sentence, by language."""
        clear, kind = self.rating == "clear", "together" if self.together else "either"
        return phrases("paint.all_clear" if clear else f"paint.{kind}" if self.solves else "paint.unsolved")


def advise_paints(choice: PaintChoice) -> PaintAdvice:
    """Return the colours of a choice that will be mistaken for each other, and better paints for them."""
    pairs = tuple(sorted(_pairs(choice), key=lambda pair: (-RATINGS.index(pair.rating), -(pair.per_hundred or 0.0))))
    if not (n_unclear := _n_unclear(choice)):
        return PaintAdvice(choice, pairs)
    players = [k for k in range(len(choice.paints)) if _n_unclear(choice, k) == n_unclear]  # all of it is theirs
    cures = [cure for k in players if (cure := _best_paint(choice, k))[0] == 0]
    if cures:
        return PaintAdvice(choice, pairs, tuple(sorted((cure for _, cure in cures), key=lambda one: one.change)))
    changes, left = list[Proposal](), set(range(len(choice.paints)))
    while left:  # each player once: who has most unclear pairs gets the paint that leaves fewest
        player = max(sorted(left), key=lambda k: _n_unclear(choice, k))
        left.remove(player)
        fewest, proposal = _best_paint(choice, player)
        if fewest < _n_unclear(choice, player):
            changes.append(proposal)
            choice = choice.with_paint(player, proposal.colour)
    return PaintAdvice(choice, pairs, tuple(changes), together=True, solves=not _n_unclear(choice))


def _pairs(choice: PaintChoice) -> Iterator[PairAdvice]:
    """Yield every pair of colours in every light and eye."""
    players = [(f"player {k}", paint) for k, paint in enumerate(choice.paints, start=1)]
    grounds: list[tuple[str, str | None]] = [(CLOTH, choice.cloth), (LINE, choice.line)]
    named = itertools.chain(itertools.combinations(players, 2), itertools.product(players, grounds))
    for (one, paint), (other, colour) in named:
        for eye in EYES:
            if (other, eye) == (LINE, RED_GREEN):
                continue  # a pebble on a line is seen by its shape; people need not tell its colour from the line's
            distance = distance_in(eye, paint or UNPAINTED, colour or UNPAINTED)
            is_spread = eye != RED_GREEN and None in (paint, colour)
            yield PairAdvice(one, other, eye, distance / UNPAINTED_SPREAD if is_spread else distance)


def _n_unclear(choice: PaintChoice, player: int | None = None) -> int:
    """Return the number of unclear pairs, of all or of one player, 0 first."""
    name = "" if player is None else f"player {player + 1}"
    return sum(pair.rating != "clear" for pair in _pairs(choice) if not name or name in (pair.one, pair.other))


def _best_paint(choice: PaintChoice, player: int) -> tuple[int, Proposal]:
    """Return the nearest paint with which a player, 0 first, has fewest unclear pairs, and their number.

    Tried are the usual paints, and his own made lighter or darker.
    """
    paint = choice.paints[player]
    lab = lab_of(paint or UNPAINTED)
    tried: dict[str, tuple[str, ...]] = {f"paint.colour.{name}": (colour,) for name, colour in PALETTE.items()}
    for name, steps in LIGHTNESS_STEPS.items() if paint is not None else ():
        mixed = [lab + np.array([step, 0.0, 0.0]) for step in steps]
        tried[f"paint.{name}"] = tuple(map(hex_of_lab, filter(_is_paint, mixed)))
    answers = [
        (
            _n_unclear(choice.with_paint(player, colour), player),
            Proposal(player + 1, colour, key, float(ciede2000(lab, lab_of(colour)))),
        )
        for key, colours in tried.items()
        for colour in colours
    ]
    return min(answers, key=lambda one: (one[0], one[1].change))


def _is_paint(lab: Float64Array) -> bool:
    """Return whether there is a paint of this CIELAB: a screen shows it, or nearly."""
    return float(ciede2000(lab, lab_of(hex_of_lab(lab)))) < ONE_POT
