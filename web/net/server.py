"""The production server: cheroot, set up so that slow callers and open event streams never use up its threads.

Cheroot gives a thread to each connection and lets it wait for the request. 256 callers who send half a request, or
none, then stop the page for everybody until their time-out. Cheroot also does the TLS handshake in the one thread that
accepts connections, where a single silent caller does the same. Here a connection gets a thread for a short time, again
and again, until the handshake is done and the request is there (`PollingConnection`); a whole request has a deadline.
Few requests with a large body are read at once, and each address in the network may use only part of the threads.
"""

from __future__ import annotations

import errno
import logging
import re
import selectors
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from cheroot.server import HTTPConnection
from cheroot.ssl.builtin import BuiltinSSLAdapter
from cheroot.workers.threadpool import ThreadPool
from cheroot.wsgi import Server

from languages import message
from web.errors import MillchenError
from web.net.health import give_large_memory_back
from web.net.picture_decoder import MAX_UPLOAD_BYTES

log = logging.getLogger("millchen.server")

LOOPBACK = "127.0.0.1"  # the address of this computer for itself

MAX_THREADS = 256
"""Threads that answer requests; 200 that are held for long (`MAX_HELD_THREADS`) leave 56 for all else. To create them
takes 11 ms. Source: measured on two cores.
"""

MAX_THREADS_OF_ONE_ADDRESS = 176
"""Most threads that an address in the network has at once: those that it may hold for long, and some who ask beside
them; 80 are left for all others. This computer has a server of its own.
"""

MAX_LARGE_BODIES, MAX_LARGE_BODIES_OF_ONE_ADDRESS = 8, 4
"""Most requests with a large body, a picture or a piece of a film, at once from the network; a phone sends one after
the other. This computer's own only leave threads for all else."""

MOST_UNHEARD_BYTES, UNHEARD_S, UNHEARD_PAUSE_S = 16_000_000, 5.0, 0.5
"""What is still taken, and thrown away, of a large body that was refused, how long, and with which pauses: who is hung
up on while sending does not read why."""

LISTEN_BACKLOG = 128  # connections that the system holds before they are accepted; a page opens a few at once
MAX_QUEUED_CONNECTIONS = 512  # accepted connections that wait for a thread; beyond them cheroot answers 503
MAX_IDLE_CONNECTIONS = 300  # idle connections that are kept open; cheroot's default of 10 is two browsers
MAX_HEADER_BYTES = 64 * 1024  # most bytes of a request's head
SOCKET_TIMEOUT_S = 10  # seconds after which a caller that reads nothing, or has not sent its request, is disconnected

EXPIRATION_INTERVAL_S = 0.1
"""Seconds between two checks of the connections; so late the server may notice that it is to end."""

STOP_TIMEOUT_S = 0.5  # seconds that open requests still have when the server is to end
PROBE_TIMEOUT_S = 0.3  # seconds within which a server answers that listens at a port already
MAX_WAIT_S = 0.1  # most seconds for which a connection without its request holds a thread

SMALL_BYTES = 72 * 1024
"""A request of at most so many bytes gets a thread when all of it is there: every command (`MAX_BODY_BYTES`), and a
phone's small picture. Of a larger one cheroot reads the rest, under its own limit."""

_BODY_LENGTH = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r?\n", re.I)
_BODY_COMES_LATER = re.compile(rb"\n(?:transfer-encoding|expect):", re.I)

