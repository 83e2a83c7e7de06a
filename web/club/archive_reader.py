"""Every game of every table, as those read them who look for one: the archive's, else this computer's."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from web.club.postgres_archive import ArchiveUnreachableError, PostgresArchive
from web.errors import MillchenError
from web.history.finished_games import GameHistory, game_history, search_text
from web.history.journal_reader import replay_rows
from web.journal.journal import Journal

MAX_CACHED_GAMES = 2000
"""Games whose words are remembered, so that a search does not replay them again."""
MAX_FOUND_GAMES = 200


@dataclass(frozen=True)
class ArchivedGame:
    """A game on the shelf.

    Attributes
    ----------
    origin : str
        The journal it was written in.
    host : str
        The computer; empty for this one.
    table : str
    past : Past
    """

    origin: str
    host: str
    table: str
    past: GameHistory


class ArchiveReader:
    """Finds games; safe between threads.

    Parameters
    ----------
    journal : Journal
        Of this computer.
    central : Central or None
    """

    def __init__(self, journal: Journal, central: PostgresArchive | None) -> None:
        self._journal, self._central = journal, central
        self._known: OrderedDict[tuple[str, int, int], tuple[str, ArchivedGame]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, query: str) -> tuple[list[ArchivedGame], str]:
        """The newest games in which every word occurs, and one sentence on what is missing (empty: nothing).

        Words are looked for in players, computer, table, game, date, remarks and the first turns.
        """
        wanted = query.casefold().split()
        if self._central is None:
            return self._find_home(wanted), ""
        try:
            with self._central.connected() as connection:
                central = self._central
                ours = self._journal.origin
                return self._find(
                    wanted,
                    [
                        (row.origin, "" if row.origin == ours else row.host, row.game, row.seq)
                        for row in central.games(connection)
                    ],
                    lambda origin, game: central.rows(connection, origin, game=game),
                ), ""
        except (ArchiveUnreachableError, MillchenError) as why:
            return self._find_home(wanted), str(why)

    def open(self, origin: str, number: int, say: Callable[..., Any], language: str) -> GameHistory:
        """One game, told in a language.

        Raises
        ------
        MillchenError
            When there is no such game, or the archive that has it cannot be reached.
        ValueError
            When not even its beginning can be read.
        """
        if not 0 < number < 2**31:
            raise MillchenError("there is no such game")
        if origin == self._journal.origin:
            rows: Any = self._journal.rows_of_game(number)
        elif self._central is None:
            rows = ()
        else:
            with self._central.connected() as connection:
                rows = self._central.rows(connection, origin, game=number)
        if not rows:
            raise MillchenError("there is no such game")
        return game_history(replay_rows(rows), say, language)

    def _find_home(self, wanted: list[str]) -> list[ArchivedGame]:
        origin = self._journal.origin
        listed = [(origin, "", row.game, row.seq) for row in self._journal.games()]
        return self._find(wanted, listed, lambda _, game: self._journal.rows_of_game(game))

    def _find(
        self, wanted: list[str], listed: list[tuple[str, str, int, int]], rows_of: Callable[[str, int], Any]
    ) -> list[ArchivedGame]:
        found: list[ArchivedGame] = []
        for origin, host, game, seq in listed:
            key = (origin, game, seq)
            with self._lock:
                entry = self._known.get(key)
            if entry is None:
                entry = self._read(origin, host, rows_of(origin, game))
                if entry is None:
                    continue
                with self._lock:
                    self._known[key] = entry
                    while len(self._known) > MAX_CACHED_GAMES:
                        self._known.popitem(last=False)
            if all(word in entry[0] for word in wanted):
                found.append(entry[1])
                if len(found) == MAX_FOUND_GAMES:
                    break
        return found

    def _read(self, origin: str, host: str, rows: Any) -> tuple[str, ArchivedGame] | None:
        try:
            past = game_history(replay_rows(rows))
        except ValueError:
            return None  # its beginning is damaged
        table = str(past.plies[0].record.body.get("table", ""))
        volume = ArchivedGame(origin, host, table, past)
        return f"{search_text(past)} {table} {host}".casefold(), volume
