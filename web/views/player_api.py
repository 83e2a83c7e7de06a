"""The commands of people at a table, one row each, and the rules of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Annotated, Any, TypedDict

from flask import request
from flask.typing import ResponseReturnValue

from referee.explain import rule_sentences
from referee.typed_json import limits, line
from vision.imaging.corners import corner_fault
from web.body_types import Corners, GameName, SourceName
from web.errors import MillchenError
from web.game import player_commands as by_hand
from web.hosted_tables import current_context
from web.net.roles import VIEWER, Route
from web.table.live_table import LiveTable
from web.table.offered_games import check_game
from web.views.command_routes import Command, recorded
from web.views.table_page import request_language

MAX_FEN_CHARACTERS = 1000  # longest position; one of 72 holes has some 150


class Laid(TypedDict):
    """A position in which the stones lie already, and the colours of each player's stones."""

    fen: Annotated[str, line(MAX_FEN_CHARACTERS)]
    colours: Sequence[Annotated[str, (*line(7, 0), *limits(pattern="^(#[0-9a-f]{6})?$"))]]


def new_game(
    table: LiveTable,
    game: GameName,
    options: Mapping[str, Any] | None = None,
    source: SourceName | None = None,
    laid: Laid | None = None,
) -> None:
    """Begin another game; where the stones lie already, ``laid`` says how."""
    table.new_game(game, options, source, laid=laid)


def go_on(table: LiveTable, game: int | None) -> None:
    """Go on with an unfinished game, or with None begin what the command line asked for."""
    host = current_context().host
    if game is None:
        table.decline_offer()
    else:
        with nullcontext() if host is None else host.going_on(game, table):
            table.go_on(game)


def correct(table: LiveTable, point: Annotated[str, line(10)], top: int) -> None:
    """Say what lies on a point: 0 nothing, else the player of the stone."""
    page_tops = table.publisher.page_game.position.tops
    table.apply_command(by_hand.correct_stone, point=point, top=top, page_tops=page_tops)


def resume(table: LiveTable, tops: Sequence[int], to_move: int | None = None) -> None:
    """Play on from the board as it is seen; ``to_move`` is missing while that is open."""
    position_in_sight = table.publisher.snapshot.sight.seen
    in_sight = () if position_in_sight is None else position_in_sight.tops
    table.apply_command(by_hand.resume_from_seen, tops_in_sight=in_sight, tops=tops, to_move=to_move)


def place_corners(table: LiveTable, corners: Corners) -> None:
    """Take the corners of the field, in pixels, clockwise from the upper left one."""
    corners_px = tuple((float(x), float(y)) for x, y in corners)
    if (fault := corner_fault(corners_px, table.publisher.snapshot.sight.size)) is not None:
        raise MillchenError(fault)
    table.camera.place_corners(corners_px)


COMMANDS = (
    Command("/api/act", recorded(by_hand.play_act)),
    Command("/api/put-back", recorded(by_hand.put_back)),
    Command("/api/play-on", recorded(by_hand.let_foul_stand)),
    Command("/api/take-back", recorded(by_hand.take_back_turn)),
    Command("/api/redo", recorded(by_hand.redo)),
    Command("/api/correct", correct),
    Command("/api/tower", recorded(by_hand.correct_tower)),
    Command("/api/ring", recorded(by_hand.correct_ring)),
    Command("/api/answer", recorded(by_hand.answer_question)),
    Command("/api/mover", recorded(by_hand.tell_mover)),
    Command("/api/resume", resume),
    Command("/api/end", recorded(by_hand.end_game)),
    Command("/api/do-it", recorded(by_hand.do_proposed)),
    Command("/api/hint", LiveTable.ask_for_hint),
    Command("/api/partner", recorded(by_hand.set_partner), is_about_board=False),
    Command("/api/hints", recorded(by_hand.allow_hints), is_about_board=False),
    Command("/api/names", recorded(by_hand.name_players), is_about_board=False),
    Command("/api/photographs", recorded(by_hand.set_photographs), is_about_board=False),
    Command("/api/clock", LiveTable.set_clock, is_about_board=False),
    Command("/api/game", new_game, is_about_board=False),
    Command("/api/again", LiveTable.restart_game, is_about_board=False),
    Command("/api/go-on", go_on, is_about_board=False),
    Command("/api/keep-game", LiveTable.keep_game, is_about_board=False),
    Command("/api/source", LiveTable.use_source, is_about_board=False),
    Command("/api/corners", place_corners, is_about_board=False),
)


def rules(name: str) -> ResponseReturnValue:
    """Answer GET /api/rules/GAME?OPTION=VALUE...: what is played, in sentences of the page's language."""
    variant = check_game(name, request.args.to_dict())
    about = {"game": name, "board": variant.board.name, "players": variant.players}
    return about | {"sentences": rule_sentences(variant, request_language())}


PLAYER_ROUTES = (
    *(row.route for row in COMMANDS),
    Route("/api/rules/<name>", "GET", VIEWER, rules),
)
