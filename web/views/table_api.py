"""API of the table, for the page and other programs: state, picture, and the commands that change the game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest

from web.net.health import process_health
from web.views.context import ImagePoint, current_context
from web.views.event_stream import state_json

FRAME_WAIT_S = 1.0
"""Longest wait of a request for a newer picture, seconds; it holds a thread meanwhile. Source: chosen."""


def state() -> Response:
    """Answer GET /api/state with the newest state."""
    return jsonify(state_json(current_context()))


def frame() -> Response:
    """Answer GET /frame.jpg with the newest picture; with ``?after=N`` wait a moment for one after number N."""
    table = current_context().table
    table.request_pictures()
    after = request.args.get("after", -1, type=int)
    picture = table.publisher.wait_for_picture(after, FRAME_WAIT_S)
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
    """Answer POST /api/game: ``{"game": name, "options": {...}, "source": where from}``, the last two if wanted."""
    body = json_body()
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options must be an object")
    source = text_field(body, "source", 1000) if "source" in body else None
    current_context().table.new_game(text_field(body, "game", 40), options, source)
    return ok_response()


def again() -> Response:
    """Answer POST /api/again: the same game from its beginning.

    With ``{"game": N}`` only where game N is still on; with ``"swap": true`` the players change their places.
    """
    body = json_body()
    number, swap = body.get("game"), body.get("swap", False)
    if isinstance(number, bool) or not isinstance(number, int | None) or not isinstance(swap, bool):
        raise BadRequest("game must be a whole number, and swap true or false")
    current_context().table.restart_game(number=number, swap=swap)
    return ok_response()


def use_source() -> Response:
    """Answer POST /api/source: ``{"source": "demo" | camera number | file | address}``."""
    current_context().table.use_source(text_field(json_body(), "source", 1000))
    return ok_response()


def place_corners() -> Response:
    """Answer POST /api/corners: ``{"corners": [[x, y], ... 4 of them]}`` in pixels of the picture."""
    corners = json_body().get("corners")
    if not isinstance(corners, list) or len(corners) != 4:
        raise BadRequest("corners must be four pairs of numbers")
    current_context().table.place_corners([_corner(corner) for corner in corners])
    return ok_response()


def play_on() -> Response:
    """Answer POST /api/play-on: the foul stands."""
    json_body()
    current_context().table.let_foul_stand()
    return ok_response()


def correct() -> Response:
    """Answer POST /api/correct: ``{"point": name, "top": k}``, 0 for a bare point, else the player of the stone."""
    body = json_body()
    top = body.get("top")
    if isinstance(top, bool) or not isinstance(top, int):
        raise BadRequest("top must be a whole number")
    current_context().table.correct_point(text_field(body, "point", 10), top)
    return ok_response()


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
    current_context().table.resume_from_seen(tops, to_move)
    return ok_response()


def keep_game() -> Response:
    """Answer POST /api/keep-game: the game that was chosen is played, whatever the board looks like."""
    json_body()
    current_context().table.keep_game()
    return ok_response()


def take_back() -> Response:
    """Answer POST /api/take-back: the last turn goes."""
    json_body()
    current_context().table.take_back()
    return ok_response()


def ok_response() -> Response:
    """Return the answer to a command that was carried out."""
    return jsonify(ok=True)


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
