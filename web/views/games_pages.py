"""Pages and downloads of games that have been played."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import Any

from flask import Response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import ABOUT_LANGUAGES
from referee.announce import sentence
from referee.events import Event
from web.drawing.board_svg import draw_board
from web.errors import MillchenError
from web.history import exports
from web.history.finished_games import GameHistory, find_games, game_history, game_summary, replay_json
from web.history.journal_reader import JournalReader
from web.i18n.catalogue import words
from web.views.context import current_context
from web.views.table_page import request_language, render_page, pebble_values

MAX_LISTED_GAMES = 200  # newest first; older games are found by searching
REPLAY_MODULES = ("dom.js", "words.js", "pebble.js", "board.js", "players.js", "times.js", "replay.js")
"""What the replay is made of, each after those that it needs."""


def games_page() -> ResponseReturnValue:
    """Answer GET /games: every game, or those in which the words of ``?q=`` occur."""
    query = request.args.get("q", "").strip()[:200]
    language = request_language()
    found = find_in_journal(query)
    return render_page(
        "games.html",
        query=query,
        games=[game_summary(past) | {"who": player_labels(past, language), "result": result_text(past, language)} for past in found],
        totals=games_totals(found, language),
        n_more=max(0, len(found) - MAX_LISTED_GAMES),
        most=MAX_LISTED_GAMES,
    )


def find_in_journal(query: str = "") -> list[GameHistory]:
    """The games of the journal in which every word occurs, newest first."""
    with JournalReader(current_context().table.journal_path) as archive:
        return find_games(archive, query)


def open_game(number: int, language: str = "en") -> GameHistory:
    """A game of the journal, told in a language.

    Raises
    ------
    NotFound
        When there is no such game, or its beginning cannot be read.
    """
    try:
        with JournalReader(current_context().table.journal_path) as archive:
            return game_history(archive.replay(number), page_language_sentences, language)
    except (MillchenError, ValueError) as why:
        raise NotFound(str(why)) from why


def game_replay(number: int) -> ResponseReturnValue:
    """Answer GET /games/N: the game turn by turn."""
    language = request_language()
    return render_replay(open_game(number, language), language)


def render_replay(past: GameHistory, language: str, base: str = "") -> ResponseReturnValue:
    """The page of a game turn by turn; ``base`` as for `web.history.finished_games.film`."""
    return render_page("replay.html", **_replay_values(past, language, base), standalone=False)


def score_sheet(number: int) -> ResponseReturnValue:
    """Answer GET /games/N/sheet: a score sheet to print."""
    language = request_language()
    return render_score_sheet(open_game(number, language), language)


def render_score_sheet(past: GameHistory, language: str, base: str = "") -> ResponseReturnValue:
    """The score sheet of a game."""
    return render_page("sheet.html", **_replay_values(past, language, base))


def current_score_sheet() -> ResponseReturnValue:
    """Answer GET /print: the score sheet of the game that is being played."""
    return redirect(f"/games/{current_context().table.publisher.snapshot.game['id']}/sheet", 303)


def download_game(number: int, kind: str) -> Response:
    """Answer GET /games/N.KIND: pgn, json, csv, gif, html (runs by itself, with ``?photographs=1`` if wanted) or svg.

    ``?ply=N`` says which position the svg shows (the last one without it), ``?names=0`` leaves the points' names out.
    """
    language = request_language()
    return download_response(open_game(number, language), kind, language)


def download_response(past: GameHistory, kind: str, language: str) -> Response:
    """A game in one of the forms in which people take it away."""
    if kind == "svg":
        ply = request.args.get("ply", len(past.plies) - 1, type=int)
        if not 0 <= ply < len(past.plies):
            raise NotFound("the game has no such turn")
        picture = exports.export_svg(past, ply, _title(past, language), names=request.args.get("names") != "0")
        return Response(picture, mimetype="image/svg+xml")
    writers: dict[str, tuple[str, Callable[[GameHistory], str | bytes]]] = {
        "pgn": ("application/vnd.chess-pgn", exports.export_pgn),
        "json": ("application/json", exports.export_json),
        "csv": ("text/csv", exports.export_csv),
        "gif": ("image/gif", exports.export_gif),
        "html": ("text/html", partial(_standalone_replay, language=language)),
    }
    if kind not in writers:
        raise NotFound("a game can be had as pgn, json, csv, svg, gif or html")
    mimetype, write = writers[kind]
    response = Response(write(past), mimetype=mimetype)
    name = f"millchen-{past.begun[:10]}-{past.number}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def turn_photograph(number: int, seq: int) -> Response:
    """Answer GET /games/N/photographs/SEQ.jpg: the table when a turn was accepted."""
    past = open_game(number)
    records = [ply.record for ply in past.plies] + [record for ply in past.plies for record, _ in ply.interim_events]
    jpeg = current_context().table.photographs.load(seq) if any(record.seq == seq for record in records) else None
    if jpeg is None:
        raise NotFound("no photograph was kept")
    return Response(jpeg, mimetype="image/jpeg")


def player_labels(past: GameHistory, language: str) -> list[str]:
    """What to call each player: a name, else the colour of the stones, else a number."""
    known = words(language)
    return [
        known.get(f"colour.{called}", called) if called else known[f"player.{k}"]
        for k, called in enumerate(past.spoken_names, start=1)
    ]


def result_text(past: GameHistory, language: str) -> str:
    """How a game ended, in words."""
    outcome = past.game.outcome
    if outcome is None:
        return words(language)["result.open"]
    if outcome.winner is None:
        return words(language)["result.draw"]
    return words(language)["result.won"].format(player=player_labels(past, language)[outcome.winner])


def games_totals(found: list[GameHistory], language: str) -> dict[str, Any]:
    """What all listed games come to; who has won how many, where names are known."""
    wins: dict[str, int] = {}
    played: dict[str, int] = {}
    for past in found:
        for name in filter(None, past.state.names):
            played[name] = played.get(name, 0) + 1
        outcome = past.game.outcome
        if outcome is not None and outcome.winner is not None and outcome.winner < len(past.state.names):
            name = past.state.names[outcome.winner]
            if name:
                wins[name] = wins.get(name, 0) + 1
    table = sorted(played, key=lambda name: (-wins.get(name, 0), played[name], name))
    return {
        "games": len(found),
        "turns": sum(past.game.ply for past in found),
        "mills": sum(len(turn.mills) for past in found for turn in past.game.turns),
        "players": [{"name": name, "won": wins.get(name, 0), "played": played[name]} for name in table[:8]],
    }


def page_language_sentences(event: Event, colours: tuple[str, ...], board: Any) -> dict[str, dict[str, str]]:
    """The sentence of an event in the language of the page that is asked for."""
    language = request_language()
    return {"texts": {language: sentence(event, language, colours, board)}, "title": {language: ""}}


def _replay_values(past: GameHistory, language: str, base: str = "") -> dict[str, Any]:
    board = past.game.variant.board
    album = None if base else current_context().table.photographs
    told = replay_json(past, album, language, lambda event: page_language_sentences(event, past.spoken_names, board), base)
    return {
        "film": told,
        "who": player_labels(past, language),
        "result": result_text(past, language),
        "title": _title(past, language),
        "drawing": draw_board(board),
    }


def _title(past: GameHistory, language: str) -> str:
    return f"{' – '.join(player_labels(past, language))} · {words(language)['game.' + past.game.variant.name]}"


# ---------------------------------------------------------------- one file that runs by itself


def _standalone_replay(past: GameHistory, language: str) -> str:
    """The replay as one file: styles, fonts, scripts and, where wanted, photographs inside."""
    values = _replay_values(past, language)
    if request.args.get("photographs"):
        album = current_context().table.photographs
        seqs = {ply["seq"] for ply in values["film"]["plies"]} - {None}
        values["film"]["photographs"] = {seq: _data_url("image/jpeg", album.load(seq) or b"") for seq in sorted(seqs)}
    else:
        for ply in values["film"]["plies"]:
            ply["seq"] = None
    return render_template(
        "replay.html",
        standalone=True,
        language=language,
        locales=ABOUT_LANGUAGES[language]["locales"],
        theme="auto",
        words=dict(words(language)),
        style=_standalone_style(),
        script=_standalone_script(),
        **pebble_values(),
        **values,
    )


@cache
def _standalone_style() -> str:
    def inside(found: re.Match[str]) -> str:
        return f'url("{_data_url("font/woff2", _static_path(found.group(1)).read_bytes())}")'

    sheets = "".join(_static_path(name).read_text(encoding="utf-8") for name in ("style.css", "past.css"))
    return re.sub(r'url\("(fonts/[a-z]+\.woff2)"\)', inside, sheets)


@cache
def _standalone_script() -> str:
    """The modules as one: imports fall away, for all of it is there."""
    parts = [_static_path(name).read_text(encoding="utf-8") for name in REPLAY_MODULES]
    text = "\n".join(re.sub(r"^import [^;]*;\n", "", part, flags=re.M) for part in parts)
    return re.sub(r"^export (?=(?:async )?(?:function|class|const|let))", "", text, flags=re.M)


def _static_path(name: str) -> Any:
    return files("web").joinpath("static", *name.split("/"))


def _data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
