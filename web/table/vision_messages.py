"""Messages between a table and its vision process; both ends send them through a pipe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from calibration.known_table import KnownTable
from referee.events import Event
from referee.game import Game
from referee.moves import Move
from web.game.snapshot import VisionStatus
from web.journal.journal_record import JournalRecord

Corners = tuple[tuple[float, float], ...]
"""Four corners of the field, clockwise from the upper left one, image space, in pixels."""

FindKnownTables = Callable[[str], tuple[KnownTable, ...]]
"""Function that returns the tables that were measured through a source, by the source's name."""


@dataclass(frozen=True, slots=True)
class VisionJob:
    """The job of a new vision process: what it starts from.

    Attributes
    ----------
    source : str
        As `vision.capture.sources.open_source` understands it.
    records : tuple of Record
        The game so far; its first record names the game.
    first_s : float
        Time of a film up to which it has been refereed already, in seconds.
    corners : four (x, y) or None
        The field, where somebody has pointed at it, in pixels.
    is_film : bool
        The source is played at its own speed.
    known_tables : tuple of KnownTable
        Tables that were measured through this source.
    """

    source: str
    records: tuple[JournalRecord, ...]
    first_s: float = 0.0
    corners: Corners | None = None
    is_film: bool = False
    known_tables: tuple[KnownTable, ...] = ()


# ---------------------------------------------------------------- commands: from the table to the vision process


@dataclass(frozen=True, slots=True)
class UseCorners:
    """Take these corners of the field: somebody has pointed at them."""

    corners: Corners


@dataclass(frozen=True, slots=True)
class ChangeGame:
    """A person changes the game.

    Attributes
    ----------
    kind : str
        Kind of the record that keeps the change.
    ply : int or None
        Ply of that record.
    body : dict
        Body of that record.
    after_ply : int
        Complete turns of the game that it changes; a turn that was accepted meanwhile makes it void.
    game : Game
        The game after it.
    """

    kind: str
    ply: int | None
    body: dict[str, Any]
    after_ply: int
    game: Game


@dataclass(frozen=True, slots=True)
class SendPicture:
    """Send one more picture as soon as there is a new one."""


# ---------------------------------------------------------------- messages: from the vision process to the table


@dataclass(frozen=True, slots=True)
class SourceOpened:
    """The source is open."""


@dataclass(frozen=True, slots=True)
class SourceStale:
    """The source is open but has shown nothing new for so many seconds."""

    age_s: float


@dataclass(frozen=True, slots=True)
class FrameResult:
    """The result of one frame.

    Attributes
    ----------
    events : tuple of Event
        What happened, in order.
    status : VisionStatus
    ply : int
        Complete turns of the game as the vision process has it.
    pending : tuple of Move
        Moves of a turn that has begun and still owes its captures.
    frame : int
        Number of the frame in the source.
    time_s : float
        Time of the frame, seconds since the source was opened.
    step_ms : float
        Time that its processing took, in milliseconds.
    photograph : bytes
        The frame as a JPEG where the journal keeps one of the events, else empty.
    """

    events: tuple[Event, ...]
    status: VisionStatus
    ply: int
    pending: tuple[Move, ...]
    frame: int
    time_s: float
    step_ms: float
    photograph: bytes = b""


@dataclass(frozen=True, slots=True)
class GameChanged:
    """A person's change was applied; kind, ply and body are those of its record."""

    kind: str
    ply: int | None
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """The newest frame as a JPEG."""

    jpeg: bytes


@dataclass(frozen=True, slots=True)
class SourceEnded:
    """There are no more frames.

    Attributes
    ----------
    reason : str
        Why the source cannot be used; empty at the end of a film.
    is_over : bool
        The film has been shown to its end.
    """

    reason: str
    is_over: bool


@dataclass(frozen=True, slots=True)
class VisionFailed:
    """The vision process raised an error of its own; ``trace`` is for developers."""

    reason: str
    trace: str


VisionMessage = SourceOpened | SourceStale | FrameResult | GameChanged | EncodedPicture | SourceEnded | VisionFailed
VisionCommand = UseCorners | ChangeGame | SendPicture
