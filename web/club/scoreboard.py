"""What a hall can see: every table of the evening, this computer's and (through the archive) all others'.

Feeders lay down how it stands at a table; pages pick it up. Latest wins, and nobody waits for a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Condition

from web.club.evening import Evening
from web.club.follower import TableState
from web.club.forwarder import ArchiveLink


@dataclass(frozen=True)
class ClubStatus:
    """What hangs in the hall beside the tables.

    Attributes
    ----------
    link : Link or None
        How it stands with the archive; None where there is none.
    evening : Evening or None
        The newest one.
    is_ours : bool
        Whether the evening is led from this computer.
    """

    link: ArchiveLink | None = None
    evening: Evening | None = None
    is_ours: bool = True


@dataclass
class Scoreboard:
    """Where feeders and pages meet; safe between threads."""

    _tables: dict[str, tuple[int, TableState]] = field(default_factory=dict)
    _board: ClubStatus = ClubStatus()
    _board_at: int = 0
    _version: int = 0
    _is_closed: bool = False
    _changed: Condition = field(default_factory=Condition)

    def show(self, *standings: TableState) -> None:
        """Lay down how it stands at some tables."""
        with self._changed:
            for standing in standings:
                self._version += 1
                self._tables[standing.key] = (self._version, standing)
            if standings:
                self._changed.notify_all()

    def hang(self, board: ClubStatus) -> None:
        """Hang up another noticeboard."""
        with self._changed:
            if board != self._board:
                self._version += 1
                self._board, self._board_at = board, self._version
                self._changed.notify_all()

    def forget(self, origin: str) -> None:
        """Take away the tables of a journal that is heard of no more."""
        with self._changed:
            gone = [key for key, (_, standing) in self._tables.items() if standing.origin == origin]
            for key in gone:
                del self._tables[key]
            if gone:
                self._version += 1
                self._board_at = self._version  # pages ask for the whole list again
                self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody who waits."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether the evening has ended."""
        return self._is_closed

    @property
    def board(self) -> ClubStatus:
        """What hangs in the hall."""
        return self._board

    @property
    def tables(self) -> tuple[TableState, ...]:
        """Every table: this computer's first, then by computer and name."""
        with self._changed:
            found = [standing for _, standing in self._tables.values()]
        return tuple(sorted(found, key=lambda one: (one.host != "", one.host, one.table.casefold(), one.key)))

    def table(self, key: str) -> tuple[int, TableState] | None:
        """A table and the version since which it stands so."""
        with self._changed:
            return self._tables.get(key)

    def names(self) -> Mapping[str, str]:
        """What to call each table by its key: its name, else its computer, or both."""
        tables = self.tables
        short = {one.key: one.table or one.host for one in tables}
        taken = list(short.values())
        return {
            one.key: f"{short[one.key]} · {one.host}" if one.table and one.host and taken.count(short[one.key]) > 1
            else short[one.key]
            for one in tables
        }  # fmt: skip

    def namesakes(self) -> tuple[str, ...]:
        """Names that tables of several computers have in common."""
        seen: dict[str, set[str]] = {}
        for one in self.tables:
            if one.table:
                seen.setdefault(one.table.casefold(), set()).add(one.origin)
        return tuple(sorted(one for one, origins in seen.items() if len(origins) > 1))

    def wait(self, after: int, timeout_s: float) -> tuple[int, tuple[TableState, ...], bool]:
        """Wait until something is newer than ``after``, or time is up.

        Returns
        -------
        tuple
            The newest version, the tables that have changed since, and whether the noticeboard has.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._version > after, timeout_s)
            changed = tuple(standing for at, standing in self._tables.values() if at > after)
            return self._version, changed, self._board_at > after
