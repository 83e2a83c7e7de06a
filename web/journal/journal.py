"""The journal: the append-only store of what happened at the table.

It is one table of events in SQLite. The state of a game is a replay of its events (`web.game.replay`). A correction is
a new event; nothing is changed or deleted, and triggers refuse it, except where people delete a game or names: a record
says which numbers are no more (`Forgotten`), so that whatever else is missing is noticed.

Durability: a write-ahead log with ``synchronous=FULL``. With ``NORMAL``, which most advice names, a power cut may lose
turns that the page has already announced. Every commit is moved from the log into the file before it is acknowledged,
so that the file alone, copied or synchronised to elsewhere, has everything. Those who read are waited for, but not for
ever: what another program holds up is in the log alone until it has read. All writing goes through one connection
behind one lock: two connections that write and checkpoint at the same instant may corrupt a file in SQLite 3.7.0 to
3.51.2 (https://sqlite.org/wal.html#walresetbug).
"""

from __future__ import annotations

import json
import logging
import os
import platform
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import sqlalchemy as sa
from sqlalchemy import event as sa_event
from sqlalchemy.pool import StaticPool

from languages import Message, message
from referee.bounded_json import parse_json
from web.errors import MillchenError, NotWrittenError
from web.journal.journal_record import (
    ANEW_ENTRY,
    DIGESTED_COLUMNS,
    FORGOTTEN,
    FORGOTTEN_GAME,
    KEY_ENTRY,
    DamagedRecordError,
    Forgotten,
    JournalRecord,
    UnwrittenRecord,
    key_field,
    key_was_written,
    record_digest,
    record_from_row,
    records_of_game,
    row_digest,
    runs_of,
)
from web.journal.schema import (
    EVENT_TABLE,
    JOURNAL_TABLE,
    create_journal,
    event_rows,
    is_a_game,
    is_new_file,
    letting_change,
)

log = logging.getLogger("millchen.journal")

BUSY_TIMEOUT_MS = 1000
"""How long to wait for another program that holds the file, such as a backup; a command is answered within 2 s."""

MOVE_AGAIN_S = 0.1  # seconds after which what a reader has held up is moved from the log into the file again

ASIDE_FOLDER = "set-aside"  # folder for unreadable files, beside the journal

DATABASE_ERRORS = (sa.exc.DatabaseError, UnicodeDecodeError)
"""What a database may raise: the driver cannot even say its error where that quotes a damaged name."""

_DAMAGED = ("malformed", "not a database", "no such table", "no such column")
"""What SQLite says of files that are damaged, among other things."""

MAX_GAMES_SEARCHED = 500
"""Newest beginnings among which the last game of a table is searched; a table that rested longer begins a new one."""

MAX_RECORDS_WITH_KEYS = 2000  # newest records that are searched for keys of commands; a retry comes within seconds


class DamagedFileError(MillchenError):
    """The file of the journal is empty or cannot be read by SQLite; ``what`` says why, and can be translated."""

    def __init__(self, path: Path, what: Message) -> None:
        super().__init__(f"the journal {path} is damaged ({what}): start Millchen, it makes it anew from what is whole")
        self.what = what


