"""The stones step: pictures in, whose stone lies on each point and how far apart two colours are out."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.placement import Limits
from calibration.step_texts import Refused, phrases
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Image
from vision.stones.appearance import Appearance
from vision.stones.photograph_reader import GROUP_NAMES, read_photograph
from vision.stones.separability import pairwise_separability

DISTANCE_LIMITS = Limits(3.0, 2.0, high=True)  # distances of two colours, standard deviations: surely, usually apart


@dataclass(frozen=True, slots=True)
class ColourPair:
    """Two colours that must be told apart."""

    one: int  # player, 1 first, or 0 for the cloth
    other: int
    apart: float  # distance of their colours in standard deviations of single stones
    colours: tuple[str, str]  # ``#rrggbb``

    @property
    def grade(self) -> str:
        """Grade of their distance: "good", "fair" or "poor"."""
        return DISTANCE_LIMITS.grade(self.apart)

    @property
    def texts(self) -> dict[str, str]:
        """The pair in words, by language."""
        one, other = (phrases(f"stones.{who}") for who in (self.one, self.other))
        verdict = phrases(f"stones.{self.grade}", apart=f"{self.apart:.1f}", limit=f"{DISTANCE_LIMITS.good:g}")
        return phrases("line", a=phrases("stones.pair", one=one, other=other), b=verdict)


def read_stones(bgr: Image, field: Field, empty_bgr: Image, n_players: int) -> tuple[int, ...]:
    """Return the player whose stone lies on each point of a picture, 0 for none; the first stone belongs to player 1.

    Raises Refused when there are no stones, or stones of one colour only.
    """
    reading = read_photograph(bgr, Registration(field, 1.0), empty_bgr, min(n_players, len(GROUP_NAMES)))
    tops = tuple(0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones)
    if not any(tops):
        raise Refused("stones.none_seen")
    if max(tops) < min(n_players, 2):
        raise Refused("stones.one_colour", n=sum(top > 0 for top in tops))
    return tops


def colour_pairs(appearance: Appearance) -> tuple[ColourPair, ...]:
    """Return every pair of colours that must be told apart, the most alike first."""
    numbers = {"field": 0} | {f"player {k + 1}": k + 1 for k in range(len(appearance.stones))}
    return tuple(
        ColourPair(numbers[p.one], numbers[p.other], p.d_prime, p.colours) for p in pairwise_separability(appearance)
    )
