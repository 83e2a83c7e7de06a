"""Every game of the club on pages: the list, the replay, and what can be taken away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from web.club.archive_reader import Volume
from web.errors import MillchenError
from web.history.finished_games import GameHistory, game_summary
from web.net.roles import VIEWER, Route
from web.views import games_pages, table_page
from web.views.context import shell


def archive() -> ResponseReturnValue:
    """Answer GET /archive: every game of every table, or those in which the words of ``?q=`` occur."""
    club = shell().club
    if club is None:
        raise NotFound("this table belongs to no club")
    query = request.args.get("q", "").strip()[:200]
    found, missing = club.shelf.find(query)
    return table_page.page("archive.html", query=query, games=_listed(found), missing=missing, mentions=_tables(found))


def replay(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N: a game turn by turn."""
    language = table_page.language_asked()
    return games_pages.replay_page(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def sheet(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N/sheet: its score sheet."""
    language = table_page.language_asked()
    return games_pages.sheet_page(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def download(origin: str, number: int, kind: str) -> Response:
    """Answer GET /archive/ORIGIN/N.KIND, as `web.views.games_pages.download`."""
    language = table_page.language_asked()
    return games_pages.download_of(_open(origin, number, language), kind, language)


def _open(origin: str, number: int, language: str) -> GameHistory:
    club = shell().club
    if club is None or not re.fullmatch(r"[0-9a-f]{32}", origin):
        raise NotFound("there is no such game")
    try:
        return club.shelf.open(origin, number, games_pages.say_now, language)
    except (MillchenError, ValueError) as why:
        raise NotFound(str(why)) from why


def _listed(found: Iterable[Volume]) -> list[dict[str, Any]]:
    language = table_page.language_asked()
    return [
        game_summary(one.past)
        | {
            "who": games_pages.who(one.past, language),
            "result": games_pages.result(one.past, language),
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
