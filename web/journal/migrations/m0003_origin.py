"""Schema version 3: every journal has a unique name, and an event may come from another journal.

In a table's own journal ``origin`` and ``origin_seq`` stay empty. An archive keeps the events of many journals: there
they say in which journal, and under which number, an event was written. ``arrived`` says when it came. A unique index
accepts every event once.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns and their indexes, and create the table of journals."""
    op.add_column("event", sa.Column("origin", sa.Text))
    op.add_column("event", sa.Column("origin_seq", sa.Integer))
    op.add_column("event", sa.Column("arrived", sa.DateTime(timezone=True)))
    op.create_index("event_once", "event", ["origin", "origin_seq"], unique=True)
    op.create_index("event_of_origin", "event", ["origin", "game"])
    op.create_table(
        "journal",
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("begun", sa.Text, nullable=False),
    )
