"""Pages and API of a club: the scoreboard, the evening with its rounds and results, further tables, and all games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import message
from referee.typed_json import Text, limits, line, one_of
from web.body_types import GameName
from web.club.club import ArchivedGame, Club
from web.club.evening import PAIRING_SYSTEMS, POINTS_BY_RESULT, Evening, evening_json
from web.club.scoreboard import ClubStatus, TableState
from web.drawing.position_svg import render_position_svg
from web.errors import MillchenError
from web.history.exports import csv_text
from web.hosted_tables import AppContext, TableRequest, current_context
from web.net.roles import REFEREE, VIEWER, Route
from web.table.offered_games import OFFERED_GAMES, check_game
from web.views import games_pages, table_page
from web.views.event_stream import HEARTBEAT_INTERVAL_S, RECONNECT_DELAY_MS, sse_message, stream_response

Change = Literal["joined", "left", "returned", "undrawn", "closed"]
LongName = Annotated[str, line(300, 0)]


def _club(context: AppContext) -> Club:
    if context.club is None:
        raise NotFound("this table belongs to no club")
    return context.club


# ---------------------------------------------------------------- what is shown


def scoreboard_page() -> ResponseReturnValue:
    """Answer GET /scoreboard: all tables of the evening on one screen, or the only table there is."""
    context = current_context()
    club = context.club
    if club is None or (len(club.scoreboard.tables) < 2 and club.scoreboard.status == ClubStatus()):
        return table_page.table_scoreboard()
    return table_page.render_page("scoreboard.html", scoreboard=scoreboard_json(context))


def club_page() -> ResponseReturnValue:
    """Answer GET /club: the page of the person who leads the evening."""
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
    versioned = club.scoreboard.find_table(table.key)
    version = versioned[0] if versioned is not None else 0
    page = "" if table.host or context.host is None else context.host.page_addresses.get(table.table, "")
    return {
        **table.to_json(),
        "name": club.scoreboard.display_names().get(table.key, table.table),
        "picture": f"/club/tables/{table.key}.svg?v={version}",
        "page": page,
    }


def status_json(club: Club) -> dict[str, Any]:
    """Return what the scoreboard shows beside the tables: the archive, names used twice, and the evening."""
    status = club.scoreboard.status
    return {
        "archive": status.link,
        "namesakes": list(club.scoreboard.duplicate_names()),
        "evening": None if status.evening is None else evening_json(status.evening),
        "is_ours": status.is_ours,
    }


def table_picture(key: str) -> Response:
    """Answer GET /club/tables/KEY.svg: the position at a table."""
    versioned = _club(current_context()).scoreboard.find_table(key)
    if versioned is None:
        raise NotFound("there is no such table")
    table = versioned[1]
    drawing = render_position_svg(table.game, table.game_state.colours, table.table, names=False)
    headers = {"Cache-Control": "private, max-age=600"}  # its address changes with what it shows
    return Response(drawing, mimetype="image/svg+xml", headers=headers)


def club_state() -> Response:
    """Answer GET /api/club: the state of all tables and of the evening."""
    return jsonify(scoreboard_json(current_context()))


def club_events() -> Response:
    """Answer GET /api/club/events: ``hall`` with everything, then ``table`` for each that changes."""
    context = current_context()
    _club(context)
    return stream_response(_messages(context))


def _messages(context: AppContext) -> Iterator[bytes]:
    scoreboard = _club(context).scoreboard
    yield f"retry: {RECONNECT_DELAY_MS}\n\n".encode()
    version, _, _ = scoreboard.wait(-1, 0)
    yield sse_message("hall", scoreboard_json(context))
    while not scoreboard.is_closed:
        before = version
        version, tables, is_new_status = scoreboard.wait(version, HEARTBEAT_INTERVAL_S)
        if is_new_status:
            yield sse_message("hall", scoreboard_json(context))
        else:
            for table in tables:
                yield sse_message("table", table_json(context, table))
        if version == before:
            yield b": still here\n\n"


# ---------------------------------------------------------------- commands


def add_table(
    name: LongName, source: Annotated[str, line(1000, 0)], game: GameName, options: Mapping[str, Any] | None = None
) -> Response:
    """Answer POST /api/club/tables: open another table of this computer."""
    host = current_context().host
    if host is None:
        raise NotFound("this page cannot open tables")
    check_game(game, options or {})
    table = host.open(TableRequest(source, game, options or {}, name))
    return jsonify(page=table.listeners.address)


def begin_evening(
    name: LongName,
    system: Annotated[str, one_of(*PAIRING_SYSTEMS)],
    players: Sequence[Annotated[Text, limits(maxLength=300)]],
    rounds: int | None = None,
) -> Response:
    """Answer POST /api/club/evening: begin an evening with players, a system and perhaps a number of rounds."""
    club = _club(current_context())
    if club.evening is not None and not club.evening.is_finished and club.evening.rounds:
        raise MillchenError(message("club.going_on"))
    agreed = {} if rounds is None else {"rounds": rounds}
    club.begin_evening({"name": name, "system": system, "players": players, **agreed})
    return jsonify(status_json(club))


def draw_round() -> Response:
    """Answer POST /api/club/rounds: draw the next round."""
    club = _club(current_context())
    club.draw_round()
    return jsonify(status_json(club))


def set_result(round: int, board: int, result: Annotated[str, one_of("", *POINTS_BY_RESULT)]) -> Response:  # noqa: A002
    """Answer POST /api/club/results: the result of a board (``1-0``); an empty one opens it again."""
    club = _club(current_context())
    club.record_evening_event("result", {"round": round, "board": board, "result": result})
    return jsonify(status_json(club))


def change_evening(what: Change, name: LongName = "", player: int | None = None) -> Response:
    """Answer POST /api/club/change: somebody joins, leaves or returns; the last draw is undone; the evening ends."""
    club, who = _club(current_context()), {"player": player}
    bodies: Mapping[str, Mapping[str, Any]] = {"joined": {"name": name}, "left": who, "returned": who}
    club.record_evening_event(what, bodies.get(what, {}))
    return jsonify(status_json(club))


def download_evening_csv() -> Response:
    """Answer GET /club/evening.csv: standings, cross table and every pairing, for a spreadsheet."""
    evening = _club(current_context()).scoreboard.status.evening
    if evening is None:
        raise NotFound("there is no evening")
    return table_page.attachment("\ufeff" + evening_csv(evening), "text/csv", "millchen-evening.csv")


def evening_csv(evening: Evening) -> str:
    """Return the evening as CSV: standings with the cross table, then every pairing."""
    data = evening_json(evening)
    places = ("rank", "name", "points", "wins", "buchholz", "sonneborn")
    standings = zip(data["standings"], data["cross"], strict=True)
    pairings = ((n, k, one) for n, boards in enumerate(data["rounds"], 1) for k, one in enumerate(boards, 1))
    return csv_text(
        ["rank", "player", "points", "wins", "Buchholz", "Sonneborn-Berger", *range(1, len(data["players"]) + 1)],
        *([*(place[key] for key in places), *cells] for place, cells in standings),
        [],
        ["round", "board", "first", "second", "result"],
        *([n, k, one["first"], one["second"] or "-", one["result"]] for n, k, one in pairings),
    )


def archive_page() -> ResponseReturnValue:
    """Answer GET /archive: every game of every table, or those in which all words of ``?q=`` occur."""
    query = request.args.get("q", "").strip()[:200]
    archived_games, problem = _club(current_context()).archive_reader.find(query)
    games = [_list_entry(one, table_page.request_language()) for one in archived_games]
    tables = sorted({one.line.table for one in archived_games if one.line is not None and one.line.table})
    return table_page.render_page("archive.html", query=query, games=games, missing=problem, mentions=tables)


def _list_entry(one: ArchivedGame, language: str) -> dict[str, Any]:
    """Return a game for the list; one that cannot be read has its place there, and no page."""
    about = {"table": "" if one.line is None else one.line.table, "host": one.host, "unreadable": ""}
    if one.line is None:
        why_not = message("page.damaged_game", number=one.number).translated(language)
        return about | {"unreadable": f"{why_not[0].upper()}{why_not[1:]}."}
    return about | games_pages.list_entry(one.line, language) | {"base": f"/archive/{one.origin}/{one.number}"}


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
    Route("/archive", "GET", VIEWER, archive_page),
    Route("/archive/<origin>/<int:number>", "GET", VIEWER, games_pages.game_replay),
    Route("/archive/<origin>/<int:number>/sheet", "GET", VIEWER, games_pages.score_sheet),
    Route("/archive/<origin>/<int:number>.<kind>", "GET", VIEWER, games_pages.download_game),
)
