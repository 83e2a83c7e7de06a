"""The pages that tell where each game comes from: its history, its names, and the sources of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import catalogue
from referee.presets import PRESETS
from web.drawing.board_svg import draw_board
from web.net.roles import VIEWER, Route
from web.table.offered_games import game_rules, has_story
from web.views.table_page import render_page, request_language

STORIES: Mapping[str, Mapping[str, Any]] = json.loads(files("web.views").joinpath("story_sources.json").read_bytes())
"""``titles`` of the sources by a short name (one that begins with "sheet" has its title in ``story.json``); by game its
``sources``, and its ``names`` in other languages: code of the language and name, as the sources write it."""


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
        names=[(code, story["languages"][code], name) for code, name in STORIES["names"].get(game, {}).items()],
        sources=[story["sheets"].get(source) or STORIES["titles"][source] for source in STORIES["sources"][game]],
        rules=game_rules(game, {}, language)["sentences"],
        drawing=draw_board(PRESETS[game].variant.board),
        others=[other for other in PRESETS if has_story(other)],
    )


STORY_ROUTES = (Route("/story/<game>", "GET", VIEWER, story_page),)
