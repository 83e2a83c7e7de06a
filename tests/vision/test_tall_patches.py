"""Stones on stones: patches that stand upright, and what they tell of height and of the stone on top."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.layouts import TRIALECTIC
from tests.synthetic import Paint, Scene, Truth, random_spec
from tests.vision.test_photograph_reader import right
from vision.imaging.field import Field, Registration
from vision.stones.photograph_reader import read_photograph
from vision.stones.tower_heights import (
    TALL_PATCH_COLUMNS,
    TALL_PATCH_ROWS,
    TALL_PATCH_SAMPLES_PER_UNIT,
    TALL_PATCH_UNITS_BELOW,
    cut_tall_patches,
    make_masks_exclusive,
    resample_grid,
)

PAINTS = (Paint((40.0, 40.0, 190.0)), Paint((190.0, 90.0, 30.0)), Paint((40.0, 190.0, 220.0)))


def photographed(seed: int) -> tuple[np.ndarray, np.ndarray, Registration, Truth]:
    """A photograph of towers, the same table without them, where the field lies, and the truth."""
    rng = np.random.default_rng(seed)
    scene = Scene(replace(random_spec(rng, TRIALECTIC, n_players=3, size_px=(960, 540), hardness=0.3), paints=PAINTS))
    heights = [int(rng.integers(1, 4)) if rng.random() < 0.5 else 0 for _ in TRIALECTIC.points]
    bgr, truth = scene.render([[int(rng.integers(3)) for _ in range(h)] for h in heights], rng=rng)
    empty, _ = scene.render([[] for _ in heights], rng=rng)
    homography, _ = cv2.findHomography(np.array(TRIALECTIC.xy), truth.points_px)
    return bgr, empty, Registration(Field(TRIALECTIC, scene.spec.drawing, truth.points_px, homography), 1.0), truth


def seen_at(angle: float) -> Field:
    """The board from a camera ``angle`` radians above the table, 1.6 boards away, in a picture of 960 x 540."""
    camera = np.array([[0.75 * 960, 0, 479.5], [0, 0.75 * 960, 269.5], [0, 0, 1]])
    s, c = np.sin(angle), np.cos(angle)
    along = np.array([[1, 0, -0.5], [0, s, -0.5 * s], [0, -c, 0.5 * c + 1.6]])  # board y comes towards the camera
    homography = camera @ along
    places = np.column_stack([np.array(TRIALECTIC.xy), np.ones(18)]) @ homography.T
    return Field(TRIALECTIC, TRIALECTIC.drawings[0].name, places[:, :2] / places[:, 2:], homography)


@pytest.mark.parametrize("angle", [0.5, 0.9, 1.4])
def test_the_slope_is_the_cosine_of_the_angle_over_the_table(angle: float) -> None:
    middle = int(np.abs(np.array(TRIALECTIC.xy) - 0.5).sum(axis=1).argmin())
    slope = cut_tall_patches(np.zeros((540, 960, 3), np.uint8), seen_at(angle)).height_scale
    assert slope[middle] == pytest.approx(np.cos(angle), abs=0.12)


def test_the_point_itself_lies_in_the_middle_near_the_foot_of_its_patch() -> None:
    field = seen_at(0.8)
    bgr = np.full((540, 960, 3), 40, np.uint8)
    x, y = (round(float(c)) for c in field.points_px[4])
    cv2.circle(bgr, (x, y), 4, (255, 255, 255), -1)
    level = cut_tall_patches(bgr, field).log_colour[4, ..., 0]
    row, column = np.unravel_index(int(level.argmax()), level.shape)
    assert abs(row - (TALL_PATCH_ROWS - TALL_PATCH_UNITS_BELOW * TALL_PATCH_SAMPLES_PER_UNIT)) < 4
    assert abs(column - TALL_PATCH_COLUMNS / 2) < 4
    above = tuple(np.array([x, y - 25]))
    cv2.circle(bgr, above, 4, (255, 255, 255), -1)
    higher = cut_tall_patches(bgr, field).log_colour[4, ..., 0]
    assert (higher[: row - 4] > 5).any()
    assert not (level[: row - 4] > 5).any()


def test_tops_and_heights_of_towers_are_read() -> None:
    n_right = n_high = n = 0
    for seed in (1, 2):
        bgr, empty, registration, truth = photographed(seed)
        reading = read_photograph(bgr, registration, empty, 3)
        n_right += right(reading, truth)
        n_high += int((reading.heights == np.array(truth.heights)).sum())
        n += len(truth.tops)
    assert n_right >= 0.9 * n
    assert n_high >= 0.55 * n  # most towers of one seen from nearly above are guessed


def grid(left: float, top: float) -> np.ndarray:
    """Eight by six places, two pixels apart."""
    x, y = np.meshgrid(left + 2.0 * np.arange(6), top + 2.0 * np.arange(8))
    return np.stack([x, y], axis=2).astype(np.float32)


def test_a_stone_that_two_patches_show_belongs_to_the_tower_that_is_surer() -> None:
    mine, theirs = np.full((8, 6), 0.02, np.float32), np.full((8, 6), 0.02, np.float32)
    mine[0:2, 2:4] = 0.7  # a stone further up, which is the other tower's ...
    mine[5:7, 2:4] = 0.6  # ... and my own, of which I am less sure
    theirs[4:6, 2:4] = 0.98
    told, others = make_masks_exclusive(np.stack([mine, theirs]), np.stack([grid(100, 50), grid(100, 42)]))
    assert told[0:2, 2:4].max() < 0.1
    assert told[5:7, 2:4].min() > 0.55
    assert others[4:6, 2:4].min() > 0.9


def test_a_tower_that_stands_alone_keeps_its_mask() -> None:
    masks = np.random.default_rng(3).uniform(0.01, 0.99, (2, 8, 6)).astype(np.float32)
    told = make_masks_exclusive(masks, np.stack([grid(0, 0), grid(400, 0)]))
    np.testing.assert_allclose(told, masks, atol=1e-4)


def test_what_a_turned_patch_shows_is_found_in_another() -> None:
    values = np.random.default_rng(4).random((8, 6)).astype(np.float32)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]], np.float32)
    turned = grid(0, 0) @ turn.T + np.float32(70)
    np.testing.assert_allclose(resample_grid(values, turned, turned[2:5, 1:3]), values[2:5, 1:3], atol=0.04)
