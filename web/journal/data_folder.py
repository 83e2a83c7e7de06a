"""The folder in which Millchen keeps its data, and the lock that lets only one Millchen write there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import IO

from platformdirs import user_data_path

from web.errors import MillchenError

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


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

    The lock belongs to the open file, so the system releases it when the process dies in any way. The lock file stays
    behind and means nothing.

    Parameters
    ----------
    path : Path or None
        None takes the place where the system keeps an application's data.

    Raises
    ------
    MillchenError
        When the folder cannot be created, or another Millchen uses it (`FolderInUseError`).
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_folder_path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._file = (self.path / "lock").open("a+b")
        except OSError as why:
            raise MillchenError(f"cannot use the data folder {self.path}: {why.strerror or why}") from why
        try:
            _lock(self._file)
        except OSError as why:
            self._file.close()
            raise FolderInUseError(
                f"another Millchen is using the data folder {self.path}: close it, or name another folder with --data"
            ) from why
        # Children get no copy: a lock that a camera process inherited would outlive its parent.
        os.set_inheritable(self._file.fileno(), False)

    @property
    def journal(self) -> Path:
        """The file of the journal."""
        return journal_file(self.path)

    @property
    def evenings(self) -> Path:
        """The file of the journal of club evenings."""
        return self.path / "evenings.sqlite"

    def close(self) -> None:
        """Release the lock."""
        self._file.close()

    def __enter__(self) -> DataFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
