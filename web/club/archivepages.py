"""Every game of the club on pages: the list, the replay, and what can be taken away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from web import pages, pastpages
from web.access import VIEWER, Route
from web.club.shelf import Volume
from web.errors import ShellError
from web.past import Past, summary
from web.shell import shell


def archive() -> ResponseReturnValue:
    """Answer GET /archive: every game of every table, or those in which the words of ``?q=`` occur."""
    club = shell().club
    if club is None:
        raise NotFound("this table belongs to no club")
    query = request.args.get("q", "").strip()[:200]
    found, missing = club.shelf.find(query)
    return pages.page("archive.html", query=query, games=_listed(found), missing=missing, mentions=_tables(found))


def replay(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N: a game turn by turn."""
    language = pages.language_asked()
    return pastpages.replay_page(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def sheet(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N/sheet: its score sheet."""
    language = pages.language_asked()
    return pastpages.sheet_page(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def download(origin: str, number: int, kind: str) -> Response:
    """Answer GET /archive/ORIGIN/N.KIND, as `web.pastpages.download`."""
    language = pages.language_asked()
    return pastpages.download_of(_open(origin, number, language), kind, language)


def _open(origin: str, number: int, language: str) -> Past:
    club = shell().club
    if club is None or not re.fullmatch(r"[0-9a-f]{32}", origin):
        raise NotFound("there is no such game")
    try:
        return club.shelf.open(origin, number, pastpages.say_now, language)
    except (ShellError, ValueError) as why:
        raise NotFound(str(why)) from why


def _listed(found: Iterable[Volume]) -> list[dict[str, Any]]:
    language = pages.language_asked()
    return [
        summary(one.past)
        | {
            "who": pastpages.who(one.past, language),
            "result": pastpages.result(one.past, language),
            "base": f"/archive/{one.origin}/{one.past.number}",
            "table": one.table,
            "host": one.host,
        }
        for one in found
    ]


def _tables(found: Iterable[Volume]) -> list[str]:
    return sorted({one.table for one in found if one.table})


ARCHIVE_ROUTES = (
    Route("/archive", "GET", VIEWER, archive),
    Route("/archive/<origin>/<int:number>", "GET", VIEWER, replay),
    Route("/archive/<origin>/<int:number>/sheet", "GET", VIEWER, sheet),
    Route("/archive/<origin>/<int:number>.<kind>", "GET", VIEWER, download),
)
