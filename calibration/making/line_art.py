"""Line drawings by a hand that shakes a little: wobbling strokes, rounds and blobs as SVG; no picture is known here.

The space of a drawing is `WIDTH` times `HEIGHT`, x to the right and y down. The wobble has no random part: the same
stroke is always the same. Lines have the colour of the text around them (``currentColor``); what has the class
``accent`` may get another colour from the page, and what has the class ``paper`` covers what lies below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, hypot, pi, sin

from referee.board import Board, Segment, Stroke, Xy

WIDTH, HEIGHT = 160, 120  # size of a drawing in its own units
LINE = 2.2  # width of a line: drawn 160 px wide, two of the screen's
SWAY = 0.011  # how far a stroke bends to the side, as a share of its length


def picture(*parts: str) -> str:
    """Return a whole drawing; it says nothing to those who cannot see it, because its text stands beside it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="step-drawing" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="{LINE}" stroke-linecap="round" '
        f'stroke-linejoin="round">{"".join(parts)}</svg>'
    )


def ink(*paths: str, kind: str = "", filled: bool = False, dashes: str = "", width: float = LINE) -> str:
    """Return paths as one element.

    Args:
        *paths: As the other functions return them.
        kind: "accent", "paper" or nothing.
        filled: Whether the inside has the colour of the line.
        dashes: An SVG ``stroke-dasharray``; nothing draws without gaps.
        width: Of the line.
    """
    more = {
        "class": kind,
        "fill": "currentColor" if filled else "",
        "stroke": "currentColor" if kind == "accent" else "",
        "stroke-dasharray": dashes,
        "stroke-width": "" if width == LINE else f"{width:g}",
    }
    told = "".join(f' {name}="{value}"' for name, value in more.items() if value)
    return f'<path{told} d="{"".join(paths)}"/>'


def placed(at: Xy, turn_deg: float, *parts: str) -> str:
    """Return parts that were drawn around the origin at another place, turned clockwise about it."""
    return f'<g transform="translate({_xy(at)}) rotate({turn_deg:g})">{"".join(parts)}</g>'


def stroke(*points: Xy, closed: bool = False) -> str:
    """Return a path of nearly straight strokes from point to point."""
    ends = (*points, points[0]) if closed else points
    bends = "".join(_bend(a, b) for a, b in zip(ends, ends[1:], strict=False))
    return f"M{_xy(points[0])}{bends}{'Z' if closed else ''}"


def curve(*points: Xy, closed: bool = False) -> str:
    """Return a smooth path through points (a Catmull-Rom spline)."""
    n = len(points)
    around = [points[i % n] if closed else points[min(max(i, 0), n - 1)] for i in range(-1, n + 2)]
    path = f"M{_xy(points[0])}"
    for i in range(n if closed else n - 1):
        before, a, b, after = around[i : i + 4]
        left = (a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6)
        right = (b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6)
        path += f"C{_xy(left)} {_xy(right)} {_xy(b)}"
    return path + ("Z" if closed else "")


def arc(centre: Xy, radius: float, start_deg: float, end_deg: float, *, squash: float = 1.0) -> str:
    """Return a part of a round from one angle to another, clockwise from the right; ``squash`` makes it lie flat."""
    n = max(3, round(abs(end_deg - start_deg) / 30) + 1)
    angles = [(start_deg + (end_deg - start_deg) * i / (n - 1)) * pi / 180 for i in range(n)]
    return curve(*((centre[0] + radius * cos(t), centre[1] + radius * squash * sin(t)) for t in angles))


def ring(centre: Xy, radius: float, *, squash: float = 1.0, wobble: float = 0.012) -> str:
    """Return a closed round whose radius changes by ``wobble`` of itself."""
    n = 14 if radius > 6 else 8
    shift = centre[0] * 0.37 + centre[1] * 0.73 + radius
    points = []
    for i in range(n):
        t = 2 * pi * i / n
        r = radius * (1 + wobble * (sin(2 * t + shift) + sin(3 * t + 2 * shift)))
        points.append((centre[0] + r * cos(t), centre[1] + r * squash * sin(t)))
    return curve(*points, closed=True)


