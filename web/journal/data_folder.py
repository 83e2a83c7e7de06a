"""The folder in which Millchen keeps its data: closed to other users, and locked by the one Millchen that writes there.

Windows knows no modes of files: there a user's own folder is closed to the other users.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from platformdirs import user_data_path

from web.errors import MillchenError

log = logging.getLogger("millchen.journal")

EVENINGS_FILE = "evenings.sqlite"
LOCK_FILE = "lock"

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def _lock(file: Path) -> int:
    """Lock a file until its handle is closed. Raises `BlockingIOError` where another process has it."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as why:
        os.close(handle)
        if sys.platform == "win32":
            raise BlockingIOError from why
        raise
    return handle


PRIVATE_UMASK = 0o077  # rights that others do not get


@contextmanager
def private_files() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Create files for their owner alone; yields a context manager that restores the usual mode for another program."""
    before = os.umask(PRIVATE_UMASK)

    @contextmanager
    def usual_files() -> Iterator[None]:
        os.umask(before)
        try:
            yield
        finally:
            os.umask(PRIVATE_UMASK)

    try:
        yield usual_files
    finally:
        os.umask(before)


def can_others_write(folder: Path) -> bool:
    """Return whether other users may put files into a folder, or take them away."""
    mode = folder.stat().st_mode
    return os.name != "nt" and bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not mode & stat.S_ISVTX


class FolderInUseError(MillchenError):
    """Another Millchen is using the data folder."""


def data_folder_path(path: Path | None = None) -> Path:
    """Return the absolute path of the data folder: the one that was named, else the system's place for data."""
    return (path if path is not None else user_data_path("millchen", appauthor=False)).resolve()


def journal_file(path: Path | None = None) -> Path:
    """Return the file of the journal in a data folder."""
    return data_folder_path(path) / "journal.sqlite"


class DataFolder:
    """A folder to which only this process writes until `close`.

    The lock belongs to what is open, so the system releases it when the process dies in any way. The lock file stays
    behind and means nothing.
    Raises `FolderInUseError` where another Millchen uses it, and `MillchenError` where it cannot be created.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_folder_path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Not inherited by children: a lock that a camera process had too would outlive its parent.
            self._handles = [_lock(self.path / LOCK_FILE)]
        except BlockingIOError as why:
            raise FolderInUseError(
                f"another Millchen is using the data folder {self.path}: close it, or name another folder with --data"
            ) from why
        except OSError as why:
            raise MillchenError(f"cannot use the data folder {self.path}: {why.strerror or why}") from why
        if can_others_write(self.path):
            log.warning("other users may write into %s: take this right from them (chmod go-w)", self.path)

    @property
    def journal(self) -> Path:
        """The file of the journal."""
        return journal_file(self.path)

    @property
    def evenings(self) -> Path:
        """The file of the journal of club evenings."""
        return self.path / EVENINGS_FILE

    def close(self) -> None:
        """Release the lock."""
        while self._handles:
            os.close(self._handles.pop())

    def __enter__(self) -> DataFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class TurnPhotographs:
    """Photographs of accepted turns, one JPEG file a record named by its number, so that people can look and delete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, seq: int, jpeg: bytes) -> None:
        """Save a photograph; when the disk is full the game goes on without it."""
        try:
            self.folder.mkdir(exist_ok=True)
            unfinished = self._path(seq).with_suffix(".part")
            unfinished.write_bytes(jpeg)
            unfinished.replace(self._path(seq))
        except OSError as why:
            logging.getLogger("millchen.photographs").error("a photograph was not kept: %s", why)

    def load(self, seq: int) -> bytes | None:
        """Return the photograph of a record, or None."""
        try:
            return self._path(seq).read_bytes()
        except OSError:
            return None

    def has(self, seq: int) -> bool:
        """Return whether there is a photograph of a record."""
        return self._path(seq).exists()

    def delete(self, seqs: Iterable[int]) -> int:
        """Delete the photographs of some records; return how many there were."""
        paths = [self._path(seq) for seq in seqs if self.has(seq)]
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    def _path(self, seq: int) -> Path:
        return self.folder / f"{int(seq):08d}.jpg"
