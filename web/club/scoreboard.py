"""Rows of journals in, the newest state of every table of the evening out, also of other computers."""

from __future__ import annotations

import logging
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any

from referee.game import Game
from web.club.evening import EVENING_KIND, Evening, apply_evening_record, evening_from_record
from web.club.postgres_archive import ArchiveLink
from web.colour_names import colour_names, display_colours
from web.errors import UNREADABLE
from web.game.game_state import GameState
from web.game.page_state import Announcement, ClockView, clock_view, game_view
from web.game.records import announce_record, apply_record
from web.game.replay import initial_state, replay_rows
from web.journal.journal_record import JournalRecord, record_from_row

log = logging.getLogger("millchen.club")


@dataclass(frozen=True, eq=False)
class TableState:
    """The newest state of one table of the evening."""

    key: str  # the table in addresses of the page: letters, digits and dashes
    table: str  # its name; empty where a computer has one table
    origin: str  # the journal that it is written in
    host: str  # the computer; empty for this one
    game_number: int  # in its journal
    game_state: GameState
    seq: int  # of the newest event
    received_s: float  # when that came, by this computer's monotonic clock
    announcement: Announcement | None = None  # the newest one

    @property
    def game(self) -> Game:
        """The accepted game."""
        return self.game_state.game

    def to_json(self) -> dict[str, Any]:
        """Return the table for the page of the scoreboard."""
        state = self.game_state
        names = colour_names(state.colours)
        return {
            "key": self.key,
            "table": self.table,
            "host": self.host,
            "seq": self.seq,
            "game": game_view(self.game_number, state, state.game, names, instructs=True),
            "sight": {"names": list(names), "colours": list(display_colours(state.colours))},
            "clock": self.clock(),
            "said": None if self.announcement is None else self.announcement.texts,
        }

    def clock(self) -> ClockView:
        """Return the clocks: as written with the last event, and running since then for the player to move."""
        clock, game = self.game_state.clock, self.game
        if clock.kind != "off" and game.ply > 0 and game.outcome is None:
            clock = replace(clock, running=game.position.to_move, since_s=self.received_s)
        return clock_view(clock, time.monotonic())


class JournalFollower:
    """Replays one journal; keeps the newest game of each of its tables, and its newest evening."""

    def __init__(self, origin: str, host: str) -> None:
        self.origin, self.host = origin, host  # the host is the computer, empty for this one
        self.seq = 0  # of the newest event that was replayed
        self.evening: Evening | None = None
        self._tables: dict[int, TableState] = {}

    def process(
        self, rows: Iterable[Any], rows_of_game: Callable[[int], Iterable[Any]] = lambda _: ()
    ) -> list[TableState]:
        """Replay further events, in order; return the tables that changed. An event that cannot be read is skipped.

        ``rows_of_game`` finds all events of a game, for one that was played before and is gone on with now.
        """
        tables: dict[str, TableState] = {}
        for row in rows:
            self.seq = max(self.seq, int(row.seq))
            try:
                record = record_from_row(row)
                table = self._resume(record, rows_of_game) if record.kind == "source" else self._apply(record)
            except UNREADABLE as why:
                # What is damaged in this computer's own journals is among their findings.
                level = logging.WARNING if self.host else logging.INFO
                log.log(level, "an event of journal %s cannot be shown: %s", self.origin, why)
                continue
            if table is not None:
                tables[table.key] = table
        return list(tables.values())

    def _apply(self, record: JournalRecord) -> TableState | None:
        """Replay one event; return the table that it changed, None where its game is no table's newest."""
        if record.kind == EVENING_KIND:
            self.evening = evening_from_record(record)
        elif self.evening is not None and record.game == self.evening.number:
            self.evening = apply_evening_record(self.evening, record)
        elif record.kind == "start":
            return self._show(record, initial_state(record))
        elif record.game in self._tables:
            before = self._tables[record.game]
            state = apply_record(before.game_state, record)
            announced = announce_record(record, state, colour_names(state.colours))
            news = announced or before.announcement
            table = replace(before, game_state=state, announcement=news, seq=record.seq, received_s=time.monotonic())
            self._tables[record.game] = table
            return table
        return None

    def _resume(self, record: JournalRecord, rows_of_game: Callable[[int], Iterable[Any]]) -> TableState | None:
        """Show the game that a table goes on with, which need not be the one that it showed."""
        status = self._tables.get(record.game)
        if status is not None and status.table == record.body.get("table", ""):
            return None
        game = replay_rows(row for row in rows_of_game(record.game) if row.seq <= record.seq)
        return None if game.state is None else self._show(record, game.state)

    def _show(self, record: JournalRecord, state: GameState) -> TableState:
        """Show a game at the table that a record names, in the place of any other one there."""
        name = str(record.body.get("table", ""))
        key = table_key(self.origin, name)
        table = TableState(key, name, self.origin, self.host, record.game, state, record.seq, time.monotonic())
        self._tables = {n: other for n, other in self._tables.items() if other.table != name}
        self._tables[record.game] = table
        return table


