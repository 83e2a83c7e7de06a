"""The state of the table for pages, players counted from 1: frozen snapshots, and who hands out the newest one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from threading import Condition, Lock
from typing import Any

from languages import in_all_languages
from web.drawing.colour_names import colour_names, display_colours

MAX_KEPT_ANNOUNCEMENTS = 200  # announcements kept for pages that come back; nobody wants to hear more


@dataclass(frozen=True, slots=True)
class Announcement:
    """One thing that the referee announced; ``seq`` is None for what the journal does not keep."""

    seq: int | None
    game: int
    kind: str
    sentences: Mapping[str, Mapping[str, str]]

    def to_json(self) -> dict[str, Any]:
        """Return the announcement for the page."""
        return {"seq": self.seq, "game": self.game, "kind": self.kind, **self.sentences}


@dataclass(frozen=True, slots=True)
class VisionStatus:
    """The present view of the vision process."""

    phase: str = "opening"  # "opening", "searching", "watching", "hand", "lost", "disputed", "over"
    reason: str = ""  # why the field is not seen; empty while it is
    # where each point lies in the picture, in the order of the board's points; empty while unknown
    points_px: tuple[tuple[float, float], ...] = ()
    hidden: tuple[bool, ...] = ()  # whether something is in the way, for each point; empty while unknown
    size_px: tuple[int, int] | None = None
    # ``#rrggbb`` of each player's stones as learnt from the table, empty string while unknown
    colours: tuple[str, ...] = ()
    # what became of a table that was measured before, and which points lie outside the picture
    known_table_note: Mapping[str, str] = field(default_factory=dict)
    # while a game begins: two players (1 first, 0 is the board) whose stones are hard to tell apart, and the share of
    # stones that would be mistaken; the worst pair first
    confusable_stones: tuple[tuple[int, int, float], ...] = ()
    # while a game begins: rings (0 outermost) that look so much the same all around that they need a mark
    featureless_rings: tuple[int, ...] = ()
    seen_tops: tuple[int, ...] = ()  # by point the board as it is seen while nothing explains it, else empty
    seen_to_move: int | None = None  # whose turn it is on that board, 1 first, where the stones tell
    is_compared: bool = True  # whether the table was compared with a game that began before it was seen

    def to_json(self) -> dict[str, Any]:
        """Return the status for the page; a tenth of a pixel is enough to draw."""
        alike = [{"one": one, "other": other, "share": round(share, 3)} for one, other, share in self.confusable_stones]
        return {
            "sight": self.phase,
            "reason": self.reason,
            "reasons": in_all_languages(self.reason),
            "points": [[round(x, 1), round(y, 1)] for x, y in self.points_px],
            "hidden": list(self.hidden),
            "size": self.size_px,
            "colours": list(display_colours(self.colours)),
            "names": list(colour_names(self.colours)),
            "note": dict(self.known_table_note),
            "alike": alike,
            "plain": list(self.featureless_rings),
            "seen": {"tops": list(self.seen_tops), "to_move": self.seen_to_move} if self.seen_tops else None,
        }


def medium_of(kind: str) -> str:
    """Return what a kind of source shows, by which the page picks its sentences: "camera", "film" ...

    >>> [medium_of(kind) for kind in ("phone", "demo", "photographs", "hand")]
    ['camera', 'film', 'photographs', 'hand']
    """
    return {"phone": "camera", "address": "camera", "demo": "film", "file": "film"}.get(kind, kind)


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """The source of the pictures and how it fares."""

    name: str  # as people typed it; "demo" is the bundled clip
    kind: str  # "demo", "camera", "phone", "hand", "address", "file" (a film) or "photographs"
    # "opening", "live", "stale" (nothing new for a moment), "lost" (tried again by itself), "ended" (the film is over)
    # or "failed" (needs another)
    state: str = "opening"
    reason: str = ""

    @property
    def is_away(self) -> bool:
        """Whether nobody looks at the table, so that people play on the page: no camera, or it has gone."""
        return self.kind == "hand" or (not self.is_film and self.state in ("lost", "failed", "ended"))

    @property
    def is_film(self) -> bool:
        """Whether it has a beginning and an end, unlike a camera."""
        return medium_of(self.kind) in ("film", "photographs")

    def to_json(self) -> dict[str, Any]:
        """Return the status for the page."""
        why = {"reason": self.reason, "reasons": in_all_languages(self.reason)}
        return {"name": self.name, "kind": self.kind, "medium": medium_of(self.kind), "state": self.state, **why}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table as the page shows it."""

    version: int
    game: Mapping[str, Any]  # see `web.game.game_json.game_to_json`
    vision: VisionStatus
    source: SourceStatus
    is_saved: bool = True  # False while the journal cannot be written; what happens meanwhile waits to be announced
    # the games that the board in sight fits, and the question whether one of them is played
    other_game: Mapping[str, Any] | None = None
    # game, options and names of the last game of people, which a new game is offered
    last: Mapping[str, Any] = field(default_factory=dict)
    # the question whether the game goes on that was taken up at the start, see `unfinished_game.Offer`
    offer: Mapping[str, Any] | None = None
    # whether Millchen is thinking, whether people may ask for hints, and whether it lays its stones itself
    partner: Mapping[str, Any] = field(default_factory=lambda: {"thinking": False, "hints": False, "lays": False})
    proposal: Mapping[str, Any] | None = None  # the turn that Millchen wants to be made
    hint: Mapping[str, Any] | None = None  # the advice that was asked for

    def to_json(self) -> dict[str, Any]:
        """Return the whole state, as `/api/state` and the event stream send it."""
        shown = {one.name: getattr(self, one.name) for one in fields(self)}
        sight, source, is_saved = shown.pop("vision"), shown.pop("source"), shown.pop("is_saved")
        return {**shown, "sight": sight.to_json(), "source": source.to_json(), "saved": is_saved}


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
            self._snapshot = snapshot
            for announcement in announcements:
                self.n_announcements += 1
                self._announcements.append((self.n_announcements, announcement))
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

    def latest_announcements(self, n: int) -> tuple[Announcement, ...]:
        """Return the newest announcements, oldest first."""
        with self._snapshot_changed:
            return tuple(announcement for _, announcement in list(self._announcements)[-n:])

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
