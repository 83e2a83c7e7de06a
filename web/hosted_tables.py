"""The tables of this computer: each with its camera, its game and a page at a port of its own, in one process.

A port each, because a browser opens six connections to one server: four tables on four screens never wait for another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from calibration.known_table import candidate_tables
from calibration.profile_folder import ProfileFolder
from web.club.club import Club
from web.errors import MillchenError
from web.game.announcements import MakeSentences
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal
from web.listeners import Listeners
from web.net.network import NetworkAccess
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable
from web.table.source_names import DEMO, find_demo, parse_source
from web.table.supervisor import VisionTarget
from web.table.vision_messages import Corners
from web.views.context import AppContext

log = logging.getLogger("millchen.club")

MAX_TABLES = 4
"""On one computer; each keeps a camera and most of a core busy."""
MAX_TABLE_NAME_CHARACTERS = 40


@dataclass(frozen=True)
class TableRequest:
    """A table that is to be opened.

    Attributes
    ----------
    source : str
        A camera number, a video file, a folder, an address; "demo" and "demo:GAME" are bundled clips.
    game : str
    options : mapping
        What the table chose of the game's options.
    name : str
        What people call it; empty where it is the only one.
    measured : str or None
        Name of the measured table that is looked at; None takes those that were measured through the same source.
    corners : four (x, y) or None
        The field, where it was named, in pixels.
    """

    source: str
    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    measured: str | None = None
    corners: Corners | None = None


@dataclass(frozen=True)
class HostedTable:
    """A table that is open.

    Attributes
    ----------
    name : str
    live : LiveTable
    doors : Doors
        Its page.
    """

    name: str
    live: LiveTable
    doors: Listeners


class HostedTables:
    """Opens tables, and closes all of them at the end.

    Parameters
    ----------
    folder : DataFolder
    journal : Journal
        All tables write into this one.
    club : Club
    say : callable
        Makes the sentences.
    look : callable
        What the process of a camera runs.
    port : int
        Of the first table; the next ones take those after it. 0 takes any free ones.
    network : NetworkAccess or None
        The pages in the network.
    """

    def __init__(
        self, folder: DataFolder, journal: Journal, club: Club, say: MakeSentences, look: VisionTarget, port: int, network: NetworkAccess | None
    ) -> None:
        self._folder, self._journal, self._club = folder, journal, club
        self._say, self._look, self._port, self._network = say, look, port, network
        self._lock = threading.Lock()
        self._opened: list[HostedTable] = []

    @property
    def tables(self) -> tuple[HostedTable, ...]:
        """Every open table, in the order in which they were opened."""
        return tuple(self._opened)

    @property
    def pages(self) -> Mapping[str, str]:
        """The address of every table's page on this computer, by the table's name."""
        return {one.name: one.doors.address for one in self._opened}

    def add(self, name: str, source: str, game: str, options: Mapping[str, Any]) -> str:
        """Open another table; the address of its page. Raises what `open` raises."""
        return self.open(TableRequest(source, game, options, name)).doors.address

    @property
    def are_open(self) -> bool:
        """Whether every page still answers."""
        return all(one.doors.are_open for one in self._opened)

    def open(self, wanted: TableRequest) -> HostedTable:
        """Open a table and its page.

        Raises
        ------
        MillchenError
            When its name, its source, its game or its port cannot be had; the other tables are as they were.
        """
        name = " ".join(wanted.name.split())
        with self._lock, ExitStack() as undo:
            self._check(name, wanted)
            game, options = wanted.game, wanted.options
            if wanted.source.partition(":")[0] == DEMO:
                game, options = find_demo(wanted.source).game, {}
            live = undo.enter_context(closing(LiveTable(self._journal, self._say, self._look, name)))
            live.known_tables = partial(candidate_tables, ProfileFolder(self._folder.path), wanted.measured)
            shell = AppContext(live, wizard=SetupSession(self._folder.path), club=self._club, house=self, name=name)
            doors = undo.enter_context(Listeners(shell, self._port and self._port + len(self._opened), self._network))
            live.phone_address = f"{doors.address}phone.mjpeg"
            live.open(wanted.source, game, options, wanted.corners)
            doors.open()
            self._club.open(name)
            opened = HostedTable(name, live, doors)
            self._opened.append(opened)
            undo.pop_all()
        log.info("table %r is at %s", name, doors.address)
        return opened

    def _check(self, name: str, wanted: TableRequest) -> None:
        if len(self._opened) >= MAX_TABLES:
            raise MillchenError(f"one computer carries {MAX_TABLES} tables: open the next one on another computer")
        if self._opened and not name:
            raise MillchenError("where there are several tables, each needs a name")
        if len(name) > MAX_TABLE_NAME_CHARACTERS or not name.isprintable():
            raise MillchenError(f"the name of a table has at most {MAX_TABLE_NAME_CHARACTERS} letters")
        if any(one.name.casefold() == name.casefold() for one in self._opened):
            raise MillchenError(f"there is a table called {name!r} already: name this one otherwise")
        source = parse_source(wanted.source)
        for one in self._opened:
            view = one.live.publisher.snapshot.source
            if source.kind in ("camera", "address") and (view.kind, view.name) == (source.kind, source.name):
                raise MillchenError(f"the camera {source.name} looks at another table already: name another one")

    def close(self) -> None:
        """Close every table, then every page: nobody waits for a page that listens."""
        with self._lock:
            self._club.hall.close()
            for one in self._opened:
                one.live.close()
            for one in self._opened:
                one.doors.close()
            self._opened.clear()