CROWDED = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""The answer to an address that has all its threads already, and where too many large bodies are being sent."""

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Places:
    """Counts how many callers, and how many of one address, have at once what holds a thread or memory for long."""

    def __init__(self, most: int, of_one_address: int | None = None) -> None:
        self.most, self._of_one_address = most, most if of_one_address is None else of_one_address
        self._n_by_address: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def n_taken(self) -> int:
        """How many places are taken."""
        with self._lock:
            return self._n_by_address.total()

    def take(self, address: str, spared: int = 0) -> Callable[[], None] | None:
        """Take a place, where ``spared`` are left then; return the function that gives it back, None without one."""
        with self._lock:
            if self._n_by_address.total() >= self.most - spared or self._n_by_address[address] >= self._of_one_address:
                return None
            self._n_by_address[address] += 1
        is_held = [True]  # the function may be called more than once

        def give_back() -> None:
            with self._lock:
                if is_held:
                    is_held.clear()
                    self._n_by_address[address] -= 1
                    self._n_by_address += Counter()  # addresses without a place are forgotten

        return give_back


class DeferredHandshakeTls(BuiltinSSLAdapter):
    """Wraps a connection without the TLS handshake, which `PollingConnection` does."""

    def wrap(self, sock: socket.socket) -> tuple[socket.socket, dict[str, Any]]:
        """Return the connection that will be encrypted, and its entries of the WSGI environment."""
        wrapped = self.context.wrap_socket(sock, do_handshake_on_connect=False, server_side=True)
        return wrapped, {"wsgi.url_scheme": "https", "HTTPS": "on"}


class PollingConnection(HTTPConnection):
    """A connection that holds a thread only while there is something to do; see the head of this file."""

    rbufsize = SMALL_BYTES
    _is_handshake_done = _is_large = False
    _deadline_s: float | None = None

    def communicate(self) -> bool:
        """Answer one request if it is there; False closes the connection, True waits for what comes next."""
        now = time.monotonic()
        if self._deadline_s is None:
            self._deadline_s = now + self.server.timeout
            self.rfile._raw = _Reader(self.socket, self.server.timeout)  # in the place of one without a deadline
        try:
            is_there = self._is_request_there(now + MAX_WAIT_S)
        except (OSError, ValueError):
            return False  # the caller has gone, speaks no TLS or does not trust our certificate
        if not is_there:
            return time.monotonic() < self._deadline_s
        deadline_s, self._deadline_s = self._deadline_s, None
        with ExitStack() as places_held:
            for places in (self.server.threads, *([self.server.large_bodies] if self._is_large else [])):
                give_back = places.take(self.remote_addr or "")
                if give_back is None:
                    with suppress(OSError):
                        self.socket.send(CROWDED)
                        if places is not self.server.threads:
                            self._hear_out()
                    return False
                places_held.callback(give_back)
            self.rfile.raw.read_until(deadline_s)
            goes_on = bool(super().communicate())  # type: ignore[no-untyped-call]
            if self._is_large and not goes_on:
                with suppress(OSError):
                    self._hear_out()
            return goes_on

    def _hear_out(self) -> None:
        """Take the rest of a large body after its answer. Raises OSError where nothing comes for a while."""
        self.socket.shutdown(socket.SHUT_WR)
        n_left, until_s = MOST_UNHEARD_BYTES, time.monotonic() + UNHEARD_S
        self.socket.settimeout(UNHEARD_PAUSE_S)
        while n_left > 0 and time.monotonic() < until_s and (data := self.socket.recv(SMALL_BYTES)):
            n_left -= len(data)

    def _is_request_there(self, until_s: float) -> bool:
        """Read until a request is there, or as much as is read here; OSError when the caller has gone."""
        self.socket.setblocking(False)
        while True:
            try:
                if isinstance(self.socket, ssl.SSLSocket) and not self._is_handshake_done:
                    self.socket.do_handshake()
                    self._is_handshake_done = True
                data = self.rfile.peek(SMALL_BYTES)
                if len(data) >= self._length_of(data):
                    return True
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as why:
                log.debug("TLS waits for more: %s", why)
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not self._wait_until_readable(left_s):
                return False

    def _length_of(self, data: bytes) -> int:
        """Return how many bytes of a request are read before it gets a thread."""
        head, end, _ = data.partition(b"\r\n\r\n") if b"\r\n\r\n" in data else data.partition(b"\n\n")
        if not end:
            return SMALL_BYTES
        length_field = _BODY_LENGTH.search(head + b"\r\n")
        length = len(head) + len(end) + (int(length_field[1]) if length_field else 0)
        self._is_large = length > SMALL_BYTES or _BODY_COMES_LATER.search(head) is not None
        return len(head) if self._is_large else length

    def _wait_until_readable(self, timeout_s: float) -> bool:
        """Wait until there is more to be read; False when the time is up."""
        if isinstance(self.socket, ssl.SSLSocket) and self._is_handshake_done and self.socket.pending():
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            return bool(selector.select(timeout_s))


class _Reader(socket.SocketIO):
    """Reads what is there; after `read_until` it waits for more until a deadline, and writing has the time-out."""

    def __init__(self, connection: socket.socket, timeout_s: float) -> None:
        super().__init__(connection, "rb")
        self._connection, self._timeout_s = connection, timeout_s
        self._deadline_s: float | None = None

    def read_until(self, deadline_s: float) -> None:
        """Wait for what is read from now on."""
        self._deadline_s = deadline_s
        self._connection.settimeout(self._timeout_s)

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer; return how many bytes, None where none are there and none are waited for."""
        if self._deadline_s is None:
            n_bytes = super().readinto(buffer)
            if n_bytes == 0:
                raise ConnectionResetError
            return n_bytes
        self._connection.settimeout(max(1e-3, self._deadline_s - time.monotonic()))
        try:
            return super().readinto(buffer)
        finally:
            self._connection.settimeout(self._timeout_s)


