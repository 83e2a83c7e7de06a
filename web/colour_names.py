"""Names of stone colours as a camera saw them, and the clearer colours in which the page shows them.

Colours are ``#rrggbb`` in sRGB, compared in CIELAB (white point D65) as lightness L*, chroma C* and hue angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np

from calibration.making.colour_difference import hex_of_lab, lab_of

MAX_GREY_CHROMA = 15.0  # CIELAB chroma below which people say white, grey or black; painted stones have 20 and more

MIN_WHITE_LIGHTNESS = 68.0
"""CIELAB lightness above which a stone without chroma is called white; natural pebbles are darker."""

MAX_BLACK_LIGHTNESS = 34.0
"""CIELAB lightness below which a stone without chroma is called black; natural pebbles are lighter."""

HUE_ENDS_DEG = (
    (48.0, "red"), (78.0, "orange"), (112.0, "yellow"), (190.0, "green"), (312.0, "blue"), (345.0, "purple"),
)  # fmt: skip
"""Upper ends of the named ranges of CIELAB hue, in degrees; above the last one it is red again."""

MIN_RENAMING_DISTANCE = 22.0
"""CIELAB distance from which a new colour may change a stone's name; one stone under one lamp varies less."""

NEUTRAL_RANGES = {"white": (86.0, 100.0, 8.0), "black": (0.0, 24.0, 6.0), "grey": (50.0, 66.0, 10.0)}
"""Least and greatest CIELAB lightness, and greatest chroma, at which colours without a hue are displayed."""

MIN_DISPLAY_LIGHTNESS = {"yellow": 72.0, "orange": 62.0, "green": 44.0}
"""Least CIELAB lightness at which a displayed colour still looks like its name."""

USUAL_MIN_LIGHTNESS, MAX_DISPLAY_LIGHTNESS = 40.0, 78.0  # of the other displayed colours, and of all with a hue
CHROMA_GAIN, MIN_DISPLAY_CHROMA, MAX_DISPLAY_CHROMA = 1.4, 46.0, 70.0  # a displayed colour is so much more colourful

MAX_BROWN_LIGHTNESS = 52.0
"""CIELAB lightness below which orange is called brown; dark yellow (olive, in bad light) stays yellow."""


def colour_name(colour: str) -> str:
    """Return what people call a colour ``#rrggbb``, as in the catalogue's keys (``colour.red``)."""
    lightness, chroma, hue = _lch(colour)
    if chroma < MAX_GREY_CHROMA:
        return "white" if lightness > MIN_WHITE_LIGHTNESS else "black" if lightness < MAX_BLACK_LIGHTNESS else "grey"
    name = next((name for end_deg, name in HUE_ENDS_DEG if hue < end_deg), "red")
    return "brown" if name == "orange" and lightness < MAX_BROWN_LIGHTNESS else name


def colour_names(colours: Sequence[str]) -> tuple[str, ...]:
    """Return the name of each player's colour; empty where it is unknown, and for all where two players share one.

    Of two that are orange the duller is brown, as people say who see them side by side.

    >>> colour_names(["#ede3d7", "#c6894a", "#ea752f"]), colour_names(["#ede3d7", "#868686", "#808080"])
    (('white', 'brown', 'orange'), ('', '', ''))
    """
    names = [colour_name(colour) if colour else "" for colour in colours]
    oranges = [k for k, name in enumerate(names) if name == "orange"]
    if len(oranges) == 2 and "brown" not in names:
        names[min(oranges, key=lambda k: _lch(colours[k])[1])] = "brown"
    colour_words = [name for name in names if name]
    return tuple(names) if len(set(colour_words)) == len(colour_words) else ("",) * len(names)


def stabilise_colours(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """Return the colours ``now``, but the one ``before`` where only the name would change, not clearly the colour.

    Learnt colours drift: a player whose stones are called grey must not become white in the middle of a game.
    """
    return tuple(
        old
        if old and new and colour_name(old) != colour_name(new) and _distance(old, new) < MIN_RENAMING_DISTANCE
        else new
        for old, new in zip_longest(before[: len(now)], now, fillvalue="")
    )


def _distance(one: str, other: str) -> float:
    """Return the Euclidean distance in CIELAB."""
    (l1, c1, h1), (l2, c2, h2) = _lch(one), _lch(other)
    return hypot(l1 - l2, c1 * cos(radians(h1)) - c2 * cos(radians(h2)), c1 * sin(radians(h1)) - c2 * sin(radians(h2)))


def display_colours(colours: Sequence[str]) -> tuple[str, ...]:
    """Return the colours as the page shows them: of the same name, but clearer than a camera sees them in bad light."""
    return tuple(_display_colour(colour) if colour else "" for colour in colours)


def _display_colour(colour: str) -> str:
    lightness, chroma, hue = _lch(colour)
    name = colour_name(colour)
    if name in NEUTRAL_RANGES:
        darkest, lightest, most_chroma = NEUTRAL_RANGES[name]
        lightness, chroma = min(max(lightness, darkest), lightest), min(chroma, most_chroma)
    else:
        lightness = min(max(lightness, MIN_DISPLAY_LIGHTNESS.get(name, USUAL_MIN_LIGHTNESS)), MAX_DISPLAY_LIGHTNESS)
        chroma = min(max(chroma * CHROMA_GAIN, MIN_DISPLAY_CHROMA), MAX_DISPLAY_CHROMA)
    return _srgb_from_lch(lightness, chroma, hue)


@lru_cache(256)
def _lch(colour: str) -> tuple[float, float, float]:
    """Return the CIELAB lightness, chroma and hue (degrees) of ``#rrggbb``."""
    lightness, a, b = map(float, lab_of(colour))
    return lightness, hypot(a, b), degrees(atan2(b, a)) % 360


def _srgb_from_lch(lightness: float, chroma: float, hue: float) -> str:
    """Return the ``#rrggbb`` of a CIELAB lightness, chroma and hue (degrees); clipped to what sRGB can show."""
    return hex_of_lab(np.array([lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue))]))
