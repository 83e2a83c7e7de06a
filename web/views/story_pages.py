"""The pages that tell where each game comes from: its history, its names, and the sources of both."""

from __future__ import annotations

from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import catalogue
from referee.presets import PRESETS
from web.drawing.board_svg import draw_board
from web.net.roles import VIEWER, Route
from web.table.offered_games import game_rules, has_story
from web.views.story_sources import NAMES, SOURCES, TITLES
from web.views.table_page import render_page, request_language


def story_page(game: str) -> ResponseReturnValue:
    """Answer GET /story/GAME: where a game comes from."""
    if not has_story(game):
        raise NotFound("there is no story of this game")
    language = request_language()
    story = catalogue(language, "story")
    return render_page(
        "story.html",
        game=game,
        told=story["told"][game],
        names=[(code, story["languages"][code], name) for code, name in NAMES.get(game, ())],
        sources=[story["sheets"].get(source) or TITLES[source] for source in SOURCES[game]],
        rules=game_rules(game, {}, language)["sentences"],
        drawing=draw_board(PRESETS[game].variant.board),
        others=[other for other in PRESETS if has_story(other)],
    )


STORY_ROUTES = (Route("/story/<game>", "GET", VIEWER, story_page),)
"""Routes of the stories for the table of routes in `web.app`."""
