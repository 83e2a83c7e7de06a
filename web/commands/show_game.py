"""``millchen games show NUMBER`` and ``export NUMBER``: one game, as lines for people or as a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace

from referee.announce import Speaker, sentence
from referee.board import Board
from referee.endings import Outcome
from referee.events import Event
from vision.commands.arguments import make_writable
from web.drawing.colour_names import colour_names
from web.errors import MillchenError
from web.game.imported_games import IMPORTED
from web.game.records import announce_record, apply_record
from web.game.replay import initial_state
from web.history.exports import page_free_writers
from web.history.finished_games import game_history, imported_plies
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
        print(ending_text(played.state.game.outcome, arguments.language))
    return _exit_status(played)


def export_game(reader: JournalReader, arguments: argparse.Namespace) -> int:
    """Write a game in one of the formats; return the exit status, 1 where the game is damaged."""
    played = reader.replay(arguments.number)
    if played.state is None:
        raise MillchenError(played.problem)
    history = game_history(played)
    history = replace(history, analysis=KeptAnalyses.beside(reader.path).find(history.game))
    content = page_free_writers()[arguments.format](history)
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
    """Return the text of a record that is not announced at the table; of a kind without one, the record."""
    body, kind = record.body, record.kind
    if kind == "clock":
        agreed = f" ({body['minutes']} min + {body['increment']} s)" if body["kind"] == "down" else ""
        return texts["label"].format(name=texts["clock"], text=f"{texts['clock.' + body['kind']]}{agreed}")
    is_off = body.get("on") is False or body.get("strength", "") is None
    text = texts.get(f"kept.no_{kind}" if is_off else f"kept.{kind}")
    if text is None:
        return f"{kind}: {json.dumps(body, ensure_ascii=False)}"
    names = ", ".join(name or "-" for name in body.get("names", ()))
    filled = {"names": names, "strength": texts.get(f"partner.{body.get('strength')}"), "text": body.get("text") or "-"}
    return text.format(**{**body, **filled})


def ending_text(outcome: Outcome | None, language: str = "en") -> str:
    """Return how a game ended; players by their numbers."""
    if outcome is None:
        return words(language)["result.open"]
    if outcome.winner is not None:
        return words(language)["result.won"].format(player=Speaker(language).player(outcome.winner))
    return words(language)["result.draw" if outcome.is_draw else "result.none"]
