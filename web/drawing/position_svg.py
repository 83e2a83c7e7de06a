"""A position in, its drawing as SVG out, for pictures that leave the program; the page has ``static/board/marks.js``.

Shapes and stones are computed once: they become an SVG here, and pixels in `web.drawing.game_gif`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, hypot, pi, sin

from referee.board import Board, Xy
from referee.game import Game
from referee.moves import Capture, Place, Rotate, Slide
from web.colour_names import display_colours
from web.drawing.board_svg import (
    DRAWING_SIDE,
    N_PEBBLE_SHAPES,
    PEBBLE_RADIUS,
    PEBBLE_SPECKS,
    PEBBLE_VEINS,
    BoardDrawing,
    draw_board,
    pebble_shapes,
)  # fmt: skip

DEFAULT_STONE_COLOURS = ("#a8402f", "#d9d3c7", "#3f5f94", "#d6a52b", "#3f7a4c", "#3b3733")
"""Colours, by player, of stones that no camera has seen; the same as ``--p1`` to ``--p6`` in style.css."""

CLOTH, FRINGE, HEM, YARN, TWIST, HOLLOW = "#f8f0df", "#d3bf95", "#cdb88d", "#40633f", "#5a7c57", "#e2d4b8"
"""Colours of the board: those of the light theme in style.css."""

GOLD, SOFT_INK = "#d99a1f", "#6a5a49"
"""Colours of marks: those of the light theme in style.css."""

HEM_INSET = 64.0
"""From the edge of the drawing to the middle of the hem, where files and ranks are named; as in point_names.js."""

LABEL_REACH, N_SIDES = 38.0, 16
"""Distance of a name from the stone beside it, in drawing space, and directions that are tried."""

STACK_STEP_UP, STACK_STEP_RIGHT = 0.5, 0.1
"""Offset of a stone that lies on another one, in radii of a stone; the same as in geometry.js."""

EDGE, SHADE, VEIN_SHARE = "#1a120a", 0.42, 0.55  # a stone's dark side: its colour and share, and the share of a vein's
LIGHT_SHARE, LIGHT_END = (
    0.34,
    0.45,
)  # share of white where a stone's light is brightest, and where its own colour begins

KNOT, GOAL_RING, START_RING, CROSS_ARM, OWNER_RING = 0.22, 1.24, 0.8, 0.42, 1.02
"""Radii of marks, and the arm of the cross on a stone that was taken, in radii of a stone; as in marks.js."""

ARROW_LEAVES, ARROW_ARRIVES = 0.5, 0.95  # distances of an arrow from the middles of its points, in radii of a stone
ARROW_BEND, MAX_ARROW_BEND = 0.12, 0.06  # bend of an arrow as a share of its length, and at most of the board's side

CIRCLE = 0.5523  # distance of the control points of a Bezier curve along a quarter of the unit circle


@dataclass(frozen=True, slots=True)
class Shape:
    """A path in drawing space (M, L, C, Q, Z), filled, or drawn as a line."""

    path: str
    fill: str = "none"
    stroke: str = "none"
    width: float = 0.0
    dash: str = ""
    is_arrow: bool = False


@dataclass(frozen=True, slots=True)
class StoneDrawing:
    """One stone in drawing space; where it is painted for another player a ring has the colour of its owner."""

    x: float  # of its centre
    y: float
    paint: int  # player whose colour it has, 1 first
    shape: int  # index of its outline in `pebble_shapes`
    turn_deg: int  # rotation of the outline
    owner: int  # player whom it belongs to, 1 first


@dataclass(frozen=True, slots=True)
class PositionDrawing:
    """A position and the last turn as layers, in the order of painting."""

    board: BoardDrawing
    under: tuple[Shape, ...]  # the cloth, the lines, and what is marked below the stones
    stones: tuple[StoneDrawing, ...]  # far ones first, and the bottom of a stack before its top
    over: tuple[Shape, ...]  # what is marked above the stones
    paints: tuple[str, ...]  # ``#rrggbb`` of each player's stones


def draw_position(game: Game, colours: Sequence[str]) -> PositionDrawing:
    """Return the drawing of a position, its mills and the turn that led to it; ``colours`` are as a camera saw them."""
    position = game.position
    board = draw_board(position.board)
    at = {name: (x, y) for name, x, y in board.points}
    stones = [
        StoneDrawing(
            at[name][0] + level * board.stone_radius * STACK_STEP_RIGHT,
            at[name][1] - level * board.stone_radius * STACK_STEP_UP,
            stone.paint + 1,
            (_pebble_seed(name) + level) % N_PEBBLE_SHAPES,
            (_pebble_seed(name) + level) * 47 % 360,
            stone.owner + 1,
        )
        for name, stack in zip(position.board.points, position.stacks, strict=True)
        for level, stone in enumerate(stack)
    ]
    complete = {" ".join(mill) for mill in position.standing_mills}
    mills = tuple(Shape(path, stroke=GOLD, width=34) for names, path in board.lines if names in complete)
    inks = display_colours(colours)
    paints = tuple(
        inks[k] if k < len(inks) and inks[k] else DEFAULT_STONE_COLOURS[k % len(DEFAULT_STONE_COLOURS)]
        for k in range(game.variant.players)
    )
    under, over = _marks(game, board, at)
    return PositionDrawing(board, (*_cloth(board), *mills, *_knots(board), *under), tuple(stones), over, paints)


def render_position_svg(game: Game, colours: Sequence[str], title: str, *, names: bool = True) -> str:
    """Return the present position of a game as an SVG; see `draw_position`."""
    return position_svg(draw_position(game, colours), title, names=names)


def empty_board_svg(board: Board) -> str:
    """Return a board without stones as an SVG, with the names of its points."""
    drawing = draw_board(board)
    return position_svg(PositionDrawing(drawing, (*_cloth(drawing), *_knots(drawing)), (), (), ()), board.name)


def _cloth(board: BoardDrawing) -> Iterator[Shape]:
    yield Shape(board.cloth, stroke=FRINGE, width=30, dash="4 7")
    yield Shape(board.cloth, fill=CLOTH)
    yield Shape(board.hem, stroke=HEM, width=5, dash="22 15")
    yield from (Shape(yarn, stroke=YARN, width=19) for yarn in board.yarns)
    yield from (Shape(yarn, stroke=TWIST, width=12, dash="7 9") for yarn in board.yarns)
    yield from (Shape(_circle((x, y), radius), HOLLOW, YARN, 5) for x, y, radius in board.holes)


def _knots(board: BoardDrawing) -> Iterator[Shape]:
    if board.drawing == "lines":
        yield from (Shape(_circle((x, y), KNOT * board.stone_radius), fill=YARN) for _, x, y in board.points)


def _marks(game: Game, board: BoardDrawing, at: dict[str, Xy]) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """Return the marks of the last turn below and above the stones, as `marks` in marks.js does."""
    under, over, r = [], [], board.stone_radius
    for move in game.turns[-1].moves if game.turns and not game.pending else game.pending:
        if isinstance(move, Place | Slide):
            under.append(Shape(_circle(at[move.to], GOAL_RING * r), stroke=GOLD, width=11, dash="26 15"))
        if isinstance(move, Slide):
            under.append(Shape(_circle(at[move.start], START_RING * r), stroke=SOFT_INK, width=6, dash="4 14"))
            over.append(_arrow_path(at[move.start], at[move.to], r))
        if isinstance(move, Capture):
            (x, y), a = at[move.at], CROSS_ARM * r
            cross = f"M{x - a:.1f},{y - a:.1f}L{x + a:.1f},{y + a:.1f}M{x + a:.1f},{y - a:.1f}L{x - a:.1f},{y + a:.1f}"
            under.append(Shape(cross, stroke=SOFT_INK, width=11))
        if isinstance(move, Rotate):
            over.extend(_rotation_arrows(move, at, board))
    return tuple(under), tuple(Shape(path, stroke=GOLD, width=17, is_arrow=True) for path in over)


def _circle(centre: Xy, r: float) -> str:
    (x, y), k = centre, CIRCLE * r
    ways = ((1, 0), (0, -1), (-1, 0), (0, 1))  # along each quarter from one of them to the next
    path = f"M{x + r:.1f},{y:.1f}"
    for (a, b), (c, d) in zip(ways, (*ways[1:], ways[0]), strict=True):
        near, far = (x + r * a + k * c, y + r * b + k * d), (x + r * c + k * a, y + r * d + k * b)
        path += f"C{near[0]:.1f},{near[1]:.1f} {far[0]:.1f},{far[1]:.1f} {x + r * c:.1f},{y + r * d:.1f}"
    return path + "Z"


# ---------------------------------------------------------------- as SVG


def position_svg(drawing: PositionDrawing, title: str, *, names: bool = True) -> str:
    """Return a drawing as an SVG that needs no style sheet and no other file."""
    board = drawing.board
    labels = [
        f'<text x="{x:.1f}" y="{y + 14:.1f}">{escape(name)}</text>'
        for name, x, y in (point_labels(board) if names else ())
    ]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{board.view_box}" role="img" aria-labelledby="title">',
            f'<title id="title">{escape(title)}</title>',
            *_definitions(drawing.paints if drawing.stones else ()),
            *map(_path, drawing.under),
            *(_stone(stone, drawing) for stone in drawing.stones),
            *map(_path, drawing.over),
            """<g font-family="Nunito, 'Segoe UI', sans-serif" font-size="40" font-weight="700" text-anchor="middle" """
            f'fill="{YARN}" stroke="{CLOTH}" stroke-width="10" paint-order="stroke">',
            *labels,
            "</g></svg>\n",
        )
    )


def _definitions(paints: Sequence[str]) -> Iterator[str]:
    yield "<defs>"
    for k, outline in enumerate(pebble_shapes() if paints else ()):
        yield f'<clipPath id="clip-{k}"><path d="{outline}"/></clipPath>'
    for k, paint in enumerate(paints, start=1):
        tones = (
            (0, mix_colours(paint, "#ffffff", LIGHT_SHARE)),
            (LIGHT_END, paint),
            (1, mix_colours(paint, EDGE, SHADE)),
        )
        stops = "".join(f'<stop offset="{offset}" stop-color="{tone}"/>' for offset, tone in tones)
        yield f'<radialGradient id="paint-{k}" cx="0.36" cy="0.28" r="0.86">{stops}</radialGradient>'
    for name, colour, first, opacity in (("shadow", "#1c140a", 0.55, 0.5), ("shine", "#fff", 0, 0.75)):
        yield (
            f'<radialGradient id="{name}"><stop offset="{first}" stop-color="{colour}" stop-opacity="{opacity}"/>'
            f'<stop offset="1" stop-color="{colour}" stop-opacity="0"/></radialGradient>'
        )
    yield (
        '<marker id="head" viewBox="0 0 10 10" refX="5.5" refY="5" markerWidth="3.1" markerHeight="3.1" orient="auto">'
        f'<path d="M0.8 0.8L9.2 5L0.8 9.2L2.6 5z" fill="{GOLD}"/></marker></defs>'
    )


def _path(shape: Shape) -> str:
    line = f' stroke="{shape.stroke}" stroke-width="{shape.width}" stroke-linecap="round" stroke-linejoin="round"'
    dash = f' stroke-dasharray="{shape.dash}"' if shape.dash else ""
    head = ' marker-end="url(#head)"' if shape.is_arrow else ""
    return f'<path d="{shape.path}" fill="{shape.fill}"{line if shape.width else ""}{dash}{head}/>'


def _stone(stone: StoneDrawing, drawing: PositionDrawing) -> str:
    """Return a stone as `pebble.js` draws it."""
    paint, radius = drawing.paints[stone.paint - 1], drawing.board.stone_radius
    vein, ink = vein_of(stone.paint), vein_colour(paint, stone.paint)
    edge = mix_colours(paint, EDGE, VEIN_SHARE)
    specks = "".join(f'<circle cx="{x}" cy="{y}" r="{r}" fill="{edge}" opacity="0.35"/>' for x, y, r in PEBBLE_SPECKS)
    veins = f'<path d="{vein}" fill="none" stroke="{ink}" stroke-width="12" opacity="0.8"/>' if vein else ""
    return (
        f'<g transform="translate({stone.x:.1f} {stone.y:.1f}) scale({radius / PEBBLE_RADIUS:.4f})">'
        '<ellipse cx="7" cy="20" rx="122" ry="108" fill="url(#shadow)"/>'
        f'<path d="{pebble_shapes()[stone.shape]}" fill="url(#paint-{stone.paint})" '
        f'stroke="{edge}" stroke-width="2.5"/>'
        f'<g clip-path="url(#clip-{stone.shape})"><g transform="rotate({stone.turn_deg})">{specks}{veins}</g></g>'
        '<ellipse cx="-34" cy="-38" rx="42" ry="27" transform="rotate(-32 -34 -38)" fill="url(#shine)"/></g>'
    ) + "".join(map(_path, owner_ring(stone, drawing)))


def vein_of(paint: int) -> str:
    """Return the path of the veins of a player's stones; empty for the first."""
    return PEBBLE_VEINS[(paint - 1) % len(PEBBLE_VEINS)]


