"""``millchen games export NUMBER``: one game as PGN, JSON or in another format, with what an analysis has found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.moves import turn_text
from referee.record import Record as GameRecord
from referee.record import to_json, to_pgn
from vision.commands.arguments import make_writable
from web.errors import MillchenError
from web.history.analysis_view import analysis_json
from web.history.exports import event_tags, page_free_writers, record_analysis_comments
from web.history.finished_games import GameHistory, game_history, game_summary
from web.history.journal_reader import JournalReader, ReplayedGame
from web.history.kept_analyses import KeptAnalyses


def export_game(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status, 1 where the game is damaged."""
    played = reader.replay(arguments.number)
    if played.state is None:
        raise MillchenError(played.problem)
    content = _file_content(reader.path, played, arguments.format)
    if arguments.to is None:
        _print_content(content)
    else:
        try:
            make_writable(arguments.to)
        except ValueError as why:
            raise MillchenError(str(why)) from why
        arguments.to.write_bytes(content.encode() if isinstance(content, str) else content)
    return exit_status(played)


def exit_status(played: ReplayedGame) -> int:
    """Return the exit status; where the reading stopped early, print why."""
    if not played.problem:
        return 0
    print(f"millchen: {played.problem}; what stands before it is whole", file=sys.stderr)
    return 1


def _file_content(path: Path, played: ReplayedGame, kind: str) -> str | bytes:
    """Return a game of the journal at ``path`` in one of the formats of `web.history.exports`.

    The PGN of this command has no names and no remarks, and its JSON has the records of the journal. What an analysis
    has found is in both.
    """
    history = game_history(played)
    history = replace(history, analysis=KeptAnalyses.beside(path).find(history.game))
    if kind == "pgn":
        return to_pgn(GameRecord(history.game, event_tags(history), tuple(record_analysis_comments(history))))
    if kind == "json":
        return json.dumps(_game_json(played, history), ensure_ascii=False) + "\n"
    return page_free_writers()[kind](history)


def _print_content(content: str | bytes) -> None:
    if isinstance(content, str):
        print(content, end="")
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()


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
