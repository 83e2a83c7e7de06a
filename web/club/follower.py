"""Replays the events of a journal, of this computer or of another one, to the newest state of each of its tables."""

from __future__ import annotations

import logging
import re
import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from referee.game import Game
from web.club.evening import EVENING_KIND, Evening, apply_evening_record, evening_from_record
from web.drawing.colour_names import colour_names, display_colours
from web.errors import UNREADABLE
from web.game.event_sentences import callers_of, instructions_in_all_languages
from web.game.game_json import game_to_json
from web.game.game_state import GameState
from web.game.records import MakeSentences, announce_record
from web.game.replay import apply_record, initial_state
from web.game.snapshot import Announcement
from web.journal.digest_chain import record_from_row
from web.journal.journal_record import JournalRecord

log = logging.getLogger("millchen.club")

SCOREBOARD_VIEW_KEYS = (
    "id", "name", "board", "players", "ply", "to_move", "phase", "to_do", "hands", "stones", "foul",
    "question", "outcome", "names", "partners",
)  # fmt: skip
"""Entries of a game's view that a card of the scoreboard needs; its picture shows where the stones lie."""


@dataclass(frozen=True, eq=False)
class TableState:
    """The newest state of one table of the evening.

    Attributes:
        key: The table in addresses of the page: letters, digits and dashes.
        origin: The journal that the table is written in.
        table: Its name; empty where a computer has one table.
        host: The computer; empty for this one.
        game_number: The game's number in its journal.
        announcement: The newest announcement.
        seq: Number of the newest event.
        received_s: When that event came, by this computer's monotonic clock.
    """

    key: str
    origin: str
    table: str
    host: str
    game_number: int
    game_state: GameState
    announcement: Announcement | None
    seq: int
    received_s: float

    @property
    def game(self) -> Game:
        """The accepted game."""
        return self.game_state.game

    def to_json(self, make_sentences: MakeSentences) -> dict[str, Any]:
        """Return the table for the page of the scoreboard."""
        state = self.game_state
        names = colour_names(state.colours)
        view = game_to_json(
            self.game_number,
            state,
            state.game,
            lambda event: make_sentences(event, callers_of(state.called, names), self.game.variant.board, names),
            instructions_of=lambda position: instructions_in_all_languages(position, state.called, names),
        )
        return {
            "key": self.key,
            "table": self.table,
            "host": self.host,
            "seq": self.seq,
            "game": {key: view[key] for key in SCOREBOARD_VIEW_KEYS},
            "sight": {"names": list(names), "colours": list(display_colours(state.colours))},
            "clock": self.clock(),
            "said": None if self.announcement is None else self.announcement.sentences["texts"],
        }

    def clock(self) -> dict[str, Any]:
        """Return the clocks: as written with the last event, and running since then for whoever is to move."""
        clock, game = self.game_state.clock, self.game
        if clock.kind != "off" and game.ply > 0 and game.outcome is None:
            clock = replace(clock, running=game.position.to_move, since_s=self.received_s)
        return clock.to_json(time.monotonic())


class JournalFollower:
    """Replays one journal; keeps the newest game of each of its tables, and its newest evening.

    Args:
        origin: The journal.
        host: The computer; empty for this one.
        make_sentences: Makes the sentences of an event.

    Attributes:
        seq: Number of the newest event that was replayed.
        evening: The newest evening of the journal.
    """

    def __init__(self, origin: str, host: str, make_sentences: MakeSentences) -> None:
        self.origin, self.host = origin, host
        self.seq = 0
        self.evening: Evening | None = None
        self._make_sentences = make_sentences
        self._tables: dict[int, TableState] = {}

    def process(
        self, rows: Iterable[Any], rows_of_game: Callable[[int], Iterable[Any]] = lambda _: ()
    ) -> list[TableState]:
        """Replay further events, in order; return the tables that changed. An event that cannot be read is skipped.

        ``rows_of_game`` finds all events of a game, for one that was played before and is gone on with now.
        """
        changed: dict[str, TableState] = {}
        for row in rows:
            self.seq = max(self.seq, int(row.seq))
            try:
                record = record_from_row(row)
                table = self._gone_on(record, rows_of_game) if record.kind == "source" else self._apply(record)
            except UNREADABLE as why:
                # What is damaged in this computer's own journals is among their findings.
                level = logging.WARNING if self.host else logging.INFO
                log.log(level, "an event of journal %s cannot be shown: %s", self.origin, why)
                continue
            if table is not None:
                changed[table.key] = table
        return list(changed.values())

    def _apply(self, record: JournalRecord) -> TableState | None:
        """Replay one event; return the table that it changed, if any."""
        if record.kind == EVENING_KIND:
            self.evening = evening_from_record(record)
        elif self.evening is not None and record.game == self.evening.number:
            self.evening = apply_evening_record(self.evening, record)
        elif record.kind == "start":
            name = str(record.body.get("table", ""))
            new = TableState(
                table_key(self.origin, name), self.origin, name, self.host, record.game, initial_state(record), None,
                record.seq, time.monotonic(),
            )  # fmt: skip
            return self._keep(new)
        elif record.game in self._tables:
            before = self._tables[record.game]
            state = apply_record(before.game_state, record)
            announced = announce_record(record, state, colour_names(state.colours), self._make_sentences)
            return self._keep(
                replace(
                    before,
                    game_state=state,
                    announcement=announced or before.announcement,
                    seq=record.seq,
                    received_s=time.monotonic(),
                )
            )
        return None  # of a game that was replaced by a newer one at its table

    def _gone_on(self, record: JournalRecord, rows_of_game: Callable[[int], Iterable[Any]]) -> TableState | None:
        """Show the game that a table goes on with, which need not be the one that it showed."""
        known, name = self._tables.get(record.game), str(record.body.get("table", ""))
        if known is not None and known.table == name:
            return None
        state: GameState | None = None
        for row in rows_of_game(record.game):
            if row.seq <= record.seq:
                earlier = record_from_row(row)
                state = initial_state(earlier) if state is None else apply_record(state, earlier)
        if state is None:
            return None
        return self._keep(
            TableState(
                table_key(self.origin, name), self.origin, name, self.host, record.game, state, None, record.seq,
                time.monotonic(),
            )
        )  # fmt: skip

    def _keep(self, table: TableState) -> TableState:
        """Keep the game of a table, in the place of any other one of it."""
        self._tables = {n: other for n, other in self._tables.items() if other.table != table.table}
        self._tables[table.game_number] = table
        return table


def table_key(origin: str, table: str) -> str:
    """Return what a table is called in addresses of the page.

    >>> table_key("0123456789abcdef", "Café, 2")
    '01234567-cafe-2'
    """
    plain = unicodedata.normalize("NFKD", table).encode("ascii", "ignore").decode().lower()
    return "-".join(filter(None, (origin[:8], re.sub(r"[^a-z0-9]+", "-", plain).strip("-"))))
