"""SVG paths of a board, its cloth and its stones, computed from `referee.board`; x points right and y down.

Drawing space is board space times `DRAWING_SIDE`. Every line wobbles, so that the board looks made by hand; without
chance: the same board always gives the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, cos, dist, hypot, pi, sin

from referee.board import Board, Circle, Segment, Stroke, Xy

DRAWING_SIDE = 1000  # side of the unit square of board space, in units of drawing space
MIDDLE = DRAWING_SIDE / 2
CENTRE = MIDDLE, MIDDLE
CORNER_REACH = 520.0  # a point farther from the centre lies in a corner
STONE_SHARE, MAX_STONE_RADIUS = (
    0.43,
    105.0,
)  # radius of a stone, as a share of the least gap between points, and at most
CLOTH_WOBBLE, HEM_WOBBLE, RING_WOBBLE = 0.008, 0.006, 0.004  # irregularity of round paths, as shares of their radius
STROKE_BENDS = ((0.3, 1.0), (0.7, -0.8))  # where along a stroke it sways, and how much of its sway to which side
PEBBLE_STRETCH = 1.04, 0.86  # half the width and the least half height of a stone, in its radii
PEBBLE_WAVES = ((0.045, 2, 1.0), (0.04, 3, 2.3), (0.012, 5, 1.0))
"""Dents of an outline: depth as a share of the radius, number, and turn from one shape to the next."""

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
    spacing = min(dist(a, b) for i, a in enumerate(places) for b in places[:i])
    stone_radius = min(STONE_SHARE * spacing, MAX_STONE_RADIUS)
    has_corners = any(hypot(x - MIDDLE, y - MIDDLE) > CORNER_REACH for x, y in places)
    is_round = not has_corners and painted.name != "cells"
    reach = MIDDLE + (stone_radius + (62 if has_corners else 70) if has_corners or is_round else 60)
    bend = 2 if is_round else 9
    corners = _enclosing_triangle(places)
    if corners:
        margin = stone_radius + 62
        cloth, hem = _rounded_polygon(corners, margin, seed=3), _rounded_polygon(corners, margin - 30, seed=3)
        middle_x, middle_y = ((min(v) + max(v)) / 2 for v in zip(*corners, strict=True))
        out = max(max(v) - min(v) for v in zip(*corners, strict=True)) / 2 + margin + 34
    else:
        cloth = _superellipse(CENTRE, reach, exponent=bend, wobble=CLOTH_WOBBLE, seed=3, n=64)
        hem = _superellipse(CENTRE, reach - 30, exponent=bend, wobble=HEM_WOBBLE, seed=3, n=64)
        middle_x, middle_y, out = *CENTRE, reach + 34
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
    rings = tuple(_circle_path(CENTRE, dist(places[ring[0]], CENTRE), 90 + i) for i, ring in enumerate(board.rings))
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
        _smooth_closed_path([_pebble_edge(k, 2 * pi * i / 14) for i in range(14)]) for k in range(N_PEBBLE_SHAPES)
    )


def _pebble_edge(k: int, angle: float) -> Xy:
    """Return the place on the outline of stone ``k`` at an angle."""
    radius = PEBBLE_RADIUS * (1 + sum(depth * cos(n * angle + turn * k) for depth, n, turn in PEBBLE_WAVES))
    (width, height), turned = PEBBLE_STRETCH, angle + 7 * k / 10
    return radius * width * cos(turned), radius * (height + k % 4 / 50) * sin(turned)


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
            for t, side in STROKE_BENDS
        )
        return f"M{_format_xy(start)}C{_format_xy(a)} {_format_xy(b)} {_format_xy(end)}"
    return _circle_path(_scaled(stroke.centre), stroke.radius * DRAWING_SIDE, seed)


def _circle_path(centre: Xy, radius: float, seed: int) -> str:
    return _superellipse(centre, radius, exponent=2, wobble=RING_WOBBLE, seed=seed, n=28)


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
