"""The evening as one computer leads it: its journals followed and sent, the others' listened to, the hall informed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from web.club.archive_reader import ArchiveReader
from web.club.evening import EVENING_KIND, Evening
from web.club.evening import evening_from_record as begin_evening
from web.club.evening import apply_evening_record as tell_evening
from web.club.follower import JournalFollower, TableState
from web.club.forwarder import JournalForwarder, ArchiveLink
from web.club.postgres_archive import ArchiveUnreachableError, PostgresArchive
from web.club.scoreboard import Scoreboard, ClubStatus
from web.errors import MillchenError
from web.game.announcements import MakeSentences
from web.journal.journal import Journal
from web.journal.journal_record import Record

log = logging.getLogger("millchen.club")

ARCHIVE_POLL_INTERVAL_S = 2.0  # without news the archive is asked so often, in case a wake-up was lost
RECONNECT_DELAY_S = 1.0  # after an outage
MAX_ROWS_PER_READ = 1000


class Club:
    """Follows every journal of the evening and keeps the hall informed.

    Parameters
    ----------
    games, evenings : Journal
        Of this computer: what is played at its tables, and who meets whom.
    say : callable
        Makes the sentences.
    central : Central or None
        The archive that several computers share.

    Attributes
    ----------
    hall : Hall
    shelf : Shelf
        Where games are looked for.
    say : callable
    """

    def __init__(self, games: Journal, evenings: Journal, say: MakeSentences, central: PostgresArchive | None = None) -> None:
        self.hall, self.say, self.shelf = Scoreboard(), say, ArchiveReader(games, central)
        self._journals = {journal.origin: journal for journal in (games, evenings)}
        self._games, self._evenings, self._central = games, evenings, central
        self._followers = {origin: JournalFollower(origin, "", say) for origin in self._journals}
        self._lock = threading.RLock()  # over followers
        self._news, self._end = threading.Event(), threading.Event()
        self._forwarders = [] if central is None else [JournalForwarder(j, central, self._hang) for j in (games, evenings)]
        tasks = {"hall": self._follow_home} | ({} if central is None else {"archive": self._follow_away})
        self._threads = [threading.Thread(target=task, name=name, daemon=True) for name, task in tasks.items()]

    def start(self) -> None:
        """Follow what is written from now on, and the evening that was being led."""
        for origin, journal in self._journals.items():
            self._followers[origin].seq = journal.last_seq()
            journal.commit_listeners.append(self._news.set)
        last = self._evenings.last_game()
        if last is not None:
            self._take(self._evenings, self._evenings.rows_of_game(last))
        self._hang()
        for thread in self._threads:
            thread.start()
        for forwarder in self._forwarders:
            forwarder.start()

    def open(self, table: str) -> None:
        """Show the game that one of this computer's tables is at."""
        number = self._games.last_game_of_table(table)
        if number is not None:
            self._take(self._games, self._games.rows_of_game(number))

    def close(self) -> None:
        """Follow no more; what could not be sent is sent at the next start."""
        for journal in self._journals.values():
            journal.commit_listeners.remove(self._news.set)
        self._end.set()
        self._news.set()
        self.hall.close()
        for forwarder in self._forwarders:
            forwarder.close()

    @property
    def central(self) -> PostgresArchive | None:
        """The archive, None where there is none."""
        return self._central

    @property
    def origins(self) -> tuple[str, ...]:
        """The journals of this computer."""
        return tuple(self._journals)

    # ------------------------------------------------------------ evenings

    def begin_evening(self, body: Mapping[str, Any]) -> None:
        """Begin an evening.

        Raises
        ------
        MillchenError
            When it cannot be played or written.
        """
        with self._lock:
            begin_evening(Record(0, 0, EVENING_KIND, None, body, "", "hand"))
            self._evenings.begin(body, by="hand", kind=EVENING_KIND)
            self._follow(self._evenings)

    def tell_evening(self, kind: str, body: Mapping[str, Any], by: str = "hand") -> None:
        """Write down what happened on the evening that is led from here.

        Raises
        ------
        MillchenError
            When it cannot be, or there is no such evening.
        """
        with self._lock:
            evening = self.evening
            if evening is None:
                raise MillchenError("no evening is led from this computer: begin one first")
            tell_evening(evening, Record(0, evening.number, kind, None, body, "", by))
            self._evenings.append(evening.number, kind, body, by=by)
            self._follow(self._evenings)

    @property
    def evening(self) -> Evening | None:
        """The evening that is led from here."""
        return self._followers[self._evenings.origin].evening

    # ------------------------------------------------------------ following

    def _follow_home(self) -> None:
        while self._news.wait() and not self._end.is_set():
            self._news.clear()
            for journal in self._journals.values():
                try:
                    self._follow(journal)
                except (MillchenError, sa.exc.SQLAlchemyError):
                    log.exception("the journal %s cannot be followed", journal.path)

    def _follow(self, journal: Journal) -> None:
        with self._lock:
            while rows := journal.rows_after(self._followers[journal.origin].seq, MAX_ROWS_PER_READ):
                for standing in self._take(journal, rows):
                    self._report(standing)

    def _take(self, journal: Journal, rows: Sequence[sa.Row[Any]]) -> list[TableState]:
        with self._lock:
            changed = self._followers[journal.origin].take(rows)
            self.hall.show(*changed)
            self._hang()
        return changed

    def _follow_away(self) -> None:
        central = self._central
        assert central is not None
        while not self._end.is_set():
            try:
                with central.connected() as connection:
                    wait = central.listen(connection)
                    woken = set(central.tonight(connection))
                    while not self._end.is_set():
                        self._listen_to(central, connection, woken)
                        woken = wait(ARCHIVE_POLL_INTERVAL_S) or set(central.tonight(connection))
            except ArchiveUnreachableError:
                log.debug("not listening: the archive is away")
            except MillchenError as why:
                log.warning("not listening: %s", why)
            except sa.exc.SQLAlchemyError:
                log.exception("not listening")
            self._end.wait(RECONNECT_DELAY_S)

    def _listen_to(self, central: PostgresArchive, connection: sa.Connection, woken: set[str]) -> None:
        hosts: Mapping[str, str] | None = None
        for origin in sorted(woken - set(self._journals)):
            if origin not in self._followers:
                hosts = central.tonight(connection) if hosts is None else hosts
                follower = JournalFollower(origin, hosts.get(origin, "") or "?", self.say)
                follower.seq = central.first_of_tonight(connection, origin) - 1
                self._followers[origin] = follower
            follower = self._followers[origin]
            rows = central.rows(connection, origin, follower.seq)
            with self._lock:
                changed = follower.take(rows)
                self.hall.show(*changed)
                for standing in changed:
                    self._report(standing)
            if rows:
                self._hang()

    def _report(self, standing: TableState) -> None:
        """Fill in the result of a pairing of the open round whose game has just ended at a table."""
        evening, outcome = self.evening, standing.game.outcome
        names = [name.casefold() for name in standing.course.names]
        if evening is None or evening.is_over or not evening.rounds or outcome is None or len(names) != 2:
            return
        for board, one in enumerate(evening.rounds[-1], start=1):
            if one.second is None or one.result:
                continue
            pair = [evening.players[one.first].casefold(), evening.players[one.second].casefold()]
            if sorted(pair) != sorted(names):
                continue
            won = None if outcome.winner is None else names[outcome.winner]
            result = "1/2-1/2" if won is None else "1-0" if won == pair[0] else "0-1"
            try:
                self.tell_evening("result", {"round": len(evening.rounds), "board": board, "result": result}, "camera")
            except MillchenError as why:
                log.warning("a result could not be filled in: %s", why)
            return

    def _hang(self) -> None:
        with self._lock:
            evening, is_ours = self._shown_evening()
            self.hall.hang(ClubStatus(self._link(), evening, is_ours))

    def _shown_evening(self) -> tuple[Evening | None, bool]:
        """The evening led from here where there is one that goes on, else one of another computer."""
        own = self.evening
        others = [one.evening for origin, one in self._followers.items() if origin not in self._journals]
        running = [one for one in others if one is not None and not one.is_over]
        if own is not None and (not own.is_over or not running):
            return own, True
        return (running[-1], False) if running else (None, True)

    def _link(self) -> ArchiveLink | None:
        """How it stands with the archive: the worse of what both forwarders say."""
        order = ("refused", "away", "opening", "open")
        links = [forwarder.link for forwarder in self._forwarders]
        return min(links, key=lambda link: order.index(link.state)) if links else None
