"""The cameras of this computer, and the picture size and frame rate that a source really delivers."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import islice

import cv2
from cv2_enumerate_cameras import enumerate_cameras

from calibration.step_texts import Refused
from vision.imaging.frame import Frame

# the backend whose camera numbers ``cv2.VideoCapture(number)`` opens, by system
_BACKENDS = {"linux": cv2.CAP_V4L2, "darwin": cv2.CAP_AVFOUNDATION, "win32": cv2.CAP_MSMF}

N_IGNORED_FIRST_FRAMES = 5  # first frames of a camera that are ignored, count: they come late and dark
MAX_TIMED_FRAMES = 45  # most frames that are timed, count: a second and a half of a usual camera


def list_cameras() -> dict[str, str]:
    """Return the name of each camera that the system knows by the number that opens it, sorted.

    A device that appears twice is listed once.
    """
    cameras: dict[int, str] = {}
    for info in enumerate_cameras(_BACKENDS.get(sys.platform, cv2.CAP_ANY)):
        number = info.index % 100  # the backend's own number is added in hundreds
        cameras.setdefault(number, info.name.strip() or f"camera {number}")
    return {str(number): cameras[number] for number in sorted(cameras)}


def probe_source(frames: Iterable[Frame], *, is_live: bool) -> tuple[Frame, float]:
    """Return the newest frame of a moment, and the frames per second; Refused when there is no picture."""
    moment = list(islice(frames, MAX_TIMED_FRAMES if is_live else 2))
    if not moment:
        raise Refused("camera.nothing")
    return moment[-1], measured_fps([frame.time_s for frame in moment])


def measured_fps(times_s: list[float]) -> float:
    """Return the frames per second from the times of frames, without the first ones; 0 where there are too few."""
    steady = times_s[N_IGNORED_FIRST_FRAMES:] if len(times_s) > 3 * N_IGNORED_FIRST_FRAMES else times_s
    if len(steady) < 2 or steady[-1] <= steady[0]:
        return 0.0
    return (len(steady) - 1) / (steady[-1] - steady[0])
