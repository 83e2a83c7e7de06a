"""Images from outside, decoded under hard limits.

Pillow decodes them, never OpenCV: a PNG of 708 bytes made OpenCV's decoder take 4.2 GB and 5.5 s, although its own
limit of pixels was set (versions 4.14 and 5.0). Pillow reads the same file with 49 MB, or refuses it by its header.
What decoding will cost is reckoned from the header, and all pictures of the house share one room (`DecodingRoom`).
"""

from __future__ import annotations

import warnings
from functools import cache
from io import BytesIO
from math import prod

import cv2
import numpy as np
from PIL import Image as Pillow

from languages import message
from vision.imaging.frame import Image
from web.errors import MillchenError
from web.net.decoding import DecodingRoom

MAX_UPLOAD_BYTES = 4_000_000
"""Largest file that is accepted: a phone's image has 150 kB at 1280x720 and 3 MB at 12 megapixels. Source: chosen."""

MAX_PIXELS = 12_500_000
"""Most pixels of a JPEG, checked in its header before anything is decoded. Source: chosen."""

MAX_DECODED_PIXELS = 4_000_000
"""Most pixels that come out of a decoder; a JPEG with more is scaled down while it is read, others are refused.

Source: chosen; twice as many as 1920x1080 has.
"""

MAX_SCANS = 32
"""Most scans of a JPEG, with those of its previews; a progressive one of a camera has ten. Every scan goes over the
whole picture, and one of nothing takes a dozen bytes. Source: chosen.
"""

BYTES_PER_PIXEL = {"JPEG": 12, "PNG": 12, "WEBP": 18}
"""Memory that a pixel needs from the decoder to the array, bytes. Source: peaks of 12 million pixels measured with
Pillow 13.0: 10.3, 10.3 and 17.4.
"""

COEFFICIENT_BYTES_PER_PIXEL = 6
"""Memory for the coefficients of a progressive JPEG, bytes a pixel of the file. Source: libjpeg, two bytes for each."""

MAX_SIDE_PX = 1920
"""Longest side of a decoded image in pixels; larger ones are scaled down, a table needs no more. Source: chosen."""

ACCEPTED_FORMATS = ("JPEG", "PNG", "WEBP")
"""Formats that are decoded, by Pillow's names. Source: chosen."""

DECODING = DecodingRoom()
"""The room of all pictures of this process, whichever table or link they come from."""


def reencode_image(data: bytes) -> bytes:
    """Return the image in a file that somebody has sent as a JPEG of our own, decoded in the room for that.

    Raises:
        MillchenError: When the file is no image, too large, or broken.
        BusyError: When too many are being decoded.
    """
    return DECODING.run(lambda: encode_jpeg(decode_image(data)))


def decode_image(data: bytes) -> Image:
    """Return the image in a file that somebody has sent.

    Args:
        data: A file in one of `ACCEPTED_FORMATS`.

    Returns:
        uint8 array of shape (H, W, 3). Blue, green, red; no side is longer than `MAX_SIDE_PX`.

    Raises:
        MillchenError: When the file is no image, too large, or broken.
        BusyError: When others are being decoded that need the memory.
    """
    if len(data) > MAX_UPLOAD_BYTES:
        raise MillchenError(message("upload.bytes", most=MAX_UPLOAD_BYTES // 1_000_000))
    _silence_pillow()
    try:
        with (
            Pillow.open(BytesIO(data), formats=ACCEPTED_FORMATS) as opened,
            DECODING.memory(_check_size(opened, data)),
        ):
            return _as_array(opened)
    except MillchenError:
        raise
    except (Exception, MemoryError) as why:  # a decoder fails in many ways; all of them mean that it is no image
        raise MillchenError(message("upload.unreadable")) from why


@cache
def _silence_pillow() -> None:
    """Ignore what Pillow warns of: sizes, which are checked here, and broken metadata, at which nobody looks.

    Once for the process: `warnings.catch_warnings` would change the filters of all threads, and might not restore them.
    """
    warnings.filterwarnings("ignore", module=r"PIL\.")


def _check_size(opened: Pillow.Image, data: bytes) -> int:
    """Refuse an image that is too large; return the memory that decoding it takes, in bytes.

    A JPEG is set to be scaled down while it is read.
    """
    kind = opened.format or ""
    n_pixels = prod(opened.size)
    most = MAX_PIXELS if kind == "JPEG" else MAX_DECODED_PIXELS
    if n_pixels > most or min(opened.size) < 1:
        raise MillchenError(message("upload.pixels", most=most // 1_000_000))
    n_bytes = 0
    if kind == "JPEG":
        if data.count(b"\xff\xda") > MAX_SCANS:
            raise MillchenError(message("upload.unreadable"))
        n_bytes = COEFFICIENT_BYTES_PER_PIXEL * n_pixels
        shrink = 2 if n_pixels > MAX_DECODED_PIXELS else 1
        width, height = opened.size
        opened.draft("RGB", (max(1, min(MAX_SIDE_PX, width // shrink)), max(1, min(MAX_SIDE_PX, height // shrink))))
    return n_bytes + BYTES_PER_PIXEL.get(kind, max(BYTES_PER_PIXEL.values())) * prod(opened.size)


def _as_array(opened: Pillow.Image) -> Image:
    opened.load()
    rgb = opened if opened.mode == "RGB" else opened.convert("RGB")
    rgb.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    return np.ascontiguousarray(np.asarray(rgb, np.uint8)[:, :, ::-1])


def encode_jpeg(bgr: Image, quality: int = 85) -> bytes:
    """Return the image as a JPEG file; encoding it anew leaves nothing of the file that was sent."""
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(data, np.uint8).tobytes()
