"""Events of the referee, and what Millchen does as a partner, as records of the journal and back; players from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from referee import events
from referee.board import Board
from referee.game import Game
from referee.game_events import turn_played
from referee.moves import parse_move
from referee.position import Due
from referee.search.analysis import value_json
from referee.search.reasons import Reason
from referee.search.thought import Value
from web.game.game_state import Partner, Proposal
from web.journal.journal_record import JournalRecord, UnwrittenRecord

FOLLOWING = (events.PlayerOut, events.OwnerChanged, events.DrawNear)
"""Events that follow from a turn, and are written together with it."""

UNRECORDED = (events.BoardFound, events.BoardLost, events.OtherGameSeen)
"""Events that the journal does not keep: where the field was seen, and which other one."""


class Field(NamedTuple):
    """How an attribute of an event stands in the body of its record: under ``key``, else under its own name."""

    write: Callable[[Any], Any]
    read: Callable[[Any, Board], Any]
    key: str = ""
    is_omitted: bool = False


def _from_one(player: int | None) -> int | None:
    return None if player is None else player + 1


def _from_zero(player: int | None, _: Board) -> int | None:
    return None if player is None else player - 1


def _write_dues(dues: tuple[Due, ...] | None) -> list[Any] | None:
    if dues is None:
        return None
    victims = ([k + 1 for k in range(due.victims.bit_length()) if due.victims >> k & 1] for due in dues)
    return [[players, due.n, due.optional] for players, due in zip(victims, dues, strict=True)]


def _read_dues(dues: list[Any] | None, _: Board) -> tuple[Due, ...] | None:
    if dues is None:
        return None
    return tuple(Due(sum(1 << (player - 1) for player in players), n, optional) for players, n, optional in dues)


PLAIN = Field(lambda value: value, lambda value, _: value)
WORD = Field(str, lambda value, _: value)
SHARE = Field(lambda value: round(value, 4), lambda value, _: value)
NAMES = Field(list, lambda value, _: tuple(value))
LINES = Field(lambda lines: [list(line) for line in lines], lambda lines, _: tuple(tuple(line) for line in lines))
PLAYER = Field(_from_one, _from_zero)
PLAYERS = Field(lambda who: [k + 1 for k in who], lambda who, _: tuple(k - 1 for k in who))
MOVES = Field(
    lambda moves: None if moves is None else [str(move) for move in moves],
    lambda texts, board: None if texts is None else tuple(parse_move(text, board) for text in texts),
)
DUES = Field(_write_dues, _read_dues)
STONES = Field(
    lambda stones: {name: _from_one(owner) for name, owner in stones},
    lambda seen, board: tuple((name, _from_zero(seen[name], board)) for name in board.points),
)
TURNS = Field(
    lambda turns: [[k + 1 for k in who] for who in turns],
    lambda turns, _: tuple(tuple(k - 1 for k in w) for w in turns),
)

_FOUL = {
    "player": PLAYER,
    "kind": WORD,
    "points": NAMES,
    "before_tops": NAMES._replace(key="before"),
    "seen_tops": NAMES._replace(key="seen"),
    "rule": PLAIN,
    "seen_heights": NAMES._replace(key="heights", is_omitted=True),
    "played": MOVES._replace(is_omitted=True),
    "meant": MOVES._replace(is_omitted=True),
}
BODIES: Mapping[str, tuple[Callable[..., events.Event], Mapping[str, Field]]] = {
    "turn": (
        events.TurnPlayed,
        {"player": PLAYER, "moves": MOVES, "mills": LINES, "confidence": SHARE, "skipped": PLAYERS},
    ),
    "amended": (events.TurnAmended, {"moves": MOVES, "player": PLAYER}),
    "mill": (events.MillClosed, {"player": PLAYER, "line": NAMES, "due": DUES}),
    "foul": (events.FoulSeen, _FOUL),
    "restored": (events.Restored, {}),
    "resumed": (events.Resumed, {"points": STONES, "to_move": PLAYER}),
    "question": (events.QuestionAsked, {"options": NAMES, "players": TURNS}),
    "out": (events.PlayerOut, {"player": PLAYER, "reason": PLAIN, "removed": NAMES}),
    "owner": (
        events.OwnerChanged,
        {"points": NAMES, "old_owner": PLAYER._replace(key="from"), "owner": PLAYER._replace(key="to")},
    ),
    "warning": (events.DrawNear, {"kind": PLAIN, "left": PLAIN}),
    "over": (events.GameEnded, {"winner": PLAYER, "reason": WORD, "loser": PLAYER, "n": PLAIN}),
}
"""From the kind of a record to the event that it keeps, and what of that stands in its body beside time and frame."""

_KINDS = {event: kind for kind, (event, _) in BODIES.items()}


def record_of_event(event: events.Event) -> UnwrittenRecord:
    """Return the record of an event. Raises TypeError where the journal does not keep such events."""
    if isinstance(event, events.FoulStood):
        return "stood", event.ply, {"tops": list(event.tops), "to_move": event.to_move + 1}
    if (kind := _KINDS.get(type(event))) is None:
        raise TypeError(f"not kept in the journal: {event!r}")
    body = {"t": round(event.time_s, 3), "frame": event.frame}
    return kind, getattr(event, "ply", None), body | write_fields(event, BODIES[kind][1])


def record_of_turn(game: Game, time_s: float) -> UnwrittenRecord:
    """Return the record of the last turn of a game, which was made by hand."""
    return record_of_event(turn_played(game, 1.0, time_s, 0))


def write_fields(value: object, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return attributes of a value as they stand in the body of a record."""
    kept = ((one, name, getattr(value, name)) for name, one in fields.items())
    return {one.key or name: one.write(own) for one, name, own in kept if own or not one.is_omitted}


