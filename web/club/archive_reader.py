"""Finds and opens games: those of the archive where there is one, else those of this computer's journal."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from languages import message
from web.club.postgres_archive import PostgresArchive
from web.errors import UNREADABLE, MillchenError
from web.game.first_record import counts_as_club_game
from web.history.finished_games import GameHistory, game_history, search_text
from web.history.journal_reader import replay_rows
from web.journal.journal import Journal

log = logging.getLogger("millchen.club")

MAX_CACHED_GAMES = 2000  # games that are kept with their search text, so that a search does not replay them again
MAX_FOUND_GAMES = 200  # most games that a search returns


class ArchivedGame(NamedTuple):
    """A game that was found."""

    origin: str  # the journal that it was written in
    host: str  # the computer; empty for this one
    table: str
    number: int
    history: GameHistory | None  # None where not even its beginning can be read


class ArchiveReader:
    """Finds and opens games of the archive and of this computer's journal; may be used from any thread."""

    def __init__(self, journal: Journal, archive: PostgresArchive | None) -> None:
        self._journal, self._archive = journal, archive
        self._cache: OrderedDict[tuple[str, int, int], tuple[str, ArchivedGame] | None] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, query: str) -> tuple[list[ArchivedGame], str]:
        """Return the newest games in which every word occurs, and one sentence on what is missing (empty: nothing).

        Words are looked for in players, computer, table, game, date, remarks and the first turns of games of people.
        """
        words = query.casefold().split()
        own, archive, problem = self._journal.origin, self._archive, ""
        if archive is not None:
            try:
                with archive.connected() as opened:
                    rows = opened.games()
                    listed = [(row.origin, "" if row.origin == own else row.host, row.game, row.seq) for row in rows]
                    return self._find(words, listed, opened.rows_of_game), ""
            except MillchenError as why:
                problem = str(why)
        listed = [(own, "", row.game, row.seq) for row in self._journal.games()]
        return self._find(words, listed, lambda _, game: self._journal.rows_of_game(game)), problem

    def open(self, origin: str, number: int, say: Callable[..., Any], language: str) -> GameHistory:
        """Return one game with its sentences. Raises `MillchenError` without it, ValueError where it is unreadable."""
        if not 0 < number < 2**31:
            raise MillchenError(message("page.no_game", number=number))
        if origin == self._journal.origin:
            rows: Any = self._journal.rows_of_game(number)
        elif self._archive is None:
            rows = ()
        else:
            with self._archive.connected() as opened:
                rows = opened.rows_of_game(origin, number)
        if not rows:
            raise MillchenError(message("page.no_game", number=number))
        try:
            return game_history(replay_rows(rows), say, language)
        except UNREADABLE as why:
            raise ValueError(f"game {number} cannot be read: {why!r}") from why

    def _find(
        self, words: list[str], listed: list[tuple[str, str, int, int]], rows_of: Callable[[str, int], Any]
    ) -> list[ArchivedGame]:
        """Return the listed games (journal, computer, number, last event) in which every word occurs."""
        found: list[ArchivedGame] = []
        for origin, host, game, seq in listed:
            key = (origin, game, seq)
            with self._lock:
                is_known, entry = key in self._cache, self._cache.get(key)
            if not is_known:
                entry = self._read(origin, host, game, rows_of(origin, game))
                with self._lock:
                    self._cache[key] = entry
                    while len(self._cache) > MAX_CACHED_GAMES:
                        self._cache.popitem(last=False)
            if entry is not None and all(word in entry[0] for word in words):
                found.append(entry[1])
                if len(found) == MAX_FOUND_GAMES:
                    break
        return found

    def _read(self, origin: str, host: str, number: int, rows: Any) -> tuple[str, ArchivedGame] | None:
        """Return the text that is searched and the game, also one that cannot be read; None for a demo or a lesson."""
        try:
            history = game_history(replay_rows(rows))
            first = history.plies[0].record.body
            if not counts_as_club_game(first):
                return None
            table = str(first.get("table", ""))
            text = f"{search_text(history)} {table} {host}".casefold()
            return text, ArchivedGame(origin, host, table, number, history)
        except UNREADABLE as why:
            log.warning("game %s of journal %s cannot be read: %r", number, origin, why)
            return host.casefold(), ArchivedGame(origin, host, "", number, None)
