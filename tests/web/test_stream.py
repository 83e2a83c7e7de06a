import http.client
import json
from typing import Any

import pytest

from web.hosted_tables import AppContext


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

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_a_page_that_comes_back_hears_what_it_missed_and_nothing_twice(port: int, shell: AppContext) -> None:
    first, second = (record.seq for record in shell.table.announcements_after(0))
    for last_id, query, missed in (
        (None, "", []),
        (first, "", [second]),
        (None, f"?after={first}", [second]),
        (second, "", []),
    ):
        stream = Stream(port, last_id, f"/api/events{query}")
        assert stream.answer.getheader("Content-Type") == "text/event-stream; charset=utf-8"
        heard = [stream.next()]
        while heard[-1][0] != "state" or heard[-1][2]["game"]["ply"] != 2:
            heard.append(stream.next())
        *said, (_, number, state) = heard
        assert [(kind, seq) for kind, seq, _ in said] == [("said", seq) for seq in missed]
        assert all(told["texts"]["en"] for *_, told in said)
        assert number is None
        assert [one["kind"] for one in state["said"]] == ["board", "turn", "turn"]
        if last_id != second:
            stream.close()
    shell.table.publisher.close()
    assert b"event: " not in stream.answer.read(), "which ends with the table"
    stream.close()
