"""API of the games in the journal: the list, one game, games from files, remarks, and the analysis of a game."""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Annotated, Any

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from languages import message, message_of
from referee.presets import PRESETS
from referee.search.analysis import USUAL_LIMITS
from referee.typed_json import Text, limits, line, one_of
from web.body_types import Name
from web.errors import UNREADABLE, MillchenError
from web.game.imported_games import RefusedFileError, bodies_of_file
from web.game.player_commands import name_players
from web.history.analysis_view import analysis_for_page, analysis_json
from web.history.deletion import delete_games, rename_players
from web.history.finished_games import GameHistory, game_history, replay_json
from web.history.game_film import make_film
from web.history.game_index import ListedGame, UnreadableGame
from web.history.journal_reader import JournalReader, NoSuchGameError
from web.history.kept_analyses import KeptAnalyses, KeptAnalysis
from web.hosted_tables import current_context
from web.journal.copies import BackupError
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.net.roles import REFEREE, THIS_COMPUTER, VIEWER, Route
from web.table.live_table import LiveTable
from web.table.sent_commands import CommandResult
from web.views.command_routes import Command
from web.views.event_stream import sse_message, stream_response
from web.views.table_page import request_language

log = logging.getLogger("millchen.web")

MAX_IMPORT_BODY_BYTES = 1_000_000  # longest body of an import: `referee.record_files.MAX_RECORD_BYTES`, longer as JSON
MAX_REMARK_CHARACTERS = 1000  # longest remark on a turn

LEAST_POSITIONS, MOST_POSITIONS = 1_000, 200_000
"""Bounds of the positions that each search of an analysis may look at; the upper one is about four seconds."""


Positions = Annotated[int, limits(minimum=LEAST_POSITIONS, maximum=MOST_POSITIONS)]

# ---------------------------------------------------------------- opening games of the journal


def is_about_demos() -> bool:
    """Return whether the request asks for the games of the demos."""
    return request.args.get("demo") == "1"


def find_in_journal(query: str = "", *, demos: bool = False) -> list[ListedGame]:
    """Return the games of the club in the journal, or those of demos, in which every word occurs, newest first."""
    context = current_context()
    with open_journal() as archive:
        return context.game_index.find(archive, query, demos=demos)


def unreadable_games() -> list[UnreadableGame]:
    """Return what is known of the games in the journal that cannot be shown, newest first."""
    with open_journal() as archive:
        return current_context().game_index.unreadable(archive)


@contextmanager
def open_journal() -> Iterator[JournalReader]:
    """Read the journal; what is wrong with the file goes to the log, not to the page."""
    try:
        with JournalReader(current_context().table.journal.path) as archive:
            yield archive
    except (NoSuchGameError, BackupError):
        raise
    except MillchenError as why:
        log.warning("the journal cannot be read: %s", why)
        raise MillchenError(message("page.no_journal")) from why


def open_game(number: int) -> GameHistory:
    """Return a game of the journal with its sentences in the language of the page."""
    try:
        with open_journal() as archive:
            history = game_history(archive.replay(number), request_language())
            return replace(history, analysis=_kept_analyses().find(history.game))
    except NoSuchGameError as why:
        raise NotFound(message("page.no_game", number=number)) from why
    except ValueError as why:
        log.warning("game %s cannot be read: %s", number, why)
        raise NotFound(message("page.damaged_game", number=number)) from why


@contextmanager
def shown_game(number: int, origin: str = "") -> Iterator[GameHistory]:
    """Open a game for its page, with an ``origin`` one of the archive, from a journal that another Millchen may write.

    Answers that it is damaged where something in it is not what a Millchen writes.
    """
    if not origin:
        yield open_game(number)
        return
    club = current_context().club
    if club is None or not re.fullmatch(r"[0-9a-f]{32}", origin):
        raise NotFound(message("page.no_game", number=number))
    try:
        try:
            history = club.archive_reader.open(origin, number, request_language())
        except MillchenError as why:
            raise NotFound(message("page.no_game", number=number)) from why
        yield history
    except UNREADABLE as why:
        log.warning("game %s of the archive cannot be shown: %r", number, why)
        raise NotFound(message("page.damaged_game", number=number)) from why


def _kept_analyses() -> KeptAnalyses:
    return KeptAnalyses.beside(current_context().table.journal.path)


# ---------------------------------------------------------------- games


def game_list() -> Response:
    """Answer GET /api/games: every game of the club, newest first; with ``?demo=1`` those of the demos."""
    return jsonify(games=[game.summary for game in find_in_journal(demos=is_about_demos())])


def game(number: int) -> Response:
    """Answer GET /api/games/N: a whole game, turn by turn."""
    return jsonify(replay_json(open_game(number), current_context().table.photographs))


def import_games(
    name: Annotated[str, line(200)], text: Text, game: Annotated[str, one_of("", *PRESETS)] = ""
) -> Response:
    """Answer POST /api/games/import: keep the games of a text in PGN, JSON or FEN, all of them or none.

    The answer has the numbers of the games, and how many of them had been here before and are kept once only.
    """
    try:
        bodies = bodies_of_file(name, text, game)
    except RefusedFileError as why:
        raise BadRequest(message_of(why)) from why
    context = current_context()
    with open_journal() as archive:
        records = context.game_index.keep(context.table.journal, archive, bodies)
    games = [one if isinstance(one, int) else one.game for one in records]
    return jsonify(ok=True, games=games, known=sum(isinstance(one, int) for one in records))


