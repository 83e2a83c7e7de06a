"""What is said of a camera: of a calm one nothing, of one that is disturbed by one thing this thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulation.camera import Camera, View, filmed, restless_camera
from tests.vision.test_restless_camera import grained_table
from vision.tracking.camera_unrest import MIN_PAIRS, compare_frames, unrest_note


def note_of(camera: Camera) -> str | None:
    """What is said after every second frame of three seconds was compared; a hand fills the last of them."""
    frames = [taken.bgr for taken in filmed([View(grained_table())] * 60, camera)][::2]
    frames[-4:] = [frame[::-1] for frame in frames[-4:]]
    return unrest_note([compare_frames(*pair) for pair in zip(frames, frames[1:], strict=False)])


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_nothing_is_said_of_a_camera_with_which_no_turn_is_lost(seed: int, level: int):
    assert note_of(restless_camera(seed, level)) is None


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_something_is_said_of_one_that_is_twice_as_restless(seed: int):
    assert note_of(restless_camera(seed, 4)) is not None


@pytest.mark.parametrize(
    ("camera", "said"),
    [
        (replace(restless_camera(1, 0), jitter_px=1.5), "shakes"),
        (replace(restless_camera(1, 0), flicker=0.1, flicker_hz=103.0), "flickers"),
        (replace(restless_camera(1, 0), noise=14.0), "noisy"),
    ],
)
def test_what_disturbs_it_is_named(camera: Camera, said: str):
    note = note_of(camera)
    assert note is not None and said in note


def test_nothing_is_said_of_a_camera_of_which_little_was_seen():
    noisy = compare_frames(grained_table(), 255 - grained_table())
    assert unrest_note([noisy] * MIN_PAIRS) is not None
    assert unrest_note([noisy] * (MIN_PAIRS - 1)) is None
