"""Roles, and the tokens that give them.

On the loopback address everybody is the referee; where other people have accounts on this computer, its owner alone
(`web.net.owner_access`). In the network (``--lan``) nobody has a role without a token. A token is 128 random bits. It
comes once in a link (as QR code) and afterwards in a cookie.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Request
from flask.typing import ResponseReturnValue

from web.errors import MillchenError

log = logging.getLogger("millchen.server")

Schema = Mapping[str, Any]  # a JSON Schema

VIEWER, CAMERA, REFEREE = "viewer", "camera", "referee"
ROLES = (VIEWER, CAMERA, REFEREE)
MEMBER, ANYONE = "member", "anyone"
THIS_COMPUTER = "this computer"
"""Asked by routes that no link opens: only the page at this computer has them, where everybody is the referee."""

ROLES_LET_IN: Mapping[str, frozenset[str | None]] = {
    ANYONE: frozenset({None, *ROLES}),
    MEMBER: frozenset(ROLES),
    VIEWER: frozenset({VIEWER, REFEREE}),
    CAMERA: frozenset({CAMERA, REFEREE}),
    REFEREE: frozenset({REFEREE}),
    THIS_COMPUTER: frozenset(),
}
"""Roles that a route lets in from the network, by what the route asks for; None is somebody without a token."""

ROLES_LET_IN_HERE: Mapping[str, frozenset[str | None]] = {**ROLES_LET_IN, THIS_COMPUTER: frozenset({REFEREE})}
"""The same for requests of this computer."""

TOKEN_COOKIE = "millchen"

MAX_BODY_BYTES = 64 * 1024  # longest body of a usual request; the largest command has a few hundred

TOKEN_BYTES = 16  # random bytes of a token


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the page."""

    rule: str  # URL pattern
    method: str
    role: str  # who may ask: a key of `ROLES_LET_IN`
    view: Callable[..., ResponseReturnValue]
    # of a POST: the schema of its JSON, None where the parameters of the view say it; or the kinds of other bodies
    body: Schema | tuple[str, ...] | None = None
    max_bytes: int = MAX_BODY_BYTES  # longest body


def everyone_is_referee(_: Request) -> str:
    """Return the role of every request on the loopback address."""
    return REFEREE


@dataclass(frozen=True)
class RoleTokens:
    """One secret for each role: 128 bits as 22 characters of URL-safe base64."""

    by_role: Mapping[str, str]

    @classmethod
    def generate(cls) -> RoleTokens:
        """Return new random tokens."""
        return cls({role: secrets.token_urlsafe(TOKEN_BYTES) for role in ROLES})

    @classmethod
    def load_or_create(cls, path: Path) -> RoleTokens:
        """Return the tokens in a file, which is created where it is missing; so links survive a restart."""
        try:
            if path.exists():
                by_role = json.loads(path.read_bytes())
                if set(by_role) == set(ROLES) and all(len(token) >= 22 for token in by_role.values()):
                    return cls(by_role)
        except (ValueError, TypeError, AttributeError, RecursionError):
            log.debug("%s cannot be read", path)
        except OSError as why:
            raise MillchenError(f"the links cannot be read in {path}: {why.strerror or why}") from why
        tokens, was_there = cls.generate(), path.exists()
        try:
            write_secret(path, json.dumps(dict(tokens.by_role)).encode())
        except OSError as why:
            raise MillchenError(f"the links cannot be kept in {path}: {why.strerror or why}") from why
        if was_there:
            log.warning("%s was damaged and is made anew: let the phones in again with the new links", path)
        return tokens

    def role_of_token(self, token: str) -> str | None:
        """Return the role that a token gives, None for a wrong token; takes the same time for every token."""
        found = None
        for role, right in self.by_role.items():
            if hmac.compare_digest(right.encode(), token.encode("utf-8", "replace")):
                found = role
        return found

    def role_of_request(self, request: Request) -> str | None:
        """Return the role of a request, by what it carries or by the link that it follows."""
        followed = (request.view_args or {}).get("token", "")
        return self.role_of_token(carried_token(request, TOKEN_COOKIE)) or self.role_of_token(str(followed))


def carried_token(request: Request, cookie: str) -> str:
    """Return the token of a request: its cookie, or ``Authorization: Bearer`` for programs; empty without one."""
    kind, _, bearer = request.headers.get("Authorization", "").partition(" ")
    return bearer.strip() if kind.lower() == "bearer" else request.cookies.get(cookie, "")


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
