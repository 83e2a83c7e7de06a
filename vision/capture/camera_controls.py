"""Locking focus, exposure and white balance of a camera: its automatics would change what stones look like."""

from __future__ import annotations

from collections.abc import Mapping

import cv2

CAMERA_SETTINGS = {
    "focus": (cv2.CAP_PROP_AUTOFOCUS, (0.0,), cv2.CAP_PROP_FOCUS),
    "exposure": (cv2.CAP_PROP_AUTO_EXPOSURE, (1.0, 0.25), cv2.CAP_PROP_EXPOSURE),
    "white_balance": (cv2.CAP_PROP_AUTO_WB, (0.0,), cv2.CAP_PROP_WB_TEMPERATURE),
}
"""The settings that can be locked, by name: the switch of the automatic, the values by which backends write "off" (V4L2
has 1 for a manual exposure, others 0.25), and the property of the value. Source: OpenCV issue 9738."""

SETTING_TOLERANCE = 0.05
"""Largest difference between a value that was set and the value that the driver reports, as a share of the first (of 1
at least)."""


def lock_settings(capture: cv2.VideoCapture, wanted: Mapping[str, float] | None = None) -> dict[str, float]:
    """Lock settings at the values ``wanted``, all at their present ones when omitted; return those that were taken.

    A setting that could not be locked is automatic again.
    """
    locked: dict[str, float] = {}
    for name, (switch, offs, value) in CAMERA_SETTINGS.items():
        if wanted is not None and name not in wanted:
            continue
        aim, before = capture.get(value) if wanted is None else wanted[name], capture.get(switch)
        is_off = any(capture.set(switch, off) and capture.get(switch) == off for off in offs)
        if is_off and capture.set(value, aim):
            taken = capture.get(value)
            if abs(taken - aim) <= SETTING_TOLERANCE * max(1.0, abs(aim)):
                locked[name] = taken
                continue
        capture.set(switch, before)
    return locked
