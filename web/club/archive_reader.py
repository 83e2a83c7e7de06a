"""Finds and opens games: those of the archive where there is one, else those of this computer's journal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from languages import message
from web.club.postgres_archive import PostgresArchive
from web.errors import UNREADABLE, MillchenError
from web.game.replay import replay_rows
from web.history.finished_games import GameHistory, game_history
from web.history.game_index import KeptLines, ListedGame
from web.journal.journal import Journal

MAX_FOUND_GAMES = 200  # most games that a search returns


class ArchivedGame(NamedTuple):
    """A game that was found."""

    origin: str  # the journal that it was written in
    host: str  # the computer; empty for this one
    number: int
    line: ListedGame | None  # None where not even its beginning can be read


class ArchiveReader:
    """Finds and opens games of the archive and of this computer's journal; may be used from any thread."""

    def __init__(self, journal: Journal, archive: PostgresArchive | None) -> None:
        self._journal, self._archive = journal, archive
        self._kept = KeptLines()

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

    def open(self, origin: str, number: int, language: str) -> GameHistory:
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
            return game_history(replay_rows(rows), language)
        except UNREADABLE as why:
            raise ValueError(f"game {number} cannot be read: {why!r}") from why

    def _find(
        self, words: list[str], listed: list[tuple[str, str, int, int]], rows_of: Callable[[str, int], Any]
    ) -> list[ArchivedGame]:
        """Return the listed games (journal, computer, number, last event) in which every word occurs."""
        found: list[ArchivedGame] = []
        for origin, host, game, seq in listed:
            line = self._kept.get((origin, game, seq), game, partial(rows_of, origin, game))
            if line is None or (isinstance(line, ListedGame) and line.is_demo):
                continue
            known = line if isinstance(line, ListedGame) else None
            text = f"{known.text} {known.table} {host}".casefold() if known is not None else host.casefold()
            if all(word in text for word in words):
                found.append(ArchivedGame(origin, host, game, known))
                if len(found) == MAX_FOUND_GAMES:
                    break
        return found