def table_key(origin: str, table: str) -> str:
    """Return what a table is called in addresses of the page.

    >>> table_key("0123456789abcdef", "Café, 2")
    '01234567-cafe-2'
    """
    plain = unicodedata.normalize("NFKD", table).encode("ascii", "ignore").decode().lower()
    return "-".join(filter(None, (origin[:8], re.sub(r"[^a-z0-9]+", "-", plain).strip("-"))))


@dataclass(frozen=True)
class ClubStatus:
    """What the scoreboard shows beside the tables."""

    link: ArchiveLink | None = None  # the connection to the archive; None without an archive
    evening: Evening | None = None  # the newest one
    is_ours: bool = True  # whether the evening is led from this computer


@dataclass
class Scoreboard:
    """Holds the newest state of every table, each change under the next version number; may be used from any thread."""

    _tables: dict[str, tuple[int, TableState]] = field(default_factory=dict)
    status: ClubStatus = ClubStatus()  # what is shown beside the tables
    _status_version: int = 0
    _version: int = 0
    is_closed: bool = False
    _changed: Condition = field(default_factory=Condition)

    def update_tables(self, *tables: TableState) -> None:
        """Replace the state of some tables."""
        with self._changed:
            for table in tables:
                self._version += 1
                self._tables[table.key] = (self._version, table)
            if tables:
                self._changed.notify_all()

    def set_status(self, status: ClubStatus) -> None:
        """Replace what is shown beside the tables."""
        with self._changed:
            if status != self.status:
                self._version += 1
                self.status, self._status_version = status, self._version
                self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody who waits."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()

    @property
    def tables(self) -> tuple[TableState, ...]:
        """Every table: this computer's first, then by computer and name."""
        with self._changed:
            statuses = [table for _, table in self._tables.values()]
        return tuple(sorted(statuses, key=lambda one: (one.host != "", one.host, one.table.casefold(), one.key)))

    def find_table(self, key: str) -> tuple[int, TableState] | None:
        """Return a table and the version that brought its present state, or None."""
        with self._changed:
            return self._tables.get(key)

    def display_names(self) -> Mapping[str, str]:
        """Return what to call each table, by its key: its name, else its computer, or both where names are shared."""
        tables = self.tables
        short = {one.key: one.table or one.host for one in tables}
        names = list(short.values())
        return {
            one.key: f"{short[one.key]} · {one.host}" if one.table and one.host and names.count(short[one.key]) > 1
            else short[one.key]
            for one in tables
        }  # fmt: skip

    def duplicate_names(self) -> tuple[str, ...]:
        """Return the names that tables of several computers share."""
        origins_by_name = {(one.table.casefold(), one.origin) for one in self.tables if one.table}
        times = Counter(name for name, _ in origins_by_name)
        return tuple(sorted(name for name, n in times.items() if n > 1))

    def wait(self, after: int, timeout_s: float) -> tuple[int, tuple[TableState, ...], bool]:
        """Wait until something is newer than the version ``after``, or until the time is up.

        Returns the newest version, the tables that have changed since, and whether the status has.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.is_closed or self._version > after, timeout_s)
            tables = tuple(table for version, table in self._tables.values() if version > after)
            return self._version, tables, self._status_version > after
