"""The records of a game as lines of text, in one language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from referee.announce import sentence
from referee.board import Board
from referee.events import Event
from web.drawing.colour_names import colour_names
from web.game.announcements import announce_record
from web.game.replay import apply_record, initial_state
from web.history.journal_reader import ReplayedGame
from web.i18n.catalogue import words
from web.journal.journal_record import Record


def _record_lines(played: ReplayedGame, language: str) -> list[str]:
    """Every record of a game, a line each; only the first of them, which begins it, says nothing."""
    end, lines = played.state, []
    if end is None:
        return []

    def say(event: Event, callers: tuple[str, ...], board: Board) -> Mapping[str, Mapping[str, str]]:
        return {"texts": {language: sentence(event, language, callers, board)}}

    course = initial_state(played.records[0])
    for record in played.records[1:]:
        course = apply_record(course, record)
        known = replace(course, names=end.names, colours=end.colours)
        told = announce_record(record, known, colour_names(end.colours), say)
        said = _unannounced_text(record, words(language)) if told is None else told.sentences["texts"][language]
        number = f"{record.ply:3}." if record.kind == "turn" else "    "
        lines.append(f"{number} {said}")
    return lines


def _unannounced_text(record: Record, catalogue: Mapping[str, str]) -> str:
    """What is not announced at the table, but stands in the record."""
    body = record.body
    match record.kind:
        case "named":
            return catalogue["kept.named"].format(names=", ".join(name or "-" for name in body["names"]))
        case "remark":
            return catalogue["kept.remark"].format(text=body["text"] or "-")
        case "pictures":
            return catalogue["photos_on" if body["on"] else "photos_off"]
        case "clock":
            agreed = f" ({body['minutes']} min + {body['increment']} s)" if body["kind"] == "down" else ""
            return f"{catalogue['clock']}: {catalogue['clock.' + body['kind']]}{agreed}"
        case "board":
            return catalogue["kept.board"].format(n=body["options"]["fields"])
        case "stood":
            return catalogue["kept.stood"]
    return f"{record.kind}: {json.dumps(body, ensure_ascii=False)}"  # of a kind that has no words yet: it is not hidden
