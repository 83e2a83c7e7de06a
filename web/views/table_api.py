"""What programs and the page's scripts ask: the state, the picture, and the commands of people at the table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest

from web.net.health import process_health
from web.views.context import Corner, shell
from web.views.event_stream import state_json

PICTURE_WAIT_S = 1.0  # how long a page's question for a newer picture stays open; short, it holds a thread


def state() -> Response:
    """Answer GET /api/state with the newest state."""
    return jsonify(state_json(shell()))


def frame() -> Response:
    """Answer GET /frame.jpg with the newest picture; with ``?after=N`` wait a moment for one after number N."""
    table = shell().table
    table.request_pictures()
    after = request.args.get("after", -1, type=int)
    picture = table.publisher.wait_for_picture(after, PICTURE_WAIT_S)
    if picture is None or picture.number == after:
        return Response(status=204)
    response = Response(picture.jpeg, mimetype="image/jpeg")
    response.headers["X-Frame-Number"] = str(picture.number)
    return response


def health() -> Response:
    """Answer GET /health with counters."""
    behind = shell()
    return jsonify({**behind.table.health(), "streams": behind.n_streams, "process": process_health(behind.began_s)})


def new_game() -> Response:
    """Answer POST /api/game: ``{"game": name, "options": {...}, "source": where from}``, the last two if wanted."""
    body = body_of()
    options = body.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options must be an object")
    source = _text(body, "source", 1000) if "source" in body else None
    shell().table.new_game(_text(body, "game", 40), options, source)
    return done()


def again() -> Response:
    """Answer POST /api/again: the same game from its beginning."""
    body_of()
    shell().table.restart_game()
    return done()


def use_source() -> Response:
    """Answer POST /api/source: ``{"source": "demo" | camera number | file | address}``."""
    shell().table.use_source(_text(body_of(), "source", 1000))
    return done()


def place_corners() -> Response:
    """Answer POST /api/corners: ``{"corners": [[x, y], ... 4 of them]}`` in pixels of the picture."""
    corners = body_of().get("corners")
    if not isinstance(corners, list) or len(corners) != 4:
        raise BadRequest("corners must be four pairs of numbers")
    shell().table.place_corners([_corner(corner) for corner in corners])
    return done()


def play_on() -> Response:
    """Answer POST /api/play-on: the foul stands."""
    body_of()
    shell().table.let_foul_stand()
    return done()


def correct() -> Response:
    """Answer POST /api/correct: ``{"point": name, "top": k}``, 0 for a bare point, else the player of the stone."""
    body = body_of()
    top = body.get("top")
    if isinstance(top, bool) or not isinstance(top, int):
        raise BadRequest("top must be a whole number")
    shell().table.correct_point(_text(body, "point", 10), top)
    return done()


def take_back() -> Response:
    """Answer POST /api/take-back: the last turn goes."""
    body_of()
    shell().table.take_back()
    return done()


def done() -> Response:
    """The answer to a command that was carried out."""
    return jsonify(ok=True)


def body_of() -> Mapping[str, Any]:
    """The JSON object that was sent."""
    body = request.get_json()
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object")
    return body


def _text(body: Mapping[str, Any], name: str, most: int) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= most or not value.isprintable():
        raise BadRequest(f"{name} must be a text of 1 to {most} characters")
    return value.strip()


def _corner(value: Any) -> Corner:
    if not isinstance(value, list) or len(value) != 2:
        raise BadRequest("corners must be four pairs of numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise BadRequest("corners must be four pairs of numbers")
    return float(value[0]), float(value[1])
