"""Pictures from outside, decoded under hard limits.

By Pillow and never by OpenCV: a PNG of 708 bytes made OpenCV's decoder take 4.2 GB and 5.5 s, with its own limit of
pixels set (4.14 and 5.0); Pillow reads the same file with 49 MB or refuses it by its head.
"""

from __future__ import annotations

import warnings
from io import BytesIO

import cv2
import numpy as np
from PIL import Image as Pillow

from vision.imaging.frame import Image
from web.errors import ShellError

MOST_BYTES = 4_000_000  # a phone's picture at 1280x720 has 150 kB, at 12 megapixels 3 MB
MOST_PIXELS = 12_500_000  # of any picture, by its head, before anything is decoded
MOST_SIDE = 1920  # px; larger ones are made smaller, a table needs no more
FORMATS = ("JPEG", "PNG", "WEBP")

NO_PICTURE = "this is no picture that can be read: send JPEG, PNG or WEBP"


def picture(data: bytes) -> Image:
    """Decode a picture that somebody has sent.

    Parameters
    ----------
    data : bytes
        A file in one of `FORMATS`.

    Returns
    -------
    uint8 array of shape (H, W, 3)
        Blue, green, red; no side longer than `MOST_SIDE`.

    Raises
    ------
    ShellError
        When it is none, too large, or broken.
    """
    if len(data) > MOST_BYTES:
        raise ShellError(f"the picture is too large: at most {MOST_BYTES // 1_000_000} MB")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Pillow warns of (bombs, broken heads) is refused
            with Pillow.open(BytesIO(data), formats=FORMATS) as opened:
                width, height = opened.size
                if width * height > MOST_PIXELS or min(width, height) < 1:
                    raise ShellError(f"the picture is too large: at most {MOST_PIXELS // 1_000_000} million pixels")
                opened.draft("RGB", (MOST_SIDE, MOST_SIDE))  # a JPEG is made smaller while it is read
                rgb = opened.convert("RGB")
    except ShellError:
        raise
    except (Exception, MemoryError) as why:  # a decoder fails in many ways; all of them mean that it is no picture
        raise ShellError(NO_PICTURE) from why
    rgb.thumbnail((MOST_SIDE, MOST_SIDE))
    return np.ascontiguousarray(np.asarray(rgb, np.uint8)[:, :, ::-1])


def jpeg(bgr: Image, quality: int = 85) -> bytes:
    """The picture as a JPEG of our own making, which nobody outside has had a hand in."""
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(data, np.uint8).tobytes()
