"""What the callers of a table share, and how much of it each kind of them, and each address, may have at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flask import current_app, g, request

from web.net.quotas import HERE, Quota, Share
from web.net.roles import CAMERA, REFEREE, VIEWER

MAX_EVENT_STREAMS = 200
"""Most open event streams of a table; each holds one of the server's 256 threads. Source: chosen."""

STREAM_SHARES = {
    HERE: Share(MAX_EVENT_STREAMS, MAX_EVENT_STREAMS),
    REFEREE: Share(24, 24),
    VIEWER: Share(160, 80),
}
"""Who may have how many of them: 16 are left for this computer whatever comes from the network, where one address has
at most half of the viewers' places: two classes behind one router. Source: chosen.
"""

MAX_FRAME_WAITS = 128
"""Most requests that wait for a newer picture, each in a thread; further ones are answered at once. Source: chosen."""

FRAME_WAIT_SHARES = {HERE: Share(MAX_FRAME_WAITS, MAX_FRAME_WAITS), REFEREE: Share(16, 16), VIEWER: Share(64, 32)}
"""Who may have how many of them. Source: chosen; a page waits for one picture at a time."""

MAX_UPLOADS = 12
"""Most pictures of phones that are taken in at once, each of 4 MB at most. Source: chosen."""

UPLOAD_SHARES = {HERE: Share(MAX_UPLOADS, MAX_UPLOADS), REFEREE: Share(4, 2), CAMERA: Share(6, 2)}
"""Who may have how many of them. Source: chosen; a phone sends one picture after the other."""

MAX_ADVICES = 6
"""Most choices of paints that are judged at once; six players take up to 0.8 s of a processor. Source: chosen."""

ADVICE_SHARES = {HERE: Share(MAX_ADVICES, MAX_ADVICES), REFEREE: Share(2, 2), VIEWER: Share(2, 1)}
"""Who may have how many of them. Source: chosen; a page asks again when a pot has rested."""


@dataclass(frozen=True)
class SharedPlaces:
    """The places of one table.

    Attributes:
        streams: Open event streams.
        frame_waits: Requests that wait for a newer picture.
        uploads: Pictures of phones that are taken in.
        advices: Choices of paints that are judged.
    """

    streams: Quota = field(default_factory=lambda: Quota(MAX_EVENT_STREAMS, STREAM_SHARES))
    frame_waits: Quota = field(default_factory=lambda: Quota(MAX_FRAME_WAITS, FRAME_WAIT_SHARES))
    uploads: Quota = field(default_factory=lambda: Quota(MAX_UPLOADS, UPLOAD_SHARES))
    advices: Quota = field(default_factory=lambda: Quota(MAX_ADVICES, ADVICE_SHARES))


def acquire_slot(quota: Quota) -> Callable[[], None] | None:
    """Take a slot for the sender of the present request; return the function that gives it back, None without one."""
    is_here = not current_app.extensions["millchen.in_network"] and g.role == REFEREE
    return quota.acquire_slot(HERE if is_here else g.role, request.remote_addr or "")
