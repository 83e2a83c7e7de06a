"""Photographs of accepted turns, when the players have asked for them: one JPEG file a record, beside the journal.

They are separate files, so that people can look at them and delete them without Millchen.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

log = logging.getLogger("millchen.photographs")


class TurnPhotographs:
    """A folder of photographs, named by the number of their record; it is created with the first one."""

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
            log.error("a photograph was not kept: %s", why)

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