class JournalFile:
    """An open file of a journal. Raises `MillchenError` when SQLite cannot open it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._engine = engine_for(path, read_only=read_only)
        try:
            self._connection = self._engine.connect()
        except DATABASE_ERRORS as why:
            self._engine.dispose()
            raise database_error(path, why) from why

    def copy_into(self, target: Path) -> None:
        """Copy all tables into a new file, in a consistent state. Raises `sqlite3.Error`."""
        driver = self._connection.connection.driver_connection
        assert driver is not None
        name = os.fsencode(target)  # as the system has it: under an old locale Python's text may hold parts of letters
        driver.execute("VACUUM INTO CAST(? AS TEXT)", (name,)).close()

    def _rows(self, query: sa.Executable) -> Iterator[sa.Row[Any]]:
        """Yield the rows of a query one by one: where the file is damaged, those before it can be read."""
        try:
            yield from self._connection.execute(query)
        except DATABASE_ERRORS as why:
            raise database_error(self.path, why) from why
        finally:
            self._connection.rollback()  # ends the read transaction, so that the log can be checkpointed

    def close(self) -> None:
        """Close the file; SQLite merges the write-ahead log into it where it may write."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Journal(JournalFile):
    """The open journal; only one may exist for a file at a time (`DataFolder` ensures it).

    A missing file is created. Raises `DamagedFileError` when the file is empty or damaged (`open_journal` makes it
    anew), and `MillchenError` when it is another program's or of another version, or cannot be written.
    """

    def __init__(self, path: Path, about: Literal["games", "evenings"] = "games") -> None:
        self.about = about  # what it is called for people
        # called after every event that was written, in the thread that wrote it; they must not block
        self.commit_listeners: list[Callable[[], None]] = []
        self.when_forgotten: Callable[[], None] = lambda: None  # called after something was deleted; must not block
        self.findings: list[Message] = []  # what was damaged when it was opened
        self._lock, self._beginning = threading.Lock(), threading.Lock()
        self._is_behind = False  # whether the log has what is not in the file, because somebody reads
        check_file(path)
        super().__init__(path)
        try:
            if is_new_file(self._connection, path):
                create_journal(self._connection)
            self.origin = self._load_or_create_origin()  # 32 hexadecimal digits by which an archive knows this journal
            self._try_out()
            self.deleted = self.forgotten().games  # numbers of games that are no more
            self._inode, self._newest = path.stat().st_ino, self._last_used_number()
            self._connection.rollback()
            self._is_in_file("PASSIVE")
        except DATABASE_ERRORS as why:
            super().close()
            raise database_error(path, why) from why
        except BaseException:
            super().close()
            raise

    def _try_out(self) -> None:
        """Read and write an event and undo it: what is damaged in the tables' descriptions is found at the start."""
        self._connection.execute(event_rows().limit(1)).all()
        trial = {"game": 0, "kind": "", "body": "", "wall_time": "", "monotonic_s": 0, "by": ""}
        self._connection.execute(EVENT_TABLE.insert(), trial)
        self._connection.rollback()

    def _last_used_number(self) -> int:
        """Return the greatest number that an event had, also one that is lost: no number is used twice."""
        used = self._connection.exec_driver_sql("SELECT max(seq) FROM sqlite_sequence WHERE name = 'event'").scalar()
        return used or 0

    def _load_or_create_origin(self) -> str:
        """Return the name of the journal; it is created once, and a copied file keeps it."""
        origin: str | None = self._connection.execute(sa.select(JOURNAL_TABLE.c.origin)).scalar()
        if origin is None:
            origin = uuid.uuid4().hex
            row = {"origin": origin, "host": platform.node(), "begun": hour_now()}
            self._connection.execute(JOURNAL_TABLE.insert(), row)
        self._connection.commit()
        return origin

    def begin(self, body: Mapping[str, Any], *, by: str, kind: str = "start") -> JournalRecord:
        """Write the first record of a new game under the next free number and return it."""
        [record] = self.begin_all([[UnwrittenRecord(kind, None, dict(body))]], by=by)
        return record

    def begin_all(self, games: Sequence[Sequence[UnwrittenRecord]], *, by: str) -> tuple[JournalRecord, ...]:
        """Write the first records of new games under the next free numbers: all of them, or none.

        It is safe while other tables do the same.
        """
        with self._beginning:
            first = (self.last_game() or 0) + 1
            return self._append_all([(first + k, one) for k, records in enumerate(games) for one in records], by)

    def append(
        self, game: int, kind: str, body: Mapping[str, Any], *, ply: int | None = None, by: str
    ) -> JournalRecord:
        """Write one event and return its record; when this returns, the event survives a power cut.

        Raises `NotWrittenError`, as all that write, where nothing was changed: the same event may be tried again.
        """
        [record] = self._append_all([(game, UnwrittenRecord(kind, ply, dict(body)))], by)
        return record

    def append_all(
        self, game: int, events: Sequence[UnwrittenRecord], *, by: str, hour: str = ""
    ) -> tuple[JournalRecord, ...]:
        """Write events of one ``hour`` of a game, all of them or none, and return their records."""
        return self._append_all([(game, event) for event in events], by, hour)

    def _append_all(
        self, events: Sequence[tuple[int, UnwrittenRecord]], by: str, hour: str = ""
    ) -> tuple[JournalRecord, ...]:
        """Write events of games in one transaction and return their records."""
        wall_time = hour or hour_now()
        bodies = [{**event.body} for _, event in events]
        bodies[0] |= key_field()
        texts = [json.dumps(body, ensure_ascii=False, sort_keys=True) for body in bodies]
        records: list[JournalRecord] = []
        with self._lock, self._transaction():
            for (game, event), text in zip(events, texts, strict=True):
                if game in self.deleted:
                    raise NotWrittenError(message("page.no_game", number=game))
                record = self._insert(game, event.kind, event.ply, text, wall_time, by)
                records.append(replace(record, event=event.event))
        key_was_written()
        self._tell_listeners()
        return tuple(records)

    def _insert(self, game: int, kind: str, ply: int | None, text: str, wall_time: str, by: str) -> JournalRecord:
        """Write an event under the next number, within a transaction."""
        seq = self._last_used_number() + 1
        last = sa.select(sa.func.max(EVENT_TABLE.c.seq)).where(EVENT_TABLE.c.game == game)
        follows = self._connection.execute(last).scalar() or 0
        columns = (seq, game, follows, kind, ply, text, wall_time, by)
        values: dict[str, Any] = dict(zip(DIGESTED_COLUMNS, columns, strict=True))
        values |= {"monotonic_s": time.monotonic(), "digest": record_digest(*columns)}
        self._connection.execute(EVENT_TABLE.insert(), values)
        return JournalRecord(seq, game, kind, ply, json.loads(text), wall_time, by)

    def _tell_listeners(self) -> None:
        for listener in tuple(self.commit_listeners):
            listener()

    # ------------------------------------------------------------ deleting

    def forget(self, games: Iterable[int]) -> None:
        """Delete games, all or none; one that is gone already stays so. Their numbers are not used again.

        What the file, its log and its copies still hold of them is taken out by `web.journal.copies.wipe_forgotten`.
        Raises `MillchenError` where the journal never had one of them, and `NotWrittenError`.
        """
        existing = sorted(set(games) - self.deleted)
        for game in existing:
            if game == FORGOTTEN_GAME or not self._read(sa.select(EVENT_TABLE.c.seq).where(EVENT_TABLE.c.game == game)):
                raise MillchenError(message("page.no_game", number=game))
        hour, run = hour_now(), self._connection.execute
        with self._beginning, self._lock:
            with self._transaction(), letting_change(self._connection):
                for game in existing:
                    numbers = run(sa.select(EVENT_TABLE.c.seq).where(EVENT_TABLE.c.game == game)).scalars().all()
                    run(EVENT_TABLE.delete().where(EVENT_TABLE.c.game == game))
                    text = json.dumps({"game": game, "numbers": runs_of(numbers)})
                    self._insert(FORGOTTEN_GAME, FORGOTTEN, None, text, hour, "hand")
            self.deleted |= set(existing)
        self._tell_listeners()
        self.when_forgotten()

    def write_anew(self, game: int, bodies: Mapping[int, Mapping[str, Any]]) -> None:
        """Write records of a game with other bodies, given by their numbers; what they said before is gone as deleted.

        Raises `NotWrittenError` where nothing was changed.
        """
        hour = hour_now()
        with self._lock, self._transaction(), letting_change(self._connection):
            text = json.dumps({"game": game, ANEW_ENTRY: sorted(bodies)})
            deletion_seq = self._insert(FORGOTTEN_GAME, FORGOTTEN, None, text, hour, "hand").seq
            for row in self._connection.execute(event_rows().where(EVENT_TABLE.c.seq.in_(bodies))).all():
                body = json.dumps({**bodies[row.seq], ANEW_ENTRY: deletion_seq}, ensure_ascii=False, sort_keys=True)
                columns = {**row._mapping, "body": body}
                digest = record_digest(*(columns[name] for name in DIGESTED_COLUMNS))
                anew = EVENT_TABLE.update().where(EVENT_TABLE.c.seq == row.seq)
                self._connection.execute(anew.values(body=body, digest=digest))
        self._tell_listeners()
        self.when_forgotten()

    def forgotten(self) -> Forgotten:
        """Return what was deleted here."""
        return Forgotten.of(row._mapping for row in self.rows_of_game(FORGOTTEN_GAME))

    def wipe(self) -> None:
        """Write the file anew, so that no byte of deleted records is left in it or in its log. Raises `MillchenError`.

        Somebody who is reading meanwhile holds up the log, which is emptied at the next commit or when it is closed.
        """
        with self._lock:
            driver = self._connection.connection.driver_connection
            assert driver is not None
            try:
                for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    driver.execute(statement).close()
            except sqlite3.Error as why:
                raise database_error(self.path, why) from why

    def records(self, game: int) -> tuple[JournalRecord, ...]:
        """Return the events of one game, in order. Raises `DamagedRecordError`."""
        return tuple(records_of_game(self.rows_of_game(game)))

    def rows_after(self, after: int, most: int) -> Sequence[sa.Row[Any]]:
        """Return at most ``most`` rows of events with a number above ``after``, in order."""
        return self._read(event_rows().where(EVENT_TABLE.c.seq > after).order_by(EVENT_TABLE.c.seq).limit(most))

    def games(self) -> Sequence[sa.Row[Any]]:
        """Return a row for every game: ``game`` and ``seq`` of its last event, newest first."""
        last = sa.func.max(EVENT_TABLE.c.seq)
        query = sa.select(EVENT_TABLE.c.game, last.label("seq")).where(is_a_game())
        return self._read(query.group_by(EVENT_TABLE.c.game).order_by(last.desc()))

    def rows_of_game(self, game: int) -> Sequence[sa.Row[Any]]:
        """Return the rows of the events of one game, in order."""
        return self._read(event_rows().where(EVENT_TABLE.c.game == game).order_by(EVENT_TABLE.c.seq))

    def rows_numbered(self, numbers: Iterable[int]) -> Sequence[sa.Row[Any]]:
        """Return the rows of the events with these numbers, as far as they are there."""
        return self._read(event_rows().where(EVENT_TABLE.c.seq.in_(numbers)))

    def last_seq(self) -> int:
        """Return the number of the newest event, 0 in an empty journal."""
        return self._read(sa.select(sa.func.max(EVENT_TABLE.c.seq)))[0][0] or 0

    def identity_row(self) -> sa.Row[Any]:
        """Return the row with the name of the journal: ``origin``, ``host`` and ``begun``."""
        return self._read(JOURNAL_TABLE.select())[0]

    def _read(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._lock:
            return list(self._rows(query))

    def last_game(self) -> int | None:
        """Return the number of the newest game, also one that was deleted; None where there was none yet."""
        newest: int | None = self._read(sa.select(sa.func.max(EVENT_TABLE.c.game)).where(is_a_game()))[0][0]
        return max([newest or 0, *self.deleted]) or None

    def last_game_of_table(
        self, table: str, is_wanted: Callable[[Mapping[str, Any]], bool] = lambda _: True
    ) -> int | None:
        """Return the wanted game that was begun or gone on with last at a table ("" has no name), or None."""
        query = event_rows().where(EVENT_TABLE.c.kind.in_(("start", "source"))).order_by(EVENT_TABLE.c.seq.desc())
        looked_at: set[int] = set()
        for row in self._read(query.limit(MAX_GAMES_SEARCHED)):
            if row.game in looked_at:
                continue
            looked_at.add(row.game)  # the newest of these records says at which table the game is
            try:
                newest = record_from_row(row)
                first = newest if row.kind == "start" else record_from_row(self.rows_of_game(row.game)[0])
            except (DamagedRecordError, IndexError):
                continue  # it was damaged before this file was made anew, or has been since
            if newest.body.get("table", "") == table and is_wanted(first.body):
                return first.game
        return None

    def recent_keys(self) -> dict[str, tuple[int, int]]:
        """Return game and number of the last record of the newest commands, by their keys, oldest first."""
        event = EVENT_TABLE.c
        query = (
            sa.select(event.game, event.seq, event.body, event.wall_time, event.by)
            .order_by(EVENT_TABLE.c.seq.desc())
            .limit(MAX_RECORDS_WITH_KEYS)
        )
        results: dict[str, tuple[int, int]] = {}
        key, transaction = "", (0, "", "")
        for row in reversed(self._read(query)):
            if f'"{KEY_ENTRY}"' in str(row.body):
                try:
                    key, transaction = str(parse_json(row.body)[KEY_ENTRY]), (row.game, row.wall_time, row.by)
                except (ValueError, KeyError, TypeError):
                    continue  # damaged, or a word of its own; who opens that game gets the error
            if transaction == (row.game, row.wall_time, row.by):  # what follows from a command is written with it
                results[key] = (int(row.game), int(row.seq))
        return results

    def damage(self) -> Message | None:
        """Return what is wrong with the first record that is damaged; None where all are as they were written."""
        for row in self._read(event_rows()):
            if row.digest != row_digest(row):
                return message("journal.damaged_row", seq=row.seq)
        return None

    def take_over(
        self, rows: Iterable[Mapping[str, Any]], identity: Mapping[str, str] | None = None, last_used: int = 0
    ) -> None:
        """Write records under their own numbers, all or none, and the name that the journal had elsewhere.

        Numbers up to ``last_used`` are not used again. Those of the records must be free. Raises `NotWrittenError`
        where nothing was changed.
        """
        with self._lock, self._transaction():
            if identity is not None:
                self._connection.execute(JOURNAL_TABLE.update(), dict(identity))
                self.origin = identity["origin"]
            for row in rows:
                self._connection.execute(EVENT_TABLE.insert(), dict(row))
            if last_used > self._last_used_number():
                run = self._connection.exec_driver_sql
                run("DELETE FROM sqlite_sequence WHERE name = 'event'")
                run("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)", (last_used,))
        self.deleted = self.forgotten().games

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write everything in here, or nothing. Raises `NotWrittenError`."""
        try:  # what is written to a file that was deleted or moved away is read by nobody
            if not self.path.exists() or self.path.stat().st_ino != self._inode:
                raise NotWrittenError(message("journal.moved", name=self.path.name))
            if self._last_used_number() != self._newest:  # the games that the tables know are not those in the file
                raise NotWrittenError(message("journal.other_writer", name=self.path.name))
            yield
            newest = self._last_used_number()
            self._connection.commit()
            self._newest = newest
        except (*DATABASE_ERRORS, sa.exc.PendingRollbackError) as why:
            raise NotWrittenError(str(database_error(self.path, why))) from why
        finally:
            self._connection.rollback()
        if not (self._is_behind or self._is_in_file("FULL")):
            log.info("what is written to %s is in its log alone, until those who read it have done so", self.path)
            self._is_behind = True
            threading.Thread(target=self._catch_up, name="journal", daemon=True).start()

    def _is_in_file(self, how: Literal["FULL", "PASSIVE"]) -> bool:
        """Move the log into the file, with FULL after waiting for those who read; return whether all of it is there."""
        driver = self._connection.connection.driver_connection
        assert driver is not None
        try:
            [(_, n_written, n_moved)] = driver.execute(f"PRAGMA wal_checkpoint({how})").fetchall()
        except sqlite3.Error as why:
            log.debug("%s stays in its log: %s", self.path, why)
            return False
        return bool(n_written == n_moved)

    def _catch_up(self) -> None:
        while self._is_behind:
            time.sleep(MOVE_AGAIN_S)
            with self._lock:
                self._is_behind = self._is_behind and not self._is_in_file("PASSIVE")

    def close(self) -> None:
        """Close the file once nothing is being written."""
        with self._lock:
            self._is_behind = False
            super().close()


def hour_now() -> str:
    """Return the present hour as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


# ---------------------------------------------------------------- the file


def engine_for(path: Path, *, read_only: bool = False) -> sa.Engine:
    """Return an engine with one connection to the file.

    SQLAlchemy begins the transactions, because Python's driver leaves statements that change tables outside of them.
    """
    address, query = str(path), {}
    if read_only:
        address, query = path.resolve().as_uri(), {"mode": "ro", "uri": "true"}
        if not os.access(path.parent, os.W_OK) and not has_log(path):  # nobody writes there, not even SQLite its index
            query["immutable"] = "1"
    url = sa.URL.create("sqlite", database=address, query=query)
    engine = sa.create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    sa_event.listen(engine, "connect", _set_read_only if read_only else _set_pragmas)
    sa_event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def wal_file(path: Path) -> Path:
    """Return the write-ahead log beside a journal."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Return whether something may be in the write-ahead log beside a journal."""
    return wal_file(path).exists() and wal_file(path).stat().st_size > 0


def check_is_a_file(path: Path) -> None:
    """Raise `DamagedFileError` where SQLite would begin a new journal and delete what is left of this one."""
    if path.exists():
        if path.is_file() and path.stat().st_size == 0:
            raise DamagedFileError(path, message("journal.empty"))
    elif has_log(path):
        raise DamagedFileError(path, message("journal.no_file"))


def check_file(path: Path) -> None:
    """Raise `DamagedFileError` where SQLite cannot read the file, and `MillchenError` where it is another program's.

    The file is opened for reading only: a connection that may write moves the write-ahead log into a damaged file when
    it is closed.
    """
    check_is_a_file(path)
    if not path.exists():
        return
    engine = engine_for(path, read_only=True)
    try:
        with engine.connect() as connection:
            is_new_file(connection, path)
            verdicts = map(str, connection.exec_driver_sql("PRAGMA integrity_check").scalars().all())
            connection.commit()
            # A value that is missing in a record is one damaged record, which its digest tells.
            damage = [one.splitlines()[0] for one in verdicts if one != "ok" and "NULL value in event" not in one]
            if damage:
                raise DamagedFileError(path, message("journal.unreadable", said=damage[0]))
    except DATABASE_ERRORS as why:
        error = database_error(path, why)
        if isinstance(error, DamagedFileError):
            raise error from why
        # what is in the way of reading is said when it is opened for writing
    finally:
        engine.dispose()


def database_error(path: Path, why: Exception) -> MillchenError:
    """Return the error for people about an error of the database."""
    reason = str(getattr(why, "orig", None) or why).splitlines()[0]
    if isinstance(why, UnicodeDecodeError) or any(sign in reason for sign in _DAMAGED):
        return DamagedFileError(path, message("journal.unreadable", said=reason))
    if "locked" in reason:
        return MillchenError(f"another program holds the journal {path}: close it and try again")
    if "full" in reason or "I/O" in reason:  # SQLite says the second where its index finds no room
        return MillchenError(
            f"cannot write the journal {path} ({reason}): make room on the disk, or name another folder with --data"
        )
    return MillchenError(f"cannot open the journal {path}: {reason}")


def set_aside_folders(path: Path) -> list[str]:
    """Return the folders in which unreadable journals of that name lie, in the data folder, oldest first."""
    aside = (path.parent / ASIDE_FOLDER).glob(f"*/{path.name}*")
    return sorted({f"{ASIDE_FOLDER}/{place.parent.name}" for place in aside})


def set_aside(path: Path) -> str:
    """Move the file with its log to a folder of its own; return that folder's name in the data folder."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S_%f")
    folder = path.parent / ASIDE_FOLDER / f"{path.stem}_{stamp}"
    try:
        folder.mkdir(parents=True, mode=0o700)
        index = path.with_name(f"{path.name}-shm")  # of the log; SQLite makes it anew
        for file in (path, wal_file(path)):  # a log that is left alone for a moment is laid aside too
            if file.exists() and (file == path or file.stat().st_size > 0):
                file.rename(folder / file.name)
        for file in (wal_file(path), index):
            file.unlink(missing_ok=True)
        for place in (folder, folder.parent, path.parent):
            fsync(place)
    except OSError as why:
        raise MillchenError(f"the journal {path} is damaged and cannot be laid aside: {why.strerror or why}") from why
    return f"{ASIDE_FOLDER}/{folder.name}"


def fsync(place: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    if os.name == "nt" and place.is_dir():
        return  # Windows does this itself
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_read_only(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # the digest tells what is damaged
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").close()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    _set_read_only(connection, _)
    pragmas = "journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0", "secure_delete = ON"
    for pragma in (*pragmas, "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()
