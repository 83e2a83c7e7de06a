"""Pages to read: the story of a game with its sources, its rules on one sheet, and help."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from flask import redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import catalogue
from referee.explain import rule_sentences
from referee.presets import PRESETS
from web.drawing.board_svg import draw_board
from web.hosted_tables import current_context
from web.net.roles import VIEWER, Route
from web.table.offered_games import check_game, has_story
from web.views.table_page import board_picture, known_game, render_page, request_language

STORIES: Mapping[str, Mapping[str, Any]] = json.loads(files("web.views").joinpath("story_sources.json").read_bytes())
"""``titles`` of the sources by a short name (a number is that of a rule sheet, named in ``story.json``); by game its
``sources``, and its ``names`` in other languages: code of the language and name, as the sources write it."""


HELP_PARTS = ("camera", "light", "unseen", "wrong", "phones", "voice", "games")
"""Parts of the page of help, in order: ``help.PART`` is the title, ``help.PART.do`` has a line for each advice."""


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
        drawing=draw_board(PRESETS[game].variant.board),
        others=[other for other in PRESETS if has_story(other)],
    )


def running_rules() -> ResponseReturnValue:
    """Answer GET /rules: the way to the rules of the game that is on at the table."""
    variant = current_context().table.variant
    return redirect(f"/rules/{variant.name}?{urlencode(variant.chosen)}".rstrip("?"))


def rules_page(game: str) -> ResponseReturnValue:
    """Answer GET /rules/GAME: its rules, with the options that the query has, to read and to print."""
    variant = check_game(known_game(game), request.args.to_dict())
    sentences = rule_sentences(variant, request_language())
    picture = board_picture(variant.board)
    return render_page("rules.html", game=game, sentences=sentences, picture=picture, has_story=has_story(game))


def help_page() -> ResponseReturnValue:
    """Answer GET /help: camera and lamp, what to do when something is not seen, phones, voice, and where games are."""
    return render_page("help.html", parts=HELP_PARTS)


STORY_ROUTES = (
    Route("/story/<game>", "GET", VIEWER, story_page),
    Route("/rules", "GET", VIEWER, running_rules),
    Route("/rules/<game>", "GET", VIEWER, rules_page),
    Route("/help", "GET", VIEWER, help_page),
)
