"""A paper in, the sheet that a lens is measured with out: true to scale, to print or to show on a tablet.

A ChArUco board is a chessboard with a marker in every white square: its corners are as sharp as a chessboard's, and
each has a number, so that a view counts even when a part of the sheet is cut off or covered.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.sheets import PAPERS_MM, RULER_MM, Boxes, Rectangle, Sheet, TextLine, ruler
from calibration.step_texts import phrase

# columns and rows of squares: more would be too small for a webcam at arm's length, fewer would give too few corners
TARGET_COLUMNS, TARGET_ROWS = 9, 6

# side of a square, mm: the largest with which A4 and Letter keep a margin that every printer can print
SQUARE_MM = 28.0

# modules along the sides of a square and of a marker; source: a marker of 4 x 4 modules with its rim, on one grid
MODULES_PER_SQUARE, MODULES_PER_MARKER = 8, 6
TOP_MM = 9.0  # distance of the target from the upper edge of the sheet, mm
TEXTS = ("ruler", "print", "use")  # what is said beside the ruler and below it, as keys
BASELINES_MM = (12.0, 18.5, 23.7)  # of the ruler and of two instructions, mm below the target
FONTS_MM = (4.2, 3.5, 3.5)  # heights of their fonts, mm

# width and height of the papers on which the target fits, in landscape, mm
PAPER_SIZES_MM = {paper: PAPERS_MM[paper][::-1] for paper in ("a4", "letter")}


@cache
def charuco_board() -> cv2.aruco.CharucoBoard:
    """Return the target as OpenCV describes it; lengths in mm."""
    marker_mm = SQUARE_MM * MODULES_PER_MARKER / MODULES_PER_SQUARE
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)  # few large modules: readable from afar
    return cv2.aruco.CharucoBoard((TARGET_COLUMNS, TARGET_ROWS), SQUARE_MM, marker_mm, dictionary)


@cache
def target_corners_mm() -> NDArray[np.float64]:
    """Return the inner corners of the chessboard in the order of their ids, shape (n_corners, 3), mm, z = 0."""
    corners = np.asarray(charuco_board().getChessboardCorners(), np.float64).reshape(-1, 3)
    corners.setflags(write=False)
    return corners


@cache
def black_modules() -> NDArray[np.bool_]:
    """Return which modules are black, one row and column for each module of the target."""
    picture = charuco_board().generateImage((TARGET_COLUMNS * MODULES_PER_SQUARE, TARGET_ROWS * MODULES_PER_SQUARE))
    return np.asarray(picture) < 128


def black_rectangles() -> tuple[Rectangle, ...]:
    """Return the black parts of the target as few rectangles, mm from its upper left corner.

    Equal runs of neighbouring rows are merged, because seams between them would show as hairlines.
    """
    side = SQUARE_MM / MODULES_PER_SQUARE
    rows_of: dict[tuple[int, int], list[int]] = {}  # by the columns at which a run begins and has ended
    for row, line in enumerate(black_modules()):
        for begin, end in np.flatnonzero(np.diff(line, prepend=False, append=False)).reshape(-1, 2).tolist():
            rows_of.setdefault((begin, end), []).append(row)
    rectangles = [
        (begin * side, int(rows[0]) * side, (end - begin) * side, len(rows) * side)
        for (begin, end), all_rows in rows_of.items()
        for rows in np.split(all_rows, np.flatnonzero(np.diff(all_rows) > 1) + 1)
    ]
    return tuple(sorted(rectangles, key=lambda r: (r[1], r[0])))


def target_origin_mm(paper: str) -> tuple[float, float]:
    """Return the upper left corner of the chessboard on the sheet."""
    return (PAPER_SIZES_MM[paper][0] - TARGET_COLUMNS * SQUARE_MM) / 2, TOP_MM


def target_sheet(paper: str, language: str = "en") -> Sheet:
    """Return a page with the target, the ruler and instructions; ValueError when paper or language is not known."""
    if paper not in PAPER_SIZES_MM:
        raise ValueError(f"paper must be one of {', '.join(PAPER_SIZES_MM)}, got {paper!r}")
    left, top = target_origin_mm(paper)
    end = top + TARGET_ROWS * SQUARE_MM
    black = Boxes(tuple((x + left, y + top, w, h) for x, y, w, h in black_rectangles()))
    lines = (
        TextLine(x, end + down, size, phrase(f"pattern.{key}", language, mm=round(RULER_MM)))
        for key, x, down, size in zip(TEXTS, (left + RULER_MM + 3, left, left), BASELINES_MM, FONTS_MM, strict=True)
    )
    return Sheet(PAPER_SIZES_MM[paper], (black, ruler(left, end + BASELINES_MM[0]), *lines))
