"""Read-only access to a journal: list, replay, check and copy its games, also beside a running Millchen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from referee.endings import Outcome
from web.errors import MillchenError
from web.game.replay import GameState, apply_record, initial_state
from web.journal.journal_record import JournalRecord
from web.journal.migrate import back_up
from web.journal.schema import (
    EVENT_TABLE,
    SCHEMA_VERSION,
    DamagedRecordError,
    database_error_message,
    engine_for,
    read_schema_version,
    record_from_row,
)

GAME_NUMBER_LIMIT = 2**63
"""Numbers of games are smaller: SQLite's integers have 64 bits with sign, and a larger one makes the driver fail.

Source: SQLite documentation, integers.
"""


@dataclass(frozen=True, slots=True)
class GameEntry:
    """The entry of one game in a list of games.

    Attributes
    ----------
    number : int
        Number of the game, 1 first.
    name : str
        Name of the game that is played; empty when its first record is damaged.
    source : str
        Where the images came from.
    begun : str
        When it began; ISO 8601 with time zone.
    n_turns : int
        Complete turns, as far as the records can be read.
    outcome : Outcome or None
        None while the game is not over.
    problem : str
        One sentence about what cannot be read, else empty.
    """

    number: int
    name: str
    source: str
    begun: str
    n_turns: int
    outcome: Outcome | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class GamePlace:
    """How far a game of the journal has come.

    Attributes
    ----------
    game : int
        Its number.
    seq : int
        Number of its last event.
    digest : str
        Digest of that event.
    """

    game: int
    seq: int
    digest: str


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game, replayed as far as its records can be read.

    Attributes
    ----------
    records : tuple of Record
        Those that were replayed.
    state : GameState or None
        The state after them; None when not even the first can be read.
    problem : str
        Why the replay stopped early, else empty.
    """

    records: tuple[JournalRecord, ...]
    state: GameState | None
    problem: str = ""


def replay_rows(rows: Iterable[Any]) -> ReplayedGame:
    """Return the game in the rows of its events, replayed as far as they can be read."""
    state: GameState | None = None
    records: list[JournalRecord] = []
    for row in rows:
        try:
            record = record_from_row(row)
            state = initial_state(record) if state is None else apply_record(state, record)
        except DamagedRecordError as why:
            return ReplayedGame(tuple(records), state, str(why))
        except (ValueError, KeyError, TypeError, IndexError) as why:
            return ReplayedGame(tuple(records), state, f"record {row.seq} of game {row.game} cannot be replayed: {why}")
        records.append(record)
    return ReplayedGame(tuple(records), state)


class NoSuchGameError(MillchenError):
    """The journal has no game of that number."""


class JournalReader:
    """An open journal that is only read.

    Parameters
    ----------
    path : Path
        The file of the journal.

    Raises
    ------
    MillchenError
        When there is none, or this Millchen cannot read it.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise MillchenError(
                f"there are no games in {path.parent} yet: play one, or name another folder with --data"
            )
        self.path = path
        self._engine = engine_for(path, read_only=True)
        try:
            self._connection = self._engine.connect()
            found = read_schema_version(self._connection, path)
            self._connection.commit()
        except sa.exc.DatabaseError as why:
            self._engine.dispose()
            raise MillchenError(database_error_message(path, why)) from why
        if found != SCHEMA_VERSION:
            raise MillchenError(f"the journal {path} is of format {found}: start Millchen once to bring it up to date")

    def entries(self) -> Iterator[GameEntry]:
        """Yield an entry for every game, in the order of their numbers."""
        for number in self._numbers():
            replayed = self.replay(number)
            first = replayed.records[0] if replayed.records else None
            game = replayed.state.game if replayed.state is not None else None
            yield GameEntry(
                number,
                first.body["game"] if first is not None else "",
                first.body.get("source", "") if first is not None else "",
                first.wall_time if first is not None else "",
                game.ply if game is not None else 0,
                game.outcome if game is not None else None,
                replayed.problem,
            )

    def places(self) -> list[GamePlace]:
        """Return how far every game has come, in the order of their numbers."""
        seq, game = EVENT_TABLE.c.seq, EVENT_TABLE.c.game
        last = sa.select(sa.func.max(seq)).group_by(game)
        query = sa.select(game, seq, EVENT_TABLE.c.digest).where(seq.in_(last)).order_by(game)
        rows = self._connection.execute(query).all()
        self._connection.commit()
        return [GamePlace(int(row.game), int(row.seq), str(row.digest)) for row in rows]

    def replay(self, number: int) -> ReplayedGame:
        """Return a game, replayed as far as its records can be read.

        Raises
        ------
        NoSuchGameError
            When there is no such game.
        """
        query = EVENT_TABLE.select().where(EVENT_TABLE.c.game == number).order_by(EVENT_TABLE.c.seq)
        rows = self._connection.execute(query).all() if 0 < number < GAME_NUMBER_LIMIT else []
        self._connection.commit()
        if not rows:
            raise NoSuchGameError(f"no game {number} in {self.path}; {self._range_text()}")
        return replay_rows(rows)

    def problems(self) -> list[str]:
        """Return a sentence for everything that is damaged or missing in the journal; the whole file is read."""
        found: list[str] = []
        for verdict in self._connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars():
            if verdict != "ok":
                found.append(f"the file: {verdict}")
        expected = 1
        for seq in self._connection.execute(sa.select(EVENT_TABLE.c.seq).order_by(EVENT_TABLE.c.seq)).scalars():
            if seq != expected:
                found.append(f"records {expected} to {seq - 1} are missing")
            expected = seq + 1
        last = self._connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'event'").scalar()
        if last is not None and last >= expected:
            found.append(f"records {expected} to {last} are missing")
        self._connection.commit()
        return found + [entry.problem for entry in self.entries() if entry.problem]

    def back_up(self, target: Path | None = None) -> Path:
        """Copy the journal and return the copy, see `web.journal.migrate.back_up`."""
        return back_up(self._connection, self.path, target)

    def _numbers(self) -> list[int]:
        numbers = list(
            self._connection.execute(sa.select(EVENT_TABLE.c.game).distinct().order_by(EVENT_TABLE.c.game)).scalars()
        )
        self._connection.commit()
        return numbers

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

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
