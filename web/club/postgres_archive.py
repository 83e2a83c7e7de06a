"""The archive of a club: one PostgreSQL database with the events of every table's journal, and how they get there.

It has the tables of a journal (`web.journal.schema`). An event is stored once, under the name of its journal and its
number there. ``NOTIFY`` wakes the computers that listen. A `JournalForwarder` sends the events of a journal in a thread
of its own: a table never waits for the network.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.pool import NullPool

from web.errors import MillchenError
from web.journal.journal import Journal
from web.journal.journal_record import DIGESTED_COLUMNS, Forgotten
from web.journal.schema import APPLICATION_ID, EVENT_TABLE, JOURNAL_TABLE, create_tables, letting_change

log = logging.getLogger("millchen.club")

NOTIFY_CHANNEL = "millchen"

CONNECT_TIMEOUT_S = 3  # longest attempt to reach the archive, seconds
STATEMENT_TIMEOUT_MS = 5000  # longest statement, milliseconds; an archive that hangs counts as unreachable

TCP_KEEPALIVE = {"keepalives": 1, "keepalives_idle": 2, "keepalives_interval": 1, "keepalives_count": 3}
"""TCP keep-alive parameters of libpq: a pulled cable is noticed within seconds, without traffic."""

MAX_ROWS_PER_TRANSACTION = 500  # events that are sent in one transaction
PROBE_INTERVAL_S = 2.0  # seconds without news after which the archive is asked whether it is still there
RETRY_DELAY_S = 1.0  # seconds between an outage of the archive and the next attempt to reach it
MAX_CLOCK_OFFSET_S = 30.0  # A clock that differs from the archive's by more seconds is reported
CLOSE_TIMEOUT_S = 1.0  # seconds that the last events may take when the table is closed
FIRST_RECORD_KINDS = ("start", "evening")  # kinds of records that begin a game or an evening
EVENING_HOURS = 12  # hours after its last event for which a journal belongs to the present evening

_SINCE = sa.func.now() - sa.text(f"interval '{EVENING_HOURS} hours'")

NumberedRows = Callable[[Iterable[int]], Sequence[sa.Row[Any]]]

_INVALID_ADDRESS = "an archive is given as postgresql://user:password@host/database"


class ArchiveError(MillchenError):
    """The archive cannot be used. The page has the sentence ``club.link.CODE`` for it."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class ArchiveUnreachableError(ArchiveError):
    """The archive cannot be reached now; it may come back without help."""

    def __init__(self, place: str) -> None:
        super().__init__("away", f"the archive {place} cannot be reached; the games go on and are sent later")


