"""Reads what is whole out of a damaged file: every page for itself, whatever SQLite makes of the file.

A record is taken where its digest fits, so neither the roots of the tables nor the sums of the write-ahead log matter.
An older version of a page holds nothing that is not so any more, except what people have deleted (`Forgotten`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from web.journal.journal_record import Forgotten, row_digest, written_anew
from web.journal.schema import EVENT_TABLE, JOURNAL_TABLE

# https://sqlite.org/fileformat2.html has the form of pages, cells, records and of the write-ahead log
LEAF, INDEX_LEAF, INDEX_INNER = 0x0D, 0x0A, 0x02  # kinds of pages: with rows of a table, with entries of an index
LEAF_HEADER_BYTES, CHILD_BYTES, FILE_HEADER_BYTES, LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 8, 4, 100, 32, 24
USUAL_PAGE_BYTES = 4096  # SQLite's own choice since version 3.12
INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # by the kind of a value

_COLUMNS = tuple(column.name for column in EVENT_TABLE.c)
_IDENTITY = tuple(column.name for column in JOURNAL_TABLE.c)
_ORIGIN = re.compile("[0-9a-f]{32}")


@dataclass
class Salvaged:
    """What is whole in a file."""

    events: dict[int, Mapping[str, Any]] = field(default_factory=dict)  # columns of `EVENT_TABLE`, by the number
    identity: Mapping[str, str] | None = None  # columns of `JOURNAL_TABLE`
    games: dict[int, int] = field(default_factory=dict)  # game of each number, as the index says, also of lost events

    def forget(self, forgotten: Forgotten | None = None) -> None:
        """Take out what was deleted, as a journal says, or without one what was found itself."""
        forgotten = forgotten or Forgotten.of(self.events.values())
        self.events = {seq: row for seq, row in self.events.items() if not forgotten.is_past(row)}
        self.games = {seq: game for seq, game in self.games.items() if seq not in forgotten.numbers}


def salvaged_from(path: Path) -> Salvaged:
    """Return what is whole in a journal or a copy, and in its write-ahead log. Raises OSError."""
    content = path.read_bytes() if path.exists() else b""
    log_path = path.with_name(f"{path.name}-wal")
    log = log_path.read_bytes() if log_path.exists() else b""
    size = _page_size(content, log)
    pages = {n + 1: content[at : at + size] for n, at in enumerate(range(0, len(content), size))}
    logged = []
    for at in range(LOG_HEADER_BYTES, len(log), FRAME_HEADER_BYTES + size):
        page = log[at + FRAME_HEADER_BYTES : at + FRAME_HEADER_BYTES + size]
        logged.append((int.from_bytes(log[at : at + 4], "big"), page))
    newest = pages | dict(logged)
    found = Salvaged()
    for number, page in [*pages.items(), *logged]:
        for seq, values in _rows(page.ljust(size, b"\0"), FILE_HEADER_BYTES if number == 1 else 0, newest):
            _take(found, seq, values)
    return found


def _take(found: Salvaged, seq: int, values: list[Any]) -> None:
    """Keep a row of a table where it is what was written."""
    if len(values) == len(_COLUMNS):
        row = dict(zip(_COLUMNS, [seq, *values[1:]], strict=True))
        if row["digest"] == row_digest(SimpleNamespace(**row)):
            found.events[seq] = max(row, found.events.get(seq, row), key=written_anew)  # of equals the newer
    elif len(values) == len(_IDENTITY) and all(isinstance(one, str) for one in values) and _ORIGIN.fullmatch(values[0]):
        found.identity = dict(zip(_IDENTITY, values, strict=True))
    elif len(values) == 3 and values[1] == values[2] and all(isinstance(one, int) for one in values):
        found.games[values[1]] = values[0]  # the index has game and number of an event, and the number of its row


def _page_size(content: bytes, log: bytes) -> int:
    sizes = [int.from_bytes(content[16:18], "big"), int.from_bytes(log[8:12], "big")]
    return next((n for n in sizes if 512 <= n <= 65536 and n.bit_count() == 1), USUAL_PAGE_BYTES)


def _rows(page: bytes, at: int, pages: Mapping[int, bytes]) -> Iterator[tuple[int, list[Any]]]:
    """Yield number (0 in an index) and values of each row, of a page with its header at ``at``, that makes sense."""
    kind = page[at]
    if kind not in (LEAF, INDEX_LEAF, INDEX_INNER):
        return
    child = CHILD_BYTES if kind == INDEX_INNER else 0  # the place of another page stands before each entry
    n_cells = int.from_bytes(page[at + 3 : at + 5], "big")
    places = page[at + LEAF_HEADER_BYTES + child :][: 2 * n_cells]
    for (place,) in struct.iter_unpack(">H", places[: len(places) // 2 * 2]):
        try:
            n_bytes, start = _varint(page, place + child)
            number, start = _varint(page, start) if kind == LEAF else (0, start)
            yield number, _values(_payload(page, start, n_bytes, pages))
        except (IndexError, KeyError, ValueError, struct.error):
            continue


def _payload(page: bytes, start: int, n_bytes: int, pages: Mapping[int, bytes]) -> bytes:
    """Return the bytes of a row, which are continued on other pages where it is long."""
    size = len(page)
    if n_bytes <= size - 35:
        return page[start : start + n_bytes]
    least = (size - 12) * 32 // 255 - 23
    here = least + (n_bytes - least) % (size - 4)
    here = here if here <= size - 35 else least
    parts, n_left = [page[start : start + here]], n_bytes - here
    following = page[start + here : start + here + 4]
    while n_left > 0:
        more = pages[int.from_bytes(following, "big")]
        following, part = more[:4], more[4 : 4 + n_left]
        if not part:
            raise ValueError("a page is cut off")
        parts.append(part)
        n_left -= len(part)
    return b"".join(parts)


def _values(payload: bytes) -> list[Any]:
    """Return the values of a row: its kinds come first, each a number, then the values without gaps."""
    at_value, at = _varint(payload, 0)
    end, values = at_value, list[Any]()
    while at < end:
        kind, at = _varint(payload, at)
        n = INTEGER_BYTES.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        part = payload[at_value : at_value + n]
        at_value += n
        if kind in INTEGER_BYTES:
            values.append(int.from_bytes(part, "big", signed=True))
        elif kind == 7:
            values.append(struct.unpack(">d", part)[0])
        elif kind >= 12:
            values.append(part.decode() if kind % 2 else part)
        else:
            values.append({0: None, 8: 0, 9: 1}[kind])
    return values


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends; negative ones are not looked for."""
    value = 0
    for n in range(9):
        byte = data[at + n]
        if n == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    raise ValueError
