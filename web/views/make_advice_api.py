"""API of advice for whoever makes a board: which paints can be told apart, how large pebbles, how high the camera."""

from __future__ import annotations

from typing import Any

from flask import request
from werkzeug.exceptions import BadRequest, ServiceUnavailable

from calibration.making.board_template import board_to_make, choose_template
from calibration.making.paints import PaintChoice, advise_paints
from calibration.making.sizes import VIEW_PRESETS_DEG, advise_sizes
from languages import message, message_of
from referee.presets import PRESETS
from web.net.image_upload import BusyError
from web.net.roles import REFEREE, VIEWER, Route
from web.views.board_check_pages import sent_picture
from web.views.context import current_context
from web.views.json_answer import json_answer
from web.views.make_query import known_game, number_asked, whole_number_asked
from web.views.shares import acquire_slot
from web.views.table_page import request_language

COLOURS_ENDPOINT = "POST /api/make/colours"
"""The route of photographs of cloth and pebbles."""

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


@json_answer
def paint_advice() -> Any:
    """Answer GET /api/make/paints?cloth=...&line=...&paint1=...: which colours will be mistaken, and better ones."""
    asked, language = request.args, request_language()
    players = [n for n in range(1, 7) if f"paint{n}" in asked]
    paints = tuple(None if asked.get(f"bare{n}") == "1" else asked[f"paint{n}"] for n in players)
    choice = PaintChoice(asked.get("cloth", ""), asked.get("line", ""), paints)
    give_back = acquire_slot(current_context().places.advices)
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


@json_answer
def photographed_colours() -> Any:
    """Answer POST /api/make/colours?game=GAME: the picture in the body; colours of cloth, line and each player."""
    n_players = PRESETS[known_game(request.args.get("game", ""))].variant.players
    try:
        return current_context().board_photographs.colours(sent_picture(), n_players).to_json()
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=5) from why


@json_answer
def size_advice() -> Any:
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
    Route("/api/make/paints", "GET", VIEWER, paint_advice),
    Route("/api/make/colours", "POST", REFEREE, photographed_colours),
    Route("/api/make/sizes", "GET", VIEWER, size_advice),
)
"""Routes of the advice for the table of routes in `web.app`."""
