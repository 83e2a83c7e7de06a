"""The tables of this computer: each with its camera, its game and a page at a port of its own, in one process.

Each table has its own port because a browser opens only six connections to one server: with one port, four tables on
four screens would wait for each other.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from calibration.known_table import candidate_tables
from languages import message
from web.club.club import Club
from web.errors import MillchenError
from web.history.analysis_desk import AnalysisDesk
from web.journal.journal import Journal
from web.listeners import Listeners
from web.net.network import NetworkAccess, NetworkDoor, open_network_access, revoke_links
from web.net.owner_access import OwnerAccess, stream_address
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable
from web.table.source_names import find_demo, parse_source
from web.table.supervisor import VisionTarget
from web.table.vision_messages import Corners
from web.views.context import AppContext

log = logging.getLogger("millchen.club")

MAX_TABLES = 4
"""Most tables of one computer; each needs a camera and most of a processor core. Source: chosen."""

MAX_TABLE_NAME_CHARACTERS = 40
"""Longest name of a table. Source: chosen."""


NETWORK_FOLDER = "network"
"""Folder of the certificate and the links, in the data folder."""


@dataclass(frozen=True)
class TableRequest:
    """A table that is to be opened.

    Attributes:
        source: A camera number, a video file, a folder or an address; "demo" and "demo:GAME" are bundled clips.
        options: The chosen options of the game.
        name: What people call the table; empty for the only one.
        known_table: Name of the measured table that the camera sees; None tries those that were measured with the same
            source.
        corners: four (x, y) or None. The corners of the field, where they were given, in pixels.
        partners: For which players (1 first) Millchen plays, how well, and whether it says its reasons.
    """

    source: str
    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    known_table: str | None = None
    corners: Corners | None = None
    partners: tuple[tuple[int, str, bool], ...] = ()


@dataclass(frozen=True)
class HostedTable:
    """A table that is open.

    Attributes:
        listeners: The servers of its page.
    """

    name: str
    live: LiveTable
    listeners: Listeners


class HostedTables:
    """Opens tables, and closes all of them at the end.

    Args:
        data_path: Millchen's data folder.
        journal: All tables write into this one.
        port: Port of the first table; the next tables take the next ports. 0 takes any free ports.
        network: Who in the network may open the pages; None serves this computer only.
        vision_target: What the vision process of a table runs; None is the usual one, tests give their own.
        owner: Who on this computer may open the pages; None lets everybody in.
    """

    def __init__(
        self,
        data_path: Path,
        journal: Journal,
        club: Club,
        port: int,
        network: NetworkAccess | None,
        vision_target: VisionTarget | None = None,
        owner: OwnerAccess | None = None,
    ) -> None:
        self._data_path, self._journal, self._club = data_path, journal, club
        self._port, self._network, self._vision_target = port, network, vision_target
        self._owner = owner
        self._analyses = AnalysisDesk()
        self._lock = threading.Lock()
        self._going_on = threading.Lock()  # taken while a table's own is held, and so never before one
        self._opened: list[HostedTable] = []

    @property
    def tables(self) -> tuple[HostedTable, ...]:
        """Every open table, in the order of opening."""
        return tuple(self._opened)

    @property
    def source_names(self) -> tuple[str, ...]:
        """The names of the sources at which the tables look."""
        return tuple(one.live.publisher.snapshot.source.name for one in self._opened)

    @property
    def page_addresses(self) -> Mapping[str, str]:
        """The address of every table's page on this computer, by the table's name."""
        return {one.name: one.listeners.address for one in self._opened}

    def add_table(self, name: str, source: str, game: str, options: Mapping[str, Any]) -> str:
        """Open another table and return the address of its page. Raises what `open` raises."""
        return self.open(TableRequest(source, game, options, name)).listeners.address

    @contextmanager
    def going_on(self, number: int, here: object) -> Iterator[None]:
        """Let one table alone open an unfinished game.

        Raises:
            MillchenError: When it is on at another table than ``here``.
        """
        with self._going_on:
            others = [one.live.publisher.snapshot for one in self._opened if one.live is not here]
            if any(other.game["id"] == number for other in others):
                raise MillchenError(message("go_on.elsewhere", number=number))
            yield

    def open_network(self) -> None:
        """Let devices in the network in, at every table; certificate and links are made where there are none.

        Raises:
            MillchenError: When there is no network, or a port is taken; then no table is open to it.
        """
        with self._lock:
            if self._network is not None:
                return
            network = open_network_access(self._data_path / NETWORK_FOLDER)
            try:
                for one in self._opened:
                    one.listeners.open_network(network)
            except MillchenError:
                self._close_doors()
                raise
            self._network = network
        log.info("the door to the network is open at %s", network.address)

    def close_network(self) -> None:
        """Let nobody in any more: the ports are closed, and the links that were given away stay dead."""
        with self._lock:
            self._network = None
            self._close_doors()
            revoke_links(self._data_path / NETWORK_FOLDER)
        log.info("the door to the network is closed")

    def _close_doors(self) -> None:
        for one in self._opened:
            one.listeners.close_network()

    @property
    def are_running(self) -> bool:
        """Whether every page still answers."""
        return all(one.listeners.are_running for one in self._opened)

    def open(self, request: TableRequest) -> HostedTable:
        """Open a table and its page.

        Raises:
            MillchenError: When the name, the source, the game or the port cannot be used; the other tables stay as they
                are.
        """
        name = " ".join(request.name.split())
        with self._lock, ExitStack() as undo:
            self._check(name, request)
            game, options = request.game, request.options
            if parse_source(request.source).kind == "demo":
                game, options = find_demo(request.source).game, {}
            live = undo.enter_context(
                closing(LiveTable(self._journal, self._club.make_sentences, self._vision_target, name))
            )
            setup = SetupSession(self._data_path)
            live.known_tables = partial(candidate_tables, setup.tables, request.known_table)
            context = AppContext(
                live,
                setup=setup,
                club=self._club,
                host=self,
                door=NetworkDoor(),
                owner=self._owner,
                analyses=self._analyses,
            )
            port = self._port and self._port + len(self._opened)
            listeners = undo.enter_context(Listeners(context, port, self._network))
            live.phone_address = stream_address(listeners.address, self._owner)
            live.open(request.source, game, options, request.corners)
            live.let_millchen_play(request.partners)
            if not self._opened:  # nobody looks at what was picked in an earlier run, unless its game goes on
                live.uploads.remove_all_but((live.publisher.snapshot.source.name,))
            listeners.open()
            self._club.show_table(name)
            opened = HostedTable(name, live, listeners)
            self._opened.append(opened)
            undo.pop_all()
        log.info("table %r is at %s", name, listeners.address)
        return opened

    def _check(self, name: str, request: TableRequest) -> None:
        if len(self._opened) >= MAX_TABLES:
            raise MillchenError(message("table.most", most=MAX_TABLES))
        if self._opened and not name:
            raise MillchenError(message("table.no_name"))
        if len(name) > MAX_TABLE_NAME_CHARACTERS or not name.isprintable():
            raise MillchenError(message("table.long_name", most=MAX_TABLE_NAME_CHARACTERS))
        if any(one.name.casefold() == name.casefold() for one in self._opened):
            raise MillchenError(message("table.same_name", name=name))
        source = parse_source(request.source)
        for one in self._opened:
            if one.live.publisher.snapshot.offer is not None:
                continue  # it goes on with what it was seen by before, until people have answered
            if source.kind in ("camera", "address") and one.live.source == source:
                raise MillchenError(message("table.same_camera", name=source.name))

    def close(self) -> None:
        """Close every table, then every page, so that no open event stream is waited for."""
        with self._lock:
            self._club.scoreboard.close()
            self._analyses.close()
            for one in self._opened:
                one.live.close()
            for one in self._opened:
                one.listeners.close()
            self._opened.clear()
