"""Finding boards: scaled-down scenes with exact truth, and what is painted of them for people."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.layouts import NINE_MENS_MORRIS
from vision.detection.detect import field_from_corners, locate, locate_with_report
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image
from vision.overlay import MISSED_LINE_BGR, SEEN_LINE_BGR, draw_photograph_reading

pytestmark = pytest.mark.film

DATA = Path(__file__).parents[1] / "data" / "locate"


def photograph(name: str) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """A scene of a hand-made board with stones, at a quarter of its size, and what is true of it."""
    bgr = cv2.imread(str(DATA / f"{name}.jpg"))
    return np.asarray(bgr, np.uint8), json.loads((DATA / f"{name}.json").read_text())


def worst_error(found: Registration, truth_px: NDArray[np.float64]) -> float:
    """Largest distance from a true point to the nearest found one, in units of the spacing."""
    apart = np.linalg.norm(truth_px[:, None] - truth_px[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    off = np.linalg.norm(truth_px[:, None] - found.field.points_px[None], axis=2)
    return float((off.min(1) / apart.min(1)).max())


def test_light_lines_on_a_dark_board_are_found_as_well() -> None:
    found = locate(255 - photograph("nine_mens_morris")[0])
    assert isinstance(found, Registration)
    assert found.field.board.name == "nine_mens_morris"


def test_the_points_are_named_so_that_up_is_up_and_nothing_is_mirrored() -> None:
    found = locate(photograph("nine_mens_morris")[0], [NINE_MENS_MORRIS])
    assert isinstance(found, Registration)
    a1, g1, a7 = (found.field.points_px[NINE_MENS_MORRIS.index[name]] for name in ("a1", "g1", "a7"))
    assert a7[1] < a1[1] and a1[0] < g1[0] and abs(g1 - a1)[0] > abs(g1 - a1)[1]


@pytest.mark.parametrize("name", ["nine_mens_morris", "tic_tac_toe", "trialectic", "roman_mill", "moulin_rouge"])
def test_a_hand_made_board_with_stones_is_found_where_it_lies(name: str) -> None:
    picture, truth = photograph(name)
    found = locate(picture)
    assert isinstance(found, Registration)
    assert found.field.board.name == truth["board"]
    assert len(found.field.points_px) == len(truth["points"])
    # Half a spacing is where a stone would be given to the wrong point; these pictures are quarter size.
    assert worst_error(found, np.array(list(truth["points"].values()))) < 0.4


@pytest.mark.parametrize(("grey", "name"), [(0, "nine_holes"), (150, "three_mens_morris"), (30, "three_mens_morris")])
def test_the_larger_of_two_boards_wins_where_it_is_seen(grey: int, name: str) -> None:
    bgr = np.full((720, 960, 3), 225, np.uint8)
    corners = ((280, 160), (680, 160), (680, 560), (280, 560))
    for a, b in ((0, 2), (1, 3)) if grey else ():
        cv2.line(bgr, corners[a], corners[b], (grey,) * 3, 6, cv2.LINE_AA)
    cv2.rectangle(bgr, corners[0], corners[2], (30, 30, 30), 6)
    cv2.line(bgr, (480, 160), (480, 560), (30, 30, 30), 6)
    cv2.line(bgr, (280, 360), (680, 360), (30, 30, 30), 6)
    bgr = np.clip(bgr + np.random.default_rng(2).normal(0, 3, bgr.shape), 0, 255).astype(np.uint8)
    found = locate(bgr)
    assert isinstance(found, Registration), found
    assert found.field.board.name == name


def test_dragged_corners_are_drawn_to_the_strokes_nearby_and_keep_their_names() -> None:
    picture, truth = photograph("nine_mens_morris")
    corners = np.array([truth["points"][name] for name in ("a1", "a7", "g7", "g1")])
    dragged = corners + np.array([[3.0, -2], [-3, 2], [2, 3], [-2, -2]])
    found = field_from_corners(picture, NINE_MENS_MORRIS, dragged)
    assert worst_error(found, np.array(list(truth["points"].values()))) < 0.2
    places = [found.field.points_px[NINE_MENS_MORRIS.index[name]] for name in ("a7", "g7", "g1", "a1")]
    assert np.linalg.norm(places - corners, axis=1).max() < 3
    assert found.confidence > 0.8


def test_corners_on_nothing_give_the_ideal_board_with_little_confidence() -> None:
    corners = np.array([[100.0, 100], [300, 100], [300, 300], [100, 300]])
    found = field_from_corners(np.full((400, 400, 3), 128, np.uint8), NINE_MENS_MORRIS, corners)
    np.testing.assert_allclose(found.field.points_px[0], corners[0], atol=1e-6)
    assert found.confidence < 0.5


@pytest.fixture(scope="module")
def picture() -> Image:
    return np.asarray(cv2.imread(str(DATA / "nine_mens_morris.jpg")), np.uint8)


def coloured(painted: Image, bgr: tuple[int, int, int]) -> int:
    """Pixels of nearly this colour: lines are drawn smoothly."""
    return int((np.abs(painted.astype(int) - np.array(bgr)).max(axis=2) < 70).sum())


def test_a_board_that_is_found_is_painted_with_its_strokes_and_words_in_the_margin(picture: Image) -> None:
    found, survey = locate_with_report(picture)
    assert isinstance(found, Registration) and survey is not None
    before = picture.copy()
    painted = draw_photograph_reading(picture, found, None, survey)
    np.testing.assert_array_equal(picture, before)
    assert painted.shape[1] == picture.shape[1] and painted.shape[0] > picture.shape[0] + 20
    assert coloured(painted, SEEN_LINE_BGR) > 200 > coloured(painted, MISSED_LINE_BGR)
    assert painted[picture.shape[0] :].max() > 200  # the margin has words


def test_where_no_board_is_believed_the_strokes_that_are_missing_are_red(picture: Image) -> None:
    _, survey = locate_with_report(picture)
    assert survey is not None
    survey.boards[0].sample_seen[: len(survey.boards[0].sample_seen) // 3] = False
    painted = draw_photograph_reading(
        picture, NotRegistered("something hides the upper part of the board"), None, survey
    )
    assert coloured(painted, MISSED_LINE_BGR) > 100 and coloured(painted, SEEN_LINE_BGR) > 100
