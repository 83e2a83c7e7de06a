"""Pixels compared with themselves: what a stone changes, what a shadow does not."""

import cv2
import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS
from tests.drawn import field_under
from vision.change.pixel_change import TRAINING_PRIOR_LOG_ODDS, PixelChange, detect_pixel_change
from vision.imaging.board_view import board_lies_still, cut_board_view
from vision.imaging.frame import Image
from vision.imaging.patches import stone_unit

SIDE_PX, MARGIN_PX = 300, 60
FIELD = field_under(NINE_MENS_MORRIS, np.array([[SIDE_PX, 0, MARGIN_PX], [0, SIDE_PX, MARGIN_PX], [0, 0, 1.0]]))


def cloth(seed: int = 0) -> Image:
    """A woven cloth with the lines of the board; the noise of the camera is another at every call's seed."""
    weave = np.random.default_rng(99).normal(0, 6, (SIDE_PX + 2 * MARGIN_PX,) * 2)
    picture = np.clip(np.array([120, 150, 160]) + cv2.blur(weave, (2, 2))[..., None], 0, 255).astype(np.uint8)
    for i, near in enumerate(FIELD.board.neighbours):
        for j in near:
            a, b = (tuple(np.rint(FIELD.points_px[k]).astype(int).tolist()) for k in (i, j))
            cv2.line(picture, a, b, (60, 40, 120), 4, cv2.LINE_AA)
    noise = np.random.default_rng(seed).normal(0, 2, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def lay(picture: Image, name: str, bgr: tuple[int, int, int], away: tuple[float, float] = (0, 0)) -> Image:
    """The same with a pebble, ``away`` in units from its point."""
    laid = picture.copy()
    unit_px = stone_unit(FIELD.board) * SIDE_PX
    x, y = FIELD.points_px[FIELD.board.index[name]] + np.array(away) * unit_px
    cv2.circle(laid, (round(x), round(y)), round(0.25 * unit_px), bgr, -1, cv2.LINE_AA)
    return laid


def touched(before: Image, now: Image) -> list[str]:
    nats = detect_pixel_change(cut_board_view(before, FIELD), cut_board_view(now, FIELD)).posterior_log_odds
    return [name for name, n in zip(FIELD.board.points, nats, strict=True) if n > 0]


def test_a_pebble_of_nearly_the_colour_of_the_cloth_is_seen_where_it_lies_and_nowhere_else():
    assert touched(cloth(1), lay(cloth(2), "d6", (128, 156, 168))) == ["d6"]


def test_a_stone_moved_to_the_next_point_touches_both():
    before, now = lay(cloth(1), "d6", (200, 190, 180)), lay(cloth(2), "d5", (200, 190, 180))
    assert sorted(touched(before, now)) == ["d5", "d6"]


def test_a_soft_shadow_touches_nothing():
    across = np.clip((np.arange(SIDE_PX + 2 * MARGIN_PX) - 200) / 60, 0, 1) * 0.45
    now = np.asarray(cloth(2) * (1 - across[None, :, None]), np.uint8)
    assert touched(cloth(1), now) == []


def test_a_board_lies_still_under_new_stones_but_not_after_a_slip_of_a_twentieth_of_a_spacing():
    before = cut_board_view(cloth(1), FIELD)
    laid = lay(lay(cloth(2), "d6", (20, 20, 30)), "a1", (250, 250, 250))
    assert board_lies_still(before, cut_board_view(laid, FIELD))
    slip_px = 0.05 * SIDE_PX / 6
    slipped = cv2.warpAffine(cloth(2), np.array([[1, 0, slip_px], [0, 1, slip_px]]), cloth(2).shape[1::-1])
    assert not board_lies_still(before, cut_board_view(np.asarray(slipped, np.uint8), FIELD))


def test_what_the_fit_says_becomes_a_likelihood_ratio_and_the_rim_of_a_neighbour_stays_one():
    seen = PixelChange(np.array([1.0, 6.5, -3.0, -7.0, 0.0]), np.ones(5, np.bool_), 1.0)
    assert seen.change_log_odds == pytest.approx(
        [1.0 - TRAINING_PRIOR_LOG_ODDS, 6.5 - TRAINING_PRIOR_LOG_ODDS, -3.0, -7.0, 0.0]
    )
    assert TRAINING_PRIOR_LOG_ODDS < -2
