"""Runs the migrations of a database with Alembic, for a journal and for the archive of a club.

This is a module of its own, because importing Alembic takes a tenth of the time of a start and is needed once.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import files

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, MigrationStep
from alembic.script import ScriptDirectory

from web.errors import MillchenError
from web.journal.schema import APPLICATION_ID, SCHEMA_VERSION

_ALEMBIC_LOCK = threading.Lock()
"""Alembic's `op` is one for the whole process."""


class NewerSchemaError(MillchenError):
    """A newer Millchen has migrated the database further than this one knows."""


def upgrade_journal(connection: sa.Connection, found: int) -> None:
    """Migrate a journal from schema version ``found`` (0: a new file) to `SCHEMA_VERSION`, in one transaction."""
    with connection.begin():
        run_migrations(connection, found)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def run_migrations(connection: sa.Connection, found: int = 0) -> None:
    """Run the migrations that a database still needs, within the open transaction.

    Args:
        connection: To SQLite or PostgreSQL.
        found: Schema version of a journal that was written before Alembic recorded it; else 0.

    Raises:
        NewerSchemaError: When the database has a migration that this Millchen does not know.
    """
    with _ALEMBIC_LOCK:
        _run_missing(connection, found)


def _run_missing(connection: sa.Connection, found: int) -> None:
    scripts = _migration_scripts()

    def wanted(revision: object, _: MigrationContext) -> list[MigrationStep]:
        return scripts._upgrade_revs("head", revision)  # type: ignore[arg-type, return-value]

    with EnvironmentContext(Config(), scripts, fn=wanted) as environment:
        environment.configure(connection=connection)
        context = environment.get_context()
        current = context.get_current_revision()
        if current is None and found:
            context.stamp(scripts, f"{found:04d}")  # written before Alembic was used here
        elif current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
            raise NewerSchemaError("this database was written by a newer Millchen: update this one")
        if current != scripts.get_current_head():
            environment.run_migrations()


@cache
def _migration_scripts() -> ScriptDirectory:
    folder = str(files("web.journal") / "migrations")
    return ScriptDirectory(folder, version_locations=[folder])
