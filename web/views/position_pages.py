"""A photograph in, its position on a page of its own out, where people put it right, play on from it, or keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from languages import message, message_of
from referee.events import OtherGameSeen
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.position import Position
from referee.resumption import likeliest_hands
from referee.typed_json import Count
from referee.variant import Variant
from web.body_types import GameName
from web.colour_names import colour_names, display_colours
from web.drawing.board_svg import draw_board
from web.errors import MillchenError
from web.game.event_sentences import sentences_of_event
from web.game.game_state import GameState
from web.game.page_state import game_view
from web.hosted_tables import current_context
from web.net.roles import REFEREE, Route
from web.setup.board_photographs import ReadBoard, read_board
from web.views.command_routes import picture_route
from web.views.games_pages import running_game
from web.views.table_page import known_game, render_page

Stones = Mapping[str, Sequence[int]]  # for each point with stones their players, 1 first, bottom first
LIVE_KINDS = ("camera", "phone", "address")  # kinds of sources that see the table now, with which a game goes on


def weigh_position(
    variant: Variant, stones: Stones, hands: Sequence[int] | None, to_move: int | None
) -> dict[str, Any]:
    """Return the position as JSON: ``fen``, ``hands``, ``to_move`` (1 first) and the ``mills`` that stand."""
    counts = [sum(player == k + 1 for tower in stones.values() for player in tower) for k in range(variant.players)]
    likely, mover = likeliest_hands(variant, counts)
    towers = {point: [player - 1 for player in tower] for point, tower in stones.items()}
    try:
        position = Position.set_up(
            variant, towers, likely if hands is None else hands, mover if to_move is None else to_move - 1
        )
    except ValueError as why:
        raise MillchenError(message_of(why)) from why
    game = Game(position)
    if game.outcome is not None:
        raise MillchenError(message("position.over"))
    return {
        "fen": to_fen(position),
        "hands": position.hands,
        "to_move": position.to_move + 1,
        "mills": game_view(0, GameState(game), game).mills,
    }


def read_picture() -> ResponseReturnValue:
    """Answer POST /api/positions?game=GAME: the picture in the body; ``number`` is that of its page.

    ``&corners=X,Y,...`` are those of the board in pixels, clockwise from the upper left one, where people show them.
    """
    game, corners = known_game(request.args.get("game", "")), request.args.get("corners")
    try:
        corners_px = None if corners is None else np.array([float(n) for n in corners.split(",")]).reshape(4, 2)
    except ValueError:
        raise BadRequest("corners must be eight numbers") from None
    photograph = current_context().board_photographs.look(read_board, request.get_data(cache=False), game, corners_px)
    return {"number": photograph.number}


def position_page(number: int) -> ResponseReturnValue:
    """Answer GET /positions/N: the position as read; ``?game=`` is played, where it is played on such a board."""
    photograph = _read(number)
    game = request.args.get("game", photograph.games[0])
    variant = photograph.variant(_playable(photograph, game))
    colours, bare = photograph.colours(variant), Game(Position.set_up(variant, {}))  # the page lays the stones itself
    other = OtherGameSeen(photograph.asked, photograph.games, 0.0, 0)
    source = current_context().table.publisher.snapshot.source.kind
    return render_page(
        "position.html",
        keep=("game",),
        number=number,
        game=game,
        games=photograph.games,
        other="" if photograph.asked in photograph.games else sentences_of_event(other, (), variant.board)["texts"],
        drawing=draw_board(variant.board),
        is_asked=running_game()["is_asked"],
        position={
            "number": number,
            "game": game,
            "options": dict(variant.chosen),
            "source": None if source in LIVE_KINDS else "hand",
            "stones": photograph.stones(variant),
            "doubtful": photograph.doubtful(variant),
            "colours": colours,
            "shown": display_colours(colours),
            "names": colour_names(colours),
            "most": variant.hands,
            "view": game_view(0, GameState(bare), bare),
        },
    )


def answer_position(
    number: int, game: GameName, stones: Stones, hands: Sequence[Count] | None = None, to_move: int | None = None
) -> ResponseReturnValue:
    """Answer POST /api/positions/N: the FEN of the stones; where ``hands`` or ``to_move`` is missing the likeliest."""
    photograph = _read(number)
    variant = photograph.variant(_playable(photograph, game))
    if not all(_are_numbers(tower, 1, variant.players) for tower in stones.values()):
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
    photograph = _read(number)
    variant = photograph.variant(_playable(photograph, request.args.get("game", "")))
    try:
        tops = parse_fen(request.args.get("fen", ""), variant).tops
    except ValueError as why:
        raise MillchenError(message_of(why)) from why
    return Response(photograph.picture_jpeg(tops, display_colours(photograph.colours(variant))), mimetype="image/jpeg")


def _read(number: int) -> ReadBoard:
    return current_context().board_photographs.find(number, ReadBoard, message("position.gone"))


def _playable(photograph: ReadBoard, game: str) -> str:
    if game not in photograph.games:
        raise NotFound("this is not played on that board")
    return game


def _are_numbers(value: Sequence[int], least: int, most: int) -> bool:
    return all(least <= n <= most for n in value)


POSITION_ROUTES = (
    picture_route("/api/positions", REFEREE, read_picture),
    Route("/api/positions/<int:number>", "POST", REFEREE, answer_position),
    Route("/positions/<int:number>", "GET", REFEREE, position_page),
    Route("/positions/<int:number>.jpg", "GET", REFEREE, drawn_photograph),
)
