"""Brings the journal of an older Millchen up to date: a copy first, then every step in one transaction.

The steps are Alembic's (`migrations/`, taken by `formats`). The format also stands in the file's ``user_version``: an
older Millchen, which knows nothing of Alembic's table, refuses a newer file by it.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

from web.errors import MillchenError
from web.journal.schema import SCHEMA_VERSION

BACKUP_FOLDER = "backups"
"""Folder of the copies, beside the journal."""


def back_up(connection: sa.Connection, path: Path, target: Path | None = None) -> Path:
    """Copy the journal, whole and at rest, to a file that does not exist yet.

    Parameters
    ----------
    connection : Connection
        Open on the journal, outside of a transaction; reading is enough.
    path : Path
        The journal.
    target : Path or None
        The copy; None is a name with the time in the folder of the backups.

    Returns
    -------
    Path
        The copy, on the disk when this returns.

    Raises
    ------
    MillchenError
    """
    if target is None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")
        target = path.parent / BACKUP_FOLDER / f"{path.stem}_{stamp}{path.suffix}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise MillchenError(f"{target} exists already: name another file for the copy")
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("VACUUM INTO ?", (str(target),)).close()
        for place in (target, target.parent):  # the copy, and its name in the folder
            _fsync(place)
    except (OSError, sa.exc.DatabaseError, sa.exc.DBAPIError) as why:
        raise MillchenError(f"cannot copy the journal to {target}: {why}") from why
    return target


def bring_up_to_date(connection: sa.Connection, path: Path, found: int) -> Path | None:
    """Take the steps from the format ``found`` (0: a new file) to this one's.

    Returns
    -------
    Path or None
        The copy that was made first; None where there was nothing to lose or to do.

    Raises
    ------
    MillchenError
        When the copy could not be made; the journal is as it was.
    """
    if found == SCHEMA_VERSION:
        return None
    copy = None if found == 0 else back_up(connection, path)
    # Alembic takes a tenth of a start and is needed once.
    import_module("web.journal.migration_runner").upgrade_journal(connection, found)
    return copy


def _fsync(place: Path) -> None:
    if os.name == "nt" and place.is_dir():
        return  # Windows keeps names by itself
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
