"""Boards of turning discs: search playing areas for three rings of holes, and name the holes that are found.

A ring may have any number of holes (``disc_detection``), so the board that is found follows from their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from referee.board import Board
from referee.boards import BOARDS, FEW_HOLES, with_holes
from vision.detection.confidence import MIN_BOARD_CONFIDENCE, disc_confidence
from vision.detection.disc_detection import (
    DEFAULT_HOLE_COUNTS,
    MIN_HOLE_HEAT,
    MIN_OUTER_RADIUS,
    DetectedDiscs,
    detect_discs,
)
from vision.detection.playing_areas import PlayingArea, central_areas, distinct_areas, enlarged_areas
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Image, in_picture, size_of
from vision.imaging.homography import apply_homography, fit_homography

MIN_RING_IN_PICTURE = 0.5
"""Least share in the picture of the smallest outermost ring of a playing area, for rings to be sought there: of larger
ones less is in sight, and with less than that fewer than three quarters of all holes are."""

MIN_INNER_WARM_SHARE = 0.01
"""Least share of a playing area's patch that is as warm as a hole, for its surroundings to be searched: its own holes
are half of those that a board shows at least.

Source: chosen, half of ``MIN_WARM_SHARE``."""


def search_area_for_discs(
    bgr: Image,
    area: PlayingArea,
    boards: Sequence[Board],
    best: DetectedDiscs | None,
    finer: int = 1,
    heat: Float32Array | None = None,
) -> DetectedDiscs | None:
    """Return the best rings of those found before and those in one more playing area.

    Holes are searched for ``finer`` times as finely as usual. ``heat`` is the heatmap of the area, where it is known.
    """
    found = detect_discs(bgr, area, _hole_counts(boards), finer, heat)
    return max(found if best is None else [best, *found], key=lambda discs: discs.total_nats, default=None)


def search_further_for_discs(
    bgr: Image,
    areas: Sequence[PlayingArea],
    whole: Sequence[PlayingArea],
    boards: Sequence[Board],
    best: DetectedDiscs | None,
    heat: Callable[[PlayingArea], Float32Array],
) -> DetectedDiscs | None:
    """Return the best rings of further playing areas; the search stops once rings are likely.

    It tries the surroundings of the playing areas ``areas`` and the middle of the areas ``whole`` of the whole picture.
    An area is only the innermost disc of a board where its own heatmap, ``heat(area)``, is warm. Where every board has
    many holes, it also tries ``areas`` again, twice as finely.
    """
    if disc_confidence(best) > MIN_BOARD_CONFIDENCE:
        return best
    fine_areas = areas if min(_hole_counts(boards)) > FEW_HOLES else ()
    warm = [area for area in areas if (heat(area) > MIN_HOLE_HEAT).mean() > MIN_INNER_WARM_SHARE]
    further = distinct_areas((*enlarged_areas(warm), *central_areas(whole)), areas)
    usual = [(area, 1) for area in further if _shows_rings(area, size_of(bgr))]
    for area, finer in (*usual, *((area, 2) for area in fine_areas)):
        if disc_confidence(best) > MIN_BOARD_CONFIDENCE:
            break
        best = search_area_for_discs(bgr, area, boards, best, finer)
    return best


def _shows_rings(area: PlayingArea, size_px: tuple[int, int]) -> bool:
    """Return whether the picture shows enough of the smallest rings that would be found in a playing area."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ring = MIN_OUTER_RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    return float(in_picture(apply_homography(area.image_from_unit, ring), size_px).mean()) >= MIN_RING_IN_PICTURE


def _hole_counts(boards: Sequence[Board]) -> Sequence[int]:
    """Return the numbers of holes that a ring may have: any number for a board as it stands in ``BOARDS``."""
    if all(board == BOARDS.get(board.name) for board in boards):
        return DEFAULT_HOLE_COUNTS
    return sorted({len(board.rings[0]) for board in boards})


def disc_registration(discs: DetectedDiscs, board: Board, confidence: float) -> Registration:
    """Return the field of three rings of holes; the uppermost hole of the outer ring is the first."""
    n = discs.n_holes
    board = with_holes(board, n)
    start = int(discs.holes_px[0, :, 1].argmin())
    first = discs.phases_rad[0] + start * 2 * np.pi / n
    points = []
    for ring in range(3):
        turn = (first - discs.phases_rad[ring]) / (2 * np.pi / n)
        points.append(np.roll(discs.holes_px[ring], -round(turn), axis=0))
    xy = np.concatenate(points)
    h = fit_homography(np.array(board.xy), xy)
    return Registration(Field(board, board.drawings[0].name, xy, h), confidence)