def remark(
    table: LiveTable, number: int, ply: int, text: Annotated[Text, limits(maxLength=MAX_REMARK_CHARACTERS)]
) -> CommandResult:
    """Remark on a turn of a game; an empty text takes that away."""
    if not 0 <= ply < len(open_game(number).plies):
        raise BadRequest("ply must be the number of a turn of this game")
    if not text.replace("\n", " ").isprintable():
        raise BadRequest("text must be printable")
    return table.add_record(number, UnwrittenRecord("remark", ply, {"text": text.strip()}))


def rename(table: LiveTable, number: int, names: Sequence[Name]) -> CommandResult:
    """Give the players of a game that has been played names, in the place of all that they had before."""
    record = name_players(open_game(number).state, names)
    rename_players(table.journal, number, names)
    result = table.add_record(number, record)
    table.was_deleted([number])
    return result


def delete(games: Annotated[Sequence[int], limits(minItems=1)]) -> Response:
    """Answer POST /api/games/delete: delete games and all that is kept about them; all of them, or none."""
    context = current_context()
    host = context.host
    with nullcontext([context.table]) if host is None else host.opening_no_game() as tables:
        for number in {one.publisher.snapshot.game.id for one in tables}.intersection(games):
            raise MillchenError(message("games.on", number=number))
        delete_games(context.table.journal, games, context.analyses.stop)
    for table in tables:
        table.was_deleted(games)
    return jsonify(ok=True)


def forget_photographs(number: int) -> Response:
    """Answer POST /api/games/N/forget-photographs: throw the photographs of a game away."""
    seqs = [record.seq for record in shown_records(open_game(number))]
    return jsonify(ok=True, forgotten=current_context().table.photographs.delete(seqs))


def film(number: int) -> Response:
    """Answer GET /api/games/N/film: make its film; ``scene`` says how far it is, the last one has it in base64."""
    steps = make_film(open_game(number), current_context().table.photographs)
    scenes = ({"n": n, "of": of, "film": b64encode(webm).decode()} for n, of, webm in steps)
    return stream_response(sse_message("scene", scene) for scene in scenes)


def shown_records(history: GameHistory) -> list[JournalRecord]:
    """Return the records of a game that may have a photograph."""
    interim = (record for ply in history.plies for record, _ in ply.interim_events)
    return [*(ply.record for ply in history.plies), *interim]


# ---------------------------------------------------------------- analysis


def analysis(number: int) -> ResponseReturnValue:
    """Answer GET /api/games/N/analysis: how far it has come, and what is known so far."""
    return _state(open_game(number))


def start_analysis(number: int, positions: Positions = USUAL_LIMITS.positions or MOST_POSITIONS) -> ResponseReturnValue:
    """Answer POST /api/games/N/analyse: begin it, or go on with it; ``positions`` says how deep to look."""
    history = open_game(number)
    snapshot = current_context().table.publisher.snapshot
    if history.game.outcome is None and snapshot.game.id == history.number:  # nobody gets advice this way
        raise MillchenError(message("analysis.running"))
    if not history.game.turns:
        raise MillchenError(message("analysis.no_turns"))
    current_context().analyses.start(_kept_analyses(), history.game, positions)
    return _state(history)


def stop_analysis(number: int) -> ResponseReturnValue:
    """Answer POST /api/games/N/analyse/stop: break it off; what is done is kept."""
    history = open_game(number)
    current_context().analyses.stop(history.game)
    return _state(history)


def _state(history: GameHistory) -> dict[str, Any]:
    """Return what the page polls; "begun" was broken off, and what is ``unkept`` a full disk did not take."""
    desk, stored = current_context().analyses, history.analysis
    under_way, is_kept = desk.progress(history.game), True
    if under_way is not None:
        progress, is_waiting = under_way
        state = "waiting" if is_waiting else "running"
        best = stored if stored is not None and stored.is_whole else progress
    else:
        unsaved, is_kept = desk.remembered(history.game)
        analyses = [one for one in (stored, unsaved) if one is not None]
        best = progress = max(analyses, key=lambda one: one.rank, default=KeptAnalysis(0, history.game.ply))
        state = "none" if not analyses else "done" if best.is_whole else "begun"
    return {
        "state": state,
        "done": len(progress.turns),
        "of": history.game.ply,
        "unkept": not is_kept and best is not stored,
        "analysis": analysis_json(history, best) if state != "none" else None,
        "page": analysis_for_page(history, best, request_language()) if state != "none" else None,
    }


GAMES_ROUTES = (
    Route("/api/games", "GET", VIEWER, game_list),
    Route("/api/games/<int:number>", "GET", VIEWER, game),
    Route("/api/games/import", "POST", REFEREE, import_games, max_bytes=MAX_IMPORT_BODY_BYTES),
    Route("/api/games/delete", "POST", THIS_COMPUTER, delete),
    Command("/api/games/<int:number>/names", rename, is_about_board=False).route,
    Command("/api/games/<int:number>/remark", remark, is_about_board=False).route,
    Route("/api/games/<int:number>/film", "GET", REFEREE, film),
    Route("/api/games/<int:number>/forget-photographs", "POST", REFEREE, forget_photographs),
    Route("/api/games/<int:number>/analysis", "GET", VIEWER, analysis),
    Route("/api/games/<int:number>/analyse", "POST", REFEREE, start_analysis),
    Route("/api/games/<int:number>/analyse/stop", "POST", REFEREE, stop_analysis),
)
