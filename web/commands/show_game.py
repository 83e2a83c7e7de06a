"""``millchen games show NUMBER`` and ``export NUMBER``: one game, as lines for people or as a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.announce import sentence
from referee.board import Board
from referee.endings import Outcome
from referee.events import Event
from referee.moves import turn_text
from referee.record import Record as GameRecord
from referee.record import to_json, to_pgn
from vision.commands.arguments import make_writable
from web.drawing.colour_names import colour_names
from web.errors import MillchenError
from web.game.records import announce_record
from web.game.replay import IMPORTED, apply_record, initial_state
from web.history.analysis_view import analysis_json
from web.history.exports import event_tags, page_free_writers, record_analysis_comments
from web.history.finished_games import GameHistory, game_history, game_summary, imported_plies
from web.history.journal_reader import JournalReader, ReplayedGame
from web.history.kept_analyses import KeptAnalyses
from web.journal.journal_record import JournalRecord
from web.page_words import words


def show_game(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Print a game turn by turn; return the exit status, 1 where the game is damaged."""
    played = reader.replay(arguments.number)
    for line in record_lines(played, arguments.language):
        print(line)
    if played.state is not None:
        print(ending_text(played.state.game.outcome))
    return _exit_status(played)


def export_game(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Write a game in one of the formats; return the exit status, 1 where the game is damaged."""
    played = reader.replay(arguments.number)
    if played.state is None:
        raise MillchenError(played.problem)
    content = _file_content(reader.path, played, arguments.format)
    encoded = content.encode() if isinstance(content, str) else content
    if arguments.to is not None:
        try:
            make_writable(arguments.to)
        except ValueError as why:
            raise MillchenError(str(why)) from why
        arguments.to.write_bytes(encoded)
    elif isinstance(content, str):
        print(content, end="")
    else:
        sys.stdout.buffer.write(encoded)
        sys.stdout.flush()
    return _exit_status(played)


def _exit_status(played: ReplayedGame) -> int:
    """Return the exit status; where the reading stopped early, print why."""
    if not played.problem:
        return 0
    print(f"millchen: {played.problem}; what stands before it is whole", file=sys.stderr)
    return 1


def record_lines(played: ReplayedGame, language: str) -> list[str]:
    """Return one line for each record of a game but the first, which begins it."""
    end, lines = played.state, []
    if end is None:
        return []

    def say(
        event: Event, callers: tuple[str, ...], board: Board, colours: tuple[str, ...]
    ) -> Mapping[str, Mapping[str, str]]:
        return {"texts": {language: sentence(event, language, callers, board, stones=colours)}}

    state = initial_state(played.records[0])
    if played.records[0].kind == IMPORTED:
        plies = imported_plies(played.records[0], state.game, end, say, language)
        lines = [f"{ply.game.ply:3}. {ply.text}" for ply in plies[1:]]
    for record in played.records[1:]:
        state = apply_record(state, record)
        named = replace(state, names=end.called, colours=end.colours)  # they may be known only later in the game
        announced = announce_record(record, named, colour_names(end.colours), say)
        number = f"{record.ply:3}." if record.kind == "turn" else "    "
        text = _unannounced(record, words(language)) if announced is None else announced.texts[language]
        lines.append(f"{number} {text}")
    return lines


def _unannounced(record: JournalRecord, texts: Mapping[str, str]) -> str:
    """Return the text of a record that is not announced at the table."""
    body = record.body
    match record.kind:
        case "named":
            return texts["kept.named"].format(names=", ".join(name or "-" for name in body["names"]))
        case "remark":
            return texts["kept.remark"].format(text=body["text"] or "-")
        case "pictures":
            return texts["photos_on" if body["on"] else "photos_off"]
        case "clock":
            agreed = f" ({body['minutes']} min + {body['increment']} s)" if body["kind"] == "down" else ""
            return texts["label"].format(name=texts["clock"], text=f"{texts['clock.' + body['kind']]}{agreed}")
        case "board":
            return texts["kept.board"].format(n=body["options"]["fields"])
        case "source":
            return texts["kept.source"].format(source=body["source"])
        case "stood":
            return texts["kept.stood"]
        case "partner" if body["strength"] is None:
            return texts["kept.no_partner"].format(n=body["player"])
        case "partner":
            return texts["kept.partner"].format(n=body["player"], strength=texts[f"partner.{body['strength']}"])
        case "hints":
            return texts["kept.hints" if body["on"] else "kept.no_hints"]
    return f"{record.kind}: {json.dumps(body, ensure_ascii=False)}"  # a kind without a text is shown as it is


def ending_text(outcome: Outcome | None) -> str:
    """Return how a game ended, in English."""
    if outcome is None:
        return "open"
    if outcome.winner is not None:
        return f"player {outcome.winner + 1} won"
    return "draw" if outcome.is_draw else "no result"


def _file_content(path: Path, played: ReplayedGame, kind: str) -> str | bytes:
    """Return a game of the journal at ``path`` in one of the formats of `web.history.exports`.

    The PGN of this command has no names and no remarks, and its JSON has the records of the journal.
    """
    history = game_history(played)
    history = replace(history, analysis=KeptAnalyses.beside(path).find(history.game))
    if kind == "pgn":
        return to_pgn(GameRecord(history.game, event_tags(history), tuple(record_analysis_comments(history))))
    if kind == "json":
        return json.dumps(_game_json(played, history), ensure_ascii=False) + "\n"
    return page_free_writers()[kind](history)


def _game_json(played: ReplayedGame, history: GameHistory) -> Mapping[str, Any]:
    start, summary = played.records[0], game_summary(history)
    return {
        "number": history.number,
        "game": start.body["game"],
        "options": start.body["options"],
        "begun": history.begun,
        "turns": [
            {"ply": ply, "player": turn.player + 1, "text": turn_text(turn.moves), "remarks": list(turn.remarks)}
            for ply, turn in enumerate(history.game.turns, start=1)
        ],
        "over": summary["over"],
        "winner": summary["winner"],
        "record": to_json(GameRecord(history.game, event_tags(history))),
        "records": [
            {"seq": r.seq, "kind": r.kind, "ply": r.ply, "body": r.body, "time": r.wall_time, "by": r.by}
            for r in played.records
        ],
        "problem": summary["problem"],
    } | ({"analysis": analysis_json(history, history.analysis)} if history.analysis is not None else {})
