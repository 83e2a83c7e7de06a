"""The page itself, the pictures of the boards, and the files that belong to them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from flask import Response, make_response, redirect, render_template, render_template_string, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from referee.layouts import BOARDS
from web.drawing import draw_board, pebble_shapes
from web.games import GAMES
from web.shell import shell
from web.stream import state_json
from web.words import DEFAULT, LANGUAGES, words

_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain",
}
_YEAR_S = 365 * 24 * 3600
_BOARD = '{% from "board.svg" import board_svg %}{{ board_svg(drawing, standalone=standalone) }}'


def table() -> ResponseReturnValue:
    """Answer GET /: the table. ``?lang=xx`` chooses a language and is remembered."""
    asked = request.args.get("lang", "")
    if asked:
        answer = redirect("/", 303)
        if asked in LANGUAGES:
            answer.set_cookie("lang", asked, max_age=_YEAR_S, samesite="Strict", httponly=True)
        return answer
    behind = shell()
    language = language_asked()
    page = render_template(
        "table.html",
        language=language,
        languages=LANGUAGES.items(),
        words=dict(words(language)),
        state=state_json(behind),
        drawing=draw_board(behind.table.board),
        pebbles=pebble_shapes(),
        games=GAMES,
    )
    response = make_response(page)
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def board_now() -> Response:
    """Answer GET /board.svg: the board that is played on, to be set into the page."""
    return _svg(draw_board(shell().table.board), standalone=False)


def board_picture(name: str) -> Response:
    """Answer GET /boards/NAME.svg: any board as a picture of its own."""
    if name not in BOARDS:
        raise NotFound("there is no such board")
    response = _svg(draw_board(BOARDS[name]), standalone=True)
    response.headers["Cache-Control"] = "max-age=3600"
    return response


def static_file(path: str) -> Response:
    """Answer GET /static/PATH with a file of the page; only names of our own kinds are looked for."""
    wanted = PurePosixPath(path)
    kind = _TYPES.get(wanted.suffix)
    parts = wanted.parts
    if (
        kind is None
        or str(wanted) != path
        or not all(part.replace("-", "").replace("_", "").replace(".", "").isalnum() for part in parts)
    ):
        raise NotFound("there is no such file")
    file = files("web").joinpath("static", *parts)
    if not file.is_file():
        raise NotFound("there is no such file")
    response = Response(file.read_bytes(), mimetype=kind)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _svg(drawing: Any, *, standalone: bool) -> Response:
    return Response(render_template_string(_BOARD, drawing=drawing, standalone=standalone), mimetype="image/svg+xml")


def language_asked() -> str:
    """The language that was chosen on this device, else the browser's, else English."""
    chosen = request.cookies.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(list(LANGUAGES)) or DEFAULT
