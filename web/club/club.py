"""The club evening on one computer: it follows and sends its journals, and listens to other computers.

It finds games in the archive where there is one, else in this computer's journal.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa

from languages import Message, message
from web.club.evening import EVENING_KIND, Evening, apply_evening_record, evening_from_record, next_round
from web.club.postgres_archive import (
    RETRY_DELAY_S,
    ArchiveUnreachableError,
    JournalForwarder,
    OpenArchive,
    PostgresArchive,
)
from web.club.scoreboard import ClubStatus, JournalFollower, Scoreboard, TableState
from web.errors import UNREADABLE, MillchenError
from web.game.first_record import is_demo_source
from web.game.replay import replay_rows
from web.history.finished_games import GameHistory, game_history
from web.history.game_index import LineCache, ListedGame
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord

log = logging.getLogger("millchen.club")

ARCHIVE_POLL_INTERVAL_S = 2.0
"""Seconds without a notification after which the archive is asked for news, in case one was lost."""

MAX_ROWS_PER_READ = 1000  # events that are read from a journal at once
MAX_FOUND_GAMES = 200  # most games that a search returns


class ArchivedGame(NamedTuple):
    """A game that was found."""

    origin: str  # the journal that it was written in
    host: str  # the computer; empty for this one
    number: int
    line: ListedGame | None  # None where not even its beginning can be read


class ArchiveReader:
    """Finds and opens games of the archive and of this computer's journal; may be used from any thread."""

    def __init__(self, journal: Journal, archive: PostgresArchive | None) -> None:
        self._journal, self._archive = journal, archive
        self._lines = LineCache()

    def find(self, query: str) -> tuple[list[ArchivedGame], str]:
        """Return the newest games in which every word occurs, and one sentence on what is missing (empty: nothing).

        Words are looked for in players, computer, table, game, date, remarks and the first turns of games of people.
        """
        words = query.casefold().split()
        own, archive, problem = self._journal.origin, self._archive, ""
        if archive is not None:
            try:
                with archive.connected() as connection:
                    rows = connection.games()
                    places = [(row.origin, "" if row.origin == own else row.host, row.game, row.seq) for row in rows]
                    return self._find(words, places, connection.rows_of_game), ""
            except MillchenError as why:
                problem = str(why)
        places = [(own, "", row.game, row.seq) for row in self._journal.games()]
        return self._find(words, places, lambda _, game: self._journal.rows_of_game(game)), problem

    def open(self, origin: str, number: int, language: str) -> GameHistory:
        """Return one game with its sentences. Raises `MillchenError` without it, ValueError where it is unreadable."""
        if not 0 < number < 2**31:
            raise MillchenError(message("page.no_game", number=number))
        if origin == self._journal.origin:
            rows: Any = self._journal.rows_of_game(number)
        elif self._archive is None:
            rows = ()
        else:
            with self._archive.connected() as connection:
                rows = connection.rows_of_game(origin, number)
        if not rows:
            raise MillchenError(message("page.no_game", number=number))
        try:
            return game_history(replay_rows(rows), language)
        except UNREADABLE as why:
            raise ValueError(f"game {number} cannot be read: {why!r}") from why

    def _find(
        self, words: list[str], places: list[tuple[str, str, int, int]], rows_of: Callable[[str, int], Any]
    ) -> list[ArchivedGame]:
        """Return the listed games (journal, computer, number, last event) in which every word occurs."""
        games: list[ArchivedGame] = []
        for origin, host, game, seq in places:
            line = self._lines.get((origin, game, seq), game, partial(rows_of, origin, game))
            if line is None or (isinstance(line, ListedGame) and line.is_demo):
                continue
            entry = line if isinstance(line, ListedGame) else None
            text = f"{entry.text} {entry.table} {host}".casefold() if entry is not None else host.casefold()
            if all(word in text for word in words):
                games.append(ArchivedGame(origin, host, game, entry))
                if len(games) == MAX_FOUND_GAMES:
                    break
        return games


