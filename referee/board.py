"""A board as data: its points, neighbours, lines for mills, and drawings.

One geometry serves rules, camera and page. Board space is the unit square, x to the right and y DOWN (so that
the page can draw it as it stands); the first player sits at the bottom, so ``a1`` is at the lower left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import dist

Xy = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight stroke of paint or wool, in board space."""

    start: Xy
    end: Xy

    @property
    def ends(self) -> tuple[Xy, ...]:
        """Both ends."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Circle:
    """A round stroke: a ring to play on, the rim of a disc, or the rim of a hole; in board space."""

    centre: Xy
    radius: float

    @property
    def ends(self) -> tuple[Xy, ...]:
        """The outermost places: to the left and right, above and below."""
        (x, y), r = self.centre, self.radius
        return (x - r, y), (x + r, y), (x, y - r), (x, y + r)


Stroke = Segment | Circle


@dataclass(frozen=True, slots=True)
class Drawing:
    """One way in which a board is painted."""

    # what people call it: "lines", "cells" (a hash grid with stones in the cells), "framed" (the same in a frame) or
    # "holes"
    name: str
    strokes: tuple[Stroke, ...]  # everything that is painted, in board space


@dataclass(frozen=True)
class Board:
    """The geometry of a game; it says nothing about who stands where.

    Raises ValueError when names repeat, or an edge, line or ring names a point that is not there.
    """

    name: str  # the board's name on the command line
    points: tuple[str, ...]  # names of the points; indices into this tuple are used wherever speed matters
    xy: tuple[Xy, ...]  # ideal place of each point in board space (unit square, y down)
    edges: tuple[tuple[int, int], ...]  # pairs of neighbouring points, lower index first
    lines: tuple[tuple[int, int, int], ...]  # triples of points on which a mill can stand
    drawings: tuple[Drawing, ...]  # the ways in which the board is painted, the most usual first
    # circles of points that can turn, outermost first, each clockwise seen from above
    rings: tuple[tuple[int, ...], ...] = field(default=())
    stackable: bool = False  # whether stones may lie on stones

    def __post_init__(self) -> None:
        n = len(self.points)
        if len(set(self.points)) != n:
            raise ValueError(f"points of {self.name!r} must have different names, got {self.points!r}")
        if len(self.xy) != n:
            raise ValueError(f"xy of {self.name!r} must have one place for each of {n} points, got {len(self.xy)}")
        for kind, groups in (("edge", self.edges), ("line", self.lines), ("ring", self.rings)):
            for group in groups:
                if len(set(group)) != len(group) or not all(0 <= i < n for i in group):
                    raise ValueError(f"{kind} of {self.name!r} must name different points below {n}, got {group!r}")

    def drawing(self, name: str) -> Drawing:
        """The drawing of a name, which must be one of this board."""
        return {drawing.name: drawing for drawing in self.drawings}[name]

    @cached_property
    def least_gap(self) -> float:
        """The least distance between two points, board space."""
        return min(dist(a, b) for i, a in enumerate(self.xy) for b in self.xy[:i])

    @cached_property
    def index(self) -> dict[str, int]:
        """From the name of a point to its index."""
        return {name: i for i, name in enumerate(self.points)}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each point the points next to it, in order."""
        near: list[set[int]] = [set() for _ in self.points]
        for a, b in self.edges:
            near[a].add(b)
            near[b].add(a)
        return tuple(tuple(sorted(s)) for s in near)

    @cached_property
    def lines_through(self) -> tuple[tuple[tuple[int, int, int], ...], ...]:
        """For each point the lines that run through it."""
        return tuple(tuple(line for line in self.lines if i in line) for i in range(len(self.points)))