class PostgresArchive:
    """The archive at ``postgresql://user:password@host/database``. Raises `MillchenError` where that cannot be one."""

    def __init__(self, address: str) -> None:
        try:
            url = sa.make_url(address)
        except (sa.exc.ArgumentError, ValueError):
            raise MillchenError(_INVALID_ADDRESS) from None
        if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg") or not url.database:
            raise MillchenError(_INVALID_ADDRESS)
        if find_spec("psycopg") is None:
            raise MillchenError("an archive needs the PostgreSQL driver: pip install 'millchen[club]'")
        self.display_name = f"{url.host or 'this computer'}/{url.database}"  # for people, without the password
        self._engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT_S,
                "application_name": "millchen",
                "options": f"-c statement_timeout={STATEMENT_TIMEOUT_MS} -c client_min_messages=error",
                "tcp_user_timeout": STATEMENT_TIMEOUT_MS,
                **TCP_KEEPALIVE,
            },
        )

    @contextmanager
    def connected(self) -> Iterator[OpenArchive]:
        """Connect. Raises `ArchiveUnreachableError` where nobody answers, `ArchiveError` where it refuses."""
        try:
            with self._engine.connect() as connection:
                self._prepare(connection)
                yield OpenArchive(connection, self.display_name)
        except sa.exc.DBAPIError as why:
            raise self._error(why) from why

    def _prepare(self, connection: sa.Connection) -> None:
        with connection.begin():
            # The lock lets one computer create the tables; the others wait and find it done.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(APPLICATION_ID)))
            tables = sa.inspect(connection)
            if not tables.has_table(EVENT_TABLE.name):
                create_tables(connection)
                return
            comment = tables.get_table_comment(EVENT_TABLE.name)["text"] or ""
        if not comment.startswith("Millchen"):
            raise ArchiveError("foreign", f"the archive {self.display_name} is the database of another program")
        if comment != EVENT_TABLE.comment:
            newer = f"the archive {self.display_name} was written by a newer Millchen: update this one"
            raise ArchiveError("newer", newer)

    def _error(self, why: sa.exc.DBAPIError) -> ArchiveError:
        """Return the sentence for people about an error of the database."""
        text = str(why.orig or why).strip()
        first = text.splitlines()[0] if text else str(why)
        state = getattr(why.orig, "sqlstate", None)
        place = self.display_name
        if "password authentication failed" in text or "no password supplied" in text or state in ("28P01", "28000"):
            return ArchiveError("password", f"the archive {place} refuses this user or password: correct --archive")
        if "does not exist" in text and "database" in text:
            return ArchiveError("database", f"there is no database {place}: make it with 'createdb', or correct it")
        if state is not None and state[:2] == "42":
            return ArchiveError("foreign", f"the archive {place} is not Millchen's, or may not be written: {first}")
        if isinstance(why, sa.exc.OperationalError | sa.exc.InterfaceError) or why.connection_invalidated:
            log.debug("the archive is away: %s", text)
            return ArchiveUnreachableError(place)
        return ArchiveError("mistake", f"the archive {place} made a mistake: {first}")


