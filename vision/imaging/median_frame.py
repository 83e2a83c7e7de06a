"""Several frames of a table as one picture: what passes over it goes, noise falls, dim light is lifted.

While the field is searched for, frames are kept a little apart. Each pixel of the common picture is the mean of the
middle ones of its values over time, so that a hand which is elsewhere every time leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Frame, Image

MOST, LEAST = 7, 4
"""How many frames are kept, and how many make a picture."""

APART_S = 0.25
"""Time between two kept frames: a hand at work has moved on."""

UNLIKE = 20.0
"""Levels by which a reduced picture must differ somewhere to be another there."""

MOST_COVERED, MOST_MOVED = 0.5, 0.012
"""Share of the picture that people may cover, reaching in from its rim, and that may differ without reaching the rim:
more of it is a board that was moved, or another view."""

BRIGHT = 180.0
"""To this level the brightest hundredth of a dim picture is lifted."""

MOST_LIFT = 8.0
"""Light is not lifted by more than this: beyond it, only steps of the digitiser are seen."""


def keep(kept: tuple[Frame, ...], frame: Frame) -> tuple[Frame, ...]:
    """The kept frames with another one, where it is worth keeping."""
    if kept and (frame.time_s - kept[-1].time_s < APART_S or frame.size_px != kept[-1].size_px):
        return kept if frame.size_px == kept[-1].size_px else (frame,)
    return (*kept, frame)[-MOST:]


def together(kept: Sequence[Frame]) -> Image | None:
    """One picture of what the frames have in common.

    Parameters
    ----------
    kept : sequence of Frame
        Of one size, oldest first. Only those that show the view of the newest count.

    Returns
    -------
    uint8 array of shape (H, W, 3), or None where too few frames show the same view.
    """
    if not kept:
        return None
    newest = _reduced(kept[-1].bgr)
    same = [frame.bgr for frame in kept if _same_view(_reduced(frame.bgr), newest)]
    if len(same) < LEAST:
        return None
    ordered = [np.asarray(bgr) for bgr in same]
    for turn in range(len(ordered)):  # odd-even transposition sort of all pixels at once
        for i in range(turn % 2, len(ordered) - 1, 2):
            low, high = cv2.min(ordered[i], ordered[i + 1]), cv2.max(ordered[i], ordered[i + 1])
            ordered[i], ordered[i + 1] = np.asarray(low, np.uint8), np.asarray(high, np.uint8)
    drop = 2 * (len(ordered) - 1) // 5
    middle = ordered[drop : len(ordered) - drop]
    total = np.zeros(middle[0].shape, np.float32)
    for bgr in middle:
        cv2.accumulate(bgr, total)
    level = float(np.percentile(total[::8, ::8], 99)) / len(middle)
    lift = float(np.clip(BRIGHT / max(level, 1.0), 1.0, MOST_LIFT))
    return np.asarray(cv2.convertScaleAbs(total, alpha=lift / len(middle)), np.uint8)


def _reduced(bgr: Image) -> NDArray[np.float32]:
    return cv2.resize(bgr, (48, 36), interpolation=cv2.INTER_AREA).astype(np.float32)


def _same_view(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Whether nothing but people in the way tells two pictures apart: what differs reaches in from the rim."""
    differs = (np.abs(one - other).max(axis=2) > UNLIKE).astype(np.uint8)
    labels = np.asarray(cv2.connectedComponents(differs)[1])
    reaching = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    inside = differs.astype(bool) & ~np.isin(labels, reaching)
    return bool(differs.mean() < MOST_COVERED and inside.mean() < MOST_MOVED)
