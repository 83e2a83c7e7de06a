"""The journal: what happened at the table, kept for ever.

One append-only table of events in SQLite. The state of a game is a replay of its events (`replay.py`); a correction
is a new event, nothing is ever changed or deleted (triggers see to that).

Durability: write-ahead log with ``synchronous=FULL``. With ``NORMAL``, which most advice names, a power cut may lose
turns that the page has already announced. All writing goes through one connection behind one lock: two connections
that write and checkpoint at the same instant may corrupt a file in SQLite 3.7.0 to 3.51.2.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from web.errors import ShellError
from web.record import Record

APPLICATION_ID = 0x4D696C6C  # "Mill" in ASCII: tells `file` and us whose database this is
SCHEMA = 1  # raised with every change of the tables; a newer one is refused, an older one will be migrated
BUSY_MS = 2000  # a backup program may hold the file for a moment

_metadata = sa.MetaData()
_event = sa.Table(
    "event",
    _metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("game", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("ply", sa.Integer),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("wall_time", sa.Text, nullable=False),  # for people; order is told by seq, never by a clock
    sa.Column("monotonic_s", sa.Float, nullable=False),
    sa.Column("by", sa.Text, nullable=False),  # "camera" or "hand"
    sqlite_autoincrement=True,  # a number is never used twice, pages rely on it
)
sa.Index("event_of_game", _event.c.game, _event.c.seq)
_NEVER = "CREATE TRIGGER event_no_{0} BEFORE {0} ON event BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"


class Journal:
    """The open journal; only one at a time may exist for a file (`DataFolder` sees to it).

    Raises
    ------
    ShellError
        When the file is damaged, belongs to another program or to a newer Millchen, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._engine = sa.create_engine(
            sa.URL.create("sqlite", database=str(path)),
            poolclass=StaticPool,
            connect_args={"check_same_thread": False},
        )
        sa_event.listen(self._engine, "connect", _set_pragmas)
        try:
            self._connection = self._engine.connect()
            self._check()
        except sa.exc.DatabaseError as why:
            self._engine.dispose()
            raise ShellError(_sentence(path, why)) from why
        except ShellError:
            self._connection.close()
            self._engine.dispose()
            raise

    def _check(self) -> None:
        """Refuse what is not ours, make the tables where the file is new."""
        run = self._connection.exec_driver_sql
        application: int = run("PRAGMA application_id").scalar_one()
        schema: int = run("PRAGMA user_version").scalar_one()
        is_new = run("SELECT count(*) FROM sqlite_master").scalar_one() == 0
        if not is_new and application != APPLICATION_ID:
            raise ShellError(f"{self.path} is the database of another program: name another folder with --data")
        if schema > SCHEMA:
            raise ShellError(
                f"the journal {self.path} was written by a newer Millchen (format {schema}, this one knows {SCHEMA}): "
                "update Millchen, or name another folder with --data"
            )
        verdict = run("PRAGMA quick_check(1)").scalar_one()
        if verdict != "ok":
            raise ShellError(_damaged(self.path, str(verdict).splitlines()[0]))
        if is_new:
            _metadata.create_all(self._connection)
            for act in ("UPDATE", "DELETE"):
                run(_NEVER.format(act))
            run(f"PRAGMA application_id = {APPLICATION_ID}")
            run(f"PRAGMA user_version = {SCHEMA}")
        self._connection.commit()

    def append(self, game: int, kind: str, body: Mapping[str, Any], *, ply: int | None = None, by: str) -> Record:
        """Write one event; when this returns, it has survived a power cut.

        Raises
        ------
        ShellError
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
        }
        with self._lock:
            try:
                seq = self._connection.execute(_event.insert(), values).inserted_primary_key
                self._connection.commit()
            except (sa.exc.DatabaseError, sa.exc.PendingRollbackError) as why:
                self._connection.rollback()
                raise ShellError(_sentence(self.path, why)) from why
        assert seq is not None
        return Record(int(seq[0]), game, kind, ply, json.loads(text), wall_time, by)

    def records(self, game: int, after: int = 0) -> tuple[Record, ...]:
        """The events of one game with a number above ``after``, in order."""
        query = _event.select().where(_event.c.game == game, _event.c.seq > after).order_by(_event.c.seq)
        with self._lock:
            rows = self._connection.execute(query).all()
            self._connection.commit()  # ends the read, so that the log can be checkpointed
        return tuple(Record(r.seq, r.game, r.kind, r.ply, json.loads(r.body), r.wall_time, r.by) for r in rows)

    def last_game(self) -> int | None:
        """The number of the newest game, None in an empty journal."""
        with self._lock:
            newest: int | None = self._connection.execute(sa.select(sa.func.max(_event.c.game))).scalar_one()
            self._connection.commit()
        return newest

    @property
    def sqlite_version(self) -> str:
        """The version of the SQLite library in use."""
        return sqlite3.sqlite_version

    def close(self) -> None:
        """Close the file; the log is folded into it."""
        with self._lock:
            self._connection.close()
            self._engine.dispose()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    for pragma in (
        f"busy_timeout = {BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _damaged(path: Path, why: str) -> str:
    return f"the journal {path} is damaged ({why}): move it away to begin a new one, or name another folder with --data"


def _sentence(path: Path, why: Exception) -> str:
    said = str(getattr(why, "orig", None) or why).splitlines()[0]
    if "malformed" in said or "not a database" in said:
        return _damaged(path, said)
    if "locked" in said:
        return f"another program holds the journal {path}: close it and try again"
    return f"cannot write the journal {path}: {said}"
