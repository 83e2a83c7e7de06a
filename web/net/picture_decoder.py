"""Decodes images from outside under hard limits; runs in a process of its own (`web.net.picture_process`).

Pillow decodes them, never OpenCV: a PNG of 708 bytes made OpenCV's decoder take 4.2 GB and 5.5 s, although its own
limit of pixels was set (versions 4.14 and 5.0). Pillow reads the same file with 49 MB, or refuses it by its header.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from math import prod

from PIL import Image as Pillow

from languages import message
from web.errors import MillchenError

MAX_UPLOAD_BYTES = 4_000_000
"""Largest file that is accepted: a phone's image has 150 kB at 1280x720 and 3 MB at 12 megapixels."""

MAX_PIXELS = 12_500_000  # most pixels of a JPEG, checked in its header before anything is decoded

MAX_DECODED_PIXELS = 4_000_000
"""Most pixels that come out of a decoder; a JPEG with more is scaled down while it is read, others are refused."""

MAX_SCANS = 32
"""Most scans of a JPEG, with those of its previews; a progressive one of a camera has ten. Every scan goes over the
whole picture, and one of nothing takes a dozen bytes.
"""

MAX_SIDE_PX = 1920  # longest side of a decoded image in pixels; larger ones are scaled down, a table needs no more
ACCEPTED_FORMATS = ("JPEG", "PNG", "WEBP")  # formats that are decoded, by Pillow's names
JPEG_QUALITY = 85  # of pictures that are encoded anew


def reencoded(data: bytes) -> bytes:
    """Re-encode the image in a file without its metadata, as JPEG. Raises as `decode_picture`."""
    picture, out = decode_picture(data), BytesIO()
    Pillow.frombytes("RGB", picture.size, picture.tobytes()).save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()


def decode_picture(data: bytes) -> Pillow.Image:
    """Return the image in a file, in RGB. Raises `MillchenError` where that is too large or broken."""
    if len(data) > MAX_UPLOAD_BYTES:
        raise MillchenError(message("upload.bytes", most=MAX_UPLOAD_BYTES // 1_000_000))
    warnings.filterwarnings("ignore", module=r"PIL\.")  # sizes are checked here, and at metadata nobody looks
    try:
        with Pillow.open(BytesIO(data), formats=ACCEPTED_FORMATS) as picture:
            _check_size(picture, data)
            return _loaded(picture)
    except MillchenError:
        raise
    except (Exception, MemoryError) as why:  # a decoder fails in many ways; all of them mean that it is no image
        raise MillchenError(message("upload.unreadable")) from why


def _check_size(picture: Pillow.Image, data: bytes) -> None:
    """Refuse an image that is too large by its header; set a JPEG to be scaled down while it is read."""
    is_jpeg, n_pixels = picture.format == "JPEG", prod(picture.size)
    most = MAX_PIXELS if is_jpeg else MAX_DECODED_PIXELS
    if n_pixels > most or min(picture.size) < 1:
        raise MillchenError(message("upload.pixels", most=most // 1_000_000))
    if not is_jpeg:
        return
    if data.count(b"\xff\xda") > MAX_SCANS:
        raise MillchenError(message("upload.unreadable"))
    shrink = 2 if n_pixels > MAX_DECODED_PIXELS else 1
    width, height = (max(1, min(MAX_SIDE_PX, side // shrink)) for side in picture.size)
    picture.draft("RGB", (width, height))


def _loaded(picture: Pillow.Image) -> Pillow.Image:
    picture.load()
    rgb = picture if picture.mode == "RGB" else picture.convert("RGB")
    rgb.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    return rgb
