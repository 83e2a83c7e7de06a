"""Hands the state of a table, its pictures and what is announced to the pages that wait for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Condition, Lock

from web.game.page_state import Announcement, Snapshot

MAX_KEPT_ANNOUNCEMENTS = 200  # announcements kept for pages that come back; nobody wants to hear more
MAX_SHOWN_ANNOUNCEMENTS = 12  # announcements that a state has at most; the page shows ten lines


@dataclass(frozen=True, slots=True)
class Picture:
    """The newest picture of the table: a JPEG and its number since the table was opened."""

    jpeg: bytes
    number: int


@dataclass
class SnapshotPublisher:
    """Hands the newest snapshot, picture and announcements from the loop of a table to its pages, safe between threads.

    The loop never waits for a page. Announcements are kept in order, so that every page gets each of them once.
    """

    picture: Picture | None = None
    n_announcements: int = 0
    is_closed: bool = False
    _snapshot: Snapshot | None = None
    _announcements: deque[tuple[int, Announcement]] = field(
        default_factory=lambda: deque(maxlen=MAX_KEPT_ANNOUNCEMENTS)
    )
    _snapshot_changed: Condition = field(default_factory=Condition)
    _picture_changed: Condition = field(default_factory=Condition)  # so that a picture does not wake 200 listeners
    _caching: Lock = field(default_factory=Lock)
    _cached: tuple[tuple[int, int], bytes] = ((-1, -1), b"")

    def publish(self, snapshot: Snapshot, announcements: tuple[Announcement, ...] = ()) -> None:
        """Replace the snapshot and append the announcements that belong to it."""
        with self._snapshot_changed:
            for announcement in announcements:
                self.n_announcements += 1
                self._announcements.append((self.n_announcements, announcement))
            newest = [one for _, one in self._announcements][-MAX_SHOWN_ANNOUNCEMENTS:]
            self._snapshot = replace(snapshot, said=tuple(one for one in newest if one.game == snapshot.game.id))
            self._snapshot_changed.notify_all()

    def recall(self, announcements: Sequence[Announcement]) -> None:
        """Keep announcements of earlier: a state shows them, and pages that are open do not hear them again."""
        again = {announcement.seq for announcement in announcements}
        with self._snapshot_changed:
            others = [(at, one) for at, one in self._announcements if one.seq is None or one.seq not in again]
            self._announcements.clear()
            self._announcements.extend([*others, *((self.n_announcements, one) for one in announcements)])

    def publish_picture(self, picture: Picture) -> None:
        """Replace the picture."""
        with self._picture_changed:
            self.picture = picture
            self._picture_changed.notify_all()

    def close(self) -> None:
        """Wake everybody who waits: the table is being closed."""
        with self._snapshot_changed:
            self.is_closed = True
            self._snapshot_changed.notify_all()
        with self._picture_changed:
            self._picture_changed.notify_all()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        snapshot = self._snapshot
        if snapshot is None:
            raise RuntimeError("nothing has been published yet")
        return snapshot

    def cached(self, serialise: Callable[[], bytes]) -> bytes:
        """Return the newest state as bytes; ``serialise`` is called once per state, however many pages listen."""
        with self._caching:
            newest = (self.snapshot.version, self.n_announcements)
            if self._cached[0] != newest:
                self._cached = newest, serialise()
            return self._cached[1]

    def wait(self, version: int, place: int, timeout_s: float) -> tuple[Snapshot, tuple[Announcement, ...], int]:
        """Wait for a snapshot after ``version`` or news after ``place``; return it, the news and the next place."""
        with self._snapshot_changed:
            self._snapshot_changed.wait_for(
                lambda: self.is_closed or self.snapshot.version != version or self.n_announcements > place, timeout_s
            )
            missed = tuple(announcement for at, announcement in self._announcements if at > place)
            return self.snapshot, missed, self.n_announcements

    def wait_for_picture(self, number: int, timeout_s: float) -> Picture | None:
        """Wait for a picture other than ``number``, at most for ``timeout_s``, and return the newest one."""
        with self._picture_changed:
            self._picture_changed.wait_for(
                lambda: self.is_closed or (self.picture is not None and self.picture.number != number), timeout_s
            )
            return self.picture
