"""No part of a picture is searched twice, nor where too little of a board would be in sight."""

import numpy as np
import pytest

from referee.boards import BOARDS
from vision.detection import disc_boards
from vision.detection.board_hypotheses import BOARD_PATCH_SIDE_PX
from vision.detection.disc_detection import DetectedDiscs
from vision.detection.playing_areas import PlayingArea, distinct_areas, enlarged_areas
from vision.imaging.frame import Float32Array, Image


def area(x: float, y: float, radius_px: float, slant: float = 1.0) -> PlayingArea:
    return PlayingArea(np.array([[radius_px, 0, x], [0, slant * radius_px, y], [0, 0, 1.0]]), 1.0)


@pytest.mark.parametrize(
    "other", [area(140, 100, 100), area(100, 100, 140), area(100, 100, 80), area(100, 100, 100, 0.7)]
)
def test_areas_that_lie_elsewhere_or_differ_in_size_or_slant_are_distinct(other: PlayingArea) -> None:
    assert distinct_areas([other], [area(100, 100, 100)]) == [other]


@pytest.mark.parametrize("other", [area(108, 95, 105), area(100, 100, 90, 1.1)])
def test_an_area_that_overlaps_another_nearly_wholly_is_not_distinct(other: PlayingArea) -> None:
    assert distinct_areas([other], [area(100, 100, 100)]) == []
    assert distinct_areas([area(100, 100, 100), other], []) != [other]


def test_rings_are_not_sought_where_most_of_them_would_lie_beyond_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[PlayingArea] = []

    def note(bgr: Image, area: PlayingArea, holes: object, finer: int, heat: object) -> list[DetectedDiscs]:
        searched.append(area)
        return []

    def all_warm(_: PlayingArea) -> Float32Array:
        return np.ones((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), np.float32)

    monkeypatch.setattr(disc_boards, "detect_discs", note)
    picture = np.zeros((200, 300, 3), np.uint8)
    boards = (BOARDS["moulin_rouge"],)
    disc_boards.search_further_for_discs(picture, [area(150, 100, 60)], [], boards, None, all_warm)
    assert len(searched) == len(enlarged_areas([area(150, 100, 60)]))
    searched.clear()
    disc_boards.search_further_for_discs(picture, [area(150, 100, 220)], [], boards, None, all_warm)
    assert searched == []
