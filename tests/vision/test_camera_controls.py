from __future__ import annotations

from typing import Any, cast

import cv2

from vision.capture.sources import lock_settings


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


def fixed_by(driver: Driver, wanted: dict[str, float] | None = None) -> dict[str, float]:
    return lock_settings(cast(Any, driver), wanted)


def test_what_is_automatic_is_kept_as_it_is_now() -> None:
    for manual in (1.0, 0.25):  # backends write it differently
        driver = Driver(manual_exposure=manual)
        assert fixed_by(driver) == {"focus": 40, "exposure": 157, "white_balance": 4600}
        assert driver.values[cv2.CAP_PROP_AUTO_EXPOSURE] == manual


def test_only_what_the_driver_says_it_has_done_counts_and_the_rest_is_automatic_again() -> None:
    driver = Driver(manual_exposure=1.0, rounds=900, ignores=(cv2.CAP_PROP_AUTOFOCUS,))
    assert fixed_by(driver) == {"exposure": 157}
    assert driver.values[cv2.CAP_PROP_AUTOFOCUS] == 1
    assert driver.values[cv2.CAP_PROP_AUTO_WB] == 1  # switched on again


def test_values_of_an_earlier_evening_are_set_again() -> None:
    driver = Driver(manual_exposure=1.0)
    assert fixed_by(driver, {"exposure": 80.0}) == {"exposure": 80.0}
    assert driver.values[cv2.CAP_PROP_AUTOFOCUS] == 1
