"""What people may do at a table, one row a command, and the rules of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from flask import request
from flask.typing import ResponseReturnValue

from referee.search.think import STRENGTHS
from vision.imaging.corners import corner_fault
from web.errors import MillchenError
from web.game.clock import CLOCK_ACTS, CLOCK_KINDS
from web.game.player_commands import (
    allow_hints,
    answer_question,
    correct_ring,
    correct_stone,
    correct_tower,
    do_proposed,
    end_game,
    let_foul_stand,
    name_players,
    play_act,
    put_back,
    redo,
    resume_from_seen,
    set_partner,
    set_photographs,
    tell_mover,
)
from web.game.records import HAND_ENDINGS
from web.net.roles import VIEWER, Route, Schema
from web.table.live_table import LiveTable
from web.table.offered_games import game_rules
from web.views.command_routes import Command, recorded
from web.views.context import current_context
from web.views.request_bodies import (
    CORNERS,
    COUNT,
    FLAG,
    GAME,
    INTEGER,
    NAME,
    NAMES,
    NUMBER,
    SOURCE,
    fields,
    line,
    list_of,
    nullable,
    one_of,
)
from web.views.table_page import request_language

POINT: Schema = line(10)
PLAYER: Mapping[str, Schema] = {"player": nullable(INTEGER)}
MAX_FEN_CHARACTERS = 1000  # longest position; one of 72 holes has some 150

LAID = fields({"fen": line(MAX_FEN_CHARACTERS), "colours": list_of({**line(7, 0), "pattern": "^(#[0-9a-f]{6})?$"})})
"""A position in which the stones lie already, and the colours of each player's stones."""


def go_on(table: LiveTable, game: int | None) -> None:
    """Go on with an unfinished game, or with None begin what the command line asked for."""
    host = current_context().host
    if game is None:
        table.decline_offer()
    else:
        with nullcontext() if host is None else host.going_on(game, table):
            table.go_on(game)


def correct(table: LiveTable, **words: Any) -> None:
    """Set right what the page shows on a point."""
    table.apply_command(partial(correct_stone, shown=table.shown_tops, **words))


def resume(table: LiveTable, **words: Any) -> None:
    """Play on from the board as it is seen; who is to move may be open."""
    seen = table.publisher.snapshot.sight.seen
    table.apply_command(partial(resume_from_seen, seen=() if seen is None else seen.tops, **words))


def place_corners(table: LiveTable, corners: Sequence[Sequence[float]]) -> None:
    """Use corners of the field that people have pointed at, where they can be those of a board in this picture."""
    placed = [(float(x), float(y)) for x, y in corners]
    if (fault := corner_fault(placed, table.publisher.snapshot.sight.size)) is not None:
        raise MillchenError(fault)
    table.place_corners(placed)


COMMANDS = (
    Command(
        "/api/act",
        recorded(play_act),
        "one move in notation, or a stone out of another bowl",
        {"act": line(20)},
        PLAYER,
    ),
    Command("/api/put-back", recorded(put_back), "what was against the rules is put right on the page"),
    Command("/api/play-on", recorded(let_foul_stand), "the foul stands"),
    Command("/api/take-back", LiveTable.take_back, "the last turn goes"),
    Command("/api/redo", recorded(redo), "the turn that was taken back stands again"),
    Command(
        "/api/correct",
        correct,
        "what lies on a point: 0 nothing, else the player of the stone",
        {"point": POINT, "top": INTEGER},
    ),
    Command(
        "/api/tower",
        recorded(correct_tower),
        "what lies on a point that may hold more than one stone",
        {"point": POINT, "top": INTEGER, "height": INTEGER},
    ),
    Command(
        "/api/ring",
        recorded(correct_ring),
        "a ring (0 outermost) was turned by one hole, 1 or -1",
        {"ring": INTEGER, "steps": INTEGER},
    ),
    Command(
        "/api/answer",
        recorded(answer_question),
        "which answer to the referee's question is true (0 first)",
        {"option": COUNT},
    ),
    Command(
        "/api/mover", recorded(tell_mover), "whose turn it is in a position that was taken over", {"player": INTEGER}
    ),
    Command(
        "/api/resume",
        resume,
        "the game goes on from the board as it is seen; to_move is missing while that is open",
        {"tops": list_of(INTEGER)},
        {"to_move": nullable(INTEGER)},
    ),
    Command(
        "/api/end",
        recorded(end_game),
        "how people end the game; the referee, whose name may be given, may decide it or abandon it",
        {"how": one_of(*HAND_ENDINGS)},
        {**PLAYER, "decider": NAME},
    ),
    Command("/api/do-it", recorded(do_proposed), "the turn that Millchen has proposed is made on the page"),
    Command("/api/hint", LiveTable.ask_for_hint, "Millchen thinks about the best turn, and announces it when it knows"),
    Command(
        "/api/partner",
        recorded(set_partner),
        "Millchen plays for a player; with null as its strength a person plays again",
        {"player": INTEGER},
        {"strength": nullable(one_of(*STRENGTHS)), "explain": FLAG, "laid_by_people": FLAG},
        is_about_board=False,
    ),
    Command(
        "/api/hints",
        recorded(allow_hints),
        "whether people may ask for hints in this game",
        {"on": FLAG},
        is_about_board=False,
    ),
    Command(
        "/api/names",
        recorded(name_players),
        "the players' names, empty where nobody has one",
        {"names": NAMES},
        is_about_board=False,
    ),
    Command(
        "/api/photographs",
        recorded(set_photographs),
        "whether a photograph of every accepted turn is kept from now on",
        {"on": FLAG},
        is_about_board=False,
    ),
    Command(
        "/api/clock",
        LiveTable.set_clock,
        "the clock is set, started or paused, or pressed as the button of a real one",
        {"act": one_of(*CLOCK_ACTS)},
        {"kind": one_of(*CLOCK_KINDS), "minutes": NUMBER, "increment": NUMBER},
        is_about_board=False,
    ),
    Command(
        "/api/game",
        LiveTable.new_game,
        "another game; where the stones lie already, laid says how",
        {"game": GAME},
        {"options": {"type": "object"}, "source": SOURCE, "laid": LAID},
        is_about_board=False,
    ),
    Command(
        "/api/again",
        LiveTable.restart_game,
        "the same game anew, if it is still that one; players may swap places",
        {},
        {"game": nullable(INTEGER), "swap": FLAG},
        is_about_board=False,
    ),
    Command(
        "/api/go-on",
        go_on,
        "go on with an unfinished game, or with null begin what the command line asked for",
        {"game": nullable(INTEGER)},
        is_about_board=False,
    ),
    Command(
        "/api/keep-game",
        LiveTable.keep_game,
        "the game that was chosen is played, whatever the board looks like",
        is_about_board=False,
    ),
    Command(
        "/api/source",
        LiveTable.use_source,
        "the demo, the number of a camera, a file or an address",
        {"source": SOURCE},
        is_about_board=False,
    ),
    Command(
        "/api/corners",
        place_corners,
        "the corners of the field in pixels, clockwise from the upper left one",
        {"corners": CORNERS},
        is_about_board=False,
    ),
)


def rules(name: str) -> ResponseReturnValue:
    """Answer GET /api/rules/GAME?OPTION=VALUE...: what is played, in sentences of the page's language."""
    return game_rules(name, dict(request.args), request_language())


PLAYER_ROUTES = (
    *(row.route for row in COMMANDS),
    Route("/api/rules/<name>", "GET", VIEWER, rules),
)
