"""A record of the journal, its digest, and the key of the command that wrote it.

The digest shows whether a record was changed or moved; ``follows`` names the record before it in its game, and so shows
whether one is missing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referee.bounded_json import parse_json
from web.errors import MillchenError

DIGESTED_COLUMNS = ("seq", "game", "follows", "kind", "ply", "body", "wall_time", "by")


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
    # what its maker knows of it already; None where it was read, and its body says it
    event: Any = field(default=None, compare=False)
    after: Any = field(default=None, compare=False)


class UnwrittenRecord(NamedTuple):
    """A record that is not in the journal yet."""

    kind: str
    ply: int | None
    body: dict[str, Any]
    event: Any = None  # that stands in the body
    after: Any = None  # the game to which it leads, where that was played already

    def in_game(self, game: int, by: str) -> JournalRecord:
        """Return it as one of a game, without a number yet."""
        return JournalRecord(0, game, self.kind, self.ply, self.body, "", by, self.event, self.after)


KEY_ENTRY = "key"
"""Entry of a body with the key of the command that wrote the record, by which a retry after a crash is known.

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
    return {KEY_ENTRY: key} if key else {}


def key_was_written() -> None:
    """Take note that a record has the key: the next ones of the same command do not."""
    _KEY.set("")


FORGOTTEN_GAME, FORGOTTEN = 0, "forgotten"
"""Number and kind of records by which something was deleted; 0 is no game.

Each has the number of a ``game``, and of its records either the ``numbers`` of all, as they are no more (the first and
the last one of each run), or of those that were written ``anew``.
"""

ANEW_ENTRY = "anew"
"""Entry of the body of a record that was written anew: the number of the record that says so."""


@dataclass(frozen=True)
class Forgotten:
    """What people have deleted in a journal, as its records of `FORGOTTEN_GAME` say."""

    games: frozenset[int]  # that are no more
    numbers: frozenset[int]  # of their records
    anew: Mapping[int, int]  # records that were written anew, and the record that says so last

    @classmethod
    def of(cls, rows: Iterable[Mapping[Any, Any]]) -> Forgotten:
        """Return what was deleted; of the rows only those of `FORGOTTEN_GAME` are looked at."""
        games, numbers, anew = set[int](), set[int](), dict[int, int]()
        for row in sorted((one for one in rows if one["game"] == FORGOTTEN_GAME), key=lambda one: one["seq"]):
            if row["digest"] != record_digest(*(row[name] for name in DIGESTED_COLUMNS)) or row["kind"] != FORGOTTEN:
                continue
            body = parse_json(row["body"])
            anew |= dict.fromkeys(body.get(ANEW_ENTRY, ()), row["seq"])
            if "numbers" in body:
                games.add(body["game"])
                numbers.update(seq for first, last in body["numbers"] for seq in range(first, last + 1))
        return cls(frozenset(games), frozenset(numbers), anew)

    def is_past(self, row: Mapping[str, Any]) -> bool:
        """Return whether a record is no more, or was written anew since."""
        seq = row["seq"]
        return seq in self.numbers or written_anew(row) < self.anew.get(seq, 0)


def written_anew(row: Mapping[str, Any]) -> int:
    """Return the number of the record by which a record was written anew last; 0 where it is as it was first."""
    match = re.search(rf'"{ANEW_ENTRY}": (\d+)', str(row["body"]))  # in a text the second quotation mark is escaped
    return int(match[1]) if match else 0


def case_mark(first: JournalRecord) -> str:
    """Return the digits by which a case knows its game, so that both are deleted together; they tell nothing else."""
    return record_digest(first.game, first.wall_time)[:16]


def runs_of(numbers: Iterable[int]) -> list[list[int]]:
    """Return the first and the last number of each run.

    >>> runs_of([1, 2, 3, 7])
    [[1, 3], [7, 7]]
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


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
    """Return the games that lack a record: in between, or at the end of the journal, or all of them."""
    last, incomplete, forgotten = dict[int, int](), set[int](), Forgotten.of(events.values())
    last_seq, last_game = 0, 0
    for seq, row in sorted(events.items()):
        game = row["game"]
        gaps = set(range(last_seq + 1, seq)) - forgotten.numbers
        if row["follows"] != last.get(game, 0):
            incomplete.add(game)
            gaps.discard(row["follows"])
        if gaps:
            incomplete.add(last_game)  # nothing after it tells, so it may have gone on
        last[game] = last_seq = seq
        last_game = game or last_game
    if last_used > last_seq:
        incomplete.add(last_game)
    incomplete |= set(range(1, max([0, *last]))) - set(last)
    return sorted(incomplete - {FORGOTTEN_GAME} - forgotten.games)
