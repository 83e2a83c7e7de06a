"""The game that is being played, as the journal has it: an event counts only once it is written.

Not safe between threads; the table that owns it has the lock.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from referee.consequences import consequences
from referee.events import Event
from referee.game_events import game_ended
from web.errors import MillchenError
from web.game.event_records import UnwrittenRecord, record_of_event
from web.game.replay import (
    GameState,
    apply_record,
    carried_over,
    initial_state,
    is_demo_source,
    replay,
    replay_states,
    start_record_body,
)
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord

log = logging.getLogger("millchen.game")


class CurrentGame:
    """One game of the journal, open for writing.

    Parameters
    ----------
    journal : Journal
    table : str
        Name of the table among several that share the journal; empty where there is one.

    Attributes
    ----------
    table : str
    number : int
        The game's number; 0 before the first.
    records : list of Record
        All of its records, in order.
    is_inconsistent : bool
        An event was reported that cannot follow on this game; whoever reported it should start again from the records.
    """

    def __init__(self, journal: Journal, table: str = "") -> None:
        self.table = table
        self.number = 0
        self.records: list[JournalRecord] = []
        self.is_inconsistent = False
        self._journal = journal
        self._states: dict[int, GameState] = {}  # after each record, by its number
        self._house: tuple[JournalRecord, GameState] | None = None  # the last game that was no demo
        self._unsaved: deque[tuple[UnwrittenRecord, str]] = deque()

    @property
    def state(self) -> GameState:
        """The state after all records that are written."""
        if not self.records:
            raise RuntimeError("no game has been begun")
        return self._states[self.records[-1].seq]

    def state_after(self, seq: int) -> GameState:
        """Return the state after the record with this number; its announcement speaks of that."""
        return self._states[seq]

    def state_with(self, record: UnwrittenRecord, by: str) -> GameState:
        """Return the state as it would be with one more record."""
        kind, ply, body = record
        return apply_record(self.state, JournalRecord(0, self.number, kind, ply, body, "", by))

    @property
    def n_unsaved(self) -> int:
        """Number of records that could not be written yet."""
        return len(self._unsaved)

    def resume(self, game: str, options: Mapping[str, Any], source: str) -> bool:
        """Continue the table's last game if it began like this and is not over; return whether it does."""
        wanted = start_record_body(game, options, source, self.table)
        number = self._journal.last_game_of_table(self.table)
        records = self._journal.records(number) if number is not None else ()
        if number is None or not records or records[0].kind != "start" or dict(records[0].body) != dict(wanted):
            return False
        try:
            states = list(replay_states(records))
        except (ValueError, KeyError, TypeError, IndexError):
            log.exception("game %s of the journal cannot be replayed; a new one begins", number)
            return False
        if states[-1].game.outcome is not None:
            return False
        self.number, self.records = number, list(records)
        if is_demo_source(source):
            self._house = self._last_game_of_house()
        self._states = {record.seq: state for record, state in zip(records, states, strict=True)}
        return True

    def begin(self, game: str, options: Mapping[str, Any], source: str, *, swap: bool = False) -> None:
        """Begin a new game; the settings of the same people are carried over, ``swap`` by one place.

        Raises
        ------
        MillchenError
            When it could not be written; the old game is still open.
        """
        record = self._journal.begin(start_record_body(game, options, source, self.table), by="hand")
        is_first = not self.records
        if is_first:
            self._house = self._last_game_of_house()
        elif not is_demo_source(str(self.records[0].body.get("source", ""))):
            self._house = self.records[0], self.state
        before = self._house[1] if self._house is not None and not is_first else None
        self.number, self.records, self._states = record.game, [record], {record.seq: initial_state(record)}
        self._unsaved.clear()
        if is_demo_source(source):
            return  # other people play in the demo
        for kind, body in carried_over(before, self.state, swap=swap):
            self.write((kind, None, body), "hand")

    def last_of_house(self) -> dict[str, Any]:
        """Return game, options and names of the newest game that is no demo; those of this one where there is none."""
        first, state = self.records[0], self.state
        if is_demo_source(str(first.body.get("source", ""))) and self._house is not None:
            first, state = self._house
        return {"game": first.body["game"], "options": dict(first.body["options"]), "names": list(state.names)}

    def _last_game_of_house(self) -> tuple[JournalRecord, GameState] | None:
        number = self._journal.last_game_of_table(self.table, lambda body: not is_demo_source(str(body["source"])))
        if number is None:
            return None
        try:
            records = self._journal.records(number)
            return records[0], replay(records)
        except (MillchenError, ValueError, KeyError, TypeError, IndexError):
            log.exception("game %s of the journal cannot be replayed; its players are not offered again", number)
            return None

    def write(self, record: UnwrittenRecord, by: str) -> list[JournalRecord]:
        """Write a record; return the records that were written now, in order. What cannot be written waits."""
        self._unsaved.append((record, by))
        return self.write_unsaved()

    def write_unsaved(self) -> list[JournalRecord]:
        """Try again to write the records that wait; return those that were written now, in order."""
        written: list[JournalRecord] = []
        while self._unsaved:
            unwritten, by = self._unsaved[0]
            try:
                # Applied before it is written: what the journal holds can always be replayed.
                state = self.state_with(unwritten, by)
            except (ValueError, IndexError):
                log.exception("what was reported cannot be")
                self._unsaved.clear()
                self.is_inconsistent = True
                break
            kind, ply, body = unwritten
            try:
                record = self._journal.append(self.number, kind, body, ply=ply, by=by)
            except MillchenError as why:
                log.error("not saved: %s", why)
                break
            self._unsaved.popleft()
            self._unsaved.extendleft((said, by) for said in reversed(self._consequences(state, kind, by)))
            self.records.append(record)
            self._states[record.seq] = state
            written.append(record)
        return written

    def _consequences(self, state: GameState, kind: str, by: str) -> list[UnwrittenRecord]:
        """Return the records of what follows from the turn that leads to ``state``, if one does.

        A camera's eyes report the end of the game themselves.
        """
        before, after, time_s = self.state.game, state.game, state.last_event_s or 0.0
        if after.ply != before.ply + 1 or after.turns[:-1] != before.turns:
            return []
        events: list[Event] = list(consequences(before, after, time_s))
        if kind == "turn" and by == "hand" and after.outcome is not None:
            events.append(game_ended(after, time_s))
        return [record_of_event(event) for event in events]

    def records_after(self, seq: int) -> Sequence[JournalRecord]:
        """Return the records that were written after the journal's number ``seq``."""
        return [record for record in self.records if record.seq > seq]
