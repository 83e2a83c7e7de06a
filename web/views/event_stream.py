"""Server-sent events: the newest state, and every announcement once.

There are three kinds of message. ``beat`` says only that the server is there. ``state`` is a whole snapshot without an
id: a page that was away needs only the newest one. ``said`` is one announcement; its id is its number in the journal. A
browser that comes back names the last id that it received (``Last-Event-ID``) and gets what it missed, nothing twice,
even across a restart of the server. A page that has received nothing yet names the newest number that it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from itertools import takewhile

from flask import Request, Response, current_app, g, request
from werkzeug.exceptions import ServiceUnavailable

from languages import LANGUAGES, message
from web.game.page_state import Announcement
from web.hosted_tables import AppContext, current_context
from web.net.server import Places
from web.page_words import in_languages

MAX_HELD_THREADS, MOST_OF_ONE_ADDRESS = 200, 120
"""Most of a server's 256 threads that are held by event streams and by those who wait for a newer picture; and of one
address in the network: a class of 60 behind one router."""

SPARED_FOR_STREAMS = 50  # of them are not waited in: who waits for a picture without a place is answered at once

HEARTBEAT_INTERVAL_S = 5.0  # seconds without news after which a beat is sent: page and server notice each other
RECONNECT_DELAY_MS = 1000  # milliseconds that a browser waits before it connects again

EVENT_ID_DIGIT_LIMIT = 19
"""An event id has fewer digits; longer ones are ignored unread. Numbers of SQLite have 64 bits."""

MAX_REPEATED_ANNOUNCEMENTS = 5
"""Missed announcements that are sent to a page that comes back; the page lists older ones."""


def hold_thread(spared: int = 0) -> Callable[[], None] | None:
    """Let the present request hold a thread; return the function that gives it back, None without a place for it."""
    places: Places = current_app.extensions["millchen.held"]
    return places.take(request.remote_addr or "", spared)


def table_events() -> Response:
    """Answer GET /api/events."""
    context = current_context()
    missed: tuple[Announcement, ...] = ()
    version = context.table.publisher.snapshot.version
    last_id = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    if last_id.isascii() and last_id.isdigit() and len(last_id) < EVENT_ID_DIGIT_LIMIT:
        missed = tuple(context.table.announcements_after(int(last_id)))[-MAX_REPEATED_ANNOUNCEMENTS:]
    return stream_response(_messages(context, missed, version, asked_languages()))


def asked_languages() -> tuple[str, ...]:
    """Return the language that a page names (``?lang=``), all of them where none is named."""
    language = request.args.get("lang", "")
    return (language,) if language in LANGUAGES else tuple(LANGUAGES)


def stream_response(messages: Iterator[bytes]) -> Response:
    """Return the response that sends messages as they come; it holds one of the places for streams until its end."""
    give_back = hold_thread()
    if give_back is None:
        raise ServiceUnavailable(message("page.too_many"), retry_after=10)
    response = Response(_while_let_in(messages), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(give_back)
    return response


def _while_let_in(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Return the messages until the sender's link is taken back or ends."""
    role_of, role = current_app.extensions["millchen.role_of"], g.role
    stream_request = Request(request.environ)
    stream_request.view_args = request.view_args
    return takewhile(lambda _: role_of(stream_request) == role, messages)


def _messages(
    context: AppContext, missed: tuple[Announcement, ...], version: int, languages: tuple[str, ...]
) -> Iterator[bytes]:
    publisher = context.table.publisher
    yield f"retry: {RECONNECT_DELAY_MS}\n\n".encode()
    snapshot, announcements, is_news = publisher.snapshot, missed, True
    while not publisher.is_closed:
        # What was said in a game that is over would stand, and be heard, over the new one.
        for announcement in (one for one in announcements if one.game == snapshot.game.id):
            yield sse_message("said", announcement, announcement.seq, languages)
        if is_news:
            yield publisher.cached(languages, lambda newest: sse_message("state", newest, languages=languages))
        else:
            yield sse_message("beat", {})
        snapshot, announcements = publisher.wait(version, HEARTBEAT_INTERVAL_S)
        is_news, version = snapshot.version != version, snapshot.version


def sse_message(
    kind: str, data: object, seq: int | None = None, languages: Collection[str] = tuple(LANGUAGES)
) -> bytes:
    """Return one server-sent event with JSON data, and with an id where one is given."""
    head = f"event: {kind}\n" + (f"id: {seq}\n" if seq is not None else "")
    return f"{head}data: {json.dumps(data, ensure_ascii=False, default=in_languages(languages))}\n\n".encode()
