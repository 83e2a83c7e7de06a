"""Boards of holes, rings of many, and boards in the drawings that people make of them, and what only looks like one."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.board import Board, Segment
from referee.layouts import NINE_MENS_MORRIS, SIX_MENS_MORRIS, TIC_TAC_TOE, TRIALECTIC, TWELVE_MENS_MORRIS, moulin_rouge
from tests.simulation.drawings import drawn_picture, outcome
from tests.synthetic import Scene, random_spec
from tests.synthetic.boardless import boardless
from tests.vision.test_detect import worst_error
from vision.detection.confidence import MIN_BOARD_CONFIDENCE
from vision.detection.detect import locate, search_picture
from vision.imaging.field import Registration
from vision.imaging.homography import apply_homography

pytestmark = pytest.mark.film

Picture = NDArray[np.uint8]
Places = NDArray[np.float64]

SIDE = 320.0


def place(turn_deg: float = 12.0) -> Places:
    """image_from_board: the board turned and seen a little aslant in a picture of 640x480."""
    a = np.deg2rad(turn_deg)
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    centre = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1.0]])
    camera = np.array([[SIDE, 0, 330], [0, SIDE * 0.85, 235], [0, -0.12, 1]])
    product: Places = camera @ turn @ centre
    return product


def drilled(board: Board, h: Places, *, balls: int = 0, beside: int = 0, seed: int = 1) -> tuple[Picture, Places]:
    """A wooden board with holes, hair lines between them, balls in some and beside it; and its true points."""
    rng = np.random.default_rng(seed)
    picture = rng.normal(0, 3, (480, 640, 3)) + np.array([150.0, 175, 190])
    wood = apply_homography(h, np.array([[-0.14, -0.14], [1.14, -0.14], [1.14, 1.14], [-0.14, 1.14]]))
    cv2.fillConvexPoly(picture, np.round(wood).astype(np.int32), (75.0, 105.0, 150.0))
    xy = apply_homography(h, np.array(board.xy))
    for stroke in board.drawings[0].strokes:
        assert isinstance(stroke, Segment)
        a, b = np.round(apply_homography(h, np.array([stroke.start, stroke.end]))).astype(int).tolist()
        cv2.line(picture, a, b, (55.0, 75.0, 105.0), 1, cv2.LINE_AA)
    taken = rng.permutation(len(xy))[:balls]
    for k, (x, y) in enumerate(xy):
        colour = (190.0, 70.0, 40.0) if k in taken else (30.0, 45.0, 60.0)
        cv2.circle(picture, (round(x), round(y)), 10, colour, -1, cv2.LINE_AA)
        if k in taken:
            cv2.circle(picture, (round(x) - 3, round(y) - 3), 2, (240.0, 230.0, 220.0), -1, cv2.LINE_AA)
    for k in range(beside):
        cv2.circle(picture, (36, 60 + 24 * k), 10, (190.0, 70.0, 40.0), -1, cv2.LINE_AA)
    picture = cv2.GaussianBlur(picture, (0, 0), 1.1) + rng.normal(0, 2, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), xy


@pytest.mark.parametrize(
    "board",
    [
        NINE_MENS_MORRIS,
        TRIALECTIC,
        *(pytest.param(b, marks=pytest.mark.slow) for b in (TWELVE_MENS_MORRIS, SIX_MENS_MORRIS)),
    ],
)
def test_a_board_of_holes_is_found_and_named_with_balls_in_some_and_beside(board: Board) -> None:
    picture, truth = drilled(board, place(), balls=5, beside=9)
    found = locate(picture)
    assert isinstance(found, Registration), found
    assert found.field.board is board
    assert worst_error(found, truth) < 0.12


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
    away = np.linalg.norm(scene.points_px()[:, None] - seen.holes_px.reshape(-1, 2), axis=2).min(axis=1)
    assert away.max() < 5


SIZE_PX = (640, 360)


@pytest.mark.parametrize(
    ("board", "drawing", "number"),
    [
        ("tic_tac_toe", "framed", 0), pytest.param("tic_tac_toe", "filled frame", 1, marks=pytest.mark.slow),
        pytest.param("three_mens_morris", "frames", 2, marks=pytest.mark.slow), ("nine_mens_morris", "filled", 3),
        pytest.param("six_mens_morris", "frames", 5, marks=pytest.mark.slow), ("twelve_mens_morris", "plain", 6),
    ],
)  # fmt: skip
def test_a_board_is_found_in_a_drawing_that_people_make_of_it(board: str, drawing: str, number: int) -> None:
    found = outcome(drawn_picture(11, number, boards=[board], drawings=[drawing], size_px=SIZE_PX))
    assert found.kind_right, found.answer
    assert max(found.errors) < 0.3


@pytest.mark.parametrize(
    "kind", ["sudoku", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("crossword", "table", "tiles"))]
)
def test_a_closed_grid_of_more_than_nine_fields_is_no_framed_board(kind: str) -> None:
    report = search_picture(boardless(np.random.default_rng([14, 3]), kind, size_px=(640, 480)), (TIC_TAC_TOE,))
    assert report.confidence < MIN_BOARD_CONFIDENCE
