"""Strips that hang from the top stones of towers, and what they tell."""

import cv2
import numpy as np
import pytest

from referee.layouts import TRIALECTIC
from tests.vision.test_tall_patches import seen_at
from vision.imaging.field import Field
from vision.imaging.patches import image_jacobians, parallax_px, sample_log_colour, stone_unit
from vision.networks.patch_networks import predict_towers_averaged
from vision.stones.tower_heights import (
    MIN_TOP_SAMPLES,
    STRIP_ROWS_ABOVE_RIM,
    TALL_PATCH_COLUMNS,
    TALL_PATCH_ROWS,
    TALL_PATCH_SAMPLES_PER_UNIT,
    TALL_PATCH_UNITS_BELOW,
    TowerHeights,
    cut_tall_patches,
    layer_moments,
    read_tower_heights,
    strip_anchors,
    strip_places_px,
    top_stone_probabilities,
)


def test_a_strip_hangs_from_the_upper_rim_of_the_top_stone_and_is_as_wide() -> None:
    mask = np.zeros((1, TALL_PATCH_ROWS // 2, TALL_PATCH_COLUMNS // 2), np.float32)
    mask[0, 10:16, 5:11] = 1  # six cells of a tenth of a unit, their middle that of the patch
    above, beside, width = strip_anchors(mask)[0]
    cell = 2 / TALL_PATCH_SAMPLES_PER_UNIT
    assert above == pytest.approx((TALL_PATCH_ROWS / 2 - 10) * cell - TALL_PATCH_UNITS_BELOW, abs=cell)
    assert beside == pytest.approx(0, abs=1e-6)
    assert width == pytest.approx(6 * cell, rel=0.2)


def test_a_mask_of_nearly_nothing_gives_a_strip_of_the_least_width() -> None:
    mask = np.zeros((1, TALL_PATCH_ROWS // 2, TALL_PATCH_COLUMNS // 2), np.float32)
    mask[0, 12, 8] = 1e-6
    assert strip_anchors(mask)[0, 2] == pytest.approx(0.3)


def test_a_strip_runs_down_the_image_of_the_vertical_at_the_scale_of_the_picture() -> None:
    field = seen_at(0.8)
    hung = np.array([[0.2, 0.0, 0.5]], np.float32)
    places, slope = strip_places_px(field, (960, 540), np.array([4]), hung)
    assert places.shape == (1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 2)
    lean = parallax_px(field, (960, 540))[4]
    down = places[0, -1, 3] - places[0, 0, 3]
    np.testing.assert_allclose(down / np.linalg.norm(down), -lean / np.linalg.norm(lean), atol=1e-3)
    assert 0.3 < slope[0] < 0.9


def test_a_strip_is_told_where_it_shows_its_own_top_and_where_its_neighbours() -> None:
    field = seen_at(0.4)
    points = np.array([TRIALECTIC.index["c4"], TRIALECTIC.index["b4"]])  # one straight behind the other
    masks = np.zeros((2, TALL_PATCH_ROWS // 2, TALL_PATCH_COLUMNS // 2), np.float32)
    masks[:, 14:17, 5:11] = 1  # a single stone on either point
    places, _ = strip_places_px(field, (960, 540), points, strip_anchors(masks))
    told = top_stone_probabilities(field, (960, 540), points, masks, places)
    assert told.shape == (2, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS, 2)
    own, others = (np.flatnonzero(told[0, :, TALL_PATCH_COLUMNS // 2, k] > 0.9) for k in (0, 1))
    assert len(own) > 5 < len(others)
    assert own.max() < others.min()  # whoever stands in front is seen below
    assert told[1, STRIP_ROWS_ABOVE_RIM + 5 :, :, 1].max() == 0  # and has nobody in front
    assert told.min() >= 0
    assert told.max() <= 1


def test_how_much_shows_each_layer_and_where_is_told_by_moments() -> None:
    shares = np.zeros((1, TALL_PATCH_ROWS, TALL_PATCH_COLUMNS // 2, 4), np.float32)
    shares[0, :12, :, 0] = 1
    shares[0, 12:, :, 3] = 1
    told = layer_moments(shares)[0]
    np.testing.assert_allclose(told[:4] * 10, [12, 0, 0, TALL_PATCH_ROWS - 12], atol=1e-4)
    assert told[8] < -0.5 < told[11]  # the top stone lies above, the ground below


def looked_at(bgr: np.ndarray, field: Field, points: list[int], paints: np.ndarray, labels: list[int]) -> TowerHeights:
    """What strips say of given points, with a disc around the middle of a pebble's image as the mask of every top."""
    rows, columns = np.indices((TALL_PATCH_ROWS // 2, TALL_PATCH_COLUMNS // 2))
    disc = (
        np.hypot(
            rows + 0.5 - (TALL_PATCH_ROWS - TALL_PATCH_UNITS_BELOW * TALL_PATCH_SAMPLES_PER_UNIT) / 2 + 1.5,
            columns + 0.5 - TALL_PATCH_COLUMNS / 4,
        )
        < 3
    )
    masks = np.repeat(disc[None].astype(np.float32), len(points), axis=0)
    ground = np.repeat(np.array([[4.8, 0, 0]], np.float32), len(points), axis=0)
    return read_tower_heights(bgr, field, np.array(points), masks, paints, ground, np.array(labels))


def test_heights_are_shares_and_a_picture_without_contrast_is_no_error() -> None:
    bgr = np.full((540, 960, 3), 100, np.uint8)
    told = looked_at(bgr, seen_at(0.8), [1, 4, 7], np.full((3, 3), 4.8, np.float32), [0, 0, 0])
    assert told.height_log_p.shape == (3, 3)
    assert np.isfinite(told.height_log_p).all()
    assert all(len(top) >= MIN_TOP_SAMPLES for top in told.top_samples)


def test_the_order_of_points_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    bgr = cv2.GaussianBlur(rng.integers(0, 255, (540, 960, 3), dtype=np.uint8), (0, 0), 6)
    paints = rng.normal(4.5, 0.3, (4, 3)).astype(np.float32)
    some = looked_at(bgr, seen_at(0.8), [2, 5, 9, 11], paints, [0, 1, 0, 2])
    back = looked_at(bgr, seen_at(0.8), [11, 9, 5, 2], paints[::-1], [2, 0, 1, 0])
    np.testing.assert_allclose(some.height_log_p, back.height_log_p[::-1], atol=1e-4)


def test_towers_of_three_are_told_from_single_stones_and_their_tops_from_what_lies_below() -> None:
    field = seen_at(0.75)
    bgr = np.full((540, 960, 3), (150, 160, 150), np.uint8)
    unit = stone_unit(TRIALECTIC)
    lean = parallax_px(field, (960, 540)) * unit
    across = np.linalg.svd(image_jacobians(field) * unit, compute_uv=False)[:, 0]
    heights = [(1, 0, 3)[k % 3] for k in range(18)]
    for k in np.argsort(field.points_px[:, 1]):  # the nearest ones last: they hide what is behind them
        for level in range(heights[k]):
            middle = np.round(field.points_px[k] + lean[k] * (0.1 + 0.2 * level)).astype(int).tolist()
            half = (round(0.29 * across[k]), round(0.22 * across[k]))
            for colour, grown in (
                ((30, 40, 40), 1),
                ((40, 40, 200) if level == heights[k] - 1 else (40, 190, 210), -1),
            ):
                axes = (half[0] + min(grown, 0), half[1] + min(grown, 0))
                cv2.ellipse(bgr, middle, axes, 0, 0, 360, colour, -1, cv2.LINE_AA)
    points = [k for k in range(18) if heights[k]]
    look = predict_towers_averaged(cut_tall_patches(bgr, field).log_colour, cut_tall_patches(bgr, field).height_scale)
    red = sample_log_colour(np.full((1, 1, 3), (40, 40, 200), np.uint8), np.zeros((1, 1, 2), np.float32))[0]
    ground = sample_log_colour(np.full((1, 1, 3), (150, 160, 150), np.uint8), np.zeros((1, 1, 2), np.float32))[0]
    n = len(points)
    tops, grounds = np.repeat(red, n, axis=0), np.repeat(ground, n, axis=0)
    told = read_tower_heights(bgr, field, np.array(points), look.mask[points], tops, grounds, np.zeros(n, np.int64))
    expected = np.exp(told.height_log_p) @ np.arange(1, 4)
    high = np.array(heights)[points] == 3
    assert expected[high].mean() > expected[~high].mean() + 0.4
    assert (
        np.mean([np.median(top, axis=0)[1] > 0.5 for top in told.top_samples]) >= 0.8
    )  # yellow has no more red than green
