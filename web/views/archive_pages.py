"""Pages of all games of the club: the list, the replay, the score sheet, and downloads."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import message
from web.club.archive_reader import ArchivedGame
from web.errors import UNREADABLE, MillchenError
from web.history.finished_games import GameHistory, game_summary
from web.net.roles import VIEWER, Route
from web.views import games_pages, table_page
from web.views.context import current_context

log = logging.getLogger("millchen.club")


def archive_page() -> ResponseReturnValue:
    """Answer GET /archive: every game of every table, or those in which all words of ``?q=`` occur."""
    club = current_context().club
    if club is None:
        raise NotFound("this table belongs to no club")
    query = request.args.get("q", "").strip()[:200]
    found, missing = club.archive_reader.find(query)
    return table_page.render_page(
        "archive.html", query=query, games=_list_entries(found), missing=missing, mentions=_table_names(found)
    )


def archived_replay(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N: a game, turn by turn."""
    with _readable(number):
        language = table_page.request_language()
        return games_pages.render_replay(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def archived_score_sheet(origin: str, number: int) -> ResponseReturnValue:
    """Answer GET /archive/ORIGIN/N/sheet: the score sheet of a game."""
    with _readable(number):
        language = table_page.request_language()
        return games_pages.render_score_sheet(_open(origin, number, language), language, f"/archive/{origin}/{number}")


def archived_download(origin: str, number: int, kind: str) -> Response:
    """Answer GET /archive/ORIGIN/N.KIND, as `web.views.games_pages.download_game`."""
    with _readable(number):
        language = table_page.request_language()
        return games_pages.download_response(_open(origin, number, language), kind, language)


@contextmanager
def _readable(number: int) -> Iterator[None]:
    """Answer that a game is damaged where something in it is not what a Millchen writes."""
    try:
        yield
    except UNREADABLE as why:
        log.warning("game %s of the archive cannot be shown: %r", number, why)
        raise NotFound(message("page.damaged_game", number=number)) from why


def _open(origin: str, number: int, language: str) -> GameHistory:
    club = current_context().club
    if club is None or not re.fullmatch(r"[0-9a-f]{32}", origin):
        raise NotFound(message("page.no_game", number=number))
    try:
        return club.archive_reader.open(origin, number, table_page.page_language_sentences, language)
    except MillchenError as why:
        raise NotFound(message("page.no_game", number=number)) from why


def _list_entries(found: Iterable[ArchivedGame]) -> list[dict[str, Any]]:
    language = table_page.request_language()
    return [_list_entry(one, language) for one in found]


def _list_entry(one: ArchivedGame, language: str) -> dict[str, Any]:
    """Return a game for the list; one that cannot be read has its place there, and no page."""
    why_not = message("page.damaged_game", number=one.number).translated(language)
    entry = {"table": one.table, "host": one.host, "unreadable": f"{why_not[0].upper()}{why_not[1:]}."}
    if one.history is None:
        return entry
    try:
        return (
            entry
            | game_summary(one.history)
            | {
                "who": games_pages.player_labels(one.history.listed_names, language),
                "result": games_pages.result_text(one.history.game.outcome, one.history.listed_names, language),
                "base": f"/archive/{one.origin}/{one.history.number}",
                "unreadable": "",
            }
        )
    except UNREADABLE as why:
        log.warning("game %s of journal %s cannot be shown: %r", one.number, one.origin, why)
        return entry


def _table_names(found: Iterable[ArchivedGame]) -> list[str]:
    return sorted({one.table for one in found if one.table})


ARCHIVE_ROUTES = (
    Route("/archive", "GET", VIEWER, archive_page),
    Route("/archive/<origin>/<int:number>", "GET", VIEWER, archived_replay),
    Route("/archive/<origin>/<int:number>/sheet", "GET", VIEWER, archived_score_sheet),
    Route("/archive/<origin>/<int:number>.<kind>", "GET", VIEWER, archived_download),
)
