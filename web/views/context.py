"""What the views may use: one object, given to `create_app` and returned by `current_context` during a request."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from flask import current_app, request

from web.club.club import Club
from web.history.analysis_desk import AnalysisDesk
from web.history.game_index import GameIndex
from web.net.image_upload import PhoneFrames
from web.net.links import Links
from web.net.network import NetworkAccess
from web.net.places import Places
from web.setup.board_photographs import BoardPhotographs
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable

MAX_HELD_THREADS, MOST_OF_ONE_ADDRESS = 200, 120
"""Most of a server's 256 threads that are held by event streams and by those who wait for a newer picture; and of one
address in the network: a class of 60 behind one router."""

SPARED_FOR_STREAMS = 50  # of them are not waited in: who waits for a picture without a place is answered at once


def hold_thread(spared: int = 0) -> Callable[[], None] | None:
    """Let the present request hold a thread; return the function that gives it back, None without a place for it."""
    places: Places = current_app.extensions["millchen.held"]
    return places.take(request.remote_addr or "", spared)


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


@dataclass
class AppContext:
    """The objects that the views of one table use."""

    table: LiveTable
    network: NetworkAccess | None = None  # the page in the network; None while the door to that is closed
    setup: SetupSession = field(default_factory=SetupSession)
    phone_frames: PhoneFrames = field(default_factory=PhoneFrames)
    board_photographs: BoardPhotographs = field(default_factory=BoardPhotographs)
    club: Club | None = None
    host: TableHost | None = None
    started_s: float = field(default_factory=time.monotonic)  # when the page was opened, by the monotonic clock
    game_index: GameIndex = field(default_factory=GameIndex)
    analyses: AnalysisDesk = field(default_factory=AnalysisDesk)
    own_link: Links | None = None  # what lets in on the loopback address; None lets everybody in


def current_context() -> AppContext:
    """Return the objects of the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])
