"""Messages between a table and its camera process, in which vision or the set-up looks; both ends send them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from calibration.known_table import KnownTable
from referee.events import Event
from referee.game import Game
from referee.moves import Move
from web.game.page_state import Sight
from web.journal.journal_record import JournalRecord

Corners = tuple[tuple[float, float], ...]
"""Four corners of the field, clockwise from the upper left one, image space, in pixels."""

FindKnownTables = Callable[[str], tuple[KnownTable, ...]]
"""Function that returns the tables that were measured through a source, by the source's name."""


@dataclass(frozen=True, slots=True)
class VisionJob:
    """The job of a new vision process: what it starts from."""

    source: str
    records: tuple[JournalRecord, ...]
    first_s: float = 0.0  # time of a film up to which it has been refereed already, in seconds
    corners: Corners | None = None  # the field, where somebody has pointed at it
    is_film: bool = False  # the source is played at its own speed
    # whether to say which stones and discs are hard to tell apart; in a demo nobody can take others
    gives_advice: bool = True
    known_tables: tuple[KnownTable, ...] = ()  # tables that were measured through this source
    cases: Path | None = None  # the data folder in which cases are kept; None where they would teach nothing


# ---------------------------------------------------------------- commands: from the table to the vision process


@dataclass(frozen=True, slots=True)
class UseCorners:
    """Take these corners of the field: somebody has pointed at them."""

    corners: Corners


@dataclass(frozen=True, slots=True)
class ChangeGame:
    """The game has become another one than vision has: people have changed it, or what vision saw does not count."""

    kind: str
    body: Mapping[str, Any]
    game: Game  # the game after it
    seq: int  # the journal's number of its newest record


class Ask(Enum):
    """Commands without words of their own."""

    PICTURE = "send one more picture as soon as there is a new one"
    KEEP_GAME = "people stay with the game that was chosen, although the board in sight fits another one"


# ---------------------------------------------------------------- messages: from the vision process to the table


class CrashCause(Enum):
    """An input that may kill the vision process."""

    GAME = "game"
    SOURCE = "source"
    KNOWN_TABLES = "known tables"
    CORNERS = "corners"


@dataclass(frozen=True, slots=True)
class CrashRiskNotice:
    """Vision is about to use an input, and has died at it if it dies now; None is no such input."""

    cause: CrashCause | None


class SourceNews(Enum):
    """How the source fares, while it has not ended."""

    OPENED = "it is open"
    STALE = "it is open but has shown nothing new for a moment"


@dataclass(frozen=True, slots=True)
class FrameResult:
    """The result of one frame."""

    events: tuple[Event, ...]
    sight: Sight
    # the journal's number of the newest record that the vision process was told of; what it saw after that is its own
    change_seq: int
    pending: tuple[Move, ...]  # moves of a turn that has begun and still owes its captures
    frame: int
    time_s: float
    step_ms: float
    photograph: bytes = b""  # the frame as a JPEG where the journal keeps one of the events, else empty


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """The newest frame as a JPEG."""

    jpeg: bytes


@dataclass(frozen=True, slots=True)
class SourceEnded:
    """There are no more frames; ``is_over`` at the end of a film, else there is a reason."""

    reason: str
    is_over: bool


@dataclass(frozen=True, slots=True)
class VisionFailed:
    """The vision process raised an error of its own; ``trace`` is for developers."""

    reason: str
    trace: str


VisionMessage = CrashRiskNotice | SourceNews | FrameResult | EncodedPicture | SourceEnded | VisionFailed
VisionCommand = UseCorners | ChangeGame | Ask
