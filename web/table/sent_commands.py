"""Commands as they are sent to a table: what their senders had seen, and what came of each.

A command is carried out once, on the board that its sender saw; a retry gets the first answer again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from web.game.records import KINDS
from web.journal.journal_record import JournalRecord, under_key

MAX_REMEMBERED_KEYS = 2000  # newest commands whose keys are remembered; a retry comes within seconds


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


class CommandResult(NamedTuple):
    """What came of a command: the game that it was about, and the number of that game's newest record after it."""

    game: int
    seq: int


class CommandResults:
    """Remembers what came of the newest commands, by their keys."""

    def __init__(self, recent: Mapping[str, tuple[int, int]]) -> None:
        self._results = {key: CommandResult(*result) for key, result in recent.items()}

    def of(self, key: str) -> CommandResult | None:
        """Return what came of the command with this key; None where there was none."""
        return self._results.get(key)

    def carry_out(self, key: str, do: Callable[[], CommandResult]) -> CommandResult:
        """Carry out a command that is new, and remember what comes of it; one without a key is sent once only."""
        with under_key(key):
            result = do()
        if key:
            self._results[key] = result
        if len(self._results) > MAX_REMEMBERED_KEYS:
            del self._results[next(iter(self._results))]
        return result
