"""Links that let people in: each has a name, gives a role, ends after a time, and can be taken back alone.

A link holds a token of 128 random bits, as a QR code or in the address with which Millchen opens the browser. Who has
followed it carries the token in a cookie; a program may send it as ``Authorization: Bearer``.

Where other people have accounts on this computer, the loopback address asks for a link too: the owner's own. Millchen
opens the browser with it, and ``millchen link`` prints it. It lies in a file that its owner alone can read.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from flask import Request

from languages import message
from web.errors import MillchenError
from web.net.roles import REFEREE, ROLES

log = logging.getLogger("millchen.server")

TOKEN_COOKIE = "millchen"

TOKEN_KEY = "token"  # field of a query with the token, for our own vision process: it can send no header

TOKEN_BYTES, TOKEN_CHARACTERS = 16, 22  # random bytes of a token, and its length as URL-safe base64

SEASON_DAYS = 180  # days for which a link lets in where nobody says otherwise
DAY_S = 24 * 3600.0
MAX_LINKS = 100  # most links at once


OWN_LINK_FILE = "own-link.json"

NOT_OF_PEOPLE = frozenset(
    {*("lost+found", "linuxbrew", "shared", "guest", ".localized", "public"), *("default", "default user", "all users")}
)
"""Folders beside those of people. Source: Debian, macOS, Windows 11."""


@dataclass(frozen=True, slots=True)
class AccessLink:
    """A link that was given to somebody."""

    token: str
    role: str
    name: str = ""  # of the device or person, as people say; "" for the first link of a role
    ends: float | None = None  # by the wall's clock, seconds since 1970; None: never

    def __post_init__(self) -> None:
        texts = self.token, self.role, self.name
        is_right = all(isinstance(one, str) for one in texts) and len(self.token) >= TOKEN_CHARACTERS
        if not is_right or self.role not in ROLES or not isinstance(self.ends, float | None):
            raise ValueError(f"this is no link: {self.role!r}")


class Links:
    """The links in a file, one at least for each of the ``roles``; any thread may call."""

    def __init__(
        self,
        path: Path,
        roles: Sequence[str] = ROLES,
        days: float | None = SEASON_DAYS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path, self._clock, self._lock = path, clock, threading.Lock()
        self._links = self._load()
        roles_without_link = [role for role in roles if role not in {one.role for one in self.valid}]
        if roles_without_link:
            self._keep((*self.valid, *(self._new(role, "", days) for role in roles_without_link)))

    @property
    def valid(self) -> tuple[AccessLink, ...]:
        """The links that have not ended, oldest first."""
        return tuple(one for one in self._links if one.ends is None or one.ends > self._clock())

    def add(self, role: str, name: str, days: float) -> AccessLink:
        """Return a new link. Raises `MillchenError` where there are too many, or the file cannot be written."""
        with self._lock:
            if len(self.valid) >= MAX_LINKS:
                raise MillchenError(message("links.most", most=MAX_LINKS))
            link = self._new(role, name, days)
            self._keep((*self.valid, link))
        return link

    def remove(self, token: str) -> None:
        """Take a link back: it opens nothing any more."""
        with self._lock:
            self._keep(tuple(one for one in self.valid if one.token != token))

    def find(self, token: str) -> AccessLink | None:
        """Return the link of a token, None for a wrong one; takes the same time for every token."""
        right = [one for one in self.valid if hmac.compare_digest(one.token.encode(), token.encode("utf-8", "replace"))]
        return next(iter(right), None)

    def role_of_request(self, request: Request) -> str | None:
        """Return the role of a request, by what it carries or by the link that it follows."""
        kind, _, bearer = request.headers.get("Authorization", "").partition(" ")
        own_token = bearer.strip() if kind.lower() == "bearer" else request.cookies.get(TOKEN_COOKIE, "")
        for token in (own_token, (request.view_args or {}).get("token", ""), request.args.get(TOKEN_KEY, "")):
            if (link := self.find(str(token))) is not None:
                return link.role
        return None

    def _new(self, role: str, name: str, days: float | None) -> AccessLink:
        ends = None if days is None else self._clock() + days * DAY_S
        return AccessLink(secrets.token_urlsafe(TOKEN_BYTES), role, name, ends)

    def _load(self) -> tuple[AccessLink, ...]:
        """Return the links of the file; none where there is no file, or it is damaged, which is said."""
        try:
            return tuple(AccessLink(**one) for one in json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return ()
        except OSError as why:
            raise MillchenError(f"the links cannot be read in {self.path}: {why.strerror or why}") from why
        except (ValueError, TypeError, RecursionError):
            log.warning("%s was damaged and is made anew: let the phones in again with the new links", self.path)
            return ()

    def _keep(self, links: tuple[AccessLink, ...]) -> None:
        try:
            write_secret(self.path, json.dumps([asdict(one) for one in links]).encode())
        except OSError as why:
            raise MillchenError(f"the links cannot be kept in {self.path}: {why.strerror or why}") from why
        self._links = links


def stream_address(page: str, own: Links | None) -> str:
    """Return where our own vision process finds the pictures of a phone, with the token that it needs there."""
    return f"{page}phone.mjpeg" + ("" if own is None else f"?{TOKEN_KEY}={own.valid[0].token}")


# ---------------------------------------------------------------- the owner's own link


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


def write_secret(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(path.name + ".part")
    unfinished.unlink(missing_ok=True)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
