"""Which cameras there are, what a source really gives, and settings that are fixed and read back."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from cv2_enumerate_cameras import enumerate_cameras

from calibration.step_texts import Refused
from vision.imaging.frame import Frame, Image

THUMBNAIL_WIDTH = 320

_BACKENDS = {"linux": cv2.CAP_V4L2, "darwin": cv2.CAP_AVFOUNDATION, "win32": cv2.CAP_MSMF}
"""The backend whose numbers are those that ``cv2.VideoCapture(number)`` opens on each system."""

WARM_UP_FRAMES = 5
"""The first frames of a camera come late and dark."""

MAX_TIMED_FRAMES = 45
"""Frames that are timed: a second and a half of a usual camera."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera of this computer: the number that opens it, and what the system calls it."""

    number: int
    name: str


@dataclass(frozen=True, eq=False)
class SourceProbe:
    """What a source gives, seen from its frames.

    Attributes
    ----------
    size_px : (int, int)
    fps : float
        Measured from the times of the frames; 0 where there are too few.
    bgr : uint8 array of shape (H, W, 3)
        The newest frame.
    """

    size_px: tuple[int, int]
    fps: float
    bgr: Image


def list_cameras() -> tuple[Camera, ...]:
    """The cameras that the system knows, by number; a device that appears twice is named once."""
    backend = _BACKENDS.get(sys.platform, cv2.CAP_ANY)
    found: dict[int, Camera] = {}
    for info in enumerate_cameras(backend):
        number = info.index % 100  # above a hundred the backend's number is added
        found.setdefault(number, Camera(number, info.name.strip() or f"camera {number}"))
    return tuple(found[number] for number in sorted(found))


def thumbnail(bgr: Image) -> Image:
    """A small copy of a picture."""
    height = max(1, round(bgr.shape[0] * THUMBNAIL_WIDTH / bgr.shape[1]))
    return np.asarray(cv2.resize(bgr, (THUMBNAIL_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)


def probe_source(frames: Iterable[Frame], *, is_live: bool) -> SourceProbe:
    """Watch a source for a moment and say what it really gives.

    Raises
    ------
    Refused
        When it gives no picture.
    """
    times: list[float] = []
    newest: Frame | None = None
    for frame in islice(frames, MAX_TIMED_FRAMES if is_live else 2):
        newest = frame
        times.append(frame.time_s)
    if newest is None:
        raise Refused("camera.nothing")
    return SourceProbe(newest.size_px, measured_fps(times), newest.bgr)


def measured_fps(times_s: list[float]) -> float:
    """Frames a second from the times of frames, the first of which do not count; 0 where there are too few."""
    steady = times_s[WARM_UP_FRAMES:] if len(times_s) > 3 * WARM_UP_FRAMES else times_s
    if len(steady) < 2 or steady[-1] <= steady[0]:
        return 0.0
    return (len(steady) - 1) / (steady[-1] - steady[0])
