"""What is said of a camera, calm or disturbed by one thing, and what its driver is asked for."""

from dataclasses import replace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from referee.presets import find_variant
from tests.simulation.camera import Camera, View, filmed, restless_camera
from tests.simulation.play import table_of
from tests.vision.test_restless_camera import grained_table
from vision.capture.sources import lock_settings
from vision.imaging.frame import Frame
from vision.tracking.camera_unrest import compare_frames, unrest_note
from vision.tracking.motion import update_motion
from vision.watching.camera_note import CameraNote
from vision.watching.state import start


def note_of(camera: Camera) -> str | None:
    """What is said after every second frame of three seconds was compared; a hand fills the last of them."""
    frames = [taken.bgr for taken in filmed([View(grained_table())] * 60, camera)][::2]
    frames[-4:] = [frame[::-1] for frame in frames[-4:]]
    return unrest_note([compare_frames(*pair) for pair in zip(frames, frames[1:], strict=False)])


@pytest.mark.parametrize("level", [0, 1, 2])
def test_nothing_is_said_of_a_camera_with_which_no_turn_is_lost(level: int):
    assert note_of(restless_camera(1, level)) is None


def test_something_is_said_of_one_that_is_twice_as_restless():
    assert note_of(restless_camera(1, 4)) is not None


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


class Driver:
    """A camera's driver that takes what it likes."""

    def __init__(self, *, manual_exposure: float, rounds: float = 0.0, ignores: tuple[int, ...] = ()) -> None:
        self.values: dict[int, float] = {
            cv2.CAP_PROP_AUTOFOCUS: 1, cv2.CAP_PROP_FOCUS: 40,
            cv2.CAP_PROP_AUTO_EXPOSURE: 3, cv2.CAP_PROP_EXPOSURE: 157,
            cv2.CAP_PROP_AUTO_WB: 1, cv2.CAP_PROP_WB_TEMPERATURE: 4600,
        }  # fmt: skip
        self.manual_exposure, self.rounds, self.ignores = manual_exposure, rounds, ignores

    def get(self, what: int) -> float:
        return self.values.get(what, 0.0)

    def set(self, what: int, value: float) -> bool:
        if what in self.ignores:
            return True  # says yes and does nothing, as drivers do
        if what == cv2.CAP_PROP_AUTO_EXPOSURE and value not in (self.manual_exposure, 3):
            return False
        self.values[what] = value + (self.rounds if what == cv2.CAP_PROP_WB_TEMPERATURE else 0)
        return True


def test_what_is_automatic_is_kept_as_it_is_now_or_as_on_an_earlier_evening() -> None:
    for manual in (1.0, 0.25):  # backends write it differently
        driver = Driver(manual_exposure=manual)
        assert lock_settings(cast(Any, driver), None) == {"focus": 40, "exposure": 157, "white_balance": 4600}
        assert driver.values[cv2.CAP_PROP_AUTO_EXPOSURE] == manual
    driver = Driver(manual_exposure=1.0)
    assert lock_settings(cast(Any, driver), {"exposure": 80.0}) == {"exposure": 80.0}
    assert driver.values[cv2.CAP_PROP_AUTOFOCUS] == 1


def test_only_what_the_driver_says_it_has_done_counts_and_the_rest_is_automatic_again() -> None:
    driver = Driver(manual_exposure=1.0, rounds=900, ignores=(cv2.CAP_PROP_AUTOFOCUS,))
    assert lock_settings(cast(Any, driver), None) == {"exposure": 157}
    assert driver.values[cv2.CAP_PROP_AUTOFOCUS] == driver.values[cv2.CAP_PROP_AUTO_WB] == 1  # switched on again


def test_a_picture_that_stands_still_to_the_last_level_is_said_to_be_frozen_and_one_with_fresh_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    fresh = [
        np.clip(grained_table() + rng.normal(0, 6, grained_table().shape), 0, 255).astype(np.uint8) for _ in range(40)
    ]
    for pictures, is_said in ((fresh + [fresh[-1]] * 60, True), (fresh * 3, False)):
        note, state, said = CameraNote(), start(table_of(find_variant("tic_tac_toe"))), list[str | None]()
        for k, bgr in enumerate(pictures):
            frame = Frame(bgr, k / 10, k)
            state = replace(state, motion=update_motion(state.motion, frame))
            said.append(note.after(state, frame))
        assert [one is not None and "stands still" in one for one in said] == [
            is_said and k >= 89 for k in range(len(said))
        ]
