"""A digest and a chain of links tell whether a record is what was written, where it was written.

The digest is over a record's own columns. The link is over the link of the record before, the record's number and its
digest, so that a record that was exchanged, put in, or made anew with its digest does not fit to its place. Each record
is compared with the links that are stored before it: damage to one record does not invalidate later ones.

The tip says which record was written last, in a small file beside the journal. Records that were cut off at the end
leave nothing behind by which the journal itself could miss them. The tip is written after every commit and not synced:
the commit is on the disk by then, so a power cut may leave an older tip, which means nothing, and never one that is
ahead. A tip that is damaged or missing means nothing either.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from referee.bounded_json import parse_json
from web.errors import MillchenError
from web.journal.journal_record import JournalRecord
from web.journal.schema import ARCHIVE_COLUMNS, EVENT_TABLE

_TIP = re.compile(rb"(( *[0-9]+) ( *[0-9]+) ([0-9a-f]{64})) ([0-9a-f]{16})\n")

DIGESTED_COLUMNS = ("game", "kind", "ply", "body", "wall_time", "by")


class DamagedRecordError(MillchenError):
    """A record (number ``seq``, of game ``game``) is not what was written; the rest of the journal can be read."""

    def __init__(self, row: Any, what: str) -> None:
        super().__init__(f"record {row.seq} of game {row.game} is damaged: {what}")
        self.seq, self.game = row.seq, row.game


def record_digest(game: int, kind: str, ply: int | None, body: str, wall_time: str, by: str) -> str:
    """Return the SHA-256 digest of a record over its columns, empty ones included, as hexadecimal digits."""
    return _sha256(game, kind, ply, body, wall_time, by)


def record_link(link_before: str, seq: int, digest: str) -> str:
    """Return the link of a record: the SHA-256 digest over the link before ("": it is the first), number and digest."""
    return _sha256(link_before, seq, digest)


def _sha256(*values: object) -> str:
    return hashlib.sha256("\x1f".join("" if value is None else str(value) for value in values).encode()).hexdigest()


def is_a_game() -> sa.ColumnElement[bool]:
    """Return the condition that the game's number of an event can be one: none is above that of its first record."""
    event = EVENT_TABLE.c
    return sa.and_(sa.func.typeof(event.game) == "integer", event.game.between(1, event.seq))


def event_rows() -> sa.Select[Any]:
    """Return the query for the rows of a journal's events, each with what `record_from_row` needs of those before."""
    one, two, any_ = EVENT_TABLE.alias("one"), EVENT_TABLE.alias("two"), EVENT_TABLE.alias("any")

    def last_before(seq: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
        return sa.select(sa.func.max(any_.c.seq)).where(any_.c.seq < seq).scalar_subquery()

    joined = EVENT_TABLE.outerjoin(one, one.c.seq == last_before(EVENT_TABLE.c.seq))
    joined = joined.outerjoin(two, two.c.seq == last_before(one.c.seq))
    before = [one.c[name].label(f"before_{name}") for name in (*DIGESTED_COLUMNS, "seq", "digest", "link")]
    own = [column for column in EVENT_TABLE.c if column.name not in ARCHIVE_COLUMNS]
    return sa.select(*own, *before, two.c.link.label("link_two_before")).select_from(joined)


def record_from_row(row: Any) -> JournalRecord:
    """Return the record in a row of `event_rows`, or of an archive (no link). Raises `DamagedRecordError`."""
    if row.digest != _sha256(*(getattr(row, name) for name in DIGESTED_COLUMNS)):
        raise DamagedRecordError(row, "it is not what was written")
    if row.link is not None and not _is_in_its_place(row):
        raise DamagedRecordError(row, "it does not follow on what was written before it")
    try:
        body: Mapping[str, Any] = parse_json(row.body)
    except ValueError:
        raise DamagedRecordError(row, "its body cannot be read") from None
    return JournalRecord(row.seq, row.game, row.kind, row.ply, body, row.wall_time, row.by)


def _is_in_its_place(row: Any) -> bool:
    """Return whether the link of a record fits to those before it, or the fault may be another record's."""
    if row.before_link is None:
        return row.seq != 1 or is_first(row)
    before = {name: getattr(row, f"before_{name}") for name in DIGESTED_COLUMNS}
    is_before_whole = row.before_digest == _sha256(*before.values())
    if not is_before_whole and row.before_digest == _sha256(*(before | {"game": row.game}).values()):
        return False  # the record before belongs to this game, and only its game's number was changed
    if row.link == record_link(row.before_link, row.seq, row.digest):
        return True
    if row.before_seq != row.seq - 1:  # records are missing; nobody knows of which game where the games are not one
        return bool(row.before_game != row.game)
    if not is_before_whole:
        return True
    # The record before is whole, and yet its link may be wrong (it was changed alone), or stand one record earlier
    # (two records were exchanged). Then the fault is there and not here.
    two_before = row.link_two_before or ""
    meant = (two_before, record_link(two_before, row.before_seq, row.before_digest))
    return row.link in {record_link(link, row.seq, row.digest) for link in meant}


def is_first(row: Any) -> bool:
    """Return whether a record says of itself that none was written before it in its journal."""
    return bool(row.link == record_link("", row.seq, row.digest))


class JournalTip(NamedTuple):
    """The record that was written last."""

    seq: int = 0
    game: int = 0  # 0: the tip says only which numbers have been used
    link: str = ""


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
    if found is None or found[5] != _check_digits(found[1]):
        return None
    return JournalTip(int(found[2]), int(found[3]), found[4].decode())


def write_tip(journal: Path, tip: JournalTip) -> None:
    """Replace the tip, in place: one write of equal length. Where it fails (OSError), an older tip is no harm."""
    line = f"{tip.seq:20} {tip.game:20} {tip.link:0<64}".encode()
    handle = os.open(tip_file(journal), os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(handle, line + b" " + _check_digits(line) + b"\n")
    finally:
        os.close(handle)


def _check_digits(line: bytes) -> bytes:
    return hashlib.sha256(line).hexdigest()[:16].encode()
