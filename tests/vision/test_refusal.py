"""Advice names what hides a board, and says nothing of hands where there are none."""

import cv2
import numpy as np
import pytest

from languages import Message
from tests.synthetic.refused import refused
from vision.detection.detect import locate
from vision.detection.refusal import covered_reason
from vision.imaging.field import NotRegistered
from vision.networks.heat_maps import MAPS, SEEN_FROM_MAP, HeatMaps

SKINS = [(120, 150, 200), (70, 95, 140), (150, 180, 230)]
OUTLINE = np.array([[20, 20], [100, 20], [100, 100], [20, 100]], np.int32)


def table(over: tuple[int, int, int]) -> np.ndarray:
    """A picture of 384 x 224 px in which one thing reaches in from below, as far as the lower part of the board."""
    picture = np.full((224, 384, 3), (100, 115, 95), np.uint8)
    cv2.rectangle(picture, (40, 160), (200, 223), over, -1)
    return picture


def covered(first_row: int) -> HeatMaps:
    """The maps of a board that is covered from one row on."""
    told = np.zeros((len(MAPS), 112, 192), np.float32)
    told[MAPS.index("cover"), first_row:, 20:100] = 1
    return HeatMaps(told, SEEN_FROM_MAP, np.ones((112, 192), np.bool_))


@pytest.mark.parametrize("skin", SKINS)
def test_an_arm_over_a_board_is_named_with_the_part_that_it_hides(skin: tuple[int, int, int]) -> None:
    said = covered_reason(table(skin), covered(80), OUTLINE)
    assert said.startswith("a hand or an arm hides the lower part of what may be a board, 26 %")


def test_a_grey_sheet_is_no_hand() -> None:
    assert covered_reason(table((180, 180, 180)), covered(80), OUTLINE).startswith("something hides the lower part")


def test_a_table_of_the_colour_of_skin_is_no_hand() -> None:
    picture = np.full((224, 384, 3), SKINS[0], np.uint8)
    assert covered_reason(picture, covered(80), OUTLINE).startswith("something hides")


def test_a_finger_on_the_rim_hides_nothing() -> None:
    assert covered_reason(table(SKINS[0]), covered(97), OUTLINE) == ""


@pytest.mark.film
@pytest.mark.parametrize(
    ("number", "key", "said"),
    [
        (12, "sight.outside", "the board is cut off at the left: about a third of it is missing"),
        (1, "sight.covered", "something hides"),
        (23, "sight.folded", "the board is folded over and hides the lower right part of itself"),
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
