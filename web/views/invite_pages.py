"""Links that let other devices in: the page with their QR codes, the door that a button opens, what a link opens."""

from __future__ import annotations

import logging

import segno
from flask import Response, current_app, g, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import Forbidden, NotFound

from languages import Message, message, message_of
from web.errors import MillchenError
from web.net.network import START_PAGE_BY_ROLE
from web.net.roles import ANYONE, REFEREE, THIS_COMPUTER, TOKEN_COOKIE, Route
from web.page_words import words
from web.views.context import current_context
from web.views.table_page import COOKIE_AGE_S, render_page, request_language

log = logging.getLogger("millchen.web")

_QR_MODULE_PX = 6  # side of one square of a QR code, pixels: a phone at arm's length reads it from a screen


def links_page() -> ResponseReturnValue:
    """Answer GET /links: the page with the links; while the door is closed, what would open it."""
    network = current_context().network
    shown = []
    if network is not None:
        for role, link in network.links.items():
            code = segno.make(link, error="m").svg_inline(scale=_QR_MODULE_PX, border=2, omitsize=True)
            shown.append({"role": role, "link": link, "code": code})
    return render_page(
        "links.html",
        links=shown,
        fingerprint=network.fingerprint if network is not None else "",
        port=network.port if network is not None else 0,
    )


def links_json() -> Response:
    """Answer GET /api/links: the same for programs."""
    network = current_context().network
    if network is None:
        return jsonify(links={}, fingerprint=None)
    return jsonify(links=network.links, fingerprint=network.fingerprint)


def open_or_close_door(*, open: bool) -> Response:  # noqa: A002, the body's own word
    """Answer POST /api/network: open the network to phones, or close it, which ends all links; as /api/links."""
    host = current_context().host
    if host is None:
        raise MillchenError(message("page.not_possible"))
    try:
        if open:
            host.open_network()
        else:
            host.close_network()
    except MillchenError as why:
        if isinstance(message_of(why), Message):
            raise
        log.warning("the door to the network: %s", why)  # it names a folder of the disk
        raise MillchenError(message("network.files")) from why
    return links_json()


def join(token: str) -> Response:
    """Answer GET /join/TOKEN: store the token of a role as a cookie and lead to the role's page.

    A redirect would not do: a browser that comes from a link in a message sends no ``SameSite=Strict`` cookie there.
    """
    if not current_app.extensions["millchen.in_network"]:
        return _let_owner_in(token)
    network = current_context().network
    if network is None:
        raise NotFound(message("page.no_network"))
    role = network.tokens.role_of_token(token)
    if role is None:
        raise Forbidden(message("page.link_expired"))
    answer = _lead_to(START_PAGE_BY_ROLE.get(role, "/"))
    answer.set_cookie(
        TOKEN_COOKIE, token, max_age=COOKIE_AGE_S, secure=True, httponly=True, samesite="Strict", path="/"
    )
    return answer


def _let_owner_in(ticket: str) -> Response:
    """Answer a one-time link of this computer's page: the cookie holds the owner's token, never the link's end."""
    owner = current_context().owner
    if owner is None or g.get("role") is not None:
        return _lead_to("/")  # who is in already needs no link
    if owner.is_stranger(request) or not owner.use_ticket(ticket):
        raise Forbidden(message("page.owner_link_expired"))
    answer = _lead_to("/")
    answer.set_cookie(owner.cookie, owner.token, max_age=COOKIE_AGE_S, httponly=True, samesite="Strict", path="/")
    return answer


def _lead_to(home: str) -> Response:
    language = request_language()
    return make_response(render_template("join.html", language=language, words=dict(words(language)), home=home))


INVITE_ROUTES = (
    Route("/join/<token>", "GET", ANYONE, join),
    Route("/links", "GET", REFEREE, links_page),
    Route("/api/links", "GET", REFEREE, links_json),
    Route("/api/network", "POST", THIS_COMPUTER, open_or_close_door),
)
