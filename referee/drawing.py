"""A board as SVG and as text."""

from __future__ import annotations

from html import escape
from math import cos, dist, pi, sin

from referee.board import Board, Circle, Segment, Xy

_MARGIN = 0.1
_TEXT_COLUMNS, _TEXT_ROWS = 61, 31


def board_svg(board: Board) -> str:
    """The board as an SVG document in the unit square, with the names of its points."""
    stone = min(0.05, board.least_gap / 3)  # its radius
    low, size = -_MARGIN, 1 + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{low} {low} {size} {size}" role="img">',
        f"<title>{escape(board.name, quote=False)}</title>",
        '<g fill="none" stroke="#5a4632" stroke-width="0.008" stroke-linecap="round">',
    ]
    for stroke in board.drawings[0].strokes:
        match stroke:
            case Segment((x1, y1), (x2, y2)):
                parts.append(f'<line x1="{x1:.4f}" y1="{y1:.4f}" x2="{x2:.4f}" y2="{y2:.4f}"/>')
            case Circle((x, y), radius):
                parts.append(f'<circle cx="{x:.4f}" cy="{y:.4f}" r="{radius:.4f}"/>')
    parts.append("</g>")
    if board.drawings[0].name == "lines":
        parts += [f'<circle cx="{x:.4f}" cy="{y:.4f}" r="0.01" fill="#5a4632"/>' for x, y in board.xy]
    for name, (x, y) in zip(board.points, board.xy, strict=True):
        parts.append(
            f'<text x="{x + 0.55 * stone + 0.012:.4f}" y="{y - 0.55 * stone - 0.008:.4f}" font-size="0.036" '
            f'font-family="sans-serif" fill="#333">{escape(name, quote=False)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


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
