"""What the pages see: one frozen state of the table. Latest wins; nobody waits for a page.

A snapshot holds values only, ready to be written as JSON: a view renders it and asks neither the rules nor the eyes.
Players count from 1 here, as in everything that leaves the program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Any

from web.drawing.colour_names import colour_names, display_colours
from web.i18n.error_texts import in_all

Json = Mapping[str, Any]
Texts = Mapping[str, str]
"""One sentence in every language, by its two letters."""

MAX_KEPT_ANNOUNCEMENTS = 200
"""Announcements kept for pages that come back; more than any page can have missed and still want to hear."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One thing the referee said.

    Attributes
    ----------
    seq : int or None
        Number in the journal; None for what is not kept (the field was found, cannot be seen).
    game : int
        Number of the game it belongs to.
    kind : str
        The event's kind as in the journal, or "board", "lost".
    sentences : mapping
        By kind ("texts" for the eye, "spoken" for the ear) and language.
    """

    seq: int | None
    game: int
    kind: str
    sentences: Mapping[str, Texts]

    def to_json(self) -> dict[str, Any]:
        """The announcement for the page."""
        return {"seq": self.seq, "game": self.game, "kind": self.kind, **self.sentences}


@dataclass(frozen=True, slots=True)
class VisionStatus:
    """What the eyes see just now.

    Attributes
    ----------
    sight : str
        "opening", "searching", "watching", "hand", "lost", "disputed", "over".
    reason : str
        Why the field is not seen; empty while it is.
    points_px : tuple of (x, y)
        Where each point lies in the picture, in the order of the board's points; empty while unknown.
    hidden : tuple of bool
        For each point whether something is in the way; empty while unknown.
    size_px : (width, height) or None
        Size of the picture.
    colours : tuple of str
        ``#rrggbb`` of each player's stones as learnt from the table, empty string while unknown.
    note : mapping of str to str
        What became of a table that was measured, by language; empty where there is none.
    alike : tuple of (int, int, float)
        While a game begins: two players (1 first, 0 is the board) whose stones are hard to tell apart, and the share
        of stones that would be mistaken; the worst pair first.
    plain : tuple of int
        While a game begins: rings (0 outermost) that look so much the same all around that they need a mark.
    """

    sight: str = "opening"
    reason: str = ""
    points_px: tuple[tuple[float, float], ...] = ()
    hidden: tuple[bool, ...] = ()
    size_px: tuple[int, int] | None = None
    colours: tuple[str, ...] = ()
    note: Mapping[str, str] = field(default_factory=dict)
    alike: tuple[tuple[int, int, float], ...] = ()
    plain: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The sight for the page; a tenth of a pixel is enough to draw."""
        return {
            "sight": self.sight,
            "reason": self.reason,
            "reasons": in_all(self.reason),
            "points": [[round(x, 1), round(y, 1)] for x, y in self.points_px],
            "hidden": list(self.hidden),
            "size": self.size_px,
            "colours": list(display_colours(self.colours)),
            "names": list(colour_names(self.colours)),
            "note": dict(self.note),
            "alike": [{"one": one, "other": other, "share": round(share, 3)} for one, other, share in self.alike],
            "plain": list(self.plain),
        }


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """Where the pictures come from.

    Attributes
    ----------
    name : str
        As people typed it; "demo" is the bundled clip.
    kind : str
        "demo", "camera", "phone", "hand", "address" or "file".
    state : str
        "opening", "live", "stale" (nothing new for a moment), "lost" (tried again by itself), "ended" (the film is
        over) or "failed" (needs another).
    reason : str
        One sentence on what went wrong, empty when nothing did.
    """

    name: str
    kind: str
    state: str = "opening"
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The source for the page."""
        away = {"reason": self.reason, "reasons": in_all(self.reason)}
        return {"name": self.name, "kind": self.kind, "state": self.state, **away}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table as the page shows it.

    Attributes
    ----------
    version : int
        Grows with every change.
    game : mapping
        Number, name, board, players and position of the game, see `web.game.game_json.game_view`.
    sight : Sight
    source : SourceView
    is_saved : bool
        False while the journal cannot be written; what happens meanwhile waits to be announced.
    """

    version: int
    game: Json
    sight: VisionStatus
    source: SourceStatus
    is_saved: bool = True

    def to_json(self) -> dict[str, Any]:
        """The whole state, as `/api/state` and the event stream send it."""
        return {
            "version": self.version,
            "game": self.game,
            "sight": self.sight.to_json(),
            "source": self.source.to_json(),
            "saved": self.is_saved,
        }


