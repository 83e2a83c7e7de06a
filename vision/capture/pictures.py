"""A file or its bytes in, the picture in it out: Pillow reads the header first, then the pixels.

OpenCV's decoders never see files from outside: a PNG of 109 kB made them take 8 GB. What cannot be taken is refused in
one sentence.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import numpy as np
from PIL import Image as Pillow
from PIL import ImageFile, UnidentifiedImageError

from languages import message
from vision.imaging.frame import REDUCTION, Float64Array, Image, JpegPicture, size_of

MAX_PIXELS = 125_000_000
"""Most pixels of a picture: the photographs of phones have up to 108 million, and a header may claim any number. A
picture of as many takes 1.2 GB until it is read and searched. Source: measured, JPEG of 12000 x 9000."""

PICTURE_SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif")
)
"""Endings of the names of picture files, in lower case."""

SHOWN_FPS = 10.0
"""Frames a second of what stays for a while: a picture of a GIF, and a camera of still pictures. Source: cited, Firefox
(FrameTimeout) shows a picture of a GIF for 100 ms that asks for at most 10."""

_FORMATS = ("JPEG", "MPO", "PNG", "WEBP", "BMP", "TIFF", "GIF", "AVIF", "HEIF")
_HEIF = re.compile(rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", re.DOTALL)
_ORIENTATION, _EXIF, _TIME_TAKEN, _FRACTION_TAKEN = 0x0112, 0x8769, 0x9003, 0x9291  # tags. Source: cited, Exif 2.32


class SourceError(ValueError):
    """A file, a film or a camera cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The pixels of a picture as they are stored, and how they are to be turned to be looked at."""

    pixels: Image
    orientation: int = 1  # as Exif has it: 1 is upright, 6 is turned clockwise by a quarter to be so

    @property
    def upright(self) -> Image:
        """The picture as people see it."""
        is_on_its_side, is_mirrored, is_upside_down = self._turn
        bgr = self.pixels.transpose(1, 0, 2) if is_on_its_side else self.pixels
        return np.ascontiguousarray(bgr[:: -1 if is_upside_down else 1, :: -1 if is_mirrored else 1])

    @property
    def _turn(self) -> tuple[bool, bool, bool]:
        """Whether rows and columns change places, and whether it is then mirrored, and turned upside down."""
        return self.orientation >= 5, self.orientation in (2, 3, 6, 7), self.orientation in (3, 4, 7, 8)

    def turned_like(self, first: Picture) -> Picture:
        """Return the picture turned as the first one of its series is, where the camera gave both in one size.

        A phone that looks straight down does not know which way up it is, and says something else each time.
        """
        return Picture(self.pixels, first.orientation) if self.pixels.shape == first.pixels.shape else self

    def as_stored(self, xy_px: Float64Array) -> Float64Array:
        """Return places of the upright picture, shape (n, 2), as places of the stored pixels."""
        is_on_its_side, is_mirrored, is_upside_down = self._turn
        last_xy = np.array(size_of(self.pixels)[:: -1 if is_on_its_side else 1]) - 1
        places = np.where((is_mirrored, is_upside_down), last_xy - xy_px, xy_px)
        return places[:, ::-1] if is_on_its_side else places


def read_picture(path: Path) -> Picture:
    """Return the picture in a file. Raises ``SourceError``."""
    with _open_picture(path) as picture:
        pixels = _pixels(picture)  # first: Pillow turns a TIFF as it loads it, and forgets that it was to be turned
        orientation = picture.getexif().get(_ORIENTATION, 1)
        return Picture(pixels, orientation if orientation in range(1, 9) else 1)


def decode_picture(data: bytes) -> Image:
    """Return the picture in the bytes of a file as stored, bgr. Raises ``SourceError``."""
    with _open_picture(data) as picture:
        return _pixels(picture)


def jpeg_of(data: object) -> JpegPicture | None:
    """Return the JPEG that a camera has handed over; None for what is not the beginning of one."""
    with suppress(SourceError):
        jpeg = data if isinstance(data, bytes) else np.asarray(data, np.uint8).tobytes()
        with _open_picture(jpeg, ("JPEG",)) as picture:
            return JpegPicture(jpeg, picture.size)
    return None


def n_pictures_in(path: Path) -> int:
    """Return how many pictures a file holds one after the other, as a GIF does; 0 where it is no picture."""
    with suppress(SourceError), _open_picture(path) as picture:
        return 1 if picture.format in ("MPO", "TIFF", "HEIF") else int(getattr(picture, "n_frames", 1))
    return 0


def moving_pictures(path: Path) -> Iterator[tuple[Image, float]]:
    """Yield the pictures of a GIF, WEBP or PNG that moves, each with its duration in seconds.

    Raises ``SourceError``.
    """
    with _open_picture(path) as picture:
        for k in range(int(getattr(picture, "n_frames", 1))):
            picture.seek(k)
            bgr = _pixels(picture)
            duration_ms = float(picture.info.get("duration", 0))
            yield bgr, duration_ms / 1000 if duration_ms > 10 else 1 / SHOWN_FPS


def in_order(paths: Sequence[Path]) -> tuple[list[Path], bool]:
    """Sort photographs; return also whether they are in the order of their times.

    Names that differ in their numbers alone say it (2 before 10). Others say nothing: there the times count, where
    each has one of its own.
    """
    by_name = sorted(paths, key=lambda path: (_natural(path.name), path.name))
    if len({re.sub(r"\d+", "#", path.stem.casefold()) for path in paths}) > 1:
        times = {path: _time_taken(path) for path in paths}
        if "" not in times.values() and len(set(times.values())) == len(paths):
            by_time = sorted(paths, key=times.__getitem__)
            return by_time, by_time != by_name
    return by_name, False


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if k % 2 else (0, part) for k, part in enumerate(re.split(r"([0-9]+)", name.casefold()))]


def _time_taken(path: Path) -> str:
    """Return when a photograph was taken, as text that can be sorted; empty where it does not say so."""
    with suppress(SourceError), _open_picture(path) as picture:
        exif = picture.getexif().get_ifd(_EXIF)
        return "".join(str(exif.get(tag, "")) for tag in (_TIME_TAKEN, _FRACTION_TAKEN))
    return ""


def kind_of_place(path: Path) -> str:
    """Return what lies at a path: a "folder", a "file", a "device" that might never end, or "missing"."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # a name that no file can have is one of them
        return "missing"
    return "folder" if S_ISDIR(mode) else "file" if S_ISREG(mode) else "device"