def read_fields(body: Mapping[str, Any], fields: Mapping[str, Field], board: Board) -> dict[str, Any]:
    """Return the attributes of a value from the body of a record."""
    keys = ((name, one.key or name, one) for name, one in fields.items())
    return {name: one.read(body[key], board) for name, key, one in keys if key in body}


def event_of_record(record: JournalRecord, game: Game) -> events.Event:
    """Return the event that a record keeps. Raises ValueError where there is no event of this kind."""
    if record.kind not in BODIES:
        raise ValueError(f"unknown kind of record: {record.kind!r}")
    event, kept = BODIES[record.kind]
    body, values = record.body, read_fields(record.body, kept, game.variant.board)
    ply = {"ply": record.ply or 0} if event in (events.TurnPlayed, events.TurnAmended) else {}
    return event(**ply, **values, time_s=body["t"], frame=body["frame"])


# ---------------------------------------------------------------- Millchen as a partner


def partner_body(player: int, partner: Partner | None) -> dict[str, Any]:
    """Return the body of the record that Millchen plays for a player (0 first), or does not any more."""
    settings = {"strength": None, "explain": False, "laid_by_people": False} if partner is None else partner._asdict()
    return {"player": player + 1, **settings}


def partner_of_body(body: Mapping[str, Any]) -> tuple[int, Partner | None]:
    """Return player (0 first) and partner of such a record."""
    partner = Partner(*(body[name] for name in Partner._fields))
    return body["player"] - 1, None if partner.strength is None else partner


def _read_reasons(kept: Sequence[Mapping[str, Any]], board: Board) -> tuple[Reason, ...]:
    return tuple(Reason(one["kind"], tuple(one["points"]), one["n"], PLAYER.read(one["player"], board)) for one in kept)


REASONS = Field(lambda said: [{**one._asdict(), "player": PLAYER.write(one.player)} for one in said], _read_reasons)
PROPOSAL: Mapping[str, Field] = {
    "player": PLAYER,
    "moves": MOVES,
    "begun": MOVES,
    "reasons": REASONS,
    "own": REASONS,
    "threats": REASONS,
}


def proposal_body(proposal: Proposal, value: Value | None) -> dict[str, Any]:
    """Return the body of a record of a proposal or a hint."""
    return write_fields(proposal, PROPOSAL) | {"value": value and value_json(value)}


def proposal_of_body(body: Mapping[str, Any], board: Board) -> Proposal:
    """Return the proposal or hint that a record holds."""
    return Proposal(**read_fields(body, PROPOSAL, board))
