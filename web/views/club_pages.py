"""What a hall sees and what the club's desk asks: the scoreboard of all tables, the evening, its rounds and results."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from flask import Response, jsonify
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable

from languages import message
from web.club.club import Club
from web.club.evening import POINTS_BY_RESULT, PAIRING_SYSTEMS, Evening, evening_json
from web.club.follower import TableState
from web.club.forwarder import ArchiveLink
from web.club.pairing import next_round
from web.club.scoreboard import ClubStatus
from web.errors import MillchenError
from web.history.exports import render_position_svg
from web.net.roles import REFEREE, VIEWER, Route
from web.table.offered_games import OFFERED_GAMES, check_game
from web.views import table_page
from web.views.context import AppContext, current_context
from web.views.table_api import json_body

HEARTBEAT_S = 5.0
RETRY_MS = 1000


def _club(behind: AppContext) -> Club:
    if behind.club is None:
        raise NotFound("this table belongs to no club")
    return behind.club


# ---------------------------------------------------------------- what is shown


def scoreboard_page() -> ResponseReturnValue:
    """Answer GET /scoreboard: all tables of the evening on a screen for a hall, or the one there is."""
    behind = current_context()
    club = behind.club
    if club is None or (len(club.hall.tables) < 2 and club.hall.board == ClubStatus()):
        return table_page.table_scoreboard()
    return table_page.render_page("hall.html", hall=scoreboard_json(behind))


def club_page() -> ResponseReturnValue:
    """Answer GET /club: where somebody leads the evening."""
    behind = current_context()
    _club(behind)
    offers = [{"name": game.name} for game in OFFERED_GAMES]
    return table_page.render_page("club.html", hall=scoreboard_json(behind), offers=offers, systems=PAIRING_SYSTEMS, results=list(POINTS_BY_RESULT))


def scoreboard_json(behind: AppContext) -> dict[str, Any]:
    """Everything that hangs and stands in the hall."""
    club = _club(behind)
    tables = [table_json(behind, standing) for standing in club.hall.tables]
    return {"tables": tables, "board": status_json(club)}


def table_json(behind: AppContext, standing: TableState) -> dict[str, Any]:
    """A table for the hall: how it stands, what to call it, and where its picture and its own page are."""
    club = _club(behind)
    found = club.hall.table(standing.key)
    at = found[0] if found is not None else 0
    own = "" if standing.host or behind.house is None else behind.house.pages.get(standing.table, "")
    return {
        **standing.to_json(club.say),
        "name": club.hall.names().get(standing.key, standing.table),
        "picture": f"/club/tables/{standing.key}.svg?v={at}",
        "page": own,
    }


def status_json(club: Club) -> dict[str, Any]:
    """The noticeboard: the archive, what is odd, and the evening."""
    board = club.hall.board
    namesakes = club.hall.namesakes()
    return {
        "archive": None if board.link is None else _link_json(board.link, club),
        "namesakes": list(namesakes),
        "evening": None if board.evening is None else evening_json(board.evening),
        "is_ours": board.is_ours,
    }


def _link_json(link: ArchiveLink, club: Club) -> dict[str, Any]:
    place = club.central.place if club.central is not None else ""
    return {"state": link.state, "place": place, "text": link.text, "code": link.code, "ahead": round(link.ahead_s)}


def table_picture(key: str) -> Response:
    """Answer GET /club/tables/KEY.svg: what lies on a table."""
    found = _club(current_context()).hall.table(key)
    if found is None:
        raise NotFound("there is no such table")
    standing = found[1]
    drawn = render_position_svg(standing.game, standing.course.colours, standing.table, names=False)
    response = Response(drawn, mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "private, max-age=600"  # its address changes with what it shows
    return response


def club_state() -> Response:
    """Answer GET /api/club: tables and noticeboard."""
    return jsonify(scoreboard_json(current_context()))


def club_events() -> Response:
    """Answer GET /api/club/events: ``hall`` with everything, then ``table`` for each that changes."""
    behind = current_context()
    _club(behind)
    if not behind.streams.acquire(blocking=False):
        raise ServiceUnavailable(message("page.too_many"), retry_after=10)
    response = Response(_messages(behind), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.call_on_close(behind.streams.release)
    return response


def _messages(behind: AppContext) -> Iterator[bytes]:
    hall = _club(behind).hall
    yield f"retry: {RETRY_MS}\n\n".encode()
    version, _, _ = hall.wait(-1, 0)
    yield _message("hall", scoreboard_json(behind))
    while not hall.is_closed:
        before = version
        version, changed, is_new_board = hall.wait(version, HEARTBEAT_S)
        if is_new_board:
            yield _message("hall", scoreboard_json(behind))
        else:
            for standing in changed:
                yield _message("table", table_json(behind, standing))
        if version == before:
            yield b": still here\n\n"


def _message(kind: str, data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


# ---------------------------------------------------------------- what the desk asks


def add_table() -> Response:
    """Answer POST /api/club/tables: open another table of this computer."""
    asked, behind = json_body(), current_context()
    if behind.house is None:
        raise NotFound("this page cannot open tables")
    name, source, game = (_short_text(asked, key) for key in ("name", "source", "game"))
    options = asked.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options must be an object")
    if not name:
        raise MillchenError("a table needs a name")
    check_game(game, options)
    return jsonify(page=behind.house.add(name, source, game, options))


def begin_evening() -> Response:
    """Answer POST /api/club/evening: begin an evening with players, a system and perhaps a number of rounds."""
    asked, club = json_body(), _club(current_context())
    if club.evening is not None and not club.evening.is_over and club.evening.rounds:
        raise MillchenError("an evening is going on: end it first")
    players = asked.get("players")
    if not isinstance(players, list) or not all(isinstance(player, str) for player in players):
        raise BadRequest("players is a list of names")
    kept = {"name": _short_text(asked, "name"), "system": _short_text(asked, "system"), "players": players}
    rounds = asked.get("rounds")
    club.begin_evening(kept if rounds is None else kept | {"rounds": rounds})
    return jsonify(status_json(club))


def draw_round() -> Response:
    """Answer POST /api/club/rounds: draw the next round."""
    json_body()
    club = _club(current_context())
    evening = _own_evening(club)
    club.tell_evening("round", {"pairings": next_round(evening)})
    return jsonify(status_json(club))


def set_result() -> Response:
    """Answer POST /api/club/results: ``{"round": 1, "board": 1, "result": "1-0"}``; an empty result opens it again."""
    asked, club = json_body(), _club(current_context())
    kept = {"round": asked.get("round"), "board": asked.get("board"), "result": _short_text(asked, "result")}
    club.tell_evening("result", kept)
    return jsonify(status_json(club))


def change_evening() -> Response:
    """Answer POST /api/club/change: somebody joins, leaves or returns; the last draw is undone; the evening ends."""
    asked, club = json_body(), _club(current_context())
    what = asked.get("what")
    if what == "joined":
        club.tell_evening("joined", {"name": _short_text(asked, "name")})
    elif what in ("left", "returned"):
        club.tell_evening(what, {"player": asked.get("player")})
    elif what in ("undrawn", "closed"):
        club.tell_evening(what, {})
    else:
        raise BadRequest("what is one of joined, left, returned, undrawn, closed")
    return jsonify(status_json(club))


def download_evening_csv() -> Response:
    """Answer GET /club/evening.csv: standings, cross table and every pairing, for a spreadsheet."""
    evening = _club(current_context()).hall.board.evening
    if evening is None:
        raise NotFound("there is no evening")
    response = Response("\ufeff" + evening_csv(evening), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="millchen-evening.csv"'
    return response


def evening_csv(evening: Evening) -> str:
    """The evening as a table of plain values."""
    told = evening_json(evening)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    write(["rank", "player", "points", "wins", "Buchholz", "Sonneborn-Berger", *range(1, len(told["players"]) + 1)])
    for place, cells in zip(told["standings"], told["cross"], strict=True):
        line = [place[key] for key in ("rank", "name", "points", "wins", "buchholz", "sonneborn")]
        write([_plain_cell(cell) for cell in (*line, *cells)])
    write([])
    write(["round", "board", "first", "second", "result"])
    for n, round_ in enumerate(told["rounds"], start=1):
        for k, one in enumerate(round_, start=1):
            write([n, k, _plain_cell(one["first"]), _plain_cell(one["second"] or "-"), _plain_cell(one["result"])])
    return out.getvalue()


def _plain_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula or a date."""
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") or text in POINTS_BY_RESULT else value


def _own_evening(club: Club) -> Evening:
    if club.evening is None:
        raise MillchenError("no evening is led from this computer: begin one first")
    return club.evening


def _short_text(asked: Any, key: str) -> str:
    value = asked.get(key, "")
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
