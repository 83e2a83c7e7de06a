"""The steps from one format of a database to the next, taken with Alembic: for a journal, and for a club's archive.

A module of its own, because Alembic takes a tenth of every start and is needed once.
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
    """A database has taken steps that this Millchen does not know."""


def upgrade_journal(connection: sa.Connection, found: int) -> None:
    """Bring a journal from the format ``found`` (0: a new file) to this one's, in one transaction."""
    with connection.begin():
        run_migrations(connection, found)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def run_migrations(connection: sa.Connection, found: int = 0) -> None:
    """Take the steps that a database has not taken yet, within the transaction that is open.

    Parameters
    ----------
    connection : Connection
        To SQLite or PostgreSQL.
    found : int
        The format of a journal that was written before its steps were counted.

    Raises
    ------
    NewerError
    """
    with _ALEMBIC_LOCK:
        _run_missing(connection, found)


def _run_missing(connection: sa.Connection, found: int) -> None:
    steps = _migration_scripts()

    def wanted(revision: object, _: MigrationContext) -> list[MigrationStep]:
        return steps._upgrade_revs("head", revision)  # type: ignore[arg-type, return-value]

    with EnvironmentContext(Config(), steps, fn=wanted) as environment:
        environment.configure(connection=connection)
        context = environment.get_context()
        taken = context.get_current_revision()
        if taken is None and found:
            context.stamp(steps, f"{found:04d}")  # written before Alembic was used here
        elif taken is not None and taken not in {step.revision for step in steps.walk_revisions()}:
            raise NewerSchemaError("this database was written by a newer Millchen: update this one")
        if taken != steps.get_current_head():
            environment.run_migrations()


@cache
def _migration_scripts() -> ScriptDirectory:
    folder = str(files("web.journal") / "migrations")
    return ScriptDirectory(folder, version_locations=[folder])
