"""Looks whether the file of a journal can be read, before anything is written to it."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from languages import message
from web.journal.schema import (
    DATABASE_ERRORS,
    DamagedFileError,
    check_is_a_file,
    database_error,
    engine_for,
    read_schema_version,
)


def check_file(path: Path) -> bool:
    """Return whether an index of the file is damaged; all that it holds is in the records too.

    The file is opened for reading only: whoever may write moves the write-ahead log into a damaged file when it is
    closed, and what is laid aside is to be as it was.

    Raises:
        DamagedFileError: When it cannot be read.
        MillchenError: When it belongs to another program or to a newer Millchen.
    """
    check_is_a_file(path)
    if not path.exists():
        return False
    engine = engine_for(path, read_only=True)
    try:
        with engine.connect() as connection:
            read_schema_version(connection, path)
            if not file_damage(connection, "integrity_check"):
                return False
            if said := file_damage(connection, "quick_check"):
                raise DamagedFileError(path, message("journal.unreadable", said=said))
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
    told = connection.exec_driver_sql(f"PRAGMA {check}").scalars().all()
    connection.commit()
    return next((str(one).splitlines()[0] for one in told if one != "ok" and "NULL value in event" not in one), "")
