"""The tables of a journal and of the archive of many journals; files of other versions are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from web.errors import MillchenError

APPLICATION_ID = 0x4D696C6C  # SQLite's application id of the file, "Mill" in ASCII, by which ``file`` recognises it too

SCHEMA_VERSION = 5
"""Grows with every change of the tables, also in ``user_version`` of the file; no other version is read."""

METADATA = sa.MetaData()
EVENT_TABLE = sa.Table(
    "event",
    METADATA,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("game", sa.Integer, nullable=False),
    sa.Column("follows", sa.Integer),  # the number of the record before it in its game, 0 for the first
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
    sa.Index("event_of_game", "game", "seq"),
    sa.Index("event_once", "origin", "origin_seq", unique=True),
    sa.Index("event_of_origin", "origin", "game"),
    comment=f"Millchen {SCHEMA_VERSION}",  # by which an archive knows its version; SQLite has no comments
    sqlite_autoincrement=True,  # a number is never used twice; pages rely on it
)
ARCHIVE_COLUMNS = ("origin", "origin_seq", "arrived")  # columns of events that are empty in a journal

JOURNAL_TABLE = sa.Table(
    "journal",
    METADATA,
    sa.Column("origin", sa.Text, primary_key=True),  # 128 random bits as 32 hexadecimal digits
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("begun", sa.Text, nullable=False),
)
"""The name of the journal, in one row; in an archive, the names of all journals that have written to it."""


def is_a_game() -> sa.ColumnElement[bool]:
    """Return the condition that the game's number of an event can be one: there are no more games than records."""
    last = sa.select(sa.func.max(EVENT_TABLE.alias().c.seq)).scalar_subquery()
    return sa.and_(sa.func.typeof(EVENT_TABLE.c.game) == "integer", EVENT_TABLE.c.game.between(1, last))


def event_rows() -> sa.Select[Any]:
    """Return the query for the rows of a journal's events."""
    return sa.select(*(column for column in EVENT_TABLE.c if column.name not in ARCHIVE_COLUMNS))


_POSTGRES_FUNCTION = """
CREATE FUNCTION event_only_grows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the journal only grows'; END $$
"""


def create_tables(connection: sa.Connection) -> None:
    """Create the tables, and triggers by which the database itself refuses to change or delete an event."""
    METADATA.create_all(connection)
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_POSTGRES_FUNCTION)
    _refuse_changes(connection)


def _refuse_changes(connection: sa.Connection) -> None:
    refuses = "BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
    if connection.dialect.name == "postgresql":
        refuses = "FOR EACH ROW EXECUTE FUNCTION event_only_grows()"
    for act in ("UPDATE", "DELETE"):
        connection.exec_driver_sql(f"CREATE TRIGGER event_no_{act} BEFORE {act} ON event {refuses}")


@contextmanager
def letting_change(connection: sa.Connection) -> Iterator[None]:
    """Let this transaction change and delete events; no other one, whatever happens."""
    place = " ON event" if connection.dialect.name == "postgresql" else ""
    for act in ("UPDATE", "DELETE"):
        connection.exec_driver_sql(f"DROP TRIGGER event_no_{act}{place}")
    yield
    _refuse_changes(connection)


def create_journal(connection: sa.Connection) -> None:
    """Create the tables of a new file, as a whole or not at all."""
    with connection.begin():
        create_tables(connection)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def is_new_file(connection: sa.Connection, path: Path) -> bool:
    """Return whether there are no tables in the file yet. Raises where it is another program's or version's."""
    run = connection.exec_driver_sql
    application, version = (run(f"PRAGMA {name}").scalar_one() for name in ("application_id", "user_version"))
    is_new: bool = run("SELECT count(*) FROM sqlite_master").scalar_one() == 0
    connection.commit()
    if not is_new and application != APPLICATION_ID:
        raise MillchenError(f"{path} is the database of another program: name another folder with --data")
    if not is_new and version != SCHEMA_VERSION:
        raise MillchenError(
            f"the journal {path} has format {version}, and this Millchen reads format {SCHEMA_VERSION} alone: open it "
            "with the Millchen that wrote it, or name another folder with --data"
        )
    return is_new