@contextmanager
def _open_picture(file: Path | bytes, formats: tuple[str, ...] | None = None) -> Iterator[Pillow.Image]:
    """The picture in a file or its bytes: its header was read, its pixels are not too many. Raises ``SourceError``."""
    kind = kind_of_place(file) if isinstance(file, Path) else "file"
    if kind != "file":
        raise SourceError(message(f"picture.{kind}"))
    try:
        stream = file.open("rb") if isinstance(file, Path) else BytesIO(file)
    except OSError as why:
        raise SourceError(message("picture.closed")) from why
    with stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sizes are checked here, and at metadata nobody looks
        try:
            with Pillow.open(stream, formats=formats or _formats()) as picture:
                if not 0 < picture.width * picture.height <= MAX_PIXELS:
                    raise Pillow.DecompressionBombError
                yield picture
        except (SourceError, MemoryError):
            raise
        except Pillow.DecompressionBombError as why:
            raise SourceError(message("picture.large", most=MAX_PIXELS // 1_000_000)) from why
        except UnidentifiedImageError as why:
            stream.seek(0)
            raise SourceError(message("picture.heic" if _HEIF.match(stream.read(16)) else "picture.none")) from why
        except Exception as why:  # a decoder fails in many ways; all of them mean that the file is damaged
            raise SourceError(message("picture.damaged")) from why


@cache
def _formats() -> tuple[str, ...]:
    with suppress(ImportError):
        import_module("pi_heif").register_heif_opener()
    Pillow.init()
    return tuple(name for name in _FORMATS if name in Pillow.OPEN)


def _has_end(picture: Pillow.Image) -> bool:
    """Return whether the file of a JPEG that is not loaded yet ends with the mark of its end."""
    file = picture.fp  # type: ignore[attr-defined]
    place = file.tell()
    file.seek(-2, os.SEEK_END)
    is_there = file.read(2) == b"\xff\xd9"
    file.seek(place)
    return bool(is_there)


def _pixels(picture: Pillow.Image) -> Image:
    """Return the pixels, shape (H, W, 3), bgr; transparency is ignored."""
    is_cut_off = picture.format == "JPEG" and not _has_end(picture)
    ImageFile.LOAD_TRUNCATED_IMAGES = is_cut_off  # webcams write JPEGs whose last bytes are missing or broken
    try:
        picture.load()
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    if is_cut_off and np.ptp(np.asarray(picture.convert("L"))[-8:, -32:]) == 0:
        raise SourceError(message("picture.damaged"))  # the decoder has filled rows that are lost with one colour
    bgr = np.empty((picture.height, picture.width, 3), np.uint8)
    for top in range(0, picture.height, REDUCTION):  # a row of blocks at once: a large picture is in memory only once
        strip = picture.crop((0, top, picture.width, min(top + REDUCTION, picture.height)))
        if strip.mode[0] in "IF":  # grey of 16 bits or more
            levels = np.asarray(strip, np.float64) / (1 if strip.mode == "F" else 256)
            bgr[top : top + REDUCTION] = np.clip(levels, 0, 255).astype(np.uint8)[:, :, None]
        else:
            bgr[top : top + REDUCTION] = np.asarray(strip.convert("RGB"))[:, :, ::-1]
    return bgr
