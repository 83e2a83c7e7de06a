"""The page of the steps: how a board is made, with a drawing for each step, to be printed on one sheet."""

from __future__ import annotations

from dataclasses import replace

from flask import request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from calibration.making.board_template import board_to_make
from calibration.making.making_steps import steps_for, ways_for
from calibration.step_texts import Refused, phrase
from referee.presets import PRESETS
from web.drawing.board_svg import draw_board
from web.net.roles import VIEWER, Route
from web.table.offered_games import has_story
from web.views.make_query import number_asked, whole_number_asked
from web.views.table_page import render_page, request_language


def steps_page(game: str) -> ResponseReturnValue:
    """Answer GET /make/steps/GAME: how its board of ``?size=`` cm is made in the way ``?way=``, or in the first one."""
    if game not in PRESETS:
        raise NotFound("there is no such game")
    variant, language = PRESETS[game].variant, request_language()
    ways = ways_for(variant)
    way = request.args.get("way", ways[0])
    if way not in ways:
        raise NotFound("this board is not made in this way")
    try:
        variant = replace(variant, board=board_to_make(game, whole_number_asked(request.args, "holes")))
        instructions = steps_for(way, variant, language, size_cm=number_asked(request.args, "size"))
    except Refused as why:
        raise BadRequest(why.texts["en"]) from None
    names = ("needs", "how", "ways", "to_make")
    return render_page(
        "steps.html",
        keep=("way", "size", "holes"),
        game=game,
        way=way,
        asked={name: request.args[name] for name in ("size", "holes") if name in request.args},
        ways={name: phrase(f"step.way.{name}", language) for name in ways},
        instructions=instructions,
        drawing=draw_board(variant.board),
        told={name: phrase(f"step.{name}", language) for name in names},
        has_story=has_story(game),
    )


STEPS_ROUTES = (Route("/make/steps/<game>", "GET", VIEWER, steps_page),)
"""Routes of the steps for the table of routes in `web.app`."""
