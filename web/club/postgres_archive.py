"""The archive of a club: one PostgreSQL database that keeps the events of every table's journal.

The tables are those of the journal (`web.journal.schema`), made by the same steps (`web.journal.migrations`). An event
comes in under the name of its journal and its number there, once only; whoever listens is woken by ``NOTIFY``.
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
from web.journal.migration_runner import NewerSchemaError, run_migrations
from web.journal.schema import APPLICATION_ID, EVENT_TABLE, JOURNAL_TABLE

log = logging.getLogger("millchen.club")

NOTIFY_CHANNEL = "millchen"
CONNECT_TIMEOUT_S = 3
"""Longest attempt to reach the archive."""
STATEMENT_TIMEOUT_MS = 5000
"""Longest statement; an archive that hangs is one that is away."""
TCP_KEEPALIVE = {"keepalives": 1, "keepalives_idle": 2, "keepalives_interval": 1, "keepalives_count": 3}
"""TCP keep-alive: a cable that was pulled is noticed within seconds, without traffic (libpq's parameters)."""
FIRST_RECORD_KINDS = ("start", "evening")
"""Kinds of records that begin something."""
EVENING_HOURS = 12
"""Hours for which a table that was heard of belongs to this evening."""


class ArchiveError(MillchenError):
    """Something is wrong with the archive; ``club.link.CODE`` is its sentence in the catalogues of the page."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class ArchiveUnreachableError(ArchiveError):
    """The archive cannot be reached now; it may come back by itself."""

    def __init__(self, place: str) -> None:
        super().__init__("away", f"the archive {place} cannot be reached; the games go on and are sent later")


class PostgresArchive:
    """The archive at an address; nothing is asked of it before `connected`.

    Parameters
    ----------
    address : str
        ``postgresql://user:password@host/database``.

    Raises
    ------
    MillchenError
        When this is no such address, or the driver is not installed.
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
        self.place = f"{url.host or 'this computer'}/{url.database}"  # for people; never with the password
        self._engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT_S,
                "application_name": "millchen",
                "options": f"-c statement_timeout={STATEMENT_MS} -c client_min_messages=error",
                "tcp_user_timeout": STATEMENT_TIMEOUT_MS,
                **TCP_KEEPALIVE,
            },
        )

    @contextmanager
    def connected(self) -> Iterator[sa.Connection]:
        """A connection of one's own, to an archive that is up to date.

        Raises
        ------
        AwayError
            When it cannot be reached, or stopped answering within the block.
        ArchiveError
            When it can be reached and refuses, or is not an archive of this Millchen.
        """
        try:
            with self._engine.connect() as connection:
                self._prepare(connection)
                yield connection
        except NewerSchemaError:
            newer = f"the archive {self.place} was written by a newer Millchen: update this one"
            raise ArchiveError("newer", newer) from None
        except sa.exc.DBAPIError as why:
            raise self._error(why) from why

    def _prepare(self, connection: sa.Connection) -> None:
        with connection.begin():
            # One table at a time brings the archive up to date; the others wait and find it done.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(APPLICATION_ID)))
            run_migrations(connection)

    def push(self, connection: sa.Connection, journal: sa.Row[Any], rows: Sequence[sa.Row[Any]]) -> None:
        """Bring in the next events of a journal, all or none, and wake whoever listens; what is there stays.

        Parameters
        ----------
        connection : Connection
        journal : row of `JOURNAL_TABLE`
            The one they were written in.
        rows : rows of `EVENT_TABLE`
            In order, without a gap to those that were brought before.
        """
        kept = ("game", "kind", "ply", "body", "wall_time", "monotonic_s", "by", "digest")
        values = [
            {name: getattr(row, name) for name in kept}
            | {"origin": journal.origin, "origin_seq": row.seq, "arrived": sa.func.now()}
            for row in rows
        ]
        with connection.begin():
            connection.execute(insert(JOURNAL_TABLE).values(dict(journal._mapping)).on_conflict_do_nothing())
            once = insert(EVENT_TABLE).values(values)
            connection.execute(once.on_conflict_do_nothing(index_elements=["origin", "origin_seq"]))
            connection.execute(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, journal.origin)))

    def last_of(self, connection: sa.Connection, origin: str) -> tuple[int, str]:
        """Number and digest of the newest event of a journal; 0 and "" before the first."""
        query = sa.select(EVENT_TABLE.c.origin_seq, EVENT_TABLE.c.digest).where(EVENT_TABLE.c.origin == origin)
        with connection.begin():
            row = connection.execute(query.order_by(EVENT_TABLE.c.origin_seq.desc()).limit(1)).first()
        return (0, "") if row is None else (int(row[0]), row[1])

    def tonight(self, connection: sa.Connection) -> dict[str, str]:
        """The journals that were heard of this evening, and the names of their computers."""
        since = sa.func.now() - sa.text(f"interval '{EVENING_HOURS} hours'")
        heard = sa.select(EVENT_TABLE.c.origin).where(EVENT_TABLE.c.arrived > since).distinct()
        with connection.begin():
            rows = connection.execute(sa.select(JOURNAL_TABLE).where(JOURNAL_TABLE.c.origin.in_(heard))).all()
        return {row.origin: row.host for row in rows}

    def rows(
        self, connection: sa.Connection, origin: str, after: int = 0, game: int | None = None
    ) -> Sequence[sa.Row[Any]]:
        """The events of a journal above a number (of one game), in order, numbered as in the journal itself."""
        columns = [column for column in EVENT_TABLE.c if column.name not in ("seq", "origin_seq")]
        query = sa.select(EVENT_TABLE.c.origin_seq.label("seq"), *columns).where(
            EVENT_TABLE.c.origin == origin, EVENT_TABLE.c.origin_seq > after
        )
        if game is not None:
            query = query.where(EVENT_TABLE.c.game == game)
        with connection.begin():
            return connection.execute(query.order_by(EVENT_TABLE.c.origin_seq)).all()

    def first_of_tonight(self, connection: sa.Connection, origin: str) -> int:
        """The number of the first event of a journal that the hall needs: of the oldest game begun this evening."""
        since = sa.func.now() - sa.text(f"interval '{EVENING_HOURS} hours'")
        begun = EVENT_TABLE.c.kind.in_(FIRST_RECORD_KINDS)
        of_it = EVENT_TABLE.c.origin == origin
        first = sa.select(sa.func.min(EVENT_TABLE.c.origin_seq)).where(of_it, begun, EVENT_TABLE.c.arrived > since)
        last = sa.select(sa.func.max(EVENT_TABLE.c.origin_seq)).where(of_it, begun)
        with connection.begin():
            found: int | None = connection.execute(first).scalar() or connection.execute(last).scalar()
        return found or 1

    def listen(self, connection: sa.Connection) -> Callable[[float], set[str]]:
        """Ask to be woken on this connection; what is returned waits so many seconds and says which journals are new.

        Raises
        ------
        AwayError
            From what is returned, when the archive has gone.
        """
        connection.execution_options(isolation_level="AUTOCOMMIT")
        with connection.begin():
            connection.exec_driver_sql(f"LISTEN {NOTIFY_CHANNEL}")
        driver: Any = connection.connection.driver_connection

        def wait(timeout_s: float) -> set[str]:
            try:
                return {news.payload for news in driver.notifies(timeout=timeout_s, stop_after=1)}
            except _psycopg_error() as why:
                raise ArchiveUnreachableError(self.place) from why

        return wait

    def games(self, connection: sa.Connection) -> Sequence[sa.Row[Any]]:
        """Every game of every table: ``origin``, ``game``, ``host``, ``seq`` of its last event, newest first."""
        last = sa.func.max(EVENT_TABLE.c.seq)
        query: sa.Select[Any] = (
            sa.select(EVENT_TABLE.c.origin, EVENT_TABLE.c.game, JOURNAL_TABLE.c.host, sa.func.max(EVENT_TABLE.c.origin_seq).label("seq"))
            .join(JOURNAL_TABLE, JOURNAL_TABLE.c.origin == EVENT_TABLE.c.origin)
            .group_by(EVENT_TABLE.c.origin, EVENT_TABLE.c.game, JOURNAL_TABLE.c.host)
            .having(sa.func.bool_or(EVENT_TABLE.c.kind == "start"))
            .order_by(last.desc())
        )
        with connection.begin():
            return connection.execute(query).all()

    def clock_ahead_s(self, connection: sa.Connection) -> float:
        """By how many seconds this computer's clock is ahead of the archive's."""
        with connection.begin():
            there: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        return (datetime.now(UTC) - there).total_seconds()

    def _error(self, why: sa.exc.DBAPIError) -> ArchiveError:
        """What a mistake of the database means for people."""
        said = str(why.orig or why).strip()
        state = getattr(why.orig, "sqlstate", None)
        place = self.place
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
