"""Pages and API of the set-up of a table: the page, its live state, pictures, and a command for each step."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from calibration.cameras import list_cameras
from calibration.printed_target import PAPER_SIZES_MM, target_sheet
from calibration.sheets import sheet_svg, sheets_pdf
from languages import catalogue, translated
from web.body_types import GameName, SourceName
from web.hosted_tables import current_context
from web.net.roles import REFEREE, VIEWER, Route
from web.setup.setup_camera import camera_thumbnail
from web.setup.setup_session import SetupSession
from web.table.offered_games import OFFERED_GAMES
from web.table.source_names import PHONE
from web.views.command_routes import body_words
from web.views.table_page import attachment, film_values, render_page, request_language

SETUP_STATE_WAIT_S = 0.8  # longest wait of a request for a newer state or picture, seconds; it holds a thread meanwhile


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


def setup_state() -> ResponseReturnValue:
    """Answer GET /api/setup: everything live, after number N."""
    return _camera_state(request.args.get("after", -1, type=int), SETUP_STATE_WAIT_S)


def setup_picture() -> Response:
    """Answer GET /setup/frame.jpg with the newest picture after number N."""
    newest = _session().camera.picture(request.args.get("after", -1, type=int), SETUP_STATE_WAIT_S)
    if newest is None:
        return Response(status=204)
    number, jpeg = newest
    return Response(jpeg, mimetype="image/jpeg", headers={"X-Frame-Number": str(number)})


def field_picture() -> Response:
    """Answer GET /setup/field.jpg with the picture in which the field was found."""
    jpeg = _session().field_jpeg()
    if jpeg is None:
        raise NotFound("there is no picture yet")
    return Response(jpeg, mimetype="image/jpeg")


def cameras() -> ResponseReturnValue:
    """Answer GET /api/setup/cameras: number and name of each."""
    return {"cameras": [{"number": int(number), "name": name} for number, name in list_cameras().items()]}


def thumbnail(number: int) -> Response:
    """Answer GET /setup/camera/N.jpg with a picture of a camera."""
    if str(number) not in list_cameras():
        raise NotFound("there is no such camera")
    jpeg = camera_thumbnail(number)
    return Response(status=204) if jpeg is None else Response(jpeg, mimetype="image/jpeg")


def printed_target(paper: str, kind: str) -> Response:
    """Answer GET /setup/target-PAPER.KIND with the sheet to print."""
    if paper not in PAPER_SIZES_MM or kind not in ("pdf", "svg"):
        raise NotFound("there is no such sheet")
    sheet = target_sheet(paper, request_language())
    if kind == "svg":
        return Response(sheet_svg(sheet), mimetype="image/svg+xml")
    headers = {"Content-Disposition": f'inline; filename="millchen-{paper}.pdf"'}
    return Response(sheets_pdf([sheet]), mimetype="application/pdf", headers=headers)


def setup_report() -> Response:
    """Answer GET /setup/report.html with the report as a file."""
    return attachment(_session().report(request_language()), "text/html", "millchen-table.html")


def open_camera(source: SourceName) -> ResponseReturnValue:
    """Answer POST /api/setup/open: look through a source."""
    context = current_context()
    if context.table.camera.find_source(source).kind == PHONE:
        context.phone_frames.check()
    context.setup.open(context.table.camera, source)
    return _camera_state(-1, 0)


def start_game(game: GameName) -> ResponseReturnValue:
    """Answer POST /api/setup/play: the camera goes to the table, and a game begins on it."""
    source = _session().source
    if not source:
        raise BadRequest("there is no camera yet")
    current_context().table.new_game(game, {}, source)
    _session().leave()
    return {"ok": True}


def step(path: str, do: Callable[..., Any], method: str = "POST") -> Route:
    """Return the route of a step of the set-up: ``do`` is given the session and the words of the body."""

    @wraps(do)
    def view(**words: Any) -> ResponseReturnValue:
        return do(_session(), **words) or {"ok": True}

    return Route(path, method, REFEREE, view, body_words(do, path, "self"))


SETUP_ROUTES = (
    Route("/setup", "GET", REFEREE, setup_page),
    Route("/setup/frame.jpg", "GET", REFEREE, setup_picture),
    Route("/setup/field.jpg", "GET", REFEREE, field_picture),
    Route("/setup/camera/<int:number>.jpg", "GET", REFEREE, thumbnail),
    Route("/setup/target-<paper>.<kind>", "GET", VIEWER, printed_target),
    Route("/setup/report.html", "GET", REFEREE, setup_report),
    Route("/api/setup", "GET", REFEREE, setup_state),
    Route("/api/setup/cameras", "GET", REFEREE, cameras),
    Route("/api/setup/open", "POST", REFEREE, open_camera),
    step("/api/setup/watch", SetupSession.watch),
    step("/api/setup/again", SetupSession.play_film_again),
    step("/api/setup/lens", SetupSession.measure_lens),
    step("/api/setup/field", SetupSession.take_field),
    step("/api/setup/stones", SetupSession.take_stones),
    step("/api/setup/check", SetupSession.check, "GET"),
    step("/api/setup/save", SetupSession.save),
    Route("/api/setup/play", "POST", REFEREE, start_game),
    step("/api/setup/leave", SetupSession.leave),
)
