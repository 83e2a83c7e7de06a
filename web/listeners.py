"""The ways in: plain http for this computer, and https with tokens for the network where that was asked for."""

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
    """The servers of one shell: bound when made, answering from `open` until `close`.

    Parameters
    ----------
    shell : Shell
    port : int
        The same on both addresses; 0 takes any free ones.
    lan : NetworkAccess or None
        The page in the network.

    Raises
    ------
    MillchenError
        When a port is taken.
    """

    def __init__(self, shell: AppContext, port: int, lan: NetworkAccess | None = None) -> None:
        self.lan = lan
        self._servers: list[Server] = []
        self._threads: list[threading.Thread] = []
        try:
            if lan is not None:
                outside = make_server(_no_application, port, lan.address, (lan.certificate_file, lan.key_file))
                self._servers.append(outside)
                self.lan = lan = replace(lan, port=int(outside.bind_addr[1]))
                shell = replace(shell, lan=lan)
                outside.wsgi_app = create_app(
                    shell, trusted_hosts=lan.host_names, role_of=lan.tokens.role_of_request, in_network=True
                )
            inside = make_server(create_app(shell), port)
            self._servers.append(inside)
        except BaseException:
            self.close()
            raise
        self.address = f"http://127.0.0.1:{inside.bind_addr[1]}/"

    def open(self) -> None:
        """Answer."""
        for server in self._servers:
            self._threads.append(threading.Thread(target=server.serve, name="server", daemon=True))
            self._threads[-1].start()

    @property
    def are_open(self) -> bool:
        """Whether every server still answers."""
        return all(thread.is_alive() for thread in self._threads)

    def close(self) -> None:
        """Give the ports back; what is being answered has a moment to end, on both sides at once."""
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
    raise RuntimeError("this server has no application yet")
