"""What the rules look up again and again, worked out once for each board.

Moves are made here and shared, so that equal moves are the same object and comparing them is cheap.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from referee.board import Board
from referee.moves import Capture, Place, Rotate, Slide

ANY_HEIGHT = 3  # highest tower any of the games allows


class BoardLookup:
    """What is looked up of one board; everything by index of the point."""

    def __init__(self, board: Board) -> None:
        names = board.points
        self.n = len(names)
        self.index = board.index
        self.near = board.neighbours
        self.lines = tuple((line, tuple(names[i] for i in line)) for line in board.lines)
        self.line_bit = {line_names: 1 << k for k, (_, line_names) in enumerate(self.lines)}
        self.lines_at = tuple(
            tuple((*_others(line, i), tuple(names[j] for j in line)) for line in board.lines_through[i])
            for i in range(self.n)
        )
        self.place = tuple(Place(name) for name in names)
        self.take = tuple(Capture(name) for name in names)
        self.take_level = tuple(tuple(Capture(name, k + 1) for k in range(ANY_HEIGHT)) for name in names)
        self.rings = board.rings
        self.rotations = tuple(Rotate(r, steps) for r in range(len(board.rings)) for steps in (1, -1))
        self.tower = tuple((name,) for name in names)
        self.names = names

    @cached_property
    def slide(self) -> tuple[tuple[Slide, ...], ...]:
        """The move from each point (row) to each point (column)."""
        return tuple(tuple(Slide(a, b) for b in self.names) for a in self.names)

    @cached_property
    def lines_on(self) -> tuple[tuple[tuple[tuple[int, int, int], tuple[str, ...]], ...], ...]:
        """For each ring the lines that have a point on it, as in ``lines``."""
        return tuple(tuple(line for line in self.lines if not set(ring).isdisjoint(line[0])) for ring in self.rings)

    @cached_property
    def slides_from(self) -> tuple[tuple[tuple[int, Slide], ...], ...]:
        """For each point its neighbours, each with the move that goes there."""
        return tuple(tuple((b, self.slide[a][b]) for b in self.near[a]) for a in range(self.n))

    @cached_property
    def jumps_from(self) -> tuple[tuple[tuple[int, Slide], ...], ...]:
        """For each point all others, each with the move that goes there."""
        return tuple(tuple((b, move) for b, move in enumerate(row) if b != a) for a, row in enumerate(self.slide))


def _others(line: tuple[int, int, int], point: int) -> tuple[int, int]:
    a, b, c = line
    return (b, c) if point == a else (a, c) if point == b else (a, b)


@lru_cache(maxsize=64)
def lookup_of(board: Board) -> BoardLookup:
    """The tables of ``board``, made at the first call."""
    return BoardLookup(board)
