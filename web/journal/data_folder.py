"""The folder in which Millchen keeps its data: closed to other users, and locked by the one Millchen that writes there.

Windows knows no modes of files: there a user's own folder is closed to the other users.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType

from platformdirs import user_data_path

from web.errors import MillchenError

log = logging.getLogger("millchen.journal")

EVENINGS_FILE = "evenings.sqlite"
LOCK_FILE = "lock"

CASE_FOLDER = "cases"  # its name in the data folder
CASE_SUFFIX = ".millchen-case"
MAX_CASE_BYTES = 200_000_000  # what all cases take at most
CASE_SWITCH = "keep-no-cases"  # file beside it by which people say that they want none, at any table and game
ROOM_SWITCH = "keep-whole-pictures"  # file beside it by which people let one show the room where no board was found

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
        self.journal, self.evenings = journal_file(self.path), self.path / EVENINGS_FILE
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Not inherited by children: a lock that a camera process had too would outlive its parent.
            self._handles = [_lock(self.path / LOCK_FILE)]
        except BlockingIOError as why:
            raise FolderInUseError(
                f"another Millchen is using the data folder {self.path}: close it, or name another folder with --data"
            ) from why
        except OSError as why:
            reason = why.strerror or str(why)
            raise MillchenError(
                f"cannot use the data folder {self.path} ({reason}): name another folder with --data"
            ) from why
        if can_others_write(self.path):
            log.warning("other users may write into %s: take this right from them (chmod go-w)", self.path)

    def close(self) -> None:
        """Release the lock."""
        while self._handles:
            os.close(self._handles.pop())

    def __enter__(self) -> DataFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def write_whole(path: Path, data: bytes, mark: str = "") -> None:
    """Write a file, in the place of another, whole or not at all. Raises OSError; nothing unfinished is left then.

    A ``mark``, as ``.12``, keeps processes apart that write the same file.
    """
    unfinished = path.with_suffix(f"{mark}.part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


class NumberedFiles:
    """Files in a folder, each named by a number, so that people can look and delete; several processes may write."""

    suffix: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, number: int) -> bytes | None:
        """Return a file, None where this number has none."""
        try:
            return self.path_of(number).read_bytes()
        except OSError:
            return None

    def has(self, number: int) -> bool:
        """Return whether there is a file of this number."""
        return self.path_of(number).exists()

    def replace(self, number: int, data: bytes) -> None:
        """Write a file, in the place of another; raises ``OSError`` where it cannot be written."""
        write_whole(self.path_of(number), data)

    def delete(self, numbers: Iterable[int]) -> int:
        """Delete the files of some numbers; return how many there were."""
        paths = {self.path_of(number) for number in numbers if self.has(number)}
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    def path_of(self, number: int) -> Path:
        """Return where the file of a number lies, or would."""
        return self.folder / f"{int(number):08d}{self.suffix}"


class TurnPhotographs(NumberedFiles):
    """Photographs of accepted turns beside a journal, one JPEG file a record named by its number."""

    suffix = ".jpg"

    def __init__(self, journal: Path) -> None:
        super().__init__(journal.with_name("photographs"))

    def save(self, seq: int, jpeg: bytes) -> None:
        """Save a photograph; when the disk is full the game goes on without it."""
        try:
            self.folder.mkdir(exist_ok=True)
            self.replace(seq, jpeg)
        except OSError as why:
            logging.getLogger("millchen.photographs").error("a photograph was not kept: %s", why)


class CaseFolder(NumberedFiles):
    """The cases that the tables of this computer keep; the oldest make room."""

    suffix = CASE_SUFFIX

    def __init__(self, data_folder: Path) -> None:
        super().__init__(data_folder / CASE_FOLDER)
        self.data_folder = data_folder
        self._switch, self._room_switch = data_folder / CASE_SWITCH, data_folder / ROOM_SWITCH

    @property
    def is_on(self) -> bool:
        """Whether people let cases be kept; they do unless they have said otherwise."""
        return not self._switch.exists()

    @property
    def shows_rooms(self) -> bool:
        """Whether people let a case show the whole picture, where no board was found; they have to say so."""
        return self._room_switch.exists()

    def switch(self, *, on: bool, rooms: bool = False) -> None:
        """Keep cases from now on, also of ``rooms``, or none; raises ``OSError`` where that cannot be written."""
        for file, is_there in ((self._switch, not on), (self._room_switch, rooms)):
            if is_there:
                file.touch()
            else:
                file.unlink(missing_ok=True)

    def numbers(self) -> Sequence[int]:
        """Return the numbers of the cases, newest first."""
        return sorted((int(path.stem) for path in self.folder.glob(f"*{CASE_SUFFIX}")), reverse=True)

    @property
    def n_bytes(self) -> int:
        """What all cases take, in bytes."""
        return sum(path.stat().st_size for path in self.folder.glob("*"))

    def add(self, case: bytes) -> int:
        """Keep another case and return its number; raises ``OSError`` where it cannot be written."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for number in count(1 + max((int(path.stem) for path in self.folder.iterdir()), default=0)):
            try:
                self.path_of(number).with_suffix(".part").touch(exist_ok=False)
                break
            except FileExistsError:
                continue  # another table has just taken this number
        self.replace(number, case)
        files = sorted(self.folder.iterdir())
        while sum(path.stat().st_size for path in files) > MAX_CASE_BYTES and len(files) > 1:
            files.pop(0).unlink(missing_ok=True)
        return number
