"""SVG paths of a board, its cloth and its stones, computed from `referee.board`; x points right and y down.

Drawing space is board space times `DRAWING_SIDE`. Every line wobbles, so that the board looks made by hand; without
chance: the same board always gives the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, cos, hypot, pi, sin

from referee.board import Board, Circle, Segment, Stroke, Xy

DRAWING_SIDE = 1000  # side of the unit square of board space, in units of drawing space
N_PEBBLE_SHAPES = 7  # how many different outlines the stones have
PEBBLE_RADIUS = 100  # radius of the outlines of `pebble_shapes`, in their own units, before they are scaled to a board

PEBBLE_SPECKS = ((-44, 30, 5), (18, -52, 4), (52, 20, 6), (-8, 62, 4), (-62, -20, 4), (30, 58, 3))
"""Specks on a stone: x, y and radius, in the units of `PEBBLE_RADIUS`."""

PEBBLE_VEINS = ("", "M-120 38C-50 2 30 30 120 -34", "M-120 30C-50 -4 30 20 120 -40M-110 66C-40 34 40 52 120 2")
"""Paths of the veins of a stone by player, in the units of `PEBBLE_RADIUS`, so that players never differ in
colour alone; after the third player they repeat."""


@dataclass(frozen=True, slots=True)
class BoardDrawing:
    """The drawing of a board for templates, in drawing space."""

    name: str  # of the board
    drawing: str  # "lines", "cells" or "holes"
    view_box: str  # visible region, cloth and fringe included
    cloth: str  # path of its edge
    hem: str  # path of the seam inside it
    yarns: tuple[str, ...]  # paths of the strokes
    holes: tuple[tuple[float, float, float], ...]  # x, y, radius
    points: tuple[tuple[str, float, float], ...]  # name, x, y
    stone_radius: float
    lines: tuple[tuple[str, str], ...]  # on which mills can stand: names of points separated by blanks, and their path
    rings: str  # points of each rotating ring, clockwise, separated by blanks; rings are separated by ``|``


def draw_board(board: Board) -> BoardDrawing:
    """Return the drawing of a board, after the first (most common) of its drawings."""
    painted = board.drawings[0]
    places = [(x * DRAWING_SIDE, y * DRAWING_SIDE) for x, y in board.xy]
    spacing = min(hypot(a[0] - b[0], a[1] - b[1]) for i, a in enumerate(places) for b in places[:i])
    stone_radius = min(0.43 * spacing, 105.0)
    is_round = all(hypot(x - 500, y - 500) < 520 for x, y in places) and painted.name != "cells"
    has_corners = any(hypot(x - 500, y - 500) > 520 for x, y in places)
    reach = 500 + stone_radius + (62 if has_corners else 70) if has_corners or is_round else 560.0
    bend = 2.0 if is_round else 9.0
    corners = _enclosing_triangle(places)
    if corners:
        margin = stone_radius + 62
        cloth, hem = _rounded_polygon(corners, margin, seed=3), _rounded_polygon(corners, margin - 30, seed=3)
        middle_x, middle_y = ((min(v) + max(v)) / 2 for v in zip(*corners, strict=True))
        out = max(max(v) - min(v) for v in zip(*corners, strict=True)) / 2 + margin + 34
    else:
        cloth = _superellipse((500.0, 500.0), reach, exponent=bend, wobble=0.008, seed=3, n=64)
        hem = _superellipse((500.0, 500.0), reach - 30, exponent=bend, wobble=0.006, seed=3, n=64)
        middle_x, middle_y, out = 500.0, 500.0, reach + 34
    holes = tuple(
        (*_scaled(stroke.centre), max(stroke.radius * DRAWING_SIDE, stone_radius * 0.9))
        for stroke in painted.strokes
        if isinstance(stroke, Circle) and painted.name == "holes"
    )
    yarns = tuple(
        _stroke_path(stroke, i)
        for i, stroke in enumerate(painted.strokes)
        if painted.name != "holes" or isinstance(stroke, Segment)
    )
    rings = tuple(
        _circle_path((500.0, 500.0), hypot(places[ring[0]][0] - 500, places[ring[0]][1] - 500), 90 + i)
        for i, ring in enumerate(board.rings)
    )
    return BoardDrawing(
        name=board.name,
        drawing=painted.name,
        view_box=f"{_format(middle_x - out)} {_format(middle_y - out)} {_format(2 * out)} {_format(2 * out)}",
        cloth=cloth,
        hem=hem,
        yarns=yarns + rings,
        holes=holes,
        points=tuple((name, *place) for name, place in zip(board.points, places, strict=True)),
        stone_radius=stone_radius,
        lines=tuple(
            (" ".join(board.points[i] for i in line), "M" + "L".join(_format_xy(places[i]) for i in line))
            for line in board.lines
        ),
        rings="|".join(" ".join(board.points[i] for i in ring) for ring in board.rings),
    )


def pebble_shapes() -> tuple[str, ...]:
    """Return closed outlines of stones: radius `PEBBLE_RADIUS` around the origin, all different, without corners."""
    return tuple(
        _smooth_closed_path(
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


def _stroke_path(stroke: Stroke, seed: int) -> str:
    """Return the path of a stroke: a slightly bent line, or a wobbling circle."""
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
        return f"M{_format_xy(start)}C{_format_xy(a)} {_format_xy(b)} {_format_xy(end)}"
    return _circle_path(_scaled(stroke.centre), stroke.radius * DRAWING_SIDE, seed)


def _circle_path(centre: Xy, radius: float, seed: int) -> str:
    return _superellipse(centre, radius, exponent=2.0, wobble=0.004, seed=seed, n=28)


def _superellipse(centre: Xy, radius: float, *, exponent: float, wobble: float, seed: int, n: int) -> str:
    """Return a closed path ``|x|**exponent + |y|**exponent = radius**exponent`` through ``n`` points.

    ``wobble`` is the size of the irregularity as a share of the radius.
    """
    around = []
    for i in range(n):
        t = 2 * pi * i / n
        c, s = cos(t), sin(t)
        r = radius / (abs(c) ** exponent + abs(s) ** exponent) ** (1 / exponent)
        r *= 1 + wobble * (sin(3 * t + seed) + 0.6 * sin(7 * t + 2 * seed) + 0.4 * sin(13 * t + seed))
        around.append((centre[0] + r * c, centre[1] + r * s))
    return _smooth_closed_path(around)


def _enclosing_triangle(places: Sequence[Xy]) -> tuple[Xy, ...]:
    """Return three of the places whose triangle contains all places, clockwise; else an empty tuple."""
    for trio in combinations(places, 3):
        a, b, c = trio if _doubled_area(*trio) > 0 else trio[::-1]
        if _doubled_area(a, b, c) > 1.0 and all(
            _doubled_area(p, q, place) >= -1.0 for place in places for p, q in ((a, b), (b, c), (c, a))
        ):
            return a, b, c
    return ()


def _doubled_area(a: Xy, b: Xy, c: Xy) -> float:
    """Return twice the signed area of a triangle; positive when its corners go clockwise on the screen."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _rounded_polygon(corners: Sequence[Xy], margin: float, *, seed: int) -> str:
    """Return a closed path at distance ``margin`` outside a convex polygon (clockwise), with a little wobble."""
    places: list[Xy] = []
    n = len(corners)
    for i, (x, y) in enumerate(corners):
        before, after = corners[i - 1], corners[(i + 1) % n]
        first = atan2(-(x - before[0]), y - before[1])  # outward normal of the edge that ends here
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
    return _smooth_closed_path(places)


def _smooth_closed_path(around: Sequence[Xy]) -> str:
    """Return a smooth closed path through the places: a Catmull-Rom spline written as Bezier curves."""
    n = len(around)
    path = [f"M{_format_xy(around[0])}"]
    for i in range(n):
        before, start, end, after = (around[(i + k) % n] for k in (-1, 0, 1, 2))
        a = (start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6)
        b = (end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6)
        path.append(f"C{_format_xy(a)} {_format_xy(b)} {_format_xy(end)}")
    return "".join(path) + "Z"


def _scaled(place: Xy) -> Xy:
    return place[0] * DRAWING_SIDE, place[1] * DRAWING_SIDE


def _format_xy(place: Xy) -> str:
    return f"{_format(place[0])},{_format(place[1])}"


def _format(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0").replace("-0.0", "0")
