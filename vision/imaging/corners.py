"""Four corners from a person in, the reason why they cannot be those of a field out; no library is loaded for it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable

from languages import Message, message

MIN_FIELD_SIDE_PX = 40.0
"""Shortest side of a field given by its corners, px: on a smaller one stones would be a few pixels wide. Half of it is
the least that a corner lies beside the line of its neighbours, also where one looks along the table."""


def corner_fault(corners_px: Iterable[Iterable[float]], size_px: tuple[int, int] | None = None) -> Message | None:
    """Return why four corners cannot be those of a field, as one sentence; None where they can.

    They are those of the unit square of board space, image space, clockwise as one sees the picture. Any of them may
    come first, as that decides the names of the points only.
    """
    corners = [complex(x, y) for x, y in corners_px]
    if len(corners) != 4 or not all(map(cmath.isfinite, corners)):
        return message("field.corners")
    around = [(corners[k - 2], corners[k - 1], corners[k]) for k in range(4)]
    # Twice the area of three corners: positive where one turns to the right, as y goes down.
    turns = [((corner - before).conjugate() * (after - corner)).imag for before, corner, after in around]
    if not all(0 < turn < math.inf for turn in turns):
        return message("field.corners")
    if any(abs(corner - before) < MIN_FIELD_SIDE_PX for before, corner, _ in around):
        return message("field.small", least=round(MIN_FIELD_SIDE_PX))
    if any(turn < MIN_FIELD_SIDE_PX / 2 * abs(c - a) for turn, (a, _, c) in zip(turns, around, strict=True)):
        return message("field.corners")
    if size_px is not None:
        width, height = size_px
        n_inside = sum(-0.5 <= at.real <= width and -0.5 <= at.imag <= height for at in corners)
        # The corner of a round board, or one cut off, lies at most as far outside as the picture is wide or high.
        are_near = all(-width <= at.real <= 2 * width and -height <= at.imag <= 2 * height for at in corners)
        if 2 * n_inside < len(corners) or not are_near:
            return message("field.outside", width=width, height=height)
    return None
