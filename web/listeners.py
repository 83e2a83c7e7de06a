"""The servers of a table's page: http for this computer, and https with tokens for the network where it is open."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import TracebackType

from cheroot.wsgi import Server

from web.app import create_app
from web.net.network import NetworkAccess
from web.net.server import make_server
from web.views.context import AppContext


class Listeners:
    """The servers of one table's page: bound to their ports when created, answering from `open` until `close`.

    Parameters
    ----------
    context : AppContext
    port : int
        The same for both servers; 0 takes any free ports.
    network : NetworkAccess or None
        Address, certificate and tokens of the page in the network; None serves this computer only.

    Attributes
    ----------
    address : str
        The page on this computer.

    Raises
    ------
    MillchenError
        When a port is taken.
    """

    def __init__(self, context: AppContext, port: int, network: NetworkAccess | None = None) -> None:
        self.network = network
        self._servers: list[Server] = []
        self._threads: list[threading.Thread] = []
        try:
            if network is not None:
                certificate = (network.certificate_file, network.key_file)
                outside = make_server(_no_application, port, network.address, certificate)
                self._servers.append(outside)
                self.network = network = replace(network, port=int(outside.bind_addr[1]))
                context = replace(context, network=network)
                outside.wsgi_app = create_app(
                    context,
                    trusted_hosts=network.host_names,
                    role_of=network.tokens.role_of_request,
                    in_network=True,
                )
            inside = make_server(create_app(context), port)
            self._servers.append(inside)
        except BaseException:
            self.close()
            raise
        self.address = f"http://127.0.0.1:{inside.bind_addr[1]}/"

    def open(self) -> None:
        """Begin to answer."""
        for server in self._servers:
            self._threads.append(threading.Thread(target=server.serve, name="server", daemon=True))
            self._threads[-1].start()

    @property
    def are_running(self) -> bool:
        """Whether every server still answers."""
        return all(thread.is_alive() for thread in self._threads)

    def close(self) -> None:
        """Stop both servers at once and free their ports; requests that are being answered get a moment to end."""
        closing = [threading.Thread(target=server.stop, name="closing", daemon=True) for server in self._servers]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def __enter__(self) -> Listeners:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _no_application(_: object, __: object) -> list[bytes]:
    """Stand in until the server's port is known, which the application needs."""
    raise RuntimeError("this server has no application yet")
