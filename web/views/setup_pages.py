"""Pages and API of the set-up of a table: the page, its live state, pictures, and a command for each step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from calibration.cameras import list_cameras
from calibration.making.sheets import sheet_svg, sheets_pdf
from calibration.printed_target import PAPER_SIZES_MM, target_sheet
from languages import catalogue, translated
from referee.boards import BOARDS
from web.net.roles import REFEREE, VIEWER, Route
from web.setup.camera_process import camera_thumbnail
from web.setup.setup_session import SetupSession
from web.table.offered_games import OFFERED_GAMES
from web.views.context import current_context
from web.views.json_answer import json_answer
from web.views.table_api import json_body, text_field
from web.views.table_page import film_values, render_page, request_language

SETUP_STATE_WAIT_S = 0.8
"""Longest wait of a request for a newer state or picture, seconds; it holds a thread meanwhile. Source: chosen."""


def _session() -> SetupSession:
    return current_context().setup


def setup_page() -> ResponseReturnValue:
    """Answer GET /setup: the page on which a table is set up."""
    boards = sorted({game.board for game in OFFERED_GAMES})
    return render_page(
        "setup.html",
        says=dict(catalogue(request_language(), "setup")),
        boards=boards,
        tables=_session().tables.names(),
        games=OFFERED_GAMES,
        **film_values(),
    )


def _camera_state(after: int, timeout_s: float) -> dict[str, Any]:
    """Return the state of the camera, with the reason why it is gone in the language of the page."""
    state = _session().camera.state(after, timeout_s)
    return state | {"gone": translated(state["gone"], request_language())}


@json_answer
def setup_state() -> Any:
    """Answer GET /api/setup: everything live, after number N."""
    return _camera_state(request.args.get("after", -1, type=int), SETUP_STATE_WAIT_S)


def setup_picture() -> Response:
    """Answer GET /setup/frame.jpg with the newest picture after number N."""
    newest = _session().camera.picture(request.args.get("after", -1, type=int), SETUP_STATE_WAIT_S)
    if newest is None:
        return Response(status=204)
    response = Response(newest[1], mimetype="image/jpeg")
    response.headers["X-Frame-Number"] = str(newest[0])
    return response


def field_picture() -> Response:
    """Answer GET /setup/field.jpg with the picture in which the field was found."""
    jpeg = _session().field_jpeg()
    if jpeg is None:
        raise NotFound("there is no picture yet")
    return Response(jpeg, mimetype="image/jpeg")


@json_answer
def cameras() -> Any:
    """Answer GET /api/setup/cameras: number and name of each."""
    return {"cameras": [{"number": camera.number, "name": camera.name} for camera in list_cameras()]}


def thumbnail(number: int) -> Response:
    """Answer GET /setup/camera/N.jpg with a small picture of a camera."""
    if number not in {camera.number for camera in list_cameras()}:
        raise NotFound("there is no such camera")
    jpeg = camera_thumbnail(number)
    return Response(status=204) if jpeg is None else Response(jpeg, mimetype="image/jpeg")


def lens_plot() -> Response:
    """Answer GET /setup/lens.svg with the residuals of the lens."""
    if not _session().lens_plot:
        raise NotFound("there is no lens yet")
    return Response(_session().lens_plot, mimetype="image/svg+xml")


def printed_target(paper: str, kind: str) -> Response:
    """Answer GET /setup/target-PAPER.KIND with the sheet to print."""
    if paper not in PAPER_SIZES_MM or kind not in ("pdf", "svg"):
        raise NotFound("there is no such sheet")
    sheet = target_sheet(paper, request_language())
    if kind == "svg":
        return Response(sheet_svg(sheet), mimetype="image/svg+xml")
    response = Response(sheets_pdf([sheet]), mimetype="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="millchen-{paper}.pdf"'
    return response


def setup_report() -> Response:
    """Answer GET /setup/report.html with the report as a file."""
    response = Response(_session().report(request_language()), mimetype="text/html")
    response.headers["Content-Disposition"] = 'attachment; filename="millchen-table.html"'
    return response


@json_answer
def open_camera() -> Any:
    """Answer POST /api/setup/open: ``{"source": text}``."""
    table, session = current_context().table, _session()
    source = table.find_source(text_field(json_body(), "source", 1000))
    if source.kind == "phone":
        current_context().phone_frames.check()
    session.camera.close()
    now = table.publisher.snapshot.source
    if now.kind == "camera" and now.name == source.name:
        session.camera.on_close = partial(table.set_paused, False)
        table.set_paused(True)
    session.open(source)
    return _camera_state(-1, 0)


@json_answer
def watch_for() -> Any:
    """Answer POST /api/setup/watch: ``{"what": "placement" | "lens" | "idle", "board": name}``."""
    body = json_body()
    what = text_field(body, "what", 20)
    if what not in ("placement", "lens", "idle"):
        raise BadRequest("what must be placement, lens or idle")
    _session().watch(what, _board(body))


@json_answer
def play_film_again() -> Any:
    """Answer POST /api/setup/again: a film that is over begins once more."""
    json_body()
    _session().play_film_again()


@json_answer
def measure_lens() -> Any:
    """Answer POST /api/setup/lens: work it out; with ``{"skip": true}`` do without."""
    if json_body().get("skip") is True:
        _session().skip_lens()
        return None
    return _session().measure_lens()


@json_answer
def measure_field() -> Any:
    """Answer POST /api/setup/field: ``{"board", "corners", "points", "side_mm"}``, each if wanted."""
    body = json_body()
    if "side_mm" in body:
        side = body["side_mm"]
        return _session().set_side(None if side is None else _number_in_range(side, 20, 5000, "side_mm"))
    corners = body.get("corners")
    if corners is not None and (not isinstance(corners, list) or len(corners) != 4):
        raise BadRequest("corners must be four pairs of numbers")
    points = body.get("points", {})
    if not isinstance(points, dict) or len(points) > 60:
        raise BadRequest("points must be an object")
    moved = {str(name): _image_point(at) for name, at in points.items()}
    return _session().take_field(_board(body), None if corners is None else [_image_point(at) for at in corners], moved)


@json_answer
def measure_stones() -> Any:
    """Answer POST /api/setup/stones: ``{"swap": true}`` or ``{"skip": true}``, if wanted."""
    body = json_body()
    if body.get("skip") is True:
        _session().skip_stones()
        return None
    players = body.get("players", 2)
    if isinstance(players, bool) or players not in (2, 3):
        raise BadRequest("players must be 2 or 3")
    return _session().take_stones(body.get("swap") is True, players)


@json_answer
def check_setup() -> Any:
    """Answer GET /api/setup/check: everything judged."""
    return _session().check()


@json_answer
def save_table() -> Any:
    """Answer POST /api/setup/save: ``{"name": text}``."""
    return _session().save(text_field(json_body(), "name", 40))


@json_answer
def start_game() -> Any:
    """Answer POST /api/setup/play: ``{"game": name}``: the camera goes to the table, and a game begins on it."""
    game = text_field(json_body(), "game", 40)
    source = _session().source
    if not source:
        raise BadRequest("there is no camera yet")
    _session().camera.on_close = None
    _session().camera.close()
    current_context().table.new_game(game, {}, source)


@json_answer
def close_camera() -> Any:
    """Answer POST /api/setup/leave: let the camera go."""
    json_body()
    _session().camera.close()


SETUP_ROUTES = (
    Route("/setup", "GET", REFEREE, setup_page),
    Route("/setup/frame.jpg", "GET", REFEREE, setup_picture),
    Route("/setup/field.jpg", "GET", REFEREE, field_picture),
    Route("/setup/camera/<int:number>.jpg", "GET", REFEREE, thumbnail),
    Route("/setup/lens.svg", "GET", REFEREE, lens_plot),
    Route("/setup/target-<paper>.<kind>", "GET", VIEWER, printed_target),
    Route("/setup/report.html", "GET", REFEREE, setup_report),
    Route("/api/setup", "GET", REFEREE, setup_state),
    Route("/api/setup/cameras", "GET", REFEREE, cameras),
    Route("/api/setup/open", "POST", REFEREE, open_camera),
    Route("/api/setup/watch", "POST", REFEREE, watch_for),
    Route("/api/setup/again", "POST", REFEREE, play_film_again),
    Route("/api/setup/lens", "POST", REFEREE, measure_lens),
    Route("/api/setup/field", "POST", REFEREE, measure_field),
    Route("/api/setup/stones", "POST", REFEREE, measure_stones),
    Route("/api/setup/check", "GET", REFEREE, check_setup),
    Route("/api/setup/save", "POST", REFEREE, save_table),
    Route("/api/setup/play", "POST", REFEREE, start_game),
    Route("/api/setup/leave", "POST", REFEREE, close_camera),
)
"""Routes of the set-up for the table of routes in `web.app`."""


def _board(body: Mapping[str, Any]) -> str | None:
    board = body.get("board")
    if board is None or board == "":
        return None
    if not isinstance(board, str) or board not in BOARDS:
        raise BadRequest("board must be the name of a board")
    return board


def _number_in_range(value: Any, least: float, most: float, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadRequest(f"{name} must be a number")
    if not least <= value <= most:
        raise BadRequest(f"{name} must be {least:g} to {most:g}")
    return float(value)


def _image_point(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise BadRequest("a place is two numbers")
    return _number_in_range(value[0], -1e5, 1e5, "a place"), _number_in_range(value[1], -1e5, 1e5, "a place")
