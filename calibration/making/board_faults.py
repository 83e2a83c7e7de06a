"""What a check of a board says, as values: the faults that there are, and everything that was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Float64Array

FAULT_KINDS = (
    "missing_link", "pale_line", "crooked_corner", "alike_paints", "paint_like_cloth", "glare", "too_small", "cut_off",
)  # fmt: skip
"""Kinds of faults, in the order in which they are told: what the board lacks, then its stones, then the picture."""


@dataclass(frozen=True, eq=False)
class BoardFault:
    """One thing that is not as it should be.

    Attributes:
        kind: One of `FAULT_KINDS`.
        points: Where: the two ends of a line, a corner, or every point concerned. Where stones stand in cells, the
            cells on one side of a line.
        beside: Where stones stand in cells, those on the other side of the line, or along a line at the rim, which has
            no `points`; else empty.
        amount: How bad. Lines: contrast as a share of that of the others. Corner: distance from its place as a share of
            the board's span. Paints: share of the stones that will be mistaken; 0.5 where they all look the same.
            Glare: area of the lamp at the worst point, in places of a stone; 0 where it only pales lines. Size: px
            across a stone where it is smallest. Cut off: share of the points.
        colours: ``#rrggbb`` of what is hard to tell; else empty.
        places_px: float64 array of shape (n, 2). The way of a line, or the place of every point concerned, image space.
    """

    kind: str
    points: tuple[str, ...]
    amount: float
    places_px: Float64Array
    beside: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BoardCheck:
    """What a photograph says of a board.

    Attributes:
        board, drawing: Which board it is, and how it is drawn; None where none was found.
        points: Name and place of every point of this board, image space (x right, y down, px of the picture).
        strokes_px: tuple of float64 arrays of shape (n, 2). The ways of its lines, image space; empty where it has
            none.
        faults: The worst first, as `FAULT_KINDS` has them.
        stones: Points on which stones lie, with the letter of their colour.
        confidence: Posterior of the board, 0 to 1; low where only its name made it one.
        why_not: Why no board was found, as one sentence (a ``Message``); empty where one was.
    """

    board: str | None
    drawing: str | None = None
    points: tuple[tuple[str, float, float], ...] = ()
    strokes_px: tuple[Float64Array, ...] = ()
    faults: tuple[BoardFault, ...] = ()
    stones: tuple[tuple[str, str], ...] = ()
    confidence: float = 0.0
    why_not: str = ""

    @property
    def is_found(self) -> bool:
        """Whether the board was found at all."""
        return self.board is not None

    @property
    def is_good(self) -> bool:
        """Whether the board was found and nothing is wrong with it."""
        return self.is_found and not self.faults


def point_fault(
    kind: str, field: Field, where: NDArray[np.intp], amount: float, colours: tuple[str, ...] = ()
) -> list[BoardFault]:
    """Return one fault at some points of a board; none where there are no points.

    Args:
        where: int array of shape (n,). Indices of the points.
        amount, colours: As ``BoardFault`` has them.
    """
    if not len(where):
        return []
    names = tuple(field.board.points[i] for i in where)
    return [BoardFault(kind, names, amount, field.points_px[where], (), colours)]
