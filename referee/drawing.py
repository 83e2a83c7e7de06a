"""A board, with or without stones, as SVG and as text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import cos, dist, pi, sin

from referee.board import Board, Circle, Segment, Xy
from referee.position import Position

PAINTS = ("#a83a2c", "#5b6770", "#2c6aa8", "#3f7d3a", "#c79a2b", "#7a4a8c")
"""Fill of each player's stones, where no colours are given."""

SIGNS = "OX#%&@"
"""Sign of each player's stones in text."""

_MARGIN = 0.1
_TEXT_COLUMNS, _TEXT_ROWS = 61, 31


def board_svg(
    board: Board, position: Position | None = None, paints: Sequence[str] = PAINTS, *, names: bool = True
) -> str:
    """The board as an SVG document in the unit square, with the names of its points; a tower shows all its stones."""
    stone = _stone_radius(board)
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
    for point, stack in enumerate(position.stacks if position is not None else ()):
        x, y = board.xy[point]
        for level, piece in enumerate(stack):
            paint = escape(paints[piece.paint % len(paints)])
            cy = y - 0.25 * stone * level
            parts.append(
                f'<circle cx="{x:.4f}" cy="{cy:.4f}" r="{stone:.4f}" fill="{paint}" '
                'stroke="#fff" stroke-width="0.006"/>'
            )
    if names:
        for name, (x, y) in zip(board.points, board.xy, strict=True):
            parts.append(
                f'<text x="{x + 0.55 * stone + 0.012:.4f}" y="{y - 0.55 * stone - 0.008:.4f}" font-size="0.036" '
                f'font-family="sans-serif" fill="#333">{escape(name, quote=False)}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def board_text(board: Board, position: Position | None = None) -> str:
    """The board in characters: names of the points, or the stones of ``position`` (a tower bottom first).

    >>> from referee.layouts import SIX_MENS_MORRIS
    >>> print(board_text(SIX_MENS_MORRIS).splitlines()[0])
    a5----------------------------c5----------------------------e5
    """
    rows = [[" "] * (_TEXT_COLUMNS + 4) for _ in range(_TEXT_ROWS)]
    for stroke in board.drawings[0].strokes:
        if isinstance(stroke, Segment):
            _draw_segment(rows, stroke.start, stroke.end)
        elif stroke.radius > 0.15:  # a rim; the rims of holes are too small for characters
            _draw_circle(rows, stroke)
    for point, (x, y) in enumerate(board.xy):
        word = board.points[point]
        if position is not None:
            word = "".join(SIGNS[stone.owner] for stone in position.stacks[point]) or "."
        column, row = _cell((x, y))
        for k, sign in enumerate(word):
            rows[row][column + k] = sign
    return "\n".join("".join(row).rstrip() for row in rows)


def _stone_radius(board: Board) -> float:
    """A third of the least distance between two points, at most 0.05."""
    return min(0.05, min(dist(a, b) for i, a in enumerate(board.xy) for b in board.xy[:i]) / 3)


def _cell(place: Xy) -> tuple[int, int]:
    x, y = place
    return round(x * (_TEXT_COLUMNS - 1)), round(y * (_TEXT_ROWS - 1))


def _draw_segment(rows: list[list[str]], start: Xy, end: Xy) -> None:
    (c1, r1), (c2, r2) = _cell(start), _cell(end)
    steps = max(abs(c2 - c1), abs(r2 - r1), 1)
    sign = "-" if abs(r2 - r1) <= 1 else "|" if abs(c2 - c1) <= 1 else "\\" if (c2 - c1) * (r2 - r1) > 0 else "/"
    for k in range(steps + 1):
        rows[round(r1 + (r2 - r1) * k / steps)][round(c1 + (c2 - c1) * k / steps)] = sign


def _draw_circle(rows: list[list[str]], circle: Circle) -> None:
    x, y = circle.centre
    for k in range(240):
        angle_rad = 2 * pi * k / 240
        column, row = _cell((x + circle.radius * cos(angle_rad), y + circle.radius * sin(angle_rad)))
        rows[row][column] = "."
