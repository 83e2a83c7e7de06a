"""The newest state of every table of the evening: this computer's and, through the archive, those of all others.

Followers of journals write to the scoreboard; pages read it. Only the newest state is kept, and no writer waits for a
page.
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
    """What the scoreboard shows beside the tables.

    Attributes:
        link: The connection to the archive; None without an archive.
        evening: The newest evening.
        is_ours: Whether the evening is led from this computer.
    """

    link: ArchiveLink | None = None
    evening: Evening | None = None
    is_ours: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether there is neither an archive nor an evening."""
        return self == ClubStatus()


@dataclass
class Scoreboard:
    """Holds the newest state of every table; may be used from any thread.

    Every change gets the next version number. A page asks for what changed after the version that it has (`wait`).
    """

    _tables: dict[str, tuple[int, TableState]] = field(default_factory=dict)
    _status: ClubStatus = ClubStatus()
    _status_version: int = 0
    _version: int = 0
    _is_closed: bool = False
    _changed: Condition = field(default_factory=Condition)

    def update_tables(self, *tables: TableState) -> None:
        """Replace the state of some tables."""
        with self._changed:
            for table in tables:
                self._version += 1
                self._tables[table.key] = (self._version, table)
            if tables:
                self._changed.notify_all()

    def set_status(self, status: ClubStatus) -> None:
        """Replace what is shown beside the tables."""
        with self._changed:
            if status != self._status:
                self._version += 1
                self._status, self._status_version = status, self._version
                self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody who waits."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether the scoreboard was closed."""
        return self._is_closed

    @property
    def status(self) -> ClubStatus:
        """What is shown beside the tables."""
        return self._status

    @property
    def tables(self) -> tuple[TableState, ...]:
        """Every table: this computer's first, then by computer and name."""
        with self._changed:
            found = [table for _, table in self._tables.values()]
        return tuple(sorted(found, key=lambda one: (one.host != "", one.host, one.table.casefold(), one.key)))

    def find_table(self, key: str) -> tuple[int, TableState] | None:
        """Return a table and the version that brought its present state, or None."""
        with self._changed:
            return self._tables.get(key)

    def display_names(self) -> Mapping[str, str]:
        """Return what to call each table, by its key: its name, else its computer, or both where names are shared."""
        tables = self.tables
        short = {one.key: one.table or one.host for one in tables}
        taken = list(short.values())
        return {
            one.key: f"{short[one.key]} · {one.host}" if one.table and one.host and taken.count(short[one.key]) > 1
            else short[one.key]
            for one in tables
        }  # fmt: skip

    def duplicate_names(self) -> tuple[str, ...]:
        """Return the names that tables of several computers share."""
        origins_by_name: dict[str, set[str]] = {}
        for one in self.tables:
            if one.table:
                origins_by_name.setdefault(one.table.casefold(), set()).add(one.origin)
        return tuple(sorted(name for name, origins in origins_by_name.items() if len(origins) > 1))

    def wait(self, after: int, timeout_s: float) -> tuple[int, tuple[TableState, ...], bool]:
        """Wait until something is newer than the version ``after``, or until the time is up.

        Returns:
            The newest version, the tables that have changed since, and whether the status has.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._version > after, timeout_s)
            changed = tuple(table for version, table in self._tables.values() if version > after)
            return self._version, changed, self._status_version > after
