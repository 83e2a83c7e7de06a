"""A table that only grows: the triggers by which a database itself refuses to change or delete its rows."""

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
    """Within a step of a migration: from now on no event can be changed (``UPDATE``) or taken out (``DELETE``)."""
    kind = op.get_bind().dialect.name
    if kind == "postgresql":
        op.execute(_FUNCTION)
    op.execute(f"CREATE TRIGGER event_no_{act} BEFORE {act} ON event {_REFUSES[kind]}")


def allow(act: str) -> None:
    """Within a step of a migration: take back `refuse`."""
    op.execute(_ALLOWS[op.get_bind().dialect.name].format(act=act))
