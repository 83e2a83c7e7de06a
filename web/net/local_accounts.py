"""Whether other people have an account on this computer."""

from __future__ import annotations

import os
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
