"""API of what the camera cannot see: names, clock, endings, redo, photographs, remarks, and finished games."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, jsonify, request
from werkzeug.exceptions import BadRequest

from languages import message, message_of
from web.errors import MillchenError
from web.game.clock import Clock, parse_clock
from web.game.hand_play import play_act, put_back
from web.game.player_commands import (
    answer_question,
    correct_ring,
    correct_tower,
    end_game,
    name_players,
    redo,
    set_photographs,
    tell_mover,
)
from web.game.replay import MAX_NAME_CHARACTERS, GameState
from web.history.finished_games import replay_json
from web.history.record_import import RefusedFileError, bodies_of_file
from web.table.offered_games import game_rules
from web.views.context import current_context
from web.views.opened_games import find_in_journal, is_about_demos, known_games, open_game
from web.views.table_api import carry_out, int_field, json_body, text_field
from web.views.table_page import request_language

MAX_IMPORT_BODY_BYTES = 1_000_000
"""Longest body of an import, bytes: JSON makes a text of `referee.record_files.MAX_RECORD_BYTES` longer.

Source: chosen.
"""

MAX_REMARK_CHARACTERS = 1000
"""Longest remark on a turn. Source: chosen."""


def rules(name: str) -> Response:
    """Answer GET /api/rules/GAME?OPTION=VALUE...: what is played, in sentences of the page's language."""
    return jsonify(game_rules(name, dict(request.args), request_language()))


def names() -> Response:
    """Answer POST /api/names: ``{"names": ["Anna", "Ben"]}``, empty texts where nobody has a name."""
    command = partial(name_players, names=_names(json_body().get("names")))
    return carry_out(lambda table: table.apply_command(command))


def tower() -> Response:
    """Answer POST /api/tower: ``{"point": name, "top": k, "height": n}``, what lies on a point that may hold more."""
    body = json_body()
    said = partial(
        correct_tower, point=str(body.get("point")), top=int_field(body, "top"), height=int_field(body, "height")
    )
    return carry_out(lambda table: table.apply_command(said))


def ring() -> Response:
    """Answer POST /api/ring: ``{"ring": k, "steps": 1 or -1}``, a ring (0 outermost) was turned by one hole."""
    body = json_body()
    said = partial(correct_ring, ring=int_field(body, "ring"), steps=int_field(body, "steps"))
    return carry_out(lambda table: table.apply_command(said))


def answer() -> Response:
    """Answer POST /api/answer: ``{"option": k}``, which of the answers to the referee's question is true (0 first)."""
    body = json_body()
    said = partial(answer_question, option=int_field(body, "option"))
    return carry_out(lambda table: table.apply_command(said))


def mover() -> Response:
    """Answer POST /api/mover: ``{"player": k}``, whose turn it is where a position was taken over as it lay."""
    body = json_body()
    said = partial(tell_mover, player=int_field(body, "player"))
    return carry_out(lambda table: table.apply_command(said))


def end() -> Response:
    """Answer POST /api/end: ``{"how": "resigned" | "timed_out" | "agreed" | "decided" | "abandoned", "player": k}``.

    The last two are the referee's, whose name may stand in ``decider``. "decided" without a player is a draw.
    """
    body = json_body()
    player = None if body.get("player") is None else int_field(body, "player")
    [decider] = _names([body.get("decider", "")])
    said = partial(end_game, how=str(body.get("how")), player=player, decider=decider)
    return carry_out(lambda table: table.apply_command(said))


def act() -> Response:
    """Answer POST /api/act: ``{"act": "d6-d5", "player": k}``, one act of a game played by hand.

    ``act`` is a move in notation. ``player`` is missing, but for a stone out of the bowl of somebody who is not to
    move.
    """
    body = json_body()
    player = None if body.get("player") is None else int_field(body, "player")
    said = partial(play_act, act=text_field(body, "act", 20), player=player)
    return carry_out(lambda table: table.apply_command(said))


def put_foul_back() -> Response:
    """Answer POST /api/put-back: what was against the rules is put right on the page."""
    return carry_out(lambda table: table.apply_command(put_back))


