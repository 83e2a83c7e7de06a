"""Nobody takes what others need: streams, waits and threads have shares for each role and each address (R25)."""

from __future__ import annotations

import http.client
from contextlib import ExitStack
from functools import partial

import pytest
from flask import Flask, Request
from werkzeug.test import TestResponse

from tests.web.conftest import serving
from web.app import create_app
from web.net import server as server_module
from web.net.quotas import HERE, Quota, Share
from web.net.roles import CAMERA, REFEREE, VIEWER
from web.net.server import make_server
from web.views.context import (
    ADVICE_SHARES,
    FRAME_WAIT_SHARES,
    MAX_ADVICES,
    MAX_EVENT_STREAMS,
    MAX_FRAME_WAITS,
    MAX_UPLOADS,
    STREAM_SHARES,
    UPLOAD_SHARES,
    AppContext,
)

LOCAL, OUTSIDE = "http://127.0.0.1:8321", "https://10.0.0.1:8321"
CLASSROOM = 60


def role_of_header(asked: Request) -> str | None:
    return asked.headers.get("X-Role")


@pytest.fixture
def outside(shell: AppContext) -> Flask:
    """The application of the network, where a header says the role."""
    return create_app(shell, trusted_hosts=["10.0.0.1"], role_of=role_of_header, in_network=True)


def ask(app: Flask, role: str, address: str, path: str = "/api/events") -> TestResponse:
    return app.test_client().get(
        path, base_url=OUTSIDE, headers={"X-Role": role}, environ_overrides={"REMOTE_ADDR": address}
    )


def test_no_link_of_the_network_takes_the_streams_of_others(app: Flask, outside: Flask, shell: AppContext) -> None:
    with ExitStack() as opened:

        def opens(role: str, address: str) -> bool:
            answer = ask(outside, role, address)
            opened.callback(answer.close)
            return answer.status_code == 200

        def fill(role: str, address: str) -> int:
            for n in range(MAX_EVENT_STREAMS + 1):
                if not opens(role, address):
                    return n
            raise AssertionError(f"no end of streams for {role} at {address}")

        assert fill(VIEWER, "10.0.0.9") == STREAM_SHARES[VIEWER].of_one_address >= CLASSROOM
        assert opens(VIEWER, "10.0.0.8"), "another address has places yet"
        for k in range(10):
            fill(VIEWER, f"10.0.1.{k}")
        assert shell.places.streams.n_taken == STREAM_SHARES[VIEWER].together
        refused = ask(outside, VIEWER, "10.0.2.1")
        assert refused.status_code == 503 and "too many pages" in refused.get_json()["error"]["text"]
        assert opens(REFEREE, "10.0.0.9"), "a referee finds a place, even beside them at the same address"
        fill(REFEREE, "10.0.0.7")
        here = app.test_client().get("/api/events", base_url=LOCAL)
        opened.callback(here.close)
        assert here.status_code == 200, "this computer finds one, whatever the network does"
    assert shell.places.streams.n_taken == 0


@pytest.mark.parametrize(
    ("most", "shares"),
    [
        (MAX_EVENT_STREAMS, STREAM_SHARES),
        (MAX_FRAME_WAITS, FRAME_WAIT_SHARES),
        (MAX_UPLOADS, UPLOAD_SHARES),
        (MAX_ADVICES, ADVICE_SHARES),
    ],
)
def test_what_the_network_may_have_leaves_some_for_this_computer(most: int, shares: dict[str, Share]) -> None:
    of_network = [share for kind, share in shares.items() if kind != HERE]
    assert sum(share.together for share in of_network) < most
    assert all(share.of_one_address < share.together for kind, share in shares.items() if kind in (VIEWER, CAMERA))


def test_one_address_leaves_threads_for_streams_and_requests_of_others() -> None:
    watchers = STREAM_SHARES[VIEWER].of_one_address + FRAME_WAIT_SHARES[VIEWER].of_one_address
    assert watchers < server_module.MAX_THREADS_OF_ONE_ADDRESS < server_module.MAX_THREADS
    assert MAX_EVENT_STREAMS < server_module.MAX_THREADS


def test_a_place_given_back_twice_is_one_place() -> None:
    quota = Quota(3, {VIEWER: Share(3, 2)})
    first = quota.acquire_slot(VIEWER, "a")
    assert first is not None and quota.acquire_slot(VIEWER, "a") is not None and quota.acquire_slot(VIEWER, "a") is None
    first()
    first()
    assert quota.n_taken == 1 and quota.acquire_slot("stranger", "a") is None
    assert quota.acquire_slot(VIEWER, "a") is not None and quota.acquire_slot(VIEWER, "a") is None


def test_who_waits_for_too_many_pictures_is_answered_at_once(
    outside: Flask, shell: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited_s: list[float] = []
    monkeypatch.setattr(shell.table.publisher, "wait_for_picture", lambda _, timeout_s: waited_s.append(timeout_s))
    taken = list(iter(partial(shell.places.frame_waits.acquire_slot, VIEWER, "10.0.0.9"), None))
    for address in ("10.0.0.9", "10.0.0.8"):
        assert ask(outside, VIEWER, address, "/frame.jpg?after=1").status_code == 204
    assert waited_s == [0, 1]
    for give_back in taken:
        give_back()
    assert shell.places.frame_waits.n_taken == 0


def test_who_asks_for_much_advice_on_paints_keeps_nobody_else_from_it(outside: Flask, shell: AppContext) -> None:
    path = "/api/make/paints?cloth=%23ffffff&line=%23000000&paint1=%23b3191f&paint2=%231d4fa8"
    taken = list(iter(partial(shell.places.advices.acquire_slot, VIEWER, "10.0.0.9"), None))
    assert ask(outside, VIEWER, "10.0.0.9", path).status_code == 503
    assert ask(outside, VIEWER, "10.0.0.8", path).status_code == 200
    for give_back in taken:
        give_back()
    assert ask(outside, VIEWER, "10.0.0.9", path).status_code == 200
    assert shell.places.advices.n_taken == 0


def test_an_address_has_not_all_threads_of_the_server(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "LOOPBACK", "not this one")
    monkeypatch.setattr(server_module, "MAX_THREADS_OF_ONE_ADDRESS", 3)
    monkeypatch.setattr("web.views.event_stream.HEARTBEAT_INTERVAL_S", 0.1)
    with serving(make_server(app, 0, "127.0.0.1")) as port, ExitStack() as opened:
        callers = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(4)]
        for caller in callers:
            opened.callback(caller.close)
        for caller in callers[:3]:
            caller.request("GET", "/api/events")
            assert caller.getresponse().status == 200
        callers[3].request("GET", "/api/state")
        refused = callers[3].getresponse()
        assert (refused.status, refused.getheader("Retry-After")) == (503, "5")