class OpenArchive:
    """A connection to the archive; an outage is an error of the database until `PostgresArchive.connected` has it."""

    def __init__(self, connection: sa.Connection, place: str) -> None:
        self._connection, self._place = connection, place

    def _read(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._connection.begin():
            return self._connection.execute(query).all()

    def insert_events(self, journal: sa.Row[Any], rows: Sequence[sa.Row[Any]], anew: NumberedRows) -> None:
        """Insert the events that follow on those that are there, all or none, and notify the listeners.

        What they say was deleted is deleted here; ``anew`` gives the events of the journal with some numbers.
        """
        copied = (*DIGESTED_COLUMNS[1:], "monotonic_s", "digest")
        values = [
            {name: getattr(row, name) for name in copied}
            | {"origin": journal.origin, "origin_seq": row.seq, "arrived": sa.func.now()}
            for row in rows
        ]
        with self._connection.begin():
            run = self._connection.execute
            run(insert(JOURNAL_TABLE).values(dict(journal._mapping)).on_conflict_do_nothing())
            once = insert(EVENT_TABLE).values(values)
            run(once.on_conflict_do_nothing(index_elements=["origin", "origin_seq"]))
            self._forget(journal.origin, Forgotten.of(row._mapping for row in rows), anew)
            run(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, journal.origin)))

    def _forget(self, origin: str, forgotten: Forgotten, anew: NumberedRows) -> None:
        """Delete events of a journal that are no more, and write those anew that were."""
        run, own = self._connection.execute, EVENT_TABLE.c.origin == origin
        if not forgotten.numbers and not forgotten.anew:
            return
        with letting_change(self._connection):
            run(EVENT_TABLE.delete().where(own, EVENT_TABLE.c.origin_seq.in_(forgotten.numbers)))
            for row in anew(forgotten.anew):
                same = EVENT_TABLE.update().where(own, EVENT_TABLE.c.origin_seq == row.seq)
                run(same.values(body=row.body, digest=row.digest))

    def last_event(self, origin: str) -> tuple[int, str]:
        """Return number and digest of the newest event of a journal; 0 and "" before the first."""
        query = sa.select(EVENT_TABLE.c.origin_seq, EVENT_TABLE.c.digest).where(EVENT_TABLE.c.origin == origin)
        rows = self._read(query.order_by(EVENT_TABLE.c.origin_seq.desc()).limit(1))
        return (int(rows[0].origin_seq), str(rows[0].digest)) if rows else (0, "")

    def recent_journals(self) -> dict[str, str]:
        """Return the journals with events in the last `EVENING_HOURS`, and the names of their computers."""
        recent = sa.select(EVENT_TABLE.c.origin).where(EVENT_TABLE.c.arrived > _SINCE).distinct()
        rows = self._read(sa.select(JOURNAL_TABLE).where(JOURNAL_TABLE.c.origin.in_(recent)))
        return {row.origin: row.host for row in rows}

    def rows_after(self, origin: str, after: int) -> Sequence[sa.Row[Any]]:
        """Return the events of a journal after a number, in order, numbered as in the journal."""
        return self._rows(origin, EVENT_TABLE.c.origin_seq > after)

    def rows_of_game(self, origin: str, game: int) -> Sequence[sa.Row[Any]]:
        """Return the events of one game of a journal, in order, numbered as in the journal."""
        return self._rows(origin, EVENT_TABLE.c.game == game)

    def _rows(self, origin: str, which: sa.ColumnElement[bool]) -> Sequence[sa.Row[Any]]:
        number = EVENT_TABLE.c.origin_seq
        columns = [column for column in EVENT_TABLE.c if column.name not in ("seq", "origin_seq")]
        query = sa.select(number.label("seq"), *columns)
        return self._read(query.where(EVENT_TABLE.c.origin == origin, which).order_by(number))

    def first_recent_seq(self, origin: str) -> int:
        """Return the first event of a journal that the scoreboard needs: where the oldest recent game begins."""
        event = EVENT_TABLE.c
        begins = sa.and_(event.origin == origin, event.kind.in_(FIRST_RECORD_KINDS))
        first = sa.select(sa.func.min(event.origin_seq)).where(begins, event.arrived > _SINCE)
        last = sa.select(sa.func.max(event.origin_seq)).where(begins)
        return self._read(first)[0][0] or self._read(last)[0][0] or 1

    def listen(self) -> Callable[[float], set[str]]:
        """Listen; return a function that waits for so many seconds at most and returns the journals that changed."""
        self._connection.execution_options(isolation_level="AUTOCOMMIT")
        with self._connection.begin():
            self._connection.exec_driver_sql(f"LISTEN {NOTIFY_CHANNEL}")
        driver: Any = self._connection.connection.driver_connection
        error: type[Exception] = import_module("psycopg").Error

        def wait(timeout_s: float) -> set[str]:
            try:
                return {news.payload for news in driver.notifies(timeout=timeout_s, stop_after=1)}
            except error as why:
                raise ArchiveUnreachableError(self._place) from why

        return wait

    def games(self) -> Sequence[sa.Row[Any]]:
        """Return all games, newest first, as rows ``origin``, ``game``, ``host`` and ``seq`` (of the last event)."""
        event = EVENT_TABLE.c
        columns = (event.origin, event.game, JOURNAL_TABLE.c.host)
        query: sa.Select[Any] = (
            sa.select(*columns, sa.func.max(event.origin_seq).label("seq"))
            .join(JOURNAL_TABLE, JOURNAL_TABLE.c.origin == event.origin)
            .group_by(*columns)
            .having(sa.func.bool_or(event.kind == "start"))
            .order_by(sa.func.max(event.seq).desc())
        )
        return self._read(query)

    def clock_offset_s(self) -> float:
        """Return by how many seconds this computer's clock is ahead of the archive's."""
        there: datetime = self._read(sa.select(sa.func.clock_timestamp()))[0][0]
        return (datetime.now(UTC) - there).total_seconds()


