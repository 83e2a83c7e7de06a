"""Records of the journal in, the state of their game out: one record at a time, live and after a restart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.events import BoardFound, Event, FoulSeen, MillClosed, Resumed
from referee.fen import parse_fen
from referee.game import Game
from referee.presets import find_variant
from referee.resumption import resume
from web.errors import UNREADABLE, MillchenError
from web.game.first_record import lesson_of_body
from web.game.game_state import GameState
from web.game.imported_games import IMPORTED, imported_state, read_record
from web.game.records import apply_record, partner_body
from web.journal.journal_record import JournalRecord, UnwrittenRecord, records_of_game

LAID_ENTRY = "laid"
"""Entry of a first record that holds the position from which a game begins, and the colours of its stones by player."""


def start_record_body(game: str, options: Mapping[str, Any], source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that begins a game; ``table`` names the table among several."""
    return {"game": game, "options": dict(options), "source": source} | ({"table": table} if table else {})


def source_record_body(source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that says from which source, and at which table, a game goes on."""
    return {"source": source} | ({"table": table} if table else {})


def initial_state(record: JournalRecord) -> GameState:
    """Return the state after a ``start`` record, or after an ``imported`` one, which holds a whole game."""
    if record.kind == IMPORTED:
        return imported_state(read_record(record.body))
    variant, source = find_variant(record.body["game"], **record.body["options"]), str(record.body.get("source", ""))
    lesson, number = lesson_of_body(record.body)
    if (laid := record.body.get(LAID_ENTRY)) is not None:
        return GameState(Game(parse_fen(laid["fen"], variant)), source=source, colours=tuple(laid["colours"]))
    game = Game.start(variant) if lesson is None else Game(lesson.position(variant))
    return GameState(game, source=source, lesson=lesson, lesson_number=number)


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


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game, replayed as far as its records can be read."""

    records: tuple[JournalRecord, ...]
    states: tuple[GameState, ...]  # after each record
    problem: str = ""  # why the replay stopped early

    @property
    def state(self) -> GameState | None:
        """The state after the last record; None when not even the first can be read."""
        return self.states[-1] if self.states else None


def replay_rows(rows: Iterable[Any]) -> ReplayedGame:
    """Return the game in the rows of its events, replayed as far as they can be read."""
    records: list[JournalRecord] = []
    states: list[GameState] = []
    problem = ""
    try:
        for record in records_of_game(rows):
            try:
                states.append(apply_record(states[-1], record) if states else initial_state(record))
            except UNREADABLE as why:
                problem = f"record {record.seq} of game {record.game} cannot be replayed: {why}"
                break
            records.append(record)
    except MillchenError as why:  # a record, or the file, is damaged
        problem = str(why)
    return ReplayedGame(tuple(records), tuple(states), problem)


def carried_over(before: GameState | None, after: GameState, *, swap: bool = False) -> Iterator[UnwrittenRecord]:
    """Yield the records that carry settings over to the next game; ``swap`` moves players by one place."""
    if before is None or before.game.variant.players != after.game.variant.players:
        return
    if any(before.names):
        names = [*before.names[1:], before.names[0]] if swap else list(before.names)
        yield UnwrittenRecord("named", None, {"names": names})
    if before.keeps_photographs:
        yield UnwrittenRecord("pictures", None, {"on": True})
    if before.clock.kind != "off":
        yield UnwrittenRecord("clock", None, before.clock.settings())
    if after.lesson is not None:
        return  # nobody helps in a lesson
    n_players = before.game.variant.players
    for player, partner in before.partners.items():
        body = partner_body((player - 1) % n_players if swap else player, partner)
        yield UnwrittenRecord("partner", None, body)
    if before.allows_hints is not None:
        yield UnwrittenRecord("hints", None, {"on": before.allows_hints})


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
        case FoulSeen(seen_tops=tops):
            return state.foul is not None and state.foul.seen_tops == tops
        case Resumed(to_move=to_move):
            return resume(state.game, event.tops, to_move) == state.game
        case _:
            return False
