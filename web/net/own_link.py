"""Where other people have accounts on this computer, the loopback address asks for a link too: the owner's own.

Millchen opens the browser with it, and ``millchen link`` prints it. It lies in a file that its owner alone can read.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from web.errors import MillchenError
from web.net.links import Links, write_secret
from web.net.roles import REFEREE

OWN_LINK_FILE = "own-link.json"

NOT_OF_PEOPLE = frozenset(
    {*("lost+found", "linuxbrew", "shared", "guest", ".localized", "public"), *("default", "default user", "all users")}
)
"""Folders beside those of people. Source: Debian, macOS, Windows 11."""


def is_shared_computer() -> bool:
    """Return whether others have a home beside the user's own; where that cannot be seen, yes.

    Who runs Millchen as root is in a container, or the administrator, who decides who is let in (``--lan``).
    """
    if os.name != "nt" and os.geteuid() == 0:
        return False
    return has_others_beside(Path.home())


def has_others_beside(home: Path) -> bool:
    """Return whether the homes of other people lie beside this one."""
    try:
        beside = {one.name.casefold() for one in home.parent.iterdir() if one.is_dir()}
    except OSError:
        return True
    return bool(beside - NOT_OF_PEOPLE - {home.name.casefold()})


def open_own_link(data: Path, asks_for_link: bool | None) -> Links | None:
    """Return the link to the page here, None where it lets all in; ``asks_for_link`` None: where others have a home."""
    asks = is_shared_computer() if asks_for_link is None else asks_for_link
    return Links(data / OWN_LINK_FILE, (REFEREE,), days=None) if asks else None


def link_to(page: str, own: Links) -> str:
    """Return the link to a page of this computer."""
    return f"{page}join/{own.valid[0].token}"


def address_to_open(page: str, own: Links) -> str:
    """Return the address of a file that leads to the link, and that the owner alone can read.

    The browser is started with it, because everybody can read that word in the list of processes.
    """
    file = own.path.with_name("open.html")
    there = escape(link_to(page, own))
    content = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={there}">\n'
    try:
        write_secret(file, content.encode())
    except OSError as why:
        raise MillchenError(f"{file} cannot be written: {why.strerror or why}") from why
    return file.as_uri()
