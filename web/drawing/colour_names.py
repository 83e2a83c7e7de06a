"""Colours of real stones, as a camera saw them: what to call them, and how to paint them on the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import atan2, cos, degrees, hypot, radians, sin

GREY_CHROMA = 15.0  # below this CIELAB chroma people say white, grey or black; painted stones have 20 and more
WHITE_FROM, BLACK_BELOW = 68.0, 34.0  # lightness L*; natural pebbles lie between
HUES = ((48.0, "red"), (78.0, "orange"), (112.0, "yellow"), (190.0, "green"), (312.0, "blue"), (345.0, "purple"))
"""Upper ends of hue angles in CIELAB, degrees; beyond the last it is red again."""
CLEARLY = 22.0  # CIELAB distance; the looks of one stone under one lamp lie closer together
BRIGHT = {"yellow": 72.0, "orange": 62.0, "green": 44.0}  # least lightness at which paint still reads as that
BROWN_BELOW = 52.0  # a dark orange is called brown; a dark yellow (olive, in bad light) stays yellow

Lch = tuple[float, float, float]


def colour_name(colour: str) -> str:
    """What people call ``#rrggbb``: a key of the catalogues (``colour.red``)."""
    lightness, chroma, hue = _lch(colour)
    if chroma < GREY_CHROMA:
        return "white" if lightness > WHITE_FROM else "black" if lightness < BLACK_BELOW else "grey"
    name = next((name for upto, name in HUES if hue < upto), "red")
    return "brown" if name == "orange" and lightness < BROWN_BELOW else name


def colour_names(colours: Sequence[str]) -> tuple[str, ...]:
    """The name of each player's colour; empty where it is unknown or not the only one of its name."""
    names = [colour_name(colour) if colour else "" for colour in colours]
    return tuple(name if names.count(name) == 1 else "" for name in names)


def steady(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """The colours ``now``, but a stone keeps the name it has until its colour is clearly another one.

    What is learnt of a colour creeps while more stones are seen; a player who is grey must not turn white in mid-game.
    """
    return tuple(
        old if old and new and colour_name(old) != colour_name(new) and _apart(old, new) < CLEARLY else new
        for old, new in zip_longest(before[: len(now)], now, fillvalue="")
    )


def _apart(one: str, other: str) -> float:
    (l1, c1, h1), (l2, c2, h2) = _lch(one), _lch(other)
    return hypot(l1 - l2, c1 * cos(radians(h1)) - c2 * cos(radians(h2)), c1 * sin(radians(h1)) - c2 * sin(radians(h2)))


def painted(colours: Sequence[str]) -> tuple[str, ...]:
    """The colours as the page paints them: of the same kind, but as clear as the eye sees them through bad light."""
    return tuple(_clear(colour) if colour else "" for colour in colours)


def _clear(colour: str) -> str:
    lightness, chroma, hue = _lch(colour)
    name = colour_name(colour)
    if name == "white":
        return _hex((max(lightness, 86.0), min(chroma, 8.0), hue))
    if name == "black":
        return _hex((min(lightness, 24.0), min(chroma, 6.0), hue))
    if name == "grey":
        return _hex((min(max(lightness, 50.0), 66.0), min(chroma, 10.0), hue))
    return _hex((min(max(lightness, BRIGHT.get(name, 40.0)), 78.0), min(max(chroma * 1.4, 46.0), 70.0), hue))


def _lch(colour: str) -> Lch:
    """Lightness, chroma and hue (degrees) of an sRGB colour in CIELAB, white point D65."""
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (_root(v) for v in (x, y, z))
    a, b = 500 * (fx - fy), 200 * (fy - fz)
    return 116 * fy - 16, hypot(a, b), degrees(atan2(b, a)) % 360


def _hex(lch: Lch) -> str:
    lightness, chroma, hue = lch
    fy = (lightness + 16) / 116
    fx = fy + chroma * cos(radians(hue)) / 500
    fz = fy - chroma * sin(radians(hue)) / 200
    x, y, z = 0.95047 * _cube(fx), _cube(fy), 1.08883 * _cube(fz)
    rgb = (
        3.2406 * x - 1.5372 * y - 0.4986 * z,
        -0.9689 * x + 1.8758 * y + 0.0415 * z,
        0.0557 * x - 0.2040 * y + 1.0570 * z,
    )
    return "#" + "".join(f"{round(255 * _encoded(min(max(v, 0.0), 1.0))):02x}" for v in rgb)


def _linear(v: float) -> float:
    return v / 12.92 if v <= 0.04045 else float(((v + 0.055) / 1.055) ** 2.4)


def _encoded(v: float) -> float:
    return 12.92 * v if v <= 0.0031308 else float(1.055 * v ** (1 / 2.4) - 0.055)


def _root(v: float) -> float:
    return float(v ** (1 / 3)) if v > 0.008856 else 7.787 * v + 16 / 116


def _cube(v: float) -> float:
    return v**3 if v**3 > 0.008856 else (v - 16 / 116) / 7.787
