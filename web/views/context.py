"""What the views may use: one object, handed to `create_app` and found again through `shell()`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Protocol, cast

from flask import current_app

from referee.board import Board
from web.club.club import Club
from web.game.clock import Clock
from web.game.replay import GameState, UnwrittenRecord
from web.game.snapshot import Announcement, SnapshotPublisher
from web.journal.turn_photographs import TurnPhotographs
from web.net.network import NetworkAccess
from web.net.phone_frames import PhoneFrames
from web.setup.setup_session import SetupSession

ImagePoint = tuple[float, float]

MAX_EVENT_STREAMS = 200  # of the server's 256 threads; each open event stream holds one


class Table(Protocol):
    """What a page may ask of a live table. Each method raises MillchenError where it cannot be done."""

    @property
    def publisher(self) -> SnapshotPublisher:
        """Where the newest state lies."""

    @property
    def board(self) -> Board:
        """The board that is played on."""

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """What was announced in this game after the journal's number ``seq``."""

    def request_pictures(self) -> None:
        """Somebody is looking: keep pictures coming for a while."""

    def new_game(self, game: str, options: Mapping[str, Any], source: str | None = None) -> None:
        """Close the game and begin another one, from another source where one is named."""

    def restart_game(self) -> None:
        """Begin the same game again; a film starts at its beginning."""

    def use_source(self, source: str) -> None:
        """Take the pictures from elsewhere; a camera goes on with the game, a film begins its own."""

    def place_corners(self, corners: Sequence[ImagePoint]) -> None:
        """The corners of the field as people see them, clockwise from the upper left one, in pixels of the picture."""

    def let_foul_stand(self) -> None:
        """Let the foul stand and go on from what lies on the table."""

    def correct_point(self, point: str, top: int) -> None:
        """Take the players' word for what lies on a point: 0 nothing, k a stone of player k."""

    def take_back(self) -> None:
        """Take back the last turn."""

    def apply_command(self, word_of: Callable[[GameState], UnwrittenRecord]) -> None:
        """Take the players' word for what no eyes can see."""

    def set_clock(self, change: Callable[[Clock, GameState, float], Clock]) -> None:
        """Change the clock of the table."""

    def add_record(self, game: int, kind: str, ply: int | None, body: dict[str, Any]) -> None:
        """Write something beside a game, also one that is over: a name, a remark."""

    @property
    def journal_path(self) -> Path:
        """Where the journal lies, for those who only read it."""

    @property
    def photographs(self) -> TurnPhotographs:
        """The photographs of accepted turns."""

    def set_paused(self, is_paused: bool) -> None:
        """Let go of the camera while somebody else looks through it, or look through it again."""

    def health(self) -> Mapping[str, Any]:
        """Counters for people who look after the machine."""


class TableHost(Protocol):
    """What a page may ask of the house that it belongs to."""

    @property
    def pages(self) -> Mapping[str, str]:
        """The address of every table's page on this computer, by the table's name."""

    def add(self, name: str, source: str, game: str, options: Mapping[str, Any]) -> str:
        """Open another table; the address of its page. Raises MillchenError where it cannot be done."""


@dataclass(frozen=True)
class AppContext:
    """The objects behind the pages."""

    table: Table
    streams: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MAX_EVENT_STREAMS))
    lan: NetworkAccess | None = None
    wizard: SetupSession = field(default_factory=SetupSession)
    phone: PhoneFrames = field(default_factory=PhoneFrames)
    club: Club | None = None
    house: TableHost | None = None
    name: str = ""  # of this table among several
    began_s: float = field(default_factory=time.monotonic)

    @property
    def n_streams(self) -> int:
        """How many pages listen."""
        return MAX_EVENT_STREAMS - self.streams._value


def current_context() -> AppContext:
    """The objects behind the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])
