"""A position as a drawing, for pictures that leave the program; the page has ``static/board/board.js`` of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

from referee.board import Xy
from referee.game import Game
from referee.moves import Capture, Place, Rotate, Slide
from web.colour_names import display_colours
from web.drawing.board_svg import DRAWING_SIDE, N_PEBBLE_SHAPES, BoardDrawing, draw_board

DEFAULT_STONE_COLOURS = ("#a8402f", "#d9d3c7", "#3f5f94", "#d6a52b", "#3f7a4c", "#3b3733")
"""Colours, by player, of stones that no camera has seen; the same as ``--p1`` to ``--p6`` in style.css."""

HEM_INSET = 64.0
"""From the edge of the drawing to the middle of the hem, where files and ranks are named; as in point_names.js."""

LABEL_REACH, N_SIDES = 38.0, 16
"""Distance of a name from the stone beside it, in drawing space, and directions that are tried."""

STACK_STEP_UP, STACK_STEP_RIGHT = 0.5, 0.1
"""Offset of a stone that lies on another one, in radii of a stone; the same as in board.js."""


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
    """A position and the last turn, in drawing space."""

    board: BoardDrawing
    stones: tuple[StoneDrawing, ...]  # as they are painted: far ones first, and the bottom of a stack before its top
    paints: tuple[str, ...]  # ``#rrggbb`` of each player's stones
    mills: tuple[str, ...] = ()  # paths of the lines that are complete
    arrivals: tuple[Xy, ...] = ()  # where the last turn put stones,
    departures: tuple[Xy, ...] = ()  # moved them away,
    captures: tuple[Xy, ...] = ()  # and took them
    arrows: tuple[str, ...] = ()  # paths from a departure to its arrival, and along a ring that was rotated


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
    shown = display_colours(colours)
    paints = tuple(
        shown[k] if k < len(shown) and shown[k] else DEFAULT_STONE_COLOURS[k % len(DEFAULT_STONE_COLOURS)]
        for k in range(game.variant.players)
    )
    last = game.turns[-1].moves if game.turns and not game.pending else game.pending
    slides = [move for move in last if isinstance(move, Slide)]
    return PositionDrawing(
        board,
        tuple(stones),
        paints,
        mills=tuple(path for names, path in board.lines if names in complete),
        arrivals=tuple(at[move.to] for move in last if isinstance(move, Place | Slide)),
        departures=tuple(at[move.start] for move in slides),
        captures=tuple(at[move.at] for move in last if isinstance(move, Capture)),
        arrows=tuple(_arrow_path(at[move.start], at[move.to], board.stone_radius) for move in slides)
        + tuple(arrow for move in last if isinstance(move, Rotate) for arrow in _rotation_arrows(move, at, board)),
    )


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
    leave, arrive, bend = 0.5 * stone_radius, 0.95 * stone_radius, min(0.12 * length, 0.06 * DRAWING_SIDE)
    x1, y1 = start[0] + dx / length * leave, start[1] + dy / length * leave
    x2, y2 = to[0] - dx / length * arrive, to[1] - dy / length * arrive
    xm, ym = (x1 + x2) / 2 - dy / length * bend, (y1 + y2) / 2 + dx / length * bend
    return f"M{x1:.1f},{y1:.1f}Q{xm:.1f},{ym:.1f} {x2:.1f},{y2:.1f}"


def _rotation_arrows(move: Rotate, at: dict[str, Xy], board: BoardDrawing) -> list[str]:
    """Return the paths of short arrows along a ring that was rotated, at every third of it."""
    names = board.rings.split("|")[move.ring].split(" ")
    n = len(names)
    return [
        _arrow_path(at[names[(k - move.steps) % n]], at[names[k]], 0.8 * board.stone_radius)
        for k in range(0, n, max(1, n // 3))
    ]
