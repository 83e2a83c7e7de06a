"""A drawing is found wherever it lies beside the middle of its playing area."""

import cv2
import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS
from vision.detection.line_filter import line_responses
from vision.detection.template_search import (
    BOARD_PATCH_SIDE_PX,
    search_template,
    stack_coarse,
    unit_from_patch,
)
from vision.detection.templates import board_template, line_drawings
from vision.imaging.homography import apply_homography


@pytest.mark.parametrize("moved", [(-0.23, 0.0), (0.16, 0.23), (0.0, -0.16), (0.23, -0.23), (0.0, 0.08)])
def test_a_drawing_is_found_wherever_it_is_shifted(moved: tuple[float, float]) -> None:
    template = board_template(line_drawings(NINE_MENS_MORRIS)[0])
    unit_from_template = np.array([[0.77, 0, moved[0]], [0, 0.77, moved[1]], [0, 0, 1]])
    joints = apply_homography(np.linalg.inv(unit_from_patch()) @ unit_from_template, template.joints)
    patch = np.full((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX, 3), 190, np.uint8)
    cv2.polylines(patch, list(np.round(joints[template.links]).astype(np.int32)), False, (40, 40, 40), 2, cv2.LINE_AA)
    region = np.full((BOARD_PATCH_SIDE_PX, BOARD_PATCH_SIDE_PX), 255, np.uint8)
    best = search_template(stack_coarse(line_responses(patch, region)), template)[0]
    assert apply_homography(best, np.zeros(2)) == pytest.approx(moved, abs=0.06)
