"""API for a film or photographs that are picked at this computer: announced, sent in pieces, then taken as a source."""

from __future__ import annotations

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from web.net.film_upload import MAX_PIECE_BYTES
from web.net.roles import THIS_COMPUTER, Route
from web.views.context import current_context
from web.views.table_api import json_body, ok_response

PIECE_MIME_TYPE = "application/octet-stream"
"""Kind of the body of a piece: no form of another site can send it."""

PIECE_ENDPOINT = "POST /api/uploads/<upload>/<int:number>"
"""The route of the pieces, which takes no JSON."""


def begin_upload() -> Response:
    """Answer POST /api/uploads: ``{"files": [{"name": "game.mp4", "bytes": n}]}``; ``source`` is what it will be."""
    files = json_body().get("files")
    if not isinstance(files, list) or not all(_is_file(one) for one in files):
        raise BadRequest("files must be a list of objects with a name and a number of bytes")
    context = current_context()
    shown = {context.table.publisher.snapshot.source.name, *(context.host.source_names if context.host else ())}
    name = context.table.uploads.begin([(one["name"], one["bytes"]) for one in files], shown)
    return jsonify(ok=True, source=name, piece=MAX_PIECE_BYTES)


def receive_piece(upload: str, number: int) -> Response:
    """Answer POST /api/uploads/SOURCE/N?at=BYTES: the next piece of file N (0 first), raw bytes."""
    if request.mimetype != PIECE_MIME_TYPE:
        raise UnsupportedMediaType("a piece of a file is application/octet-stream")
    offset = request.args.get("at", type=int)
    if offset is None or offset < 0:
        raise BadRequest("at must be the number of bytes before this piece")
    request.max_content_length = MAX_PIECE_BYTES
    current_context().table.uploads.add(upload, number, offset, request.get_data(cache=False))
    return ok_response()


def finish_upload(upload: str) -> Response:
    """Answer POST /api/uploads/SOURCE/done: everything was sent."""
    json_body()
    current_context().table.uploads.finish(upload)
    return ok_response()


def _is_file(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    name, n_bytes = value.get("name"), value.get("bytes")
    return isinstance(name, str) and isinstance(n_bytes, int) and not isinstance(n_bytes, bool) and n_bytes > 0


UPLOAD_ROUTES = (
    Route("/api/uploads", "POST", THIS_COMPUTER, begin_upload),
    Route("/api/uploads/<upload>/<int:number>", "POST", THIS_COMPUTER, receive_piece),
    Route("/api/uploads/<upload>/done", "POST", THIS_COMPUTER, finish_upload),
)
"""Routes of what is picked for the table of routes in `web.app`."""
