"""Register a board at four corners that a person has pointed at."""

from __future__ import annotations

import numpy as np

from referee.board import Board
from vision.detection.board_hypotheses import fit_near_pose
from vision.detection.templates import board_template, line_drawings
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float64Array, Image
from vision.imaging.homography import apply_homography, fit_homography

MIN_CORNER_COVERAGE = 0.35
"""Share of the strokes that must be seen for a fit to count. With less the points are where the corners put them, and
this is their confidence."""


def field_from_corners(bgr: Image, board: Board, corners_px: Float64Array) -> Registration:
    """Return the field at corners that a person has pointed at, fitted to the strokes nearby.

    The corners, (4, 2), are those of the unit square of board space, image space, from the upper left one (a7)
    clockwise; of a square board those of its outermost square. They decide the names of the points, and at worst their
    places. The confidence is the share of strokes that are seen. Raises ``ValueError`` when ``corners_px`` has another
    shape.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"corners_px must have shape (4, 2), got {corners.shape}")
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    image_from_board = fit_homography(square, corners)
    best: tuple[float, Field] | None = None
    for drawing in line_drawings(board):
        template = board_template(drawing)
        image_from_template = image_from_board @ np.linalg.inv(template.template_from_board)
        points, coverage = fit_near_pose(bgr, template, image_from_template)
        if best is None or coverage > best[0]:
            best = coverage, Field(board, template.drawing, points, fit_homography(np.array(board.xy), points))
    if best is None or best[0] < MIN_CORNER_COVERAGE:
        drawing_name = board.drawings[0].name if best is None else best[1].drawing
        points = apply_homography(image_from_board, np.array(board.xy))
        return Registration(Field(board, drawing_name, points, image_from_board), MIN_CORNER_COVERAGE)
    return Registration(best[1], best[0])
