"""Shapes for the page: cloth, yarn and pebbles as SVG paths, all from `referee.board` and a few waves.

Drawing space is board space times 1000, x right, y down. Everything is drawn by hand, so nothing is quite straight;
but the same board is always drawn the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, cos, hypot, pi, sin

from referee.board import Board, Circle, Segment, Stroke, Xy

SCALE = 1000
N_PEBBLE_SHAPES = 7
PEBBLE_RADIUS = 100  # of the shapes; the page scales them to the board
SPECKS = ((-44, 30, 5), (18, -52, 4), (52, 20, 6), (-8, 62, 4), (-62, -20, 4), (30, 58, 3))
"""Freckles of a pebble: x, y and radius."""

VEINS = ("", "M-120 38C-50 2 30 30 120 -34", "M-120 30C-50 -4 30 20 120 -40M-110 66C-40 34 40 52 120 2")
"""Veins across a stone, so that colour is never the only difference: none on the first player's, one on the second's,
two on the third's, and so on again."""


@dataclass(frozen=True, slots=True)
class BoardDrawing:
    """A board ready to be written as SVG, in drawing space.

    Attributes
    ----------
    name : str
    drawing : str
        Name of the drawing: "lines", "cells" or "holes".
    view_box : str
        What is to be seen, cloth and fringe included.
    cloth, hem : str
        Paths of the cloth's rim and of the seam inside it.
    yarns : tuple of str
        Paths of the strokes.
    hollows : tuple of (x, y, radius)
        Holes to put stones into.
    points : tuple of (name, x, y)
    stone : float
        Radius of a stone.
    lines : tuple of (names, path)
        Every line on which a mill can stand: the three names joined by blanks, and the path through them.
    rings : str
        The points of each turning ring, clockwise, joined by blanks; rings parted by ``|``.
    """

    name: str
    drawing: str
    view_box: str
    cloth: str
    hem: str
    yarns: tuple[str, ...]
    hollows: tuple[tuple[float, float, float], ...]
    points: tuple[tuple[str, float, float], ...]
    stone: float
    lines: tuple[tuple[str, str], ...]
    rings: str


def draw_board(board: Board) -> BoardDrawing:
    """Make the drawing of a board in its most usual way of being painted."""
    painted = board.drawings[0]
    places = [(x * SCALE, y * SCALE) for x, y in board.xy]
    spacing = min(hypot(a[0] - b[0], a[1] - b[1]) for i, a in enumerate(places) for b in places[:i])
    stone = min(0.43 * spacing, 105.0)
    is_round = all(hypot(x - 500, y - 500) < 520 for x, y in places) and painted.name != "cells"
    has_corners = any(hypot(x - 500, y - 500) > 520 for x, y in places)
    reach = 500 + stone + (62 if has_corners else 70) if has_corners or is_round else 560.0
    bend = 2.0 if is_round else 9.0
    corners = _triangle(places)
    if corners:
        margin = stone + 62
        cloth, hem = _around(corners, margin, seed=3), _around(corners, margin - 30, seed=3)
        middle_x, middle_y = ((min(v) + max(v)) / 2 for v in zip(*corners, strict=True))
        out = max(max(v) - min(v) for v in zip(*corners, strict=True)) / 2 + margin + 34
    else:
        cloth = _blob((500.0, 500.0), reach, bend=bend, wobble=0.008, seed=3, n=64)
        hem = _blob((500.0, 500.0), reach - 30, bend=bend, wobble=0.006, seed=3, n=64)
        middle_x, middle_y, out = 500.0, 500.0, reach + 34
    yarns = tuple(_yarn(stroke, i) for i, stroke in enumerate(painted.strokes) if not _is_hollow(stroke, painted.name))
    hollows = tuple(
        (s.centre[0] * SCALE, s.centre[1] * SCALE, max(s.radius * SCALE, stone * 0.9))
        for s in painted.strokes
        if isinstance(s, Circle) and painted.name == "holes"
    )
    rings = tuple(
        _round((500.0, 500.0), hypot(places[ring[0]][0] - 500, places[ring[0]][1] - 500), 90 + i)
        for i, ring in enumerate(board.rings)
    )
    return BoardDrawing(
        name=board.name,
        drawing=painted.name,
        view_box=f"{_n(middle_x - out)} {_n(middle_y - out)} {_n(2 * out)} {_n(2 * out)}",
        cloth=cloth,
        hem=hem,
        yarns=yarns + rings,
        hollows=hollows,
        points=tuple((name, *place) for name, place in zip(board.points, places, strict=True)),
        stone=stone,
        lines=tuple(
            (" ".join(board.points[i] for i in line), _through([places[i] for i in line])) for line in board.lines
        ),
        rings="|".join(" ".join(board.points[i] for i in ring) for ring in board.rings),
    )


