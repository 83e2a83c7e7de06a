"""A position read from one photograph: it comes in, is put right on a page of its own, and is played on or kept."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable

from languages import message, message_of
from referee.events import OtherGameSeen
from web.drawing.board_svg import draw_board
from web.drawing.colour_names import colour_names, display_colours
from web.game.laid_position import bare_view, position_of_fen, weigh_position
from web.net.image_upload import BusyError
from web.net.roles import REFEREE, Route
from web.setup.read_board import ReadBoard
from web.views.board_check_pages import sent_picture
from web.views.context import current_context
from web.views.games_pages import running_game
from web.views.json_answer import json_answer
from web.views.make_query import known_game
from web.views.table_api import json_body
from web.views.table_page import page_language_sentences, render_page

POSITION_ENDPOINT = "POST /api/positions"
"""The route of photographs of positions."""

LIVE_KINDS = ("camera", "phone", "address")
"""Kinds of sources that see the table now, with which a game goes on."""


@json_answer
def read_picture() -> Any:
    """Answer POST /api/positions?game=GAME: the picture in the body; ``number`` is that of its page."""
    try:
        found = current_context().board_photographs.read(sent_picture(), known_game(request.args.get("game", "")))
    except BusyError as why:
        raise ServiceUnavailable(message_of(why), retry_after=5) from why
    return {"number": found.number}


def position_page(number: int) -> ResponseReturnValue:
    """Answer GET /positions/N: the position as read; ``?game=`` is played, where it is played on such a board."""
    found = _read(number)
    game = request.args.get("game", found.games[0])
    variant = found.variant(_playable(found, game))
    colours = found.colours(variant)
    other = OtherGameSeen(found.asked, found.games, 0.0, 0)
    source = current_context().table.publisher.snapshot.source.kind
    return render_page(
        "position.html",
        keep=("game",),
        number=number,
        game=game,
        games=found.games,
        other="" if found.asked in found.games else page_language_sentences(other, (), variant.board)["texts"],
        drawing=draw_board(variant.board),
        is_asked=running_game()["is_asked"],
        position={
            "number": number,
            "game": game,
            "options": dict(variant.chosen),
            "source": None if source in LIVE_KINDS else "hand",
            "stones": found.stones(variant),
            "doubtful": found.doubtful(variant),
            "colours": colours,
            "shown": display_colours(colours),
            "names": colour_names(colours),
            "most": variant.hands,
            "view": bare_view(variant),
        },
    )


@json_answer
def answer_position(number: int) -> Any:
    """Answer POST /api/positions/N: the FEN of ``{"game", "stones": {point: [players]}, "hands", "to_move"}``.

    ``hands`` and ``to_move`` are missing where the likeliest are wanted; the answer has them.
    """
    body, found = json_body(), _read(number)
    variant = found.variant(_playable(found, str(body.get("game"))))
    stones, hands, to_move = body.get("stones"), body.get("hands"), body.get("to_move")
    if not isinstance(stones, dict) or not all(_are_numbers(tower, 1, variant.players) for tower in stones.values()):
        raise BadRequest("stones must be an object of lists of players")
    if not stones.keys() <= variant.board.index.keys():
        raise BadRequest("stones must name points of the board")
    if hands is not None and not (_are_numbers(hands, 0, max(variant.hands)) and len(hands) == variant.players):
        raise BadRequest("hands must be a list of whole numbers, one for each player")
    if to_move is not None and not _are_numbers([to_move], 1, variant.players):
        raise BadRequest("to_move must be the number of a player")
    return weigh_position(variant, stones, hands, to_move)


def drawn_photograph(number: int) -> Response:
    """Answer GET /positions/N.jpg?game=GAME&fen=FEN: the board in the photograph, that position drawn over it."""
    found = _read(number)
    variant = found.variant(_playable(found, request.args.get("game", "")))
    tops = position_of_fen(request.args.get("fen", ""), variant).tops
    return Response(found.picture_jpeg(tops, display_colours(found.colours(variant))), mimetype="image/jpeg")


def _read(number: int) -> ReadBoard:
    found = current_context().board_photographs.find(number)
    if not isinstance(found, ReadBoard):
        raise NotFound(message("position.gone"))
    return found


def _playable(found: ReadBoard, game: str) -> str:
    if game not in found.games:
        raise NotFound("this is not played on that board")
    return game


def _are_numbers(value: Any, least: int, most: int) -> bool:
    return isinstance(value, list) and all(type(n) is int and least <= n <= most for n in value)


POSITION_ROUTES = (
    Route("/api/positions", "POST", REFEREE, read_picture),
    Route("/api/positions/<int:number>", "POST", REFEREE, answer_position),
    Route("/positions/<int:number>", "GET", REFEREE, position_page),
    Route("/positions/<int:number>.jpg", "GET", REFEREE, drawn_photograph),
)
"""Routes of positions in photographs for the table of routes in `web.app`."""
