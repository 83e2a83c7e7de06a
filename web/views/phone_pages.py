"""Takes the pictures of a phone that is the camera, and films or photographs that people pick on the page.

The vision process reads a phone's pictures from an address on this computer (``/phone.mjpeg``), like those of any http
camera. They are decoded here and encoded again, so that it decodes only JPEGs that this program made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from flask import Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import BadRequest, ServiceUnavailable

from languages import message, message_of
from referee.typed_json import Text, limits
from web.hosted_tables import current_context
from web.net.film_upload import MAX_PIECE_BYTES
from web.net.image_upload import DECODER
from web.net.picture_decoder import reencoded
from web.net.picture_process import BusyError
from web.net.roles import CAMERA, REFEREE, THIS_COMPUTER, Route
from web.page_words import words
from web.views.command_routes import picture_route
from web.views.table_page import request_language

PIECE_MIME_TYPE = "application/octet-stream"  # kind of the body of a piece: no form of another site can send it


class SentFile(TypedDict):
    """A file that will be sent."""

    name: Annotated[Text, limits(maxLength=1000)]
    bytes: Annotated[int, limits(minimum=1)]


def begin_upload(files: Sequence[SentFile]) -> Response:
    """Answer POST /api/uploads: files will be sent; ``source`` in the answer is what they will be."""
    context = current_context()
    in_use = {context.table.publisher.snapshot.source.name, *(context.host.source_names if context.host else ())}
    name = context.table.uploads.begin([(one["name"], one["bytes"]) for one in files], in_use)
    return jsonify(ok=True, source=name, piece=MAX_PIECE_BYTES)


def receive_piece(upload: str, number: int) -> Response:
    """Answer POST /api/uploads/SOURCE/N?at=BYTES: the next piece of file N (0 first), raw bytes."""
    offset = request.args.get("at", type=int)
    if offset is None or offset < 0:
        raise BadRequest("at must be the number of bytes before this piece")
    current_context().table.uploads.add(upload, number, offset, request.get_data(cache=False))
    return jsonify(ok=True)


def finish_upload(upload: str) -> Response:
    """Answer POST /api/uploads/SOURCE/done: everything was sent."""
    current_context().table.uploads.finish(upload)
    return jsonify(ok=True)


def phone_page() -> Response:
    """Answer GET /camera: the page for the phone."""
    language = request_language()
    answer = make_response(render_template("camera.html", language=language, words=dict(words(language))))
    answer.headers["Permissions-Policy"] = "camera=(self), microphone=(), geolocation=(), payment=(), usb=()"
    return answer


def receive_picture() -> Response:
    """Answer POST /api/camera: one picture as the body; ``used`` says whether the table looks through this phone."""
    context = current_context()
    try:
        context.phone_frames.put(DECODER.run(reencoded, request.get_data(cache=False)))
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=1) from why
    return jsonify(ok=True, used=context.phone_frames.n_readers > 0)


def phone_stream() -> Response:
    """Answer GET /phone.mjpeg: the pictures of the phone as a stream, like that of an http camera."""
    context = current_context()
    if context.phone_frames.n_readers > 2:
        raise ServiceUnavailable(message("phone.used"), retry_after=2)
    head = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"
    parts = (head % (len(data), data) for data in context.phone_frames.frames())
    return Response(parts, mimetype="multipart/x-mixed-replace; boundary=frame")


PHONE_ROUTES = (
    Route("/camera", "GET", CAMERA, phone_page),
    picture_route("/api/camera", CAMERA, receive_picture),
    Route("/phone.mjpeg", "GET", REFEREE, phone_stream),
    Route("/api/uploads", "POST", THIS_COMPUTER, begin_upload),
    Route(
        "/api/uploads/<upload>/<int:number>", "POST", THIS_COMPUTER, receive_piece, (PIECE_MIME_TYPE,), MAX_PIECE_BYTES
    ),
    Route("/api/uploads/<upload>/done", "POST", THIS_COMPUTER, finish_upload),
)
