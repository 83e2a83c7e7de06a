"""The page of the table, its state and picture; pages for spectators, drawings, files; language and theme of pages."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from flask import Response, current_app, g, jsonify, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound

from calibration.making.board_template import board_to_make
from languages import ABOUT_LANGUAGES, DEFAULT_LANGUAGE, LANGUAGES
from referee.board import Board
from referee.boards import BOARDS
from referee.presets import PRESETS
from web.drawing.board_svg import PEBBLE_SPECKS, PEBBLE_VEINS, draw_board, pebble_shapes
from web.hosted_tables import current_context
from web.net.film_upload import FILM_SUFFIXES, MAX_FILM_BYTES, PHOTOGRAPH_SUFFIXES
from web.net.health import process_health
from web.net.roles import REFEREE
from web.page_words import words
from web.table.offered_games import OFFERED_GAMES
from web.views.event_stream import SPARED_FOR_STREAMS, asked_languages, hold_thread
from web.views.speech import available_voices

_MIME_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain",
}
"""Kinds of static files by the end of their name; no others are served."""

THEMES = ("auto", "light", "dark", "hall")
"""Colours of the pages: as the system says, light, dark, or with strong contrast to be read across a hall."""

FRAME_WAIT_S = 1.0  # longest wait of a request for a newer picture, seconds; it holds a thread meanwhile

COOKIE_AGE_S = 365 * 24 * 3600  # how long a browser keeps a choice or a token, seconds: a year


def table() -> ResponseReturnValue:
    """Answer GET /: the table."""
    context = current_context()
    findings = context.club.findings if context.club is not None and g.get("role") == REFEREE else ()
    return render_page(
        "table.html",
        state=context.table.publisher.snapshot,
        findings=[text.translated(request_language()) for text in findings],
        drawing=draw_board(context.table.variant.board),
        games=OFFERED_GAMES,
        is_in_network=context.network is not None,
        voices=available_voices(),
        **film_values(),
    )


def state() -> Response:
    """Answer GET /api/state with the newest state; with ``?lang=`` in that language alone."""
    g.languages = asked_languages()
    return jsonify(current_context().table.publisher.snapshot)


def frame() -> Response:
    """Answer GET /frame.jpg with the newest picture; with ``?after=N`` wait a moment for one after number N."""
    context = current_context()
    table = context.table
    table.camera.supervisor.request_pictures()
    after = request.args.get("after", -1, type=int)
    give_back = hold_thread(SPARED_FOR_STREAMS)
    try:
        number, jpeg = table.publisher.wait_for_picture(after, FRAME_WAIT_S if give_back is not None else 0)
    finally:
        if give_back is not None:
            give_back()
    if number in (0, after):
        return Response(status=204)
    return Response(jpeg, mimetype="image/jpeg", headers={"X-Frame-Number": str(number)})


def health() -> ResponseReturnValue:
    """Answer GET /health with counters."""
    context = current_context()
    n_held = current_app.extensions["millchen.held"].n_taken
    return {**context.table.health(), "held": n_held, "process": process_health(context.started_s)}


def render_page(template: str, *, keep: tuple[str, ...] = (), **values: Any) -> ResponseReturnValue:
    """Return a page; ``?lang=xx`` and ``?theme=xx`` set cookies, of the rest of the query ``keep`` survives that."""
    choices = {"lang": LANGUAGES, "theme": THEMES}
    path = own_path(request.path)
    kept_query = urlencode({name: request.args[name] for name in keep if name in request.args})
    if any(request.args.get(name) for name in choices):
        answer = redirect(f"{path}?{kept_query}" if kept_query else path, 303)
        for name, values_of_choice in choices.items():
            if request.args.get(name) in values_of_choice:
                answer.set_cookie(name, request.args[name], max_age=COOKIE_AGE_S, samesite="Strict", httponly=True)
        return answer
    language = request_language()
    g.languages = (language,)
    theme = request.cookies.get("theme")
    html = render_template(
        template,
        language=language,
        languages=LANGUAGES.items(),
        locales=ABOUT_LANGUAGES[language]["locales"],
        theme=theme if theme in THEMES else "auto",
        themes=THEMES,
        words=dict(words(language)),
        path=path,
        kept=f"{kept_query}&" if kept_query else "",
        role=g.get("role"),
        is_here=not current_app.extensions["millchen.in_network"],
        script=script_tags,
        **pebble_values(),
        **values,
    )
    response = make_response(html)
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def own_path(path: str) -> str:
    r"""Return a path that leads nowhere but to this server: ``//other.example`` and its disguises would not.

    >>> own_path("/games"), own_path("//other.example/"), own_path("/\t/other.example")
    ('/games', '/other.example/', '/%09/other.example')
    """
    return "/" + quote(path.lstrip("/"))


def film_values() -> dict[str, Any]:
    """Return the template values for `film_picker.html`: what kinds of files it takes, and how large."""
    return {"film_kinds": (*FILM_SUFFIXES, *PHOTOGRAPH_SUFFIXES), "film_gb": MAX_FILM_BYTES // 1_000_000_000}


def pebble_values() -> dict[str, Any]:
    """Return the template values for drawings of stones, which every page with stones includes."""
    return {"pebbles": pebble_shapes(), "specks": PEBBLE_SPECKS, "veins": PEBBLE_VEINS}


def table_scoreboard() -> ResponseReturnValue:
    """Answer GET /scoreboard: this table in large, for a screen that many people see."""
    return _spectator_page("scoreboard")


def overlay() -> ResponseReturnValue:
    """Answer GET /overlay: board and players on a transparent page, to be laid over a broadcast."""
    return _spectator_page("overlay")


def _spectator_page(kind: str) -> ResponseReturnValue:
    table = current_context().table
    snapshot = table.publisher.snapshot
    return render_page("spectator.html", kind=kind, state=snapshot, drawing=draw_board(table.variant.board))


def known_game(name: str) -> str:
    """Return the name of a game; raises NotFound where there is no such game."""
    if name not in PRESETS:
        raise NotFound("there is no such game")
    return name


def number_asked(query: Mapping[str, str], name: str) -> float | None:
    """Return a number of a query, None where it is missing; raises BadRequest where it is something else."""
    if name not in query:
        return None
    try:
        return float(query[name])
    except ValueError:
        raise BadRequest(f"{name} must be a number") from None


def whole_number_asked(query: Mapping[str, str], name: str) -> int | None:
    """Return a whole number of a query, None where it is missing; raises BadRequest where it is something else."""
    number = number_asked(query, name)
    if number is not None and not number.is_integer():
        raise BadRequest(f"{name} must be a whole number")
    return None if number is None else int(number)


def current_board_svg() -> Response:
    """Answer GET /board.svg: the board of the present game, to be inserted into the page."""
    return _svg_response(draw_board(current_context().table.variant.board), standalone=False)


def named_board_svg(name: str) -> Response:
    """Answer GET /boards/NAME.svg: any board as a picture of its own, one of discs with ``?holes=`` on each."""
    if name not in BOARDS:
        raise NotFound("there is no such board")
    board = board_to_make(name, whole_number_asked(request.args, "holes"))
    response = _svg_response(draw_board(board), standalone=True)
    response.headers["Cache-Control"] = "max-age=3600"
    return response


def board_picture(board: Board) -> str:
    """Return the address of `named_board_svg` for a board."""
    return f"/boards/{board.name}.svg" + (f"?holes={len(board.rings[0])}" if board.rings else "")


def static_file(path: str) -> Response:
    """Answer GET /static/PATH with a file of the page; only plain names of known kinds are looked for."""
    file_path = PurePosixPath(path)
    kind = _MIME_TYPES.get(file_path.suffix)
    parts = file_path.parts
    if (
        kind is None
        or str(file_path) != path
        or not all(part.replace("-", "").replace("_", "").replace(".", "").isalnum() for part in parts)
    ):
        raise NotFound("there is no such file")
    file = static_path(path)
    if not file.is_file():
        raise NotFound("there is no such file")
    return _kept_in_browser(Response(file.read_bytes(), mimetype=kind))


def script_tags(name: str) -> Markup:
    """Return the tags of a script of the page; the browser fetches all that it imports at once."""
    *imported, own = modules_of(name)
    tags = "".join(f'<link rel="modulepreload" href="/static/{module}">' for module in imported)
    return Markup(f'{tags}<script type="module" src="/static/{own}"></script>')  # noqa: S704  # names of our own files


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """Return a script of the page and all scripts that it imports, each after those that it imports itself."""
    text = static_path(name).read_text(encoding="utf-8")
    needed = [
        posixpath.normpath(f"{posixpath.dirname(name)}/{one}")
        for one in re.findall(r'^import .*?"(\.[^"]+)";$', text, re.M)
    ]
    return tuple(dict.fromkeys((*(module for one in needed for module in modules_of(one)), name)))


def static_path(name: str) -> Any:
    """Return a file of the page."""
    return files("web").joinpath("static", *name.split("/"))


def page_words(language: str) -> Response:
    """Answer GET /words/LANGUAGE.js: the texts of the page."""
    return _brought_by_script(dict(words(_known_language(language))))


def offered_games(language: str) -> Response:
    """Answer GET /offers/LANGUAGE.js: the games that can be begun, with what a table may choose."""
    return _brought_by_script([game.to_json(_known_language(language)) for game in OFFERED_GAMES])


def _brought_by_script(value: Any) -> Response:
    """Return a script that puts a value, as JSON, where a page would have it itself: into its own element."""
    script = f"document.currentScript.textContent = {json.dumps(json.dumps(value, ensure_ascii=False))};"
    return _kept_in_browser(Response(script, mimetype="text/javascript"))


def _known_language(language: str) -> str:
    if language not in LANGUAGES:
        raise NotFound("there is no such language")
    return language


def _kept_in_browser(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _svg_response(drawing: Any, *, standalone: bool) -> Response:
    template: Any = current_app.jinja_env.get_template("board.svg").module
    return Response(template.board_svg(drawing, standalone=standalone), mimetype="image/svg+xml")


def attachment(data: str | bytes, kind: str, name: str) -> Response:
    """Return a file that the browser keeps under a name."""
    return Response(data, mimetype=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def request_language() -> str:
    """Return the language that was chosen on this device, else the browser's, else the default."""
    language = request.cookies.get("lang")
    if language is not None and language in LANGUAGES:
        return language
    return request.accept_languages.best_match(list(LANGUAGES)) or DEFAULT_LANGUAGE
