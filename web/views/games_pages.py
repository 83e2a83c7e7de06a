"""Pages and downloads of games that have been played."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from flask import Response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import ABOUT_LANGUAGES
from referee.endings import Termination
from referee.explain import chosen_options, rule_sentences
from referee.search.think import STRENGTHS
from web.drawing.board_svg import draw_board
from web.game.game_state import MILLCHEN
from web.history import exports
from web.history.analysis_view import analysis_for_page
from web.history.finished_games import GameHistory, replay_json
from web.history.game_index import ListedGame, may_go_on
from web.hosted_tables import current_context
from web.page_words import words
from web.table.offered_games import OFFERED_GAMES, has_story
from web.views.games_api import find_in_journal, is_about_demos, open_game, shown_game, shown_records, unreadable_games
from web.views.table_page import attachment, modules_of, pebble_values, render_page, request_language, static_path

MAX_LISTED_GAMES = 200  # most games on the list, newest first; older ones are found by searching

_RECORDED_NAME = re.compile(rf"({MILLCHEN}(?: \d)?) \(({'|'.join(STRENGTHS)})\)")


def games_page() -> ResponseReturnValue:
    """Answer GET /games: the games of people, or of demos (``?demo=1``), in which all words of ``?q=`` occur."""
    query = request.args.get("q", "").strip()[:200]
    language = request_language()
    games = find_in_journal(query, demos=is_about_demos())
    return render_page(
        "games.html",
        query=query,
        games=[list_entry(game, language) | {"may_go_on": game.may_go_on} for game in games[:MAX_LISTED_GAMES]],
        **running_game(),
        is_about_demos=is_about_demos(),
        unreadable=[] if query or is_about_demos() else unreadable_games(),
        n_demos=0 if query or is_about_demos() else len(find_in_journal(demos=True)),
        totals=games_totals(games, language),
        n_more=max(0, len(games) - MAX_LISTED_GAMES),
        playable=OFFERED_GAMES,
        n_opened=request.args.get("opened", 0, type=int),
        n_known=request.args.get("known", 0, type=int),
    )


def list_entry(game: ListedGame, language: str) -> dict[str, Any]:
    """Return a game for a list of the page."""
    names = game.listed_names
    labels = {"who": player_labels(names, language), "result": result_text(game.summary, names, language)}
    return {**game.summary, **labels}


def running_game() -> dict[str, Any]:
    """Return which game is on at the table, and whether people are asked before they leave it for another one."""
    snapshot = current_context().table.publisher.snapshot
    game, is_film = snapshot.game, snapshot.source.is_film
    return {"running": game.id, "is_asked": game.ply > 0 and game.outcome is None and not is_film}


def game_replay(number: int, origin: str = "") -> ResponseReturnValue:
    """Answer GET /games/N or /archive/ORIGIN/N: the game, turn by turn."""
    with shown_game(number, origin) as history:
        values = _replay_values(history, origin)
        values |= running_game() | {"may_go_on": not origin and may_go_on(history), "is_known": "known" in request.args}
        return render_page("replay.html", **values, formats=exports.FORMATS, standalone=False)


def score_sheet(number: int, origin: str = "") -> ResponseReturnValue:
    """Answer GET /games/N/sheet or /archive/ORIGIN/N/sheet: a score sheet to print."""
    with shown_game(number, origin) as history:
        return render_page("sheet.html", **_replay_values(history, origin))


def current_score_sheet() -> ResponseReturnValue:
    """Answer GET /print: the score sheet of the game that is being played."""
    return redirect(f"/games/{current_context().table.publisher.snapshot.game.id}/sheet", 303)


def download_game(number: int, kind: str, origin: str = "") -> Response:
    """Answer GET /games/N.KIND or /archive/ORIGIN/N.KIND: the game in one of the formats of `exports.FORMATS`.

    ``?ply=N`` and ``?names=0`` are for the svg, ``?photographs=1`` is for the html, which is the replay in one file.
    """
    with shown_game(number, origin) as history:
        if kind not in exports.FORMATS:
            *others, last = exports.FORMATS
            raise NotFound(f"a game can be had as {', '.join(others)} or {last}")
        row = exports.FORMATS[kind]
        content = row.write(history) if row.write is not None else PAGE_WRITERS[kind](history)
    if not row.is_attachment:
        return Response(content, mimetype=row.mimetype)
    return attachment(content, row.mimetype, f"millchen-{history.begun[:10]}-{history.number}.{kind}")


def _requested_position(history: GameHistory) -> str:
    """Return the position after the turn of the query as SVG."""
    ply = request.args.get("ply", len(history.plies) - 1, type=int)
    if not 0 <= ply < len(history.plies):
        raise NotFound("the game has no such turn")
    game, names = history.plies[ply].game, request.args.get("names") != "0"
    return exports.export_position(game, history.state.colours, _title(history), names=names)


def turn_photograph(number: int, seq: int) -> Response:
    """Answer GET /games/N/photographs/SEQ.jpg: the table when a turn was accepted."""
    is_known = any(record.seq == seq for record in shown_records(open_game(number)))
    jpeg = current_context().table.photographs.load(seq) if is_known else None
    if jpeg is None:
        raise NotFound("no photograph was kept")
    return Response(jpeg, mimetype="image/jpeg")


def player_labels(listed_names: Sequence[str], language: str) -> list[str]:
    """Return what to call each player: the name, else the colour of the stones, else a number."""
    texts = words(language)
    return [
        texts.get(f"colour.{name}", name_in(language, name)) if name else texts[f"player.{k}"]
        for k, name in enumerate(listed_names, start=1)
    ]


def name_in(language: str, name: str) -> str:
    """Return a name of a record for a page: that of Millchen with its strength in the language, any other as it is.

    >>> name_in("de", "Millchen (medium)")
    'Millchen (mittel)'
    """
    match = _RECORDED_NAME.fullmatch(name)
    return name if match is None else f"{match[1]} ({words(language)[f'partner.{match[2]}']})"


def result_text(summary: Mapping[str, Any], listed_names: Sequence[str], language: str) -> str:
    """Return how a game ended, in words; ``summary`` as `web.history.finished_games.game_summary`."""
    if not summary["over"]:
        return words(language)["damaged" if summary["problem"] else "result.open"]
    if summary["winner"] is None:
        return words(language)["result.none" if summary["reason"] == Termination.ABANDONED else "result.draw"]
    return words(language)["result.won"].format(player=player_labels(listed_names, language)[summary["winner"] - 1])


def games_totals(games: Sequence[ListedGame], language: str) -> dict[str, Any]:
    """Return the sums over the listed games, and how many games each named player, or Millchen, has won."""
    summaries = [game.summary for game in games]
    n_games = Counter(name for one in summaries for name in one["names"] if name and one["over"])
    wins = Counter(name for one in summaries for k, name in enumerate(one["names"], 1) if k == one["winner"])
    table = sorted(n_games, key=lambda name: (-wins[name], n_games[name], name))
    return {
        "games": len(games),
        "turns": sum(one["turns"] for one in summaries),
        "mills": sum(game.n_mills for game in games),
        "players": [
            {"name": name_in(language, name), "won": wins[name], "played": n_games[name]} for name in table[:8]
        ],
    }


def _replay_values(history: GameHistory, origin: str = "") -> dict[str, Any]:
    board, language = history.game.variant.board, request_language()
    if origin:  # the photographs stay on their computer
        replay = replay_json(history, None, f"/archive/{origin}/{history.number}")
    else:
        replay = replay_json(history, current_context().table.photographs)
    replay["called"] = [name_in(language, name) for name in history.state.recorded_names]
    if history.analysis is not None:
        replay["analysis"] = analysis_for_page(history, history.analysis, language)
    return {
        "replay": replay,
        "has_photographs": any(one["seq"] for ply in replay["plies"] for one in (ply, *ply["asides"])),
        "who": player_labels(history.listed_names, language),
        "result": result_text(replay, history.listed_names, language),
        "title": _title(history),
        "drawing": draw_board(board),
        "origin": _origin(history, language),
        "has_story": has_story(history.game.variant.name),
    }


def _origin(history: GameHistory, language: str) -> dict[str, Any] | None:
    """Return from which file a game was opened and by which rules it was judged; None where it was played here."""
    if history.state.file_record is None:
        return None
    variant = history.game.variant
    file = str(history.plies[0].record.body["source"]).removeprefix("file:")
    return {"file": file, "chosen": chosen_options(variant, language), "rules": rule_sentences(variant, language)}


def _title(history: GameHistory) -> str:
    language = request_language()
    labels, texts = player_labels(history.listed_names, language), words(language)
    damaged = f" · {texts['damaged']}" if history.problem else ""
    return f"{' – '.join(labels)} · {texts['game.' + history.game.variant.name]}{damaged}"


# ---------------------------------------------------------------- the replay as one file


def _standalone_replay(history: GameHistory) -> str:
    """Return the replay as one HTML file with styles, fonts, scripts and, where requested, photographs."""
    values, language = _replay_values(history), request_language()
    if request.args.get("photographs"):
        photographs = current_context().table.photographs
        seqs = {ply["seq"] for ply in values["replay"]["plies"]} - {None}
        values["replay"]["photographs"] = {
            seq: _data_url("image/jpeg", photographs.load(seq) or b"") for seq in sorted(seqs)
        }
    else:
        for ply in values["replay"]["plies"]:
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
    """Return the style sheets as one, with the fonts inside."""

    def inline_font(match: re.Match[str]) -> str:
        return f'url("{_data_url("font/woff2", static_path(match.group(1)).read_bytes())}")'

    sheets = "".join(static_path(name).read_text(encoding="utf-8") for name in ("common/style.css", "games/games.css"))
    return re.sub(r'url\("\.\./(fonts/[a-z]+\.woff2)"\)', inline_font, sheets)


@cache
def _standalone_script() -> str:
    """Return the modules of the replay as one script, without imports and exports."""
    parts = [static_path(name).read_text(encoding="utf-8") for name in modules_of("games/replay.js")]
    text = "\n".join(re.sub(r"^import [^;]*;\n", "", part, flags=re.M) for part in parts)
    return re.sub(r"^export (?=(?:async )?(?:function|class|const|let))", "", text, flags=re.M)


def _data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


PAGE_WRITERS: Mapping[str, Callable[[GameHistory], str]] = {
    "html": _standalone_replay,
    "svg": _requested_position,
}
"""Writers of those formats that need a page and the query of its URL."""
