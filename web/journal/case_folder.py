"""The cases that the tables of this computer keep: a file each, named by its number; the oldest make room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

FOLDER = "cases"  # its name in the data folder
SUFFIX = ".millchen-case"
MAX_BYTES = 200_000_000  # what all cases take at most
SWITCH = "keep-no-cases"  # the file beside it that says that people want none; so it holds for every table and game


class CaseFolder:
    """The folder of the cases; several processes may write to it."""

    def __init__(self, data_folder: Path) -> None:
        self.data_folder = data_folder
        self.folder = data_folder / FOLDER
        self._switch = data_folder / SWITCH

    @property
    def is_on(self) -> bool:
        """Whether people let cases be kept; they do unless they have said otherwise."""
        return not self._switch.exists()

    def switch(self, *, on: bool) -> None:
        """Keep cases from now on, or none; raises ``OSError`` where that cannot be written."""
        if on:
            self._switch.unlink(missing_ok=True)
        else:
            self._switch.touch()

    def numbers(self) -> Sequence[int]:
        """Return the numbers of the cases, newest first."""
        return sorted((int(path.stem) for path in self.folder.glob(f"*{SUFFIX}")), reverse=True)

    def load(self, number: int) -> bytes | None:
        """Return a case, None where this number has no case."""
        try:
            return self._path(number).read_bytes()
        except OSError:
            return None

    @property
    def n_bytes(self) -> int:
        """What all cases take, in bytes."""
        return sum(path.stat().st_size for path in self.folder.glob("*"))

    def add(self, case: bytes) -> int:
        """Keep another case and return its number; raises ``OSError`` where it cannot be written."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for number in count(1 + max((int(path.stem) for path in self.folder.iterdir()), default=0)):
            try:
                self._path(number).with_suffix(".part").touch(exist_ok=False)
                break
            except FileExistsError:
                continue  # another table has just taken this number
        self.replace(number, case)
        kept = sorted(self.folder.iterdir())
        while sum(path.stat().st_size for path in kept) > MAX_BYTES and len(kept) > 1:
            kept.pop(0).unlink(missing_ok=True)
        return number

    def replace(self, number: int, case: bytes) -> None:
        """Write a case in the place of another; raises ``OSError`` where it cannot be written."""
        unfinished = self._path(number).with_suffix(".part")
        unfinished.write_bytes(case)
        unfinished.replace(self._path(number))

    def delete(self, number: int) -> bool:
        """Delete a case; return whether there was one."""
        is_there = self._path(number).exists()
        self._path(number).unlink(missing_ok=True)
        return is_there

    def _path(self, number: int) -> Path:
        return self.folder / f"{int(number):08d}{SUFFIX}"
