"""Boards of holes, rings of many, and boards in the drawings that people make of them, and what only looks like one."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS, TIC_TAC_TOE, moulin_rouge
from tests.simulation.drawings import drawn_picture, outcome
from tests.synthetic import Scene, random_spec
from tests.synthetic.boardless import boardless
from tests.vision.test_detect import worst_error
from vision.detection.confidence import MIN_BOARD_CONFIDENCE
from vision.detection.detect import locate, search_picture
from vision.imaging.field import Registration
from vision.imaging.homography import spacings

pytestmark = pytest.mark.film


def test_holes_alone_are_enough_where_nobody_drew_a_line() -> None:
    rng = np.random.default_rng(1)
    spec = random_spec(rng, NINE_MENS_MORRIS, hardness=0.2, size_px=(640, 480))
    scene = Scene(replace(spec, holes=0.018, strokes=replace(spec.strokes, opacity=0.0)))
    picture, truth = scene.render([[0] if k % 4 == 0 else [] for k in range(24)], rng=rng)
    found = locate(picture)
    assert isinstance(found, Registration), found
    assert found.field.board is NINE_MENS_MORRIS
    assert worst_error(found, truth.points_px) < 0.2


def test_twenty_four_holes_a_ring_are_found() -> None:
    rng = np.random.default_rng(3)  # marked discs on a dotted table
    spec = random_spec(
        rng, moulin_rouge(24), n_players=6, hardness=float(rng.uniform(0.1, 0.5)), size_px=(960, 540), discs="marked"
    )
    scene = Scene(spec)
    bgr, _ = scene.render([[]] * 72, rng=np.random.default_rng(1))
    seen = search_picture(bgr, [moulin_rouge(24)]).discs
    assert seen is not None
    away = np.linalg.norm(scene.points_px()[:, None] - seen.points_px, axis=2).min(axis=1)
    assert away.max() < 5


@pytest.mark.parametrize("seed", range(3))
def test_a_disc_whose_outermost_holes_are_covered_is_not_found_with_two_rings_in_one_place(seed: int) -> None:
    board = moulin_rouge(8)
    scene = Scene(random_spec(np.random.default_rng(seed), board, hardness=0.3, size_px=(960, 540)))
    bgr, truth = scene.render([[]] * 24, rng=np.random.default_rng(seed), spare_stones=(0, 0))
    mask, away = np.zeros(bgr.shape[:2], np.uint8), spacings(truth.points_px)
    for hole in board.rings[0]:
        cv2.circle(mask, truth.points_px[hole].astype(int).tolist(), int(0.42 * away[hole]), 255, -1)
    found = locate(cv2.inpaint(bgr, mask, 5, cv2.INPAINT_TELEA), [board])
    if isinstance(found, Registration):
        assert (spacings(found.field.points_px) > 0.5 * away.min()).all()


SIZE_PX = (640, 360)


@pytest.mark.parametrize(
    ("board", "drawing", "number"),
    [("tic_tac_toe", "framed", 0), ("nine_mens_morris", "filled", 3), ("twelve_mens_morris", "plain", 6)],
)
def test_a_board_is_found_in_a_drawing_that_people_make_of_it(board: str, drawing: str, number: int) -> None:
    found = outcome(drawn_picture(11, number, boards=[board], drawings=[drawing], size_px=SIZE_PX))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


def test_a_closed_grid_of_more_than_nine_fields_is_no_framed_board() -> None:
    report = search_picture(boardless(np.random.default_rng([14, 3]), "sudoku", size_px=(640, 480)), (TIC_TAC_TOE,))
    assert report.confidence < MIN_BOARD_CONFIDENCE
