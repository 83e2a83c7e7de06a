"""The game that is being played, as the journal holds it: written first, believed after.

Not safe between threads; the table that owns it has the lock.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from web.errors import MillchenError
from web.game.replay import GameState, apply_record, carried_over, initial_state, replay_states, start_record_body
from web.journal.journal import Journal
from web.journal.journal_record import Record
from web.table.source_names import DEMO

log = logging.getLogger("millchen.ledger")


class CurrentGame:
    """One game of the journal, open for writing.

    Attributes
    ----------
    table : str
        Name of the table among several that share the journal; "" where there is one.
    number : int
        The game's number; 0 before the first.
    records : list of Record
        All of it, in order.
    is_astray : bool
        Something was reported that cannot follow on this game; whoever reported it should begin again from here.
    """

    def __init__(self, journal: Journal, table: str = "") -> None:
        self.table = table
        self.number = 0
        self.records: list[Record] = []
        self.is_astray = False
        self._journal = journal
        self._courses: dict[int, GameState] = {}  # after each record, by its number
        self._waiting: deque[tuple[str, int | None, dict[str, Any], str]] = deque()

    @property
    def course(self) -> GameState:
        """What is written of the game so far."""
        if not self.records:
            raise RuntimeError("no game has been begun")
        return self._courses[self.records[-1].seq]

    def course_at(self, seq: int) -> GameState:
        """The game as it was when the record with this number had been written: what was said of it speaks of that."""
        return self._courses[seq]

    @property
    def n_waiting(self) -> int:
        """Events that could not be written yet."""
        return len(self._waiting)

    def take_up(self, wanted: Mapping[str, Any]) -> bool:
        """Go on with the table's last game where it began as ``wanted`` and is not over."""
        number = self._journal.last_game_of_table(self.table)
        records = self._journal.records(number) if number is not None else ()
        if number is None or not records or records[0].kind != "start" or dict(records[0].body) != dict(wanted):
            return False
        try:
            after = list(replay_states(records))
        except (ValueError, KeyError, TypeError, IndexError):
            log.exception("game %s of the journal cannot be replayed; a new one begins", number)
            return False
        if after[-1].game.outcome is not None:
            return False
        self.number, self.records = number, list(records)
        self._courses = {record.seq: course for record, course in zip(records, after, strict=True)}
        return True

    def begin(self, game: str, options: Mapping[str, Any], source: str) -> None:
        """Begin a new game; what the same people agreed upon stays so.

        Raises
        ------
        MillchenError
            When it could not be written; the old game is still open.
        """
        record = self._journal.begin(start_record_body(game, options, source, self.table), by="hand")
        before = self.course if self.records else None
        self.number, self.records, self._courses = record.game, [record], {record.seq: initial_state(record)}
        self._waiting.clear()
        if source.partition(":")[0] == DEMO:
            return  # it has players of its own
        for kind, body in carried_over(before, self.course):
            self.keep(kind, None, body, "hand")

    def keep(self, kind: str, ply: int | None, body: dict[str, Any], by: str) -> list[Record]:
        """Write an event down; what has now been written, in order. What cannot be written waits."""
        self._waiting.append((kind, ply, body, by))
        return self.write_waiting()

    def write_waiting(self) -> list[Record]:
        """Try again what could not be written; what has now been written, in order."""
        written: list[Record] = []
        while self._waiting:
            kind, ply, body, by = self._waiting[0]
            try:
                # Tried before it is written: what the journal holds can always be replayed.
                course = apply_record(self.course, Record(0, self.number, kind, ply, body, "", by))
            except (ValueError, IndexError):
                log.exception("what was reported cannot be")
                self._waiting.clear()
                self.is_astray = True
                break
            try:
                record = self._journal.append(self.number, kind, body, ply=ply, by=by)
            except MillchenError as why:
                log.error("not saved: %s", why)
                break
            self._waiting.popleft()
            self.records.append(record)
            self._courses[record.seq] = course
            written.append(record)
        return written

    def after(self, seq: int) -> Sequence[Record]:
        """What was written after the journal's number ``seq``."""
        return [record for record in self.records if record.seq > seq]
