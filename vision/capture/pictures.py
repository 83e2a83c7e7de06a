"""Pictures from outside: Pillow reads the header first, then the pixels; no file can ask for gigabytes.

OpenCV's decoders never see them: a PNG of 109 kB made them take 8 GB. What cannot be taken is refused in one sentence.
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

import numpy as np
from PIL import Image as Pillow
from PIL import ImageFile, UnidentifiedImageError

from languages import message
from vision.imaging.frame import Float64Array, Image, size_of

MAX_PICTURE_PIXELS = 125_000_000
"""Most pixels of a picture that people bring: the photographs of phones have up to 108 million. A picture of as many
takes 1.2 GB until it is read and searched. Source: measured, JPEG of 12000 x 9000."""

PICTURE_SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".avif", ".heic", ".heif")
)
"""Endings of the names of picture files, in lower case."""

_FORMATS = ("JPEG", "MPO", "PNG", "WEBP", "BMP", "TIFF", "GIF", "AVIF", "HEIF")
_HEIF_READERS = ("pi_heif", "pillow_heif")
_HEIF = re.compile(rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", re.DOTALL)
_ORIENTATION, _EXIF, _TIME_TAKEN, _FRACTION_TAKEN = 0x0112, 0x8769, 0x9003, 0x9291  # tags. Source: Exif 2.32
_STRIP_ROWS = 512  # rows that are converted at once, so that a large picture is in memory only once


class PictureError(ValueError):
    """This is no picture that can be taken; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The pixels of a picture as they are stored, and how they are to be turned to be looked at."""

    stored: Image
    orientation: int = 1  # as Exif has it: 1 is upright, 6 is turned clockwise by a quarter to be so

    @property
    def shown(self) -> Image:
        """The picture as people see it."""
        bgr = self.stored.transpose(1, 0, 2) if self._is_on_its_side else self.stored
        return np.ascontiguousarray(bgr[:: -1 if self._is_upside_down else 1, :: -1 if self._is_mirrored else 1])

    @property
    def _is_on_its_side(self) -> bool:
        return self.orientation >= 5

    @property
    def _is_mirrored(self) -> bool:
        return self.orientation in (2, 3, 6, 7)

    @property
    def _is_upside_down(self) -> bool:
        return self.orientation in (3, 4, 7, 8)

    def turned_like(self, first: Picture) -> Picture:
        """Return the picture turned as the first one of its series is, where the camera gave both in one size.

        A phone that looks straight down does not know which way up it is, and says something else each time.
        """
        return Picture(self.stored, first.orientation) if self.stored.shape == first.stored.shape else self

    def as_stored(self, xy_px: Float64Array) -> Float64Array:
        """Return where places of the picture as shown, shape (n, 2), lie in the one that is stored."""
        places, (width, height) = xy_px.copy(), size_of(self.stored)
        if self._is_on_its_side:
            width, height = height, width
        if self._is_mirrored:
            places[:, 0] = width - 1 - places[:, 0]
        if self._is_upside_down:
            places[:, 1] = height - 1 - places[:, 1]
        return places[:, ::-1] if self._is_on_its_side else places


def read_picture(path: Path) -> Picture:
    """Return the picture in a file. Raises ``PictureError``."""
    with _opened(_place(path)) as picture:
        return Picture(_pixels(picture), _orientation(picture))


def decode_picture(data: bytes) -> Image:
    """Return the picture in the bytes of a file as stored, bgr. Raises ``PictureError``."""
    with _opened(BytesIO(data)) as picture:
        return _pixels(picture)


def n_pictures_in(path: Path) -> int:
    """Return how many pictures a file holds one after the other, as a GIF does; 0 where it is no picture."""
    with suppress(PictureError), _opened(_place(path)) as picture:
        return 1 if picture.format in ("MPO", "TIFF", "HEIF") else int(getattr(picture, "n_frames", 1))
    return 0


def moving_pictures(path: Path) -> Iterator[tuple[Image, float]]:
    """Yield the pictures of a GIF, WEBP or PNG that moves, each with its duration in seconds.

    Raises ``PictureError``.
    """
    with _opened(_place(path)) as picture:
        for k in range(int(getattr(picture, "n_frames", 1))):
            picture.seek(k)
            bgr = _pixels(picture)
            duration_ms = float(picture.info.get("duration", 0))
            yield bgr, (duration_ms if duration_ms > 10 else 100) / 1000  # as browsers do with those that say nothing


def taken_at(path: Path) -> str:
    """Return when a photograph was taken, as text that can be sorted; empty where it does not say so."""
    with suppress(PictureError), _opened(_place(path)) as picture:
        exif = picture.getexif().get_ifd(_EXIF)
        return "".join(str(exif.get(tag, "")) for tag in (_TIME_TAKEN, _FRACTION_TAKEN))
    return ""


def in_order(paths: Sequence[Path]) -> tuple[list[Path], bool]:
    """Return photographs in their order, and whether that is the order of their times.

    Names that differ in their numbers alone say it (2 before 10). Others say nothing: there the times count, where
    each has one of its own.
    """
    by_name = sorted(paths, key=lambda path: (_natural(path.name), path.name))
    if len({re.sub(r"\d+", "#", path.stem.casefold()) for path in paths}) > 1:
        times = {path: taken_at(path) for path in paths}
        if "" not in times.values() and len(set(times.values())) == len(paths):
            by_time = sorted(paths, key=times.__getitem__)
            return by_time, by_time != by_name
    return by_name, False


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if k % 2 else (0, part) for k, part in enumerate(re.split(r"([0-9]+)", name.casefold()))]


def _place(path: Path) -> Path:
    """Return the path of a file that can be opened. Raises ``PictureError``."""
    try:
        if not path.exists():
            raise PictureError(message("picture.missing"))
    except OSError as why:  # a name that no file can have
        raise PictureError(message("picture.missing")) from why
    if path.is_dir():
        raise PictureError(message("picture.folder"))
    if not path.is_file():  # it might never end
        raise PictureError(message("picture.device"))
    if not os.access(path, os.R_OK):
        raise PictureError(message("picture.closed"))
    return path


@contextmanager
def _opened(file: Path | BytesIO) -> Iterator[Pillow.Image]:
    """The picture in a file: its header was read, its pixels are not too many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sizes are checked here, and at metadata nobody looks
        try:
            with Pillow.open(file, formats=_formats()) as picture:
                if not 0 < picture.width * picture.height <= MAX_PICTURE_PIXELS:
                    raise PictureError(message("picture.large", most=MAX_PICTURE_PIXELS // 1_000_000))
                yield picture
        except (PictureError, MemoryError):
            raise
        except Pillow.DecompressionBombError as why:
            raise PictureError(message("picture.large", most=MAX_PICTURE_PIXELS // 1_000_000)) from why
        except UnidentifiedImageError as why:
            is_heif = _HEIF.match(_start(file)) is not None
            raise PictureError(message("picture.heic") if is_heif else message("picture.none")) from why
        except Exception as why:  # a decoder fails in many ways; all of them mean that the file is damaged
            raise PictureError(message("picture.damaged")) from why


@cache
def _formats() -> tuple[str, ...]:
    for reader in _HEIF_READERS:
        with suppress(ImportError):
            import_module(reader).register_heif_opener()
            break
    Pillow.init()
    return tuple(name for name in _FORMATS if name in Pillow.OPEN)


def _start(file: Path | BytesIO) -> bytes:
    with BytesIO(file.getvalue()) if isinstance(file, BytesIO) else file.open("rb") as opened:
        return opened.read(16)


def _orientation(picture: Pillow.Image) -> int:
    told = picture.getexif().get(_ORIENTATION, 1)
    return int(told) if told in range(1, 9) else 1


def _has_end(picture: Pillow.Image) -> bool:
    """Return whether the file of a JPEG that is not loaded yet ends with the mark of its end."""
    file = picture.fp  # type: ignore[attr-defined]
    place = file.tell()
    file.seek(-2, os.SEEK_END)
    is_there = file.read(2) == b"\xff\xd9"
    file.seek(place)
    return bool(is_there)


def _pixels(picture: Pillow.Image) -> Image:
    """Return the pixels, shape (H, W, 3), bgr; what lies under a transparent one is seen."""
    is_cut_off = picture.format == "JPEG" and not _has_end(picture)
    ImageFile.LOAD_TRUNCATED_IMAGES = is_cut_off  # webcams write JPEGs whose last bytes are missing or broken
    try:
        picture.load()
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    if is_cut_off and np.ptp(np.asarray(picture.convert("L"))[-8:, -32:]) == 0:
        raise PictureError(message("picture.damaged"))  # the decoder has filled rows that are lost with one colour
    bgr = np.empty((picture.height, picture.width, 3), np.uint8)
    for top in range(0, picture.height, _STRIP_ROWS):
        strip = picture.crop((0, top, picture.width, min(top + _STRIP_ROWS, picture.height)))
        if strip.mode[0] in "IF":  # grey of 16 bits or more
            levels = np.asarray(strip, np.float64) / (1 if strip.mode == "F" else 256)
            bgr[top : top + _STRIP_ROWS] = np.clip(levels, 0, 255).astype(np.uint8)[:, :, None]
        else:
            bgr[top : top + _STRIP_ROWS] = np.asarray(strip.convert("RGB"))[:, :, ::-1]
    return bgr
