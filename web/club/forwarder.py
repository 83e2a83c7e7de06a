"""Sends the events of a journal to the archive, in a thread of its own: a table never waits for the network."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from web.club.postgres_archive import ArchiveError, ArchiveUnreachableError, PostgresArchive
from web.errors import MillchenError
from web.journal.journal import Journal

log = logging.getLogger("millchen.club")

MAX_ROWS_PER_TRANSACTION = 500
"""Events that are sent in one transaction. Source: chosen."""

PROBE_INTERVAL_S = 2.0
"""Seconds without news after which the archive is asked whether it is still there. Source: chosen."""

FIRST_RETRY_DELAY_S = 0.2
"""Seconds before the second attempt to connect; each further attempt waits twice as long. Source: chosen."""

MAX_RETRY_DELAY_S = 2.0
"""Longest wait between two attempts, seconds.

With the time-out of a connection an outage is over at most 5 s after the archive is back. Source: chosen.
"""

MAX_CLOCK_OFFSET_S = 30.0
"""A clock that differs from the archive's by more seconds is reported. Source: chosen."""

CLOSE_TIMEOUT_S = 1.0
"""Seconds that the last events may take when the table is closed. Source: chosen."""


@dataclass(frozen=True, slots=True)
class ArchiveLink:
    """The state of the connection between a journal and the archive.

    Attributes:
        state: "opening", "open", "away" (tried again without help) or "refused" (somebody must act).
        text: One sentence on what is wrong, else empty.
        code: The key of that sentence in the catalogues of the page.
        clock_offset_s: By how many seconds this computer's clock is ahead, where that is worth a warning; 0 otherwise.
        last_sent_seq: Number of the newest event that the archive has.
    """

    state: str = "opening"
    text: str = ""
    code: str = ""
    clock_offset_s: float = 0.0
    last_sent_seq: int = 0

    def to_json(self, place: str) -> dict[str, Any]:
        """Return the connection for the page; ``place`` is the archive's name for people."""
        ahead = round(self.clock_offset_s)
        return {"state": self.state, "place": place, "text": self.text, "code": self.code, "ahead": ahead}


class JournalForwarder:
    """One thread that sends the events of a journal in order and catches up after an outage.

    The archive itself is asked which events it has, so this computer stores nothing that could be lost or wrong.

    Args:
        on_change: Called from the thread after `link` has changed.
    """

    def __init__(
        self, journal: Journal, archive: PostgresArchive, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.link = ArchiveLink()
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
        delay_s = FIRST_RETRY_DELAY_S
        while not self._end.is_set():
            try:
                with self.archive.connected() as connection:
                    delay_s = FIRST_RETRY_DELAY_S
                    self._send(connection)
            except ArchiveError as why:
                state = "away" if isinstance(why, ArchiveUnreachableError) else "refused"
                self._set_link(ArchiveLink(state, str(why), why.code, last_sent_seq=self.link.last_sent_seq))
            except MillchenError as why:  # of the journal
                self._set_link(ArchiveLink("refused", str(why), "journal", last_sent_seq=self.link.last_sent_seq))
            self._end.wait(delay_s)
            delay_s = min(MAX_RETRY_DELAY_S, 2 * delay_s)

    def _send(self, connection: sa.Connection) -> None:
        """Send events until `close` is called."""
        journal = self._journal.identity_row()
        sent, digest = self.archive.last_event(connection, journal.origin)
        self._check_same_journal(sent, digest)
        offset_s = self.archive.clock_offset_s(connection)
        offset_s = offset_s if abs(offset_s) > MAX_CLOCK_OFFSET_S else 0.0
        if offset_s:
            log.warning("this computer's clock is %s s ahead of the archive's; order is not touched", round(offset_s))
        self._set_link(ArchiveLink("open", clock_offset_s=offset_s, last_sent_seq=sent))
        while True:
            is_last = self._end.is_set()
            self._news.clear()
            while rows := self._journal.rows_after(sent, MAX_ROWS_PER_TRANSACTION):
                self.archive.insert_events(connection, journal, rows)
                sent = int(rows[-1].seq)
                self._set_link(ArchiveLink("open", clock_offset_s=offset_s, last_sent_seq=sent))
            if is_last:
                return
            if not self._news.wait(PROBE_INTERVAL_S):
                self.archive.last_event(connection, journal.origin)  # fails if the archive has gone

    def _check_same_journal(self, sent: int, digest: str) -> None:
        """Refuse an archive whose newest event of this journal is not the event of that number in this journal."""
        if sent == 0:
            return
        ours = self._journal.rows_after(sent - 1, 1)
        if not ours or ours[0].seq != sent or ours[0].digest != digest:
            raise ArchiveError(
                "copied",
                f"the archive {self.archive.display_name} holds other games of this journal: it was copied, or an "
                "older one was put back; move journal.sqlite away to begin a new one (its games stay in it)",
            )

    def _set_link(self, link: ArchiveLink) -> None:
        if link != self.link:
            if link.state != self.link.state:
                log.log(logging.INFO if link.state == "open" else logging.WARNING, "archive %s: %s", link.state,
                        link.text)  # fmt: skip
            self.link = link
            self._on_change()
