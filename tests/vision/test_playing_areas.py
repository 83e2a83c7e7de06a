"""No part of a picture is searched twice, nor where too little of a board would be in sight."""

import cv2
import numpy as np
import pytest

from referee.boards import BOARDS
from vision.detection import disc_detection, playing_areas
from vision.detection.board_hypotheses import BOARD_PATCH_SIDE_PX
from vision.detection.disc_detection import DetectedDiscs
from vision.detection.playing_areas import (
    OUTER_DISC_RATIOS,
    PlayingArea,
    distinct_areas,
    find_contours,
    find_playing_areas,
)
from vision.imaging import cv
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

    monkeypatch.setattr(disc_detection, "detect_discs", note)
    picture = np.zeros((200, 300, 3), np.uint8)
    boards = (BOARDS["moulin_rouge"],)
    disc_detection.search_further_for_discs(picture, [area(150, 100, 60)], [], boards, None, all_warm)
    assert len(searched) == len(OUTER_DISC_RATIOS)
    searched.clear()
    disc_detection.search_further_for_discs(picture, [area(150, 100, 220)], [], boards, None, all_warm)
    assert searched == []


@pytest.mark.parametrize("ground, thing", [(70, 170), (170, 70)])
def test_a_light_cloth_and_a_dark_one_are_outlined_and_a_coin_is_a_small_thing(ground: int, thing: int) -> None:
    picture = np.full((360, 640, 3), ground, np.uint8)
    cv2.ellipse(picture, (300, 180), (150, 110), 0, 0, 360, (thing, thing, thing), -1)
    cv2.line(picture, (100, 180), (500, 180), (ground, ground, ground), 3)  # a gap across it
    cv2.circle(picture, (560, 60), 22, (thing, thing, thing), -1)
    contours = find_contours(picture)
    cloth = find_playing_areas(picture, 1, contours=contours)[0].image_from_unit
    coin = find_playing_areas(picture, 1, small_things=True, contours=contours)[0].image_from_unit
    assert cloth[:2, 2] == pytest.approx((300, 180), abs=4)
    assert np.linalg.norm(cloth[:2, :2], axis=0) == pytest.approx((150, 110), abs=5)
    assert coin[:2, 2] == pytest.approx((560, 60), abs=4)


@pytest.mark.parametrize("level", [60, 127, 190])
def test_a_threshold_of_a_plane_without_gaps_is_a_threshold_without_gaps(level: int) -> None:
    noise = np.random.default_rng(level).integers(0, 256, (108, 192)).astype(np.uint8)
    plane = np.asarray(cv2.GaussianBlur(noise, (0, 0), 3.0), np.uint8)
    plane = np.asarray(cv2.normalize(plane, None, 0, 255, cv2.NORM_MINMAX), np.uint8)  # type: ignore[call-overload]
    for kernel in playing_areas._closing_kernels():
        smooth, negative = (playing_areas._without_gaps(p, kernel) for p in (plane, 255 - plane))
        above = cv.threshold(plane, level)
        assert (cv.threshold(smooth, level) == playing_areas._without_gaps(above, kernel)).all()
        assert (cv.threshold(negative, 254 - level) == playing_areas._without_gaps(255 - above, kernel)).all()
