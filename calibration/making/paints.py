"""Colours that can be told apart: cloth, line and the players' paints, judged before anything is painted.

For the camera the pebbles of a paint are imagined as samples of it in daylight and under a warm lamp, with the noise of
a webcam, and judged by the measure for the stones of a real table (`vision.stones.separability`). For people who see no
red and green the difference that is left of two colours is compared with what they need.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from calibration.making.seen_colours import (
    EXPOSED_LEVELS,
    LIGHTS_XY,
    ciede2000,
    distance_without_red_and_green,
    hex_of,
    in_webcam,
    lab_of,
    linear_of,
    linear_of_lab,
)
from calibration.step_texts import Refused, phrases
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.patches import PATCH_SIDE, log_colour_of
from vision.stones.appearance import Appearance, StoneColours, normalised_histogram
from vision.stones.separability import STONE_SPREAD, TOO_ALIKE_ERROR, overlooked_share, pairwise_separability

UNPAINTED = "#8a857d"
"""Usual colour of a pebble as it was found. Source: chosen, the middle of grey and brown garden pebbles."""

UNPAINTED_SPREAD = (0.22, 0.08, 0.08)  # of log colour between unpainted pebbles, sigma; source: measured, 281 stones
SHADING = 0.2  # standard deviation of log brightness on one pebble, from its lit to its shaded side

# log brightness of the shadow that a pebble throws, and of its side away from the lamp, against what is lit; with it a
# pebble of the very colour of the cloth is seen; lamp and ceiling leave 70 % of the light there
SHADE = -0.36

NOISE_LEVELS = 3.0  # standard deviation of a webcam's noise in each channel indoors, levels of 255
_N_SAMPLES = 256  # samples of an imagined player's pebbles
_KEPT = 1024


@cache
def _chance() -> Float64Array:
    """Return standard normal numbers, shape (_N_SAMPLES, 7): always the same, so that advice is always the same."""
    found = np.random.default_rng(25).standard_normal((_N_SAMPLES, 7))
    found.setflags(write=False)
    return found


def _log_colour(levels: Float64Array) -> Float32Array:
    """Return the log colours of levels (n, 3) of red, green and blue."""
    found: Float32Array = log_colour_of(np.rint(levels[None, :, ::-1]).astype(np.uint8))[0]
    return found


@lru_cache(maxsize=_KEPT)
def imagined_stones(paint: str | None, light: str, cloth: str, exposed_level: float) -> StoneColours:
    """Return the colours that a webcam sees on the pebbles of a paint (None: unpainted) on some cloth."""
    level = in_webcam(linear_of(paint or UNPAINTED)[None], light, linear_of(cloth), exposed_level)[0]
    chance = _chance()
    seen = level * np.exp(SHADING * chance[:, :1]) + NOISE_LEVELS * chance[:, 1:4]
    colours = _log_colour(np.clip(seen, 0, 255))
    if paint is None:
        colours = colours + (np.array(UNPAINTED_SPREAD) * chance[:, 4:]).astype(np.float32)
    return StoneColours(normalised_histogram(colours), 1.0)


@lru_cache(maxsize=_KEPT)
def pair_error(one: str | None, other: str | None, light: str, cloth: str) -> tuple[float, float]:
    """Return the distance of two paints, standard deviations, and the share of their stones that is mistaken.

    Both by the program's own measure, in the webcam whose exposure suits them least.
    """
    unseen = np.zeros((1, PATCH_SIDE, PATCH_SIDE, 3), np.float32)
    found = []
    for level in EXPOSED_LEVELS:
        stones = tuple(imagined_stones(paint, light, cloth, level) for paint in (one, other))
        (pair,) = pairwise_separability(Appearance(unseen, np.zeros(1), stones))
        found.append((pair.error, -pair.d_prime))
    error, nearest = max(found)
    return -nearest, error


@lru_cache(maxsize=_KEPT)
def ground_error(paint: str | None, ground: str, light: str, cloth: str) -> tuple[float, float]:
    """Return the distance of a paint from bare points of some colour, and the share of its stones that is overlooked.

    Paint and ground are as far apart as `vision.stones.separability` says, and the shade of the stone sets it off
    besides: both together are the distance. The webcam is that whose exposure suits them least.
    """
    apart = []
    for level in EXPOSED_LEVELS:
        # Both through the same histogram, which has a last bin: under a lamp a red stone and a red cloth are beyond it.
        stone, bare = (imagined_stones(colour, light, cloth, level).mean_log_colour for colour in (paint, ground))
        apart.append(np.linalg.norm((stone - bare) / STONE_SPREAD))
    distance = float(np.hypot(min(apart), SHADE / STONE_SPREAD[0]))
    return distance, overlooked_share(distance)


RED_GREEN = "red_green"  # who looks, where it is not a camera in one of the ``LIGHTS_XY``: eyes without red and green

# CIEDE2000 differences below which two colours are too hard to tell, and hard; about 1 is just seen side by side, and
# pebbles of one pot differ by up to 5 in light and shade
EYE_DISTANCES = (8.0, 14.0)

UNSURE_ERROR = 0.01  # error rate from which colours are "alike": a third less than on a table that has been seen
CLOTH, LINE = "cloth", "line"  # the names of what is no player
PLAYER_LIMITS = (2, 6)  # least and greatest number of players; those of the games

PALETTE = {
    "white": "#f2efe6",
    "black": "#1c1c1e",
    "red": "#b3191f",
    "orange": "#e0701a",
    "yellow": "#e3b31c",
    "green": "#2a7d3c",
    "turquoise": "#1f9a9a",
    "blue": "#1d4fa8",
    "purple": "#6b2f87",
    "pink": "#d97fa5",
    "brown": "#6b4226",
    "grey": "#8c9096",
}
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
            linear_of(UNPAINTED if colour is None else colour)


@dataclass(frozen=True, slots=True)
class PairAdvice:
    """Two colours that must be told apart."""

    one: str  # "player 1" and so on
    other: str  # the same, "cloth" or "line"
    eye: str  # "day" or "lamp", a camera in that light; or "red_green", eyes that see no red and green
    per_hundred: float | None  # stones of a hundred that a camera will mistake; None for eyes
    distance: float  # standard deviations of single stones for a camera, CIEDE2000 for eyes
    rating: str  # one of `RATINGS`

    @property
    def texts(self) -> dict[str, str]:
        """The pair in one sentence, by language."""
        if self.per_hundred is None:
            judged = phrases(f"paint.eyes.{self.rating.replace(' ', '_')}")
        elif self.per_hundred < 1:
            judged = phrases("paint.hardly_any")
        else:
            lost = "overlooked" if self.other in (CLOTH, LINE) else "mistaken"
            judged = phrases(f"paint.{lost}", n=round(self.per_hundred))
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
    """What is to be said of a choice of colours."""

    choice: PaintChoice
    pairs: tuple[PairAdvice, ...]  # all pairs, whatever is worst first
    proposals: tuple[Proposal, ...]  # better paints; none where all is clear
    together: bool  # whether the proposals must be followed together; each of them is enough by itself otherwise
    solves: bool  # whether all pairs are clear then; where False, cloth or line are the matter

    @property
    def rating(self) -> str:
        """The worst rating of all pairs."""
        return max((pair.rating for pair in self.pairs), key=RATINGS.index)

    @property
    def texts(self) -> dict[str, str]:
        """What there is to do, in one sentence, by language."""
        clear, kind = self.rating == "clear", "together" if self.together else "either"
        return phrases("paint.all_clear" if clear else f"paint.{kind}" if self.solves else "paint.unsolved")


def advise_paints(choice: PaintChoice) -> PaintAdvice:
    """Return which colours of a choice will be mistaken for each other, and better paints for those."""
    pairs = tuple(sorted(_pairs(choice), key=lambda pair: (-RATINGS.index(pair.rating), -(pair.per_hundred or 0.0))))
    if all(pair.rating == "clear" for pair in pairs):
        return PaintAdvice(choice, pairs, (), together=False, solves=True)
    cures = [cure for k in range(len(choice.paints)) if (cure := _cure(choice, pairs, k)) is not None]
    if cures:
        return PaintAdvice(choice, pairs, tuple(sorted(cures, key=lambda p: p.change)), together=False, solves=True)
    together, solves = _cures_together(choice)
    return PaintAdvice(choice, pairs, together, together=True, solves=solves)


def _pairs(choice: PaintChoice, player: int | None = None) -> Iterator[PairAdvice]:
    """Yield every pair of colours in every light and eye; only those of one player (0 first) where one is given."""
    players = [(f"player {k + 1}", paint) for k, paint in enumerate(choice.paints)]
    grounds: list[tuple[str, str | None]] = [(CLOTH, choice.cloth), (LINE, choice.line)]
    named: Iterable[tuple[tuple[str, str | None], tuple[str, str | None]]]
    if player is None:
        named = itertools.chain(itertools.combinations(players, 2), itertools.product(players, grounds))
    else:
        named = ((players[player], other) for other in (*players[:player], *players[player + 1 :], *grounds))
    for (one, paint), (other, colour) in named:
        if other != LINE:  # a pebble on a line is seen by its shape; people need not tell its colour from the line's
            far = distance_without_red_and_green(linear_of(paint or UNPAINTED), linear_of(colour or UNPAINTED))
            yield PairAdvice(one, other, RED_GREEN, None, far, _rating(-far, (-EYE_DISTANCES[1], -EYE_DISTANCES[0])))
        for light in LIGHTS_XY:
            if other in (CLOTH, LINE):
                assert colour is not None
                distance, error = ground_error(paint, colour, light, choice.cloth)
            else:
                distance, error = pair_error(paint, colour, light, choice.cloth)
            rating = _rating(error, (UNSURE_ERROR, TOO_ALIKE_ERROR))
            yield PairAdvice(one, other, light, 100 * error, distance, rating)


def _rating(value: float, limits: tuple[float, float]) -> str:
    return RATINGS[sum(value >= limit for limit in limits)]


def _candidates(paint: str | None) -> list[tuple[float, str, str]]:
    """Return change, colour and key of the name of every paint that could take the place of one, the nearest first."""
    lab = lab_of(linear_of(paint or UNPAINTED))
    found = [(f"paint.colour.{name}", colour) for name, colour in PALETTE.items()]
    for name, steps in LIGHTNESS_STEPS.items() if paint is not None else ():
        for step in steps:
            mixed = linear_of_lab(lab + np.array([step, 0.0, 0.0]))
            if mixed.min() > -0.02 and mixed.max() < 1.02:  # there is such a paint
                found.append((f"paint.{name}", hex_of(mixed)))
    candidates = [(float(ciede2000(lab, lab_of(linear_of(colour)))), colour, key) for key, colour in found]
    return sorted(candidates)


def _with_paint(choice: PaintChoice, player: int, colour: str) -> PaintChoice:
    return replace(choice, paints=(*choice.paints[:player], colour, *choice.paints[player + 1 :]))


def _cure(choice: PaintChoice, pairs: tuple[PairAdvice, ...], player: int) -> Proposal | None:
    """Return the nearest paint of one player (0 first) that makes all pairs clear; None where no paint does."""
    name = f"player {player + 1}"
    if any(pair.rating != "clear" and name not in (pair.one, pair.other) for pair in pairs):
        return None  # something is unclear that is not his
    for change, colour, key in _candidates(choice.paints[player]):
        if all(pair.rating == "clear" for pair in _pairs(_with_paint(choice, player, colour), player)):
            return Proposal(player + 1, colour, key, change)
    return None


def _cures_together(choice: PaintChoice) -> tuple[tuple[Proposal, ...], bool]:
    """Return changes of several paints, one after the other, and whether all pairs are clear then.

    The player with most unclear pairs gets the paint that leaves fewest, each player once.
    """
    changes: list[Proposal] = []
    left = list(range(len(choice.paints)))
    while left:
        unclear = {k: _n_unclear(choice, k) for k in left}
        player = max(left, key=lambda k: unclear[k])
        left.remove(player)
        if not unclear[player]:
            break
        candidates = [
            (_n_unclear(_with_paint(choice, player, colour), player), change, colour, key)
            for change, colour, key in _candidates(choice.paints[player])
        ]
        fewest, change, colour, key = min(candidates)
        if fewest < unclear[player]:
            changes.append(Proposal(player + 1, colour, key, change))
            choice = _with_paint(choice, player, colour)
    return tuple(changes), all(pair.rating == "clear" for pair in _pairs(choice))


def _n_unclear(choice: PaintChoice, player: int) -> int:
    return sum(pair.rating != "clear" for pair in _pairs(choice, player))
