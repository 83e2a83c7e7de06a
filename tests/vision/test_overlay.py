"""What is painted for people: points and names where a board is found, what is missing where it is not."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.detection.detect import locate_with_report
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image
from vision.overlay import MISSED_LINE_BGR, SEEN_LINE_BGR, draw_photograph_reading

DATA = Path(__file__).parents[1] / "data" / "locate"


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