def vein_colour(colour: str, paint: int) -> str:
    """Return the colour of the veins of a player's stones of this colour."""
    return mix_colours(colour, "#241a10" if paint == 2 else "#ffffff", VEIN_SHARE)


def owner_ring(stone: StoneDrawing, drawing: PositionDrawing) -> Iterator[Shape]:
    """Yield the ring around a stone that is painted for another player than its owner."""
    if stone.owner != stone.paint:
        around = _circle((stone.x, stone.y), OWNER_RING * drawing.board.stone_radius)
        yield Shape(around, stroke=drawing.paints[stone.owner - 1], width=13)


def mix_colours(colour: str, other: str, share: float) -> str:
    """Return ``colour`` with a share (0 to 1) of ``other``; all are ``#rrggbb``."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def point_labels(board: BoardDrawing) -> tuple[tuple[str, float, float], ...]:
    """Return the names of the points and where they stand, clear of every stone.

    Letters and numbers in the hem where points form files and ranks, else names on the side farthest from others.
    """
    left, top, side, _ = map(float, board.view_box.split())
    files = {name[0]: (x, top + side - HEM_INSET) for name, x, _ in board.points}
    ranks = {name[1:]: (left + HEM_INSET, y) for name, _, y in board.points}
    if all(name[1:] and abs(x - files[name[0]][0]) + abs(y - ranks[name[1:]][1]) < 1 for name, x, y in board.points):
        return tuple((text, *at) for text, at in (*files.items(), *ranks.items()))
    far = board.stone_radius + LABEL_REACH
    labels = []
    for name, x, y in board.points:
        sides = [(x + far * cos(2 * pi * k / N_SIDES), y + far * sin(2 * pi * k / N_SIDES)) for k in range(N_SIDES)]
        others = [(at_x, at_y) for other, at_x, at_y in board.points if other != name]
        labels.append((name, *max(sides, key=lambda at: min(hypot(at[0] - a, at[1] - b) for a, b in others))))
    return tuple(labels)


def _pebble_seed(name: str) -> int:
    """Return the number that gives each point a pebble of its own; the same as in board.js."""
    seed = 0
    for letter in name:
        seed = seed * 7 + ord(letter)
    return seed


def _arrow_path(start: Xy, to: Xy, stone_radius: float) -> str:
    """Return a bent path that keeps a distance from both stones; the same as in board.js."""
    dx, dy = to[0] - start[0], to[1] - start[1]
    length = hypot(dx, dy) or 1.0
    leave, arrive = ARROW_LEAVES * stone_radius, ARROW_ARRIVES * stone_radius
    bend = min(ARROW_BEND * length, MAX_ARROW_BEND * DRAWING_SIDE)
    x1, y1 = start[0] + dx / length * leave, start[1] + dy / length * leave
    x2, y2 = to[0] - dx / length * arrive, to[1] - dy / length * arrive
    xm, ym = (x1 + x2) / 2 - dy / length * bend, (y1 + y2) / 2 + dx / length * bend
    return f"M{x1:.1f},{y1:.1f}Q{xm:.1f},{ym:.1f} {x2:.1f},{y2:.1f}"


def _rotation_arrows(move: Rotate, at: dict[str, Xy], board: BoardDrawing) -> list[str]:
    """Return the paths of short arrows along a ring that was rotated, at every third of it."""
    names = board.rings.split("|")[move.ring].split(" ")
    n = len(names)
    return [
        _arrow_path(at[names[(k - move.steps) % n]], at[names[k]], START_RING * board.stone_radius)
        for k in range(0, n, max(1, n // 3))
    ]
