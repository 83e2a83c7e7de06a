"""One event as the journal keeps it, its digest, and the key of the command that wrote it.

A digest tells whether a record is what was written; its ``follows`` tells which record of its game comes before it.
So a record that was changed or moved does not fit to its digest, and one that is missing is noticed in its own game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from referee.bounded_json import parse_json
from web.errors import MillchenError

DIGESTED_COLUMNS = ("seq", "game", "follows", "kind", "ply", "body", "wall_time", "by")

UnwrittenRecord = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of a record that is not in the journal yet."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One event of the journal."""

    seq: int  # number in the journal; it increases and is never used twice
    game: int  # number of the game, 1 first
    kind: str  # one of `web.game.records.KINDS`
    ply: int | None  # number of the turn it belongs to, 1 first
    body: Mapping[str, Any]  # what happened; JSON values only
    wall_time: str  # ISO 8601 with time zone, for people
    by: str  # "camera", "hand" for a person at the page, "thinker" for what Millchen thought of, or "file"


KEY_FIELD = "key"
"""Field of a body with the key of the command that wrote the record, by which a retry after a crash is known.

Only the journal can tell whether the command was written; its first record alone has the key.
"""

_KEY: ContextVar[str] = ContextVar("key of the command that this thread carries out", default="")


@contextmanager
def under_key(key: str) -> Iterator[None]:
    """Give this key to the first record that is written in here; an empty one to no record."""
    before = _KEY.set(key)
    try:
        yield
    finally:
        _KEY.reset(before)


def key_field() -> dict[str, str]:
    """Return the field with the key for a record that is to be written, empty where no key is left."""
    key = _KEY.get()
    return {KEY_FIELD: key} if key else {}


def key_was_written() -> None:
    """Take note that a record has the key: the next ones of the same command do not."""
    _KEY.set("")


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


def record_from_row(row: Any) -> JournalRecord:
    """Return the record in a row of `event_rows`, or of an archive. Raises `DamagedRecordError`."""
    if row.digest != row_digest(row):
        raise DamagedRecordError(row, "it is not what was written")
    try:
        body: Mapping[str, Any] = parse_json(row.body)
    except ValueError:
        raise DamagedRecordError(row, "its body cannot be read") from None
    return JournalRecord(row.seq, row.game, row.kind, row.ply, body, row.wall_time, row.by)


def records_of_game(rows: Iterable[Any]) -> Iterator[JournalRecord]:
    """Yield the records in the rows of one game. Raises `DamagedRecordError`."""
    last = 0
    for row in rows:
        record = record_from_row(row)
        if row.follows != last:
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
