"""What the views may use: one object, given to `create_app` and returned by `current_context` during a request."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from flask import current_app, g, request

from languages import Message
from web.club.club import Club
from web.history.analysis_desk import AnalysisDesk
from web.history.game_index import GameIndex
from web.net.image_upload import PhoneFrames
from web.net.links import Links
from web.net.network import NetworkAccess, NetworkDoor
from web.net.quotas import HERE, Quota, Share
from web.net.roles import CAMERA, REFEREE, VIEWER
from web.setup.board_photographs import BoardPhotographs
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable

MAX_EVENT_STREAMS = 200  # most open event streams of a table; each holds one of the server's 256 threads

STREAM_SHARES = {
    HERE: Share(MAX_EVENT_STREAMS, MAX_EVENT_STREAMS),
    REFEREE: Share(24, 24),
    VIEWER: Share(160, 80),
}
"""Who may have how many of them: 16 are left for this computer whatever comes from the network, where one address has
at most half of the viewers' places: two classes behind one router."""

MAX_FRAME_WAITS = 128
"""Most requests that wait for a newer picture, each in a thread; further ones are answered at once."""

FRAME_WAIT_SHARES = {HERE: Share(MAX_FRAME_WAITS, MAX_FRAME_WAITS), REFEREE: Share(16, 16), VIEWER: Share(64, 32)}
"""Who may have how many of them; a page waits for one picture at a time."""

MAX_UPLOADS = 12  # most pictures of phones that are taken in at once, each of 4 MB at most

UPLOAD_SHARES = {HERE: Share(MAX_UPLOADS, MAX_UPLOADS), REFEREE: Share(4, 2), CAMERA: Share(6, 2)}
"""Who may have how many of them; a phone sends one picture after the other."""

MAX_ADVICES = 6  # most choices of paints that are judged at once; six players take up to 0.8 s of a processor

ADVICE_SHARES = {HERE: Share(MAX_ADVICES, MAX_ADVICES), REFEREE: Share(2, 2), VIEWER: Share(2, 1)}
"""Who may have how many of them; a page asks again when a pot has rested."""


@dataclass(frozen=True)
class SharedPlaces:
    """The places of one table: for streams, for waits for a newer picture, for uploads and for judging paints."""

    streams: Quota = field(default_factory=lambda: Quota(MAX_EVENT_STREAMS, STREAM_SHARES))
    frame_waits: Quota = field(default_factory=lambda: Quota(MAX_FRAME_WAITS, FRAME_WAIT_SHARES))
    uploads: Quota = field(default_factory=lambda: Quota(MAX_UPLOADS, UPLOAD_SHARES))
    advices: Quota = field(default_factory=lambda: Quota(MAX_ADVICES, ADVICE_SHARES))


def acquire_slot(quota: Quota) -> Callable[[], None] | None:
    """Take a slot for the sender of the present request; return the function that gives it back, None without one."""
    is_here = not current_app.extensions["millchen.in_network"] and g.role == REFEREE
    return quota.acquire_slot(HERE if is_here else g.role, request.remote_addr or "")


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

    def going_on(self, number: int, here: object) -> AbstractContextManager[None]:
        """Let one table alone open an unfinished game. Raises MillchenError where it is on at another one."""

    def open_network(self) -> None:
        """Let devices in the network in. Raises MillchenError where it cannot be done."""

    def close_network(self) -> None:
        """Let nobody in the network in any more, and forget the links."""


@dataclass(frozen=True)
class AppContext:
    """The objects that the views of one table use."""

    table: LiveTable
    places: SharedPlaces = field(default_factory=SharedPlaces)
    door: NetworkDoor = field(default_factory=NetworkDoor)  # whether the page is open to the network just now
    setup: SetupSession = field(default_factory=SetupSession)
    phone_frames: PhoneFrames = field(default_factory=PhoneFrames)
    board_photographs: BoardPhotographs = field(default_factory=BoardPhotographs)
    club: Club | None = None
    host: TableHost | None = None
    started_s: float = field(default_factory=time.monotonic)  # when the page was opened, by the monotonic clock
    game_index: GameIndex = field(default_factory=GameIndex)
    analyses: AnalysisDesk = field(default_factory=AnalysisDesk)
    own_link: Links | None = None  # what lets in on the loopback address; None lets everybody in

    @property
    def network(self) -> NetworkAccess | None:
        """The page in the network; None while it is closed."""
        return self.door.access

    @property
    def findings(self) -> tuple[Message, ...]:
        """What people should know of the state of this computer's journals."""
        return () if self.club is None else self.club.findings


def current_context() -> AppContext:
    """Return the objects of the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])
