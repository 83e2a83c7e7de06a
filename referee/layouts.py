"""The boards as data. Points, neighbours and lines are those of the rule sheets; see ``board.py`` for board space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import cos, pi, sin

from referee.board import Board, Circle, Drawing, Segment, Stroke, Xy


def _board(
    name: str,
    names: Iterable[str],
    xy: Sequence[Xy],
    strokes: Sequence[Sequence[int]],
    *,
    also_near: Iterable[Sequence[int]] = (),
    drawings: Iterable[Drawing] = (),
    rings: Iterable[Iterable[int]] = (),
    stackable: bool = False,
) -> Board:
    """A board whose neighbours lie along ``strokes``, and along ``also_near`` where no line is; lines are of three.

    It is drawn in straight strokes, unless there are ``drawings``.
    """
    paths = (*strokes, *also_near)
    edges = {(min(a, b), max(a, b)) for path in paths for a, b in pairwise(path)}
    lines = tuple((path[k], path[k + 1], path[k + 2]) for path in strokes for k in range(len(path) - 2))
    return Board(
        name,
        tuple(names),
        tuple(xy),
        tuple(sorted(edges)),
        lines,
        tuple(drawings) or (Drawing("lines", _segments(xy, strokes)),),
        tuple(map(tuple, rings)),
        stackable,
    )


def _segments(xy: Sequence[Xy], paths: Sequence[Sequence[int]]) -> tuple[Stroke, ...]:
    return tuple(Segment(xy[path[0]], xy[path[-1]]) for path in paths)


def line_board(name: str, places: Mapping[str, Xy], paths: Iterable[str]) -> Board:
    """A board of straight strokes, from the places of its points in board space and the points along each stroke.

    A name is a letter from a to g and a number, so that it can be said aloud. Two points in a row are neighbours; three
    are a line on which a mill can stand.
    """
    index = {point: i for i, point in enumerate(places)}
    return _board(name, places, list(places.values()), [[index[point] for point in path.split()] for path in paths])


def _squares(name: str, n_squares: int, *, diagonals: bool) -> Board:
    """Nested squares joined at the middles of their sides (and at the corners where ``diagonals``)."""
    half = n_squares
    places = [
        (x, y)
        for y in range(half, -half - 1, -1)
        for x in range(-half, half + 1)
        if (x, y) != (0, 0) and (x == 0 or y == 0 or abs(x) == abs(y))
    ]
    index = {place: i for i, place in enumerate(places)}
    names = ["abcdefg"[x + half] + str(y + half + 1) for x, y in places]
    xy: list[Xy] = [((x + half) / (2 * half), (half - y) / (2 * half)) for x, y in places]
    sides = [
        [index[a], index[(a[0] + b[0]) // 2, (a[1] + b[1]) // 2], index[b]]
        for q in range(half, 0, -1)
        for a, b in (((-q, q), (q, q)), ((q, q), (q, -q)), ((q, -q), (-q, -q)), ((-q, -q), (-q, q)))
    ]
    spoke_ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    if diagonals:
        spoke_ways += [(1, 1), (1, -1), (-1, -1), (-1, 1)]
    spokes = [[index[x * q, y * q] for q in range(half, 0, -1)] for x, y in spoke_ways]
    return _board(name, names, xy, sides + spokes)


def _three_by_three(name: str, *, cells: bool = False, diagonals: bool = True) -> Board:
    """Nine points in rows of three; with ``cells`` they may also be the cells of a hash grid or of a closed one."""
    names = [column + row for row in "321" for column in "abc"]
    margin = 1 / 6 if cells else 0.0
    step = (1 - 2 * margin) / 2
    xy: list[Xy] = [(margin + step * x, margin + step * y) for y in range(3) for x in range(3)]
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    if not diagonals:
        rows = rows[:6]
    drawings: tuple[Drawing, ...] = ()
    if cells:
        third = 1 / 3
        hashes: tuple[Stroke, ...] = tuple(Segment((t, 0.0), (t, 1.0)) for t in (third, 2 * third)) + tuple(
            Segment((0.0, t), (1.0, t)) for t in (third, 2 * third)
        )
        corners: list[Xy] = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        frame = tuple(Segment(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
        drawings = (Drawing("cells", hashes), Drawing("framed", hashes + frame), Drawing("lines", _segments(xy, rows)))
    return _board(name, names, xy, rows, drawings=drawings)


def _around(radius: float, angle_rad: float) -> Xy:
    """The place at ``radius`` from the middle of the unit square, ``angle_rad`` clockwise from the top."""
    return 0.5 + radius * sin(angle_rad), 0.5 - radius * cos(angle_rad)


def _wheel() -> Board:
    """Roman mill: a circle with eight spokes; the names are the winds."""
    names = ("n", "ne", "e", "se", "s", "sw", "w", "nw", "c")
    xy: list[Xy] = [_around(0.5, k * pi / 4) for k in range(8)] + [(0.5, 0.5)]
    diameters = [[k, 8, k + 4] for k in range(4)]
    rim = [[k, (k + 1) % 8] for k in range(8)]
    strokes: tuple[Stroke, ...] = (Circle((0.5, 0.5), 0.5), *_segments(xy, diameters))
    return _board("roman_mill", names, xy, diameters, also_near=rim, drawings=(Drawing("lines", strokes),))


def moulin_rouge(n_holes: int) -> Board:
    """Three discs of ``n_holes`` hollows each, one turning inside the other; ValueError when there are under 3.

    Names are ring (o outer, m middle, i inner) and radius, 1 at the top, clockwise; they belong to the place on the
    table, not to the hole. The radii of the rings are a usual drawing, not a rule: a camera must measure them.
    """
    if n_holes < 3:
        raise ValueError(f"a ring needs 3 holes or more, got {n_holes!r}")
    radii = (0.5, 0.35, 0.2)
    names = [ring + str(k + 1) for ring in "omi" for k in range(n_holes)]
    xy = [_around(radius, 2 * pi * k / n_holes) for radius in radii for k in range(n_holes)]
    rings = [list(range(r * n_holes, (r + 1) * n_holes)) for r in range(3)]
    spokes = [[ring[k] for ring in rings] for k in range(n_holes)]
    hole = min(0.05, 0.6 * radii[2] * sin(pi / n_holes))
    around = [[*ring, ring[0]] for ring in rings]
    drawing = Drawing("holes", tuple(Circle(place, hole) for place in xy))
    return _board("moulin_rouge", names, xy, spokes, also_near=around, drawings=(drawing,), rings=rings)


def _triangles() -> Board:
    """Trialectic: three triangles joined at the middles of their sides."""
    names = [triangle + str(k) for triangle in "abc" for k in range(1, 7)]
    xy: list[Xy] = []
    for radius in (0.5, 1 / 3, 1 / 6):
        corners = [_around(radius, k * 2 * pi / 3) for k in range(3)]
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            xy += [a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)]
    sides = [[6 * t + k, 6 * t + k + 1, 6 * t + (k + 2) % 6] for t in range(3) for k in (0, 2, 4)]
    spokes = [[k, 6 + k, 12 + k] for k in (1, 3, 5)]
    return _board("trialectic", names, xy, sides + spokes, stackable=True)


def _seven_mens_morris() -> Board:
    """The two squares with a point in the middle: the two lines through it have five points."""
    places = dict(zip(SIX_MENS_MORRIS.points, SIX_MENS_MORRIS.xy, strict=True)) | {"c3": (0.5, 0.5)}
    squares = ("a5 c5 e5", "e5 e3 e1", "e1 c1 a1", "a1 a3 a5", "b4 c4 d4", "d4 d3 d2", "d2 c2 b2", "b2 b3 b4")
    return line_board("seven_mens_morris", places, (*squares, "c5 c4 c3 c2 c1", "a3 b3 c3 d3 e3"))


def _picaria(*, halves: bool) -> Board:
    """Nine points in rows of three, diagonals, and the square over the middles of the sides.

    With ``halves`` the four points where that square crosses the diagonals are played on as well.
    """
    reach = [0, 1, 2, 3, 4] if halves else [0, 2, 4]
    places = {"abcde"[x] + str(y + 1): (x / 4, 1 - y / 4) for y in reversed(reach) for x in reach if x % 2 == y % 2}
    straight = ["a5 c5 e5", "a3 c3 e3", "a1 c1 e1", "a5 a3 a1", "c5 c3 c1", "e5 e3 e1"]
    slanted = ["a5 b4 c3 d2 e1", "e5 d4 c3 b2 a1", "c5 d4 e3", "e3 d2 c1", "c1 b2 a3", "a3 b4 c5"]
    paths = straight + slanted
    return line_board("picaria", places, (" ".join(p for p in path.split() if p in places) for path in paths))


NINE_MENS_MORRIS = _squares("nine_mens_morris", 3, diagonals=False)
TWELVE_MENS_MORRIS = _squares("twelve_mens_morris", 3, diagonals=True)
SIX_MENS_MORRIS = _squares("six_mens_morris", 2, diagonals=False)
THREE_MENS_MORRIS = _three_by_three("three_mens_morris")
THREE_MENS_MORRIS_PLAIN = _three_by_three("three_mens_morris", diagonals=False)
NINE_HOLES = _three_by_three("nine_holes", diagonals=False)
SEVEN_MENS_MORRIS = _seven_mens_morris()
PICARIA = _picaria(halves=True)
PICARIA_NINE = _picaria(halves=False)
SIX_MENS_MORRIS_DIAGONAL = _squares("six_mens_morris", 2, diagonals=True)
TIC_TAC_TOE = _three_by_three("tic_tac_toe", cells=True)
ROMAN_MILL = _wheel()
MOULIN_ROUGE = moulin_rouge(8)
TRIALECTIC = _triangles()

_DIAGONALS = (
    (NINE_MENS_MORRIS, TWELVE_MENS_MORRIS),
    (SIX_MENS_MORRIS, SIX_MENS_MORRIS_DIAGONAL),
    (THREE_MENS_MORRIS_PLAIN, THREE_MENS_MORRIS),
)


def with_diagonals(board: Board, *, has_diagonals: bool) -> Board:
    """A square board with its diagonals, or without; ValueError when it is not known both ways.

    >>> [len(with_diagonals(board, has_diagonals=True).edges) for board in (NINE_MENS_MORRIS, SIX_MENS_MORRIS)]
    [40, 24]
    """
    for pair in _DIAGONALS:
        if board in pair:
            return pair[has_diagonals]
    raise ValueError(f"the board {board.name!r} is not known with and without diagonals")


STANDARD_BOARDS = (
    NINE_MENS_MORRIS,
    TWELVE_MENS_MORRIS,
    SIX_MENS_MORRIS,
    THREE_MENS_MORRIS,
    TIC_TAC_TOE,
    ROMAN_MILL,
    MOULIN_ROUGE,
    TRIALECTIC,
)
"""The boards of the standard games, in the order in which a picture is searched for them."""
