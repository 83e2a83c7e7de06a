"""Patches follow the board, not the camera, and say so in their shapes."""

import numpy as np

from referee.boards import BOARDS
from referee.layouts import MOULIN_ROUGE, NINE_MENS_MORRIS, ROMAN_MILL, TRIALECTIC
from tests.drawn import field_under
from vision.imaging.patches import (
    PATCH_SIDE,
    cut_patches,
    parallax_px,
    patch_reaches,
    stone_unit,
)

CAMERA = np.array([[700.0, 0, 479.5], [0, 700.0, 269.5], [0, 0, 1]])


def seen_from(tilt_deg: float) -> np.ndarray:
    """Homography of a board of one unit, seen from 1.6 units away by a camera tilted towards it."""
    a = np.radians(tilt_deg)
    turned = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    pose = np.column_stack([turned[:, 0], turned[:, 1], np.array([0, 0, 1.6]) - turned @ [0.5, 0.5, 0]])
    return CAMERA @ pose


def test_every_board_gives_one_patch_a_point() -> None:
    bgr = np.full((540, 960, 3), 90, np.uint8)
    for board in BOARDS.values():
        patches = cut_patches(bgr, field_under(board, seen_from(35)))
        assert patches.log_colour.shape == (len(board.points), PATCH_SIDE, PATCH_SIDE, 3)
        assert patches.log_colour.dtype == np.float32
        assert patches.inside.all()
        np.testing.assert_allclose(patches.log_colour[..., 1:], 0, atol=1e-6)  # grey has no colour


def test_a_thing_above_the_board_leans_away_from_the_camera_foot() -> None:
    field = field_under(NINE_MENS_MORRIS, seen_from(40))
    lean = parallax_px(field, (960, 540))
    height = 0.1
    pose = np.linalg.solve(CAMERA, field.image_from_board)
    normal = np.cross(pose[:, 0], pose[:, 1])
    normal = -normal if normal @ (pose @ [0.5, 0.5, 1]) > 0 else normal
    foot = np.column_stack([np.array(field.board.xy), np.ones(24)]) @ pose.T
    top = (foot + height * normal) @ CAMERA.T
    true = top[:, :2] / top[:, 2:] - field.points_px
    # The camera's focal length is 0.73 of the width, the guess 0.75; a fifth of the lean is allowed for it.
    assert np.linalg.norm(true - height * lean, axis=1).max() < 0.2 * np.linalg.norm(true, axis=1).max()


def test_units_are_the_smallest_spacing_but_never_more_than_a_third() -> None:
    assert np.isclose(stone_unit(NINE_MENS_MORRIS), 1 / 6)
    assert np.isclose(stone_unit(ROMAN_MILL), 1 / 3)
    assert (patch_reaches(TRIALECTIC) >= 0.8 * stone_unit(TRIALECTIC)).all()
    assert len(patch_reaches(MOULIN_ROUGE)) == 24


def test_a_point_outside_the_picture_is_said_to_be_outside() -> None:
    field = field_under(NINE_MENS_MORRIS, seen_from(20))
    aside = np.array([[1, 0, 600], [0, 1, 0], [0, 0, 1]])
    moved = field_under(field.board, aside @ field.image_from_board)
    patches = cut_patches(np.zeros((540, 960, 3), np.uint8), moved)
    assert patches.inside.any()
    assert not patches.inside.all()
