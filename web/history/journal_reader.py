"""The journal as those read it who only want to know: list, check and copy games, also beside a running Millchen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from referee.endings import Outcome
from web.errors import MillchenError
from web.game.replay import Course, begin, tell
from web.journal.journal_record import Record
from web.journal.migrate import back_up
from web.journal.schema import EVENT_TABLE, SCHEMA_VERSION, DamagedRecordError, read_schema_version, engine_for, record_from_row, database_error_message

GAME_NUMBER_LIMIT = 2**63
"""A whole number in SQLite has 64 bits; who asks for a larger one gets no answer of the database, but an error."""


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game in the list.

    Attributes
    ----------
    number : int
        As the journal counts them, 1 first.
    name : str
        The game that is played; empty where its first record is damaged.
    source : str
        Where the pictures came from.
    begun : str
        ISO 8601 with zone.
    n_turns : int
        Complete turns, as far as the record can be read.
    outcome : Outcome or None
        None while it is open.
    problem : str
        One sentence on what cannot be read, else empty.
    """

    number: int
    name: str
    source: str
    begun: str
    n_turns: int
    outcome: Outcome | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game as far as its records can be read.

    Attributes
    ----------
    records : tuple of Record
        Those that were replayed.
    course : Course or None
        Where they lead; None when not even the first can be read.
    problem : str
        Why the reading stopped, empty when it did not.
    """

    records: tuple[Record, ...]
    course: Course | None
    problem: str = ""


def replay_rows(rows: Iterable[Any]) -> ReplayedGame:
    """Replay the rows of one game as far as they can be read."""
    course: Course | None = None
    records: list[Record] = []
    for row in rows:
        try:
            record = record_from_row(row)
            course = begin(record) if course is None else tell(course, record)
        except DamagedRecordError as why:
            return ReplayedGame(tuple(records), course, str(why))
        except (ValueError, KeyError, TypeError, IndexError) as why:
            return ReplayedGame(tuple(records), course, f"record {row.seq} of game {row.game} cannot be replayed: {why}")
        records.append(record)
    return ReplayedGame(tuple(records), course)


class JournalReader:
    """A journal that is only read.

    Raises
    ------
    MillchenError
        When there is none, or it is not one that this Millchen can read.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise MillchenError(f"there are no games in {path.parent} yet: play one, or name another folder with --data")
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
        """Every game, in order."""
        for number in self._numbers():
            replay_rows = self.replay(number)
            first = replay_rows.records[0] if replay_rows.records else None
            game = replay_rows.course.game if replay_rows.course is not None else None
            yield GameEntry(
                number,
                first.body["game"] if first is not None else "",
                first.body.get("source", "") if first is not None else "",
                first.wall_time if first is not None else "",
                game.ply if game is not None else 0,
                game.outcome if game is not None else None,
                replay_rows.problem,
            )

    def replay(self, number: int) -> ReplayedGame:
        """Replay a game as far as it can be read.

        Raises
        ------
        MillchenError
            When there is no such game.
        """
        query = EVENT_TABLE.select().where(EVENT_TABLE.c.game == number).order_by(EVENT_TABLE.c.seq)
        rows = self._connection.execute(query).all() if 0 < number < GAME_NUMBER_LIMIT else []
        self._connection.commit()
        if not rows:
            raise MillchenError(f"there is no game {number} in {self.path}: 'millchen games' lists them")
        return replay_rows(rows)

    def problems(self) -> list[str]:
        """Everything in the journal that is not as it was written, each as one sentence; the whole file is read."""
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
        """Copy the journal, see `web.journal.migrate.backup`."""
        return back_up(self._connection, self.path, target)

    def _numbers(self) -> list[int]:
        numbers = list(self._connection.execute(sa.select(EVENT_TABLE.c.game).distinct().order_by(EVENT_TABLE.c.game)).scalars())
        self._connection.commit()
        return numbers

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
