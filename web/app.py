"""The web application, made from finished objects: `create_app(context)`. There is no module-level app.

One table lists every route with its method and the role that it needs. What is not in the table is not served, and no
request is answered before its role was checked (deny by default).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Flask, Request, Response, g, request
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized, UnsupportedMediaType

from languages import message
from web.net.quotas import RateLimit
from web.net.roles import (
    CAMERA,
    MEMBER,
    REFEREE,
    ROLES_LET_IN,
    ROLES_LET_IN_HERE,
    VIEWER,
    Route,
    everyone_is_referee,
)
from web.views import (
    event_stream,
    games_pages,
    openapi,
    phone_pages,
    player_api,
    speech,
    table_api,
    table_page,
)
from web.views.analysis_api import ANALYSIS_ROUTES
from web.views.archive_pages import ARCHIVE_ROUTES
from web.views.board_check_pages import BOARD_CHECK_ENDPOINT, BOARD_CHECK_ROUTES
from web.views.club_pages import CLUB_ROUTES
from web.views.context import AppContext
from web.views.error_pages import add_error_handlers
from web.views.film_uploads import PIECE_ENDPOINT, PIECE_MIME_TYPE, UPLOAD_ROUTES
from web.views.invite_pages import INVITE_ROUTES
from web.views.lesson_pages import LESSON_ROUTES
from web.views.lesson_table_api import LESSON_TABLE_ROUTES
from web.views.make_advice_api import COLOURS_ENDPOINT, MAKE_ADVICE_ROUTES
from web.views.make_pages import MAKE_ROUTES
from web.views.partner_api import PARTNER_ROUTES
from web.views.position_pages import POSITION_ENDPOINT, POSITION_ROUTES
from web.views.settings_page import SETTINGS_ROUTES
from web.views.setup_pages import SETUP_ROUTES
from web.views.steps_pages import STEPS_ROUTES
from web.views.story_pages import STORY_ROUTES
from web.views.taking_up_api import TAKING_UP_ROUTES
from web.views.template_loader import OneAtATimeLoader

MAX_BODY_BYTES = 64 * 1024
"""Longest body of a request, bytes; the largest usual command has a few hundred. Source: chosen."""

REFUSALS_PER_S = 0.2
"""Refused requests that an address in the network may make a second, on average. Source: chosen.

A phone with an old link asks a few times, a program that guesses tokens thousands of times.
"""

REFUSALS_BURST = 20
"""Refused requests that an address may make at once. Source: chosen."""

COMMANDS_PER_S = 5.0
"""Commands that an address in the network may send a second, on average: more than a person can. Source: chosen."""

COMMANDS_BURST = 40
"""Commands that an address may send at once. Source: chosen."""

PICTURES_PER_S = 25.0
"""Pictures that a phone may send a second, on average; its page sends at most twelve. Source: chosen."""

PICTURES_BURST = 50
"""Pictures that a phone may send at once. Source: chosen."""

PICTURES_ENDPOINT = "POST /api/camera"
"""The route of a phone's pictures."""

RAW_MIME_TYPES = {
    PICTURES_ENDPOINT: phone_pages.PICTURE_MIME_TYPES,
    BOARD_CHECK_ENDPOINT: phone_pages.PICTURE_MIME_TYPES,
    COLOURS_ENDPOINT: phone_pages.PICTURE_MIME_TYPES,
    POSITION_ENDPOINT: phone_pages.PICTURE_MIME_TYPES,
    PIECE_ENDPOINT: (PIECE_MIME_TYPE,),
}
"""The kinds of bodies of those POST routes that take no JSON."""

