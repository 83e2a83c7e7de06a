"""A journal in, the lines of its list of games out; lines are kept, so that an old game is replayed only once."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from referee.record import GameRecord
from web.errors import UNREADABLE
from web.game.first_record import is_demo_source
from web.game.imported_games import IMPORTED, player_tags, read_record
from web.game.replay import replay_rows
from web.history.exports import game_record
from web.history.finished_games import GameHistory, game_history, game_summary, search_text
from web.history.journal_reader import JournalReader
from web.history.kept_analyses import game_digest
from web.journal.journal import Journal
from web.journal.journal_record import ANEW_ENTRY, DamagedRecordError, JournalRecord, UnwrittenRecord, record_from_row

log = logging.getLogger("millchen.journal")

MAX_KEPT_GAMES = 10_000  # most games whose line in the list is kept in memory, some kilobytes each


@dataclass(frozen=True)
class ListedGame:
    """What a list shows of a game."""

    number: int
    is_demo: bool  # whether it was played in a bundled clip
    table: str  # at which it was begun; empty where a computer has one
    summary: Mapping[str, Any]  # JSON values, see `web.history.finished_games.game_summary`
    listed_names: tuple[str, ...]  # what to call each player, empty where nothing is known
    n_mills: int
    text: str  # in which words are searched
    may_go_on: bool  # whether people may play on
    played: frozenset[str]  # keys of the game and of the file that it came from: names may have been changed here


@dataclass(frozen=True)
class UnreadableGame:
    """The known facts of a game whose beginning is damaged or missing."""

    number: int
    written: str  # when its newest whole record was written; ISO 8601, empty where none is whole
    n_records: int  # that are whole


Line = ListedGame | UnreadableGame | None  # of a list; None for a lesson, which no list has


class LineCache:
    """Keeps the lines of games by how far each game has come; may be used from any thread."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, Line] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, number: int, rows: Callable[[], Iterable[Any]]) -> Line:
        """Return the line of a game; where it is not kept it is made of the ``rows`` of its events."""
        with self._lock:
            if key in self._lines:
                self._lines.move_to_end(key)
                return self._lines[key]
        line = _read_line(number, rows)
        with self._lock:
            self._lines[key] = line
            while len(self._lines) > MAX_KEPT_GAMES:
                self._lines.popitem(last=False)
        return line


class GameIndex:
    """Lists the games of journals; may be used from any thread."""

    def __init__(self) -> None:
        self._lines = LineCache()

    def find(self, journal: JournalReader, query: str = "", *, demos: bool = False) -> list[ListedGame]:
        """Return the games, or those of the demos, in which every word occurs; newest first."""
        words = query.casefold().split()
        games = []
        for line in self._lines_of(journal):
            if isinstance(line, ListedGame) and line.is_demo == demos and all(word in line.text for word in words):
                games.append(line)
        return games[::-1]

    def unreadable(self, journal: JournalReader) -> list[UnreadableGame]:
        """Return the games that cannot be shown, newest first."""
        return [line for line in self._lines_of(journal) if isinstance(line, UnreadableGame)][::-1]

    def _lines_of(self, journal: JournalReader) -> list[Line]:
        places = journal.places()
        return [self._lines.get((journal.path, *at), at.game, partial(journal.rows_of_game, at.game)) for at in places]

    def keep(
        self, journal: Journal, archive: JournalReader, bodies: Sequence[dict[str, Any]]
    ) -> list[int | JournalRecord]:
        """Keep the new games of a file, all or none; return for each its record, or the number of the same game here.

        ``archive`` reads the same journal.
        """
        numbers = {key: line.number for line in self.find(archive) for key in line.played}
        records = map(read_record, bodies)
        duplicates = [numbers.get(played_key(one), numbers.get(played_key(one, by_whom=False))) for one in records]
        new = (body for body, number in zip(bodies, duplicates, strict=True) if number is None)
        fresh = [[UnwrittenRecord(IMPORTED, None, body)] for body in new]
        new_records = iter(journal.begin_all(fresh, by="file") if fresh else ())
        return [next(new_records) if number is None else number for number in duplicates]


def _read_line(number: int, rows: Callable[[], Iterable[Any]]) -> Line:
    try:
        return listed_game(game_history(replay_rows(rows())))
    except UNREADABLE as why:
        log.info("game %s cannot be read: %r", number, why)
    whole = []
    for row in rows():
        with suppress(DamagedRecordError):
            whole.append(record_from_row(row))
    return UnreadableGame(number, whole[-1].wall_time if whole else "", len(whole))


def listed_game(history: GameHistory) -> ListedGame | None:
    """Return the line of a game, None for a lesson."""
    if history.state.lesson is not None:
        return None
    first = history.plies[0].record.body
    return ListedGame(
        history.number,
        is_demo_source(str(first.get("source", ""))),
        str(first.get("table", "")),
        game_summary(history),
        history.listed_names,
        sum(len(turn.counted_mills) for turn in history.game.turns),
        search_text(history),
        may_go_on(history),
        frozenset(
            played_key(one, by_whom=ANEW_ENTRY not in first)  # whose names were deleted, those of its file are unknown
            for one in (game_record(history), history.state.file_record)
            if one is not None
        ),
    )


def played_key(record: GameRecord, *, by_whom: bool = True) -> str:
    """Return the key of a game in all files: rules, turns, ending, players and day."""
    tags, players = dict(record.tags), player_tags(record.game.variant.players) if by_whom else ()
    about = [tags.get(name, "").strip("?. ") for name in ("Date", *players)]
    return " ".join([game_digest(record.game), str(record.game.outcome), *about])


def may_go_on(history: GameHistory) -> bool:
    """Return whether people may play on: the game was played here and in no demo, is whole, and is not over."""
    first = history.plies[0].record
    is_ours = first.kind == "start" and not is_demo_source(str(first.body.get("source", "")))
    return is_ours and not history.problem and history.game.outcome is None
