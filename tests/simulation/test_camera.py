"""The camera of the simulation: the same seed gives the same film, and every fault shows in the picture."""

from __future__ import annotations

from collections.abc import Iterator

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


def levels(frames: list[Taken]) -> list[float]:
    return [float(frame.bgr[:, 3 * COLUMNS // 4 :].mean()) for frame in frames]


def test_the_same_seed_gives_the_same_film():
    one, other = (list(filmed(still(20, touched=5), random_camera(3))) for _ in range(2))
    assert [(frame.shows, frame.time_s) for frame in one] == [(frame.shows, frame.time_s) for frame in other]
    assert all((a.bgr == b.bgr).all() for a, b in zip(one, other, strict=True))


def test_another_seed_gives_another_film():
    one, other = (list(filmed(still(5), random_camera(seed, fps=10))) for seed in (3, 4))
    assert (one[-1].bgr != other[-1].bgr).any()


def test_a_camera_without_faults_shows_what_is_there():
    frames = list(filmed(still(3), Camera(1, noise=0.0, jpeg_quality=100)))
    assert [frame.shows for frame in frames] == [0, 1, 2]
    assert [frame.time_s for frame in frames] == pytest.approx([0.0, 0.1, 0.2])
    assert np.abs(frames[-1].bgr.astype(int) - compressed(table(), 100)).max() <= 1


def test_exposure_hunts_when_a_sleeve_comes_in_and_comes_back_when_it_has_gone():
    frames = list(filmed(still(120, dark=range(20, 60)), Camera(1, hunting=0.8, noise=0.0)))
    light = levels(frames)
    assert max(light[20:60]) > light[10] + 10
    assert abs(light[-1] - light[10]) < 3


def test_exposure_never_runs_away_however_few_frames_there_are():
    camera = Camera(1, fps=8, hunting=1.0, balancing=1.0, hunting_s=0.9, damping=1.1, noise=0.0)
    light = levels(list(filmed(still(200, dark=range(20, 40)), camera)))
    assert abs(light[-1] - light[10]) < 1


def test_mains_that_flicker_make_bands_across_the_rows():
    frame = next(iter(filmed(still(1), Camera(1, flicker=0.05, readout_s=0.02, noise=0.0, jpeg_quality=100))))
    column = frame.bgr[:, :32, 1].astype(float).mean(axis=1)
    assert np.ptp(column) > 5


def test_the_table_shakes_only_after_a_stone_is_laid():
    frames = list(filmed(still(40, touched=10), Camera(1, shake_px=4.0, noise=0.0, jpeg_quality=100)))
    apart = [int(np.abs(frame.bgr.astype(int) - frames[0].bgr).max()) for frame in frames]
    assert max(apart[:10]) <= 1
    assert max(apart[10:14]) > 20
    assert max(apart[35:]) <= 1


def test_the_focus_is_searched_for_when_the_picture_changes():
    camera = Camera(1, breath_px=2.0, noise=0.0, jpeg_quality=100)
    frames = list(filmed(still(30, dark=range(10, 30)), camera))
    sharp = [float(np.abs(np.diff(frame.bgr[:, 120:, 1].astype(int), axis=1)).max()) for frame in frames]
    assert min(sharp[11:19]) < 0.8 * sharp[5]


def test_frames_are_repeated_and_left_out():
    frames = list(filmed(still(200), Camera(1, repeated=0.2, dropped=0.2)))
    shown = [frame.shows for frame in frames]
    assert len(frames) < 190
    assert len(set(shown)) < len(shown)
    assert shown == sorted(shown)


def test_a_slower_and_a_faster_camera_keep_the_time_of_what_they_film():
    slow = list(filmed(still(50), Camera(1, fps=8), views_fps=10))
    fast = list(filmed(still(50), Camera(1, fps=25), views_fps=10))
    assert (len(slow), len(fast)) == (40, 125)
    assert all(abs(frame.time_s - frame.shows / 10) < 0.2 for frame in [*slow, *fast])


def test_a_block_that_hardly_changes_keeps_what_it_showed():
    def drifting() -> Iterator[View]:
        for number in range(10):
            yield View(table(130 + number // 9))

    frames = list(filmed(drifting(), Camera(1, kept_levels=2.0, noise=0.0, jpeg_quality=100)))
    assert frames[-1].bgr.mean() == pytest.approx(frames[0].bgr.mean(), abs=0.2)


def test_a_photograph_is_developed_alike_for_the_same_generator():
    how = Development(gain=1.3, balance=(1.1, 1.0, 0.9), blur_px=1.0)
    one, other = (develop(table(), how, np.random.default_rng(5)) for _ in range(2))
    assert (one == other).all()
    assert one[..., 0].mean() > one[..., 2].mean()


def test_a_restless_camera_is_never_still_and_the_second_level_is_more_so_than_the_first():
    apart = [
        float(np.mean([np.abs(b.bgr.astype(int) - a.bgr).mean() for a, b in zip(frames, frames[1:], strict=False)]))
        for frames in (list(filmed(still(20), restless_camera(1, level))) for level in (0, 1, 2))
    ]
    assert apart[0] < apart[1] < 0.75 * apart[2]
