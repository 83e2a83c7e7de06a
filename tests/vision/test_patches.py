"""Patches follow the board, not the camera, and say so in their shapes."""

import numpy as np

from referee.layouts import NINE_MENS_MORRIS
from tests.drawn import field_under
from vision.imaging.patches import (
    cut_patches,
    parallax_px,
)

CAMERA = np.array([[700.0, 0, 479.5], [0, 700.0, 269.5], [0, 0, 1]])


def seen_from(tilt_deg: float) -> np.ndarray:
    """Homography of a board of one unit, seen from 1.6 units away by a camera tilted towards it."""
    a = np.radians(tilt_deg)
    turned = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    pose = np.column_stack([turned[:, 0], turned[:, 1], np.array([0, 0, 1.6]) - turned @ [0.5, 0.5, 0]])
    return CAMERA @ pose


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


def test_a_point_outside_the_picture_is_said_to_be_outside() -> None:
    field = field_under(NINE_MENS_MORRIS, seen_from(20))
    aside = np.array([[1, 0, 600], [0, 1, 0], [0, 0, 1]])
    moved = field_under(field.board, aside @ field.image_from_board)
    patches = cut_patches(np.zeros((540, 960, 3), np.uint8), moved)
    assert patches.inside.any()
    assert not patches.inside.all()
