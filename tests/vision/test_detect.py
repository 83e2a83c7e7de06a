"""Finding boards: pictures drawn here with exact truth, scaled-down scenes, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.board import Board, Circle
from referee.boards import BOARDS
from referee.layouts import (
    NINE_MENS_MORRIS,
    ROMAN_MILL,
    SIX_MENS_MORRIS,
    THREE_MENS_MORRIS,
    TIC_TAC_TOE,
    TRIALECTIC,
    TWELVE_MENS_MORRIS,
)
from vision.detection.detect import field_from_corners, locate
from vision.imaging.field import Registration
from vision.imaging.homography import apply_homography

pytestmark = pytest.mark.film

DATA = Path(__file__).parents[1] / "data" / "locate"

INK = (40, 30, 120)


def table(
    board: Board, image_from_board: NDArray[np.float64], *, ink: tuple[int, int, int] = INK, light: float = 1.0
) -> NDArray[np.uint8]:
    """A light round cloth on a brown table with the board painted on it, 640x480."""
    rng = np.random.default_rng(3)
    picture = np.empty((480, 640, 3), np.float64)
    picture[:] = (60, 90, 130)
    canvas = np.full((900, 900, 3), 205, np.uint8)
    mask = np.zeros((900, 900), np.uint8)
    cv2.circle(mask, (450, 450), 430, 255, -1)
    to_canvas = np.array([[560.0, 0, 170], [0, 560, 170], [0, 0, 1]])
    for stroke in board.drawings[0].strokes:
        if isinstance(stroke, Circle):
            x, y = apply_homography(to_canvas, stroke.centre)
            cv2.circle(canvas, (round(x), round(y)), round(560 * stroke.radius), ink, 12, cv2.LINE_AA)
        else:
            a, b = apply_homography(to_canvas, np.array([stroke.start, stroke.end])).round().astype(int)
            cv2.line(canvas, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), ink, 12, cv2.LINE_AA)
    move = image_from_board @ np.linalg.inv(to_canvas)
    cloth = cv2.warpPerspective(cv2.GaussianBlur(canvas, (0, 0), 2), move, (640, 480))
    where = cv2.warpPerspective(mask, move, (640, 480))[..., None] / 255.0
    picture = (picture * (1 - where) + cloth * where) * light + rng.normal(0, 2.5 * light, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def view(turn_deg: float, tilt: float = 0.75, lean: float = 0.0004) -> NDArray[np.float64]:
    """image_from_board of a board in the middle of the picture, turned on the table and seen aslant."""
    a = np.deg2rad(turn_deg)
    centre = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1.0]])
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    camera = np.array([[260.0, 0, 0], [0, 260 * tilt, 0], [0, -260 * lean, 1]])
    move = np.array([[1, 0, 320], [0, 1, 245], [0, 0, 1.0]])
    product: NDArray[np.float64] = move @ camera @ turn @ centre
    return product


def worst_error(found: Registration, truth_px: NDArray[np.float64]) -> float:
    """Largest distance from a true point to the nearest found one, in units of the spacing."""
    apart = np.linalg.norm(truth_px[:, None] - truth_px[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    off = np.linalg.norm(truth_px[:, None] - found.field.points_px[None], axis=2)
    return float((off.min(1) / apart.min(1)).max())


@pytest.mark.parametrize(
    ("board", "turn_deg"),
    [
        (NINE_MENS_MORRIS, 20.0),
        pytest.param(SIX_MENS_MORRIS, -35.0, marks=pytest.mark.slow),
        (TWELVE_MENS_MORRIS, 10.0),
        (TIC_TAC_TOE, 30.0),
        pytest.param(THREE_MENS_MORRIS, 5.0, marks=pytest.mark.slow),
        (ROMAN_MILL, 12.0),
        (TRIALECTIC, -20.0),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_painted_board_is_found_and_named_without_being_told(board: Board, turn_deg: float) -> None:
    image_from_board = view(turn_deg)
    found = locate(table(board, image_from_board))
    assert isinstance(found, Registration)
    assert found.field.board.name == board.name
    # Lines of 3 px are fitted to about half a pixel; the spacing is 20 px or more.
    assert worst_error(found, apply_homography(image_from_board, np.array(board.xy))) < 0.1
    assert found.confidence > 0.8


def test_light_lines_on_a_dark_board_are_found_as_well() -> None:
    picture = 255 - table(NINE_MENS_MORRIS, view(15.0))
    found = locate(picture)
    assert isinstance(found, Registration)
    assert found.field.board.name == "nine_mens_morris"


def test_the_points_are_named_so_that_up_is_up() -> None:
    image_from_board = view(15.0)
    found = locate(table(NINE_MENS_MORRIS, image_from_board), [NINE_MENS_MORRIS])
    assert isinstance(found, Registration)
    truth = apply_homography(image_from_board, np.array(NINE_MENS_MORRIS.xy))
    assert np.linalg.norm(found.field.points_px - truth, axis=1).max() < 3.0


def test_the_answer_is_never_mirrored() -> None:
    found = locate(table(TRIALECTIC, view(-50.0)))
    assert isinstance(found, Registration)
    assert np.linalg.det(found.field.image_from_board[:2, :2]) > 0


@pytest.mark.parametrize("name", ["nine_mens_morris", "tic_tac_toe", "trialectic", "roman_mill", "moulin_rouge"])
def test_a_hand_made_board_with_stones_is_found_where_it_lies(name: str) -> None:
    truth = json.loads((DATA / f"{name}.json").read_text())
    picture = cv2.imread(str(DATA / f"{name}.jpg"))
    assert picture is not None
    found = locate(np.asarray(picture, dtype=np.uint8))
    assert isinstance(found, Registration)
    assert found.field.board.name == truth["board"]
    assert len(found.field.points_px) == len(truth["points"])
    # Half a spacing is where a stone would be given to the wrong point; these pictures are quarter size.
    assert worst_error(found, np.array(list(truth["points"].values()))) < 0.4


def test_something_that_is_no_picture_is_an_error() -> None:
    with pytest.raises(ValueError, match="bgr must be uint8"):
        locate(np.zeros((10, 10), np.uint8))


def test_dragged_corners_are_drawn_to_the_strokes_nearby_and_keep_their_names() -> None:
    image_from_board = view(100.0)
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    dragged = apply_homography(image_from_board, square) + np.array([[3.0, -2], [-3, 2], [2, 3], [-2, -2]])
    found = field_from_corners(table(NINE_MENS_MORRIS, image_from_board), NINE_MENS_MORRIS, dragged)
    truth = apply_homography(image_from_board, np.array(NINE_MENS_MORRIS.xy))
    assert np.linalg.norm(found.field.points_px - truth, axis=1).max() < 2.0
    assert found.confidence > 0.8


def test_corners_on_nothing_give_the_ideal_board_with_little_confidence() -> None:
    corners = np.array([[100.0, 100], [300, 100], [300, 300], [100, 300]])
    found = field_from_corners(np.full((400, 400, 3), 128, np.uint8), NINE_MENS_MORRIS, corners)
    np.testing.assert_allclose(found.field.points_px[0], corners[0], atol=1e-6)
    assert found.confidence < 0.5


def test_four_corners_are_needed() -> None:
    with pytest.raises(ValueError, match="corners_px must have shape"):
        field_from_corners(np.zeros((10, 10, 3), np.uint8), BOARDS["roman_mill"], np.zeros((3, 2)))
