"""Ports for the servers of tests, kept from everybody else from the choice on."""

from __future__ import annotations

import socket

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
