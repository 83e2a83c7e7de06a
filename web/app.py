"""The web application, made from finished objects: `create_app(shell)`. No module-level app, no singletons.

Every route stands in one table with its method and the role it needs; what is not in the table is not served, and
no request is answered before its role has been asked for (deny by default).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from flask import Flask, Request, Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import Forbidden, HTTPException, UnsupportedMediaType

from web import api, pages, stream
from web.errors import ShellError
from web.shell import Shell

MAX_BODY = 64 * 1024  # bytes; the largest honest request, four corners, has a few hundred

VIEWER, REFEREE = "viewer", "referee"
_RANK = {VIEWER: 1, REFEREE: 2}


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that may be asked: where, how, by whom, and who answers."""

    rule: str
    method: str
    role: str
    view: Callable[..., ResponseReturnValue]


ROUTES = (
    Route("/", "GET", VIEWER, pages.table),
    Route("/board.svg", "GET", VIEWER, pages.board_now),
    Route("/boards/<name>.svg", "GET", VIEWER, pages.board_picture),
    Route("/static/<path:path>", "GET", VIEWER, pages.static_file),
    Route("/frame.jpg", "GET", VIEWER, api.frame),
    Route("/api/state", "GET", VIEWER, api.state),
    Route("/api/events", "GET", VIEWER, stream.events),
    Route("/api/game", "POST", REFEREE, api.new_game),
    Route("/api/again", "POST", REFEREE, api.again),
    Route("/api/source", "POST", REFEREE, api.use_source),
    Route("/api/corners", "POST", REFEREE, api.place_corners),
    Route("/api/play-on", "POST", REFEREE, api.play_on),
    Route("/api/correct", "POST", REFEREE, api.correct),
    Route("/api/take-back", "POST", REFEREE, api.take_back),
    Route("/health", "GET", VIEWER, api.health),
)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

LOOPBACK = ("127.0.0.1", "localhost")


def everyone_is_referee(_: Request) -> str:
    """The role on the loopback address: whoever sits at this computer."""
    return REFEREE


def create_app(
    shell: Shell,
    *,
    trusted_hosts: Sequence[str] = LOOPBACK,
    role_of: Callable[[Request], str | None] = everyone_is_referee,
) -> Flask:
    """Make the application.

    Parameters
    ----------
    shell : Shell
        The table and all else that the views need.
    trusted_hosts : sequence of str
        Names by which this server may be called; any other is refused (rebinding of a foreign name to us).
    role_of : callable
        From a request to its role; None is nobody.
    """
    app = Flask("web", static_folder=None)
    app.config.update(TRUSTED_HOSTS=list(trusted_hosts), MAX_CONTENT_LENGTH=MAX_BODY, MAX_FORM_MEMORY_SIZE=MAX_BODY)
    app.extensions["millchen"] = shell
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    roles: dict[str, str] = {}
    for route in ROUTES:
        endpoint = f"{route.method} {route.rule}".replace(".", "_")
        app.add_url_rule(route.rule, endpoint, route.view, methods=[route.method], provide_automatic_options=False)
        roles[endpoint] = route.role

    @app.before_request
    def may_they() -> None:
        if request.endpoint is None:
            return  # answered with 404 or 405 by the routing
        role = role_of(request)
        needed = roles.get(request.endpoint)
        if role is None or needed is None or _RANK.get(role, 0) < _RANK[needed]:
            raise Forbidden("this is not for you")
        if request.method == "POST":
            _refuse_foreign(request)

    @app.after_request
    def secure(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(ShellError, _shell_error)
    app.register_error_handler(Exception, _our_error)
    return app


def _refuse_foreign(asked: Request) -> None:
    """Let only our own page send commands: a form of another site cannot send JSON, nor hide where it comes from."""
    if asked.mimetype != "application/json":
        raise UnsupportedMediaType("commands are JSON")
    if asked.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Forbidden("commands come from our own page only")
    origin = asked.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != asked.host:
        raise Forbidden("commands come from our own page only")


def error_response(status: int, code: str, text: str) -> Response:
    """The one shape of every failure: ``{"error": {"code": ..., "text": ...}}``."""
    response = jsonify(error={"code": code, "text": text})
    response.status_code = status
    return response


def _http_error(why: HTTPException) -> Response:
    status = why.code or 500
    response = error_response(status, HTTPStatus(status).name.lower(), why.description or why.name)
    for name, value in why.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _shell_error(why: ShellError) -> Response:
    return error_response(422, "not_possible", str(why))


def _our_error(why: Exception) -> Response:
    logging.getLogger("millchen.web").error("a request failed", exc_info=why)
    return error_response(500, "internal_server_error", "Millchen made a mistake; the game is safe")
