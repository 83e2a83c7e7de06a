"""Drawn tables that several tests look at, and where their points lie.

Making a table takes a second, so each is made once in a worker.
"""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from tests.synthetic import Scene, TableSpec
from vision.imaging.field import Field

MOST_KEPT = 12  # a table of 960 x 540 with its pictures takes some 30 MB


@lru_cache(maxsize=MOST_KEPT)
def drawn(spec: TableSpec) -> Scene:
    """The table of this spec. Rendering is a pure function: whoever looked at it before changes no picture."""
    return Scene(spec)


def field_of(scene: Scene, points_px: NDArray[np.float64] | None = None) -> Field:
    """The field of a drawn table, exactly where the truth says; without ``points_px`` where it lies at rest."""
    return field_at(scene.spec.board, scene.points_px() if points_px is None else points_px, scene.spec.drawing)


def field_at(board: Board, points_px: NDArray[np.float64], drawing: str = "") -> Field:
    """A field whose points lie at ``points_px``, shape (n_points, 2)."""
    homography, _ = cv2.findHomography(np.array(board.xy), points_px)
    return Field(board, drawing or board.drawings[0].name, points_px, np.asarray(homography, np.float64))
