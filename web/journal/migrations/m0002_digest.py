"""Schema version 2: every event has a digest of its contents, by which `millchen games check` finds a changed one.

SQLite keeps no checksums of its pages, so without the digest a flipped bit in a body would not be noticed.
"""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

from web.journal.append_only import allow, refuse

revision = "0002"
down_revision = "0001"

COLUMNS = ("game", "kind", "ply", "body", "wall_time", "by")


def digest(*values: object) -> str:
    """Return the digest as of version 2: a copy of `web.journal.schema.record_digest`, because no migration changes."""
    return hashlib.sha256("\x1f".join("" if value is None else str(value) for value in values).encode()).hexdigest()


def upgrade() -> None:
    """Add the column and fill it for the existing events."""
    allow("UPDATE")
    op.add_column("event", sa.Column("digest", sa.Text))
    connection = op.get_bind()
    event = sa.table("event", *(sa.column(name) for name in ("seq", "digest", *COLUMNS)))
    for row in connection.execute(sa.select(event)).all():
        filled = event.update().where(event.c.seq == row.seq).values(digest=digest(*(getattr(row, c) for c in COLUMNS)))
        connection.execute(filled)
    refuse("UPDATE")
