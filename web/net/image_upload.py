"""Images from outside, decoded under hard limits.

Pillow decodes them, never OpenCV: a PNG of 708 bytes made OpenCV's decoder take 4.2 GB and 5.5 s, although its own
limit of pixels was set (versions 4.14 and 5.0). Pillow reads the same file with 49 MB, or refuses it by its header.
"""

from __future__ import annotations

import warnings
from io import BytesIO

import cv2
import numpy as np
from PIL import Image as Pillow

from languages import message
from vision.imaging.frame import Image
from web.errors import MillchenError

MAX_UPLOAD_BYTES = 4_000_000
"""Largest file that is accepted: a phone's image has 150 kB at 1280x720 and 3 MB at 12 megapixels. Source: chosen."""

MAX_PIXELS = 12_500_000
"""Most pixels of an image, checked in its header before anything is decoded. Source: chosen."""

MAX_SIDE_PX = 1920
"""Longest side of a decoded image in pixels; larger ones are scaled down, a table needs no more. Source: chosen."""

ACCEPTED_FORMATS = ("JPEG", "PNG", "WEBP")
"""Formats that are decoded, by Pillow's names. Source: chosen."""


def decode_image(data: bytes) -> Image:
    """Return the image in a file that somebody has sent.

    Parameters
    ----------
    data : bytes
        A file in one of `ACCEPTED_FORMATS`.

    Returns
    -------
    uint8 array of shape (H, W, 3)
        Blue, green, red; no side is longer than `MAX_SIDE_PX`.

    Raises
    ------
    MillchenError
        When the file is no image, too large, or broken.
    """
    if len(data) > MAX_UPLOAD_BYTES:
        raise MillchenError(message("upload.bytes", most=MAX_UPLOAD_BYTES // 1_000_000))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Pillow only warns of decompression bombs and broken headers
            with Pillow.open(BytesIO(data), formats=ACCEPTED_FORMATS) as opened:
                width, height = opened.size
                if width * height > MAX_PIXELS or min(width, height) < 1:
                    raise MillchenError(message("upload.pixels", most=MAX_PIXELS // 1_000_000))
                opened.draft("RGB", (MAX_SIDE_PX, MAX_SIDE_PX))  # a JPEG is scaled down while it is read
                rgb = opened.convert("RGB")
    except MillchenError:
        raise
    except (Exception, MemoryError) as why:  # a decoder fails in many ways; all of them mean that it is no image
        raise MillchenError(message("upload.unreadable")) from why
    rgb.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    return np.ascontiguousarray(np.asarray(rgb, np.uint8)[:, :, ::-1])


def encode_jpeg(bgr: Image, quality: int = 85) -> bytes:
    """Return the image as a JPEG file; encoding it anew leaves nothing of the file that was sent."""
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(data, np.uint8).tobytes()
