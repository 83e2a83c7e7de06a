"""A digest tells whether a record is what was written; its ``follows`` tells which record of its game comes before it.

So a record that was changed or moved does not fit to its digest, and one that is missing is noticed in its own game.

The tip says which record was written last, in a small file beside the journal. Records that were cut off at the end
leave nothing behind by which the journal itself could miss them. The tip is written after every commit and not synced:
the commit is on the disk by then, so a power cut may leave an older tip, which means nothing, and never one that is
ahead. A tip that is damaged or missing means nothing either.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from referee.bounded_json import parse_json
from web.errors import MillchenError
from web.journal.journal_record import JournalRecord
from web.journal.schema import ARCHIVE_COLUMNS, EVENT_TABLE

_TIP = re.compile(rb" *([0-9]+) +([0-9]+) ([0-9a-f]{64})\n")

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


class JournalTip(NamedTuple):
    """The record that was written last."""

    seq: int = 0
    game: int = 0  # 0: the tip says only which numbers have been used
    digest: str = ""


def games_not_whole(events: Mapping[int, Mapping[str, Any]], tip: JournalTip) -> list[int]:
    """Return the games of which a record is missing: in between, or at the end of the journal, or all of them."""
    last: dict[int, int] = {}
    lost = {tip.game} if tip.seq > max(events, default=0) else set[int]()
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
    if tip.seq > last_seq + 1:
        lost.add(last_game)
    lost |= set(range(1, max([0, tip.game, *last]))) - set(last)
    return sorted(lost - {0})


def tip_file(journal: Path) -> Path:
    """Return the file of the tip beside a journal."""
    return journal.with_name(f"{journal.name}-tip")


def read_tip(journal: Path) -> JournalTip | None:
    """Return the tip beside a journal; None where no tip can be read."""
    try:
        with tip_file(journal).open("rb") as file:
            found = _TIP.match(file.read(200))
    except OSError:
        return None
    return None if found is None else JournalTip(int(found[1]), int(found[2]), found[3].decode())


def write_tip(journal: Path, tip: JournalTip) -> None:
    """Replace the tip, in place: one write of equal length. Where it fails (OSError), an older tip is no harm."""
    handle = os.open(tip_file(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(handle, f"{tip.seq:20} {tip.game:20} {tip.digest:0<64}\n".encode())
    finally:
        os.close(handle)
