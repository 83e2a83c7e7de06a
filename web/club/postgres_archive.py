"""The archive of a club: one PostgreSQL database with the events of every table's journal.

It has the tables of a journal (`web.journal.schema`). An event is stored once, under the name of its journal and its
number there. ``NOTIFY`` wakes the computers that listen.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.pool import NullPool

from web.errors import MillchenError
from web.journal.schema import APPLICATION_ID, EVENT_TABLE, JOURNAL_TABLE, create_tables

log = logging.getLogger("millchen.club")

NOTIFY_CHANNEL = "millchen"
"""Channel of ``LISTEN`` and ``NOTIFY``."""

CONNECT_TIMEOUT_S = 3
"""Longest attempt to reach the archive, seconds. Source: chosen."""

STATEMENT_TIMEOUT_MS = 5000
"""Longest statement, milliseconds; an archive that hangs counts as unreachable. Source: chosen."""

TCP_KEEPALIVE = {"keepalives": 1, "keepalives_idle": 2, "keepalives_interval": 1, "keepalives_count": 3}
"""TCP keep-alive parameters of libpq: a pulled cable is noticed within seconds, without traffic. Source: chosen."""

FIRST_RECORD_KINDS = ("start", "evening")
"""Kinds of records that begin a game or an evening."""

EVENING_HOURS = 12
"""Hours after its last event for which a journal belongs to the present evening. Source: chosen."""


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
    """The archive at an address; the first connection is made by `connected`.

    Args:
        address: ``postgresql://user:password@host/database``.

    Attributes:
        display_name: Host and database for people, without the password.

    Raises:
        MillchenError: When the address is not valid, or the driver is not installed.
    """

    def __init__(self, address: str) -> None:
        try:
            url = sa.make_url(address)
        except (sa.exc.ArgumentError, ValueError):
            raise MillchenError(_INVALID_ADDRESS) from None
        if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg") or not url.database:
            raise MillchenError(_INVALID_ADDRESS)
        if find_spec("psycopg") is None:
            raise MillchenError("an archive needs the PostgreSQL driver: pip install 'millchen[club]'")
        self.display_name = f"{url.host or 'this computer'}/{url.database}"
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
    def connected(self) -> Iterator[sa.Connection]:
        """Connect; the first one who does creates the tables.

        Raises:
            ArchiveUnreachableError: When the archive cannot be reached, or stops answering within the block.
            ArchiveError: When the archive refuses, or is not one of this Millchen.
        """
        try:
            with self._engine.connect() as connection:
                self._prepare(connection)
                yield connection
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

    def insert_events(self, connection: sa.Connection, journal: sa.Row[Any], rows: Sequence[sa.Row[Any]]) -> None:
        """Insert the next events of a journal, all or none, and notify the listeners. Events that are there stay.

        Args:
            journal: The journal of the events.
            rows: In order, without a gap to those that were inserted before.
        """
        copied = ("game", "kind", "ply", "body", "wall_time", "monotonic_s", "by", "digest")
        values = [
            {name: getattr(row, name) for name in copied}
            | {"origin": journal.origin, "origin_seq": row.seq, "arrived": sa.func.now()}
            for row in rows
        ]
        with connection.begin():
            connection.execute(insert(JOURNAL_TABLE).values(dict(journal._mapping)).on_conflict_do_nothing())
            once = insert(EVENT_TABLE).values(values)
            connection.execute(once.on_conflict_do_nothing(index_elements=["origin", "origin_seq"]))
            connection.execute(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, journal.origin)))

    def last_event(self, connection: sa.Connection, origin: str) -> tuple[int, str]:
        """Return number and digest of the newest event of a journal; 0 and "" before the first."""
        query = sa.select(EVENT_TABLE.c.origin_seq, EVENT_TABLE.c.digest).where(EVENT_TABLE.c.origin == origin)
        with connection.begin():
            row = connection.execute(query.order_by(EVENT_TABLE.c.origin_seq.desc()).limit(1)).first()
        return (0, "") if row is None else (int(row[0]), row[1])

    def recent_journals(self, connection: sa.Connection) -> dict[str, str]:
        """Return the journals with events in the last `EVENING_HOURS`, and the names of their computers."""
        since = sa.func.now() - sa.text(f"interval '{EVENING_HOURS} hours'")
        recent = sa.select(EVENT_TABLE.c.origin).where(EVENT_TABLE.c.arrived > since).distinct()
        with connection.begin():
            rows = connection.execute(sa.select(JOURNAL_TABLE).where(JOURNAL_TABLE.c.origin.in_(recent))).all()
        return {row.origin: row.host for row in rows}

    def events(
        self, connection: sa.Connection, origin: str, after: int = 0, game: int | None = None
    ) -> Sequence[sa.Row[Any]]:
        """Return the events of a journal (or of one game) after a number, in order, numbered as in the journal."""
        columns = [column for column in EVENT_TABLE.c if column.name not in ("seq", "origin_seq", "link")]
        own = (EVENT_TABLE.c.origin_seq.label("seq"), sa.null().label("link"))
        query = sa.select(*own, *columns).where(EVENT_TABLE.c.origin == origin, EVENT_TABLE.c.origin_seq > after)
        if game is not None:
            query = query.where(EVENT_TABLE.c.game == game)
        with connection.begin():
            return connection.execute(query.order_by(EVENT_TABLE.c.origin_seq)).all()

    def first_recent_seq(self, connection: sa.Connection, origin: str) -> int:
        """Return the first event of a journal that the scoreboard needs: where the oldest recent game begins."""
        since = sa.func.now() - sa.text(f"interval '{EVENING_HOURS} hours'")
        begun = EVENT_TABLE.c.kind.in_(FIRST_RECORD_KINDS)
        of_it = EVENT_TABLE.c.origin == origin
        first = sa.select(sa.func.min(EVENT_TABLE.c.origin_seq)).where(of_it, begun, EVENT_TABLE.c.arrived > since)
        last = sa.select(sa.func.max(EVENT_TABLE.c.origin_seq)).where(of_it, begun)
        with connection.begin():
            found: int | None = connection.execute(first).scalar() or connection.execute(last).scalar()
        return found or 1

    def listen(self, connection: sa.Connection) -> Callable[[float], set[str]]:
        """Listen for notifications; return a function that waits for one and returns the journals that changed.

        The function takes the longest wait in seconds and raises `ArchiveUnreachableError` when the archive has gone.
        """
        connection.execution_options(isolation_level="AUTOCOMMIT")
        with connection.begin():
            connection.exec_driver_sql(f"LISTEN {NOTIFY_CHANNEL}")
        driver: Any = connection.connection.driver_connection

        def wait(timeout_s: float) -> set[str]:
            try:
                return {news.payload for news in driver.notifies(timeout=timeout_s, stop_after=1)}
            except _psycopg_error() as why:
                raise ArchiveUnreachableError(self.display_name) from why

        return wait

    def games(self, connection: sa.Connection) -> Sequence[sa.Row[Any]]:
        """Return all games, newest first, as rows ``origin``, ``game``, ``host`` and ``seq`` (of the last event)."""
        last = sa.func.max(EVENT_TABLE.c.seq)
        query: sa.Select[Any] = (
            sa.select(
                EVENT_TABLE.c.origin,
                EVENT_TABLE.c.game,
                JOURNAL_TABLE.c.host,
                sa.func.max(EVENT_TABLE.c.origin_seq).label("seq"),
            )
            .join(JOURNAL_TABLE, JOURNAL_TABLE.c.origin == EVENT_TABLE.c.origin)
            .group_by(EVENT_TABLE.c.origin, EVENT_TABLE.c.game, JOURNAL_TABLE.c.host)
            .having(sa.func.bool_or(EVENT_TABLE.c.kind == "start"))
            .order_by(last.desc())
        )
        with connection.begin():
            return connection.execute(query).all()

    def clock_offset_s(self, connection: sa.Connection) -> float:
        """Return by how many seconds this computer's clock is ahead of the archive's."""
        with connection.begin():
            there: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        return (datetime.now(UTC) - there).total_seconds()

    def _error(self, why: sa.exc.DBAPIError) -> ArchiveError:
        """Return the sentence for people about an error of the database."""
        said = str(why.orig or why).strip()
        state = getattr(why.orig, "sqlstate", None)
        place = self.display_name
        if "password authentication failed" in said or "no password supplied" in said or state in ("28P01", "28000"):
            return ArchiveError("password", f"the archive {place} refuses this user or password: correct --archive")
        if "does not exist" in said and "database" in said:
            return ArchiveError("database", f"there is no database {place}: make it with 'createdb', or correct it")
        if state is not None and state[:2] == "42":
            last = said.splitlines()[0]
            return ArchiveError("foreign", f"the archive {place} is not Millchen's, or may not be written: {last}")
        if isinstance(why, sa.exc.OperationalError | sa.exc.InterfaceError) or why.connection_invalidated:
            log.debug("the archive is away: %s", said)
            return ArchiveUnreachableError(place)
        return ArchiveError("mistake", f"the archive {place} made a mistake: {said.splitlines()[0] if said else why}")


def _psycopg_error() -> type[Exception]:
    found: type[Exception] = import_module("psycopg").Error
    return found


_INVALID_ADDRESS = "an archive is given as postgresql://user:password@host/database"