class FastStopServer(Server):
    """A server that ends within `STOP_TIMEOUT_S`, also when a caller does not read: its connection is shut down."""

    threads: Places  # that answer
    large_bodies: Places

    def stop(self) -> None:
        """Free the port and end every thread."""
        shutdown = threading.Timer(STOP_TIMEOUT_S, _shut_connections, (list(self.requests._threads),))
        shutdown.daemon = True
        shutdown.start()
        try:
            super().stop()
        finally:
            shutdown.cancel()


def _shut_connections(workers: list[Any]) -> None:
    for worker in workers:
        if worker.conn is not None:
            with suppress(OSError):
                socket.socket.shutdown(worker.conn.socket, socket.SHUT_RDWR)


def make_server(app: WsgiApp, port: int, host: str = LOOPBACK, tls: tuple[Path, Path] | None = None) -> Server:
    """Return a server that is bound to one address and port (0: any free one); it answers once its ``serve`` runs.

    Without the files of a certificate and its key it speaks plain http. Raises `MillchenError` when the port cannot be
    opened.
    """
    if not 0 <= port <= 65535:
        raise MillchenError(f"there is no port {port}: take one from 1 to 65535")
    if is_port_in_use(host, port):
        raise MillchenError(message("network.port_taken", port=port))
    give_large_memory_back()  # bodies of pictures
    server = FastStopServer(
        (host, port),
        app,
        request_queue_size=LISTEN_BACKLOG,
        timeout=SOCKET_TIMEOUT_S,
        shutdown_timeout=STOP_TIMEOUT_S,  # type: ignore[arg-type]  # fractions of a second work too
    )
    is_here = host == LOOPBACK
    server.threads = Places(MAX_THREADS, None if is_here else MAX_THREADS_OF_ONE_ADDRESS)
    outside = Places(MAX_LARGE_BODIES, MAX_LARGE_BODIES_OF_ONE_ADDRESS)
    server.large_bodies = Places(MAX_THREADS_OF_ONE_ADDRESS) if is_here else outside
    server.requests = ThreadPool(server, MAX_THREADS, MAX_THREADS, accepted_queue_size=MAX_QUEUED_CONNECTIONS)
    server.ConnectionClass = PollingConnection
    server.error_log = _forward_log  # type: ignore[method-assign, assignment]
    if tls is not None:
        server.ssl_adapter = DeferredHandshakeTls(str(tls[0]), str(tls[1]))
        server.ssl_adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
    server.expiration_interval = EXPIRATION_INTERVAL_S
    server.keep_alive_conn_limit = MAX_IDLE_CONNECTIONS
    server.max_request_body_size = MAX_UPLOAD_BYTES  # for images; the application allows far less elsewhere
    server.max_request_header_size = MAX_HEADER_BYTES
    try:
        server.prepare()
    except OSError as why:
        reasons = [why, why.__cause__, why.__context__]
        if any(isinstance(e, OSError) and e.errno == errno.EADDRINUSE for e in reasons) or "in use" in str(why):
            raise MillchenError(message("network.port_taken", port=port)) from why
        raise MillchenError(message("network.port_refused", port=port, why=why.strerror or why)) from why
    return server


def _forward_log(text: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """Write cheroot's messages to our log instead of standard error."""
    log.log(level, "%s", text, exc_info=traceback)


def is_port_in_use(host: str, port: int) -> bool:
    """Return whether a server listens there. Some systems let a second one bind the port, which gets few calls."""
    if port == 0:
        return False
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_TIMEOUT_S)
        return probe.connect_ex((host, port)) == 0
