"""Schema version 4: every event of a journal has a link, which is over the link before it, its number and its digest.

A digest alone leaves the order out: two events that were exchanged, or one that was made anew with its digest, would
pass. The links are made of the digests as they stand, so that a damaged event is found by its digest as before. An
archive holds the events of many journals between each other and has no links.
"""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

from web.journal.append_only import allow, refuse

revision = "0004"
down_revision = "0003"


def link(*values: object) -> str:
    """Return the link as of version 4: a copy of `web.journal.digest_chain.record_link`, as no migration changes."""
    return hashlib.sha256("\x1f".join("" if value is None else str(value) for value in values).encode()).hexdigest()


def upgrade() -> None:
    """Add the column, and in a journal fill it for the existing events."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        op.add_column("event", sa.Column("link", sa.Text))
        return
    allow("UPDATE")
    op.add_column("event", sa.Column("link", sa.Text, nullable=False, server_default=""))
    event = sa.table("event", sa.column("seq"), sa.column("digest"), sa.column("link"))
    before, filled = "", []
    for row in connection.execute(sa.select(event.c.seq, event.c.digest).order_by(event.c.seq)).all():
        before = link(before, row.seq, row.digest)
        filled.append({"number": row.seq, "made": before})
    if filled:
        by_number = event.update().where(event.c.seq == sa.bindparam("number")).values(link=sa.bindparam("made"))
        connection.execute(by_number, filled)
    refuse("UPDATE")
