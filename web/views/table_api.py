"""API of the table, for the page and other programs: state, picture and counters."""

from __future__ import annotations

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue

from web.net.health import process_health
from web.net.roles import VIEWER, Route
from web.views.context import acquire_slot, current_context

FRAME_WAIT_S = 1.0  # longest wait of a request for a newer picture, seconds; it holds a thread meanwhile


def state() -> Response:
    """Answer GET /api/state with the newest state."""
    return jsonify(current_context().table.publisher.snapshot)


def frame() -> Response:
    """Answer GET /frame.jpg with the newest picture; with ``?after=N`` wait a moment for one after number N."""
    context = current_context()
    table = context.table
    table.request_pictures()
    after = request.args.get("after", -1, type=int)
    give_back = acquire_slot(context.places.frame_waits)
    try:
        picture = table.publisher.wait_for_picture(after, FRAME_WAIT_S if give_back is not None else 0)
    finally:
        if give_back is not None:
            give_back()
    if picture is None or picture.number == after:
        return Response(status=204)
    return Response(picture.jpeg, mimetype="image/jpeg", headers={"X-Frame-Number": str(picture.number)})


def health() -> ResponseReturnValue:
    """Answer GET /health with counters."""
    context = current_context()
    streams = context.places.streams.n_taken
    return {**context.table.health(), "streams": streams, "process": process_health(context.started_s)}


TABLE_ROUTES = (
    Route("/frame.jpg", "GET", VIEWER, frame),
    Route("/api/state", "GET", VIEWER, state),
    Route("/health", "GET", VIEWER, health),
)
