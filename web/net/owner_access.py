"""On a computer with several users, only its owner is the referee on the loopback address.

Linux names the user who asks; the owner (and the administrator) is let in, nobody else, and no token is needed. Where
the system names nobody, a token tells: it lies in the data folder, which only its owner can read, and in a cookie of
the owner's browser. A browser gets it by a one-time link. ``millchen link`` and the running Millchen make such links in
the same way: the link's digest is the name of a file in the data folder, and who removes that file has used the link.
So who can make a link can write in the folder, and is its owner.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path

from flask import Request

from web.errors import MillchenError
from web.net.local_accounts import PEER_UID, are_users_told, is_another_user, is_shared_computer
from web.net.roles import REFEREE, TOKEN_BYTES, carried_token, write_secret

log = logging.getLogger("millchen.server")

OWNER_FOLDER = "owner"  # folder of the token and the one-time links, in the data folder

OWNER_COOKIE = "millchen_here_"
"""Beginning of the cookie's name; cookies know no ports, so each data folder has a name of its own."""

STREAM_PATH, STREAM_KEY = "/phone.mjpeg", "key"
"""Where our own vision process asks for the pictures of a phone, and the field of the query with its key."""

LINK_AGE_S = 600.0  # seconds for which a one-time link may be used
MAX_LINKS = 20  # one-time links that wait to be used; the oldest go


class OwnerAccess:
    """The owner's token and one-time links, kept in a folder; the clock is the wall's, which files have too."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._clock = folder, clock
        self._links = folder / "links"
        self.stream_key = secrets.token_urlsafe(TOKEN_BYTES)  # what our own vision process shows, new in each process
        file = folder / "token"
        try:
            self._links.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.token = _read_token(file)
            if not self.token:
                self.token = secrets.token_urlsafe(TOKEN_BYTES)
                write_secret(file, self.token.encode())
        except OSError as why:
            raise MillchenError(f"the key of this computer's page cannot be kept in {folder}: {why}") from why
        self.cookie = OWNER_COOKIE + hashlib.sha256(self.token.encode()).hexdigest()[:8]

    def role_of_request(self, request: Request) -> str | None:
        """Return the role of a request on the loopback address: the referee's for the owner, otherwise none."""
        if request.environ.get(PEER_UID) is not None:
            return None if self.is_stranger(request) else REFEREE
        is_owner = _is_same(self.token, carried_token(request, self.cookie))
        is_our_own = request.path == STREAM_PATH and _is_same(self.stream_key, request.args.get(STREAM_KEY, ""))
        return REFEREE if is_owner or is_our_own else None

    def is_stranger(self, request: Request) -> bool:
        """Return whether the system says that another user of this computer asks, whatever the request carries."""
        return is_another_user(request.environ.get(PEER_UID))

    @property
    def needs_link(self) -> bool:
        """Whether the owner's browser has to follow a link, as the system does not say whose it is."""
        return not are_users_told()

    def new_link(self, address: str) -> str:
        """Return a link to the page at an address; it opens the page once, within `LINK_AGE_S`."""
        ticket = secrets.token_urlsafe(TOKEN_BYTES)
        try:
            waiting = sorted(self._links.iterdir(), key=lambda file: file.stat().st_mtime)
            for file in waiting[: max(0, len(waiting) + 1 - MAX_LINKS)]:
                file.unlink(missing_ok=True)
            write_secret(self._file_of(ticket), b"")
        except OSError as why:
            raise MillchenError(f"no link can be kept in {self._links}: {why.strerror or why}") from why
        return f"{address}join/{ticket}"

    def use_ticket(self, ticket: str) -> bool:
        """Return whether the end of a link was valid; it is not valid a second time."""
        file = self._file_of(ticket)
        try:
            age_s = self._clock() - file.stat().st_mtime
            file.unlink()  # of two who come at the same time one fails here
        except OSError:
            return False
        return abs(age_s) <= LINK_AGE_S

    def address_to_open(self, link: str) -> str:
        """Return the address of a file that leads to a link, and that the owner alone can read.

        The browser is started with it, because everybody can read that word in the list of processes.
        """
        file = self._folder / "open.html"
        page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(link)}">\n'
        try:
            write_secret(file, page.encode())
        except OSError as why:
            raise MillchenError(f"{file} cannot be written: {why.strerror or why}") from why
        return file.as_uri()

    def keep_address(self, address: str) -> None:
        """Note for ``millchen link`` where the page of the first table is."""
        with suppress(OSError):  # then the link has to be made with --port
            write_secret(self._folder / "address", address.encode())

    def address(self) -> str:
        """Return where the page was at the newest start; empty where that is not known."""
        try:
            return (self._folder / "address").read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""

    def _file_of(self, ticket: str) -> Path:
        return self._links / hashlib.sha256(ticket.encode("utf-8", "replace")).hexdigest()


def open_owner_access(data: Path, asks_for_link: bool | None) -> OwnerAccess | None:
    """Return the access to a page, None if it lets all in; ``asks_for_link`` None: if others have accounts here."""
    asks = is_shared_computer() if asks_for_link is None else asks_for_link
    return OwnerAccess(data / OWNER_FOLDER) if asks else None


def stream_address(page: str, owner: OwnerAccess | None) -> str:
    """Return where our own vision process finds the pictures of a phone, with the key that it needs there."""
    return f"{page}{STREAM_PATH[1:]}" + ("" if owner is None else f"?{STREAM_KEY}={owner.stream_key}")


def _read_token(file: Path) -> str:
    """Return the token in a file; empty where there is no file, or no token in it, which is said."""
    found = file.read_bytes().strip() if file.exists() else None
    if found is None or re.fullmatch(rb"[\w-]{22,}", found):
        return "" if found is None else found.decode()
    log.warning("%s was damaged and is made anew: browsers that were let in need a new link", file)
    return ""


def _is_same(right: str, given: str) -> bool:
    return hmac.compare_digest(right.encode(), given.encode("utf-8", "replace"))
