"""The file of a journal: opened with what durability needs, looked through for damage, and laid aside."""

from __future__ import annotations

import logging
import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from languages import Message, message
from web.errors import MillchenError
from web.journal.schema import is_new_file

log = logging.getLogger("millchen.journal")

BUSY_TIMEOUT_MS = 1000
"""How long to wait for another program that holds the file, such as a backup; a command is answered within 2 s."""

ASIDE_FOLDER = "set-aside"  # name of the folder of what could not be read, beside the journal

DATABASE_ERRORS = (sa.exc.DatabaseError, UnicodeDecodeError)
"""What a database may raise: the driver cannot even say its error where that quotes a damaged name."""

_DAMAGED = ("malformed", "not a database", "no such table", "no such column")
"""What SQLite says of files that are damaged, among other things."""


class DamagedFileError(MillchenError):
    """The file of the journal is empty or cannot be read by SQLite; ``what`` says why, and can be translated."""

    def __init__(self, path: Path, what: Message) -> None:
        super().__init__(f"the journal {path} is damaged ({what}): start Millchen, it makes it anew from what is whole")
        self.what = what


class JournalFile:
    """An open file of a journal. Raises `MillchenError` when SQLite cannot open it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._engine = engine_for(path, read_only=read_only)
        try:
            self._connection = self._engine.connect()
        except DATABASE_ERRORS as why:
            self._engine.dispose()
            raise database_error(path, why) from why

    def copy_into(self, target: Path) -> None:
        """Copy all tables into a new file, in a consistent state. Raises `sqlite3.Error`."""
        driver = self._connection.connection.driver_connection
        assert driver is not None
        driver.execute("VACUUM INTO ?", (str(target),)).close()

    def close(self) -> None:
        """Close the file; SQLite merges the write-ahead log into it where it may write."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def engine_for(path: Path, *, read_only: bool = False) -> sa.Engine:
    """Return an engine with one connection to the file.

    SQLAlchemy begins the transactions, because Python's driver leaves statements that change tables outside of them.
    """
    address, query = str(path), {}
    if read_only:
        address, query = path.resolve().as_uri(), {"mode": "ro", "uri": "true"}
    url = sa.URL.create("sqlite", database=address, query=query)
    engine = sa.create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    sa_event.listen(engine, "connect", _set_read_only if read_only else _set_pragmas)
    sa_event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def wal_file(path: Path) -> Path:
    """Return the write-ahead log beside a journal."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Return whether something may be in the write-ahead log beside a journal."""
    return wal_file(path).exists() and wal_file(path).stat().st_size > 0


def check_is_a_file(path: Path) -> None:
    """Raise `DamagedFileError` where SQLite would begin a new journal and delete what is left of this one."""
    if path.exists():
        if path.is_file() and path.stat().st_size == 0:
            raise DamagedFileError(path, message("journal.empty"))
    elif has_log(path):
        raise DamagedFileError(path, message("journal.no_file"))


def check_file(path: Path) -> None:
    """Raise `DamagedFileError` where SQLite cannot read the file, and `MillchenError` where it is another program's.

    The file is opened for reading only: a connection that may write moves the write-ahead log into a damaged file when
    it is closed.
    """
    check_is_a_file(path)
    if not path.exists():
        return
    engine = engine_for(path, read_only=True)
    try:
        with engine.connect() as connection:
            is_new_file(connection, path)
            verdicts = map(str, connection.exec_driver_sql("PRAGMA integrity_check").scalars().all())
            connection.commit()
            # A value that is missing in a record is one damaged record, which its digest tells.
            damage = [one.splitlines()[0] for one in verdicts if one != "ok" and "NULL value in event" not in one]
            if damage:
                raise DamagedFileError(path, message("journal.unreadable", said=damage[0]))
    except DATABASE_ERRORS as why:
        error = database_error(path, why)
        if isinstance(error, DamagedFileError):
            raise error from why
        # what is in the way of reading is said when it is opened for writing
    finally:
        engine.dispose()


def database_error(path: Path, why: Exception) -> MillchenError:
    """Return the error for people about an error of the database."""
    reason = str(getattr(why, "orig", None) or why).splitlines()[0]
    if isinstance(why, UnicodeDecodeError) or any(sign in reason for sign in _DAMAGED):
        return DamagedFileError(path, message("journal.unreadable", said=reason))
    if "locked" in reason:
        return MillchenError(f"another program holds the journal {path}: close it and try again")
    return MillchenError(f"cannot write the journal {path}: {reason}")


def set_aside_folders(path: Path) -> list[str]:
    """Return the folders in which unreadable journals of that name lie, in the data folder, oldest first."""
    aside = (path.parent / ASIDE_FOLDER).glob(f"*/{path.name}*")
    return sorted({f"{ASIDE_FOLDER}/{place.parent.name}" for place in aside})


def set_aside(path: Path) -> str:
    """Move the file with its log to a folder of its own; return that folder's name in the data folder."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")
    folder = path.parent / ASIDE_FOLDER / f"{path.stem}_{stamp}"
    try:
        folder.mkdir(parents=True, mode=0o700)
        index = path.with_name(f"{path.name}-shm")  # of the log; SQLite makes it anew
        for file in (path, wal_file(path)):  # a log that is left alone for a moment is laid aside too
            if file.exists() and (file == path or file.stat().st_size > 0):
                file.rename(folder / file.name)
        for file in (wal_file(path), index):
            file.unlink(missing_ok=True)
        for place in (folder, folder.parent, path.parent):
            fsync(place)
    except OSError as why:
        raise MillchenError(f"the journal {path} is damaged and cannot be laid aside: {why.strerror or why}") from why
    return f"{ASIDE_FOLDER}/{folder.name}"


def fsync(place: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    if os.name == "nt" and place.is_dir():
        return  # Windows does this itself
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_read_only(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # the digest tells what is damaged
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").close()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    _set_read_only(connection, _)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 1", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()
