"""Boards are found in the drawings that people make of them, and grids that only look like one are not."""

from __future__ import annotations

import numpy as np
import pytest

from referee.layouts import TIC_TAC_TOE
from tests.simulation.drawings import BOARDS_OF_LINES, drawn_picture, outcome, shadowed_pictures
from tests.synthetic.boardless import boardless
from vision.detection.confidence import CERTAIN_CONFIDENCE, MIN_BOARD_CONFIDENCE
from vision.detection.detect import search_picture

pytestmark = pytest.mark.film

SIZE_PX = (640, 360)


@pytest.mark.parametrize(
    ("board", "drawing", "number"),
    [
        ("tic_tac_toe", "framed", 0),
        pytest.param("tic_tac_toe", "filled frame", 1, marks=pytest.mark.slow),
        pytest.param("three_mens_morris", "frames", 2, marks=pytest.mark.slow),
        ("nine_mens_morris", "filled", 3),
        pytest.param("six_mens_morris", "frames", 5, marks=pytest.mark.slow),
        ("twelve_mens_morris", "plain", 6),
    ],
)
def test_a_board_is_found_in_a_drawing_that_people_make_of_it(board: str, drawing: str, number: int) -> None:
    found = outcome(drawn_picture(11, number, boards=[board], drawings=[drawing], size_px=SIZE_PX))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2 * len(BOARDS_OF_LINES)))
def test_whoever_names_the_board_that_lies_there_loses_nothing_by_it(number: int) -> None:
    picture = drawn_picture(12, number, size_px=SIZE_PX)
    cold, named = outcome(picture), outcome(picture, [picture.board])
    if cold.right:
        assert named.kind_right
        assert named.confidence >= min(cold.confidence, CERTAIN_CONFIDENCE)


@pytest.mark.parametrize(
    "kind", ["sudoku", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("crossword", "table", "tiles"))]
)
def test_a_closed_grid_of_more_than_nine_fields_is_no_framed_board(kind: str) -> None:
    report = search_picture(boardless(np.random.default_rng([14, 3]), kind, size_px=(640, 480)), (TIC_TAC_TOE,))
    assert report.confidence < MIN_BOARD_CONFIDENCE


@pytest.mark.parametrize("number", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_the_hard_shadow_of_a_window_or_a_wall_moves_no_point(number: int) -> None:
    clear, under = shadowed_pictures(21, number, size_px=SIZE_PX)
    assert np.array_equal(clear.points_px, under.points_px)
    ratio = under.bgr.astype(float).sum(axis=2) / np.maximum(clear.bgr.astype(float).sum(axis=2), 1)
    assert np.percentile(ratio, 2) < 0.65  # there is a shadow, and there is light beside it
    assert np.percentile(ratio, 98) > 0.9
    found = [outcome(picture) for picture in (clear, under)]
    assert all(one.right for one in found)
    assert np.median(found[1].errors) < np.median(found[0].errors) + 0.02
    assert max(found[1].errors) < 0.2
