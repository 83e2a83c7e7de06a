"""A body that is too large is refused before it has been read, with whatever word it comes (promise R6)."""

from __future__ import annotations

import contextlib
import re
import socket
import sys

import pytest

from web.app import ROUTES, Route
from web.net.health import memory_mb

HUGE = 1_000_000_000
MOST_READ = 16_000_000  # bytes: what the system's own buffers hold comes on top of what we read
CHUNK = b"10000\r\n" + b"x" * 65536 + b"\r\n"


def push(port: int, head: str, piece: bytes) -> tuple[int, bytes]:
    """Send until refused, hung up on, or more is taken than may be: how many bytes went out, and what was answered."""
    sent, answer = 0, b""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as caller, contextlib.suppress(OSError):
        caller.sendall(head.encode())
        while sent < MOST_READ:
            caller.settimeout(0.02)
            with contextlib.suppress(TimeoutError):
                answer += caller.recv(4096)
                break
            caller.settimeout(5)
            sent += caller.send(piece)
    return sent, answer


@pytest.mark.parametrize("is_chunked", [False, True], ids=["by length", "in chunks"])
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.rule}")
def test_a_gigabyte_is_refused_before_much_of_it_is_read(port: int, route: Route, is_chunked: bool) -> None:
    if route.rule == "/api/events":
        pytest.skip("answers without an end")
    before = memory_mb()
    path = re.sub(r"<[^>]*>", "1", route.rule)
    how = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {HUGE}"
    head = f"{route.method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{how}\r\n\r\n"
    sent, answer = push(port, head, CHUNK if is_chunked else b"x" * 65536)
    assert sent < MOST_READ
    if answer and route.method == "POST":
        assert answer.split()[1] in (b"400", b"404", b"413", b"415")  # 404: there is no lesson of the game "1"
    if sys.platform == "linux" and before is not None:
        assert (memory_mb() or 0) - before < 20


def test_a_head_without_an_end_is_refused(port: int) -> None:
    sent, answer = push(port, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ", b"x" * 8192)
    assert sent < MOST_READ
    assert not answer or answer.split()[1] in (b"400", b"413", b"414", b"431")
