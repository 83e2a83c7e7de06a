"""API of the table, for the page and other programs: state, picture, and the commands that change the game."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest, PreconditionRequired

from languages import message
from vision.imaging.field import corner_fault
from web.errors import MillchenError
from web.net.health import process_health
from web.table.sent_commands import CommittedCommand, SentCommand
from web.views.context import current_context
from web.views.event_stream import state_json
from web.views.shares import acquire_slot
from web.views.table_protocol import ImagePoint, TableProtocol

FRAME_WAIT_S = 1.0
"""Longest wait of a request for a newer picture, seconds; it holds a thread meanwhile. Source: chosen."""

ABOUT_BOARD = frozenset(
    f"/api/{command}"
    for command in (
        *("act", "put-back", "play-on", "take-back", "redo", "correct", "tower", "ring"),
        *("answer", "resume", "mover", "end", "hint", "do-it"),
    )
)
"""Commands that speak of what lies on the board: their sender must say what it saw, and any turn since makes them void.

To all others only another game matters.
"""

MAX_FEN_CHARACTERS = 1000
"""Longest position. Source: chosen; one of 72 holes has some 150."""

MAX_KEY_CHARACTERS = 64
"""Longest key of a command. Source: chosen; a UUID has 36."""


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
    response = Response(picture.jpeg, mimetype="image/jpeg")
    response.headers["X-Frame-Number"] = str(picture.number)
    return response


def health() -> Response:
    """Answer GET /health with counters."""
    context = current_context()
    return jsonify(
        {**context.table.health(), "streams": context.n_open_streams, "process": process_health(context.started_s)}
    )


def new_game() -> Response:
    """Answer POST /api/game: ``{"game": name, "options": {...}, "source": where from, "laid": {...}}``.

    All but the name are missing where the usual is wanted. Where the stones lie already, ``laid`` is
    ``{"fen": position, "colours": ["#rrggbb", ...]}``.
    """
    body = json_body()
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options must be an object")
    source = text_field(body, "source", 1000) if "source" in body else None
    name = text_field(body, "game", 40)
    laid = _laid(body["laid"]) if "laid" in body else None
    return carry_out(lambda table: table.new_game(name, options, source, laid=laid))


def _laid(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not isinstance(colours := value.get("colours"), list):
        raise BadRequest("laid must be an object with fen and colours")
    if not all(isinstance(one, str) and re.fullmatch("|#[0-9a-f]{6}", one) for one in colours):
        raise BadRequest("colours must be a list of #rrggbb")
    return {"fen": text_field(value, "fen", MAX_FEN_CHARACTERS), "colours": colours}


def again() -> Response:
    """Answer POST /api/again: the same game from its beginning.

    With ``{"game": N}`` only where game N is still on; with ``"swap": true`` the players change their places.
    """
    body = json_body()
    number, swap = body.get("game"), body.get("swap", False)
    if isinstance(number, bool) or not isinstance(number, int | None) or not isinstance(swap, bool):
        raise BadRequest("game must be a whole number, and swap true or false")
    return carry_out(lambda table: table.restart_game(number=number, swap=swap))


def use_source() -> Response:
    """Answer POST /api/source: ``{"source": "demo" | camera number | file | address}``."""
    source = text_field(json_body(), "source", 1000)
    return carry_out(lambda table: table.use_source(source))


def place_corners() -> Response:
    """Answer POST /api/corners: ``{"corners": [[x, y], ... 4 of them]}`` in pixels of the picture."""
    corners = json_body().get("corners")
    if not isinstance(corners, list) or len(corners) != 4:
        raise BadRequest("corners must be four pairs of numbers")
    placed = [_corner(corner) for corner in corners]
    fault = corner_fault(placed, current_context().table.publisher.snapshot.vision.size_px)
    if fault is not None:
        raise MillchenError(fault)
    return carry_out(lambda table: table.place_corners(placed))


def play_on() -> Response:
    """Answer POST /api/play-on: the foul stands."""
    return carry_out(lambda table: table.let_foul_stand())


def correct() -> Response:
    """Answer POST /api/correct: ``{"point": name, "top": k}``, 0 for a bare point, else the player of the stone."""
    body = json_body()
    top = body.get("top")
    if isinstance(top, bool) or not isinstance(top, int):
        raise BadRequest("top must be a whole number")
    point = text_field(body, "point", 10)
    return carry_out(lambda table: table.correct_point(point, top))


def resume() -> Response:
    """Answer POST /api/resume: ``{"tops": [0, 1, ...], "to_move": k}``, play on from the board as it is seen.

    ``tops`` are by point of the board: 0 bare, k a stone of player k; ``to_move`` is missing while that is open.
    """
    body = json_body()
    tops, to_move = body.get("tops"), body.get("to_move")
    if not isinstance(tops, list) or not all(isinstance(top, int) and not isinstance(top, bool) for top in tops):
        raise BadRequest("tops must be a list of whole numbers")
    if to_move is not None and (isinstance(to_move, bool) or not isinstance(to_move, int)):
        raise BadRequest("to_move must be a whole number")
    return carry_out(lambda table: table.resume_from_seen(tops, to_move))


def keep_game() -> Response:
    """Answer POST /api/keep-game: the game that was chosen is played, whatever the board looks like."""
    return carry_out(lambda table: table.keep_game())


def take_back() -> Response:
    """Answer POST /api/take-back: the last turn goes."""
    return carry_out(lambda table: table.take_back())


def carry_out(command: Callable[[TableProtocol], CommittedCommand | None]) -> Response:
    """Carry out a command of the page once, and answer when what it changed is written.

    The body may hold ``"seen": {"game": N, "seq": S}``, what its sender saw (the state has both), and ``"key"``, which
    is the same for every retry. The answer is ``{"ok": true, "game": N, "seq": S}`` with the newest record of the game,
    409 with the state where the game has gone on, or 503 where it was not written and will not be.

    Args:
        command: Carries it out at the table.
    """
    table = current_context().table
    committed = table.carry_out(_sent_command(json_body()), lambda: command(table))
    return jsonify(ok=True, game=committed.game, seq=committed.seq)


def _sent_command(body: Mapping[str, Any]) -> SentCommand:
    about_board = request.path in ABOUT_BOARD
    key = text_field(body, "key", MAX_KEY_CHARACTERS) if "key" in body else ""
    seen = body.get("seen")
    if seen is None:
        if about_board:
            raise PreconditionRequired(message("page.seen_missing"))
        return SentCommand(key=key)
    if not isinstance(seen, dict):
        raise BadRequest("seen must be an object with game and seq")
    game, seq = int_field(seen, "game"), int_field(seen, "seq")
    return SentCommand(game, seq if about_board else None, key)


def ok_response() -> Response:
    """Return the answer to a command that was carried out."""
    return jsonify(ok=True)


def int_field(body: Mapping[str, Any], name: str) -> int:
    """Return a whole number from a body, or refuse it."""
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{name} must be a whole number")
    return value


def json_body() -> Mapping[str, Any]:
    """Return the JSON object of the request, or refuse the request."""
    body = request.get_json()
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object")
    return body


def text_field(body: Mapping[str, Any], name: str, most: int) -> str:
    """Return a text of 1 to ``most`` printable characters from a body, without spaces around it, or refuse it."""
    value = body.get(name)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= most or not value.isprintable():
        raise BadRequest(f"{name} must be a text of 1 to {most} characters")
    return value.strip()


def _corner(value: Any) -> ImagePoint:
    if not isinstance(value, list) or len(value) != 2:
        raise BadRequest("corners must be four pairs of numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise BadRequest("corners must be four pairs of numbers")
    return float(value[0]), float(value[1])
