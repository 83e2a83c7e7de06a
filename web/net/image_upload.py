"""Images from outside, decoded under hard limits and one after another; and the newest one of a phone's camera.

Pillow decodes them, never OpenCV: a PNG of 708 bytes made OpenCV's decoder take 4.2 GB and 5.5 s, although its own
limit of pixels was set (versions 4.14 and 5.0). Pillow reads the same file with 49 MB, or refuses it by its header.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BytesIO
from math import prod
from threading import Condition
from typing import TypeVar

import cv2
import numpy as np
from PIL import Image as Pillow

from languages import message
from vision.imaging.frame import Image
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
MAX_WAITING = 6  # pictures that wait to be decoded; a phone sends the next one anyway
MAX_WAIT_S = 1.0  # longest wait, seconds; a picture that waited longer shows what is over
FRAME_TIMEOUT_S = 2.0  # seconds without a frame after which the phone counts as gone and the camera as lost

Result = TypeVar("Result")


class BusyError(MillchenError):
    """There is no room just now; the next picture may find some."""


class WaitingRoom:
    """Looks at one picture after another, a few wait, and more are refused; may be used from any thread.

    Pictures that unfold to many megabytes then never do so together, whatever links they come from. The room has a
    thread of its own: what a thread has freed the C library keeps for it, and so for each of a server's many threads.
    """

    def __init__(self, most_waiting: int = MAX_WAITING, wait_s: float = MAX_WAIT_S) -> None:
        self._wait_s = wait_s
        self._thread = ThreadPoolExecutor(1, "pictures")
        self._places = threading.Semaphore(1 + most_waiting)

    def run(self, look: Callable[[], Result]) -> Result:
        """Return what the function returns. Raises `BusyError` when it would have to wait for too long."""
        if not self._places.acquire(blocking=False):
            raise BusyError(message("upload.busy"))
        running = self._thread.submit(look)
        running.add_done_callback(lambda _: self._places.release())
        try:
            return running.result(self._wait_s)
        except TimeoutError:
            if running.cancel():
                raise BusyError(message("upload.busy")) from None
            return running.result()


DECODING = WaitingRoom()
"""The room in which all pictures of this process are decoded, whichever table or link they come from."""


def reencode_image(data: bytes) -> bytes:
    """Return the image in a file that somebody has sent as a JPEG of our own, decoded in the room for that."""
    return DECODING.run(lambda: encode_jpeg(decode_image(data)))


def decode_image(data: bytes) -> Image:
    """Return the image in a file that somebody has sent. Raises `MillchenError` where that is too large or broken."""
    if len(data) > MAX_UPLOAD_BYTES:
        raise MillchenError(message("upload.bytes", most=MAX_UPLOAD_BYTES // 1_000_000))
    _silence_pillow()
    try:
        with Pillow.open(BytesIO(data), formats=ACCEPTED_FORMATS) as opened:
            _check_size(opened, data)
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


def _check_size(opened: Pillow.Image, data: bytes) -> None:
    """Refuse an image that is too large by its header; set a JPEG to be scaled down while it is read."""
    is_jpeg, n_pixels = opened.format == "JPEG", prod(opened.size)
    most = MAX_PIXELS if is_jpeg else MAX_DECODED_PIXELS
    if n_pixels > most or min(opened.size) < 1:
        raise MillchenError(message("upload.pixels", most=most // 1_000_000))
    if not is_jpeg:
        return
    if data.count(b"\xff\xda") > MAX_SCANS:
        raise MillchenError(message("upload.unreadable"))
    shrink = 2 if n_pixels > MAX_DECODED_PIXELS else 1
    width, height = (max(1, min(MAX_SIDE_PX, side // shrink)) for side in opened.size)
    opened.draft("RGB", (width, height))


def _as_array(opened: Pillow.Image) -> Image:
    opened.load()
    rgb = opened if opened.mode == "RGB" else opened.convert("RGB")
    rgb.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    return np.ascontiguousarray(np.asarray(rgb, np.uint8)[:, :, ::-1])


def encode_jpeg(bgr: Image, quality: int = 85) -> bytes:
    """Return the image as a JPEG file; encoding it anew leaves nothing of the file that was sent."""
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(data, np.uint8).tobytes()


class PhoneFrames:
    """The newest JPEG of a phone, between the request that sends it and the process that reads it."""

    def __init__(self) -> None:
        self._jpeg = b""
        self._received_s = -FRAME_TIMEOUT_S
        self.n_received = 0
        self.n_readers = 0  # that are waiting for frames now
        self._changed = Condition()

    def put(self, data: bytes) -> None:
        """Replace the newest frame and wake the readers."""
        with self._changed:
            self._jpeg = data
            self.n_received += 1
            self._received_s = time.monotonic()
            self._changed.notify_all()

    def check(self) -> None:
        """Raise a MillchenError where no phone sends its picture just now."""
        if time.monotonic() - self._received_s > FRAME_TIMEOUT_S:
            raise MillchenError(message("phone.none"))

    def frames(self, wait_s: float = FRAME_TIMEOUT_S) -> Iterator[bytes]:
        """Yield every new frame; end when none comes for ``wait_s`` seconds."""
        self.n_readers += 1
        try:
            number = self.n_received
            while True:
                with self._changed:
                    if not self._changed.wait_for(lambda: self.n_received != number, wait_s):  # noqa: B023
                        return
                    number, data = self.n_received, self._jpeg
                yield data
        finally:
            self.n_readers -= 1
