"""API of what people say and do about the game, one row a command; the clock; and the rules of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from languages import message
from referee.search.think import STRENGTHS
from web.errors import MillchenError
from web.game.clock import Clock, parse_clock
from web.game.game_state import GameState
from web.game.player_commands import (
    allow_hints,
    answer_question,
    correct_ring,
    correct_tower,
    do_proposed,
    end_game,
    let_foul_stand,
    name_players,
    play_act,
    put_back,
    redo,
    set_partner,
    set_photographs,
    tell_mover,
)
from web.game.records import HAND_ENDINGS
from web.journal.journal_record import UnwrittenRecord
from web.net.roles import REFEREE, VIEWER, Route, Schema
from web.table.offered_games import game_rules
from web.views.request_bodies import COUNT, FLAG, INTEGER, NAME, NAMES, command, line, nullable, one_of, own_words
from web.views.table_api import carry_out
from web.views.table_page import request_language

POINT: Schema = line(10)

PLAYER: Mapping[str, Schema] = {"player": nullable(INTEGER)}

CLOCK_BODY: Mapping[str, Any] = command(
    {"act": one_of("set", "start", "pause", "press")},
    {"kind": one_of("off", "down", "up"), "minutes": {"type": "number"}, "increment": {"type": "number"}},
)


class Command(NamedTuple):
    """A command about the game: ``apply`` makes its record of the state and the words of the body."""

    path: str
    apply: Callable[..., UnwrittenRecord]
    summary: str
    needed: Mapping[str, Schema] = {}
    optional: Mapping[str, Schema] = {}
    is_about_board: bool = True

    @property
    def route(self) -> Route:
        """Its route."""

        def view() -> Response:
            words = own_words()
            return carry_out(lambda table: table.apply_command(partial(self.apply, **words)))

        view.__doc__ = self.summary
        body = command(self.needed, self.optional, is_about_board=self.is_about_board)
        return Route(self.path, "POST", REFEREE, view, body)


COMMANDS = (
    Command("/api/act", play_act, "one move in notation, or a stone out of another bowl", {"act": line(20)}, PLAYER),
    Command("/api/put-back", put_back, "what was against the rules is put right on the page"),
    Command("/api/play-on", let_foul_stand, "the foul stands"),
    Command("/api/redo", redo, "the turn that was taken back stands again"),
    Command(
        "/api/tower",
        correct_tower,
        "what lies on a point that may hold more than one stone",
        {"point": POINT, "top": INTEGER, "height": INTEGER},
    ),
    Command(
        "/api/ring",
        correct_ring,
        "a ring (0 outermost) was turned by one hole, 1 or -1",
        {"ring": INTEGER, "steps": INTEGER},
    ),
    Command(
        "/api/answer", answer_question, "which answer to the referee's question is true (0 first)", {"option": COUNT}
    ),
    Command("/api/mover", tell_mover, "whose turn it is in a position that was taken over", {"player": INTEGER}),
    Command(
        "/api/end",
        end_game,
        "how people end the game; the referee, whose name may be given, may decide it or abandon it",
        {"how": one_of(*HAND_ENDINGS)},
        {**PLAYER, "decider": NAME},
    ),
    Command("/api/do-it", do_proposed, "the turn that Millchen has proposed is made on the page"),
    Command(
        "/api/partner",
        set_partner,
        "Millchen plays for a player; with null as its strength a person plays again",
        {"player": INTEGER},
        {"strength": nullable(one_of(*STRENGTHS, None)), "explain": FLAG, "laid_by_people": FLAG},
        is_about_board=False,
    ),
    Command(
        "/api/hints", allow_hints, "whether people may ask for hints in this game", {"on": FLAG}, is_about_board=False
    ),
    Command("/api/names", name_players, "the players' names, empty where nobody has one", {"names": NAMES}, {}, False),
    Command(
        "/api/photographs",
        set_photographs,
        "whether a photograph of every accepted turn is kept from now on",
        {"on": FLAG},
        is_about_board=False,
    ),
)


def rules(name: str) -> ResponseReturnValue:
    """Answer GET /api/rules/GAME?OPTION=VALUE...: what is played, in sentences of the page's language."""
    return game_rules(name, dict(request.args), request_language())


def clock() -> Response:
    """Answer POST /api/clock: set, start or pause it, or press it as the button of a real clock."""
    body = own_words()
    act = body["act"]

    def change(now: Clock, course: GameState, now_s: float) -> Clock:
        mover = course.game.position.to_move
        if act == "set":
            return parse_clock(body, course.game.variant.players)
        if now.kind == "off" or course.game.outcome is not None:
            raise MillchenError(message("clock.none"))
        if act == "pause":
            return now.pause(now_s)
        if act == "start":
            return now.run(mover, now_s)
        if act == "press":
            if now.running is None:
                return now.run(mover, now_s)
            return now.press((now.running + 1) % course.game.variant.players, now_s)
        raise BadRequest("act must be set, start, pause or press")

    return carry_out(lambda table: table.set_clock(change))


PLAYER_ROUTES = (
    *(row.route for row in COMMANDS),
    Route("/api/clock", "POST", REFEREE, clock, CLOCK_BODY),
    Route("/api/rules/<name>", "GET", VIEWER, rules),
)
