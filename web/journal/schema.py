"""The file of the journal: its tables, and how it is opened.

`journal.py` writes it, `digest_chain.py` knows whether a row is what was written, `web.history.journal_reader` reads it
beside a running Millchen, and `migrate.py` brings an older one up to date.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from languages import Message, message
from web.errors import MillchenError

APPLICATION_ID = 0x4D696C6C
"""SQLite's application id of the file: "Mill" in ASCII. Millchen and the program ``file`` recognise the database by it.

Source: chosen.
"""

SCHEMA_VERSION = 4
"""Number of the newest migration in `migrations/`. A newer file is refused, an older one is migrated.

Source: chosen.
"""

BUSY_TIMEOUT_MS = 1000
"""How long to wait for another program that holds the file, such as a backup; a command is answered within 2 s.

Source: chosen.
"""

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
    sa.Column("link", sa.Text),  # only in a journal: the chain of `digest_chain.py`
    sa.Column("origin", sa.Text),  # only in an archive: the journal in which it was written,
    sa.Column("origin_seq", sa.Integer),  # its number there,
    sa.Column("arrived", sa.DateTime(timezone=True)),  # and when it arrived, by the archive's clock
    sqlite_autoincrement=True,  # a number is never used twice; pages rely on it
)
ARCHIVE_COLUMNS = ("origin", "origin_seq", "arrived")
"""Columns of events that are empty in a journal."""

JOURNAL_TABLE = sa.Table(
    "journal",
    METADATA,
    sa.Column("origin", sa.Text, primary_key=True),  # 128 random bits as 32 hexadecimal digits
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("begun", sa.Text, nullable=False),
)
"""The name of the journal, in one row; in an archive, the names of all journals that have written to it."""


class DamagedFileError(MillchenError):
    """The file of the journal is empty or cannot be read by SQLite.

    Attributes:
        what: What is wrong with it, in words that can be translated.
    """

    def __init__(self, path: Path, what: Message) -> None:
        super().__init__(f"the journal {path} is damaged ({what}): start Millchen, it lays it aside untouched")
        self.what = what


def check_is_a_file(path: Path) -> None:
    """Refuse a journal that SQLite would take for a new one, and delete what is left of it.

    Raises:
        DamagedFileError: When the file is empty, or missing while its write-ahead log is there.
    """
    if path.exists():
        if path.is_file() and path.stat().st_size == 0:
            raise DamagedFileError(path, message("journal.empty"))
    elif wal_file(path).exists() and wal_file(path).stat().st_size > 0:
        raise DamagedFileError(path, message("journal.no_file"))


def wal_file(path: Path) -> Path:
    """Return the write-ahead log beside a journal."""
    return path.with_name(f"{path.name}-wal")


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

    Raises:
        MillchenError: When the file belongs to another program or to a newer Millchen.
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


DATABASE_ERRORS = (sa.exc.DatabaseError, UnicodeDecodeError)
"""What a database may raise: the driver cannot even say its error where that quotes a damaged name."""


def database_error(path: Path, why: Exception) -> MillchenError:
    """Return the error for people about an error of the database."""
    said = str(getattr(why, "orig", None) or why).splitlines()[0]
    if isinstance(why, UnicodeDecodeError) or any(sign in said for sign in _DAMAGED):
        return DamagedFileError(path, message("journal.unreadable", said=said))
    if "locked" in said:
        return MillchenError(f"another program holds the journal {path}: close it and try again")
    return MillchenError(f"cannot write the journal {path}: {said}")


_DAMAGED = ("malformed", "not a database", "no such table", "no such column")
"""What SQLite says of files that are damaged, among other things."""


def _percent_encoded(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _decode(text: bytes) -> str:
    """Return a text of the file also where it is damaged: the digest of its record tells, not the driver."""
    return text.decode("utf-8", "replace")


def _set_read_only(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.text_factory = _decode
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").close()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.text_factory = _decode
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()
