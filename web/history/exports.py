"""A game in, a file out: PGN, JSON, CSV, SVG of a position, animated GIF or HTML replay, as `FORMATS` names them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.moves import turn_text
from referee.record import GameRecord, to_json, to_pgn
from referee.resumption import RESUMED
from web.drawing.game_gif import animate_positions
from web.drawing.position_svg import draw_position, render_position_svg
from web.game.imported_games import ARBITER_TAG, UNNAMED_ARBITER, player_tags
from web.history.analysis_view import analysis_comments, analysis_json
from web.history.finished_games import ANALYSIS_COMMENT, COMMAND, GameHistory, game_summary, turn_seconds
from web.page_words import words

_NO_PLAIN_TEXT = re.compile(r"[=+\-@\t]|[\d/]+-[\d/]+$")  # what spreadsheets take for a formula, or for a day


def game_record(history: GameHistory) -> GameRecord:
    """Return the game as a record of `referee.record`, with names, date and remarks."""
    names = history.state.recorded_names
    roles = player_tags(len(names))
    players = tuple((role, name) for role, name in zip(roles, names, strict=True) if name)
    decider = history.state.decider
    arbiter = () if decider is None else ((ARBITER_TAG, decider or UNNAMED_ARBITER),)
    resumed = [n for n, turn in enumerate(history.game.turns, start=1) if RESUMED in turn.remarks]
    taken_over = ((n, words(history.language)["taken_over"]) for n in resumed)
    incomplete = [(history.game.ply, words(history.language)["damaged"])] if history.problem else []
    of_file = history.state.file_record.comments if history.state.file_record is not None else ()
    commands = ((n, "".join(COMMAND.findall(text))) for n, text in of_file if COMMAND.search(text))
    if history.analysis is not None:
        analysed = analysis_comments(history, history.analysis)
    else:  # what another Millchen has written
        analysed = [(n, text) for n, text in of_file if text.strip().startswith(ANALYSIS_COMMENT)]
    all_comments = (*taken_over, *commands, *analysed, *history.remarks.items(), *incomplete)
    comments = sorted(all_comments, key=lambda comment: comment[0])
    return GameRecord(history.game, event_tags(history) + players + arbiter, tuple(comments))


def event_tags(history: GameHistory) -> tuple[tuple[str, str], ...]:
    """Return the PGN tags that say which game this is and when it was played; those of its file where it has one."""
    if history.state.file_record is not None:
        ours = (*player_tags(history.game.variant.players), ARBITER_TAG)
        return tuple((name, value) for name, value in history.state.file_record.tags if name not in ours)
    return ("Event", f"Game {history.number}"), ("Date", history.begun[:10].replace("-", "."))


def export_pgn(history: GameHistory) -> str:
    """Return the game as PGN, which Sanmill and others read."""
    return to_pgn(game_record(history))


def export_json(history: GameHistory) -> str:
    """Return the game as JSON: the record, and when and how each turn was accepted."""
    about = game_summary(history) | {
        "record": to_json(game_record(history)),
        "turns": [_row(history, n) for n in range(1, len(history.plies))],
    }
    if history.analysis is not None:
        about["analysis"] = analysis_json(history, history.analysis)
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def export_csv(history: GameHistory) -> str:
    """Return the game as CSV, one line a turn."""
    columns = ("ply", "player", "name", "turn", "mills", "seconds", "time", "by", "remark")
    rows = [list(map(_row(history, n).get, columns)) for n in range(1, len(history.plies))]
    if history.problem:
        rows.append(list(map({"turn": "*", "remark": words(history.language)["damaged"]}.get, columns)))
    return csv_text(columns, *rows)


def csv_text(*rows: Iterable[object]) -> str:
    """Return rows as CSV, in which no spreadsheet takes a cell for a formula or a date."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([_csv_safe(cell) for cell in row] for row in rows)
    return out.getvalue()


export_position = render_position_svg  # with names or without, of the turn that a page asks for


def export_gif(history: GameHistory) -> bytes:
    """Return the whole game as an animated GIF, one frame a turn."""
    comment = words(history.language)["damaged"] if history.problem else ""
    games, colours = [ply.game for ply in history.plies], history.state.colours
    return animate_positions([draw_position(game, colours) for game in games], comment)


def _row(history: GameHistory, n: int) -> dict[str, Any]:
    """Return one turn as a row of the CSV and of the JSON."""
    ply = history.plies[n]
    turn = ply.game.turns[-1]
    seconds = turn_seconds(history.plies, n)
    return {
        "ply": n,
        "player": turn.player + 1,
        "name": history.state.recorded_names[turn.player],
        "turn": turn_text(turn.moves) if turn.moves else f"({ply.record.kind})",
        "mills": " ".join("-".join(mill) for mill in turn.counted_mills),
        "seconds": None if seconds is None else round(seconds, 1),
        "time": ply.record.wall_time,
        "by": ply.record.by,
        "remark": history.remarks.get(n, ""),
    }


def _csv_safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _NO_PLAIN_TEXT.match(cell) else cell


# ---------------------------------------------------------------- the table of formats

ExportWriter = Callable[[GameHistory], str | bytes]  # returns a game as the content of a file


@dataclass(frozen=True)
class ExportFormat:
    """A format of a download; ``write`` is None where `web.views.games_pages.PAGE_WRITERS` has the writer."""

    mimetype: str
    write: ExportWriter | None
    label: str = ""  # key of the link's text in ``page.json``; empty: the link shows the file ending in capitals
    is_attachment: bool = True  # browsers save the file under a name of ours; False: pages show it as a picture
    takes_photographs: bool = False  # whether ``?photographs=1`` includes the photographs of the turns


FORMATS: Mapping[str, ExportFormat] = {
    "html": ExportFormat("text/html", None, label="export.html", takes_photographs=True),
    "gif": ExportFormat("image/gif", export_gif, label="export.gif"),
    "svg": ExportFormat("image/svg+xml", None, label="export.svg", is_attachment=False),
    "pgn": ExportFormat("application/vnd.chess-pgn", export_pgn),
    "csv": ExportFormat("text/csv", export_csv),
    "json": ExportFormat("application/json", export_json),
}
"""The formats by file ending, in the order of the links on the replay page."""


def page_free_writers() -> dict[str, ExportWriter]:
    """Return the writers that need no page, by file ending."""
    return {kind: row.write for kind, row in FORMATS.items() if row.write is not None}
