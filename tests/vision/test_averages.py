"""Medians, reduced pictures, and several frames as one picture: hands go, noise falls, dim light is lifted."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.imaging.frame import Frame
from vision.imaging.median_frame import MAX_MERGED_FRAMES, MIN_FRAME_INTERVAL_S, add_frame, merge_frames
from vision.imaging.medians import median, percentile


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("shape", "axis"), [((1,), None), ((880,), None), ((5, 7), None), ((2, 3), 0), ((301, 3), 0), ((4, 9, 3), 1)]
)
def test_a_median_is_that_of_numpy_to_the_last_digit(dtype: type, shape: tuple[int, ...], axis: int | None) -> None:
    values = np.random.default_rng(3).normal(size=shape).astype(dtype)
    kept = values.copy()
    told = median(values, axis)
    assert told.dtype == dtype
    np.testing.assert_array_equal(told, np.median(values, axis=axis))
    np.testing.assert_array_equal(values, kept)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("n", [1, 2, 10, 101, 4096, 50_001])
def test_a_percentile_is_that_of_numpy_to_the_last_digit(dtype: type, n: int) -> None:
    values = np.random.default_rng(n).normal(100, 50, size=n).clip(0, 255).astype(dtype)
    for percent in (0, 1, 2, 25, 60, 75, 98, 99, 100):
        assert percentile(values, percent) == np.percentile(values, percent)
    assert median(values) == np.median(values)


RNG = np.random.default_rng(4)
SCENE = cv2.resize(RNG.integers(60, 200, (9, 12, 3)).astype(np.uint8), (480, 360))


def frames(pictures: list[NDArray[np.uint8]]) -> list[Frame]:
    return [Frame(bgr, MIN_FRAME_INTERVAL_S * k, k) for k, bgr in enumerate(pictures)]


def test_a_hand_that_is_elsewhere_every_time_leaves_no_trace() -> None:
    pictures = []
    for k in range(6):
        bgr = SCENE.copy()
        bgr[:, 80 * k : 80 * k + 100] = (90, 120, 200)
        pictures.append(bgr)
    seen = merge_frames(frames(pictures))
    assert seen is not None
    np.testing.assert_allclose(seen.astype(int), SCENE, atol=1)


def test_frames_from_before_the_camera_was_moved_are_left_out() -> None:
    before, after = frames([255 - SCENE] * 3), frames([SCENE] * (MAX_MERGED_FRAMES // 2))
    assert merge_frames([*before, *after]) is None
    seen = merge_frames([*before, *frames([SCENE] * (MAX_MERGED_FRAMES // 2 + 1))])
    assert seen is not None
    np.testing.assert_allclose(seen.astype(int), SCENE, atol=1)


def test_frames_are_kept_a_little_apart_and_no_more_than_are_needed() -> None:
    kept: tuple[Frame, ...] = ()
    for k in range(200):
        kept = add_frame(kept, Frame(SCENE, 0.04 * k, k))
    assert len(kept) == MAX_MERGED_FRAMES
    assert all(b.time_s - a.time_s >= MIN_FRAME_INTERVAL_S - 1e-9 for a, b in zip(kept, kept[1:], strict=False))
