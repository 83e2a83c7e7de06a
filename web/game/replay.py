"""Rebuilds the state of a game from the records of the journal, one record at a time, live and after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from referee.endings import Termination
from referee.events import BoardFound, Event, FoulSeen, MillClosed, Resumed
from referee.fen import parse_fen
from referee.game import Game
from referee.presets import find_variant
from referee.record import Record as GameRecord
from referee.record import to_json
from referee.record_reader import whole_json
from referee.resumption import resume
from web.game.first_record import lesson_of_body
from web.game.game_state import GameState
from web.game.partners import partner_body
from web.game.records import apply_record
from web.journal.journal_record import JournalRecord
from web.net.body_schema import MAX_NAME_CHARACTERS

IMPORTED = "imported"  # kind of the first record of a game that came from a file; it holds the whole game

LAID_FIELD = "laid"
"""Field of a first record that holds the position from which a game begins, and the colours of its stones by player."""

MAX_CACHED_RECORDS = 256  # most games from files that are kept in memory: the list of games plays each of them through
ARBITER_TAG = "Arbiter"  # name of the tag that says which referee ended the game; the PGN standard has none
UNNAMED_ARBITER = "referee"  # what the tag says where nobody has given a name
DECIDED_ENDINGS = (Termination.ARBITER, Termination.ABANDONED)  # endings that a referee decides


def start_record_body(game: str, options: Mapping[str, Any], source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that begins a game; ``table`` names the table among several."""
    return {"game": game, "options": dict(options), "source": source} | ({"table": table} if table else {})


def source_record_body(source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that says from which source, and at which table, a game goes on."""
    return {"source": source} | ({"table": table} if table else {})


def initial_state(record: JournalRecord) -> GameState:
    """Return the state after a ``start`` record, or after an ``imported`` one, which holds a whole game."""
    if record.kind == IMPORTED:
        return _imported_state(read_record(record.body))
    variant, source = find_variant(record.body["game"], **record.body["options"]), str(record.body.get("source", ""))
    lesson, number = lesson_of_body(record.body)
    if (laid := record.body.get(LAID_FIELD)) is not None:
        return GameState(Game(parse_fen(laid["fen"], variant)), source=source, colours=tuple(laid["colours"]))
    game = Game.start(variant) if lesson is None else Game(lesson.position(variant))
    return GameState(game, source=source, lesson=lesson, lesson_number=number)


def import_record_body(record: GameRecord, file: str) -> dict[str, Any]:
    """Return the body of the record that holds a game from a file."""
    variant = record.game.variant
    return {
        "game": variant.name,
        "options": dict(variant.chosen),
        "source": f"file:{file}",
        "record": to_json(record),
    }


def read_record(body: Mapping[str, Any]) -> GameRecord:
    """Return the game from a file that a body of `import_record_body` holds."""
    return _read_record(json.dumps(body["record"]))


@lru_cache(MAX_CACHED_RECORDS)
def _read_record(text: str) -> GameRecord:
    return whole_json(json.loads(text))


def _imported_state(record: GameRecord) -> GameState:
    tags, game = dict(record.tags), record.game
    names = tuple(_name_in(tags.get(role, "")) for role in player_tags(game.variant.players))
    arbiter = tags.get(ARBITER_TAG)
    is_decided = game.outcome is not None and game.outcome.termination in DECIDED_ENDINGS
    decider = None if not is_decided else "" if arbiter in (None, UNNAMED_ARBITER) else _name_in(arbiter or "")
    return GameState(game, names=names if any(names) else (), decider=decider, file_record=record)


def _name_in(tag: str) -> str:
    """Return the name of a player in a tag, cut to what the page can show."""
    return "" if tag == "?" else "".join(filter(str.isprintable, tag)).strip()[:MAX_NAME_CHARACTERS]


def player_tags(n_players: int) -> tuple[str, ...]:
    """Return the names of the tags that name the players of a game."""
    return ("White", "Black") if n_players == 2 else tuple(f"Player{k}" for k in range(1, n_players + 1))


def replay_states(records: Iterable[JournalRecord]) -> Iterator[GameState]:
    """Yield the state of a game after each of its records, from its ``start`` record on."""
    records = iter(records)
    yield (state := initial_state(next(records)))
    for record in records:
        yield (state := apply_record(state, record))


def replay(records: Iterable[JournalRecord]) -> GameState:
    """Return the state of a game after all its records, from its ``start`` record on."""
    *_, state = replay_states(records)
    return state


def carried_over(
    before: GameState | None, after: GameState, *, swap: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kind and body of records that carry settings over to the next game; ``swap`` moves players by one place."""
    if before is None or before.game.variant.players != after.game.variant.players:
        return
    if any(before.names):
        names = [*before.names[1:], before.names[0]] if swap else list(before.names)
        yield "named", {"names": names}
    if before.keeps_photographs:
        yield "pictures", {"on": True}
    if before.clock.kind != "off":
        yield "clock", before.clock.settings()
    if after.lesson is not None:
        return  # nobody helps in a lesson
    n_players = before.game.variant.players
    for player, partner in before.partners.items():
        yield "partner", partner_body((player - 1) % n_players if swap else player, partner)
    if before.allows_hints is not None:
        yield "hints", {"on": before.allows_hints}


# ---------------------------------------------------------------- what a record would add


def hole_count_options(event: BoardFound, state: GameState) -> dict[str, Any] | None:
    """Return the options by which a new game gets the number of holes of a disc that was found, None where it fits."""
    board = state.game.variant.board
    is_open = not (state.game.turns or state.game.is_set_up)
    if not is_open or not board.rings or len(event.points) == len(board.points):
        return None
    return {"fields": len(event.points) // len(board.rings)}


def is_already_recorded(event: Event, state: GameState) -> bool:
    """Return whether the journal has the event already: a new vision process sees an open mill, say, once more."""
    match event:
        case MillClosed(player, line):
            mill = state.announced_mill
            return mill is not None and (mill.player, mill.line) == (player, line)
        case FoulSeen(seen_tops=seen):
            return state.foul is not None and state.foul.seen_tops == seen
        case Resumed(to_move=to_move):
            return resume(state.game, event.tops, to_move) == state.game
        case _:
            return False
