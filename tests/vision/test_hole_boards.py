"""Boards of holes: found by their holes and balls, told apart by what lies between and around them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.board import Board, Segment
from referee.layouts import NINE_MENS_MORRIS, SIX_MENS_MORRIS, THREE_MENS_MORRIS, TRIALECTIC, TWELVE_MENS_MORRIS
from vision.detection.circle_centres import find_circle_centres, radial_symmetry_votes
from vision.detection.detect import locate
from vision.detection.hole_boards import HoleBoard, hole_confidence
from vision.detection.hole_layout import BlobPattern, detect_blobs
from vision.detection.templates import board_template, line_drawings
from vision.imaging.field import NotRegistered, Registration
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


def drilled(
    board: Board, h: Places, *, lines: bool = True, balls: int = 0, beside: int = 0, seed: int = 1
) -> tuple[Picture, Places]:
    """A wooden board with holes, hair lines between them, balls in some and beside it; and its true points."""
    rng = np.random.default_rng(seed)
    picture = rng.normal(0, 3, (480, 640, 3)) + np.array([150.0, 175, 190])
    wood = apply_homography(h, np.array([[-0.14, -0.14], [1.14, -0.14], [1.14, 1.14], [-0.14, 1.14]]))
    cv2.fillConvexPoly(picture, np.round(wood).astype(np.int32), (75.0, 105.0, 150.0))
    xy = apply_homography(h, np.array(board.xy))
    if lines:
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


def worst(points_px: Places, truth_px: Places) -> float:
    """Largest distance of a true point to the nearest found one, in spacings."""
    apart = np.linalg.norm(truth_px[:, None] - truth_px[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    off = np.linalg.norm(truth_px[:, None] - points_px[None], axis=2).min(1)
    return float((off / apart.min(1)).max())


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
    assert worst(found.field.points_px, truth) < 0.12


def test_holes_alone_are_enough_where_nobody_drew_a_line() -> None:
    picture, truth = drilled(NINE_MENS_MORRIS, place(-25), lines=False, balls=7)
    found = locate(picture)
    assert isinstance(found, Registration), found
    assert found.field.board is NINE_MENS_MORRIS
    assert worst(found.field.points_px, truth) < 0.15


def test_a_cut_out_piece_of_dotted_cloth_is_no_board() -> None:
    rng = np.random.default_rng(2)
    picture = rng.normal(0, 3, (480, 640, 3)) + 200.0
    for i in range(-2, 12):
        for j in range(-2, 15):
            cv2.circle(picture, (45 * j + 22 * (i % 2), 42 * i + 20), 9, (120.0, 90.0, 60.0), -1, cv2.LINE_AA)
    assert isinstance(locate(np.clip(picture, 0, 255).astype(np.uint8)), NotRegistered)


def test_strewn_stones_are_no_board() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        picture = rng.normal(0, 3, (480, 640, 3)) + np.array([150.0, 175, 190])
        for x, y in rng.uniform((30, 30), (610, 450), (60, 2)).round().astype(int).tolist():
            cv2.circle(picture, (x, y), 10, (40.0, 50.0, 60.0), -1, cv2.LINE_AA)
        assert isinstance(locate(np.clip(picture, 0, 255).astype(np.uint8)), NotRegistered)


def test_spots_of_a_nine_speak_for_it_and_against_the_six_inside_it() -> None:
    picture, _ = drilled(NINE_MENS_MORRIS, place())
    kinds = [board_template(line_drawings(b)[0]) for b in (SIX_MENS_MORRIS, NINE_MENS_MORRIS, THREE_MENS_MORRIS)]
    found = BlobPattern(detect_blobs(picture)).layouts(kinds)
    assert found[0].template.board is NINE_MENS_MORRIS
    assert found[0].seen.sum() >= 22
    assert found[0].log_likelihood_ratio > found[1].log_likelihood_ratio + 5


def test_every_hole_is_a_spot_and_the_ground_between_two_holes_is_none() -> None:
    picture, truth = drilled(NINE_MENS_MORRIS, place(), lines=False)
    spots = detect_blobs(picture)
    off = np.linalg.norm(truth[:, None] - spots.xy_px[None], axis=2)
    assert (off.min(1) < 4).all()
    middle = truth.mean(0)
    assert np.linalg.norm(spots.xy_px - middle, axis=1).min() > 10


def test_a_stripe_is_no_row_of_spots() -> None:
    picture = np.full((480, 640, 3), 210, np.uint8)
    for k in range(-10, 30):
        cv2.line(picture, (0, 40 * k), (640, 40 * k - 170), (120, 80, 40), 14, cv2.LINE_AA)
    noise = np.random.default_rng(4).normal(0, 3, picture.shape)
    assert len(detect_blobs(np.clip(picture + noise, 0, 255).astype(np.uint8)).xy_px) < 10


def test_the_rim_tells_the_middle_of_a_hole_that_is_lit_from_the_side() -> None:
    patch = np.full((120, 120, 3), 170, np.uint8)
    cv2.circle(patch, (60, 60), 9, (90, 90, 90), -1, cv2.LINE_AA)
    cv2.circle(patch, (64, 60), 4, (20, 20, 20), -1, cv2.LINE_AA)
    places, strength = find_circle_centres(radial_symmetry_votes(patch, (6.0, 9.0)), np.array([[63.0, 62.0]]), 7.0)
    assert strength[1, 0] > strength[0, 0]
    assert np.linalg.norm(places[1, 0] - 60) < 1.0


def test_a_rival_as_clear_halves_the_confidence() -> None:
    t = board_template(line_drawings(NINE_MENS_MORRIS)[0])
    guess = HoleBoard(t, np.zeros((24, 2)), 60.0)
    alone = hole_confidence([guess])
    assert alone > 0.9
    assert hole_confidence([guess, guess]) == pytest.approx(alone / 2)
    assert hole_confidence([replace(guess, nats=3.0)]) < 0.3
    assert hole_confidence([]) == 0.0
