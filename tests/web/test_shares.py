"""Nobody takes what others need (R25), and a body that is too large is refused before it has been read (R6)."""

import contextlib
import http.client
import re
import socket
import sys
from contextlib import ExitStack

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from web.app import ROUTES, create_app
from web.hosted_tables import AppContext
from web.net import server as server_module
from web.net.health import memory_mb
from web.net.roles import VIEWER
from web.views.event_stream import MAX_HELD_THREADS, MOST_OF_ONE_ADDRESS

LOCAL, OUTSIDE = "http://127.0.0.1:8321", "https://10.0.0.1:8321"
CLASSROOM = 60


def test_one_address_of_the_network_leaves_places_for_others_and_this_computer_has_its_own(
    app: Flask, shell: AppContext
) -> None:
    outside = create_app(shell, trusted_hosts=["10.0.0.1"], role_of=lambda _: VIEWER, in_network=True)

    def listen(address: str) -> TestResponse:
        environment = {"REMOTE_ADDR": address}
        return outside.test_client().get("/api/events", base_url=OUTSIDE, environ_overrides=environment)

    with ExitStack() as opened:

        def fill(address: str) -> int:
            answers = [listen(address) for _ in range(MOST_OF_ONE_ADDRESS + 1)]
            for answer in answers:
                opened.callback(answer.close)
            return sum(answer.status_code == 200 for answer in answers)

        assert fill("10.0.0.9") == MOST_OF_ONE_ADDRESS >= 2 * CLASSROOM
        assert fill("10.0.0.8") == MAX_HELD_THREADS - MOST_OF_ONE_ADDRESS, "another address has the others"
        refused = listen("10.0.0.7")
        assert refused.status_code == 503 and "too many pages" in refused.get_json()["error"]["text"]
        here = app.test_client().get("/api/events", base_url=LOCAL)
        opened.callback(here.close)
        assert here.status_code == 200, "this computer finds one, whatever the network does"
    assert outside.extensions["millchen.held"].n_taken == app.extensions["millchen.held"].n_taken == 0
    assert MOST_OF_ONE_ADDRESS < server_module.MAX_THREADS_OF_ONE_ADDRESS < server_module.MAX_THREADS


def test_bodies_that_were_begun_on_this_computer_hold_up_no_picture(port: int) -> None:
    with ExitStack() as opened:
        callers = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(13)]
        for one in callers:
            opened.callback(one.close)
        for one in callers[:12]:
            one.putrequest("POST", "/api/camera")
            one.putheader("Content-Type", "image/jpeg")
            one.putheader("Content-Length", "4000000")
            one.endheaders()
        callers[12].request("POST", "/api/camera", b"x" * 100_000, {"Content-Type": "image/jpeg"})
        assert callers[12].getresponse().status != 503


@pytest.mark.parametrize("n_bytes", [200_000, 5_000_000, 12_000_000])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["by length", "in chunks"])
def test_who_sends_too_much_reads_why_it_was_refused(port: int, n_bytes: int, is_chunked: bool) -> None:
    body, told = b"x" * n_bytes, {"Content-Type": "application/json"}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as caller:
        caller.request("POST", "/api/act", iter((body,)) if is_chunked else body, told, encode_chunked=is_chunked)
        answer = caller.getresponse()
        assert (answer.status, answer.getheader("Connection")) == ((400, None) if is_chunked else (413, "close"))
        assert answer.read()


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
def test_a_gigabyte_is_refused_before_much_of_it_is_read(port: int, is_chunked: bool) -> None:
    """Routes that take a body, and one that takes none."""
    for route in (route for route in ROUTES if route.method == "POST" or route.rule == "/api/state"):
        before, path = memory_mb(), re.sub(r"<[^>]*>", "1", route.rule)
        how = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {HUGE}"
        head = f"{route.method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{how}\r\n\r\n"
        sent, answer = push(port, head, CHUNK if is_chunked else b"x" * 65536)
        assert sent < MOST_READ, path
        if answer and route.method == "POST":
            assert answer.split()[1] in (b"400", b"404", b"413", b"415"), path  # 404: there is no game "1" of lessons
        if sys.platform == "linux" and before is not None:
            assert (memory_mb() or 0) - before < 20, path
