"""Pages and API of a club: the scoreboard of all tables, the evening with its rounds and results, further tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from languages import message
from web.club.club import Club
from web.club.evening import PAIRING_SYSTEMS, POINTS_BY_RESULT, Evening, evening_json
from web.club.scoreboard import TableState
from web.errors import MillchenError
from web.history.exports import render_position_svg
from web.net.roles import REFEREE, VIEWER, Route
from web.table.offered_games import OFFERED_GAMES, check_game
from web.views import table_page
from web.views.context import AppContext, current_context
from web.views.event_stream import (
    HEARTBEAT_INTERVAL_S,
    RECONNECT_DELAY_MS,
    sse_message,
    stream_response,
)
from web.views.table_api import json_body


def _club(context: AppContext) -> Club:
    if context.club is None:
        raise NotFound("this table belongs to no club")
    return context.club


# ---------------------------------------------------------------- what is shown


def scoreboard_page() -> ResponseReturnValue:
    """Answer GET /scoreboard: all tables of the evening on one screen, or the only table there is."""
    context = current_context()
    club = context.club
    if club is None or (len(club.scoreboard.tables) < 2 and club.scoreboard.status.is_empty):
        return table_page.table_scoreboard()
    return table_page.render_page("scoreboard.html", scoreboard=scoreboard_json(context))


def club_page() -> ResponseReturnValue:
    """Answer GET /club: the page of whoever leads the evening."""
    context = current_context()
    _club(context)
    offers = [{"name": game.name} for game in OFFERED_GAMES]
    return table_page.render_page(
        "club.html",
        scoreboard=scoreboard_json(context),
        offers=offers,
        systems=PAIRING_SYSTEMS,
        results=list(POINTS_BY_RESULT),
    )


def scoreboard_json(context: AppContext) -> dict[str, Any]:
    """Return everything that the scoreboard shows."""
    club = _club(context)
    tables = [table_json(context, table) for table in club.scoreboard.tables]
    return {"tables": tables, "board": status_json(club)}


def table_json(context: AppContext, table: TableState) -> dict[str, Any]:
    """Return a table for the scoreboard: its state, its name, and the addresses of its picture and of its page."""
    club = _club(context)
    found = club.scoreboard.find_table(table.key)
    version = found[0] if found is not None else 0
    page = "" if table.host or context.host is None else context.host.page_addresses.get(table.table, "")
    return {
        **table.to_json(club.make_sentences),
        "name": club.scoreboard.display_names().get(table.key, table.table),
        "picture": f"/club/tables/{table.key}.svg?v={version}",
        "page": page,
    }


def status_json(club: Club) -> dict[str, Any]:
    """Return what the scoreboard shows beside the tables: the archive, names used twice, and the evening."""
    status = club.scoreboard.status
    return {
        "archive": None if status.link is None else status.link.to_json(club.archive_name),
        "namesakes": list(club.scoreboard.duplicate_names()),
        "evening": None if status.evening is None else evening_json(status.evening),
        "is_ours": status.is_ours,
    }


def table_picture(key: str) -> Response:
    """Answer GET /club/tables/KEY.svg: the position at a table."""
    found = _club(current_context()).scoreboard.find_table(key)
    if found is None:
        raise NotFound("there is no such table")
    table = found[1]
    drawing = render_position_svg(table.game, table.game_state.colours, table.table, names=False)
    response = Response(drawing, mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "private, max-age=600"  # its address changes with what it shows
    return response


def club_state() -> Response:
    """Answer GET /api/club: the state of all tables and of the evening."""
    return jsonify(scoreboard_json(current_context()))


def club_events() -> Response:
    """Answer GET /api/club/events: ``hall`` with everything, then ``table`` for each that changes."""
    context = current_context()
    _club(context)
    return stream_response(context, _messages(context))


def _messages(context: AppContext) -> Iterator[bytes]:
    scoreboard = _club(context).scoreboard
    yield f"retry: {RECONNECT_DELAY_MS}\n\n".encode()
    version, _, _ = scoreboard.wait(-1, 0)
    yield sse_message("hall", scoreboard_json(context))
    while not scoreboard.is_closed:
        before = version
        version, changed, is_new_status = scoreboard.wait(version, HEARTBEAT_INTERVAL_S)
        if is_new_status:
            yield sse_message("hall", scoreboard_json(context))
        else:
            for table in changed:
                yield sse_message("table", table_json(context, table))
        if version == before:
            yield b": still here\n\n"


# ---------------------------------------------------------------- commands


def add_table() -> Response:
    """Answer POST /api/club/tables: open another table of this computer."""
    body, context = json_body(), current_context()
    if context.host is None:
        raise NotFound("this page cannot open tables")
    name, source, game = (_short_text(body, key) for key in ("name", "source", "game"))
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options must be an object")
    check_game(game, options)
    return jsonify(page=context.host.add_table(name, source, game, options))


def begin_evening() -> Response:
    """Answer POST /api/club/evening: begin an evening with players, a system and perhaps a number of rounds."""
    body, club = json_body(), _club(current_context())
    if club.evening is not None and not club.evening.is_finished and club.evening.rounds:
        raise MillchenError(message("club.going_on"))
    players = body.get("players")
    if not isinstance(players, list) or not all(isinstance(player, str) for player in players):
        raise BadRequest("players is a list of names")
    fields = {"name": _short_text(body, "name"), "system": _short_text(body, "system"), "players": players}
    rounds = body.get("rounds")
    club.begin_evening(fields if rounds is None else fields | {"rounds": rounds})
    return jsonify(status_json(club))


def draw_round() -> Response:
    """Answer POST /api/club/rounds: draw the next round."""
    json_body()
    club = _club(current_context())
    club.draw_round()
    return jsonify(status_json(club))


def set_result() -> Response:
    """Answer POST /api/club/results: ``{"round": 1, "board": 1, "result": "1-0"}``; an empty result opens it again."""
    body, club = json_body(), _club(current_context())
    fields = {"round": body.get("round"), "board": body.get("board"), "result": _short_text(body, "result")}
    club.record_evening_event("result", fields)
    return jsonify(status_json(club))


def change_evening() -> Response:
    """Answer POST /api/club/change: somebody joins, leaves or returns; the last draw is undone; the evening ends."""
    body, club = json_body(), _club(current_context())
    what = body.get("what")
    if what == "joined":
        club.record_evening_event("joined", {"name": _short_text(body, "name")})
    elif what in ("left", "returned"):
        club.record_evening_event(what, {"player": body.get("player")})
    elif what in ("undrawn", "closed"):
        club.record_evening_event(what, {})
    else:
        raise BadRequest("what is one of joined, left, returned, undrawn, closed")
    return jsonify(status_json(club))


def download_evening_csv() -> Response:
    """Answer GET /club/evening.csv: standings, cross table and every pairing, for a spreadsheet."""
    evening = _club(current_context()).scoreboard.status.evening
    if evening is None:
        raise NotFound("there is no evening")
    response = Response("\ufeff" + evening_csv(evening), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="millchen-evening.csv"'
    return response


def evening_csv(evening: Evening) -> str:
    """Return the evening as CSV: standings with the cross table, then every pairing."""
    data = evening_json(evening)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    write(["rank", "player", "points", "wins", "Buchholz", "Sonneborn-Berger", *range(1, len(data["players"]) + 1)])
    for place, cells in zip(data["standings"], data["cross"], strict=True):
        line = [place[key] for key in ("rank", "name", "points", "wins", "buchholz", "sonneborn")]
        write([_plain_cell(cell) for cell in (*line, *cells)])
    write([])
    write(["round", "board", "first", "second", "result"])
    for n, round_ in enumerate(data["rounds"], start=1):
        for k, one in enumerate(round_, start=1):
            write([n, k, _plain_cell(one["first"]), _plain_cell(one["second"] or "-"), _plain_cell(one["result"])])
    return out.getvalue()


def _plain_cell(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula or a date."""
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") or text in POINTS_BY_RESULT else value


def _short_text(body: Any, key: str) -> str:
    value = body.get(key, "")
    if not isinstance(value, str) or len(value) > 300:
        raise BadRequest(f"{key} is a short text")
    return value.strip()


CLUB_ROUTES = (
    Route("/scoreboard", "GET", VIEWER, scoreboard_page),
    Route("/club", "GET", VIEWER, club_page),
    Route("/club/evening.csv", "GET", VIEWER, download_evening_csv),
    Route("/club/tables/<key>.svg", "GET", VIEWER, table_picture),
    Route("/api/club", "GET", VIEWER, club_state),
    Route("/api/club/events", "GET", VIEWER, club_events),
    Route("/api/club/tables", "POST", REFEREE, add_table),
    Route("/api/club/evening", "POST", REFEREE, begin_evening),
    Route("/api/club/rounds", "POST", REFEREE, draw_round),
    Route("/api/club/results", "POST", REFEREE, set_result),
    Route("/api/club/change", "POST", REFEREE, change_evening),
)
"""Routes of the club for the table of routes in `web.app`."""
