"""Brings what a journal holds to the archive, behind the table's back: the table never waits for the network."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from web.club.central import AwayError, Central
from web.errors import ShellError
from web.journal import Journal

log = logging.getLogger("millchen.club")

MOST_ROWS = 500  # of one transaction
PROBE_S = 2.0  # an archive of which nothing is wanted is asked so often whether it is still there
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 2.0  # between attempts; with the connection's own time-out within 5 s
CLOCK_S = 30.0  # a clock that is wrong by more is told
END_S = 1.0  # what the last events may still take when the table is closed


@dataclass(frozen=True, slots=True)
class Link:
    """How it stands between a journal and the archive.

    Attributes
    ----------
    state : str
        "opening", "open", "away" (tried again by itself) or "refused" (somebody must do something).
    text : str
        One sentence on what is wrong, else empty.
    note : str
        One sentence on what is odd although everything works, else empty.
    sent : int
        Number of the newest event that the archive has.
    """

    state: str = "opening"
    text: str = ""
    note: str = ""
    sent: int = 0


class Forwarder:
    """One thread that pushes the events of a journal in order, and catches up after an outage.

    Where it stands is asked of the archive itself, so nothing has to be kept here that could be lost or wrong.

    Parameters
    ----------
    journal : Journal
    central : Central
    changed : callable
        Called from the thread after `link` has changed.
    """

    def __init__(self, journal: Journal, central: Central, changed: Callable[[], None] = lambda: None) -> None:
        self.link = Link()
        self.central = central
        self._journal = journal
        self._changed = changed
        self._news, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="forwarder", daemon=True)

    def start(self) -> None:
        """Begin to push; from now on every event that is written wakes the thread."""
        self._journal.committed.append(self._news.set)
        self._thread.start()

    def close(self) -> None:
        """Let what is written go out if that takes a moment only; what stays behind is sent at the next start."""
        self._journal.committed.remove(self._news.set)
        self._end.set()
        self._news.set()
        self._thread.join(END_S)

    def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._end.is_set():
            try:
                with self.central.connected() as connection:
                    pause = FIRST_PAUSE_S
                    self._push(connection)
            except AwayError as why:
                self._say(Link("away", str(why), sent=self.link.sent))
            except ShellError as why:
                self._say(Link("refused", str(why), sent=self.link.sent))
            self._end.wait(pause)
            pause = min(LONGEST_PAUSE_S, 2 * pause)

    def _push(self, connection: sa.Connection) -> None:
        """Push until told to end."""
        journal = self._journal.name_row()
        sent, digest = self.central.last_of(connection, journal.origin)
        self._check(sent, digest)
        self._say(Link("open", note=self._clock_note(connection), sent=sent))
        while True:
            is_last = self._end.is_set()
            self._news.clear()
            while rows := self._journal.rows(sent, MOST_ROWS):
                self.central.push(connection, journal, rows)
                sent = int(rows[-1].seq)
                self._say(Link("open", note=self.link.note, sent=sent))
            if is_last:
                return
            if not self._news.wait(PROBE_S):
                self.central.last_of(connection, journal.origin)  # is it still there?

    def _check(self, sent: int, digest: str) -> None:
        """Whether the archive's newest event of this journal is this journal's event."""
        if sent == 0:
            return
        ours = self._journal.rows(sent - 1, 1)
        if not ours or ours[0].seq != sent or ours[0].digest != digest:
            raise ShellError(
                f"the archive {self.central.place} holds other games of this journal: it was copied, or an older one "
                "was put back; move journal.sqlite away to begin a new one (its games stay in it)"
            )

    def _clock_note(self, connection: sa.Connection) -> str:
        ahead = self.central.clock_ahead_s(connection)
        if abs(ahead) < CLOCK_S:
            return ""
        how = "ahead of" if ahead > 0 else "behind"
        return (
            f"this computer's clock is {_duration(abs(ahead))} {how} the archive's: "
            "set it right, or games are listed under a wrong time (their order is not touched)"
        )

    def _say(self, link: Link) -> None:
        if link != self.link:
            if link.state != self.link.state:
                log.log(logging.INFO if link.state == "open" else logging.WARNING, "archive %s: %s", link.state,
                        link.text)  # fmt: skip
            self.link = link
            self._changed()


def _duration(seconds: float) -> str:
    """A length of time as people say it.

    >>> _duration(45), _duration(420), _duration(7300), _duration(2 * 86400 + 60)
    ('45 s', '7 min', '2 h', '2 days')
    """
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
