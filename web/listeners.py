"""The servers of a table's page: http for this computer, and https with tokens for the network where it is open."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import TracebackType

from cheroot.wsgi import Server

from web.app import create_app
from web.net.network import NetworkAccess
from web.net.roles import everyone_is_referee
from web.net.server import make_server
from web.views.context import AppContext


class Listeners:
    """The servers of one table's page: bound to their ports when created, answering from `open` until `close`.

    The door to the network may be opened and closed while the page is open.

    Args:
        port: The same for both servers; 0 takes any free ports.
        network: Address, certificate and tokens of the page in the network; None serves this computer only.

    Attributes:
        address: The page on this computer.

    Raises:
        MillchenError: When a port is taken.
    """

    def __init__(self, context: AppContext, port: int, network: NetworkAccess | None = None) -> None:
        self._context, self._port = context, port
        self._lock = threading.Lock()
        owner = context.owner
        role_of = everyone_is_referee if owner is None else owner.role_of_request
        self._inside = make_server(create_app(context, role_of=role_of), port, names_peers=owner is not None)
        self._outside: Server | None = None
        self._thread: threading.Thread | None = None
        self.address = f"http://127.0.0.1:{self._inside.bind_addr[1]}/"
        if network is not None:
            try:
                self._bind_network(network)
            except BaseException:
                self.close()
                raise

    @property
    def network(self) -> NetworkAccess | None:
        """The page in the network; None while the door is closed."""
        return self._context.door.access

    def open(self) -> None:
        """Begin to answer."""
        self._thread = _serve_in_thread(self._inside)
        if self._outside is not None:
            _serve_in_thread(self._outside)

    def open_network(self, network: NetworkAccess) -> None:
        """Open the door to the network, where it is closed.

        Raises:
            MillchenError: When the port is taken at the address in the network.
        """
        with self._lock:
            if self._outside is None:
                _serve_in_thread(self._bind_network(network))

    def close_network(self) -> None:
        """Close the door: the port is free, and what phones had open is cut."""
        with self._lock:
            outside, self._outside, self._context.door.access = self._outside, None, None
        if outside is not None:
            outside.stop()

    def _bind_network(self, network: NetworkAccess) -> Server:
        certificate = (network.certificate_file, network.key_file)
        outside = make_server(_no_application, self._port, network.address, certificate)
        network = replace(network, port=int(outside.bind_addr[1]))
        outside.wsgi_app = create_app(
            self._context, trusted_hosts=network.host_names, role_of=network.tokens.role_of_request, in_network=True
        )
        self._outside, self._context.door.access = outside, network
        return outside

    @property
    def are_running(self) -> bool:
        """Whether the page on this computer still answers."""
        return self._thread is None or self._thread.is_alive()

    def close(self) -> None:
        """Stop both servers at once and free their ports; requests that are being answered get a moment to end."""
        stops = [self.close_network, self._inside.stop]
        closing = [threading.Thread(target=stop, name="closing", daemon=True) for stop in stops]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def __enter__(self) -> Listeners:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _serve_in_thread(server: Server) -> threading.Thread:
    thread = threading.Thread(target=server.serve, name="server", daemon=True)
    thread.start()
    return thread


def _no_application(_: object, __: object) -> list[bytes]:
    """Stand in until the server's port is known, which the application needs."""
    raise RuntimeError("this server has no application yet")
