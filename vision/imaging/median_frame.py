"""Several frames of a table in, one picture out: passing hands vanish, noise falls, dim light is lifted.

The search for a field keeps frames a little apart in time. Each pixel of the picture is a trimmed mean of its values
over time, so a hand that is elsewhere in every frame leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from vision.imaging.frame import MIN_EDGE_LEVELS, Frame, Image
from vision.imaging.medians import percentile

MAX_MERGED_FRAMES = 7
"""Largest number of frames; more than half of so many must show one view."""

MIN_FRAME_INTERVAL_S = 0.25
"""Least time between two of the frames, seconds: a working hand has moved on."""

MAX_MOVED_SHARE = 0.012
"""Largest share of the picture that may differ without reaching the rim; more is a moved board or another view. Source:
measured, on 60 drawn tables one more stone changes 1.1 % at most, a quarter of a spacing more than that on 55."""

TARGET_LEVEL = 180.0
"""Level to which the brightest hundredth of a dim picture is lifted, of 255. Source: measured, of 36 drawn boards at a
tenth of their light 35 are found with it, 18 without, 35 with 255."""


def add_frame(frames: tuple[Frame, ...], frame: Frame) -> tuple[Frame, ...]:
    """Return the frames, with the newest one appended where it is late enough; a change of size starts anew."""
    frames = frames if frames and frame.size_px == frames[-1].size_px else ()
    if frames and frame.time_s - frames[-1].time_s < MIN_FRAME_INTERVAL_S:
        return frames
    return (*frames, frame)[-MAX_MERGED_FRAMES:]


def merge_frames(frames: Sequence[Frame]) -> Image | None:
    """Return the trimmed mean of the frames that show the view of the newest, the last; None where too few do."""
    if not frames:
        return None
    ordered: list[Any] = [frame.bgr for frame in frames if _is_same_view(frame.bgr, frames[-1].bgr)]
    if len(ordered) <= MAX_MERGED_FRAMES // 2:
        return None
    for end in range(len(ordered) - 1, 0, -1):  # a bubble sort of all pixels at once
        for i in range(end):
            ordered[i : i + 2] = cv2.min(*ordered[i : i + 2]), cv2.max(*ordered[i : i + 2])
    drop = 2 * (len(ordered) - 1) // 5
    middle = ordered[drop : len(ordered) - drop]
    total = np.zeros(middle[0].shape, np.float32)
    for bgr in middle:
        cv2.accumulate(bgr, total)
    level = float(percentile(total[::8, ::8], 99)) / len(middle)
    gain = max(1.0, TARGET_LEVEL / max(level, 1.0))
    return np.asarray(cv2.convertScaleAbs(total, alpha=gain / len(middle)), np.uint8)


def _is_same_view(one: Image, other: Image) -> bool:
    """Return whether two pictures differ, in less than half, only by people, who reach in from the rim."""
    reduced = (cv2.resize(bgr, (48, 36), interpolation=cv2.INTER_AREA) for bgr in (one, other))
    difference = (cv2.absdiff(*reduced).max(axis=2) > MIN_EDGE_LEVELS).astype(np.uint8)
    inside = cv2.copyMakeBorder(difference, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    cv2.floodFill(inside, None, (0, 0), 0, flags=8)  # diagonal neighbours, too
    return bool(difference.mean() < 0.5 and np.sum(inside) < MAX_MOVED_SHARE * difference.size)
