"""Links that let other devices in: the page that shows them as QR codes, and the address that a link opens."""

from __future__ import annotations

import segno
from flask import Response, jsonify, make_response, render_template
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import Forbidden, NotFound

from languages import message
from web.i18n.catalogue import words
from web.net.network import START_PAGE_BY_ROLE
from web.net.roles import TOKEN_COOKIE
from web.views.context import current_context
from web.views.table_page import COOKIE_AGE_S, render_page, request_language

_QR_MODULE_PX = 6
"""Side of one square of a QR code, pixels: a phone at arm's length reads it from a screen. Source: chosen."""


def links_page() -> ResponseReturnValue:
    """Answer GET /links: the page with the links; without ``--lan`` it says how to serve the network."""
    context = current_context()
    shown = []
    if context.network is not None:
        for role, link in context.network.links.items():
            code = segno.make(link, error="m").svg_inline(scale=_QR_MODULE_PX, border=2, omitsize=True)
            shown.append({"role": role, "link": link, "code": code})
    return render_page(
        "links.html", links=shown, fingerprint=context.network.fingerprint if context.network is not None else ""
    )


def links_json() -> Response:
    """Answer GET /api/links: the same for programs."""
    context = current_context()
    if context.network is None:
        return jsonify(links={}, fingerprint=None)
    return jsonify(links=context.network.links, fingerprint=context.network.fingerprint)


def join(token: str) -> Response:
    """Answer GET /join/TOKEN: store the token of a role as a cookie and lead to the role's page.

    This is a page instead of a redirect because of ``SameSite=Strict``: when a link in a message leads through a
    redirect, the browser does not send such a cookie.
    """
    context = current_context()
    if context.network is None:
        raise NotFound(message("page.no_network"))
    role = context.network.tokens.role_of_token(token)
    if role is None:
        raise Forbidden(message("page.link_expired"))
    language = request_language()
    shown = render_template(
        "join.html", language=language, words=dict(words(language)), home=START_PAGE_BY_ROLE.get(role, "/")
    )
    answer = make_response(shown)
    answer.set_cookie(
        TOKEN_COOKIE, token, max_age=COOKIE_AGE_S, secure=True, httponly=True, samesite="Strict", path="/"
    )
    return answer
