"""Format 2: every event carries a digest of itself, so that `millchen games check` finds one that was changed.

SQLite keeps no sums of its pages: a flipped bit in a body would otherwise be read as if it had always been so.
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
    """The digest as format 2 has it; a copy of `web.journal.schema.digest`, because a step never changes."""
    return hashlib.sha256("\x1f".join("" if value is None else str(value) for value in values).encode()).hexdigest()


def upgrade() -> None:
    """Add the column and fill it for what is there."""
    allow("UPDATE")
    op.add_column("event", sa.Column("digest", sa.Text))
    connection = op.get_bind()
    event = sa.table("event", *(sa.column(name) for name in ("seq", "digest", *COLUMNS)))
    for row in connection.execute(sa.select(event)).all():
        filled = event.update().where(event.c.seq == row.seq).values(digest=digest(*(getattr(row, c) for c in COLUMNS)))
        connection.execute(filled)
    refuse("UPDATE")
