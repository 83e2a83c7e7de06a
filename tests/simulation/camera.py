"""What a cheap camera makes of a picture: exposure, white balance, focus, noise and compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Image

GAMMA = 2.2
"""Exponent between light and grey levels; gains are factors on the light."""


@dataclass(frozen=True)
class Development:
    """How one picture is made of the light that falls in.

    Attributes
    ----------
    gain : float
        Exposure, factor on the light; 2 is a stop more.
    balance : (float, float, float)
        White balance, factors on the light, BGR.
    blur_px : float
        Standard deviation of the blur; 0 is in focus.
    noise : float
        Standard deviation of the sensor's noise at gain 1, grey levels of 255.
    jpeg_quality : int
    """

    gain: float = 1.0
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    blur_px: float = 0.0
    noise: float = 1.5
    jpeg_quality: int = 88


def develop(bgr: Image, how: Development, rng: np.random.Generator) -> Image:
    """Take a picture of a picture; the same generator gives the same noise.

    Returns
    -------
    uint8 array of shape (H, W, 3)
    """
    seen = exposed(bgr, how.gain, how.balance)
    if how.blur_px > 0.2:
        seen = cast(Image, cv2.GaussianBlur(seen, (0, 0), how.blur_px))
    return compressed(with_noise(seen, how.noise * how.gain ** (1 / GAMMA), rng), how.jpeg_quality)


def exposed(bgr: Image, gain: float, balance: tuple[float, float, float]) -> Image:
    """The picture with more or less light, and of another white."""
    levels = np.arange(256) / 255
    curves = [255 * np.clip(gain * channel, 0, None) ** (1 / GAMMA) * levels for channel in balance]
    table = np.clip(np.stack(curves, axis=1), 0, 255).round().astype(np.uint8)[None]
    return cast(Image, cv2.LUT(bgr, table))


def with_noise(bgr: Image, levels: float, rng: np.random.Generator) -> Image:
    """The picture with a sensor's noise: as strong in grey as in colour."""
    noise = np.zeros(bgr.shape, np.int16)
    cv2.setRNGSeed(int(rng.integers(2**31)))
    cv2.randn(noise, (0.0, 0.0, 0.0), (levels, levels, levels))
    return cast(Image, cv2.add(bgr, noise, dtype=cv2.CV_8U))


def compressed(bgr: Image, jpeg_quality: int) -> Image:
    """The picture after it was written as JPEG and read again."""
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])[1]
    read = cv2.imdecode(cast(NDArray[np.uint8], packed), cv2.IMREAD_COLOR)
    if read is None:
        raise RuntimeError("OpenCV cannot read the JPEG that it wrote itself")
    return cast(Image, read)
