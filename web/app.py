"""An `AppContext` in, the web application of one page out.

`ROUTES` lists every route with its method and the role that it needs. The application serves nothing else, and checks
the role before it answers (deny by default).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from typing import Any

from flask import Flask, Request, Response, g, request
from flask.templating import DispatchingJinjaLoader
from jinja2 import Environment, Template
from werkzeug.exceptions import Forbidden, Unauthorized, UnsupportedMediaType
from werkzeug.routing import Map, Rule

from languages import message
from web.hosted_tables import AppContext
from web.net.roles import MAX_BODY_BYTES, MEMBER, REFEREE, ROLES_LET_IN, ROLES_LET_IN_HERE, VIEWER, Route
from web.net.server import Places
from web.views import event_stream, games_pages, openapi, speech, table_page
from web.views.case_pages import CASE_ROUTES
from web.views.club_pages import CLUB_ROUTES
from web.views.command_routes import BoundedJson, view_of
from web.views.error_pages import add_error_handlers
from web.views.event_stream import MAX_HELD_THREADS, MOST_OF_ONE_ADDRESS
from web.views.games_api import GAMES_ROUTES
from web.views.invite_pages import INVITE_ROUTES
from web.views.lesson_pages import LESSON_ROUTES
from web.views.make_pages import MAKE_ROUTES
from web.views.phone_pages import PHONE_ROUTES
from web.views.player_api import PLAYER_ROUTES
from web.views.position_pages import POSITION_ROUTES
from web.views.settings_page import SETTINGS_ROUTES
from web.views.setup_pages import SETUP_ROUTES
from web.views.story_pages import STORY_ROUTES

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

LOOPBACK_NAMES = ("127.0.0.1", "localhost")  # host names of this computer for itself


class OneAtATimeLoader(DispatchingJinjaLoader):
    """Loads one template after the other: Jinja reads literals with Python's own parser.

    Up to Python 3.11.7 that counts the depth of all threads together and fails (python/cpython issue 106905).
    """

    _one_at_a_time = threading.RLock()

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002, Jinja's own name
    ) -> Template:
        """Return a template, compiled; asked for only where the environment does not keep it yet."""
        load: Callable[..., Template] = super().load
        with self._one_at_a_time:
            return load(environment, name, globals)


ROUTES = (
    Route("/", "GET", VIEWER, table_page.table),
    Route("/overlay", "GET", VIEWER, table_page.overlay),
    Route("/board.svg", "GET", VIEWER, table_page.current_board_svg),
    Route("/boards/<name>.svg", "GET", VIEWER, table_page.named_board_svg),
    Route("/static/<path:path>", "GET", MEMBER, table_page.static_file),
    Route("/words/<language>.js", "GET", MEMBER, table_page.page_words),
    Route("/offers/<language>.js", "GET", VIEWER, table_page.offered_games),
    Route("/say/<language>/<int:seq>.wav", "GET", VIEWER, speech.spoken_announcement),
    Route("/say/<language>/trial.wav", "GET", VIEWER, speech.spoken_trial),
    Route("/api/events", "GET", VIEWER, event_stream.table_events),
    Route("/games", "GET", VIEWER, games_pages.games_page),
    Route("/games/<int:number>", "GET", VIEWER, games_pages.game_replay),
    Route("/games/<int:number>.<kind>", "GET", VIEWER, games_pages.download_game),
    Route("/games/<int:number>/sheet", "GET", VIEWER, games_pages.score_sheet),
    Route("/games/<int:number>/photographs/<int:seq>.jpg", "GET", VIEWER, games_pages.turn_photograph),
    Route("/print", "GET", VIEWER, games_pages.current_score_sheet),
    Route("/api/openapi.json", "GET", MEMBER, openapi.openapi_document),
    Route("/frame.jpg", "GET", VIEWER, table_page.frame),
    Route("/api/state", "GET", VIEWER, table_page.state),
    Route("/health", "GET", VIEWER, table_page.health),
    *PLAYER_ROUTES,
    *GAMES_ROUTES,
    *CASE_ROUTES,
    *PHONE_ROUTES,
    *POSITION_ROUTES,
    *INVITE_ROUTES,
    *SETUP_ROUTES,
    *SETTINGS_ROUTES,
    *MAKE_ROUTES,
    *STORY_ROUTES,
    *LESSON_ROUTES,
    *CLUB_ROUTES,
)
ENDPOINTS = {f"{route.method} {route.rule}".replace(".", "_"): route for route in ROUTES}


@cache
def url_map() -> Map:
    """Return the rules of all routes, compiled once for all applications of a process."""
    return Map([Rule(route.rule, endpoint=name, methods=[route.method]) for name, route in ENDPOINTS.items()])


def create_app(
    context: AppContext,
    *,
    trusted_hosts: Sequence[str] = LOOPBACK_NAMES,
    role_of: Callable[[Request], str | None] = lambda _: REFEREE,
    in_network: bool = False,
) -> Flask:
    """Make the application; ``role_of`` returns the role of a request, None without one; else all are referees.

    Requests for other host names than ``trusted_hosts`` are refused (defence against DNS rebinding). Devices that call
    ``in_network`` do so by https only.
    """
    app = Flask("web", static_folder=None)
    app.config.update(TRUSTED_HOSTS=list(trusted_hosts), MAX_CONTENT_LENGTH=MAX_BODY_BYTES)
    app.json = BoundedJson(app)
    app.extensions["millchen"] = context
    app.extensions["millchen.openapi"] = openapi.describe_routes(ROUTES)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.loader = OneAtATimeLoader(app)
    app.extensions["millchen.held"] = Places(MAX_HELD_THREADS, MOST_OF_ONE_ADDRESS if in_network else None)
    app.extensions["millchen.in_network"], app.extensions["millchen.role_of"] = in_network, role_of
    link_needed = message("page.link_needed") if in_network else message("page.owner_link_needed")
    scheme = "https" if in_network else "http"
    let_in = ROLES_LET_IN if in_network else ROLES_LET_IN_HERE
    allowed: dict[str, frozenset[str | None]] = {}
    expectations: dict[str, tuple[Route, tuple[str, ...]]] = {}
    app.url_map = url_map()
    for endpoint, route in ENDPOINTS.items():
        app.view_functions[endpoint] = view_of(route)
        kinds = body if route.method == "POST" and isinstance(body := route.body, tuple) else ("application/json",)
        allowed[endpoint], expectations[endpoint] = let_in[route.role], (route, kinds)

    @app.before_request
    def authorise() -> None:
        role = g.role = role_of(request)
        if request.endpoint is None:
            if role is None:
                raise Unauthorized(link_needed)  # as for a page that is there
            return  # the routing answers with 404 or 405
        if role not in allowed.get(request.endpoint, frozenset()):
            if role is None:
                raise Unauthorized(link_needed)
            raise Forbidden(message("page.forbidden"))
        route, kinds = expectations[request.endpoint]
        _refuse_cross_site(request, scheme, kinds)
        request.max_content_length = route.max_bytes

    @app.after_request
    def add_security_headers(response: Response) -> Response:
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    add_error_handlers(app)
    return app


def _refuse_cross_site(incoming: Request, scheme: str, kinds: tuple[str, ...]) -> None:
    """Refuse requests that other sites cause: a form of another site cannot send JSON, nor hide its origin.

    A link from anywhere to a page is allowed. Scripts and pictures of other sites are refused, so that they can neither
    read a table nor occupy its event streams.
    """
    is_visit = incoming.method in ("GET", "HEAD") and incoming.headers.get("Sec-Fetch-Mode") == "navigate"
    is_same_site = incoming.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")
    is_own_origin = incoming.headers.get("Origin") in (None, f"{scheme}://{incoming.host}")
    is_command = incoming.method == "POST"
    if is_command and is_same_site and incoming.mimetype not in kinds:
        raise UnsupportedMediaType("commands are JSON, pictures are JPEG, PNG or WEBP")
    if not (is_visit or is_same_site) or (is_command and not is_own_origin):
        raise Forbidden("commands come from our own page only")
