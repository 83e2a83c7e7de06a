"""The journal: the append-only store of what happened at the table.

It is one table of events in SQLite. The state of a game is a replay of its events (`web.game.replay`). A correction is
a new event; nothing is ever changed or deleted, and triggers refuse it.

Durability: a write-ahead log with ``synchronous=FULL``. With ``NORMAL``, which most advice names, a power cut may lose
turns that the page has already announced. All writing goes through one connection behind one lock: two connections
that write and checkpoint at the same instant may corrupt a file in SQLite 3.7.0 to 3.51.2.

References
----------
SQLite documentation, https://sqlite.org/wal.html#walresetbug.
"""

from __future__ import annotations

import json
import logging
import platform
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from web.errors import MillchenError
from web.journal.journal_record import JournalRecord
from web.journal.migrate import back_up, bring_up_to_date
from web.journal.schema import (
    EVENT_TABLE,
    JOURNAL_TABLE,
    damaged_file_message,
    database_error_message,
    engine_for,
    read_schema_version,
    record_digest,
    record_from_row,
)

log = logging.getLogger("millchen.journal")

MAX_GAMES_SEARCHED = 500
"""Newest games among which the last one of a table is searched; a table that rested longer begins a new game.

Source: chosen.
"""


class Journal:
    """The open journal; only one may exist for a file at a time (`DataFolder` ensures it).

    Parameters
    ----------
    path : Path
        The file; it is created when there is none, and migrated when an older Millchen wrote it.

    Attributes
    ----------
    origin : str
        Unique name of the journal, 32 hexadecimal digits; an archive of many journals knows it by this.
    commit_listeners : list of callable
        Called after every event that was written, in the thread that wrote it; they must not block.

    Raises
    ------
    MillchenError
        When the file is damaged, belongs to another program or to a newer Millchen, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.origin = ""
        self.commit_listeners: list[Callable[[], None]] = []
        self._lock, self._beginning = threading.Lock(), threading.Lock()
        self._engine = engine_for(path)
        try:
            self._connection = self._engine.connect()
        except sa.exc.DatabaseError as why:
            self._engine.dispose()
            raise MillchenError(database_error_message(path, why)) from why
        try:
            self._prepare()
        except sa.exc.DatabaseError as why:
            self._dispose()
            raise MillchenError(database_error_message(path, why)) from why
        except BaseException:
            self._dispose()
            raise

    def _prepare(self) -> None:
        """Refuse a foreign or damaged file, migrate a new or older one, and read the journal's name."""
        found = read_schema_version(self._connection, self.path)
        verdict = str(self._connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())
        self._connection.commit()
        if verdict != "ok":
            raise MillchenError(damaged_file_message(self.path, verdict.splitlines()[0]))
        copy = bring_up_to_date(self._connection, self.path, found)
        if copy is not None:
            log.warning("the journal was written by an older Millchen; a copy of it as it was is %s", copy)
        self.origin = self._load_or_create_origin()

    def _load_or_create_origin(self) -> str:
        """Return the name of the journal; it is created once, and a copied file keeps it."""
        found: str | None = self._connection.execute(sa.select(JOURNAL_TABLE.c.origin)).scalar()
        if found is None:
            found = uuid.uuid4().hex
            begun = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._connection.execute(JOURNAL_TABLE.insert(), {"origin": found, "host": platform.node(), "begun": begun})
        self._connection.commit()
        return found

    def begin(self, body: Mapping[str, Any], *, by: str, kind: str = "start") -> JournalRecord:
        """Write the first record of a new game under the next free number; safe while other tables do the same.

        Raises
        ------
        MillchenError
            As in `append`.
        """
        with self._beginning:
            return self.append((self.last_game() or 0) + 1, kind, body, by=by)

    def append(
        self, game: int, kind: str, body: Mapping[str, Any], *, ply: int | None = None, by: str
    ) -> JournalRecord:
        """Write one event and return its record; when this returns, the event survives a power cut.

        Raises
        ------
        MillchenError
            When it could not be written (a full disk); nothing was changed, and the same event may be tried again.
        """
        [record] = self._append_all([(game, kind, ply, body)], by)
        return record

    def begin_all(self, bodies: Sequence[Mapping[str, Any]], *, by: str, kind: str) -> tuple[JournalRecord, ...]:
        """Write the first records of new games under the next free numbers: all of them, or none.

        Raises
        ------
        MillchenError
            As in `append`.
        """
        with self._beginning:
            first = (self.last_game() or 0) + 1
            return self._append_all([(first + k, kind, None, body) for k, body in enumerate(bodies)], by)

    def _append_all(
        self, events: Sequence[tuple[int, str, int | None, Mapping[str, Any]]], by: str
    ) -> tuple[JournalRecord, ...]:
        """Write events (game, kind, ply, body) in one transaction and return their records."""
        wall_time = datetime.now(UTC).isoformat(timespec="milliseconds")
        texts = [json.dumps(body, ensure_ascii=False, sort_keys=True) for *_, body in events]
        written: list[JournalRecord] = []
        with self._lock:
            try:
                for (game, kind, ply, _), text in zip(events, texts, strict=True):
                    values = {
                        "game": game,
                        "kind": kind,
                        "ply": ply,
                        "body": text,
                        "wall_time": wall_time,
                        "monotonic_s": time.monotonic(),
                        "by": by,
                        "digest": record_digest(game, kind, ply, text, wall_time, by),
                    }
                    seq = self._connection.execute(EVENT_TABLE.insert(), values).inserted_primary_key
                    assert seq is not None
                    written.append(JournalRecord(int(seq[0]), game, kind, ply, json.loads(text), wall_time, by))
                self._connection.commit()
            except (sa.exc.DatabaseError, sa.exc.PendingRollbackError) as why:
                self._connection.rollback()
                raise MillchenError(database_error_message(self.path, why)) from why
        for listener in tuple(self.commit_listeners):
            listener()
        return tuple(written)

    def records(self, game: int, after: int = 0) -> tuple[JournalRecord, ...]:
        """Return the events of one game with a number above ``after``, in order.

        Raises
        ------
        DamagedRecordError
            When one of them is not what was written; other games can still be read.
        """
        query = (
            EVENT_TABLE.select()
            .where(EVENT_TABLE.c.game == game, EVENT_TABLE.c.seq > after)
            .order_by(EVENT_TABLE.c.seq)
        )
        return tuple(record_from_row(row) for row in self._read(query))

    def rows_after(self, after: int, most: int) -> Sequence[sa.Row[Any]]:
        """Return at most ``most`` rows of events with a number above ``after``, in order."""
        query = EVENT_TABLE.select().where(EVENT_TABLE.c.seq > after).order_by(EVENT_TABLE.c.seq).limit(most)
        return self._read(query)

    def games(self) -> Sequence[sa.Row[Any]]:
        """Return a row for every game: ``game`` and ``seq`` of its last event, newest first."""
        last = sa.func.max(EVENT_TABLE.c.seq)
        query = sa.select(EVENT_TABLE.c.game, last.label("seq")).group_by(EVENT_TABLE.c.game).order_by(last.desc())
        return self._read(query)

    def rows_of_game(self, game: int) -> Sequence[sa.Row[Any]]:
        """Return the rows of the events of one game, in order."""
        return self._read(EVENT_TABLE.select().where(EVENT_TABLE.c.game == game).order_by(EVENT_TABLE.c.seq))

    def last_seq(self) -> int:
        """Return the number of the newest event, 0 in an empty journal."""
        return self._read(sa.select(sa.func.max(EVENT_TABLE.c.seq)))[0][0] or 0

    def identity_row(self) -> sa.Row[Any]:
        """Return the row with the name of the journal: ``origin``, ``host`` and ``begun``."""
        return self._read(JOURNAL_TABLE.select())[0]

    def _read(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._lock:
            rows = self._connection.execute(query).all()
            self._connection.commit()  # ends the read transaction, so that the log can be checkpointed
        return rows

    def last_game(self) -> int | None:
        """Return the number of the newest game, None in an empty journal."""
        newest: int | None = self._read(sa.select(sa.func.max(EVENT_TABLE.c.game)))[0][0]
        return newest

    def last_game_of_table(
        self, table: str, is_wanted: Callable[[Mapping[str, Any]], bool] = lambda _: True
    ) -> int | None:
        """Return the number of the newest game of a table, None when there is none; "" is the table without a name.

        ``is_wanted`` looks at what its first record says.
        """
        query = (
            sa.select(EVENT_TABLE.c.game, EVENT_TABLE.c.body)
            .where(EVENT_TABLE.c.kind == "start")
            .order_by(EVENT_TABLE.c.seq.desc())
        )
        for row in self._read(query.limit(MAX_GAMES_SEARCHED)):
            try:
                begun = json.loads(row.body)
            except ValueError:
                continue  # damaged; whoever opens that game gets the error
            if isinstance(begun, dict) and begun.get("table", "") == table and is_wanted(begun):
                return int(row.game)
        return None

    def back_up(self, target: Path | None = None) -> Path:
        """Copy the journal and return the copy, see `web.journal.migrate.back_up`."""
        with self._lock:
            return back_up(self._connection, self.path, target)

    @property
    def sqlite_version(self) -> str:
        """The version of the SQLite library in use."""
        return sqlite3.sqlite_version

    def close(self) -> None:
        """Close the file; SQLite merges the write-ahead log into it."""
        with self._lock:
            self._dispose()

    def _dispose(self) -> None:
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
