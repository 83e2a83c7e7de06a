"""Four corners are a field or one sentence; the order is clockwise, and any of them may be the first."""

import json

import numpy as np
import pytest

from vision.commands.arguments import parse_corners
from vision.imaging.corners import corner_fault

SQUARE = ((200, 150), (600, 150), (600, 550), (200, 550))
NO_FIELD = {
    "four equal ones": ((300, 300),) * 4,
    "two equal ones": ((200, 150), (200, 150), (600, 550), (200, 550)),
    "three in a line": ((200, 150), (400, 150), (600, 150), (400, 550)),
    "all in a line": ((0, 0), (100, 100), (200, 200), (300, 300)),
    "crossing ones": ((200, 150), (600, 550), (600, 150), (200, 550)),
    "one inside the others' triangle": ((200, 150), (600, 150), (400, 250), (200, 550)),
    "anticlockwise": SQUARE[::-1],
    "a sliver": ((100, 300), (700, 300), (600, 345), (60, 302)),
    "no numbers": ((float("nan"), 0), (1, 0), (1, 1), (0, 1)),
    "beyond all measure": ((-1e300, -1e300), (1e300, -1e300), (1e300, 1e300), (-1e300, 1e300)),
    "three of them": SQUARE[:3],
}


@pytest.mark.parametrize("name", NO_FIELD)
def test_what_is_no_field_is_told_in_a_sentence(name: str) -> None:
    assert "clockwise" in (corner_fault(NO_FIELD[name]) or "")


def test_corners_may_begin_anywhere_and_lie_as_one_sees_a_table() -> None:
    for first in range(4):
        assert corner_fault(np.roll(SQUARE, first, axis=0), (1280, 720)) is None
    along_the_table = ((560, 300), (720, 300), (1270, 420), (10, 420))
    cut_off = ((-300, 100), (500, 80), (600, 700), (-350, 690))
    for corners in (along_the_table, cut_off):
        assert corner_fault(corners, (1280, 720)) is None


def test_too_small_a_field_and_corners_of_another_picture_are_told_in_a_sentence() -> None:
    assert "40 pixels" in (corner_fault(((10, 10), (40, 10), (40, 40), (10, 40))) or "")
    far = tuple((x + 2000, y) for x, y in SQUARE)
    assert corner_fault(far) is None
    assert "1280 x 720" in (corner_fault(far, (1280, 720)) or "")
    one_far = ((200, 150), (9000, 150), (9000, 550), (200, 550))
    assert "1280 x 720" in (corner_fault(one_far, (1280, 720)) or "")


def test_the_command_line_asks_the_same() -> None:
    assert parse_corners("200,150,600,150,600,550,200,550") == list(SQUARE)
    for corners in NO_FIELD.values():
        with pytest.raises(Exception, match=r"clockwise|eight numbers"):
            parse_corners(json.dumps(np.ravel(corners).tolist())[1:-1])
