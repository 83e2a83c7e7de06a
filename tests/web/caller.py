"""A page that talks to a Millchen in another process: HTTP and nothing else; and ports that are kept for such."""

import http.client
import json
import socket
import time
from collections.abc import Mapping
from typing import Any


class Caller:
    """A page: asks, and keeps what it was answered."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Status and answer; 0 where the connection died."""
        try:
            how, words = ("GET", None) if body is None else ("POST", json.dumps(body))
            self._line.request(how, path, words, {"Content-Type": "application/json"})
            answer = self._line.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            self._line.close()
            return 0, None

    def wait_for_state(self) -> Mapping[str, Any]:
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            status, state = self.ask("/api/state")
            if status == 200:
                return state  # type: ignore[no-any-return]
            time.sleep(0.01)
        raise AssertionError("the page did not come within a minute")

    def close(self) -> None:
        self._line.close()


_kept: list[socket.socket] = []


def free_port() -> int:
    """A port that nobody else on this computer gets until the tests end; their servers may bind it again and again.

    It is bound, without listening, by a socket that shares it from then on: with who asks for a shared one, as servers
    do, and never with who looks for a free one.
    """
    kept = socket.socket()
    kept.bind(("127.0.0.1", 0))
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _kept.append(kept)
    return int(kept.getsockname()[1])
