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
from web.views.context import shell
from web.views.table_page import language_asked, page, shapes

MOST_LISTED = 200  # newest first; older games are found by searching
MODULES = ("dom.js", "words.js", "pebble.js", "board.js", "players.js", "times.js", "replay.js")
"""What the replay is made of, each after those that it needs."""


def game_list() -> ResponseReturnValue:
    """Answer GET /games: every game, or those in which the words of ``?q=`` occur."""
    query = request.args.get("q", "").strip()[:200]
    language = language_asked()
    found = find(query)
    return page(
        "games.html",
        query=query,
        games=[game_summary(past) | {"who": who(past, language), "result": result(past, language)} for past in found],
        totals=totals(found, language),
        n_more=max(0, len(found) - MOST_LISTED),
        most=MOST_LISTED,
    )


def find(query: str = "") -> list[GameHistory]:
    """The games of the journal in which every word occurs, newest first."""
    with JournalReader(shell().table.journal_path) as archive:
        return find_games(archive, query)


def open_game(number: int, language: str = "en") -> GameHistory:
    """A game of the journal, told in a language.

    Raises
    ------
    NotFound
        When there is no such game, or its beginning cannot be read.
    """
    try:
        with JournalReader(shell().table.journal_path) as archive:
            return game_history(archive.replay(number), say_now, language)
    except (MillchenError, ValueError) as why:
        raise NotFound(str(why)) from why


def replay(number: int) -> ResponseReturnValue:
    """Answer GET /games/N: the game turn by turn."""
    language = language_asked()
    return replay_page(open_game(number, language), language)


def replay_page(past: GameHistory, language: str, base: str = "") -> ResponseReturnValue:
    """The page of a game turn by turn; ``base`` as for `web.history.finished_games.film`."""
    return page("replay.html", **_replay_values(past, language, base), standalone=False)


def sheet(number: int) -> ResponseReturnValue:
    """Answer GET /games/N/sheet: a score sheet to print."""
    language = language_asked()
    return sheet_page(open_game(number, language), language)


def sheet_page(past: GameHistory, language: str, base: str = "") -> ResponseReturnValue:
    """The score sheet of a game."""
    return page("sheet.html", **_replay_values(past, language, base))


def sheet_now() -> ResponseReturnValue:
    """Answer GET /print: the score sheet of the game that is being played."""
    return redirect(f"/games/{shell().table.publisher.snapshot.game['id']}/sheet", 303)


def download(number: int, kind: str) -> Response:
    """Answer GET /games/N.KIND: pgn, json, csv, gif, html (runs by itself, with ``?photographs=1`` if wanted) or svg.

    ``?ply=N`` says which position the svg shows (the last one without it), ``?names=0`` leaves the points' names out.
    """
    language = language_asked()
    return download_of(open_game(number, language), kind, language)


def download_of(past: GameHistory, kind: str, language: str) -> Response:
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
        "html": ("text/html", partial(_alone, language=language)),
    }
    if kind not in writers:
        raise NotFound("a game can be had as pgn, json, csv, svg, gif or html")
    mimetype, write = writers[kind]
    response = Response(write(past), mimetype=mimetype)
    name = f"millchen-{past.begun[:10]}-{past.number}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def photograph(number: int, seq: int) -> Response:
    """Answer GET /games/N/photographs/SEQ.jpg: the table when a turn was accepted."""
    past = open_game(number)
    records = [ply.record for ply in past.plies] + [record for ply in past.plies for record, _ in ply.interim_events]
    jpeg = shell().table.photographs.load(seq) if any(record.seq == seq for record in records) else None
    if jpeg is None:
        raise NotFound("no photograph was kept")
    return Response(jpeg, mimetype="image/jpeg")


def who(past: GameHistory, language: str) -> list[str]:
    """What to call each player: a name, else the colour of the stones, else a number."""
    known = words(language)
    return [
        known.get(f"colour.{called}", called) if called else known[f"player.{k}"]
        for k, called in enumerate(past.spoken_names, start=1)
    ]


def result(past: GameHistory, language: str) -> str:
    """How a game ended, in words."""
    outcome = past.game.outcome
    if outcome is None:
        return words(language)["result.open"]
    if outcome.winner is None:
        return words(language)["result.draw"]
    return words(language)["result.won"].format(player=who(past, language)[outcome.winner])


def totals(found: list[GameHistory], language: str) -> dict[str, Any]:
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


def say_now(event: Event, colours: tuple[str, ...], board: Any) -> dict[str, dict[str, str]]:
    """The sentence of an event in the language of the page that is asked for."""
    language = language_asked()
    return {"texts": {language: sentence(event, language, colours, board)}, "title": {language: ""}}


def _replay_values(past: GameHistory, language: str, base: str = "") -> dict[str, Any]:
    board = past.game.variant.board
    album = None if base else shell().table.photographs
    told = replay_json(past, album, language, lambda event: say_now(event, past.spoken_names, board), base)
    return {
        "film": told,
        "who": who(past, language),
        "result": result(past, language),
        "title": _title(past, language),
        "drawing": draw_board(board),
    }


def _title(past: GameHistory, language: str) -> str:
    return f"{' – '.join(who(past, language))} · {words(language)['game.' + past.game.variant.name]}"


# ---------------------------------------------------------------- one file that runs by itself


def _alone(past: GameHistory, language: str) -> str:
    """The replay as one file: styles, fonts, scripts and, where wanted, photographs inside."""
    values = _replay_values(past, language)
    if request.args.get("photographs"):
        album = shell().table.photographs
        seqs = {ply["seq"] for ply in values["film"]["plies"]} - {None}
        values["film"]["photographs"] = {seq: _data("image/jpeg", album.load(seq) or b"") for seq in sorted(seqs)}
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
        style=_style(),
        script=_script(),
        **shapes(),
        **values,
    )


@cache
def _style() -> str:
    def inside(found: re.Match[str]) -> str:
        return f'url("{_data("font/woff2", _static(found.group(1)).read_bytes())}")'

    sheets = "".join(_static(name).read_text(encoding="utf-8") for name in ("style.css", "past.css"))
    return re.sub(r'url\("(fonts/[a-z]+\.woff2)"\)', inside, sheets)


@cache
def _script() -> str:
    """The modules as one: imports fall away, for all of it is there."""
    parts = [_static(name).read_text(encoding="utf-8") for name in MODULES]
    text = "\n".join(re.sub(r"^import [^;]*;\n", "", part, flags=re.M) for part in parts)
    return re.sub(r"^export (?=(?:async )?(?:function|class|const|let))", "", text, flags=re.M)


def _static(name: str) -> Any:
    return files("web").joinpath("static", *name.split("/"))


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
