"""A phone as the camera: it sends single pictures, and the vision process reads them like those of any http camera.

The vision process opens an address on this computer (``/phone.mjpeg``). So a phone that goes away is treated like every
other camera. The pictures of the phone are decoded here and encoded again, so that the vision process decodes only
JPEGs that this program made.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import ServiceUnavailable, UnsupportedMediaType

from languages import message, message_of
from web.net.image_upload import MAX_UPLOAD_BYTES, BusyError, PhoneFrames, reencode_image
from web.page_words import words
from web.views.context import current_context
from web.views.shares import acquire_slot
from web.views.table_page import request_language

PICTURE_MIME_TYPES = ("image/jpeg", "image/png", "image/webp")
"""Kinds of pictures that a phone may send."""


def phone_page() -> Response:
    """Answer GET /camera: the page for the phone."""
    language = request_language()
    answer = make_response(render_template("camera.html", language=language, words=dict(words(language))))
    answer.headers["Permissions-Policy"] = "camera=(self), microphone=(), geolocation=(), payment=(), usb=()"
    return answer


def receive_picture() -> Response:
    """Answer POST /api/camera: one picture as the body; ``used`` says whether the table looks through this phone."""
    if request.mimetype not in PICTURE_MIME_TYPES:
        raise UnsupportedMediaType("a picture is a JPEG, PNG or WEBP")
    request.max_content_length = MAX_UPLOAD_BYTES
    context = current_context()
    give_back = acquire_slot(context.places.uploads)
    if give_back is None:
        raise ServiceUnavailable(message("upload.busy"), retry_after=1)
    try:
        context.phone_frames.put(reencode_image(request.get_data(cache=False)))
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=1) from why
    finally:
        give_back()
    return jsonify(ok=True, used=context.phone_frames.n_readers > 0)


def phone_stream() -> Response:
    """Answer GET /phone.mjpeg: the pictures of the phone as a stream, like that of an http camera."""
    context = current_context()
    if context.phone_frames.n_readers > 2:
        raise ServiceUnavailable(message("phone.used"), retry_after=2)
    return Response(_multipart(context.phone_frames), mimetype="multipart/x-mixed-replace; boundary=frame")


def _multipart(phone: PhoneFrames) -> Iterator[bytes]:
    for data in phone.frames():
        yield b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(data), data)
