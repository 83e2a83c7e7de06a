"""Photographs of accepted turns, kept beside the journal where the players have asked for it: one JPEG a record.

They are files of their own, so that people can look at them, and throw them away, without us.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

log = logging.getLogger("millchen.album")


class TurnPhotographs:
    """A folder of photographs, named by the number of the record in the journal that they show."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, seq: int, jpeg: bytes) -> None:
        """Keep a photograph; a game goes on without one when the disk is full."""
        try:
            self.folder.mkdir(exist_ok=True)
            unfinished = self._path(seq).with_suffix(".part")
            unfinished.write_bytes(jpeg)
            unfinished.replace(self._path(seq))
        except OSError as why:
            log.error("a photograph was not kept: %s", why)

    def get(self, seq: int) -> bytes | None:
        """The photograph of a record, None where there is none."""
        try:
            return self._path(seq).read_bytes()
        except OSError:
            return None

    def has(self, seq: int) -> bool:
        """Whether there is a photograph of a record."""
        return self._path(seq).exists()

    def forget(self, seqs: Iterable[int]) -> int:
        """Throw photographs away; how many there were."""
        n = 0
        for seq in seqs:
            if self.has(seq):
                self._path(seq).unlink(missing_ok=True)
                n += 1
        return n

    def _path(self, seq: int) -> Path:
        return self.folder / f"{int(seq):08d}.jpg"
