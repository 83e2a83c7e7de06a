"""The journal: what happened at the table, kept for ever.

One append-only table of events in SQLite. The state of a game is a replay of its events (`course.py`); a correction
is a new event, nothing is ever changed or deleted (triggers see to that).

Durability: write-ahead log with ``synchronous=FULL``. With ``NORMAL``, which most advice names, a power cut may lose
turns that the page has already announced. All writing goes through one connection behind one lock: two connections
that write and checkpoint at the same instant may corrupt a file in SQLite 3.7.0 to 3.51.2.
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
from web.journal.journal_record import Record
from web.journal.migrate import back_up, bring_up_to_date
from web.journal.schema import EVENT_TABLE, JOURNAL_TABLE, read_schema_version, damaged_file_message, record_digest, engine_for, record_from_row, database_error_message

log = logging.getLogger("millchen.journal")

MAX_GAMES_SEARCHED = 500
"""Games among which the last one of a table is looked for; a table that rested longer begins a new one."""


class Journal:
    """The open journal; only one at a time may exist for a file (`DataFolder` sees to it).

    Parameters
    ----------
    path : Path
        The file; it is made where there is none, and brought up to date where an older Millchen wrote it.

    Attributes
    ----------
    origin : str
        A name that no other journal has, 32 hexadecimal digits; an archive of many journals knows it by this.
    commit_listeners : list of callable
        Called after every event that was written, by whoever wrote it; must not wait for anything.

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
        """Refuse what is not ours or damaged, make the tables where the file is new or older."""
        found = read_schema_version(self._connection, self.path)
        verdict = str(self._connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())
        self._connection.commit()
        if verdict != "ok":
            raise MillchenError(damaged_file_message(self.path, verdict.splitlines()[0]))
        copy = bring_up_to_date(self._connection, self.path, found)
        if copy is not None:
            log.warning("the journal was written by an older Millchen; a copy of it as it was is %s", copy)
        self.origin = self._named()

    def _named(self) -> str:
        """The journal's own name, given once; a copied file keeps it."""
        found: str | None = self._connection.execute(sa.select(JOURNAL_TABLE.c.origin)).scalar()
        if found is None:
            found = uuid.uuid4().hex
            begun = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._connection.execute(JOURNAL_TABLE.insert(), {"origin": found, "host": platform.node(), "begun": begun})
        self._connection.commit()
        return found

    def begin(self, body: Mapping[str, Any], *, by: str, kind: str = "start") -> Record:
        """Write the first record of a new game under the next number, also while other tables do the same.

        Raises
        ------
        MillchenError
            As `append`.
        """
        with self._beginning:
            return self.append((self.last_game() or 0) + 1, kind, body, by=by)

    def append(self, game: int, kind: str, body: Mapping[str, Any], *, ply: int | None = None, by: str) -> Record:
        """Write one event; when this returns, it has survived a power cut.

        Raises
        ------
        MillchenError
            When it could not be written (a full disk); nothing was, and the same event may be tried again.
        """
        wall_time = datetime.now(UTC).isoformat(timespec="milliseconds")
        text = json.dumps(body, ensure_ascii=False, sort_keys=True)
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
        with self._lock:
            try:
                seq = self._connection.execute(EVENT_TABLE.insert(), values).inserted_primary_key
                self._connection.commit()
            except (sa.exc.DatabaseError, sa.exc.PendingRollbackError) as why:
                self._connection.rollback()
                raise MillchenError(database_error_message(self.path, why)) from why
        assert seq is not None
        for told in tuple(self.commit_listeners):
            told()
        return Record(int(seq[0]), game, kind, ply, json.loads(text), wall_time, by)

    def records(self, game: int, after: int = 0) -> tuple[Record, ...]:
        """The events of one game with a number above ``after``, in order.

        Raises
        ------
        DamagedError
            When one of them is not what was written; other games can still be read.
        """
        query = EVENT_TABLE.select().where(EVENT_TABLE.c.game == game, EVENT_TABLE.c.seq > after).order_by(EVENT_TABLE.c.seq)
        return tuple(record_from_row(row) for row in self._read(query))

    def rows(self, after: int, most: int) -> Sequence[sa.Row[Any]]:
        """The next events with a number above ``after`` as they stand in the file, at most so many, in order."""
        query = EVENT_TABLE.select().where(EVENT_TABLE.c.seq > after).order_by(EVENT_TABLE.c.seq).limit(most)
        return self._read(query)

    def games(self) -> Sequence[sa.Row[Any]]:
        """Every game: ``game`` and ``seq`` of its last event, newest first."""
        last = sa.func.max(EVENT_TABLE.c.seq)
        query = sa.select(EVENT_TABLE.c.game, last.label("seq")).group_by(EVENT_TABLE.c.game).order_by(last.desc())
        return self._read(query)

    def rows_of_game(self, game: int) -> Sequence[sa.Row[Any]]:
        """The events of one game as they stand in the file, in order."""
        return self._read(EVENT_TABLE.select().where(EVENT_TABLE.c.game == game).order_by(EVENT_TABLE.c.seq))

    def last_seq(self) -> int:
        """The number of the newest event, 0 in an empty journal."""
        return self._read(sa.select(sa.func.max(EVENT_TABLE.c.seq)))[0][0] or 0

    def identity_row(self) -> sa.Row[Any]:
        """What the journal is called: ``origin``, ``host`` and ``begun``."""
        return self._read(JOURNAL_TABLE.select())[0]

    def _read(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._lock:
            rows = self._connection.execute(query).all()
            self._connection.commit()  # ends the read, so that the log can be checkpointed
        return rows

    def last_game(self) -> int | None:
        """The number of the newest game, None in an empty journal."""
        newest: int | None = self._read(sa.select(sa.func.max(EVENT_TABLE.c.game)))[0][0]
        return newest

    def last_game_of_table(self, table: str) -> int | None:
        """The number of the newest game of one table of several; "" is the table without a name."""
        query = sa.select(EVENT_TABLE.c.game, EVENT_TABLE.c.body).where(EVENT_TABLE.c.kind == "start").order_by(EVENT_TABLE.c.seq.desc())
        for row in self._read(query.limit(MAX_GAMES_SEARCHED)):
            try:
                begun = json.loads(row.body)
            except ValueError:
                continue  # damaged; who opens that game is told
            if isinstance(begun, dict) and begun.get("table", "") == table:
                return int(row.game)
        return None

    def back_up(self, target: Path | None = None) -> Path:
        """Copy the journal, see `web.journal.migrate.backup`."""
        with self._lock:
            return back_up(self._connection, self.path, target)

    @property
    def sqlite_version(self) -> str:
        """The version of the SQLite library in use."""
        return sqlite3.sqlite_version

    def close(self) -> None:
        """Close the file; the log is folded into it."""
        with self._lock:
            self._dispose()

    def _dispose(self) -> None:
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