def redo_turn() -> Response:
    """Answer POST /api/redo: the turn that was taken back stands again."""
    return carry_out(lambda table: table.apply_command(redo))


def keep_photographs() -> Response:
    """Answer POST /api/photographs: ``{"on": true}`` keeps a photograph of every accepted turn from now on."""
    on = json_body().get("on")
    if not isinstance(on, bool):
        raise BadRequest("on must be true or false")
    return carry_out(lambda table: table.apply_command(partial(set_photographs, on=on)))


def clock() -> Response:
    """Answer POST /api/clock: ``{"act": "set", "kind": ..., "minutes": ..., "increment": ...}``.

    Other acts have no more words: "start", "pause", "press" (the mover is done, as with the button of a real clock).
    """
    body = json_body()
    act = body.get("act")

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


def game_list() -> Response:
    """Answer GET /api/games: every game of the house, newest first; with ``?demo=1`` those of the demos."""
    return jsonify(games=[game.summary for game in find_in_journal(demos=is_about_demos())])


def game(number: int) -> Response:
    """Answer GET /api/games/N: a whole game, turn by turn."""
    language = request_language()
    history = open_game(number)
    return jsonify(
        replay_json(
            history, current_context().table.photographs, language, lambda _: {"texts": {language: ""}, "title": {}}
        )
    )


def import_games() -> Response:
    """Answer POST /api/games/import: ``{"name": "game.pgn", "text": "...", "game": name}``, the last if wanted.

    The text is PGN, JSON or FEN. All of its games are kept, or none: the refusal names line, column and reason. The
    answer has the numbers of the games, and how many of them had been here before and are kept once only.
    """
    request.max_content_length = MAX_IMPORT_BODY_BYTES
    body = json_body()
    name, text, chosen = text_field(body, "name", 200), body.get("text"), body.get("game", "")
    if not isinstance(text, str) or not isinstance(chosen, str):
        raise BadRequest("text and game must be texts")
    try:
        bodies = bodies_of_file(name, text, chosen)
    except RefusedFileError as why:
        raise BadRequest(message_of(why)) from why
    known = known_games(bodies)
    fresh = [body for body, number in zip(bodies, known, strict=True) if number is None]
    kept = iter(current_context().table.keep_records(fresh) if fresh else ())
    games = [next(kept) if number is None else number for number in known]
    return jsonify(ok=True, games=games, known=len(games) - len(fresh))


def remark(number: int) -> Response:
    """Answer POST /api/games/N/remark: ``{"ply": k, "text": "..."}``; an empty text takes the remark away."""
    history = open_game(number)
    body = json_body()
    ply, text = body.get("ply"), body.get("text")
    if isinstance(ply, bool) or not isinstance(ply, int) or not 0 <= ply < len(history.plies):
        raise BadRequest("ply must be the number of a turn of this game")
    if not isinstance(text, str) or len(text) > MAX_REMARK_CHARACTERS or not text.replace("\n", " ").isprintable():
        raise BadRequest(f"text must be a text of at most {MAX_REMARK_CHARACTERS} characters")
    return carry_out(lambda table: table.add_record(number, "remark", ply, {"text": text.strip()}))


def rename(number: int) -> Response:
    """Answer POST /api/games/N/names: the players of a game that has been played."""
    history = open_game(number)
    named = name_players(history.state, _names(json_body().get("names")))
    return carry_out(lambda table: table.add_record(number, *named))


def forget_photographs(number: int) -> Response:
    """Answer POST /api/games/N/forget-photographs: throw the photographs of a game away."""
    json_body()
    history = open_game(number)
    seqs = [ply.record.seq for ply in history.plies] + [
        record.seq for ply in history.plies for record, _ in ply.interim_events
    ]
    return jsonify(ok=True, forgotten=current_context().table.photographs.delete(seqs))


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(
        isinstance(name, str) and len(name) <= MAX_NAME_CHARACTERS and name.isprintable() for name in value
    ):
        raise BadRequest(f"names must be a list of texts of at most {MAX_NAME_CHARACTERS} characters")
    return [name.strip() for name in value]
