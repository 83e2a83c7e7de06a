"""Finding boards: scaled-down scenes with exact truth, and what is painted of them for people."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.layouts import NINE_MENS_MORRIS, TRIALECTIC
from tests.synthetic import Scene, random_spec
from vision.detection.detect import (
    field_from_corners,
    locate,
    locate_with_report,
)
from vision.imaging.field import Registration
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


def test_dragged_corners_are_drawn_to_the_strokes_nearby_and_keep_their_names() -> None:
    picture, truth = photograph("nine_mens_morris")
    corners = np.array([truth["points"][name] for name in ("a1", "a7", "g7", "g1")])
    dragged = corners + np.array([[3.0, -2], [-3, 2], [2, 3], [-2, -2]])
    found = field_from_corners(picture, NINE_MENS_MORRIS, dragged)
    assert worst_error(found, np.array(list(truth["points"].values()))) < 0.2
    places = [found.field.points_px[NINE_MENS_MORRIS.index[name]] for name in ("a7", "g7", "g1", "a1")]
    assert np.linalg.norm(places - corners, axis=1).max() < 3
    assert found.confidence > 0.8


@pytest.fixture(scope="module")
def picture() -> Image:
    return np.asarray(cv2.imread(str(DATA / "nine_mens_morris.jpg")), np.uint8)


def coloured(painted: Image, bgr: tuple[int, int, int]) -> int:
    """Pixels of nearly this colour: lines are drawn smoothly."""
    return int((np.abs(painted.astype(int) - np.array(bgr)).max(axis=2) < 70).sum())


def test_a_board_that_is_found_is_painted_with_its_strokes(picture: Image) -> None:
    found, survey = locate_with_report(picture)
    assert isinstance(found, Registration) and survey is not None
    before = picture.copy()
    painted = draw_photograph_reading(picture, found, None, survey)
    np.testing.assert_array_equal(picture, before)
    assert painted.shape == picture.shape
    assert coloured(painted, SEEN_LINE_BGR) > 200 > coloured(painted, MISSED_LINE_BGR)


def test_the_evidence_in_a_large_picture_is_told_in_its_own_pixels(picture: Image) -> None:
    found, survey = locate_with_report(cv2.resize(picture, (2880, 2880 * picture.shape[0] // picture.shape[1])))
    assert isinstance(found, Registration) and survey is not None
    away_px = np.linalg.norm(survey.boards[0].points_px[:, None] - found.field.points_px, axis=2).min(axis=1)
    assert away_px.max() < float(np.median(found.field.spacing_px)) / 4


@pytest.mark.parametrize("seed", [0, 1])
def test_a_board_of_close_lines_sewn_in_broad_stitches_is_found(seed: int) -> None:
    rng = np.random.default_rng([seed, 91])
    spec = random_spec(rng, TRIALECTIC, hardness=0.4, size_px=(960, 540))
    sewn = Scene(replace(spec, strokes=replace(spec.strokes, style="wool", width=0.025)))
    picture, truth = sewn.render([[] for _ in TRIALECTIC.points], rng=rng)
    found = locate(picture)
    assert isinstance(found, Registration)
    assert found.field.board.name == "trialectic"
    assert worst_error(found, truth.points_px) < 0.4


@pytest.mark.parametrize("margin_px", [0, 20])
def test_a_board_of_broad_bars_that_fills_the_picture_is_found(margin_px: int) -> None:
    low, high, bar_px = margin_px, 719 - margin_px, 60
    lines = [low, 360, high]
    sheet = np.full((720, 960, 3), 225, np.uint8)
    for at in lines:
        cv2.line(sheet, (120 + at, low), (120 + at, high), (40, 40, 40), bar_px)
        cv2.line(sheet, (120 + low, at), (120 + high, at), (40, 40, 40), bar_px)
    grain = np.random.default_rng(0).normal(0, 3, sheet.shape)
    found = locate(np.clip(cv2.GaussianBlur(sheet, (0, 0), 1) + grain, 0, 255).astype(np.uint8))
    assert isinstance(found, Registration)
    assert found.field.board.name == "nine_holes"
    true = np.array([(120 + x, y) for y in lines for x in lines], float)
    away = np.linalg.norm(found.field.points_px[:, None] - true[None], axis=2)
    assert sorted(away.argmin(axis=1)) == list(range(9))
    assert away.min(axis=1).max() < 0.1 * 360  # of a bar at the rim only a half is seen


@pytest.mark.parametrize("seed", [7, 12])
def test_a_board_of_go_is_no_mill_board_though_every_line_of_one_lies_on_it(seed: int) -> None:
    rng, picture, ink = np.random.default_rng(seed), np.full((720, 1280, 3), (90, 110, 120), np.uint8), (25, 35, 45)
    cv2.rectangle(picture, (360, 80), (920, 640), (110, 170, 210), -1)
    width = int(rng.integers(2, 6))
    for at in range(0, 481, 60):
        cv2.line(picture, (400, 120 + at), (880, 120 + at), ink, width, cv2.LINE_AA)
        cv2.line(picture, (400 + at, 120), (400 + at, 600), ink, width, cv2.LINE_AA)
    corners = np.array([[0, 0], [1280, 0], [1280, 720], [0, 720]], np.float32)
    seen = cv2.getPerspectiveTransform(corners, corners + rng.normal(0, 60, (4, 2)).astype(np.float32))
    picture = np.asarray(cv2.warpPerspective(picture, seen, (1280, 720), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    noisy = cv2.GaussianBlur(picture + rng.normal(0, 3, picture.shape), (0, 0), 0.9)
    assert not isinstance(locate(np.clip(noisy, 0, 255).astype(np.uint8)), Registration)