@dataclass(frozen=True)
class ArchiveLink:
    """The state of the connection between a journal and the archive, as pages have it."""

    place: str  # the archive's name for people
    state: str = "opening"  # then "open", "away" (tried again without help) or "refused" (somebody must act)
    text: str = ""  # one sentence on what is wrong
    code: str = ""  # the key of that sentence in the catalogues of the page
    ahead: int = 0  # seconds by which this computer's clock is ahead, where that is worth a warning
    last_sent_seq: int = 0  # of the newest event that the archive has


class JournalForwarder:
    """One thread that sends the events of a journal in order; ``on_change`` is called from it after `link` has changed.

    The archive itself is asked which events it has, so this computer stores nothing that could be lost or wrong.
    """

    def __init__(
        self, journal: Journal, archive: PostgresArchive, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.link = ArchiveLink(archive.display_name)
        self.archive = archive
        self._journal = journal
        self._on_change = on_change
        self._news, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="forwarder", daemon=True)

    def start(self) -> None:
        """Begin to send; from now on every event that is written wakes the thread."""
        self._journal.commit_listeners.append(self._news.set)
        self._thread.start()

    def close(self) -> None:
        """Send what is left if that takes a moment only; the next start sends the rest."""
        self._journal.commit_listeners.remove(self._news.set)
        self._end.set()
        self._news.set()
        self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        while not self._end.is_set():
            try:
                with self.archive.connected() as connection:
                    self._send(connection)
            except ArchiveError as why:
                state = "away" if isinstance(why, ArchiveUnreachableError) else "refused"
                self._set_link(state=state, text=str(why), code=why.code, ahead=0)
            except MillchenError as why:  # of the journal
                self._set_link(state="refused", text=str(why), code="journal", ahead=0)
            self._end.wait(RETRY_DELAY_S)

    def _send(self, connection: OpenArchive) -> None:
        """Send events until `close` is called."""
        journal = self._journal.identity_row()
        last_seq, digest = connection.last_event(journal.origin)
        self._check_same_journal(last_seq, digest)
        ahead = round(connection.clock_offset_s())
        ahead = ahead if abs(ahead) > MAX_CLOCK_OFFSET_S else 0
        if ahead:
            log.warning("this computer's clock is %s s ahead of the archive's; order is not touched", ahead)
        self._set_link(state="open", text="", code="", ahead=ahead, last_sent_seq=last_seq)
        while True:
            is_last = self._end.is_set()
            self._news.clear()
            while rows := self._journal.rows_after(last_seq, MAX_ROWS_PER_TRANSACTION):
                connection.insert_events(journal, rows, self._journal.rows_numbered)
                last_seq = int(rows[-1].seq)
                self._set_link(last_sent_seq=last_seq)
            if is_last:
                return
            if not self._news.wait(PROBE_INTERVAL_S):
                connection.last_event(journal.origin)  # fails if the archive has gone

    def _check_same_journal(self, last_seq: int, digest: str) -> None:
        """Refuse an archive whose newest event of this journal is not the event of that number in this journal."""
        forgotten = self._journal.forgotten()
        if last_seq == 0 or last_seq in forgotten.numbers or last_seq in forgotten.anew:
            return
        ours = self._journal.rows_after(last_seq - 1, 1)
        if not ours or ours[0].seq != last_seq or ours[0].digest != digest:
            raise ArchiveError(
                "copied",
                f"the archive {self.archive.display_name} holds other games of this journal: it was copied, or an "
                "older one was put back; move journal.sqlite away to begin a new one (its games stay in it)",
            )

    def _set_link(self, **changes: Any) -> None:
        link = replace(self.link, **changes)
        if link != self.link:
            if link.state != self.link.state:
                log.log(logging.INFO if link.state == "open" else logging.WARNING, "archive %s: %s", link.state,
                        link.text)  # fmt: skip
            self.link = link
            self._on_change()
