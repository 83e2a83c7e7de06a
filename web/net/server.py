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

from web.errors import ShellError
from web.net.connection import PatientConnection, Tls
from web.net.image_upload import MOST_BYTES
from web.net.thread_pool import GrowingPool

log = logging.getLogger("millchen.server")

THREADS = 256  # at most; 200 event streams (shell.MAX_STREAMS) leave 56 for all else
BACKLOG = 128  # connections that the system holds for us; a page with its modules opens a few at once
QUEUE = 512  # accepted and waiting for a thread; beyond it the server answers 503 by itself
KEEP_ALIVE = 300  # idle connections kept open; the default of 10 is two browsers
MAX_HEAD = 64 * 1024  # bytes of a request's head
TIMEOUT_S = 10  # a reader that takes nothing, or half a request, is let go after this
TICK_S = 0.1  # how often the server looks up from its connections: so long it takes to notice that it is to end
STOP_S = 0.5  # what open requests may still take when we are asked to end

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


class PromptServer(Server):
    """Ends in a moment, also when somebody does not read what is being sent to him.

    Cheroot then waits for the thread that sends, without an end; here the line is cut after `STOP_S`.
    """

    def stop(self) -> None:
        """Give the port back and let every thread end."""
        cutting = threading.Timer(STOP_S, _cut, (list(self.requests._threads),))
        cutting.daemon = True
        cutting.start()
        try:
            super().stop()
        finally:
            cutting.cancel()


def _cut(workers: list[Any]) -> None:
    for worker in workers:
        if worker.conn is not None:
            with suppress(OSError):
                socket.socket.shutdown(worker.conn.socket, socket.SHUT_RDWR)


def make_server(app: Wsgi, port: int, host: str = "127.0.0.1", tls: tuple[Path, Path] | None = None) -> Server:
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
    ShellError
        When the port is taken or may not be used.
    """
    if not 0 <= port <= 65535:
        raise ShellError(f"there is no port {port}: take one from 1 to 65535")
    if _is_taken(host, port):
        raise ShellError(_taken(port))
    server = PromptServer(
        (host, port),
        app,
        request_queue_size=BACKLOG,
        timeout=TIMEOUT_S,
        shutdown_timeout=STOP_S,  # type: ignore[arg-type]  # seconds, in parts too
    )
    server.requests = GrowingPool(server, THREADS, QUEUE)
    server.ConnectionClass = PatientConnection
    server.error_log = _log  # type: ignore[method-assign, assignment]
    if tls is not None:
        server.ssl_adapter = Tls(str(tls[0]), str(tls[1]))
        server.ssl_adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
    server.expiration_interval = TICK_S
    server.keep_alive_conn_limit = KEEP_ALIVE
    server.max_request_body_size = MOST_BYTES  # of pictures; the application lets far less pass elsewhere
    server.max_request_header_size = MAX_HEAD
    try:
        server.prepare()
    except OSError as why:
        reasons = [why, why.__cause__, why.__context__]
        if any(isinstance(e, OSError) and e.errno == errno.EADDRINUSE for e in reasons) or "in use" in str(why):
            raise ShellError(_taken(port)) from why
        raise ShellError(f"cannot open port {port}: {why.strerror or why}") from why
    return server


def _log(text: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """What the server has to say about callers goes the way of everything else, not to standard error."""
    log.log(level, "%s", text, exc_info=traceback)


def _taken(port: int) -> str:
    return f"port {port} is in use: close what runs there (another Millchen?), or name another one with --port"


def _is_taken(host: str, port: int) -> bool:
    """Whether somebody listens there; on some systems binding a second time succeeds and steals nothing but calls."""
    if port == 0:
        return False
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.3)
        return probe.connect_ex((host, port)) == 0
