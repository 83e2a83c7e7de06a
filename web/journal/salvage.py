"""A damaged journal or copy in, its whole rows out: those that SQLite can read and whose digest fits."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from web.journal.journal_record import Forgotten, row_digest
from web.journal.schema import EVENT_TABLE, JOURNAL_TABLE

log = logging.getLogger("millchen.journal")


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

    def fill_in(self, copy: Salvaged) -> None:
        """Add what a copy of the same journal has, and the file has not."""
        self.identity = self.identity or copy.identity
        if copy.identity is not None and self.identity == copy.identity:
            self.events = {**copy.events, **self.events}
            self.games = {**copy.games, **self.games}


def salvaged_from(path: Path) -> Salvaged:
    """Return what SQLite can read of a journal or a copy: nothing of a torn page, nor what it reaches only by that."""
    salvage = Salvaged()
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = _as_mapping
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            for order in ("ASC", "DESC"):  # from both ends up to what is torn
                for row in _rows(database, f"{EVENT_TABLE.select()} ORDER BY seq {order}"):
                    if row["digest"] == row_digest(SimpleNamespace(**row)):
                        salvage.events[row["seq"]] = row
            salvage.identity = next(_rows(database, str(JOURNAL_TABLE.select())), None)
            index = _rows(database, "SELECT game, seq FROM event INDEXED BY event_of_game ORDER BY game, seq")
            salvage.games = {row["seq"]: row["game"] for row in index}
    except sqlite3.Error as why:
        log.info("%s cannot be read: %s", path, why)
    return salvage


def _as_mapping(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column: value for (column, *_), value in zip(cursor.description, row, strict=True)}


def _rows(database: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query, up to the first that cannot be read."""
    try:
        yield from database.execute(query)
    except sqlite3.Error as why:
        log.info("%s: %s", query, why)
