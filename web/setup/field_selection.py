"""The field of a table that is being set up: found in a picture, by its corners, or corrected point by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibration.field_step import FieldMeasurement, field_corners_px, find_field, measure_field, with_dragged_points
from languages import in_all_languages, message
from referee.board import Board
from referee.boards import BOARDS
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Image
from vision.imaging.lens import Lens
from web.errors import MillchenError


class FieldSelection:
    """The picture that a field was searched in, and the field.

    Attributes:
        bgr: uint8 array of shape (H, W, 3) or None. The picture; None before the first.
        found: The field in it; None where there is none.
    """

    def __init__(self) -> None:
        self.bgr: Image | None = None
        self.found: FieldMeasurement | None = None

    def clear(self) -> None:
        """Forget picture and field: the camera is another one."""
        self.bgr = self.found = None

    def drag_points(self, points: Mapping[str, tuple[float, float]], lens: Lens | None) -> bool:
        """Move points of the field by hand; return False where there is no field yet."""
        if self.bgr is None or self.found is None:
            return False
        moved = Registration(with_dragged_points(self.found.field, dict(points)), self.found.confidence)
        self.found = measure_field(moved, _size_px(self.bgr), lens)
        return True

    def use_corners(
        self, corners: Sequence[tuple[float, float]], boards: tuple[Board, ...] | None, lens: Lens | None
    ) -> bool:
        """Place the field by its four corners; return False where there is no picture yet.

        Where no field fits the corners, the field stays as it was.
        """
        if self.bgr is None:
            return False
        known = None if self.found is None else (self.found.field.board,)
        given = find_field(self.bgr, lens, boards or known, np.array(corners, np.float64))
        self.found = given if isinstance(given, FieldMeasurement) else self.found
        return True

    def find(
        self, bgr: Image, seen: Field | None, boards: tuple[Board, ...] | None, lens: Lens | None
    ) -> dict[str, str] | None:
        """Find the field in a new picture; return why there is none, by language, else None.

        Args:
            bgr: uint8 array of shape (H, W, 3).
            seen: The field as the camera's process has followed it; it is taken where its board is wanted.
            boards: Boards that may be there; None is any.
        """
        self.bgr = bgr
        if seen is not None and (boards is None or seen.board.name in {board.name for board in boards}):
            self.found = measure_field(Registration(seen, 1.0), _size_px(bgr), lens)
            return None
        given = find_field(bgr, lens, boards)
        if isinstance(given, NotRegistered):
            self.found = None
            return in_all_languages(message("field.none", reason=given.reason))
        self.found = given
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the field for the page."""
        assert self.found is not None and self.bgr is not None
        field = self.found.field
        return {
            "board": field.board.name,
            "names": list(field.board.points),
            "edges": [list(edge) for edge in field.board.edges],
            "points": np.round(field.points_px, 1).tolist(),
            "corners": np.round(field_corners_px(field), 1).tolist(),
            "size": list(_size_px(self.bgr)),
        }


def boards_named(name: str | None) -> tuple[Board, ...] | None:
    """Return the one board of that name in a tuple, None where no name was given.

    Raises:
        MillchenError: When there is no such board.
    """
    if name is None:
        return None
    if name not in BOARDS:
        raise MillchenError(message("game.no_board", board=repr(name)))
    return (BOARDS[name],)


def _size_px(bgr: Image) -> tuple[int, int]:
    return bgr.shape[1], bgr.shape[0]
