"""Schema version 1: one append-only table of events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from web.journal.append_only import refuse

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the table, its index, and the triggers that refuse changes and deletions."""
    op.create_table(
        "event",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("wall_time", sa.Text, nullable=False),
        sa.Column("monotonic_s", sa.Float, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("event_of_game", "event", ["game", "seq"])
    for act in ("UPDATE", "DELETE"):
        refuse(act)