class Club:
    """Follows this computer's journals of games and of evenings, and those of others, for the scoreboard."""

    def __init__(self, games: Journal, evenings: Journal, archive: PostgresArchive | None = None) -> None:
        self.scoreboard = Scoreboard()
        self.archive_reader = ArchiveReader(games, archive)
        self._journals = {journal.origin: journal for journal in (games, evenings)}
        self.games, self._evenings, self._archive = games, evenings, archive
        self._followers = {origin: JournalFollower(origin, "") for origin in self._journals}
        self.when_a_game_ends: Callable[[], None] = lambda: None  # called while others wait; must not block
        self._lock = threading.RLock()  # over followers
        self._news, self._end = threading.Event(), threading.Event()
        self._forwarders = (
            []
            if archive is None
            else [JournalForwarder(journal, archive, self._update_status) for journal in (games, evenings)]
        )
        tasks = {"scoreboard": self._follow_own_journals}
        tasks |= {} if archive is None else {"archive": self._follow_archive}
        self._threads = [threading.Thread(target=task, name=name, daemon=True) for name, task in tasks.items()]

    def start(self) -> None:
        """Follow what is written from now on, and continue the evening that was led last."""
        for origin, journal in self._journals.items():
            self._followers[origin].seq = journal.last_seq()
            journal.commit_listeners.append(self._news.set)
        last = self._evenings.last_game()
        if last is not None:
            self._show_game(self._evenings, last)
        self._update_status()
        for thread in self._threads:
            thread.start()
        for forwarder in self._forwarders:
            forwarder.start()

    def show_table(self, table: str) -> None:
        """Put the present game of one of this computer's tables on the scoreboard."""
        number = self.games.last_game_of_table(table)
        if number is not None:
            self._show_game(self.games, number)

    def close(self) -> None:
        """Stop to follow; what could not be sent is sent at the next start."""
        for journal in self._journals.values():
            if self._news.set in journal.commit_listeners:  # else it was never started
                journal.commit_listeners.remove(self._news.set)
        self._end.set()
        self._news.set()
        self.scoreboard.close()
        for forwarder in self._forwarders:
            forwarder.close()

    @property
    def findings(self) -> tuple[Message, ...]:
        """What people should know of the state of this computer's journals."""
        return (*self.games.findings, *self._evenings.findings)

    # ------------------------------------------------------------ evenings

    def begin_evening(self, body: Mapping[str, Any]) -> None:
        """Begin an evening. Raises `MillchenError` when it is not possible or cannot be written."""
        with self._lock:
            evening_from_record(JournalRecord(0, 0, EVENING_KIND, None, body, "", "hand"))  # raises before writing
            self._evenings.begin(body, by="hand", kind=EVENING_KIND)
            self._follow(self._evenings)

    def record_evening_event(self, kind: str, body: Mapping[str, Any], by: str = "hand") -> None:
        """Write what happened on the evening that is led from here. Raises `MillchenError` when it is not possible."""
        with self._lock:
            evening = self._led_evening()
            record = JournalRecord(0, evening.number, kind, None, body, "", by)
            apply_evening_record(evening, record)  # raises before writing
            self._evenings.append(evening.number, kind, body, by=by)
            self._follow(self._evenings)

    def draw_round(self) -> None:
        """Pair the next round of the evening that is led from here. Raises `MillchenError` when it is not possible."""
        self.record_evening_event("round", {"pairings": next_round(self._led_evening())})

    def _led_evening(self) -> Evening:
        evening = self.evening
        if evening is None:
            raise MillchenError(message("club.no_evening"))
        return evening

    @property
    def evening(self) -> Evening | None:
        """The evening that is led from this computer."""
        return self._followers[self._evenings.origin].evening

    # ------------------------------------------------------------ following

    def _follow_own_journals(self) -> None:
        while self._news.wait() and not self._end.is_set():
            self._news.clear()
            for journal in self._journals.values():
                try:
                    self._follow(journal)
                except (MillchenError, sa.exc.SQLAlchemyError):
                    log.exception("the journal %s cannot be followed", journal.path)

    def _follow(self, journal: Journal) -> None:
        """Process the events that are new in a journal of this computer."""
        with self._lock:
            while rows := journal.rows_after(self._followers[journal.origin].seq, MAX_ROWS_PER_READ):
                for table in self._process(journal, rows):
                    self._report_result(table)
                    if table.game.outcome is not None and not is_demo_source(table.game_state.source):
                        self.when_a_game_ends()

    def _show_game(self, journal: Journal, number: int) -> None:
        """Replay a game as far as its journal has been followed; what is written meanwhile is followed afterwards."""
        with self._lock:
            self._follow(journal)
            followed = self._followers[journal.origin].seq
            self._process(journal, [row for row in journal.rows_of_game(number) if row.seq <= followed])

    def _process(self, journal: Journal, rows: Sequence[sa.Row[Any]]) -> list[TableState]:
        with self._lock:
            tables = self._followers[journal.origin].process(rows, journal.rows_of_game)
            self.scoreboard.update_tables(*tables)
            self._update_status()
        return tables

    def _follow_archive(self) -> None:
        """Listen to the archive until the end; after an outage, try again."""
        archive = self._archive
        assert archive is not None
        while not self._end.is_set():
            try:
                with archive.connected() as connection:
                    wait = connection.listen()
                    origins = set(connection.recent_journals())
                    while not self._end.is_set():
                        self._follow_others(connection, origins)
                        origins = wait(ARCHIVE_POLL_INTERVAL_S) or set(connection.recent_journals())
            except ArchiveUnreachableError:
                log.debug("not listening: the archive is away")
            except MillchenError as why:
                log.warning("not listening: %s", why)
            except sa.exc.SQLAlchemyError:
                log.exception("not listening")
            self._end.wait(RETRY_DELAY_S)

    def _follow_others(self, connection: OpenArchive, origins: set[str]) -> None:
        """Process the new events of those journals of other computers that have changed."""
        hosts: Mapping[str, str] | None = None
        for origin in sorted(origins - set(self._journals)):
            if origin not in self._followers:
                hosts = connection.recent_journals() if hosts is None else hosts
                follower = JournalFollower(origin, hosts.get(origin, "") or "?")
                follower.seq = connection.first_recent_seq(origin) - 1
                self._followers[origin] = follower
            follower = self._followers[origin]
            rows = connection.rows_after(origin, follower.seq)
            with self._lock:
                tables = follower.process(rows, partial(connection.rows_of_game, origin))
                self.scoreboard.update_tables(*tables)
                for table in tables:
                    self._report_result(table)
            if rows:
                self._update_status()

    def _report_result(self, table: TableState) -> None:
        """Write the result of the pairing whose game has just ended at a table, if it is one of the open round."""
        evening, outcome = self.evening, table.game.outcome
        names = [name.casefold() for name in table.game_state.recorded_names]
        if evening is None or evening.is_over or not evening.rounds or outcome is None or len(names) != 2:
            return
        if outcome.winner is None and not outcome.is_draw:
            return  # abandoned: the pairing is still to be played
        for board, one in enumerate(evening.rounds[-1], start=1):
            if one.second is None or one.result:
                continue
            pair = [evening.players[one.first].casefold(), evening.players[one.second].casefold()]
            if sorted(pair) != sorted(names):
                continue
            winner = None if outcome.winner is None else names[outcome.winner]
            result = "1/2-1/2" if winner is None else "1-0" if winner == pair[0] else "0-1"
            body = {"round": len(evening.rounds), "board": board, "result": result}
            try:
                self.record_evening_event("result", body, "camera")
            except MillchenError as why:
                log.warning("a result could not be filled in: %s", why)
            return

    def _update_status(self) -> None:
        with self._lock:
            evening, is_ours = self._shown_evening()
            worst_first = ("refused", "away", "opening", "open")
            links = [forwarder.link for forwarder in self._forwarders]  # one for each journal; none without an archive
            worse = min(links, key=lambda link: worst_first.index(link.state), default=None)
            self.scoreboard.set_status(ClubStatus(worse, evening, is_ours))

    def _shown_evening(self) -> tuple[Evening | None, bool]:
        """Return the evening to show and whether it is led from here: ours while it runs, else a running other one."""
        own = self.evening
        others = [one.evening for origin, one in self._followers.items() if origin not in self._journals]
        running = [one for one in others if one is not None and not one.is_over]
        if own is not None and (not own.is_over or not running):
            return own, True
        return (running[-1], False) if running else (None, True)