def pebble_shapes() -> tuple[str, ...]:
    """Outlines of pebbles of radius `PEBBLE_RADIUS` around the origin: no two alike, none with a corner."""
    return tuple(
        _closed(
            [
                (
                    PEBBLE_RADIUS * r * 1.04 * cos(t + 0.7 * k),
                    PEBBLE_RADIUS * r * (0.86 + 0.02 * (k % 4)) * sin(t + 0.7 * k),
                )
                for t in (2 * pi * i / 14 for i in range(14))
                for r in (1 + 0.045 * cos(2 * t + k) + 0.04 * cos(3 * t + 2.3 * k) + 0.012 * cos(5 * t + k),)
            ]
        )
        for k in range(N_PEBBLE_SHAPES)
    )


def _is_hollow(stroke: Stroke, drawing: str) -> bool:
    return drawing == "holes" and isinstance(stroke, Circle)


def _yarn(stroke: Stroke, seed: int) -> str:
    if isinstance(stroke, Segment):
        start, end = _scaled(stroke.start), _scaled(stroke.end)
        sway = 5.0 * sin(1.7 + 2.9 * seed)
        length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
        across = (-(end[1] - start[1]) / length, (end[0] - start[0]) / length)
        a, b = (
            (
                start[0] + (end[0] - start[0]) * t + across[0] * sway * side,
                start[1] + (end[1] - start[1]) * t + across[1] * sway * side,
            )
            for t, side in ((0.3, 1.0), (0.7, -0.8))
        )
        return f"M{_xy(start)}C{_xy(a)} {_xy(b)} {_xy(end)}"
    return _round(_scaled(stroke.centre), stroke.radius * SCALE, seed)


def _round(centre: Xy, radius: float, seed: int) -> str:
    return _blob(centre, radius, bend=2.0, wobble=0.004, seed=seed, n=28)


def _blob(centre: Xy, radius: float, *, bend: float, wobble: float, seed: int, n: int) -> str:
    """A closed curve ``|x|**bend + |y|**bend = radius**bend`` that wobbles by a share of its radius."""
    around = []
    for i in range(n):
        t = 2 * pi * i / n
        c, s = cos(t), sin(t)
        r = radius / (abs(c) ** bend + abs(s) ** bend) ** (1 / bend)
        r *= 1 + wobble * (sin(3 * t + seed) + 0.6 * sin(7 * t + 2 * seed) + 0.4 * sin(13 * t + seed))
        around.append((centre[0] + r * c, centre[1] + r * s))
    return _closed(around)


def _triangle(places: Sequence[Xy]) -> tuple[Xy, ...]:
    """The three corners between which all places lie, in clockwise order; empty where there are none such."""
    for trio in combinations(places, 3):
        a, b, c = trio if _side(*trio) > 0 else trio[::-1]
        if _side(a, b, c) > 1.0 and all(
            _side(p, q, place) >= -1.0 for place in places for p, q in ((a, b), (b, c), (c, a))
        ):
            return a, b, c
    return ()


def _side(a: Xy, b: Xy, c: Xy) -> float:
    """Twice the area of the triangle, positive where it goes clockwise on the screen."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _around(corners: Sequence[Xy], margin: float, *, seed: int) -> str:
    """A closed curve that stays ``margin`` away from a triangle and wobbles a little."""
    places: list[Xy] = []
    n = len(corners)
    for i, (x, y) in enumerate(corners):
        before, after = corners[i - 1], corners[(i + 1) % n]
        first = atan2(-(x - before[0]), y - before[1])  # outward of the edge that comes in
        second = atan2(-(after[0] - x), after[1] - y)
        turn = (second - first) % (2 * pi)
        for k in range(9):
            t = first + turn * k / 8
            places.append((x + margin * cos(t), y + margin * sin(t)))
        end = (after[0] + margin * cos(second), after[1] + margin * sin(second))
        start = places[-1]
        for k in range(1, 9):
            share, sway = k / 9, 3.0 * sin(2.1 * k + seed + i)
            at = (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
            places.append((at[0] + sway * cos(second), at[1] + sway * sin(second)))
    return _closed(places)


def _closed(around: Sequence[Xy]) -> str:
    """A smooth closed path through the places (Catmull-Rom as Bezier curves)."""
    n = len(around)
    path = [f"M{_xy(around[0])}"]
    for i in range(n):
        before, start, end, after = (around[(i + k) % n] for k in (-1, 0, 1, 2))
        a = (start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6)
        b = (end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6)
        path.append(f"C{_xy(a)} {_xy(b)} {_xy(end)}")
    return "".join(path) + "Z"


def _through(places: Sequence[Xy]) -> str:
    return "M" + "L".join(_xy(place) for place in places)


def _scaled(place: Xy) -> Xy:
    return place[0] * SCALE, place[1] * SCALE


def _xy(place: Xy) -> str:
    return f"{_n(place[0])},{_n(place[1])}"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0").replace("-0.0", "0")
