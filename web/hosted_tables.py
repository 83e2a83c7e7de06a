"""The tables of this computer: each has a camera, a game, and a page at a port of its own; one process serves all.

The views of a page use one object, the `AppContext`: `create_app` gets it, and `current_context` returns it.

A browser opens only six connections to one server: at one port, four tables on four screens would wait for each other.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from cheroot.wsgi import Server
from flask import Flask, current_app

from calibration.known_table import candidate_tables
from languages import message
from web.club.club import Club
from web.errors import MillchenError
from web.history.analysis_desk import AnalysisDesk
from web.history.game_index import GameIndex
from web.net.image_upload import PhoneFrames
from web.net.links import Links, stream_address
from web.net.network import NetworkAccess, open_network_access, revoke_links
from web.net.server import make_server
from web.setup.board_photographs import BoardPhotographs
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable
from web.table.source_names import find_demo, parse_source
from web.table.supervisor import VisionTarget
from web.table.vision_messages import Corners

log = logging.getLogger("millchen.club")

MAX_TABLES = 4  # most tables of one computer; each needs a camera and most of a processor core
MAX_TABLE_NAME_CHARACTERS = 40  # longest name of a table
NETWORK_FOLDER = "network"  # folder of the certificate and the links, in the data folder


@dataclass
class AppContext:
    """The objects that the views of one table use."""

    table: LiveTable
    network: NetworkAccess | None = None  # the page in the network; None while the door to that is closed
    setup: SetupSession = field(default_factory=SetupSession)
    phone_frames: PhoneFrames = field(default_factory=PhoneFrames)
    board_photographs: BoardPhotographs = field(default_factory=BoardPhotographs)
    club: Club | None = None
    host: HostedTables | None = None  # None where one table is alone
    started_s: float = field(default_factory=time.monotonic)  # when the page was opened, by the monotonic clock
    game_index: GameIndex = field(default_factory=GameIndex)
    analyses: AnalysisDesk = field(default_factory=AnalysisDesk)
    own_link: Links | None = None  # what lets in on the loopback address; None lets everybody in


def current_context() -> AppContext:
    """Return the objects of the application that answers the present request."""
    return cast(AppContext, current_app.extensions["millchen"])


MakeApp = Callable[..., Flask]
"""`create_app`: it makes the application of a page."""


class Listeners:
    """The servers of one table's page: bound to their ports when created, answering from `open` until `close`.

    The network may be let in and out while the page is open. Port 0 takes any free ports, the same for both servers.
    """

    def __init__(self, make_app: MakeApp, context: AppContext, port: int, network: NetworkAccess | None = None) -> None:
        self._make_app, self.context, self._port = make_app, context, port
        self._lock = threading.Lock()
        own = {} if context.own_link is None else {"role_of": context.own_link.role_of_request}
        self._inside = make_server(make_app(context, **own), port)
        self._outside: Server | None = None
        self._thread: threading.Thread | None = None
        self.address = f"http://127.0.0.1:{self._inside.bind_addr[1]}/"
        if network is not None:
            try:
                self._bind_network(network)
            except BaseException:
                self.close()
                raise

    def open(self) -> None:
        """Begin to answer."""
        self._thread = _serve_in_thread(self._inside)
        if self._outside is not None:
            _serve_in_thread(self._outside)

    def open_network(self, network: NetworkAccess) -> None:
        """Open the door to the network, where it is closed."""
        with self._lock:
            if self._outside is None:
                _serve_in_thread(self._bind_network(network))

    def close_network(self) -> None:
        """Close the door: the port is free, and what phones had open is cut."""
        with self._lock:
            outside, self._outside, self.context.network = self._outside, None, None
        if outside is not None:
            outside.stop()

    def _bind_network(self, network: NetworkAccess) -> Server:
        certificate = (network.certificate_file, network.key_file)
        # The application needs the server's port, which is known when it is bound.
        outside = make_server(lambda *_: [], self._port, network.address, certificate)
        network = replace(network, port=int(outside.bind_addr[1]))
        outside.wsgi_app = self._make_app(
            self.context, trusted_hosts=network.host_names, role_of=network.links.role_of_request, in_network=True
        )
        self._outside, self.context.network = outside, network
        return outside

    @property
    def are_running(self) -> bool:
        """Whether the page on this computer still answers."""
        return self._thread is None or self._thread.is_alive()

    def close(self) -> None:
        """Stop both servers at once and free their ports; requests that are being answered get a moment to end."""
        stops = [self.close_network, self._inside.stop]
        threads = [threading.Thread(target=stop, name="closing", daemon=True) for stop in stops]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _serve_in_thread(server: Server) -> threading.Thread:
    thread = threading.Thread(target=server.serve, name="server", daemon=True)
    thread.start()
    return thread


@dataclass(frozen=True)
class TableRequest:
    """A table that is to be opened."""

    source: str  # a camera number, a video file, a folder or an address; "demo" and "demo:GAME" are bundled clips
    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    # name of the measured table that the camera sees; None tries those that were measured with the source
    known_table: str | None = None
    corners: Corners | None = None
    # for which players (1 first) Millchen plays, how well, and whether it says its reasons
    partners: tuple[tuple[int, str, bool], ...] = ()


@dataclass(frozen=True)
class HostedTable:
    """A table that is open, and the servers of its page."""

    name: str
    live: LiveTable
    listeners: Listeners


class HostedTables:
    """Opens tables at ``port`` and the next ones (0: at any) for those whom ``network`` and ``own_link`` let in."""

    def __init__(
        self,
        make_app: MakeApp,
        club: Club,
        port: int,
        network: NetworkAccess | None,
        vision_target: VisionTarget | None = None,
        own_link: Links | None = None,
    ) -> None:
        self._make_app, self._club, self._port, self._network = make_app, club, port, network
        self._vision_target, self._own_link = vision_target, own_link
        self._journal, self._data_path = club.games, club.games.path.parent
        self._lan = "" if network is None else network.address  # at which the door is opened again
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

    @contextmanager
    def going_on(self, number: int, here: object) -> Iterator[None]:
        """Let one table alone open an unfinished game."""
        with self._going_on:
            others = [one.live.publisher.snapshot for one in self._opened if one.live is not here]
            if any(other.game.id == number for other in others):
                raise MillchenError(message("go_on.elsewhere", number=number))
            yield

    @contextmanager
    def opening_no_game(self) -> Iterator[Sequence[LiveTable]]:
        """Let no table open a game of the journal meanwhile; yields the tables, whose own locks are not taken here."""
        with self._lock, self._going_on:
            yield [one.live for one in self._opened]

    def open_network(self) -> None:
        """Let devices in the network in, at every table, or at none; certificate and links are made once."""
        with self._lock:
            if self._network is not None:
                return
            network = open_network_access(self._data_path / NETWORK_FOLDER, self._lan)
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
        """Open a table and its page."""
        name = " ".join(request.name.split())
        with self._lock, ExitStack() as undo:
            self._check(name, request)
            game, options = request.game, request.options
            if parse_source(request.source).kind == "demo":
                game, options = find_demo(request.source).game, {}
            live = undo.enter_context(closing(LiveTable(self._journal, self._vision_target, name)))
            setup = SetupSession(self._data_path)
            live.camera.known_tables = partial(candidate_tables, setup.tables, request.known_table)
            desk, own = self._analyses, self._own_link
            context = AppContext(live, setup=setup, club=self._club, host=self, analyses=desk, own_link=own)
            port = self._port and self._port + len(self._opened)
            listeners = undo.enter_context(closing(Listeners(self._make_app, context, port, self._network)))
            live.camera.phone_address = stream_address(listeners.address, own)
            live.open(request.source, game, options, request.corners)
            live.let_millchen_play(request.partners)
            if not self._opened:  # nobody needs an earlier run's uploads, unless its game goes on
                live.uploads.remove_all_but((live.publisher.snapshot.source.name,))
            listeners.open()
            self._club.show_table(name)
            table = HostedTable(name, live, listeners)
            self._opened.append(table)
            undo.pop_all()
        log.info("table %r is at %s", name, listeners.address)
        return table

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
            if source.kind in ("camera", "address") and one.live.camera.source == source:
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
