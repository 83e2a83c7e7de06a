"""Draws a board in characters."""

from __future__ import annotations

from math import cos, dist, pi, sin

from referee.board import Board, Circle, Segment, Xy

_TEXT_COLUMNS, _TEXT_ROWS = 61, 31


def board_text(board: Board) -> str:
    """The board in characters, with the names of its points.

    >>> from referee.layouts import SIX_MENS_MORRIS
    >>> print(board_text(SIX_MENS_MORRIS).splitlines()[0])
    a5----------------------------c5----------------------------e5
    """
    rows = [[" "] * (_TEXT_COLUMNS + 4) for _ in range(_TEXT_ROWS)]
    strokes = board.drawings[0].strokes
    if board.rings:  # holes are too small for characters: the rings and rays on which they lie
        rings = [Circle((0.5, 0.5), dist(board.xy[ring[0]], (0.5, 0.5))) for ring in board.rings]
        strokes = (*rings, *(Segment(board.xy[line[0]], board.xy[line[-1]]) for line in board.lines))
    for stroke in strokes:
        if isinstance(stroke, Segment):
            _draw_segment(rows, stroke.start, stroke.end)
        else:
            _draw_circle(rows, stroke)
    for name, place in zip(board.points, board.xy, strict=True):
        column, row = _cell(place)
        rows[row][column : column + len(name)] = name
    return "\n".join("".join(row).rstrip() for row in rows).rstrip()


def _cell(place: Xy) -> tuple[int, int]:
    x, y = place
    return round(round(x * (_TEXT_COLUMNS - 1), 6)), round(round(y * (_TEXT_ROWS - 1), 6))


def _draw_segment(rows: list[list[str]], start: Xy, end: Xy) -> None:
    (c1, r1), (c2, r2) = _cell(start), _cell(end)
    sign = "-" if abs(r2 - r1) <= 1 else "|" if abs(c2 - c1) <= 1 else "\\" if (c2 - c1) * (r2 - r1) > 0 else "/"
    steps = max(abs(c2 - c1) if sign == "-" else abs(r2 - r1), 1)
    for k in range(steps + 1):
        rows[round(r1 + (r2 - r1) * k / steps)][round(c1 + (c2 - c1) * k / steps)] = sign


def _draw_circle(rows: list[list[str]], circle: Circle) -> None:
    x, y = circle.centre
    for k in range(240):
        angle_rad = 2 * pi * k / 240
        column, row = _cell((x + circle.radius * cos(angle_rad), y + circle.radius * sin(angle_rad)))
        rows[row][column] = "."
