"""A position as a drawing: the board, its stones and the last turn, for pictures that leave the program.

The running page lays its stones with ``static/board.js``; both use the shapes of `web.drawing.board_svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from referee.board import Xy
from referee.game import Game
from referee.moves import Capture, Place, Rotate, Slide
from web.drawing.board_svg import N_PEBBLE_SHAPES, SCALE, BoardDrawing, draw_board
from web.drawing.colour_names import painted

PAINTS = ("#a8402f", "#d9d3c7", "#3f5f94", "#d6a52b", "#3f7a4c", "#3b3733")
"""Stones whose colour was never seen; the same as ``--p1`` to ``--p6`` in style.css."""

STEP_UP, STEP_ASIDE = 0.5, 0.1  # a stone on top of another lies so far up and to the right, in radii; as in board.js


@dataclass(frozen=True, slots=True)
class StoneDrawing:
    """A stone: where it lies (drawing space), whose paint it has (1 first), its outline, and how it is turned."""

    x: float
    y: float
    paint: int
    shape: int
    turn_deg: int


@dataclass(frozen=True, slots=True)
class PositionDrawing:
    """A position in drawing space.

    Attributes
    ----------
    board : BoardDrawing
    stones : tuple of StoneDrawing
        From the one farthest away to the nearest, bottom first.
    paints : tuple of str
        ``#rrggbb`` of each player's stones.
    mills : tuple of str
        Paths of the complete lines.
    rings : tuple of (x, y)
        Where stones came to lie in the last turn.
    ghosts : tuple of (x, y)
        Where they came from.
    taken : tuple of (x, y)
        Where stones were taken.
    arrows : tuple of str
        Paths from a ghost to a ring.
    """

    board: BoardDrawing
    stones: tuple[StoneDrawing, ...]
    paints: tuple[str, ...]
    mills: tuple[str, ...] = ()
    rings: tuple[Xy, ...] = ()
    ghosts: tuple[Xy, ...] = ()
    taken: tuple[Xy, ...] = ()
    arrows: tuple[str, ...] = ()


def draw_position(game: Game, colours: Sequence[str]) -> PositionDrawing:
    """Draw what lies on the table now, with the turn that led there.

    Parameters
    ----------
    game : Game
    colours : sequence of str, by player
        ``#rrggbb`` of the stones as a camera saw them, empty where unknown.
    """
    position = game.position
    board = draw_board(position.board)
    at = {name: (x, y) for name, x, y in board.points}
    stones = [
        StoneDrawing(
            at[name][0] + level * board.stone * STEP_ASIDE,
            at[name][1] - level * board.stone * STEP_UP,
            stone.paint + 1,
            (seed_of(name) + level) % N_PEBBLE_SHAPES,
            (seed_of(name) + level) * 47 % 360,
        )
        for name, stack in zip(position.board.points, position.stacks, strict=True)
        for level, stone in enumerate(stack)
    ]
    complete = {
        " ".join(position.board.points[i] for i in line)
        for line in position.board.lines
        if any(
            stones_[0].owner == stones_[1].owner == stones_[2].owner
            for stones_ in zip(*(position.stacks[i] for i in line), strict=False)
        )
    }
    seen = painted(colours)
    paints = tuple(
        seen[k] if k < len(seen) and seen[k] else PAINTS[k % len(PAINTS)] for k in range(game.variant.players)
    )
    last = game.turns[-1].moves if game.turns and not game.pending else game.pending
    slides = [move for move in last if isinstance(move, Slide)]
    return PositionDrawing(
        board,
        tuple(stones),
        paints,
        mills=tuple(path for names, path in board.lines if names in complete),
        rings=tuple(at[move.to] for move in last if isinstance(move, Place | Slide)),
        ghosts=tuple(at[move.start] for move in slides),
        taken=tuple(at[move.at] for move in last if isinstance(move, Capture)),
        arrows=tuple(_way(at[move.start], at[move.to], board.stone) for move in slides)
        + tuple(arrow for move in last if isinstance(move, Rotate) for arrow in _turning(move, at, board)),
    )


def seed_of(name: str) -> int:
    """A number that gives each point a pebble of its own; as in board.js."""
    seed = 0
    for letter in name:
        seed = seed * 7 + ord(letter)
    return seed


def _way(start: Xy, to: Xy, stone: float) -> str:
    """A bent way that ends short of both stones; as in board.js."""
    dx, dy = to[0] - start[0], to[1] - start[1]
    length = hypot(dx, dy) or 1.0
    leave, arrive, bend = 0.5 * stone, 0.95 * stone, min(0.12 * length, 0.06 * SCALE)
    x1, y1 = start[0] + dx / length * leave, start[1] + dy / length * leave
    x2, y2 = to[0] - dx / length * arrive, to[1] - dy / length * arrive
    xm, ym = (x1 + x2) / 2 - dy / length * bend, (y1 + y2) / 2 + dx / length * bend
    return f"M{x1:.1f},{y1:.1f}Q{xm:.1f},{ym:.1f} {x2:.1f},{y2:.1f}"


def _turning(move: Rotate, at: dict[str, Xy], board: BoardDrawing) -> list[str]:
    """Short arrows along a ring that was turned, at every third of it."""
    names = board.rings.split("|")[move.ring].split(" ")
    n = len(names)
    return [_way(at[names[(k - move.steps) % n]], at[names[k]], 0.8 * board.stone) for k in range(0, n, max(1, n // 3))]
