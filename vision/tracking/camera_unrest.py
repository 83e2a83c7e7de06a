"""Frames in, the unrest of the camera itself out: it shakes, its light flickers, its picture is noisy."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import cv2
import numpy as np

from languages import Message, message
from vision.imaging.frame import REDUCTION, Float32Array, Image
from vision.imaging.medians import median
from vision.tracking.motion import DARK_LEVELS

MIN_PAIRS = 15
"""Fewest pairs of frames for a verdict on a camera: a hand or a knock may fill a few."""

MAX_SIDE_PX = 400
"""Side of the middle of the picture that is compared; more tells no more."""


class CameraUnrest(NamedTuple):
    """The difference of two frames when only the camera changed."""

    shake_px: float  # shift of the picture
    flicker_share: float  # change of a row's light, fraction
    noise_levels: float  # standard deviation, grey levels of 255


UNREST_LIMITS = CameraUnrest(shake_px=0.6, flicker_share=0.022, noise_levels=6.0)
"""A camera beyond these limits gets a warning. Source: measured, between a drawn camera of level 2, with which no turn
is lost, and one of level 4 (tests/vision/test_camera_unrest.py)."""


def compare_frames(before_bgr: Image, now_bgr: Image) -> CameraUnrest:
    """Return how the middle of two pictures of one size differs."""
    before, now = _middle(before_bgr), _middle(now_bgr)
    light = np.median(now, axis=1) / np.maximum(np.median(before, axis=1), 1.0)
    change = now - before * light[:, None]
    usual = float(np.median(np.abs(change))) / NormalDist().inv_cdf(3 / 4)  # standard deviation of the difference
    noise_levels = usual / np.sqrt(2)  # of a single frame
    # the shift explains the change along the gradients, by least squares (Lucas and Kanade 1981)
    smooth = cv2.GaussianBlur(before, (0, 0), 2.0)
    slopes = np.stack([cv2.Sobel(smooth, cv2.CV_32F, *order, scale=1 / 8).ravel() for order in ((1, 0), (0, 1))])
    shift_px = np.linalg.lstsq(slopes @ slopes.T, slopes @ cv2.GaussianBlur(change, (0, 0), 2.0).ravel(), rcond=None)[0]
    return CameraUnrest(float(np.linalg.norm(shift_px)), float(np.median(np.abs(light - 1))), noise_levels)


def without_bands(bgr: Image, before_bgr: Image) -> Image:
    """Return a picture with every row in the light of an earlier one of the same size: lamps on the mains make bands.

    The gain of a row is the median of the gains of its pixels: things cover fewer than half of them.
    """
    before, now = (picture[:, ::REDUCTION, 1].astype(np.float32) + DARK_LEVELS for picture in (before_bgr, bgr))
    gain = cv2.blur(median(before / now, axis=1)[:, None], (1, REDUCTION + 1))
    return np.asarray(np.clip(bgr * gain[..., None] + 0.5, 0, 255), np.uint8)


def unrest_note(pairs: Sequence[CameraUnrest]) -> Message | None:
    """Return one sentence on what disturbs a camera most, and what helps; None where it is calm or hardly known."""
    if len(pairs) < MIN_PAIRS:
        return None
    shares = np.median(pairs, axis=0) / UNREST_LIMITS
    worst = int(shares.argmax())
    return message(("camera.shakes", "camera.flickers", "camera.noisy")[worst]) if shares[worst] > 1 else None


def _middle(bgr: Image) -> Float32Array:
    """Return the green of the middle of a picture, shape (h, w)."""
    top, left = (max(0, (side - MAX_SIDE_PX) // 2) for side in bgr.shape[:2])
    return np.asarray(bgr[top : top + MAX_SIDE_PX, left : left + MAX_SIDE_PX, 1], np.float32)
