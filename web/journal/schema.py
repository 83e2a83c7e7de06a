"""The file of the journal: its table, how it is opened, and how one event stands in it.

`journal.py` writes it, `archive.py` reads it beside a running Millchen, `migrate.py` brings an older one up to date.
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
from web.journal.journal_record import Record

APPLICATION_ID = 0x4D696C6C  # "Mill" in ASCII: tells `file` and us whose database this is
SCHEMA_VERSION = 3  # raised with every step in `migrations/`; a newer one is refused, an older one is brought up to date
BUSY_TIMEOUT_MS = 2000  # a backup program may hold the file for a moment

METADATA = sa.MetaData()
EVENT_TABLE = sa.Table(
    "event",
    METADATA,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("game", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("ply", sa.Integer),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("wall_time", sa.Text, nullable=False),  # for people; order is told by seq, never by a clock
    sa.Column("monotonic_s", sa.Float, nullable=False),
    sa.Column("by", sa.Text, nullable=False),  # "camera" or "hand"
    sa.Column("digest", sa.Text),
    sa.Column("origin", sa.Text),  # only in an archive: the journal it was written in,
    sa.Column("origin_seq", sa.Integer),  # its number there,
    sa.Column("arrived", sa.DateTime(timezone=True)),  # and when it came, by the archive's clock
    sqlite_autoincrement=True,  # a number is never used twice, pages rely on it
)
JOURNAL_TABLE = sa.Table(
    "journal",
    METADATA,
    sa.Column("origin", sa.Text, primary_key=True),  # 128 random bits as 32 hexadecimal digits
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("begun", sa.Text, nullable=False),
)
"""The journal's own name, one row; in an archive those of all journals that have written to it."""


class DamagedRecordError(MillchenError):
    """A record cannot be what was written; the rest of the journal can be read."""


def record_digest(game: int, kind: str, ply: int | None, body: str, wall_time: str, by: str) -> str:
    """What a record is known by: SHA-256 over its columns, those that are empty included."""
    parts = ("" if value is None else str(value) for value in (game, kind, ply, body, wall_time, by))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def record_from_row(row: Any) -> Record:
    """The record in a row of the table.

    Raises
    ------
    DamagedError
        When the row is not what was written.
    """
    if row.digest != record_digest(row.game, row.kind, row.ply, row.body, row.wall_time, row.by):
        raise DamagedRecordError(f"record {row.seq} of game {row.game} is damaged: it is not what was written")
    try:
        body: Mapping[str, Any] = json.loads(row.body)
    except ValueError:
        raise DamagedRecordError(f"record {row.seq} of game {row.game} is damaged: its body cannot be read") from None
    return Record(row.seq, row.game, row.kind, row.ply, body, row.wall_time, row.by)


def engine_for(path: Path, *, read_only: bool = False) -> sa.Engine:
    """An engine with one connection to the file.

    Transactions are begun by SQLAlchemy, not by Python's driver, which leaves statements that change tables outside
    of them: a step of a migration is taken as a whole or not at all.
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
    """The format of the file, 0 where it is new.

    Raises
    ------
    MillchenError
        When it belongs to another program or to a newer Millchen.
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
    """The sentence for a file that SQLite cannot read."""
    return f"the journal {path} is damaged ({why}): move it away to begin a new one, or name another folder with --data"


def database_error_message(path: Path, why: Exception) -> str:
    """What a mistake of the database means for people."""
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
