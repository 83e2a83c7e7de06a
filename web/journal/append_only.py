"""Triggers by which the database itself refuses to change or delete rows of the event table; for migrations."""

from __future__ import annotations

from alembic import op

_REFUSES = {
    "sqlite": "BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END",
    "postgresql": "FOR EACH ROW EXECUTE FUNCTION event_only_grows()",
}
_ALLOWS = {"sqlite": "DROP TRIGGER event_no_{act}", "postgresql": "DROP TRIGGER event_no_{act} ON event"}
_FUNCTION = """
CREATE OR REPLACE FUNCTION event_only_grows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the journal only grows'; END $$
"""


def refuse(act: str) -> None:
    """Create the trigger that refuses ``act`` ("UPDATE" or "DELETE") on events, within a migration."""
    kind = op.get_bind().dialect.name
    if kind == "postgresql":
        op.execute(_FUNCTION)
    op.execute(f"CREATE TRIGGER event_no_{act} BEFORE {act} ON event {_REFUSES[kind]}")


def allow(act: str) -> None:
    """Drop the trigger of `refuse`, within a migration."""
    op.execute(_ALLOWS[op.get_bind().dialect.name].format(act=act))
