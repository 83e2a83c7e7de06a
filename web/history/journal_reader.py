"""The journal as those read it who only want to know: list, check and copy games, also beside a running Millchen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from referee.endings import Outcome
from web.errors import ShellError
from web.game.replay import Course, begin, tell
from web.journal.journal_record import Record
from web.journal.migrate import backup
from web.journal.schema import EVENT, SCHEMA, DamagedError, check_header, engine_for, record_of, sentence

MOST_GAMES = 2**63
"""A whole number in SQLite has 64 bits; who asks for a larger one gets no answer of the database, but an error."""


@dataclass(frozen=True, slots=True)
class Entry:
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
class Played:
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


def played(rows: Iterable[Any]) -> Played:
    """Replay the rows of one game as far as they can be read."""
    course: Course | None = None
    records: list[Record] = []
    for row in rows:
        try:
            record = record_of(row)
            course = begin(record) if course is None else tell(course, record)
        except DamagedError as why:
            return Played(tuple(records), course, str(why))
        except (ValueError, KeyError, TypeError, IndexError) as why:
            return Played(tuple(records), course, f"record {row.seq} of game {row.game} cannot be replayed: {why}")
        records.append(record)
    return Played(tuple(records), course)


class Archive:
    """A journal that is only read.

    Raises
    ------
    ShellError
        When there is none, or it is not one that this Millchen can read.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise ShellError(f"there are no games in {path.parent} yet: play one, or name another folder with --data")
        self.path = path
        self._engine = engine_for(path, read_only=True)
        try:
            self._connection = self._engine.connect()
            found = check_header(self._connection, path)
            self._connection.commit()
        except sa.exc.DatabaseError as why:
            self._engine.dispose()
            raise ShellError(sentence(path, why)) from why
        if found != SCHEMA:
            raise ShellError(f"the journal {path} is of format {found}: start Millchen once to bring it up to date")

    def entries(self) -> Iterator[Entry]:
        """Every game, in order."""
        for number in self._numbers():
            played = self.play(number)
            first = played.records[0] if played.records else None
            game = played.course.game if played.course is not None else None
            yield Entry(
                number,
                first.body["game"] if first is not None else "",
                first.body.get("source", "") if first is not None else "",
                first.wall_time if first is not None else "",
                game.ply if game is not None else 0,
                game.outcome if game is not None else None,
                played.problem,
            )

    def play(self, number: int) -> Played:
        """Replay a game as far as it can be read.

        Raises
        ------
        ShellError
            When there is no such game.
        """
        query = EVENT.select().where(EVENT.c.game == number).order_by(EVENT.c.seq)
        rows = self._connection.execute(query).all() if 0 < number < MOST_GAMES else []
        self._connection.commit()
        if not rows:
            raise ShellError(f"there is no game {number} in {self.path}: 'millchen games' lists them")
        return played(rows)

    def problems(self) -> list[str]:
        """Everything in the journal that is not as it was written, each as one sentence; the whole file is read."""
        found: list[str] = []
        for verdict in self._connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars():
            if verdict != "ok":
                found.append(f"the file: {verdict}")
        expected = 1
        for seq in self._connection.execute(sa.select(EVENT.c.seq).order_by(EVENT.c.seq)).scalars():
            if seq != expected:
                found.append(f"records {expected} to {seq - 1} are missing")
            expected = seq + 1
        last = self._connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'event'").scalar()
        if last is not None and last >= expected:
            found.append(f"records {expected} to {last} are missing")
        self._connection.commit()
        return found + [entry.problem for entry in self.entries() if entry.problem]

    def backup(self, target: Path | None = None) -> Path:
        """Copy the journal, see `web.journal.migrate.backup`."""
        return backup(self._connection, self.path, target)

    def _numbers(self) -> list[int]:
        numbers = list(self._connection.execute(sa.select(EVENT.c.game).distinct().order_by(EVENT.c.game)).scalars())
        self._connection.commit()
        return numbers

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()
