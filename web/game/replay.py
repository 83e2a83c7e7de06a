"""The course of a game as the journal tells it: a replay of records, one at a time.

The live table and a new start go through the same function (`apply_record`), so what is shown is what would be shown after
the power came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.events import (
    BoardFound,
    BoardLost,
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    QuestionAsked,
    Restored,
    TurnAmended,
    TurnPlayed,
)
from referee.game import Game
from referee.moves import Move, parse_move
from referee.presets import find_variant
from referee.turns import Turn
from web.game.clock import Clock, parse_clock
from web.game.hand_corrections import replace_turns, correct_point, rotate_ring
from web.journal.journal_record import Record

Body = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class GameState:
    """A game and what only its record knows.

    Attributes
    ----------
    game : Game
        What is accepted.
    foul : FoulSeen or None
        The foul in dispute.
    question : QuestionAsked or None
        What the players were asked and have not settled.
    mill : MillClosed or None
        A mill that was announced and whose turn is not complete yet.
    last_s : float or None
        Time of the source at which the newest event was seen; None before the first.
    names : tuple of str, by player
        What the players are called; empty where nobody has said.
    keeps_pictures : bool
        A photograph of every accepted turn is kept.
    clock : Clock
        What is agreed about time, and the seconds used at the last turn; it never runs in here.
    colours : tuple of str, by player
        ``#rrggbb`` of the stones as they were seen; empty while unknown.
    undone : tuple of Turn
        Turns that were taken back and could be played again, the next one first.
    """

    game: Game
    foul: FoulSeen | None = None
    question: QuestionAsked | None = None
    mill: MillClosed | None = None
    last_s: float | None = None
    names: tuple[str, ...] = ()
    keeps_pictures: bool = False
    clock: Clock = Clock()
    colours: tuple[str, ...] = ()
    undone: tuple[Turn, ...] = ()


def start_record_body(game: str, options: Mapping[str, Any], source: str, table: str = "") -> dict[str, Any]:
    """The body of the record that begins a game; ``table`` says at which one of several it is played."""
    return {"game": game, "options": dict(options), "source": source} | ({"table": table} if table else {})


def initial_state(record: Record) -> GameState:
    """The course that a ``start`` record begins.

    Raises
    ------
    ValueError
        When it names a game or an option that is not known here.
    """
    return GameState(Game.start(find_variant(record.body["game"], **record.body["options"])))


def apply_record(course: GameState, record: Record) -> GameState:
    """The course after one more record."""
    after = _apply(course, record)
    if after.game.turns is course.game.turns or record.kind in ("amended", "redone"):
        return after
    return replace(after, undone=())  # the game has gone another way


def _apply(course: GameState, record: Record) -> GameState:
    body = record.body
    match record.kind:
        case "remark":
            return course
        case "named":
            return replace(course, names=tuple(body["names"]))
        case "pictures":
            return replace(course, keeps_pictures=body["on"])
        case "clock":
            return replace(course, clock=parse_clock(body, course.game.variant.players))
        case "resigned" | "timed_out" | "agreed":
            return replace(course, game=_end_without_move(course.game, record), foul=None, question=None, mill=None)
        case "redone":
            game = course.game.play_turn(course.undone[0])
            return replace(course, game=game, undone=course.undone[1:], foul=None, question=None, mill=None)
    if record.kind == "board":
        variant = course.game.variant
        return replace(course, game=Game.start(find_variant(variant.name, **dict(variant.chosen), **body["options"])))
    if record.kind in ("corrected", "turned"):
        if "moves" in body:
            game = replace_turns(course.game, body["moves"], body["over"])
        elif record.kind == "turned":
            game = rotate_ring(course.game, body["ring"], body["steps"])
        else:
            game = correct_point(course.game, body["point"], body["top"], body.get("height"))
        return replace(course, game=game, foul=None, question=None, mill=None, last_s=body["t"])
    if record.kind == "stood":
        to_move = body["to_move"] - 1 if "to_move" in body else None
        game = course.game.play_on(body["tops"], to_move=to_move)
        return replace(course, game=game, foul=None, question=None, mill=None)
    event = event_of_record(record, course)
    course = replace(course, last_s=event.time_s)
    match event:
        case TurnPlayed(moves=moves):
            clock = replace(course.clock, used_s=tuple(body.get("clock", course.clock.used_s)))
            colours = tuple(body.get("colours", course.colours))
            game = _play_moves(course.game, moves)
            return replace(course, game=game, foul=None, question=None, mill=None, clock=clock, colours=colours)
        case TurnAmended(moves=moves):
            game = course.game.take_back()
            undone = (course.game.turns[-1], *course.undone) if moves is None and record.by == "hand" else ()
            game = game if moves is None else _play_moves(game, moves)
            return replace(course, game=game, foul=None, question=None, mill=None, undone=undone)
        case MillClosed():
            return replace(course, mill=event, question=None)
        case FoulSeen():
            return replace(course, foul=event, question=None)
        case Restored():
            return replace(course, foul=None, question=None)
        case QuestionAsked():
            return replace(course, question=event)
        case _:
            return course


def carried_over(before: GameState | None, after: GameState) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and body of what stays agreed between the same people from one game to the next."""
    if before is None or before.game.variant.players != after.game.variant.players:
        return
    if any(before.names):
        yield "named", {"names": list(before.names)}
    if before.keeps_pictures:
        yield "pictures", {"on": True}
    if before.clock.kind != "off":
        yield "clock", before.clock.settings()


