"""Focus, exposure and white balance of a camera, kept as they are: automatics change what stones look like."""

from __future__ import annotations

from collections.abc import Mapping

import cv2

SETTINGS = {
    "focus": (cv2.CAP_PROP_AUTOFOCUS, (0.0,), cv2.CAP_PROP_FOCUS),
    "exposure": (cv2.CAP_PROP_AUTO_EXPOSURE, (1.0, 0.25), cv2.CAP_PROP_EXPOSURE),
    "white_balance": (cv2.CAP_PROP_AUTO_WB, (0.0,), cv2.CAP_PROP_WB_TEMPERATURE),
}
"""What can be fixed: the switch of its automatic, how backends write "off" (V4L2 has 1 for a manual exposure, others
0.25; opencv 9738), and its value."""

SETTING_SLACK = 0.05
"""Share by which a driver may round a value that it has taken."""


def fix_settings(capture: cv2.VideoCapture, wanted: Mapping[str, float] | None = None) -> dict[str, float]:
    """Switch automatics of a camera off; only what the driver says it has done counts.

    Parameters
    ----------
    capture : cv2.VideoCapture
    wanted : mapping of str to float, optional
        Which of `SETTINGS` to fix at which value; all of them as they are when omitted.

    Returns
    -------
    dict
        Value of each setting that is fixed now, as read back. What could not be fixed is automatic again.
    """
    fixed: dict[str, float] = {}
    for name, (switch, offs, value) in SETTINGS.items():
        if wanted is not None and name not in wanted:
            continue
        aim, before = capture.get(value) if wanted is None else wanted[name], capture.get(switch)
        is_off = any(capture.set(switch, off) and capture.get(switch) == off for off in offs)
        if is_off and capture.set(value, aim):
            taken = capture.get(value)
            if abs(taken - aim) <= SETTING_SLACK * max(1.0, abs(aim)):
                fixed[name] = taken
                continue
        capture.set(switch, before)
    return fixed
