"""API of advice for those who make a board: paints, sizes, and what is wrong with the finished board."""

from __future__ import annotations

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable

from calibration.making.board_template import board_to_make, choose_template
from calibration.making.check_report import check_html, check_title, fault_texts, not_found_texts
from calibration.making.paints import PaintChoice, advise_paints
from calibration.making.sizes import VIEW_PRESETS_DEG, advise_sizes
from languages import message, message_of
from referee.boards import boards_for
from referee.presets import PRESETS
from web.i18n.catalogue import words
from web.net.decoding import BusyError
from web.net.roles import REFEREE, VIEWER, Route
from web.setup.board_photographs import CheckedBoard
from web.views.context import current_context, take_place
from web.views.request_bodies import PICTURE_MIME_TYPES, known_game, number_asked, sent_picture, whole_number_asked
from web.views.table_page import request_language


def check_picture() -> ResponseReturnValue:
    """Answer POST /api/make/check?game=GAME: the picture in the body; what is wrong with the board on it."""
    game, language = known_game(request.args.get("game", "")), request_language()
    try:
        found = current_context().board_photographs.check(sent_picture(), boards_for(PRESETS[game].variant))
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=5) from why
    check = found.check
    if not check.is_found:
        reason, advice = not_found_texts(check, language)
        return {
            "number": found.number,
            "grade": "poor",
            "summary": reason,
            "lines": [{"grade": "poor", "text": advice}],
        }
    faults = fault_texts(check, language)
    label = words(language)["label"]
    lines = [
        {"grade": "poor", "text": label.format(name=text.letter, text=f"{text.what} {text.advice}")} for text in faults
    ]
    grade = "good" if check.is_good else "fair"
    return {"number": found.number, "grade": grade, "summary": check_title(check, language), "lines": lines}


def checked_picture(number: int) -> Response:
    """Answer GET /make/checked/N.jpg: the photograph with points and faults drawn over it."""
    return Response(_checked(number).picture_jpeg, mimetype="image/jpeg")


def checked_sheet(number: int) -> Response:
    """Answer GET /make/checked/N.html: one sheet to print or keep."""
    found = _checked(number)
    response = Response(check_html(found.bgr, found.check, request_language()), mimetype="text/html")
    response.headers["Content-Disposition"] = 'attachment; filename="millchen-board.html"'
    return response


def _checked(number: int) -> CheckedBoard:
    found = current_context().board_photographs.find(number)
    if not isinstance(found, CheckedBoard):
        raise NotFound("this board was checked too long ago")
    return found


USUAL_COLOURS = {
    "cloth": "#e9dfc8",
    "line": "#3f5f3c",
    "paints": ("#b3191f", "#1d4fa8", "#e3b31c", "#1c1c1e", "#f2efe6", "#2a7d3c"),
}
"""Colours with which the page begins: linen, green wool, and paints for up to six players. Source: chosen; those of
up to four players can be told apart from each other and from the linen."""

USUAL_VIEWS_DEG, USUAL_VIEW_DEG = VIEW_PRESETS_DEG, 78
"""Angles of view that are offered, across the diagonal of the picture, degrees, and the one chosen at first.
Source: chosen, that of most webcams."""

PICTURE_SIZES = ("1280x720", "1920x1080", "640x480")
"""Usual sizes of a webcam's pictures, px; the first is chosen at first. Source: chosen."""

MOST_CLEAR_PAIRS = 3
"""Pairs of colours that are shown where all are clear. Source: chosen."""

GRADES = {"clear": "good", "alike": "fair", "too alike": "poor"}
"""The grades of a page by the ratings of paints."""


def paint_advice() -> ResponseReturnValue:
    """Answer GET /api/make/paints?cloth=...&line=...&paint1=...: which colours will be mistaken, and better ones."""
    asked, language = request.args, request_language()
    players = [n for n in range(1, 7) if f"paint{n}" in asked]
    paints = tuple(None if asked.get(f"bare{n}") == "1" else asked[f"paint{n}"] for n in players)
    choice = PaintChoice(asked.get("cloth", ""), asked.get("line", ""), paints)
    give_back = take_place(current_context().places.advices)
    if give_back is None:
        raise ServiceUnavailable(message("page.too_many_commands"), retry_after=1)
    try:
        advice = advise_paints(choice)
    finally:
        give_back()
    unclear = [pair for pair in advice.pairs if pair.rating != "clear"]
    return {
        "grade": GRADES[advice.rating],
        "summary": advice.texts[language],
        "pairs": [
            {"grade": GRADES[pair.rating], "text": pair.texts[language]}
            for pair in unclear or advice.pairs[:MOST_CLEAR_PAIRS]
        ],
        "proposals": [
            {"paint": f"paint{one.player}", "colour": one.colour, "text": one.texts[language]}
            for one in advice.proposals
        ],
    }


def photographed_colours() -> ResponseReturnValue:
    """Answer POST /api/make/colours?game=GAME: the picture in the body; colours of cloth, line and each player."""
    n_players = PRESETS[known_game(request.args.get("game", ""))].variant.players
    try:
        return current_context().board_photographs.colours(sent_picture(), n_players).to_json()
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=5) from why


def size_advice() -> ResponseReturnValue:
    """Answer GET /api/make/sizes?game=...&size=...&view=...&picture=...: how large pebbles, how high the camera."""
    asked = request.args
    board = board_to_make(known_game(asked.get("game", "")), whole_number_asked(asked, "holes"))
    choice = choose_template(board, asked.get("drawing", ""), size_cm=number_asked(asked, "size"))
    picture = asked.get("picture", PICTURE_SIZES[0])
    if picture not in PICTURE_SIZES:
        raise BadRequest(f"picture must be one of {', '.join(PICTURE_SIZES)}")
    width, height = map(int, picture.split("x"))
    view = number_asked(asked, "view")
    degrees = USUAL_VIEW_DEG if view is None else view
    advice = advise_sizes(board, choice.size_cm, degrees, width, height, choice.drawing)
    grade = advice.verdict if advice.verdict in ("good", "fair") else "poor"
    return {"lines": [{"grade": grade, "text": text} for text in advice.texts[request_language()]]}


MAKE_ADVICE_ROUTES = (
    Route("/api/make/check", "POST", REFEREE, check_picture, PICTURE_MIME_TYPES),
    Route("/make/checked/<int:number>.jpg", "GET", REFEREE, checked_picture),
    Route("/make/checked/<int:number>.html", "GET", REFEREE, checked_sheet),
    Route("/api/make/paints", "GET", VIEWER, paint_advice),
    Route("/api/make/colours", "POST", REFEREE, photographed_colours, PICTURE_MIME_TYPES),
    Route("/api/make/sizes", "GET", VIEWER, size_advice),
)
