import http.client
import json
from functools import partial
from typing import Any

import pytest
from flask import Flask

from web.hosted_tables import AppContext
from web.net import server as server_module
from web.views.event_stream import MAX_HELD_THREADS


@pytest.fixture(autouse=True)
def _quick_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server soon notices that a page has gone."""
    monkeypatch.setattr("web.views.event_stream.HEARTBEAT_INTERVAL_S", 0.05)


class Stream:
    """A page that listens."""

    def __init__(self, port: int, last_id: int | None = None, path: str = "/api/events") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()

    def next(self) -> tuple[str, int | None, Any]:
        kind, number, data = "", None, None
        while True:
            read = self.answer.readline()
            assert read, "the stream has ended"
            line = read.decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and kind not in ("", "beat"):
                return kind, number, data

    def until_state(self, ply: int) -> list[tuple[str, int | None, Any]]:
        heard = []
        while True:
            heard.append(self.next())
            if heard[-1][0] == "state" and heard[-1][2]["game"]["ply"] == ply:
                return heard

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_a_new_page_gets_the_state_and_hears_nothing_old(port: int) -> None:
    stream = Stream(port)
    assert stream.answer.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    kind, number, state = stream.next()
    assert (kind, number, state["game"]["ply"]) == ("state", None, 2)
    assert [said["kind"] for said in state["said"]] == ["board", "turn", "turn"]
    stream.close()


def test_a_page_that_comes_back_hears_what_it_missed_and_nothing_twice(port: int, shell: AppContext) -> None:
    records = shell.table.announcements_after(0)
    first, second = (record.seq for record in records)
    for stream in (Stream(port, last_id=first), Stream(port, path=f"/api/events?after={first}")):  # come back; has read
        heard = stream.until_state(2)
        assert [(kind, number) for kind, number, _ in heard] == [("said", second), ("state", None)]
        assert heard[0][2]["texts"]["en"]
        stream.close()
    stream = Stream(port, last_id=second)
    assert [kind for kind, _, _ in stream.until_state(2)] == ["state"]
    stream.close()


def test_no_more_streams_than_agreed_and_other_requests_still_pass(port: int, app: Flask) -> None:
    taken = list(iter(partial(app.extensions["millchen.held"].take, "127.0.0.1"), None))
    try:
        assert len(taken) <= MAX_HELD_THREADS < server_module.MAX_THREADS
        refused = Stream(port)
        assert refused.answer.status == 503
        assert json.loads(refused.answer.read())["error"]["code"] == "service_unavailable"
        refused.close()
        other = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        other.request("GET", "/api/state")
        assert other.getresponse().status == 200
        other.close()
    finally:
        for give_back in taken:
            give_back()


def test_at_last_closing_the_table_ends_every_stream(port: int, shell: AppContext) -> None:
    stream = Stream(port)
    stream.next()
    shell.table.publisher.close()
    assert stream.answer.read() is not None
    stream.close()
