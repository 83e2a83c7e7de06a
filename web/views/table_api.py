"""API of the table, for the page and other programs: state, picture, and the commands that change the game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue

from vision.imaging.corners import corner_fault
from web.errors import MillchenError
from web.game.player_commands import correct_stone, resume_from_seen
from web.net.health import process_health
from web.net.roles import REFEREE, VIEWER, Route
from web.table.live_table import LiveTable
from web.table.sent_commands import CommittedCommand, SentCommand
from web.views.context import acquire_slot, current_context
from web.views.event_stream import state_json
from web.views.request_bodies import (
    CORNERS,
    FLAG,
    GAME,
    INTEGER,
    SOURCE,
    command,
    current_body_schema,
    fields,
    json_body,
    line,
    list_of,
    nullable,
    own_words,
)

FRAME_WAIT_S = 1.0  # longest wait of a request for a newer picture, seconds; it holds a thread meanwhile
MAX_FEN_CHARACTERS = 1000  # longest position; one of 72 holes has some 150

LAID = fields({"fen": line(MAX_FEN_CHARACTERS), "colours": list_of({**line(7, 0), "pattern": "^(#[0-9a-f]{6})?$"})})
"""A position in which the stones lie already, and the colours of each player's stones."""


def state() -> Response:
    """Answer GET /api/state with the newest state."""
    return jsonify(state_json(current_context()))


def frame() -> Response:
    """Answer GET /frame.jpg with the newest picture; with ``?after=N`` wait a moment for one after number N."""
    context = current_context()
    table = context.table
    table.request_pictures()
    after = request.args.get("after", -1, type=int)
    give_back = acquire_slot(context.places.frame_waits)
    try:
        picture = table.publisher.wait_for_picture(after, FRAME_WAIT_S if give_back is not None else 0)
    finally:
        if give_back is not None:
            give_back()
    if picture is None or picture.number == after:
        return Response(status=204)
    return Response(picture.jpeg, mimetype="image/jpeg", headers={"X-Frame-Number": str(picture.number)})


def health() -> ResponseReturnValue:
    """Answer GET /health with counters."""
    context = current_context()
    streams = context.places.streams.n_taken
    return {**context.table.health(), "streams": streams, "process": process_health(context.started_s)}


def new_game() -> Response:
    """Answer POST /api/game: another game; where the stones lie already, ``laid`` says how."""
    words = {"options": {}} | own_words()
    return carry_out(lambda table: table.new_game(**words))


def again() -> Response:
    """Answer POST /api/again: the same game anew, if it is still ``game``; players may ``swap`` places."""
    body = json_body()
    return carry_out(lambda table: table.restart_game(number=body.get("game"), swap=body.get("swap", False)))


def go_on() -> Response:
    """Answer POST /api/go-on: go on with the unfinished game N, or with null begin what the command line asked for."""
    number = json_body()["game"]
    return carry_out(lambda table: table.decline_offer() if number is None else _go_on(table, number))


def _go_on(table: LiveTable, number: int) -> None:
    host = current_context().host
    with nullcontext() if host is None else host.going_on(number, table):
        table.go_on(number)


def use_source() -> Response:
    """Answer POST /api/source: ``"demo"``, the number of a camera, a file or an address."""
    source = json_body()["source"]
    return carry_out(lambda table: table.use_source(source))


def place_corners() -> Response:
    """Answer POST /api/corners: the corners of the field in pixels, clockwise from the upper left one."""
    placed = [(float(x), float(y)) for x, y in json_body()["corners"]]
    fault = corner_fault(placed, current_context().table.publisher.snapshot.vision.size_px)
    if fault is not None:
        raise MillchenError(fault)
    return carry_out(lambda table: table.place_corners(placed))


def correct() -> Response:
    """Answer POST /api/correct: what lies on a point, 0 for a bare point, else the player of the stone."""
    words = own_words()
    return carry_out(
        lambda table: table.apply_command(lambda state: correct_stone(state, shown=table.shown_tops, **words))
    )


def resume() -> Response:
    """Answer POST /api/resume: play on from the board as it is seen; ``to_move`` is missing while that is open."""
    words = own_words()
    return carry_out(
        lambda table: table.apply_command(
            lambda state: resume_from_seen(state, table.publisher.snapshot.vision.seen_tops, **words)
        )
    )


def keep_game() -> Response:
    """Answer POST /api/keep-game: the game that was chosen is played, whatever the board looks like."""
    return carry_out(lambda table: table.keep_game())


def take_back() -> Response:
    """Answer POST /api/take-back: the last turn goes."""
    return carry_out(lambda table: table.take_back())


def hint() -> Response:
    """Answer POST /api/hint: Millchen thinks about the best turn, and announces it when it knows."""
    return carry_out(lambda table: table.ask_for_hint())


def carry_out(do: Callable[[LiveTable], CommittedCommand | None]) -> Response:
    """Carry out a command of the page once, and answer with the newest record when what it changed is written.

    Else it is 409 and the state where the game has gone on, or 503 where it was not written and will not be.
    """
    table, body = current_context().table, json_body()
    seen, is_about_board = body.get("seen", {}), "seen" in current_body_schema()["required"]
    sent = SentCommand(seen.get("game"), seen.get("seq") if is_about_board else None, body.get("key", ""))
    committed = table.carry_out(sent, lambda: do(table))
    return jsonify(ok=True, game=committed.game, seq=committed.seq)


TABLE_ROUTES = (
    Route("/frame.jpg", "GET", VIEWER, frame),
    Route("/api/state", "GET", VIEWER, state),
    Route("/health", "GET", VIEWER, health),
    Route(
        "/api/game",
        "POST",
        REFEREE,
        new_game,
        command({"game": GAME}, {"options": {"type": "object"}, "source": SOURCE, "laid": LAID}),
    ),
    Route("/api/again", "POST", REFEREE, again, command({}, {"game": nullable(INTEGER), "swap": FLAG})),
    Route("/api/go-on", "POST", REFEREE, go_on, command({"game": nullable(INTEGER)})),
    Route("/api/source", "POST", REFEREE, use_source, command({"source": SOURCE})),
    Route("/api/corners", "POST", REFEREE, place_corners, command({"corners": CORNERS})),
    Route("/api/keep-game", "POST", REFEREE, keep_game),
    Route("/api/take-back", "POST", REFEREE, take_back, command(is_about_board=True)),
    Route("/api/hint", "POST", REFEREE, hint, command(is_about_board=True)),
    Route(
        "/api/correct",
        "POST",
        REFEREE,
        correct,
        command({"point": line(10), "top": INTEGER}, is_about_board=True),
    ),
    Route(
        "/api/resume",
        "POST",
        REFEREE,
        resume,
        command({"tops": list_of(INTEGER)}, {"to_move": nullable(INTEGER)}, is_about_board=True),
    ),
)
