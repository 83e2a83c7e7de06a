"""Which user is at the other end of a connection on the loopback address; Linux says it, other systems do not.

A cookie for 127.0.0.1 is sent to every port of it, also to one that another user of this computer has opened. So a
token alone does not tell the owner from somebody who has caught it.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

PEER_UID = "millchen.peer_uid"
"""Key of the WSGI environment: what `peer_uid` returns; missing where nobody has asked."""

GONE = -1
"""The other end is not there any more, so that nobody can say whose it was."""

ROOT_UID = 0
"""The administrator, from whom nothing can be kept."""

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""The connections of this computer; the second one has those of programs that speak IPv6 alone. Source: proc(5)."""

ESTABLISHED = 1
"""State of a connection that both ends have open. Source: tcp_states.h of Linux."""


def are_users_told() -> bool:
    """Return whether the system says which user is at the other end of a connection."""
    return sys.platform == "linux" and os.access(TABLES[0], os.R_OK)


def peer_uid(connection: socket.socket) -> int | None:
    """Return the user at the other end; `GONE` where it has closed, None where the system does not say it.

    While our end is established no other connection can have the same two ports, so what the table says is true if our
    end still is after the table was read.
    """
    if not are_users_told():
        return None
    try:
        here, there = _as_listed(connection.getsockname()), _as_listed(connection.getpeername())
        for table in TABLES:
            if table.exists() and (uid := _uid_in(table, there, here)) is not None:
                state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
                return uid if state == ESTABLISHED else GONE
    except (OSError, ValueError, IndexError):
        return GONE
    return GONE


def is_another_user(uid: int | None) -> bool:
    """Return whether a request comes from another user than the owner of this process, as far as that is known."""
    return sys.platform != "win32" and uid is not None and uid not in (ROOT_UID, os.geteuid())


def _as_listed(address: tuple[str, int]) -> str:
    """Return an IPv4 address with its port as the table writes it, or ends with it for IPv6."""
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{number:08X}:{address[1]:04X}"


def _uid_in(table: Path, local: str, remote: str) -> int | None:
    with table.open(encoding="ascii") as lines:
        for line in lines:
            if local in line:
                fields = line.split()
                if fields[1].endswith(local) and fields[2].endswith(remote) and int(fields[3], 16) == ESTABLISHED:
                    return int(fields[7])
    return None
