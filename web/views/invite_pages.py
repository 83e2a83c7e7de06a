"""Letting people in: a page with the links as QR codes, and what happens when somebody follows one."""

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
from web.views.table_page import request_language, render_page

_YEAR_S = 365 * 24 * 3600
_QR_MODULE_PX = 6  # px a module: a phone at arm's length reads it from any screen


def links_page() -> ResponseReturnValue:
    """Answer GET /links: the page with the links; without ``--lan`` it says how to open the network."""
    behind = current_context()
    shown = []
    if behind.lan is not None:
        for role, link in behind.lan.links.items():
            code = segno.make(link, error="m").svg_inline(scale=_QR_MODULE_PX, border=2, omitsize=True)
            shown.append({"role": role, "link": link, "code": code})
    return render_page("links.html", links=shown, fingerprint=behind.lan.fingerprint if behind.lan is not None else "")


def links_json() -> Response:
    """Answer GET /api/links: the same for programs."""
    behind = current_context()
    if behind.lan is None:
        return jsonify(links={}, fingerprint=None)
    return jsonify(links=behind.lan.links, fingerprint=behind.lan.fingerprint)


def join(token: str) -> Response:
    """Answer GET /join/TOKEN: take the role and go on to its page.

    A page of its own instead of a redirect: a cookie that is only sent to its own site (``SameSite=Strict``) would not
    be sent where a link in somebody's message led through a redirect.
    """
    behind = current_context()
    if behind.lan is None:
        raise NotFound(message("page.no_network"))
    role = behind.lan.tokens.role_of_token(token)
    if role is None:
        raise Forbidden(message("page.link_expired"))
    language = request_language()
    shown = render_template("join.html", language=language, words=dict(words(language)), home=START_PAGE_BY_ROLE.get(role, "/"))
    answer = make_response(shown)
    answer.set_cookie(TOKEN_COOKIE, token, max_age=_YEAR_S, secure=True, httponly=True, samesite="Strict", path="/")
    return answer
