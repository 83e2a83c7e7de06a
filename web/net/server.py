"""The production server: cheroot, set up so that open event streams can never eat all its threads."""

from __future__ import annotations

import errno
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from cheroot.wsgi import Server

from web.errors import MillchenError
from web.net.connection import PollingConnection, DeferredHandshakeTls
from web.net.image_upload import MAX_UPLOAD_BYTES
from web.net.thread_pool import GrowingThreadPool

log = logging.getLogger("millchen.server")

MAX_THREADS = 256  # at most; 200 event streams (shell.MAX_STREAMS) leave 56 for all else
LISTEN_BACKLOG = 128  # connections that the system holds for us; a page with its modules opens a few at once
MAX_QUEUED_CONNECTIONS = 512  # accepted and waiting for a thread; beyond it the server answers 503 by itself
MAX_IDLE_CONNECTIONS = 300  # idle connections kept open; the default of 10 is two browsers
MAX_HEADER_BYTES = 64 * 1024  # bytes of a request's head
SOCKET_TIMEOUT_S = 10  # a reader that takes nothing, or half a request, is let go after this
EXPIRATION_INTERVAL_S = 0.1  # how often the server looks up from its connections: so long it takes to notice that it is to end
STOP_TIMEOUT_S = 0.5  # what open requests may still take when we are asked to end

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]


class FastStopServer(Server):
    """Ends in a moment, also when somebody does not read what is being sent to him.

    Cheroot then waits for the thread that sends, without an end; here the line is cut after `STOP_TIMEOUT_S`.
    """

    def stop(self) -> None:
        """Give the port back and let every thread end."""
        cutting = threading.Timer(STOP_TIMEOUT_S, _shut_connections, (list(self.requests._threads),))
        cutting.daemon = True
        cutting.start()
        try:
            super().stop()
        finally:
            cutting.cancel()


def _shut_connections(workers: list[Any]) -> None:
    for worker in workers:
        if worker.conn is not None:
            with suppress(OSError):
                socket.socket.shutdown(worker.conn.socket, socket.SHUT_RDWR)


def make_server(app: WsgiApp, port: int, host: str = "127.0.0.1", tls: tuple[Path, Path] | None = None) -> Server:
    """Bind the port; the server answers as soon as its `serve` runs.

    Parameters
    ----------
    app : callable
    port : int
        0 takes any free one.
    host : str
        Address to be bound, this one alone.
    tls : (Path, Path) or None
        Files of the certificate and its key; without them it speaks plain http.

    Raises
    ------
    MillchenError
        When the port is taken or may not be used.
    """
    if not 0 <= port <= 65535:
        raise MillchenError(f"there is no port {port}: take one from 1 to 65535")
    if _is_port_in_use(host, port):
        raise MillchenError(_port_in_use_message(port))
    server = FastStopServer(
        (host, port),
        app,
        request_queue_size=LISTEN_BACKLOG,
        timeout=SOCKET_TIMEOUT_S,
        shutdown_timeout=STOP_TIMEOUT_S,  # type: ignore[arg-type]  # seconds, in parts too
    )
    server.requests = GrowingThreadPool(server, MAX_THREADS, MAX_QUEUED_CONNECTIONS)
    server.ConnectionClass = PollingConnection
    server.error_log = _forward_log  # type: ignore[method-assign, assignment]
    if tls is not None:
        server.ssl_adapter = DeferredHandshakeTls(str(tls[0]), str(tls[1]))
        server.ssl_adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
    server.expiration_interval = EXPIRATION_INTERVAL_S
    server.keep_alive_conn_limit = MAX_IDLE_CONNECTIONS
    server.max_request_body_size = MAX_UPLOAD_BYTES  # of pictures; the application lets far less pass elsewhere
    server.max_request_header_size = MAX_HEADER_BYTES
    try:
        server.prepare()
    except OSError as why:
        reasons = [why, why.__cause__, why.__context__]
        if any(isinstance(e, OSError) and e.errno == errno.EADDRINUSE for e in reasons) or "in use" in str(why):
            raise MillchenError(_port_in_use_message(port)) from why
        raise MillchenError(f"cannot open port {port}: {why.strerror or why}") from why
    return server


def _forward_log(text: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """What the server has to say about callers goes the way of everything else, not to standard error."""
    log.log(level, "%s", text, exc_info=traceback)


def _port_in_use_message(port: int) -> str:
    return f"port {port} is in use: close what runs there (another Millchen?), or name another one with --port"


def _is_port_in_use(host: str, port: int) -> bool:
    """Whether somebody listens there; on some systems binding a second time succeeds and steals nothing but calls."""
    if port == 0:
        return False
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.3)
        return probe.connect_ex((host, port)) == 0
