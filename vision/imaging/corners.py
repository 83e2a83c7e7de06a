"""Four corners from a person in, the reason why they cannot be those of a field out; no library is loaded for it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable

from languages import Message, message

MIN_FIELD_SIDE_PX = 40.0
"""Shortest side of a field given by its corners, px: on a smaller one stones would be a few pixels wide."""

MIN_CORNER_DEG = 5.0
"""Least that a field turns at a corner, degrees. A square has less than 10 where one looks along the table."""


def corner_fault(corners_px: Iterable[Iterable[float]], size_px: tuple[int, int] | None = None) -> Message | None:
    """Return why four corners cannot be those of a field, as one sentence; None where they can.

    They are those of the unit square of board space, image space, clockwise as one sees the picture. Any of them may
    come first, as that decides the names of the points only.
    """
    corners = [complex(x, y) for x, y in corners_px]
    if len(corners) != 4 or not all(map(cmath.isfinite, corners)):
        return message("field.corners")
    sides = [end - start for start, end in zip(corners, [*corners[1:], corners[0]], strict=True)]
    least_turn = math.sin(math.radians(MIN_CORNER_DEG))
    for side, following in zip(sides, [*sides[1:], sides[0]], strict=True):
        # Positive where it turns to the right, as y goes down.
        if (side.conjugate() * following).imag <= least_turn * abs(side) * abs(following):
            return message("field.corners")
    if min(map(abs, sides)) < MIN_FIELD_SIDE_PX:
        return message("field.small", least=round(MIN_FIELD_SIDE_PX))
    if size_px is not None:
        width, height = size_px
        n_inside = sum(-0.5 <= at.real <= width and -0.5 <= at.imag <= height for at in corners)
        # The corner of a round board, or one cut off, lies at most as far outside as the picture is wide or high.
        are_near = all(-width <= at.real <= 2 * width and -height <= at.imag <= 2 * height for at in corners)
        if 2 * n_inside < len(corners) or not are_near:
            return message("field.outside", width=width, height=height)
    return None
