"""Events of the referee as records of the journal, and back; players count from 1 in records."""

from __future__ import annotations

from collections.abc import Mapping

from referee.events import (
    BoardFound,
    BoardLost,
    DrawNear,
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    OtherGameSeen,
    OwnerChanged,
    PlayerOut,
    QuestionAsked,
    Restored,
    Resumed,
    TurnAmended,
    TurnPlayed,
)
from referee.game import Game
from referee.moves import parse_move
from referee.position import Due
from web.journal.journal_record import JournalRecord, UnwrittenRecord

JUDGED: Mapping[str, bool] = {"judged": True}
"""Field of a record that sets a position: it was judged. In journals of before it stands as it was set."""


def is_judged(record: JournalRecord) -> bool:
    """Return whether the position that a record sets was judged by the rules."""
    return bool(record.body.get("judged", False))


FOLLOWING = (PlayerOut, OwnerChanged, DrawNear)
"""Events that follow from a turn: whoever writes the turn writes them too, by camera or by hand."""


def is_recorded(event: Event) -> bool:
    """Return whether the journal keeps an event; it does not keep where the field was seen, nor which other one."""
    return not isinstance(event, BoardFound | BoardLost | OtherGameSeen)


def record_of_event(event: Event) -> UnwrittenRecord:
    """Return the record of an event that the journal keeps; players count from 1 in it.

    Raises:
        TypeError: When the journal does not keep such events.
    """
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
            said = None if moves is None else [str(move) for move in moves]
            return "amended", ply, {**stamp, "moves": said, "player": _counted(event.player)}
        case MillClosed(player, line):
            dues = None if event.due is None else [[_players(due), due.n, due.optional] for due in event.due]
            return "mill", None, {**stamp, "player": player + 1, "line": list(line), "due": dues}
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
                    "rule": event.rule,
                }
                | ({"heights": list(event.seen_heights)} if event.seen_heights else {})
                | _played_and_meant(event),
            )
        case Restored():
            return "restored", None, stamp
        case FoulStood(ply):
            return "stood", ply, {"tops": list(event.tops), "to_move": event.to_move + 1, **JUDGED}
        case Resumed(stones, to_move):
            stood = {name: None if owner is None else owner + 1 for name, owner in stones}
            mover = None if to_move is None else to_move + 1
            return "resumed", None, {**stamp, "points": stood, "to_move": mover, **JUDGED}
        case QuestionAsked(options):
            players = [[who + 1 for who in turns] for turns in event.players]
            return "question", None, {**stamp, "options": list(options), "players": players}
        case PlayerOut(player, reason):
            removed = list(event.removed)
            return "out", None, {**stamp, "player": player + 1, "reason": reason, "removed": removed}
        case OwnerChanged(points, old_owner, owner):
            return "owner", None, {**stamp, "points": list(points), "from": old_owner + 1, "to": owner + 1}
        case DrawNear(kind, left):
            return "warning", None, {**stamp, "kind": kind, "left": left}
        case GameEnded(winner, reason):
            about = {"loser": _counted(event.loser), "n": event.n}
            return "over", None, {**stamp, "winner": _counted(winner), "reason": str(reason), **about}
    raise TypeError(f"not kept in the journal: {event!r}")


def event_of_record(record: JournalRecord, game: Game) -> Event:
    """Return the event that a record keeps.

    Args:
        game: The game that it belongs to; only its board matters, and who made its last turn.

    Raises:
        ValueError: When there is no event of this kind.
    """
    body, at = record.body, (record.body["t"], record.body["frame"])
    board = game.variant.board
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
            turns = game.turns  # the last one is the one that was misread, or what it is now
            mover = _from_zero(body.get("player")) if "player" in body else turns[-1].player if turns else None
            return TurnAmended(record.ply or 0, parsed, *at, player=mover)
        case "mill":
            dues = body.get("due")
            due = None if dues is None else tuple(_due(*each) for each in dues)
            return MillClosed(body["player"] - 1, tuple(body["line"]), *at, due=due)
        case "foul":
            who = None if body["player"] is None else body["player"] - 1
            points, before, seen = (tuple(body[key]) for key in ("points", "before", "seen"))
            heights = tuple(body.get("heights", ()))
            played, meant = (
                tuple(parse_move(text, board) for text in body.get(key, ())) for key in ("played", "meant")
            )
            rule = body.get("rule", "")
            return FoulSeen(
                *(who, body["kind"], points, before, seen, *at),
                rule=rule,
                seen_heights=heights,
                played=played,
                meant=meant,
            )
        case "restored":
            return Restored(*at)
        case "resumed":
            told = body["points"]  # not in the order of the board: the journal sorts its keys
            stones = tuple((name, None if told[name] is None else told[name] - 1) for name in board.points)
            return Resumed(stones, None if body["to_move"] is None else body["to_move"] - 1, *at)
        case "question":
            players = tuple(tuple(who - 1 for who in turns) for turns in body.get("players", ()))
            return QuestionAsked(tuple(body["options"]), *at, players=players)
        case "out":
            return PlayerOut(body["player"] - 1, body["reason"], *at, removed=tuple(body["removed"]))
        case "owner":
            return OwnerChanged(tuple(body["points"]), body["from"] - 1, body["to"] - 1, *at)
        case "warning":
            return DrawNear(body["kind"], body["left"], *at)
        case "over":
            loser, n = _from_zero(body.get("loser")), body.get("n")
            return GameEnded(_from_zero(body["winner"]), body["reason"], *at, loser=loser, n=n)
    raise ValueError(f"unknown kind of record: {record.kind!r}")


def _played_and_meant(event: FoulSeen) -> dict[str, list[str]]:
    """The fields of a lawful turn that was not the one somebody had asked for; empty for fouls."""
    if not event.meant:
        return {}
    return {"played": [str(move) for move in event.played], "meant": [str(move) for move in event.meant]}


def _players(due: Due) -> list[int]:
    return [player + 1 for player in range(due.victims.bit_length()) if due.victims >> player & 1]


def _due(players: list[int], n: int, is_optional: bool) -> Due:
    return Due(sum(1 << (player - 1) for player in players), n, is_optional)


def _counted(player: int | None) -> int | None:
    """A player as the journal has it: counted from 1."""
    return None if player is None else player + 1


def _from_zero(player: int | None) -> int | None:
    return None if player is None else player - 1
