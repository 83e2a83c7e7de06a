"""Server-sent events: the newest state, and every announcement once.

Two kinds of message. ``state`` is a whole snapshot and carries no id: the latest wins, a page that was away needs only
the newest. ``said`` is one announcement and carries its number in the journal as id, so that a browser that comes
back (``Last-Event-ID``) hears what it missed and nothing twice, even across a restart of the server. A page that has
heard nothing yet names the newest number that it shows (``?after=``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from flask import Response, request
from werkzeug.exceptions import ServiceUnavailable

from languages import message
from web.game.snapshot import Announcement
from web.views.context import AppContext, current_context

HEARTBEAT_INTERVAL_S = 5.0  # a comment line; finds out that a page has gone, and lets proxies know that we have not
RECONNECT_DELAY_MS = 1000  # what a browser waits before it comes back
EVENT_ID_DIGIT_LIMIT = 19  # of a number in the journal; Python refuses to read one with thousands
MAX_REPEATED_ANNOUNCEMENTS = 5  # sentences repeated to a page that comes back; older ones can be read in the list


def table_events() -> Response:
    """Answer GET /api/events."""
    behind = current_context()
    if not behind.streams.acquire(blocking=False):
        raise ServiceUnavailable(message("page.too_many"), retry_after=10)
    missed: tuple[Announcement, ...] = ()
    place = behind.table.publisher.n_announcements
    last_id = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    if last_id.isascii() and last_id.isdigit() and len(last_id) < EVENT_ID_DIGIT_LIMIT:
        missed = tuple(behind.table.announcements_after(int(last_id)))[-MAX_REPEATED_ANNOUNCEMENTS:]
    response = Response(_messages(behind, missed, place), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(behind.streams.release)
    return response


def _messages(behind: AppContext, missed: tuple[Announcement, ...], place: int) -> Iterator[bytes]:
    desk = behind.table.publisher
    yield f"retry: {RECONNECT_DELAY_MS}\n\n".encode()
    version = -1
    while not desk.is_closed:
        snapshot, said, place = desk.wait(version, place, HEARTBEAT_INTERVAL_S)
        for announcement in (*missed, *said):
            yield sse_message("said", announcement.to_json(), announcement.seq)
        missed = ()
        if snapshot.version != version:
            version = snapshot.version
            yield desk.cached(lambda: sse_message("state", state_json(behind)))
        elif not said:
            yield b": still here\n\n"


def state_json(behind: AppContext) -> dict[str, Any]:
    """The newest state with the last announcements, as every page shows it."""
    desk = behind.table.publisher
    return desk.snapshot.to_json() | {"said": [said.to_json() for said in desk.latest_announcements(12)]}


def sse_message(kind: str, data: dict[str, Any], seq: int | None = None) -> bytes:
    head = f"event: {kind}\n" + (f"id: {seq}\n" if seq is not None else "")
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
