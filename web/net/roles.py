"""Who may: roles, the tokens that give them, and how often anybody may ask.

On this computer's own address whoever sits here is the referee. In the network (``--lan``) nobody is anybody without
a token: 128 random bits, carried in a link (as QR code) once and in a cookie afterwards.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flask import Request
from flask.typing import ResponseReturnValue

from web.errors import MillchenError

VIEWER, CAMERA, REFEREE = "viewer", "camera", "referee"
ROLES = (VIEWER, CAMERA, REFEREE)
MEMBER, ANYONE = "member", "anyone"

ROLES_LET_IN: Mapping[str, frozenset[str | None]] = {
    ANYONE: frozenset({None, *ROLES}),
    MEMBER: frozenset(ROLES),
    VIEWER: frozenset({VIEWER, REFEREE}),
    CAMERA: frozenset({CAMERA, REFEREE}),
    REFEREE: frozenset({REFEREE}),
}
"""Which roles a route lets in, by what the route asks for; None is somebody without a token."""

TOKEN_COOKIE = "millchen"
TOKEN_BYTES = 16


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that may be asked: where, how, by whom (a key of `ROLES_LET_IN`), and who answers."""

    rule: str
    method: str
    role: str
    view: Callable[..., ResponseReturnValue]


def everyone_is_referee(_: Request) -> str:
    """The role on the loopback address: whoever sits at this computer."""
    return REFEREE


@dataclass(frozen=True)
class RoleTokens:
    """One secret for each role.

    Attributes
    ----------
    by_role : mapping
        From role to token, 128 bits as 22 letters and digits.
    """

    by_role: Mapping[str, str]

    @classmethod
    def generate(cls) -> RoleTokens:
        """Tokens that nobody knows."""
        return cls({role: secrets.token_urlsafe(TOKEN_BYTES) for role in ROLES})

    @classmethod
    def load_or_create(cls, path: Path) -> RoleTokens:
        """The tokens of this data folder, so that links go on working after a restart; made where there are none.

        Raises
        ------
        MillchenError
            When the file cannot be read or written.
        """
        try:
            if path.exists():
                by_role = json.loads(path.read_text(encoding="utf-8"))
                if set(by_role) != set(ROLES) or not all(len(token) >= 22 for token in by_role.values()):
                    raise ValueError("one is missing")
                return cls(by_role)
            tokens = cls.generate()
            write_secret(path, json.dumps(dict(tokens.by_role)).encode())
        except (OSError, ValueError, TypeError, AttributeError) as why:
            raise MillchenError(f"the links cannot be kept in {path} ({why}): delete the file and start again") from why
        return tokens

    def role_of_token(self, token: str) -> str | None:
        """The role that a token gives, None for a wrong one; takes equally long for every token."""
        found = None
        for role, right in self.by_role.items():
            if hmac.compare_digest(right.encode(), token.encode("utf-8", "replace")):
                found = role
        return found

    def role_of(self, asked: Request) -> str | None:
        """The role of a request: by its cookie, or by ``Authorization: Bearer`` for programs."""
        kind, _, bearer = asked.headers.get("Authorization", "").partition(" ")
        token = bearer.strip() if kind.lower() == "bearer" else asked.cookies.get(TOKEN_COOKIE, "")
        return self.role_of_token(token)


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


class RateLimit:
    """How often each address may do something: a bucket that holds ``burst`` and refills with ``per_s`` a second.

    Memory is bounded: of the addresses that were heard longest ago, those beyond ``MOST`` are forgotten.
    """

    MOST = 1000

    def __init__(self, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._burst, self._clock = per_s, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def is_exceeded(self, address: str, cost: float = 1.0) -> bool:
        """Take ``cost`` out of the bucket of an address; True when there is not enough in it. Cost 0 only looks."""
        with self._lock:
            now = self._clock()
            level, at = self._buckets.pop(address, (self._burst, now))
            level = min(self._burst, level + (now - at) * self._per_s)
            is_over = level < max(cost, 1.0)
            self._buckets[address] = (level if is_over else level - cost, now)
            while len(self._buckets) > self.MAX_ADDRESSES:
                self._buckets.popitem(last=False)
        return is_over
