"""Films and photographs from the page in, piece by piece; files in the data folder out, while a table looks at them.

Nothing large is ever in memory. Files get names of our own; their old names give kind and order alone.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from languages import message
from web.errors import MillchenError

log = logging.getLogger("millchen.web")

UPLOAD = "upload"
"""Beginning of the name of a source that was picked on the page: ``upload:`` and 16 hexadecimal digits."""

UPLOAD_FOLDER = "uploads"

MAX_FILM_BYTES = 2_000_000_000  # most bytes of one pick: half an hour of a phone's film
MAX_PHOTOGRAPHS = 500  # most photographs of one pick; a long game has some 150 turns

MAX_PIECE_BYTES = 2_000_000
"""Most bytes of one piece: under the server's limit of a body, which is for the pictures of phones."""

SPARE_BYTES = 200_000_000  # free space that a pick leaves on the disk for the journal (as for `millchen doctor`)

FILM_SUFFIXES = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".gif")
PHOTOGRAPH_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif", ".avif", ".bmp", ".tif", ".tiff")
"""Kinds of films and photographs that may be picked; what cannot be read here is named when it is opened."""


class _Awaited(NamedTuple):
    """A file that comes in pieces: where it is written, and how long it will be."""

    path: Path
    n_bytes: int


class FilmUploads:
    """The folder of uploaded files, created with the first one; any thread may call its methods."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._awaited: dict[str, tuple[_Awaited, ...]] = {}

    def begin(self, files: Sequence[tuple[str, int]], in_use: Collection[str]) -> str:
        """Await files (name, length in bytes): one film, or photographs in their order; return their source's name.

        What no table looks at makes room. Raises `MillchenError` for other kinds, too much, or a disk that is short.
        """
        suffixes = [Path(name).suffix.lower() for name, _ in files]
        total = sum(n_bytes for _, n_bytes in files)
        is_film = len(files) == 1 and suffixes[0] in FILM_SUFFIXES
        if not is_film and not (files and all(suffix in PHOTOGRAPH_SUFFIXES for suffix in suffixes)):
            raise MillchenError(message("film.kind"))
        if len(files) > MAX_PHOTOGRAPHS:
            raise MillchenError(message("film.many", most=MAX_PHOTOGRAPHS))
        if total > MAX_FILM_BYTES:
            raise MillchenError(message("film.long", most=MAX_FILM_BYTES // 1_000_000_000))
        self.remove_all_but(in_use)
        key = secrets.token_hex(8)
        place = self.folder / key
        try:
            place.mkdir(parents=True, mode=0o700)
            free = shutil.disk_usage(self.folder).free
        except OSError as why:
            raise _not_written(why) from why
        if free < total + SPARE_BYTES:
            shutil.rmtree(place, ignore_errors=True)
            missing_mb = (total + SPARE_BYTES - free) // 1_000_000 + 1
            raise MillchenError(message("film.disk", missing=missing_mb))
        numbered = enumerate(zip(suffixes, files, strict=True), start=1)
        awaited = tuple(_Awaited(place / f"{k:04}{suffix}", n_bytes) for k, (suffix, (_, n_bytes)) in numbered)
        with self._lock:
            self._awaited[f"{UPLOAD}:{key}"] = awaited
        return f"{UPLOAD}:{key}"

    def add(self, name: str, number: int, offset: int, piece: bytes) -> None:
        """Write the next piece of a file (0 first). Raises `MillchenError` for any other, or where the disk is full."""
        with self._lock:
            awaited = self._awaited.get(name, ())
            file = awaited[number] if 0 <= number < len(awaited) else None
            if file is None or offset + len(piece) > file.n_bytes or not piece:
                raise MillchenError(message("film.again"))
            try:
                with file.path.open("r+b" if offset else "xb") as stream:
                    if stream.seek(0, os.SEEK_END) != offset:
                        raise MillchenError(message("film.again"))
                    stream.write(piece)
            except OSError as why:
                raise _not_written(why) from why

    def finish(self, name: str) -> None:
        """Take the files as whole. Raises MillchenError when a part of them has not come."""
        with self._lock:
            awaited = self._awaited.get(name, ())
            try:
                is_whole = bool(awaited) and all(file.path.stat().st_size == file.n_bytes for file in awaited)
            except OSError:
                is_whole = False
            if not is_whole:
                raise MillchenError(message("film.again"))
            del self._awaited[name]

    def place_of(self, name: str) -> Path:
        """Return what a source of this name opens: the film, or the folder of photographs; both whole."""
        place = self._folder_of(name)
        if place is None or name in self._awaited or not place.is_dir():
            raise MillchenError(message("film.gone"))
        return next((file for file in place.iterdir() if file.suffix in FILM_SUFFIXES), place)

    def remove_all_but(self, in_use: Collection[str]) -> None:
        """Throw away what no table looks at; what the system still holds is removed the next time."""
        with self._lock:
            self._awaited.clear()
        if not self.folder.is_dir():
            return
        for place in self.folder.iterdir():
            if f"{UPLOAD}:{place.name}" not in in_use:
                shutil.rmtree(place, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Throw one pick away, because its table looks elsewhere now."""
        if (place := self._folder_of(name)) is not None:
            shutil.rmtree(place, ignore_errors=True)

    def _folder_of(self, name: str) -> Path | None:
        key = name.partition(":")[2]
        return self.folder / key if re.fullmatch(r"[0-9a-f]{16}", key) else None

    @property
    def n_bytes(self) -> int:
        """How much lies there."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())


def _not_written(why: OSError) -> MillchenError:
    log.warning("what was picked cannot be written: %s", why)
    return MillchenError(message("film.unwritten"))
