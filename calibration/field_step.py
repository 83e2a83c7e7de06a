"""The field step: a picture in, which board lies there and where its points are out, found or placed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard, TypeVar

import numpy as np

from calibration.step_texts import Refused
from referee.board import Board
from referee.presets import find_variant, variants_on
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.detection.detect import field_from_corners, locate
from vision.imaging.corners import corner_fault
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.homography import apply_homography
from vision.imaging.lens import Lens, register_through_lens

MAX_STONE_GROUPS = 3  # most colours of stones that are told apart in a photograph

Result = TypeVar("Result", bound=tuple[Registration | NotRegistered, *tuple[object, ...]])


def is_certain(answer: Registration | NotRegistered) -> TypeGuard[Registration]:
    """Return whether a search found a board that needs no further one."""
    return isinstance(answer, Registration) and answer.confidence > CERTAIN_CONFIDENCE


def surest(searches: Iterable[Result]) -> Result:
    """Return the surest result of searches, which begin with what was found; none is begun after a certain one."""
    results: list[Result] = []
    for result in searches:
        results.append(result)
        if is_certain(result[0]):
            break
    return max(results, key=lambda one: one[0].confidence if isinstance(one[0], Registration) else 0.0)


def max_stone_groups(board: Board) -> int:
    """Return the most colours of stones on a board: its most players, or ``MAX_STONE_GROUPS`` where rings turn."""
    return MAX_STONE_GROUPS if board.rings else max(find_variant(name).players for name in variants_on(board))


def find_field(
    bgr: Image,
    lens: Lens | None,
    boards: Sequence[Board] | None = None,
    corners_px: Float64Array | None = None,
) -> Registration | NotRegistered:
    """Return the field of a picture: searched for, or fitted to four corners that a person has placed.

    Of ``boards`` only the first counts with corners; ``corners_px``, shape (4, 2), are those of the unit square of
    board space, clockwise from the upper left. Raises Refused when they cannot be those of a field.
    """
    if corners_px is None:
        return register_through_lens(lens, bgr, lambda flat: locate(flat, boards))
    if not boards:
        raise Refused("field.which")
    return field_at_corners(bgr, lens, boards[0], corners_px)


def field_at_corners(
    bgr: Image, lens: Lens | None, board: Board, corners_px: Float64Array
) -> Registration | NotRegistered:
    """Return the field at the corners, (4, 2), that a person has shown; raises Refused where no field has them."""
    corners, size_px = np.asarray(corners_px, np.float64), size_of(bgr)
    fault = corner_fault(corners, size_px)
    if fault is not None:
        raise Refused(fault.key, **fault.values)
    straight = lens.undistorted_points(corners) if lens is not None and lens.size_px == size_px else corners
    return register_through_lens(lens, bgr, lambda flat: field_from_corners(flat, board, straight))


def with_dragged_points(at: Field, places: dict[str, tuple[float, float]]) -> Field:
    """Return the field with single points moved to where a person has dragged them, px.

    Raises Refused when a point is not of this board.
    """
    points = at.points_px.copy()
    for name, place in places.items():
        if name not in at.board.index or not np.isfinite(place).all():
            raise Refused("field.point", point=name)
        points[at.board.index[name]] = place
    return Field.fitted(at.board, at.drawing, points)


def field_corners_px(field: Field) -> Float64Array:
    """Return the corners of the unit square of board space in the picture, px, shape (4, 2): handles to drag."""
    return apply_homography(field.image_from_board, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]))
