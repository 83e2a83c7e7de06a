"""The camera of the simulation: the same seed gives the same film, and every fault shows in the picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.simulation.camera import (
    Camera,
    Development,
    Taken,
    View,
    compressed,
    develop,
    filmed,
    random_camera,
    restless_camera,
)
from vision.imaging.frame import Image

ROWS, COLUMNS = 120, 160
CLEAR = Camera(1, noise=0.0, jpeg_quality=100)


def table(level: int = 130) -> Image:
    columns, rows = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    checks = 40 * ((columns // 16 + rows // 16) % 2)
    return np.repeat((level + checks)[..., None], 3, axis=2).astype(np.uint8)


def still(n: int, *, touched: int = -1, dark: range = range(0)) -> Iterator[View]:
    for number in range(n):
        bgr = table()
        if number in dark:
            bgr[:, : COLUMNS // 2] = 20  # a sleeve
        yield View(bgr, number == touched)


def apart(one: Taken, other: Taken) -> np.ndarray:
    return np.abs(one.bgr.astype(int) - other.bgr)


def test_the_same_seed_gives_the_same_film_and_the_same_photograph():
    one, other = (list(filmed(still(20, touched=5), random_camera(3))) for _ in range(2))
    assert [(frame.shows, frame.time_s) for frame in one] == [(frame.shows, frame.time_s) for frame in other]
    assert all((a.bgr == b.bgr).all() for a, b in zip(one, other, strict=True))
    how = Development(gain=1.3, balance=(1.1, 1.0, 0.9), blur_px=1.0)
    one, other = (develop(table(), how, np.random.default_rng(5)) for _ in range(2))
    assert (one == other).all() and one[..., 0].mean() > one[..., 2].mean()


def test_a_camera_without_faults_shows_what_is_there():
    frames = list(filmed(still(3), CLEAR))
    assert [frame.shows for frame in frames] == [0, 1, 2]
    assert [frame.time_s for frame in frames] == pytest.approx([0.0, 0.1, 0.2])
    assert np.abs(frames[-1].bgr.astype(int) - compressed(table(), 100)).max() <= 1


def test_exposure_hunts_when_a_sleeve_comes_in_and_comes_back_when_it_has_gone():
    frames = filmed(still(200, dark=range(20, 60)), replace(CLEAR, hunting=0.8))
    light = [float(frame.bgr[:, 3 * COLUMNS // 4 :].mean()) for frame in frames]
    assert max(light[20:60]) > light[10] + 10
    assert abs(light[-1] - light[10]) < 3


def test_mains_flicker_in_bands_and_a_stone_that_is_laid_shakes_the_table():
    frame = next(iter(filmed(still(1), replace(CLEAR, flicker=0.05, readout_s=0.02))))
    assert np.ptp(frame.bgr[:, :32, 1].astype(float).mean(axis=1)) > 5
    frames = list(filmed(still(40, touched=10), replace(CLEAR, shake_px=4.0)))
    away = [int(apart(frame, frames[0]).max()) for frame in frames]
    assert max(away[:10]) <= 1 and max(away[10:14]) > 20 and max(away[35:]) <= 1


def test_frames_are_repeated_and_left_out_and_keep_the_time_of_what_they_film():
    frames = list(filmed(still(200), Camera(1, repeated=0.2, dropped=0.2)))
    shown = [frame.shows for frame in frames]
    assert len(frames) < 190 and len(set(shown)) < len(shown) and shown == sorted(shown)
    slow, fast = (list(filmed(still(50), Camera(1, fps=fps), views_fps=10)) for fps in (8, 25))
    assert (len(slow), len(fast)) == (40, 125)
    assert all(abs(frame.time_s - frame.shows / 10) < 0.2 for frame in [*slow, *fast])


def test_a_restless_camera_is_never_still_and_the_second_level_is_more_so_than_the_first():
    films = (list(filmed(still(20), restless_camera(1, level))) for level in (0, 1, 2))
    unrest = [float(np.mean([apart(a, b).mean() for a, b in zip(f, f[1:], strict=False)])) for f in films]
    assert unrest[0] < unrest[1] < 0.75 * unrest[2]
