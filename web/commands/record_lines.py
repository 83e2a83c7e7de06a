"""The records of a game as lines of text, in one language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from referee.announce import sentence
from referee.board import Board
from referee.endings import Outcome
from referee.events import Event
from web.drawing.colour_names import colour_names
from web.game.announcements import announce_record
from web.game.replay import IMPORTED, apply_record, initial_state
from web.history.finished_games import imported_plies
from web.history.journal_reader import ReplayedGame
from web.journal.journal_record import JournalRecord
from web.page_words import words


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
        text = (
            _unannounced_text(record, words(language)) if announced is None else announced.sentences["texts"][language]
        )
        number = f"{record.ply:3}." if record.kind == "turn" else "    "
        lines.append(f"{number} {text}")
    return lines


def _unannounced_text(record: JournalRecord, catalogue: Mapping[str, str]) -> str:
    """Return the text of a record that is not announced at the table."""
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
            return catalogue["label"].format(
                name=catalogue["clock"], text=f"{catalogue['clock.' + body['kind']]}{agreed}"
            )
        case "board":
            return catalogue["kept.board"].format(n=body["options"]["fields"])
        case "source":
            return catalogue["kept.source"].format(source=body["source"])
        case "stood":
            return catalogue["kept.stood"]
        case "partner" if body["strength"] is None:
            return catalogue["kept.no_partner"].format(n=body["player"])
        case "partner":
            strength = catalogue[f"partner.{body['strength']}"]
            return catalogue["kept.partner"].format(n=body["player"], strength=strength)
        case "hints":
            return catalogue["kept.hints" if body["on"] else "kept.no_hints"]
    return (
        f"{record.kind}: {json.dumps(body, ensure_ascii=False)}"  # a kind without a text of its own is shown as it is
    )


def ending_text(outcome: Outcome | None) -> str:
    """Return how a game ended, in English."""
    if outcome is None:
        return "open"
    if outcome.winner is not None:
        return f"player {outcome.winner + 1} won"
    return "draw" if outcome.is_draw else "no result"
