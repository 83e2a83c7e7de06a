"""Format 3: every journal has a name that no other has, and an event may come from another journal.

In a table's own journal ``origin`` and ``origin_seq`` stay empty. An archive keeps the events of many journals: there
they say which one an event was written in and under which number, and when it came; the index lets each of them in
once only.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns, their indexes, and the table of journals."""
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
