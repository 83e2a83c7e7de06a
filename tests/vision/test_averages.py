"""Medians, and several frames as one picture: hands go, and what was before the camera was moved is left out."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.imaging.frame import Frame
from vision.imaging.median_frame import MAX_MERGED_FRAMES, MIN_FRAME_INTERVAL_S, add_frame, merge_frames
from vision.imaging.medians import median, percentile


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("n", [1, 2, 10, 101, 4096])
def test_medians_and_percentiles_are_those_of_numpy_to_the_last_digit(dtype: type, n: int) -> None:
    values = np.random.default_rng(n).normal(100, 50, size=(n, 3)).clip(0, 255).astype(dtype)
    assert median(values).dtype == np.median(values).dtype
    np.testing.assert_array_equal(median(values, 0), np.median(values, axis=0))
    for percent in (0, 1, 25, 50, 98, 100):
        assert percentile(values.ravel(), percent) == np.percentile(values, percent)


SCENE = cv2.resize(np.random.default_rng(4).integers(60, 200, (9, 12, 3)).astype(np.uint8), (480, 360))


def frames(pictures: list[NDArray[np.uint8]]) -> list[Frame]:
    return [Frame(bgr, MIN_FRAME_INTERVAL_S * k, k) for k, bgr in enumerate(pictures)]


def test_a_hand_that_is_elsewhere_every_time_leaves_no_trace() -> None:
    pictures = [SCENE.copy() for _ in range(6)]
    for k, bgr in enumerate(pictures):
        bgr[:, 80 * k : 80 * k + 100] = (90, 120, 200)
    seen = merge_frames(frames(pictures))
    assert seen is not None
    np.testing.assert_allclose(seen.astype(int), SCENE, atol=1)


def test_frames_from_before_the_camera_was_moved_are_left_out() -> None:
    before = frames([255 - SCENE] * 3)
    assert merge_frames([*before, *frames([SCENE] * (MAX_MERGED_FRAMES // 2))]) is None
    seen = merge_frames([*before, *frames([SCENE] * (MAX_MERGED_FRAMES // 2 + 1))])
    assert seen is not None
    np.testing.assert_allclose(seen.astype(int), SCENE, atol=1)


def test_frames_are_kept_a_little_apart_and_no_more_than_are_needed() -> None:
    kept: tuple[Frame, ...] = ()
    for k in range(200):
        kept = add_frame(kept, Frame(SCENE, 0.04 * k, k))
    assert len(kept) == MAX_MERGED_FRAMES
    assert all(b.time_s - a.time_s >= MIN_FRAME_INTERVAL_S - 1e-9 for a, b in zip(kept, kept[1:], strict=False))
