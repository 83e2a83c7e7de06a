"""Medians and reduced pictures are what numpy and plain averaging give."""

from __future__ import annotations

import numpy as np
import pytest

from vision.imaging.cv import reduce_by_averaging
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


@pytest.mark.parametrize("size", [(320, 180), (300, 200), (161, 91), (640, 360)])
def test_a_reduced_picture_has_the_means_of_its_areas(size: tuple[int, int]) -> None:
    coarse = np.random.default_rng(4).integers(0, 256, (9, 16, 3)).astype(np.uint8)
    picture = np.repeat(np.repeat(coarse, 40, axis=0), 40, axis=1)
    reduced = reduce_by_averaging(picture, size)
    assert reduced.shape == (*size[::-1], 3)
    np.testing.assert_allclose(reduced.mean(axis=(0, 1)), picture.mean(axis=(0, 1)), atol=0.6)
    rows, columns = (np.arange(9) + 0.5) * size[1] / 9, (np.arange(16) + 0.5) * size[0] / 16
    np.testing.assert_array_equal(reduced[np.ix_(rows.astype(int), columns.astype(int))], coarse)
