"""What people, vision and Millchen send to a table: it is done once, and to the board that its sender saw."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import NamedTuple

from languages import message
from web.errors import NotWrittenError
from web.game.records import KINDS
from web.journal.journal_record import JournalRecord

MAX_KEPT_KEYS = 2000  # newest commands whose keys are remembered; a retry comes within seconds


@dataclass(frozen=True, slots=True)
class Sent:
    """What comes with a command: what its sender had seen."""

    game: int | None = None  # number of the game that its sender saw; None where it is about no game
    # the journal's number of the newest record that its sender saw; None where only the game matters
    seq: int | None = None
    key: str = ""  # the same for every retry of one command; empty where its sender never retries
    by: str = "hand"  # its sender, as records have it

    def is_stale(self, game: int, newest: int) -> bool:
        """Return whether another game is on, or a record that its sender had not seen has changed the board."""
        return self.game is not None and (self.game != game or (self.seq is not None and self.seq < newest))


def board_seq(records: Sequence[JournalRecord]) -> int:
    """Return the journal's number of the newest record that changes the board or whose turn it is."""
    return next((record.seq for record in reversed(records) if not KINDS[record.kind].leaves_board), 0)


class CommittedCommand(NamedTuple):
    """What came of a command: the game that it was about, and the number of that game's newest record after it."""

    game: int
    seq: int


@contextmanager
def held_within(time_s: float, lock: RLock) -> Iterator[None]:
    """Hold the lock of a table, or raise `NotWrittenError` where others hold it for longer than ``time_s`` seconds."""
    if not lock.acquire(timeout=time_s):
        raise NotWrittenError(message("game.not_written"))
    try:
        yield
    finally:
        lock.release()


class CommittedCommands(OrderedDict[str, CommittedCommand]):
    """Remembers by their keys what came of the newest commands; not safe between threads."""

    def add(self, key: str, committed: CommittedCommand) -> None:
        """Remember what came of a command; one without a key is sent once only."""
        if key:
            self[key] = committed
        if len(self) > MAX_KEPT_KEYS:
            self.popitem(last=False)