ROUTES = (
    Route("/", "GET", VIEWER, table_page.table),
    Route("/overlay", "GET", VIEWER, table_page.overlay),
    Route("/board.svg", "GET", VIEWER, table_page.current_board_svg),
    Route("/boards/<name>.svg", "GET", VIEWER, table_page.named_board_svg),
    Route("/static/<path:path>", "GET", MEMBER, table_page.static_file),
    Route("/frame.jpg", "GET", VIEWER, table_api.frame),
    Route("/say/<language>/<int:seq>.wav", "GET", VIEWER, speech.spoken_announcement),
    Route("/say/<language>/trial.wav", "GET", VIEWER, speech.spoken_trial),
    Route("/api/state", "GET", VIEWER, table_api.state),
    Route("/api/events", "GET", VIEWER, event_stream.table_events),
    Route("/api/game", "POST", REFEREE, table_api.new_game),
    Route("/api/again", "POST", REFEREE, table_api.again),
    Route("/api/source", "POST", REFEREE, table_api.use_source),
    Route("/api/corners", "POST", REFEREE, table_api.place_corners),
    Route("/api/act", "POST", REFEREE, player_api.act),
    Route("/api/put-back", "POST", REFEREE, player_api.put_foul_back),
    Route("/api/play-on", "POST", REFEREE, table_api.play_on),
    Route("/api/correct", "POST", REFEREE, table_api.correct),
    Route("/api/resume", "POST", REFEREE, table_api.resume),
    Route("/api/keep-game", "POST", REFEREE, table_api.keep_game),
    Route("/api/take-back", "POST", REFEREE, table_api.take_back),
    Route("/api/rules/<name>", "GET", VIEWER, player_api.rules),
    Route("/api/names", "POST", REFEREE, player_api.names),
    Route("/api/mover", "POST", REFEREE, player_api.mover),
    Route("/api/end", "POST", REFEREE, player_api.end),
    Route("/api/tower", "POST", REFEREE, player_api.tower),
    Route("/api/ring", "POST", REFEREE, player_api.ring),
    Route("/api/answer", "POST", REFEREE, player_api.answer),
    Route("/api/redo", "POST", REFEREE, player_api.redo_turn),
    Route("/api/clock", "POST", REFEREE, player_api.clock),
    Route("/api/photographs", "POST", REFEREE, player_api.keep_photographs),
    Route("/games", "GET", VIEWER, games_pages.games_page),
    Route("/games/<int:number>", "GET", VIEWER, games_pages.game_replay),
    Route("/games/<int:number>.<kind>", "GET", VIEWER, games_pages.download_game),
    Route("/games/<int:number>/sheet", "GET", VIEWER, games_pages.score_sheet),
    Route("/games/<int:number>/photographs/<int:seq>.jpg", "GET", VIEWER, games_pages.turn_photograph),
    Route("/print", "GET", VIEWER, games_pages.current_score_sheet),
    Route("/api/games", "GET", VIEWER, player_api.game_list),
    Route("/api/games/import", "POST", REFEREE, player_api.import_games),
    Route("/api/games/<int:number>", "GET", VIEWER, player_api.game),
    Route("/api/games/<int:number>/names", "POST", REFEREE, player_api.rename),
    Route("/api/games/<int:number>/remark", "POST", REFEREE, player_api.remark),
    Route("/api/games/<int:number>/forget-photographs", "POST", REFEREE, player_api.forget_photographs),
    Route("/camera", "GET", CAMERA, phone_pages.phone_page),
    Route("/api/camera", "POST", CAMERA, phone_pages.receive_picture),
    Route("/phone.mjpeg", "GET", REFEREE, phone_pages.phone_stream),
    Route("/api/openapi.json", "GET", MEMBER, openapi.openapi_document),
    Route("/health", "GET", VIEWER, table_api.health),
    *ANALYSIS_ROUTES,
    *TAKING_UP_ROUTES,
    *PARTNER_ROUTES,
    *POSITION_ROUTES,
    *INVITE_ROUTES,
    *SETUP_ROUTES,
    *UPLOAD_ROUTES,
    *SETTINGS_ROUTES,
    *MAKE_ROUTES,
    *MAKE_ADVICE_ROUTES,
    *BOARD_CHECK_ROUTES,
    *STEPS_ROUTES,
    *STORY_ROUTES,
    *LESSON_ROUTES,
    *LESSON_TABLE_ROUTES,
    *CLUB_ROUTES,
    *ARCHIVE_ROUTES,
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

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

LOOPBACK_NAMES = ("127.0.0.1", "localhost")
"""Host names of this computer for itself."""


def create_app(
    context: AppContext,
    *,
    trusted_hosts: Sequence[str] = LOOPBACK_NAMES,
    role_of: Callable[[Request], str | None] = everyone_is_referee,
    in_network: bool = False,
) -> Flask:
    """Make the application.

    Args:
        context: The objects that the views use.
        trusted_hosts: Host names by which this server may be called; any other is refused (defence against DNS
            rebinding).
        role_of: From a request to its role; None for somebody without one.
        in_network: Whether devices in the network may call: then by https only, and with limits for each address.
    """
    app = Flask("web", static_folder=None)
    app.config.update(
        TRUSTED_HOSTS=list(trusted_hosts), MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=MAX_BODY_BYTES
    )
    app.extensions["millchen"] = context
    app.extensions["millchen.openapi"] = openapi.describe_routes(ROUTES)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.loader = OneAtATimeLoader(app)
    app.extensions["millchen.in_network"] = in_network
    link_needed = message("page.link_needed") if in_network else message("page.owner_link_needed")
    scheme = "https" if in_network else "http"
    let_in = ROLES_LET_IN if in_network else ROLES_LET_IN_HERE
    allowed: dict[str, frozenset[str | None]] = {}
    for route in ROUTES:
        endpoint = f"{route.method} {route.rule}".replace(".", "_")
        app.add_url_rule(route.rule, endpoint, route.view, methods=[route.method], provide_automatic_options=False)
        allowed[endpoint] = let_in[route.role]
    refusals = RateLimit(REFUSALS_PER_S, REFUSALS_BURST)
    commands = RateLimit(COMMANDS_PER_S, COMMANDS_BURST)
    pictures = RateLimit(PICTURES_PER_S, PICTURES_BURST)

    @app.before_request
    def authorise() -> None:
        address = request.remote_addr or ""
        role = g.role = role_of(request)
        if role is None and in_network and refusals.is_exceeded(address, cost=0):
            raise TooManyRequests(message("page.refused_requests"), retry_after=60)
        if request.endpoint is None:
            if role is None:
                raise Unauthorized(link_needed)  # as for a page that is there
            return  # the routing answers with 404 or 405
        if role not in allowed.get(request.endpoint, frozenset()):
            if role is None:
                raise Unauthorized(link_needed)
            raise Forbidden(message("page.forbidden"))
        _refuse_cross_site(request, scheme)
        limit = pictures if request.endpoint == PICTURES_ENDPOINT else commands
        if in_network and request.method == "POST" and limit.is_exceeded(address):
            raise TooManyRequests(message("page.too_many_commands"), retry_after=5)

    @app.after_request
    def count_refusals(response: Response) -> Response:
        """Count guesses alone: neither who has a role guesses, nor who was sent here by a page of another site."""
        is_guess = g.get("role") is None and response.status_code in (401, 403)
        if in_network and is_guess and _is_from_here(request, scheme):
            refusals.is_exceeded(request.remote_addr or "")
        return response

    @app.after_request
    def add_security_headers(response: Response) -> Response:
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    add_error_handlers(app)
    return app


def _refuse_cross_site(asked: Request, scheme: str) -> None:
    """Refuse requests that other sites cause: a form of another site cannot send JSON, nor hide its origin.

    A link from anywhere to a page is allowed. Scripts and pictures of other sites are refused, so that they can neither
    read a table nor occupy its event streams.
    """
    is_visit = asked.method in ("GET", "HEAD") and asked.headers.get("Sec-Fetch-Mode") == "navigate"
    if not is_visit and not _is_same_site(asked):
        raise Forbidden("commands come from our own page only")
    if asked.method != "POST":
        return
    if asked.mimetype not in RAW_MIME_TYPES.get(asked.endpoint or "", ("application/json",)):
        raise UnsupportedMediaType("commands are JSON, pictures are JPEG, PNG or WEBP")
    if not _is_own_origin(asked, scheme):
        raise Forbidden("commands come from our own page only")


def _is_from_here(asked: Request, scheme: str) -> bool:
    """Return whether a request was caused by our own page, by a person or by a program, as far as the browser says."""
    return _is_same_site(asked) and _is_own_origin(asked, scheme)


def _is_same_site(asked: Request) -> bool:
    return asked.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")


def _is_own_origin(asked: Request, scheme: str) -> bool:
    return asked.headers.get("Origin") in (None, f"{scheme}://{asked.host}")
