"""The field: the places of a board's points in a picture, and the answer where no field is found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from languages import Message, message
from referee.board import Board
from vision.imaging.frame import Float64Array, in_picture
from vision.imaging.homography import apply_homography, enlargement, fit_homography, spacings

STONE_CENTRE_HEIGHT_UNITS = 0.14
"""Height of the centre of a lying stone above the board, units: half of a radius of about 0.3. A point so far from the
rim of the picture is in sight, as half of a stone on it is seen."""


@dataclass(frozen=True, eq=False)
class Field:
    """A painted or sewn copy of a board as measured in one picture.

    The points of a crooked board lie where it has them, not where a homography of the ideal board would put them.
    ``image_from_board`` is the homography that fits them best (least squares), for drawing and for local directions.
    """

    board: Board
    drawing: str  # name of the drawing of ``board`` that was found
    points_px: Float64Array  # (n_points, 2), image space, in the order of ``board.points``
    image_from_board: Float64Array

    def __post_init__(self) -> None:
        n = len(self.board.points)
        if self.points_px.shape != (n, 2):
            raise ValueError(f"points_px must have shape ({n}, 2), got {self.points_px.shape}")
        if self.image_from_board.shape != (3, 3):
            raise ValueError(f"image_from_board must have shape (3, 3), got {self.image_from_board.shape}")
        self.points_px.setflags(write=False)
        self.image_from_board.setflags(write=False)

    @classmethod
    def fitted(cls, board: Board, drawing: str, points_px: Float64Array) -> Field:
        """Return the field of these points, with the homography that fits them best."""
        return cls(board, drawing, points_px, fit_homography(np.array(board.xy), points_px))

    @cached_property
    def spacing_px(self) -> Float64Array:
        """Distance from each point to the nearest other point, px, shape (n_points,)."""
        return spacings(self.points_px)

    def in_sight(self, size_px: tuple[int, int]) -> NDArray[np.bool_]:
        """Return which points lie in a picture of this width and height, (n_points,); the others are cut off."""
        reach = (STONE_CENTRE_HEIGHT_UNITS * self.spacing_px)[:, None]
        return in_picture(self.points_px - reach, size_px) & in_picture(self.points_px + reach, size_px)

    def names_out_of_sight(self, size_px: tuple[int, int]) -> tuple[str, ...]:
        """Return the names of the points that lie outside a picture of this width and height."""
        return tuple(name for name, is_in in zip(self.board.points, self.in_sight(size_px), strict=True) if not is_in)


@dataclass(frozen=True, eq=False)
class Registration:
    """A field in a picture; confidence: the posterior that this is the board, each point within half a spacing."""

    field: Field
    confidence: float

    def enlarged(self, size_px: tuple[int, int], full_size_px: tuple[int, int]) -> Registration:
        """Return the registration of a reduced picture in pixels of the full one; sizes are widths and heights."""
        enlarge = enlargement(size_px, full_size_px)
        points = apply_homography(enlarge, self.field.points_px)
        field = replace(self.field, points_px=points, image_from_board=enlarge @ self.field.image_from_board)
        return replace(self, field=field)


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """No field could be found or followed; ``reason`` is one sentence that a player can act on."""

    reason: str


def out_of_sight_note(registration: Registration | NotRegistered, size_px: tuple[int, int]) -> Message | None:
    """Return one sentence that names the points outside a picture of this size; None where all are in it."""
    if isinstance(registration, NotRegistered):
        return None
    names = registration.field.names_out_of_sight(size_px)
    return message("sight.points_outside", points=", ".join(names)) if names else None
