"""Roles, and the role that each route needs.

On the loopback address everybody is the referee, unless other people have accounts on this computer; in the network
(``--lan``) nobody has a role without a link (`web.net.links`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flask.typing import ResponseReturnValue

from referee.typed_json import Words

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

MAX_BODY_BYTES = 64 * 1024  # longest body of a usual request; the largest command has a few hundred


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the page."""

    rule: str  # URL pattern
    method: str
    role: str  # who may ask: a key of `ROLES_LET_IN`
    view: Callable[..., ResponseReturnValue]
    # of a POST: the entries of its JSON, None where the parameters of the view say them; or the kinds of other bodies
    body: Words | tuple[str, ...] | None = None
    max_bytes: int = MAX_BODY_BYTES  # longest body