@dataclass(frozen=True, slots=True)
class Picture:
    """The newest picture of the table: a JPEG and the number of its frame since the eyes were opened."""

    jpeg: bytes
    number: int


@dataclass
class SnapshotPublisher:
    """Where the loop of the table lays what is newest and the pages pick it up; safe between threads.

    The loop never waits for a page: a snapshot replaces the one before, a picture likewise. Announcements are kept
    in order, so that every page hears each of them once.
    """

    _snapshot: Snapshot | None = None
    _picture: Picture | None = None
    _said: deque[tuple[int, Announcement]] = field(default_factory=lambda: deque(maxlen=MAX_KEPT_ANNOUNCEMENTS))
    _n_said: int = 0
    _is_closed: bool = False
    _changed: Condition = field(default_factory=Condition)
    _shown: Condition = field(default_factory=Condition)  # of its own: a picture must not wake two hundred listeners
    _writing: Lock = field(default_factory=Lock)
    _written: tuple[tuple[int, int], bytes] = ((-1, -1), b"")

    def publish(self, snapshot: Snapshot, announcements: tuple[Announcement, ...] = ()) -> None:
        """Lay down a new state together with what is to be said about it."""
        with self._changed:
            self._snapshot = snapshot
            for announcement in announcements:
                self._n_said += 1
                self._said.append((self._n_said, announcement))
            self._changed.notify_all()

    def show(self, picture: Picture) -> None:
        """Lay down a newer picture."""
        with self._shown:
            self._picture = picture
            self._shown.notify_all()

    def close(self) -> None:
        """Wake everybody who waits: the table is being closed."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        with self._shown:
            self._shown.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether the table has been closed."""
        return self._is_closed

    @property
    def snapshot(self) -> Snapshot:
        """The newest state."""
        snapshot = self._snapshot
        if snapshot is None:
            raise RuntimeError("nothing has been published yet")
        return snapshot

    @property
    def picture(self) -> Picture | None:
        """The newest picture, None before the first."""
        return self._picture

    @property
    def n_said(self) -> int:
        """How many announcements there have been; a place to listen from."""
        return self._n_said

    def written(self, write: Callable[[], bytes]) -> bytes:
        """The newest state as ``write`` puts it into bytes; it is asked once, however many listen."""
        with self._writing:
            newest = (self.snapshot.version, self._n_said)
            if self._written[0] != newest:
                self._written = newest, write()
            return self._written[1]

    def place_of(self, seq: int) -> int:
        """The place right behind the announcement with this number in the journal."""
        with self._changed:
            after = [place for place, said in self._said if said.seq is not None and said.seq > seq]
            return after[0] - 1 if after else self._n_said

    def last_said(self, n: int) -> tuple[Announcement, ...]:
        """The newest announcements, oldest first."""
        with self._changed:
            return tuple(said for _, said in list(self._said)[-n:])

    def wait(self, version: int, place: int, timeout_s: float) -> tuple[Snapshot, tuple[Announcement, ...], int]:
        """Wait until there is a state newer than ``version`` or something said after ``place``, or time is up.

        Returns
        -------
        tuple
            The newest state, what was said meanwhile, and the place from which to listen next.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or self.snapshot.version != version or self._n_said > place, timeout_s
            )
            return self.snapshot, tuple(said for at, said in self._said if at > place), self._n_said

    def wait_for_picture(self, number: int, timeout_s: float) -> Picture | None:
        """Wait until there is a picture other than ``number``, or time is up; the newest one there is."""
        with self._shown:
            self._shown.wait_for(
                lambda: self._is_closed or (self._picture is not None and self._picture.number != number), timeout_s
            )
            return self._picture
