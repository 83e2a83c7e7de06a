"""Brings the journal of an older Millchen up to date: a backup first, then all migrations in one transaction.

Alembic runs the migrations (`migrations/`, by `migration_runner`). The schema version also stands in the file's
``user_version``, because an old Millchen that does not know Alembic's table refuses a newer file by it.
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
"""Name of the folder of the backups, beside the journal."""


def back_up(connection: sa.Connection, path: Path, target: Path | None = None) -> Path:
    """Copy the journal, in a consistent state, to a file that does not exist yet.

    Parameters
    ----------
    connection : Connection
        Open on the journal, outside of a transaction; read-only is enough.
    path : Path
        The journal.
    target : Path or None
        The copy; None is a name with the time in the folder of the backups.

    Returns
    -------
    Path
        The copy; it is on the disk when this returns.

    Raises
    ------
    MillchenError
        When the target exists or cannot be written.
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
    """Migrate the journal from schema version ``found`` (0: a new file) to `SCHEMA_VERSION`.

    Returns
    -------
    Path or None
        The backup that was made first; None when the file is new or up to date.

    Raises
    ------
    MillchenError
        When the backup could not be made; the journal is as it was.
    """
    if found == SCHEMA_VERSION:
        return None
    copy = None if found == 0 else back_up(connection, path)
    # Imported on demand: Alembic takes a tenth of the time of a start and is needed once.
    import_module("web.journal.migration_runner").upgrade_journal(connection, found)
    return copy


def _fsync(place: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    if os.name == "nt" and place.is_dir():
        return  # Windows does this itself
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
