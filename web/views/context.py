"""What the views may use: one object, given to `create_app` and returned by `current_context` during a request."""

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
from web.game.event_records import UnwrittenRecord
from web.game.replay import GameState
from web.game.snapshot import Announcement, SnapshotPublisher
from web.history.game_index import GameIndex
from web.journal.turn_photographs import TurnPhotographs
from web.net.film_upload import FilmUploads
from web.net.network import NetworkAccess, NetworkDoor
from web.net.phone_frames import PhoneFrames
from web.setup.setup_session import SetupSession

ImagePoint = tuple[float, float]
"""x and y in pixels of the camera's picture."""

MAX_EVENT_STREAMS = 200
"""Most open event streams of a table; each holds one of the server's 256 threads. Source: chosen."""


class TableProtocol(Protocol):
    """What a page may ask of a live table. Each method raises MillchenError where it cannot be done."""

    @property
    def publisher(self) -> SnapshotPublisher:
        """The newest state and the announcements."""

    @property
    def board(self) -> Board:
        """The board of the present game."""

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """Return what was announced in this game after the journal's number ``seq``."""

    def request_pictures(self) -> None:
        """Keep pictures coming for a while, because somebody is looking."""

    def new_game(self, game: str, options: Mapping[str, Any], source: str | None = None) -> None:
        """Close the game and begin another one, from another source where one is named."""

    def restart_game(self, *, number: int | None = None, swap: bool = False) -> None:
        """Begin the same game again, if it is still that number; with ``swap`` the players change their places."""

    def use_source(self, source: str) -> None:
        """Take the pictures from another source. A camera goes on with the game, a film begins its own."""

    def place_corners(self, corners: Sequence[ImagePoint]) -> None:
        """Set the corners of the field by hand, clockwise from the upper left one."""

    def let_foul_stand(self) -> None:
        """Let the foul stand and go on from the position on the table."""

    def correct_point(self, point: str, top: int) -> None:
        """Take over what people say lies on a point: 0 nothing, k a stone of player k."""

    def resume_from_seen(self, tops: Sequence[int], to_move: int | None) -> None:
        """Go on from the board as it is seen: by point 0 bare, k a stone of player k; ``to_move`` is 1 first."""

    def keep_game(self) -> None:
        """Stay with the game that was chosen, although the board in sight fits another one."""

    def take_back(self) -> None:
        """Take back the last turn."""

    def apply_command(self, command: Callable[[GameState], UnwrittenRecord]) -> None:
        """Apply a command of people, such as names, an ending or a correction."""

    def set_clock(self, change: Callable[[Clock, GameState, float], Clock]) -> None:
        """Change the clock of the table."""

    def add_record(self, game: int, kind: str, ply: int | None, body: dict[str, Any]) -> None:
        """Write a record that changes no position, such as a name or a remark, also of a game that is over."""

    def keep_records(self, bodies: Sequence[Mapping[str, Any]]) -> Sequence[int]:
        """Keep games that came from a file, all or none, and return their numbers."""

    @property
    def journal_path(self) -> Path:
        """The file of the journal, for those who only read it."""

    @property
    def photographs(self) -> TurnPhotographs:
        """The photographs of accepted turns."""

    @property
    def uploads(self) -> FilmUploads:
        """Films and photographs that were picked on the page."""

    def set_paused(self, is_paused: bool) -> None:
        """Release the camera while somebody else uses it, or take it again."""

    def health(self) -> Mapping[str, Any]:
        """Return counters for people who look after the machine."""


class TableHost(Protocol):
    """What a page may ask of the program that hosts its table among others."""

    @property
    def source_names(self) -> Sequence[str]:
        """The names of the sources at which the tables look."""

    @property
    def page_addresses(self) -> Mapping[str, str]:
        """The address of every table's page on this computer, by the table's name."""

    def add_table(self, name: str, source: str, game: str, options: Mapping[str, Any]) -> str:
        """Open another table and return the address of its page. Raises MillchenError where it cannot be done."""

    def open_network(self) -> None:
        """Let devices in the network in. Raises MillchenError where it cannot be done."""

    def close_network(self) -> None:
        """Let nobody in the network in any more, and forget the links."""


@dataclass(frozen=True)
class AppContext:
    """The objects that the views of one table use.

    Attributes
    ----------
    table : Table
    stream_slots : BoundedSemaphore
        One permit for each event stream that may be open.
    door : NetworkDoor
        Whether the page is open to the network just now.
    setup : SetupSession
        The table that is being set up.
    phone_frames : PhoneFrames
        The pictures of a phone that serves as the camera.
    club : Club or None
    host : TableHost or None
        Opens further tables.
    started_s : float
        When the page was opened, by the monotonic clock.
    game_index : GameIndex
        The list of the journal's games.
    """

    table: TableProtocol
    stream_slots: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MAX_EVENT_STREAMS))
    door: NetworkDoor = field(default_factory=NetworkDoor)
    setup: SetupSession = field(default_factory=SetupSession)
    phone_frames: PhoneFrames = field(default_factory=PhoneFrames)
    club: Club | None = None
    host: TableHost | None = None
    started_s: float = field(default_factory=time.monotonic)
    game_index: GameIndex = field(default_factory=GameIndex)

    @property
    def network(self) -> NetworkAccess | None:
        """The page in the network; None while it is closed."""
        return self.door.access

    @property
    def n_open_streams(self) -> int:
        """How many event streams are open."""
        return MAX_EVENT_STREAMS - self.stream_slots._value


def current_context() -> AppContext:
    """Return the objects of the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])
