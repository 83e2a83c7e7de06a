"""The analysis of a game that has been played: what is known of it, and the commands that begin and end it."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify
from werkzeug.exceptions import BadRequest

from languages import message
from referee.search.analysis import USUAL_LIMITS
from web.errors import MillchenError
from web.history.analysis_view import analysis_for_page, analysis_json
from web.history.finished_games import GameHistory
from web.history.kept_analyses import KeptAnalysis
from web.net.roles import REFEREE, VIEWER, Route
from web.views.context import current_context
from web.views.opened_games import kept_analyses, open_game
from web.views.table_api import json_body
from web.views.table_page import request_language

LEAST_POSITIONS, MOST_POSITIONS = 1_000, 200_000
"""Bounds of the positions that each search of an analysis may look at; the upper one is about four seconds.

Source: chosen.
"""


def analysis(number: int) -> Response:
    """Answer GET /api/games/N/analysis: how far it has come, and what is known so far."""
    return jsonify(_state(open_game(number)))


def start_analysis(number: int) -> Response:
    """Answer POST /api/games/N/analyse: begin it, or go on with it; ``{"positions": k}`` looks deeper or less deep."""
    usual = USUAL_LIMITS.positions
    positions = json_body().get("positions", usual)
    is_number = isinstance(positions, int) and not isinstance(positions, bool)
    if not is_number or not LEAST_POSITIONS <= positions <= MOST_POSITIONS:
        raise BadRequest(f"positions must be a whole number from {LEAST_POSITIONS} to {MOST_POSITIONS}")
    history = open_game(number)
    _check_is_over(history)
    current_context().analyses.start(kept_analyses(), history.game, positions)
    return jsonify(_state(history))


def stop_analysis(number: int) -> Response:
    """Answer POST /api/games/N/analyse/stop: break it off; what is done is kept."""
    json_body()
    history = open_game(number)
    current_context().analyses.stop(history.game)
    return jsonify(_state(history))


def _check_is_over(history: GameHistory) -> None:
    """Raise where people are still playing the game: nobody gets advice this way."""
    snapshot = current_context().table.publisher.snapshot
    if history.game.outcome is None and snapshot.game["id"] == history.number:
        raise MillchenError(message("analysis.running"))
    if not history.game.turns:
        raise MillchenError(message("analysis.no_turns"))


def _state(history: GameHistory) -> dict[str, Any]:
    """Return what the page polls; ``state`` is none, waiting, running, begun (broken off) or done.

    ``unkept`` is true where a full disk did not take what is shown.
    """
    desk, kept = current_context().analyses, history.analysis
    under_way, is_kept = desk.progress(history.game), True
    if under_way is not None:
        state, done = "waiting" if under_way.is_waiting else "running", under_way.analysis
        shown = kept if kept is not None and kept.is_whole else done
    else:
        remembered, is_kept = desk.remembered(history.game)
        known = [one for one in (kept, remembered) if one is not None]
        shown = done = max(known, key=lambda one: one.rank, default=KeptAnalysis(0, history.game.ply))
        state = "none" if not known else "done" if shown.is_whole else "begun"
    return {
        "state": state,
        "done": len(done.turns),
        "of": history.game.ply,
        "unkept": not is_kept and shown is not kept,
        "analysis": analysis_json(history, shown) if state != "none" else None,
        "page": analysis_for_page(history, shown, request_language()) if state != "none" else None,
    }


ANALYSIS_ROUTES = (
    Route("/api/games/<int:number>/analysis", "GET", VIEWER, analysis),
    Route("/api/games/<int:number>/analyse", "POST", REFEREE, start_analysis),
    Route("/api/games/<int:number>/analyse/stop", "POST", REFEREE, stop_analysis),
)
"""Routes of analyses for the table of routes in `web.app`."""
