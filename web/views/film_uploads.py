"""API for a film or photographs that are picked at this computer: announced, sent in pieces, then taken as a source."""

from __future__ import annotations

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest

from web.net.film_upload import MAX_PIECE_BYTES
from web.net.roles import THIS_COMPUTER, Route
from web.views.context import current_context
from web.views.request_bodies import INTEGER, TEXT, command, fields, json_body, list_of

PIECE_MIME_TYPE = "application/octet-stream"
"""Kind of the body of a piece: no form of another site can send it."""

FILE = fields({"name": {**TEXT, "maxLength": 1000}, "bytes": {**INTEGER, "minimum": 1}})


def begin_upload() -> Response:
    """Answer POST /api/uploads: files will be sent; ``source`` in the answer is what they will be."""
    context, files = current_context(), json_body()["files"]
    shown = {context.table.publisher.snapshot.source.name, *(context.host.source_names if context.host else ())}
    name = context.table.uploads.begin([(one["name"], one["bytes"]) for one in files], shown)
    return jsonify(ok=True, source=name, piece=MAX_PIECE_BYTES)


def receive_piece(upload: str, number: int) -> Response:
    """Answer POST /api/uploads/SOURCE/N?at=BYTES: the next piece of file N (0 first), raw bytes."""
    offset = request.args.get("at", type=int)
    if offset is None or offset < 0:
        raise BadRequest("at must be the number of bytes before this piece")
    request.max_content_length = MAX_PIECE_BYTES
    current_context().table.uploads.add(upload, number, offset, request.get_data(cache=False))
    return jsonify(ok=True)


def finish_upload(upload: str) -> Response:
    """Answer POST /api/uploads/SOURCE/done: everything was sent."""
    json_body()
    current_context().table.uploads.finish(upload)
    return jsonify(ok=True)


UPLOAD_ROUTES = (
    Route("/api/uploads", "POST", THIS_COMPUTER, begin_upload, command({"files": list_of(FILE)})),
    Route("/api/uploads/<upload>/<int:number>", "POST", THIS_COMPUTER, receive_piece, (PIECE_MIME_TYPE,)),
    Route("/api/uploads/<upload>/done", "POST", THIS_COMPUTER, finish_upload),
)
