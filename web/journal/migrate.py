"""Brings the journal of an older Millchen up to date: a backup first, then all migrations in one transaction.

Alembic runs the migrations (`migrations/`, by `migration_runner`). The schema version also stands in the file's
``user_version``, because an old Millchen that does not know Alembic's table refuses a newer file by it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

from languages import message
from web.errors import MillchenError
from web.journal.private_files import private_files
from web.journal.schema import SCHEMA_VERSION

log = logging.getLogger("millchen.journal")

BACKUP_FOLDER = "backups"
"""Name of the folder of the backups, beside the journal."""


class BackupError(MillchenError):
    """The journal could not be copied."""


def back_up(connection: sa.Connection, path: Path, target: Path | None = None) -> Path:
    """Copy the journal, in a consistent state, to a file that does not exist yet.

    Args:
        connection: Open on the journal, outside of a transaction; read-only is enough.
        path: The journal.
        target: The copy; None is a name with the time in the folder of the backups.

    Returns:
        The copy; it is on the disk when this returns.

    Raises:
        BackupError: When the target exists or cannot be written; nothing is left of it, and the journal is as it was.
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
        fsync(unfinished)
        unfinished.rename(target)  # whoever sees a copy sees a whole one
        fsync(target.parent)
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as why:
        with suppress(OSError):  # where not even that can be done, its name says that it is none
            unfinished.unlink(missing_ok=True)
        log.info("no copy at %s: %s", target, why)
        said = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
        raise BackupError(message("journal.no_copy", why=said)) from why
    return target


def newest_copy(path: Path) -> Path | None:
    """Return the newest copy in the folder of the backups, None where there is none."""
    return max((path.parent / BACKUP_FOLDER).glob(f"{path.stem}_*{path.suffix}"), default=None)


def bring_up_to_date(connection: sa.Connection, path: Path, found: int) -> Path | None:
    """Migrate the journal from schema version ``found`` (0: a new file) to `SCHEMA_VERSION`.

    Returns:
        The backup that was made first; None when the file is new or up to date.

    Raises:
        MillchenError: When the backup could not be made; the journal is as it was.
    """
    if found == SCHEMA_VERSION:
        return None
    copy = None if found == 0 else back_up(connection, path)
    # Imported on demand: Alembic takes a tenth of the time of a start and is needed once.
    import_module("web.journal.migration_runner").upgrade_journal(connection, found)
    return copy


def fsync(place: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    if os.name == "nt" and place.is_dir():
        return  # Windows does this itself
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
