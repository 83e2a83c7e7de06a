"""A connection that holds a thread of the server only while there is something to do.

Cheroot gives a thread to whoever connects and lets it wait for the request: 256 callers who send half of one, or none,
stop the page for everybody until their time is up. And it shakes hands (TLS) in the one thread that takes new
connections, where a single silent caller does the same. Here a caller gets a moment of a thread, again and again,
until hands are shaken and the head of the request is whole; who takes longer than the time-out is let go.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import time
from typing import Any

from cheroot.server import HTTPConnection
from cheroot.ssl.builtin import BuiltinSSLAdapter

MAX_WAIT_S = 0.1  # for which a caller who is not ready yet holds a thread
HEAD_BUFFER_BYTES = 8192  # bytes of a head that the reader's buffer holds; a longer one is read by the server under its own limit


class DeferredHandshakeTls(BuiltinSSLAdapter):
    """Wraps a connection without a word; hands are shaken by `PollingConnection`."""

    def wrap(self, sock: socket.socket) -> tuple[socket.socket, dict[str, Any]]:
        """The connection that will be encrypted, and what the application is told of it."""
        wrapped = self.context.wrap_socket(sock, do_handshake_on_connect=False, server_side=True)
        return wrapped, {"wsgi.url_scheme": "https", "HTTPS": "on"}


class PollingConnection(HTTPConnection):
    """See the head of this file."""

    _is_shaken = False
    _until_s: float | None = None

    def communicate(self) -> bool:
        """Answer one request if it is here; False closes the connection, True waits for what comes next."""
        now = time.monotonic()
        if self._until_s is None:
            self._until_s = now + self.server.timeout
        try:
            is_here = self._is_request_here(now + MAX_WAIT_S)
        except (OSError, ValueError):
            return False  # gone, or no TLS, or no trust in our certificate: nothing to be said to that
        if not is_here:
            return time.monotonic() < self._until_s
        self._until_s = None
        self.socket.settimeout(self.server.timeout)
        return bool(super().communicate())  # type: ignore[no-untyped-call]

    def _is_request_here(self, until_s: float) -> bool:
        """Read until the head of a request is whole, or time is up; OSError when the caller has gone."""
        self.socket.setblocking(False)
        is_encrypted = isinstance(self.socket, ssl.SSLSocket)
        n_read = 0
        while True:
            is_waiting = False
            try:
                if is_encrypted and not self._is_shaken:
                    self.socket.do_handshake()
                    self._is_shaken = True
                head = self.rfile.peek(HEAD_BUFFER_BYTES)
                if b"\r\n\r\n" in head or b"\n\n" in head or len(head) >= HEAD_BUFFER_BYTES:
                    return True
                is_waiting = len(head) > n_read
                n_read = len(head)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                is_waiting = True
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return False
            if not self._wait(left_s):
                return False
            if not is_waiting and self._is_gone(is_encrypted):
                raise ConnectionResetError

    def _wait(self, seconds: float) -> bool:
        """Wait until there is more to be read."""
        if isinstance(self.socket, ssl.SSLSocket) and self._is_shaken and self.socket.pending():
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            return bool(selector.select(seconds))

    def _is_gone(self, is_encrypted: bool) -> bool:
        """Whether the caller has hung up: there is something to be read, and it is the end."""
        if is_encrypted:
            return True  # else reading would have asked to be called again
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK) == b"")
        except BlockingIOError:
            return False
