"""Errors in, answers out: one shape of JSON for programs, a page with a way back for people.

Neither says where anything lies on the disk: the plain English of other errors than ours goes to programs and the log.
"""

from __future__ import annotations

import base64
import hashlib
import logging
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from flask import Flask, Response, g, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable

from calibration.step_texts import Refused
from languages import Message, message, message_of, translated
from web.errors import MillchenError, NotWrittenError, StaleCommandError
from web.hosted_tables import current_context
from web.net.picture_process import BusyError
from web.page_words import words
from web.views.table_page import render_page, request_language

log = logging.getLogger("millchen.web")

SENTENCES: Mapping[int, Message] = {
    401: message("page.link_needed"),
    403: message("page.forbidden"),
    404: message("page.nothing_here"),
    405: message("page.wrong_way"),
    413: message("page.too_large"),
    500: message("page.mistake"),
}
"""What is said of a status, unless the error brings a sentence in every language. Each has a title of its own."""

OTHER_SENTENCE = message("page.not_possible")  # what is said of every other status

TITLED = {f"page.{key}": key for key in ("no_game", "damaged_game", "link_expired")}
"""The word for the title of sentences that say more than the status of their page."""


def add_error_handlers(app: Flask) -> None:
    """Answer every failure of the application."""
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(MillchenError, _command_error)
    app.register_error_handler(Refused, _command_error)
    app.register_error_handler(BusyError, lambda why: _http_error(ServiceUnavailable(message_of(why), retry_after=5)))
    app.register_error_handler(StaleCommandError, _stale_command)
    app.register_error_handler(NotWrittenError, _not_written)
    app.register_error_handler(Exception, _internal_error)


def error_response(status: int, code: str, text: str, **more: Any) -> Response:
    """Return the one shape of every failure for programs: ``{"error": {"code": ..., "text": ...}}``."""
    response = jsonify(error={"code": code, "text": text}, **more)
    response.status_code = status
    return response


def _http_error(why: HTTPException) -> ResponseReturnValue:
    status = why.code or 500
    sentence = why.description
    if _is_for_people():
        response = _page(status, sentence if isinstance(sentence, Message) else None)
    else:
        own = None if sentence == type(why).description else sentence  # else it is the framework's
        text = own or SENTENCES.get(status, OTHER_SENTENCE)
        response = error_response(status, HTTPStatus(status).name.lower(), translated(text, request_language()))
    for name, value in why.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _command_error(why: Exception) -> ResponseReturnValue:
    sentence = message_of(why)
    if not _is_for_people():
        return error_response(422, "not_possible", translated(sentence, request_language()))
    if not isinstance(sentence, Message):
        log.warning("a page could not be made: %s", why)
    return _page(422, sentence if isinstance(sentence, Message) else None)


def _stale_command(why: StaleCommandError) -> ResponseReturnValue:
    """Answer with the reason, and with the state that the sender has not seen yet."""
    text = translated(message_of(why), request_language())
    return error_response(409, "conflict", text, state=current_context().table.publisher.snapshot)


def _not_written(why: NotWrittenError) -> ResponseReturnValue:
    log.error("a command was not written: %s", why)
    reason = message_of(why)
    sentence = reason if isinstance(reason, Message) else message("game.not_written")
    return _http_error(ServiceUnavailable(sentence, retry_after=1))


def _internal_error(why: Exception) -> ResponseReturnValue:
    log.error("a request failed", exc_info=why)
    return _http_error(InternalServerError())


def _is_for_people() -> bool:
    """Return whether a browser shows the answer as a page of its own: its scripts and programs ask for no HTML."""
    return "text/html" in request.headers.get("Accept", "")


def _page(status: int, reason: Message | None) -> Response:
    """Return the page of an error: what is wrong in one sentence, and the ways that this visitor may go."""
    language = request_language()
    reason = reason or SENTENCES.get(status, OTHER_SENTENCE)
    title = words(language)[f"error.{TITLED.get(reason.key) or (status if status in SENTENCES else 'other')}"]
    sentence = reason.translated(language)
    values: dict[str, Any] = {"title": title, "sentence": f"{sentence[:1].upper()}{sentence[1:]}.", "status": status}
    role = g.get("role")
    response = (
        _page_for_strangers(language, values) if role is None else make_response(render_page("error.html", **values))
    )
    if response.status_code == 200:  # else the visitor has chosen a language, and is led here again
        response.status_code = status
    return response


def _page_for_strangers(language: str, values: dict[str, object]) -> Response:
    """Return the page for a visitor without a link: it needs no other file and gives nothing away."""
    response = make_response(render_template("stranger.html", language=language, style=_stranger_style(), **values))
    digest = base64.b64encode(hashlib.sha256(_stranger_style().encode()).digest()).decode()
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    response.headers["Vary"] = "Accept, Accept-Language, Cookie"
    return response


@cache
def _stranger_style() -> str:
    return files("web").joinpath("templates", "stranger.css").read_text(encoding="utf-8")
