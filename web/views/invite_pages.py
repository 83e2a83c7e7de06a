"""Links that let other devices in: the page with their QR codes, the door that a button opens, what a link opens."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Annotated, Any

import segno
from flask import Response, current_app, jsonify, make_response, render_template
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import Forbidden, NotFound

from languages import Message, message, message_of
from referee.typed_json import limits, line, one_of
from web.body_types import MAX_NAME_CHARACTERS
from web.errors import MillchenError
from web.hosted_tables import current_context
from web.net.links import SEASON_DAYS, TOKEN_COOKIE, AccessLink
from web.net.network import START_PAGE_BY_ROLE, NetworkAccess
from web.net.roles import ANYONE, REFEREE, ROLES, THIS_COMPUTER, Route
from web.page_words import words
from web.views.table_page import COOKIE_AGE_S, render_page, request_language

log = logging.getLogger("millchen.web")

_QR_MODULE_PX = 6  # side of one square of a QR code, pixels: a phone at arm's length reads it from a screen

LINK_DAYS = (1, 30, SEASON_DAYS, 365)  # for how many days people may give a link: an evening, a month, a season, a year


def links_page() -> ResponseReturnValue:
    """Answer GET /links: the page with the links; while the door is closed, what would open it."""
    network = current_context().network
    entries = [] if network is None else [_link_json(network, link) for link in network.links.valid]
    for one in entries:
        one["code"] = segno.make(one["link"], error="m").svg_inline(scale=_QR_MODULE_PX, border=2, omitsize=True)
    return render_page(
        "links.html",
        links=entries,
        fingerprint=network.fingerprint if network is not None else "",
        port=network.port if network is not None else 0,
        roles=ROLES,
        days=LINK_DAYS,
        season=SEASON_DAYS,
        most_characters=MAX_NAME_CHARACTERS,
    )


def links_json() -> Response:
    """Answer GET /api/links: the same for programs."""
    network = current_context().network
    if network is None:
        return jsonify(links=[], fingerprint=None)
    links = [_link_json(network, link) for link in network.links.valid]
    return jsonify(links=links, fingerprint=network.fingerprint)


def _link_json(network: NetworkAccess, link: AccessLink) -> dict[str, Any]:
    ends = None if link.ends is None else datetime.fromtimestamp(link.ends, UTC).isoformat(timespec="seconds")
    return {"role": link.role, "name": link.name, "ends": ends, "link": network.address_of(link)}


def add_link(
    role: Annotated[str, one_of(*ROLES)],
    name: Annotated[str, line(MAX_NAME_CHARACTERS)],
    days: Annotated[int, limits(minimum=1, maximum=LINK_DAYS[-1])] = SEASON_DAYS,
) -> Response:
    """Answer POST /api/links/add: a link of its own for a device, which ends after some days; as /api/links."""
    _open_network().links.add(role, name, days)
    return links_json()


def take_link_back(link: Annotated[str, line(200)]) -> Response:
    """Answer POST /api/links/remove: this link opens nothing any more, and what it has open is cut; as /api/links."""
    _open_network().links.remove(link.rpartition("/")[2])
    return links_json()


def _open_network() -> NetworkAccess:
    network = current_context().network
    if network is None:
        raise MillchenError(message("page.no_network"))
    return network


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
    in_network, context = current_app.extensions["millchen.in_network"], current_context()
    links = context.own_link
    if in_network:
        if context.network is None:
            raise NotFound(message("page.no_network"))
        links = context.network.links
    if links is None:
        return _lead_to("/")  # everybody is in
    link = links.find(token)
    if link is None:
        raise Forbidden(message("page.link_expired"))
    answer = _lead_to(START_PAGE_BY_ROLE.get(link.role, "/"))
    answer.set_cookie(
        TOKEN_COOKIE, token, max_age=COOKIE_AGE_S, secure=in_network, httponly=True, samesite="Strict", path="/"
    )
    return answer


def _lead_to(home: str) -> Response:
    language = request_language()
    return make_response(render_template("join.html", language=language, words=dict(words(language)), home=home))


INVITE_ROUTES = (
    Route("/join/<token>", "GET", ANYONE, join),
    Route("/links", "GET", REFEREE, links_page),
    Route("/api/links", "GET", REFEREE, links_json),
    Route("/api/links/add", "POST", THIS_COMPUTER, add_link),
    Route("/api/links/remove", "POST", THIS_COMPUTER, take_link_back),
    Route("/api/network", "POST", THIS_COMPUTER, open_or_close_door),
)
