"""Reads a journal, also beside a running Millchen: its games, their replays, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from web.errors import MillchenError
from web.game.replay import ReplayedGame, replay_rows
from web.history.finished_games import GameHistory, game_history
from web.journal.journal import DATABASE_ERRORS, JournalFile, check_is_a_file, database_error
from web.journal.journal_record import DamagedRecordError, games_not_whole, record_from_row
from web.journal.schema import EVENT_TABLE, event_rows, is_a_game, is_new_file

GAME_NUMBER_LIMIT = 2**63
"""Numbers of games are smaller: a larger one makes the driver fail. Source: SQLite documentation, integers."""


class NoSuchGameError(MillchenError):
    """The journal has no game of that number."""


class JournalReader(JournalFile):
    """An open journal that is only read. Raises `MillchenError` where it is missing or cannot be read."""

    def __init__(self, path: Path) -> None:
        check_is_a_file(path)
        if not path.exists():
            raise self._empty(path)
        super().__init__(path, read_only=True)
        try:
            if is_new_file(self._connection, path):
                raise self._empty(path)
        except DATABASE_ERRORS as why:
            self.close()
            raise database_error(path, why) from why
        except MillchenError:
            self.close()
            raise

    @staticmethod
    def _empty(path: Path) -> MillchenError:
        return MillchenError(f"there are no games in {path.parent} yet: play one, or name another folder with --data")

    def replays(self) -> Iterator[tuple[int, ReplayedGame]]:
        """Yield the number of every game and the game, in the order of their numbers."""
        return ((number, self.replay(number)) for number in self._numbers())

    def places(self) -> list[sa.Row[Any]]:
        """Return how far every game has come: its number, and number and digest of its last event; in their order."""
        seq, game = EVENT_TABLE.c.seq, EVENT_TABLE.c.game
        last = sa.select(sa.func.max(seq)).where(is_a_game()).group_by(game)
        query = sa.select(game, seq, EVENT_TABLE.c.digest).where(seq.in_(last)).order_by(game)
        return list(self._rows(query))

    def replay(self, number: int) -> ReplayedGame:
        """Return a game, replayed as far as its records can be read. Raises `NoSuchGameError`."""
        replayed = replay_rows(self.rows_of_game(number) if 0 < number < GAME_NUMBER_LIMIT else ())
        if not replayed.records and not replayed.problem:
            raise NoSuchGameError(f"no game {number} in {self.path}; {self._range_text()}")
        return replayed

    def history(self, number: int, language: str | None = None) -> GameHistory:
        """Return a game turn by turn. Raises `MillchenError` where not even its beginning can be read."""
        try:
            return game_history(self.replay(number), language)
        except ValueError as why:
            raise MillchenError(str(why)) from why

    def rows_of_game(self, number: int) -> Iterator[sa.Row[Any]]:
        """Yield the rows of the events of one game, in order."""
        return self._rows(event_rows().where(EVENT_TABLE.c.game == number).order_by(EVENT_TABLE.c.seq))

    def problems(self) -> list[str]:
        """Return a sentence for everything that is damaged or missing in the journal; the whole file is read."""
        texts = self.problems_of_records()
        return texts + [one.problem for _, one in self.replays() if one.problem and one.problem not in texts]

    def problems_of_records(self) -> list[str]:
        """Return a sentence for every record that is damaged or missing, whatever the records are about."""
        [(last_used,)] = self._rows(sa.text("SELECT max(seq) FROM sqlite_sequence WHERE name = 'event'"))
        texts = [
            f"the file: {verdict}"
            for (verdict,) in self._rows(sa.text("PRAGMA integrity_check(20)"))
            if verdict != "ok"
        ]
        whole, damaged = dict[int, Any](), set[int]()
        for row in self._rows(event_rows().order_by(EVENT_TABLE.c.seq)):
            try:
                record_from_row(row)
                whole[row.seq] = row._mapping
            except DamagedRecordError as why:
                texts.append(str(why))
                damaged.add(row.game)
        incomplete = set(games_not_whole(whole, last_used or 0)) - damaged
        return texts + [f"records of game {game} are missing" for game in sorted(incomplete)]

    def _numbers(self) -> list[int]:
        query = sa.select(EVENT_TABLE.c.game).where(is_a_game()).distinct().order_by(EVENT_TABLE.c.game)
        return [row.game for row in self._rows(query)]

    def _range_text(self) -> str:
        """Return which games there are, as the end of a sentence."""
        numbers = self._numbers()
        if not numbers:
            return "there are none yet"
        first, last = numbers[0], numbers[-1]
        if len(numbers) == 1:
            return f"there is only game {first}"
        if len(numbers) == last - first + 1:
            return f"there are {first} to {last}"
        return f"there are {len(numbers)} from {first} to {last}, see 'millchen games'"