def pebble(centre: Xy, radius: float) -> str:
    """Return the outline of a pebble: no two in a drawing are alike."""
    return ring(centre, radius, squash=0.88 + 0.06 * sin(centre[0] * 1.3 + centre[1]), wobble=0.05)


def board_lines(board: Board, centre: Xy, reach: float, *, is_round: bool = False) -> tuple[str, ...]:
    """Return the strokes of a board after its first drawing, one path each.

    ``reach`` is how far from ``centre`` its strokes come to lie: to the right or left, up or down on a sheet, in any
    direction on what ``is_round``.
    """
    size = hypot if is_round else lambda x, y: max(abs(x), abs(y))
    painted = board.drawings[0].strokes
    scale = reach / max(size(x - 0.5, y - 0.5) for one in painted for x, y in _extremes(one))

    def there(place: Xy) -> Xy:
        return centre[0] + (place[0] - 0.5) * scale, centre[1] + (place[1] - 0.5) * scale

    def path(one: Stroke) -> str:
        if isinstance(one, Segment):
            return stroke(there(one.start), there(one.end))
        return ring(there(one.centre), one.radius * scale)

    return tuple(path(one) for one in painted)


def _extremes(one: Stroke) -> tuple[Xy, ...]:
    """Return places of a stroke among which is the farthest from the middle of the board, nearly."""
    if isinstance(one, Segment):
        return one.start, one.end
    (x, y), r = one.centre, one.radius
    return (x - r, y), (x + r, y), (x, y - r), (x, y + r)


def stones(heaps: Sequence[int], box: tuple[float, float, float, float]) -> str:
    """Return the stones of all players, a heap each; the heaps differ in more than colour.

    Args:
        heaps: How many stones each player has.
        box: Where the heaps lie.
    """
    left, top, width, height = box
    wide = width / len(heaps)
    columns = 3 if max(heaps) <= 9 else 4
    rows = -(-max(heaps) // columns)
    step = min((wide - 8) / columns, height / rows)
    parts = []
    for player, n in enumerate(heaps):
        middle = left + wide * (player + 0.5)
        for i in range(n):
            row, column = divmod(i, columns)
            shift = step * 0.16 * (1 if row % 2 else -1)
            at = (middle + (column - (columns - 1) / 2) * step + shift, top + height - (row + 0.5) * step)
            parts.append(_stone(at, step * 0.41, player))
    return "".join(parts)


def _stone(at: Xy, radius: float, player: int) -> str:
    """Return a stone: bare, full, striped, dotted, with a cross or a ring, by player."""
    outline = pebble(at, radius)
    if player == 1:
        return ink(outline, kind="accent", filled=True)
    x, y = at
    inside = radius * 0.55
    marks: tuple[Iterable[str], ...] = (
        (),
        (),
        (stroke((x - inside, y + inside * 0.2), (x + inside * 0.2, y - inside)),
         stroke((x - inside * 0.2, y + inside), (x + inside, y - inside * 0.2))),
        (ring(at, radius * 0.2),),
        (stroke((x - inside, y), (x + inside, y)), stroke((x, y - inside), (x, y + inside))),
        (ring(at, radius * 0.5),),
    )  # fmt: skip
    return ink(outline) + "".join(ink(mark, kind="accent") for mark in marks[player % len(marks)])


def _bend(a: Xy, b: Xy) -> str:
    """Return the cubic from ``a`` to ``b`` that sways first to one side, then less to the other."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    sway = SWAY * sin(1.7 + 0.31 * (a[0] + 2 * a[1] + 3 * b[0] + 5 * b[1]))
    left = (a[0] + 0.3 * dx - sway * dy, a[1] + 0.3 * dy + sway * dx)
    right = (a[0] + 0.7 * dx + 0.8 * sway * dy, a[1] + 0.7 * dy - 0.8 * sway * dx)
    return f"C{_xy(left)} {_xy(right)} {_xy(b)}"


def _xy(place: Xy) -> str:
    return f"{round(place[0], 1):g} {round(place[1], 1):g}"
