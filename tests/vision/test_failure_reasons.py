"""Advice names what hides a board, and says nothing of hands where there are none."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from languages import Message
from referee.layouts import NINE_MENS_MORRIS, SIX_MENS_MORRIS
from tests.synthetic.refused import refused
from vision.detection.board_hypotheses import BoardHypothesis, Occluder
from vision.detection.detect import locate
from vision.detection.failure_reasons import failure_reasons, hidden_reason
from vision.detection.templates import board_template, line_drawings
from vision.detection.verification import Verification
from vision.imaging.field import NotRegistered
from vision.imaging.homography import apply_homography

MIDDLE, RADIUS_PX = (240.0, 180.0), 130.0
SKINS = [(120, 150, 200), (70, 95, 140), (150, 180, 230)]


def guess(gain: float = 100.0, board=NINE_MENS_MORRIS, coverage: float = 0.8) -> BoardHypothesis:
    t = board_template(line_drawings(board)[0])
    h = np.array([[RADIUS_PX, 0, MIDDLE[0]], [0, RADIUS_PX, MIDDLE[1]], [0, 0, 1.0]])
    joints, samples = apply_homography(h, t.joints), apply_homography(h, t.sample_xy)
    return BoardHypothesis(t, joints, h, samples, np.array([1.0, 0, 0]), coverage, gain)


def witness(links_seen: np.ndarray, found: BoardHypothesis) -> Verification:
    n = len(found.samples_px)
    return Verification(
        hypothesis=found,
        sample_seen=links_seen[found.template.sample_links] > 0.5,
        sample_in_picture=np.ones(n, np.bool_),
        link_coverage=links_seen,
        background_rate=0.0,
        overrun=0.0,
        inner_clutter=0.0,
        radius_px=RADIUS_PX,
    )


def lower_part_is_lost(found: BoardHypothesis) -> Verification:
    under = Occluder((0.0, 1.0), 30 / RADIUS_PX)
    low = (found.joints_px[found.template.links].mean(axis=1))[:, 1] > MIDDLE[1] + 30
    return witness(np.where(low, 0.0, 1.0), replace(found, occluder=under))


def table(over: tuple[int, int, int]) -> np.ndarray:
    """A sharp picture in which one thing reaches in from the lower rim, as far as the lower part of the board."""
    picture = np.full((360, 480, 3), (100, 115, 95), np.uint8)
    cv2.rectangle(picture, (20, 20), (60, 60), (240, 240, 240), -1)
    cv2.rectangle(picture, (100, 205), (380, 359), over, -1)
    return picture


@pytest.mark.parametrize("skin", SKINS)
def test_an_arm_over_a_board_is_named_with_the_part_that_it_hides(skin: tuple[int, int, int]) -> None:
    said = hidden_reason(table(skin), lower_part_is_lost(guess()))
    assert said.startswith("a hand or an arm hides the lower part of the board")


def test_a_grey_sheet_is_no_hand() -> None:
    said = hidden_reason(table((180, 180, 180)), lower_part_is_lost(guess()))
    assert said.startswith("something hides the lower part of the board")


def test_a_table_of_the_colour_of_skin_is_no_hand() -> None:
    picture = np.full((360, 480, 3), SKINS[0], np.uint8)
    cv2.rectangle(picture, (20, 20), (60, 60), (20, 20, 20), -1)
    cv2.rectangle(picture, (100, 205), (380, 359), (180, 180, 180), -1)
    said = hidden_reason(picture, lower_part_is_lost(guess()))
    assert said.startswith("something hides")


def test_what_looks_like_the_rest_hides_nothing() -> None:
    picture = np.full((360, 480, 3), (100, 115, 95), np.uint8)
    assert hidden_reason(picture, lower_part_is_lost(guess())) == ""


@pytest.mark.film
@pytest.mark.parametrize(
    ("number", "key", "said"),
    [
        (12, "sight.outside", "the board is cut off at the left: about a third of it is missing"),
        (1, "sight.covered", "something hides the lower left part of what may be a board"),
        (11, "sight.folded", "the board is folded over and hides the upper left part of itself"),
        (8, "sight.dark", "the picture is too dark to see a board"),
        (3, "sight.blurred", "no playing field in sight: the picture is blurred"),
    ],
)
def test_what_is_wrong_with_a_picture_is_named(number: int, key: str, said: str) -> None:
    drawn = refused(121000, number)
    answer = locate(drawn.bgr)
    assert isinstance(answer, NotRegistered) and isinstance(answer.reason, Message)
    assert answer.reason.key == key, (drawn.what, answer.reason)
    assert answer.reason.startswith(said)


def test_two_kinds_that_explain_as_much_are_both_named() -> None:
    best, second = guess(100.0), guess(95.0, SIX_MENS_MORRIS)
    seen = witness(np.ones(len(best.template.links)), best)
    said = next(filter(None, failure_reasons(table((100, 115, 95)), (best, second), seen)))
    assert said.startswith("two boards look equally likely: nine_mens_morris and six_mens_morris")
