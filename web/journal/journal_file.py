"""The file of a journal: opened with what durability needs, looked through for damage, copied, and laid aside."""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from languages import Message, message
from web.errors import MillchenError
from web.journal.data_folder import private_files
from web.journal.schema import is_new_file

log = logging.getLogger("millchen.journal")

BUSY_TIMEOUT_MS = 1000
"""How long to wait for another program that holds the file, such as a backup; a command is answered within 2 s."""

BACKUP_FOLDER, ASIDE_FOLDER = "backups", "set-aside"
"""Names of the folders of the copies, and of what could not be read, beside the journal."""

DATABASE_ERRORS = (sa.exc.DatabaseError, UnicodeDecodeError)
"""What a database may raise: the driver cannot even say its error where that quotes a damaged name."""

_DAMAGED = ("malformed", "not a database", "no such table", "no such column")
"""What SQLite says of files that are damaged, among other things."""


class DamagedFileError(MillchenError):
    """The file of the journal is empty or cannot be read by SQLite; ``what`` says why, and can be translated."""

    def __init__(self, path: Path, what: Message) -> None:
        super().__init__(f"the journal {path} is damaged ({what}): start Millchen, it lays it aside untouched")
        self.what = what


class BackupError(MillchenError):
    """The journal could not be copied."""


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

    def back_up(self, target: Path | None = None) -> Path:
        """Copy the journal, in a consistent state, to a file that does not exist yet; see `copy_file`."""
        return copy_file(self._connection, self.path, target)

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


def check_is_a_file(path: Path) -> None:
    """Raise `DamagedFileError` where SQLite would begin a new journal and delete what is left of this one."""
    if path.exists():
        if path.is_file() and path.stat().st_size == 0:
            raise DamagedFileError(path, message("journal.empty"))
    elif wal_file(path).exists() and wal_file(path).stat().st_size > 0:
        raise DamagedFileError(path, message("journal.no_file"))


def check_file(path: Path) -> bool:
    """Return whether an index of the file is damaged, which can be made anew from the records.

    The file is opened for reading only: a connection that may write moves the write-ahead log into a damaged file when
    it is closed. Raises `DamagedFileError` when it cannot be read, and `MillchenError` when it is another program's.
    """
    check_is_a_file(path)
    if not path.exists():
        return False
    engine = engine_for(path, read_only=True)
    try:
        with engine.connect() as connection:
            is_new_file(connection, path)
            if not file_damage(connection, "integrity_check"):
                return False
            if damage := file_damage(connection, "quick_check"):
                raise DamagedFileError(path, message("journal.unreadable", said=damage))
            return True
    except DATABASE_ERRORS as why:
        error = database_error(path, why)
        if isinstance(error, DamagedFileError):
            raise error from why
        return False  # what is in the way of reading is said when it is opened for writing
    finally:
        engine.dispose()


def file_damage(connection: sa.Connection, check: str) -> str:
    """Return what SQLite finds wrong with the file, empty where it is whole; "quick_check" leaves out the indexes.

    A value that is missing in a record is one damaged record, which its digest tells.
    """
    verdicts = map(str, connection.exec_driver_sql(f"PRAGMA {check}").scalars().all())
    connection.commit()
    return next((one.splitlines()[0] for one in verdicts if one != "ok" and "NULL value in event" not in one), "")


def database_error(path: Path, why: Exception) -> MillchenError:
    """Return the error for people about an error of the database."""
    reason = str(getattr(why, "orig", None) or why).splitlines()[0]
    if isinstance(why, UnicodeDecodeError) or any(sign in reason for sign in _DAMAGED):
        return DamagedFileError(path, message("journal.unreadable", said=reason))
    if "locked" in reason:
        return MillchenError(f"another program holds the journal {path}: close it and try again")
    return MillchenError(f"cannot write the journal {path}: {reason}")


def copy_file(connection: sa.Connection, path: Path, target: Path | None = None) -> Path:
    """Copy the journal that is open here, outside of a transaction; the copy is on the disk when this returns.

    Without a target its name has the time. Raises `BackupError` where it cannot be written; nothing is left then.
    """
    if target is None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")
        target = path.parent / BACKUP_FOLDER / f"{path.stem}_{stamp}{path.suffix}"
    unfinished = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.exists():
            raise BackupError(f"{target} exists already: name another file for the copy")
        unfinished.unlink(missing_ok=True)  # of a copy that was cut off
        driver = connection.connection.driver_connection
        assert driver is not None
        with private_files():
            driver.execute("VACUUM INTO ?", (str(unfinished),)).close()
        _fsync(unfinished)
        unfinished.rename(target)  # a copy that is seen is whole
        _fsync(target.parent)
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as why:
        with suppress(OSError):  # where not even that can be done, its name says that it is unfinished
            unfinished.unlink(missing_ok=True)
        log.info("no copy at %s: %s", target, why)
        reason = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
        raise BackupError(message("journal.no_copy", why=reason)) from why
    return target


def newest_copy(path: Path) -> Path | None:
    """Return the newest copy in the folder of the copies, or None."""
    return max((path.parent / BACKUP_FOLDER).glob(f"{path.stem}_*{path.suffix}"), default=None)


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
            _fsync(place)
    except OSError as why:
        raise MillchenError(f"the journal {path} is damaged and cannot be laid aside: {why.strerror or why}") from why
    return f"{ASIDE_FOLDER}/{folder.name}"


def _fsync(place: Path) -> None:
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
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()
