"""From the events of a journal to what the hall shows of its tables: one replay for this computer and others."""

from __future__ import annotations

import logging
import re
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from referee.game import Game
from web.club.evening import EVENING_KIND, Evening
from web.club.evening import evening_from_record as begin_evening
from web.club.evening import apply_evening_record as tell_evening
from web.drawing.colour_names import colour_names, display_colours
from web.game.announcements import MakeSentences, announce_record
from web.game.game_json import game_to_json
from web.game.replay import GameState, apply_record, initial_state
from web.game.snapshot import Announcement
from web.journal.journal_record import Record
from web.journal.schema import DamagedRecordError, record_from_row

log = logging.getLogger("millchen.club")

SCOREBOARD_VIEW_KEYS = (
    "id", "name", "board", "players", "ply", "to_move", "phase", "owed", "may_turn", "hands", "stones", "foul",
    "question", "outcome", "names",
)  # fmt: skip
"""Entries of a game's view that a card in the hall shows; the stones are in its picture."""


@dataclass(frozen=True, eq=False)
class TableState:
    """How it stands at one table.

    Attributes
    ----------
    key : str
        What the table is called in addresses: letters, digits and dashes.
    origin : str
        The journal it is written in.
    table : str
        Its name; empty where there is one table alone.
    host : str
        The computer; empty for this one.
    number : int
        The game's number in its journal.
    course : Course
    said : Announcement or None
        The newest sentence.
    seq : int
        Number of the newest event.
    heard_s : float
        When that came, by this computer's monotonic clock.
    """

    key: str
    origin: str
    table: str
    host: str
    number: int
    course: GameState
    said: Announcement | None
    seq: int
    heard_s: float

    @property
    def game(self) -> Game:
        """What is accepted."""
        return self.course.game

    def to_json(self, say: MakeSentences) -> dict[str, Any]:
        """The table for the hall's page."""
        course = self.course
        names = colour_names(course.colours)
        view = game_to_json(self.number, course, course.game, lambda event: say(event, names, self.game.variant.board))
        return {
            "key": self.key,
            "table": self.table,
            "host": self.host,
            "seq": self.seq,
            "game": {key: view[key] for key in SCOREBOARD_VIEW_KEYS},
            "sight": {"names": list(names), "colours": list(display_colours(course.colours))},
            "clock": self.clock(),
            "said": None if self.said is None else self.said.sentences["texts"],
        }

    def clock(self) -> dict[str, Any]:
        """The clock: what the journal says of the last turn, and since then the time of whoever is to move."""
        kept, game = self.course.clock, self.game
        if kept.kind != "off" and game.ply > 0 and game.outcome is None:
            kept = replace(kept, running=game.position.to_move, since_s=self.heard_s)
        return kept.to_json(time.monotonic())


class JournalFollower:
    """Replays one journal; keeps the newest game of each of its tables, and its evening.

    Parameters
    ----------
    origin : str
    host : str
        The computer, empty for this one.
    say : callable
        Makes the sentences.

    Attributes
    ----------
    seq : int
        Number of the newest event that was taken in.
    evening : Evening or None
        The newest evening of the journal.
    """

    def __init__(self, origin: str, host: str, say: MakeSentences) -> None:
        self.origin, self.host = origin, host
        self.seq = 0
        self.evening: Evening | None = None
        self._say = say
        self._standings: dict[int, TableState] = {}

    def take(self, rows: Iterable[Any]) -> list[TableState]:
        """Take in events in order; the tables that look different now."""
        changed: dict[str, TableState] = {}
        for row in rows:
            self.seq = max(self.seq, int(row.seq))
            try:
                standing = self._told(record_from_row(row))
            except (DamagedRecordError, ValueError, KeyError, TypeError, IndexError) as why:
                log.warning("an event of journal %s cannot be shown: %s", self.origin, why)
                continue
            if standing is not None:
                changed[standing.key] = standing
        return list(changed.values())

    def _told(self, record: Record) -> TableState | None:
        if record.kind == EVENING_KIND:
            self.evening = begin_evening(record)
        elif self.evening is not None and record.game == self.evening.number:
            self.evening = tell_evening(self.evening, record)
        elif record.kind == "start":
            table = str(record.body.get("table", ""))
            new = TableState(
                table_key(self.origin, table), self.origin, table, self.host, record.game, initial_state(record), None,
                record.seq, time.monotonic(),
            )  # fmt: skip
            over = [number for number, standing in self._standings.items() if standing.table == table]
            for number in over:
                del self._standings[number]
            return self._keep(new)
        elif record.game in self._standings:
            before = self._standings[record.game]
            course = apply_record(before.course, record)
            said = announce_record(record, course, colour_names(course.colours), self._say) or before.said
            return self._keep(replace(before, course=course, said=said, seq=record.seq, heard_s=time.monotonic()))
        return None  # of a game that another one has followed

    def _keep(self, standing: TableState) -> TableState:
        self._standings[standing.number] = standing
        return standing


def table_key(origin: str, table: str) -> str:
    """What a table is called in addresses.

    >>> key_of("0123456789abcdef", "Café, 2")
    '01234567-cafe-2'
    """
    plain = unicodedata.normalize("NFKD", table).encode("ascii", "ignore").decode().lower()
    return "-".join(filter(None, (origin[:8], re.sub(r"[^a-z0-9]+", "-", plain).strip("-"))))
