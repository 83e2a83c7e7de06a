"""A digest tells whether a record is what was written; its ``follows`` tells which record of its game comes before it.

So a record that was changed or moved does not fit to its digest, and one that is missing is noticed in its own game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from referee.bounded_json import parse_json
from web.errors import MillchenError
from web.journal.journal_record import JournalRecord
from web.journal.schema import ARCHIVE_COLUMNS, EVENT_TABLE

DIGESTED_COLUMNS = ("seq", "game", "follows", "kind", "ply", "body", "wall_time", "by")


class DamagedRecordError(MillchenError):
    """A record (number ``seq``, of game ``game``) is not what was written; the rest of the journal can be read."""

    def __init__(self, row: Any, what: str) -> None:
        super().__init__(f"record {row.seq} of game {row.game} is damaged: {what}")
        self.seq, self.game = row.seq, row.game


def record_digest(*columns: object) -> str:
    """Return the SHA-256 digest over `DIGESTED_COLUMNS`, empty ones included, as hexadecimal digits."""
    return hashlib.sha256("\x1f".join("" if one is None else str(one) for one in columns).encode()).hexdigest()


def row_digest(row: Any) -> str:
    """Return the digest that a row should have."""
    return record_digest(*(getattr(row, name) for name in DIGESTED_COLUMNS))


def is_a_game() -> sa.ColumnElement[bool]:
    """Return the condition that the game's number of an event can be one: there are no more games than records."""
    last = sa.select(sa.func.max(EVENT_TABLE.alias().c.seq)).scalar_subquery()
    return sa.and_(sa.func.typeof(EVENT_TABLE.c.game) == "integer", EVENT_TABLE.c.game.between(1, last))


def event_rows() -> sa.Select[Any]:
    """Return the query for the rows of a journal's events."""
    return sa.select(*(column for column in EVENT_TABLE.c if column.name not in ARCHIVE_COLUMNS))


def record_from_row(row: Any) -> JournalRecord:
    """Return the record in a row of `event_rows`, or of an archive. Raises `DamagedRecordError`."""
    if row.digest != row_digest(row):
        raise DamagedRecordError(row, "it is not what was written")
    try:
        body: Mapping[str, Any] = parse_json(row.body)
    except ValueError:
        raise DamagedRecordError(row, "its body cannot be read") from None
    return JournalRecord(row.seq, row.game, row.kind, row.ply, body, row.wall_time, row.by)


def records_of_game(rows: Iterable[Any], after: int = 0) -> Iterator[JournalRecord]:
    """Yield the records in the rows of one game, or in those above ``after``. Raises `DamagedRecordError`."""
    last = 0
    for row in rows:
        record = record_from_row(row)
        if row.follows != last and (last or not after):
            raise DamagedRecordError(row, "what was written before it is missing")
        last = row.seq
        yield record


def games_not_whole(events: Mapping[int, Mapping[str, Any]], last_used: int = 0) -> list[int]:
    """Return the games of which a record is missing: in between, or at the end of the journal, or all of them."""
    last, lost = dict[int, int](), set[int]()
    last_seq, last_game = 0, 0
    for seq, row in sorted(events.items()):
        game = row["game"]
        missing = set(range(last_seq + 1, seq))
        if row["follows"] != last.get(game, 0):
            lost.add(game)
            missing.discard(row["follows"])
        if missing:
            lost.add(last_game)  # nothing after it tells, so it may have gone on
        last[game] = last_seq = seq
        last_game = game
    if last_used > last_seq:
        lost.add(last_game)
    lost |= set(range(1, max([0, *last]))) - set(last)
    return sorted(lost - {0})
