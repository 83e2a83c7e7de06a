"""Brings what a journal holds to the archive, behind the table's back: the table never waits for the network."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from web.club.postgres_archive import ArchiveError, ArchiveUnreachableError, PostgresArchive
from web.errors import MillchenError
from web.journal.journal import Journal

log = logging.getLogger("millchen.club")

MAX_ROWS_PER_TRANSACTION = 500  # of one transaction
PROBE_INTERVAL_S = 2.0  # an archive of which nothing is wanted is asked so often whether it is still there
FIRST_RETRY_DELAY_S = 0.2
MAX_RETRY_DELAY_S = 2.0  # between attempts; with the connection's own time-out within 5 s
MAX_CLOCK_OFFSET_S = 30.0  # a clock that is wrong by more is told
CLOSE_TIMEOUT_S = 1.0  # what the last events may still take when the table is closed


@dataclass(frozen=True, slots=True)
class ArchiveLink:
    """How it stands between a journal and the archive.

    Attributes
    ----------
    state : str
        "opening", "open", "away" (tried again by itself) or "refused" (somebody must do something).
    text : str
        One sentence on what is wrong, else empty.
    code : str
        The key of that sentence in the catalogues of the page.
    ahead_s : float
        By how many seconds this computer's clock is wrong, where that is worth a word; 0 otherwise.
    sent : int
        Number of the newest event that the archive has.
    """

    state: str = "opening"
    text: str = ""
    code: str = ""
    ahead_s: float = 0.0
    sent: int = 0


class JournalForwarder:
    """One thread that pushes the events of a journal in order, and catches up after an outage.

    Where it stands is asked of the archive itself, so nothing has to be kept here that could be lost or wrong.

    Parameters
    ----------
    journal : Journal
    central : Central
    changed : callable
        Called from the thread after `link` has changed.
    """

    def __init__(self, journal: Journal, central: PostgresArchive, changed: Callable[[], None] = lambda: None) -> None:
        self.link = ArchiveLink()
        self.central = central
        self._journal = journal
        self._changed = changed
        self._news, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="forwarder", daemon=True)

    def start(self) -> None:
        """Begin to push; from now on every event that is written wakes the thread."""
        self._journal.commit_listeners.append(self._news.set)
        self._thread.start()

    def close(self) -> None:
        """Let what is written go out if that takes a moment only; what stays behind is sent at the next start."""
        self._journal.commit_listeners.remove(self._news.set)
        self._end.set()
        self._news.set()
        self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        pause = FIRST_RETRY_DELAY_S
        while not self._end.is_set():
            try:
                with self.central.connected() as connection:
                    pause = FIRST_RETRY_DELAY_S
                    self._push(connection)
            except ArchiveError as why:
                state = "away" if isinstance(why, ArchiveUnreachableError) else "refused"
                self._say(ArchiveLink(state, str(why), why.code, sent=self.link.sent))
            except MillchenError as why:  # of the journal
                self._say(ArchiveLink("refused", str(why), "journal", sent=self.link.sent))
            self._end.wait(pause)
            pause = min(MAX_RETRY_DELAY_S, 2 * pause)

    def _push(self, connection: sa.Connection) -> None:
        """Push until told to end."""
        journal = self._journal.identity_row()
        sent, digest = self.central.last_of(connection, journal.origin)
        self._check(sent, digest)
        ahead_s = self.central.clock_ahead_s(connection)
        ahead_s = ahead_s if abs(ahead_s) > MAX_CLOCK_OFFSET_S else 0.0
        if ahead_s:
            log.warning("this computer's clock is %s s ahead of the archive's; order is not touched", round(ahead_s))
        self._say(ArchiveLink("open", ahead_s=ahead_s, sent=sent))
        while True:
            is_last = self._end.is_set()
            self._news.clear()
            while rows := self._journal.rows_after(sent, MAX_ROWS_PER_TRANSACTION):
                self.central.push(connection, journal, rows)
                sent = int(rows[-1].seq)
                self._say(ArchiveLink("open", ahead_s=ahead_s, sent=sent))
            if is_last:
                return
            if not self._news.wait(PROBE_INTERVAL_S):
                self.central.last_of(connection, journal.origin)  # is it still there?

    def _check(self, sent: int, digest: str) -> None:
        """Whether the archive's newest event of this journal is this journal's event."""
        if sent == 0:
            return
        ours = self._journal.rows_after(sent - 1, 1)
        if not ours or ours[0].seq != sent or ours[0].digest != digest:
            raise ArchiveError(
                "copied",
                f"the archive {self.central.place} holds other games of this journal: it was copied, or an older one "
                "was put back; move journal.sqlite away to begin a new one (its games stay in it)",
            )

    def _say(self, link: ArchiveLink) -> None:
        if link != self.link:
            if link.state != self.link.state:
                log.log(logging.INFO if link.state == "open" else logging.WARNING, "archive %s: %s", link.state,
                        link.text)  # fmt: skip
            self.link = link
            self._changed()
