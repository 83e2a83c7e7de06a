"""The accounts of this computer: whether other people have one, and which user is at the other end of a connection.

Linux alone names that user. A cookie for 127.0.0.1 is sent to every port of it, also to one that another user of this
computer has opened; so a token alone does not tell the owner from somebody who has caught it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import pwd

FIRST_HUMAN_UID = 500 if sys.platform == "darwin" else 1000
"""Smallest number of a person's account. Source: login.defs(5) of Debian, Fedora and Arch; macOS."""

NOBODY_UIDS = frozenset({65533, 65534, 4294967294})  # accounts of nobody. Source: Debian, NFS, macOS.

NO_LOGIN = frozenset({"nologin", "false", "true", "sync", "halt", "shutdown", "git-shell"})
"""Programs that stand in the place of a shell where nobody is to log in. Source: passwd of Debian, Fedora, Alpine."""

NAME_SERVICES = Path("/etc/nsswitch.conf")  # where Linux says who knows the accounts

SERVICES_THAT_LIST = frozenset({"files", "compat", "systemd", "altfiles", "mymachines", "db"})
"""Those that list every account when they are asked for all; a directory of a school or firm does not."""

DIRECTORY_SETTINGS = {"sss": Path("/etc/sssd/sssd.conf")}
"""Services that some systems name without using them, and the file without which they know nobody."""

WINDOWS_PROFILES = frozenset({"public", "default", "default user", "all users", "defaultapppool", "wdagutilityaccount"})
"""Folders beside those of people. Source: Windows 10 and 11."""

PEER_UID = "millchen.peer_uid"  # key of the WSGI environment: what `peer_uid` returns; missing where nobody has asked
GONE = -1  # the other end is not there any more, so that nobody can say whose it was
ROOT_UID = 0  # the administrator, from whom nothing can be kept

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""The connections of this computer; the second one has those of programs that speak IPv6 alone. Source: proc(5)."""

ESTABLISHED = 1  # state of a connection that both ends have open. Source: tcp_states.h of Linux.


def is_shared_computer() -> bool:
    """Return whether somebody else has an account on this computer; where the system does not say it, yes.

    The administrator (root) is left out, as nothing can be kept from him, and so are accounts at which nobody logs in.
    """
    if sys.platform == "win32":
        return _has_other_profiles(Path.home())
    # A directory is not asked for everybody: that takes long, and without a network for ever.
    return not _are_all_listed(NAME_SERVICES) or has_other_accounts(pwd.getpwall(), os.geteuid())


def has_other_accounts(accounts: Iterable[Any], own_uid: int) -> bool:
    """Return whether people are among accounts of `pwd` who are neither this user nor the administrator."""
    return any(
        one.pw_uid >= FIRST_HUMAN_UID
        and one.pw_uid not in (own_uid, *NOBODY_UIDS)
        and Path(one.pw_shell).name not in NO_LOGIN
        for one in accounts
    )


def _are_all_listed(name_services: Path) -> bool:
    """Return whether the system lists all of its accounts; without such a file there is only /etc/passwd."""
    try:
        lines = name_services.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    words = [word for line in lines if line.startswith("passwd:") for word in line.partition("#")[0].split()[1:]]
    return all(
        one in SERVICES_THAT_LIST or (one in DIRECTORY_SETTINGS and not DIRECTORY_SETTINGS[one].exists())
        for one in words
        if not one.startswith("[")
    )


def _has_other_profiles(home: Path) -> bool:
    """Return whether the folder of a Windows user lies beside those of others."""
    try:
        beside = {one.name.casefold() for one in home.parent.iterdir() if one.is_dir()}
    except OSError:
        return True
    return bool(beside - WINDOWS_PROFILES - {home.name.casefold()})


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