def _end_without_move(game: Game, record: Record) -> Game:
    """The game after an ending that no move makes."""
    if record.kind == "agreed":
        return game.agree_draw()
    player = record.body["player"] - 1
    return game.resign(player) if record.kind == "resigned" else game.time_out(player)


def replay_states(records: Iterable[Record]) -> Iterator[GameState]:
    """The course of a game after each of its records, from its ``start`` record on."""
    records = iter(records)
    yield (course := initial_state(next(records)))
    for record in records:
        yield (course := apply_record(course, record))


def replay(records: Iterable[Record]) -> GameState:
    """The course of a whole game, from its ``start`` record on."""
    *_, course = replay_states(records)
    return course


def _play_moves(game: Game, moves: Iterable[Move]) -> Game:
    for move in moves:
        game = game.play(move)
    return game


# ---------------------------------------------------------------- events <-> records


def is_recorded(event: Event) -> bool:
    """Whether an event belongs to the history; where the field was seen does not."""
    return not isinstance(event, BoardFound | BoardLost)


def hole_count_options(event: BoardFound, course: GameState) -> dict[str, Any] | None:
    """The options that bring a game which has just begun to the board that was found, None where it is there already.

    Only discs differ from table to table: they have as many holes as their maker liked.
    """
    board = course.game.variant.board
    if course.game.turns or not board.rings or len(event.points) == len(board.points):
        return None
    return {"fields": len(event.points) // len(board.rings)}


def is_already_recorded(event: Event, course: GameState) -> bool:
    """Whether the journal knows this already: new eyes see an open mill or a foul once more."""
    match event:
        case MillClosed(player, line):
            return course.mill is not None and (course.mill.player, course.mill.line) == (player, line)
        case FoulSeen(seen_tops=seen):
            return course.foul is not None and course.foul.seen_tops == seen
        case _:
            return False


def record_of_event(event: Event) -> tuple[str, int | None, dict[str, Any]]:
    """Kind, ply and body of the record of an event that is kept; players count from 1."""
    stamp = {"t": round(event.time_s, 3), "frame": event.frame}
    match event:
        case TurnPlayed(ply, player, moves, mills, confidence):
            return (
                "turn",
                ply,
                {
                    **stamp,
                    "player": player + 1,
                    "moves": [str(move) for move in moves],
                    "mills": [list(mill) for mill in mills],
                    "confidence": round(confidence, 4),
                    "skipped": [who + 1 for who in event.skipped],
                },
            )
        case TurnAmended(ply, moves):
            return "amended", ply, {**stamp, "moves": None if moves is None else [str(move) for move in moves]}
        case MillClosed(player, line):
            return "mill", None, {**stamp, "player": player + 1, "line": list(line)}
        case FoulSeen(who, kind, points, before, seen):
            return (
                "foul",
                None,
                {
                    **stamp,
                    "player": None if who is None else who + 1,
                    "kind": str(kind),
                    "points": list(points),
                    "before": list(before),
                    "seen": list(seen),
                },
            )
        case Restored():
            return "restored", None, stamp
        case FoulStood(ply):
            return "stood", ply, {"tops": list(event.tops), "to_move": event.to_move + 1}
        case QuestionAsked(options):
            players = [[who + 1 for who in turns] for turns in event.players]
            return "question", None, {**stamp, "options": list(options), "players": players}
        case GameEnded(winner, reason):
            return "over", None, {**stamp, "winner": None if winner is None else winner + 1, "reason": str(reason)}
    raise TypeError(f"not kept in the journal: {event!r}")


def event_of_record(record: Record, course: GameState) -> Event:
    """The event that a record keeps; ``course`` is the game it belongs to (only its board matters)."""
    body, at = record.body, (record.body["t"], record.body["frame"])
    board = course.game.variant.board
    match record.kind:
        case "turn":
            return TurnPlayed(
                record.ply or 0,
                body["player"] - 1,
                tuple(parse_move(text, board) for text in body["moves"]),
                tuple(tuple(mill) for mill in body["mills"]),
                body["confidence"],
                *at,
                skipped=tuple(who - 1 for who in body["skipped"]),
            )
        case "amended":
            moves = body["moves"]
            parsed = None if moves is None else tuple(parse_move(text, board) for text in moves)
            return TurnAmended(record.ply or 0, parsed, *at)
        case "mill":
            return MillClosed(body["player"] - 1, tuple(body["line"]), *at)
        case "foul":
            who = None if body["player"] is None else body["player"] - 1
            points, before, seen = (tuple(body[key]) for key in ("points", "before", "seen"))
            return FoulSeen(who, body["kind"], points, before, seen, *at)
        case "restored":
            return Restored(*at)
        case "question":
            players = tuple(tuple(who - 1 for who in turns) for turns in body.get("players", ()))
            return QuestionAsked(tuple(body["options"]), *at, players=players)
        case "over":
            return GameEnded(None if body["winner"] is None else body["winner"] - 1, body["reason"], *at)
    raise ValueError(f"unknown kind of record: {record.kind!r}")
