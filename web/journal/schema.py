"""The file of the journal: its tables, how it is opened, and how an event is stored in a row.

`journal.py` writes it, `web.history.journal_reader` reads it beside a running Millchen, and `migrate.py` brings an
older one up to date.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from web.errors import MillchenError
from web.journal.journal_record import JournalRecord

APPLICATION_ID = 0x4D696C6C
"""SQLite's application id of the file: "Mill" in ASCII. Millchen and the program ``file`` recognise the database by it.

Source: chosen.
"""

SCHEMA_VERSION = 3
"""Number of the newest migration in `migrations/`. A newer file is refused, an older one is migrated.

Source: chosen.
"""

BUSY_TIMEOUT_MS = 2000
"""How long to wait for another program that holds the file, such as a backup. Source: chosen."""

METADATA = sa.MetaData()
EVENT_TABLE = sa.Table(
    "event",
    METADATA,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("game", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("ply", sa.Integer),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("wall_time", sa.Text, nullable=False),  # for people; the order is that of seq, never that of a clock
    sa.Column("monotonic_s", sa.Float, nullable=False),
    sa.Column("by", sa.Text, nullable=False),  # "camera" or "hand"
    sa.Column("digest", sa.Text),
    sa.Column("origin", sa.Text),  # only in an archive: the journal in which it was written,
    sa.Column("origin_seq", sa.Integer),  # its number there,
    sa.Column("arrived", sa.DateTime(timezone=True)),  # and when it arrived, by the archive's clock
    sqlite_autoincrement=True,  # a number is never used twice; pages rely on it
)
JOURNAL_TABLE = sa.Table(
    "journal",
    METADATA,
    sa.Column("origin", sa.Text, primary_key=True),  # 128 random bits as 32 hexadecimal digits
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("begun", sa.Text, nullable=False),
)
"""The name of the journal, in one row; in an archive, the names of all journals that have written to it."""


class DamagedRecordError(MillchenError):
    """A record is not what was written; the rest of the journal can be read."""


def record_digest(game: int, kind: str, ply: int | None, body: str, wall_time: str, by: str) -> str:
    """Return the SHA-256 digest of a record over its columns, empty ones included, as hexadecimal digits."""
    parts = ("" if value is None else str(value) for value in (game, kind, ply, body, wall_time, by))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def record_from_row(row: Any) -> JournalRecord:
    """Return the record in a row of the table.

    Raises
    ------
    DamagedRecordError
        When the row is not what was written.
    """
    if row.digest != record_digest(row.game, row.kind, row.ply, row.body, row.wall_time, row.by):
        raise DamagedRecordError(f"record {row.seq} of game {row.game} is damaged: it is not what was written")
    try:
        body: Mapping[str, Any] = json.loads(row.body)
    except ValueError:
        raise DamagedRecordError(f"record {row.seq} of game {row.game} is damaged: its body cannot be read") from None
    return JournalRecord(row.seq, row.game, row.kind, row.ply, body, row.wall_time, row.by)


def engine_for(path: Path, *, read_only: bool = False) -> sa.Engine:
    """Return an engine with one connection to the file.

    SQLAlchemy begins the transactions, because Python's driver leaves statements that change tables outside of them.
    A migration is then done as a whole or not at all.
    """
    if read_only:
        query = {"mode": "ro", "uri": "true"}
        url = sa.URL.create("sqlite", database=f"file:{_percent_encoded(path)}", query=query)
    else:
        url = sa.URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    sa_event.listen(engine, "connect", _set_read_only if read_only else _set_pragmas)
    sa_event.listen(engine, "begin", _begin)
    return engine


def read_schema_version(connection: sa.Connection, path: Path) -> int:
    """Return the schema version of the file, 0 when it is new.

    Raises
    ------
    MillchenError
        When the file belongs to another program or to a newer Millchen.
    """
    run = connection.exec_driver_sql
    application: int = run("PRAGMA application_id").scalar_one()
    schema: int = run("PRAGMA user_version").scalar_one()
    is_new = run("SELECT count(*) FROM sqlite_master").scalar_one() == 0
    if not is_new and application != APPLICATION_ID:
        raise MillchenError(f"{path} is the database of another program: name another folder with --data")
    if schema > SCHEMA_VERSION:
        raise MillchenError(
            f"the journal {path} was written by a newer Millchen (format {schema}, this one knows {SCHEMA_VERSION}): "
            "update Millchen, or name another folder with --data"
        )
    return 0 if is_new else schema


def damaged_file_message(path: Path, why: str) -> str:
    """Return the message for a file that SQLite cannot read."""
    return f"the journal {path} is damaged ({why}): move it away to begin a new one, or name another folder with --data"


def database_error_message(path: Path, why: Exception) -> str:
    """Return the message for people about an error of the database."""
    said = str(getattr(why, "orig", None) or why).splitlines()[0]
    if "malformed" in said or "not a database" in said:
        return damaged_file_message(path, said)
    if "locked" in said:
        return f"another program holds the journal {path}: close it and try again"
    return f"cannot write the journal {path}: {said}"


def _percent_encoded(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _set_read_only(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").close()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()
