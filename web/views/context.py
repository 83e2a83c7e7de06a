"""What the views may use: one object, given to `create_app` and returned by `current_context` during a request."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import cast

from flask import current_app

from languages import Message
from web.club.club import Club
from web.history.analysis_desk import AnalysisDesk
from web.history.game_index import GameIndex
from web.net.image_upload import PhoneFrames
from web.net.network import NetworkAccess, NetworkDoor
from web.net.owner_access import OwnerAccess
from web.setup.board_photographs import BoardPhotographs
from web.setup.setup_session import SetupSession
from web.views.shares import SharedPlaces
from web.views.table_protocol import TableHost, TableProtocol


@dataclass(frozen=True)
class AppContext:
    """The objects that the views of one table use.

    Attributes:
        places: What callers share: streams, waits and uploads.
        door: Whether the page is open to the network just now.
        setup: The table that is being set up.
        phone_frames: The pictures of a phone that serves as the camera.
        board_photographs: Photographs of boards that were checked or read.
        host: Opens further tables.
        started_s: When the page was opened, by the monotonic clock.
        game_index: The list of the journal's games.
        analyses: The games of the house that are being analysed.
        owner: Who is let in on the loopback address; None lets everybody in.
    """

    table: TableProtocol
    places: SharedPlaces = field(default_factory=SharedPlaces)
    door: NetworkDoor = field(default_factory=NetworkDoor)
    setup: SetupSession = field(default_factory=SetupSession)
    phone_frames: PhoneFrames = field(default_factory=PhoneFrames)
    board_photographs: BoardPhotographs = field(default_factory=BoardPhotographs)
    club: Club | None = None
    host: TableHost | None = None
    started_s: float = field(default_factory=time.monotonic)
    game_index: GameIndex = field(default_factory=GameIndex)
    analyses: AnalysisDesk = field(default_factory=AnalysisDesk)
    owner: OwnerAccess | None = None

    @property
    def network(self) -> NetworkAccess | None:
        """The page in the network; None while it is closed."""
        return self.door.access

    @property
    def findings(self) -> tuple[Message, ...]:
        """What people should know of the state of this computer's journals."""
        return () if self.club is None else self.club.findings

    @property
    def n_open_streams(self) -> int:
        """How many event streams are open."""
        return self.places.streams.n_taken


def current_context() -> AppContext:
    """Return the objects of the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])
