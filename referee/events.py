"""Events: what the referee has to say, each with the time and the frame of the source that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from referee.moves import Move, to_action, turn_text
from referee.position import Due


@dataclass(frozen=True, slots=True)
class BoardFound:
    """The field was found, or found again. ``points`` are (name, x, y) in pixels of the picture."""

    board: str
    points: tuple[tuple[str, float, float], ...]
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class BoardLost:
    """The field cannot be followed just now."""

    reason: str
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A complete turn was accepted. ``ply`` counts from 1, ``player`` from 0."""

    ply: int
    player: int
    moves: tuple[Move, ...]
    mills: tuple[tuple[str, ...], ...]
    confidence: float
    time_s: float
    frame: int
    skipped: tuple[int, ...] = field(default=(), kw_only=True)  # players passed over after it because they cannot act


@dataclass(frozen=True, slots=True)
class MillClosed:
    """A mill stands; its capture is still to come."""

    player: int
    line: tuple[str, ...]
    time_s: float
    frame: int
    # what is still to be taken, nothing where it is empty; ``None`` where that is not known, or not said here
    due: tuple[Due, ...] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class TurnAmended:
    """Turn ``ply`` was misread and is now known; with ``moves`` ``None`` it never happened."""

    ply: int
    moves: tuple[Move, ...] | None
    time_s: float
    frame: int
    player: int | None = field(default=None, kw_only=True)  # who made it, 0 first; ``None`` if unknown


@dataclass(frozen=True, slots=True)
class FoulSeen:
    """The table shows what no lawful turn leads to.

    ``before_tops`` and ``seen_tops`` are by point: 0 bare, k a stone painted for player k - 1.
    """

    player: int | None
    kind: str
    points: tuple[str, ...]
    before_tops: tuple[int, ...]
    seen_tops: tuple[int, ...]
    time_s: float
    frame: int
    rule: str = field(default="", kw_only=True)  # the option that makes it one (``referee.fouls.rule_behind``)
    # stones on each point, where they are known; they matter where the foul is let stand on a board of towers
    seen_heights: tuple[int, ...] = field(default=(), kw_only=True)
    # the moves, where they are lawful, but not the turn that the player has said to make: a partner on a screen
    played: tuple[Move, ...] = field(default=(), kw_only=True)
    meant: tuple[Move, ...] = field(default=(), kw_only=True)  # the moves of that turn, made for another


@dataclass(frozen=True, slots=True)
class Restored:
    """The table again shows the last lawful position."""

    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class FoulStood:
    """A foul was not put right: the game goes on from what lies there, as turn ``ply`` of the record.

    ``player`` (0 first) is ``None`` where nobody was accused; ``kind`` then says what the table looks like. ``tops``
    are by point as in ``FoulSeen``, and ``to_move`` (0 first) goes on.
    """

    ply: int
    player: int | None
    kind: str
    tops: tuple[int, ...]
    to_move: int
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The position was taken over as it is seen: nothing explains it, or the game was first seen with stones on it.

    ``points`` are (name, player whose stone is on top, 0 first, or ``None`` where the point is bare); ``to_move``
    (0 first) is ``None`` while it is open whose turn it is.
    """

    points: tuple[tuple[str, int | None], ...]
    to_move: int | None
    time_s: float
    frame: int

    @property
    def tops(self) -> tuple[int, ...]:
        """By point as in ``FoulSeen``: 0 bare, k a stone painted for player k - 1."""
        return tuple(0 if player is None else player + 1 for _, player in self.points)


@dataclass(frozen=True, slots=True)
class OtherGameSeen:
    """The board in sight is not that of the game that was chosen; ``options`` are the games that it fits, by name."""

    chosen: str
    options: tuple[str, ...]
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """Some readings are about equally likely; ``options`` are the turns in notation.

    Several turns of one option stand apart by spaces. ``3. i+`` says what turn 3 was, ``=`` that nothing was played,
    ``-1`` that so many turns were taken back, ``...`` that something happened that no rule explains.
    """

    options: tuple[str, ...]
    time_s: float
    frame: int
    # by option, whose turns these are, 0 first; empty where that is not known
    players: tuple[tuple[int, ...], ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class PlayerOut:
    """A player is eliminated, the others play on; ``removed`` are points from which his last stones must go now."""

    player: int
    reason: str
    time_s: float
    frame: int
    removed: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class OwnerChanged:
    """The stones of ``old_owner`` on ``points`` belong to ``owner`` from now on (both 0 first)."""

    points: tuple[str, ...]
    old_owner: int
    owner: int
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class DrawNear:
    """The game will soon be drawn by counting.

    ``kind`` is ``draw_near`` (``left`` turns without a mill) or ``repetition_near`` (``left`` occurrences).
    """

    kind: str
    left: int
    time_s: float
    frame: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over; ``winner`` (0 first) is ``None`` for a draw, and for a game that was abandoned."""

    winner: int | None
    reason: str
    time_s: float
    frame: int
    # whose stones, moves or time the ``reason`` is about, 0 first; ``None`` where it is nobody's, or not known
    loser: int | None = field(default=None, kw_only=True)
    # the number that the ``reason`` is about: stones that the loser has left, turns without a mill, repetitions
    n: int | None = field(default=None, kw_only=True)


Event = (
    BoardFound
    | BoardLost
    | TurnPlayed
    | MillClosed
    | TurnAmended
    | FoulSeen
    | FoulStood
    | Restored
    | Resumed
    | OtherGameSeen
    | QuestionAsked
    | PlayerOut
    | OwnerChanged
    | DrawNear
    | GameEnded
)


def to_json(event: Event, text: str) -> dict[str, Any]:
    """The event as other programs read it, players counted from 1; ``text`` is the sentence of a foul or a question."""
    stamp: dict[str, Any] = {"t": round(event.time_s, 3), "frame": event.frame}
    match event:
        case BoardFound(board, points):
            places = {name: [round(x, 2), round(y, 2)] for name, x, y in points}
            return {"event": "board", **stamp, "board": board, "points": places}
        case BoardLost(reason):
            return {"event": "lost", **stamp, "reason": reason}
        case TurnPlayed(ply, player, moves, mills, confidence):
            return {
                "event": "turn",
                **stamp,
                "ply": ply,
                "player": player + 1,
                "actions": [to_action(move) for move in moves],
                "text": turn_text(moves),
                "mills": [list(mill) for mill in mills],
                "confidence": round(confidence, 4),
            }
        case MillClosed(player, line):
            return {"event": "mill", **stamp, "player": player + 1, "line": list(line)}
        case TurnAmended(ply, None):
            return {"event": "amended", **stamp, "ply": ply, "actions": None, "text": ""}
        case TurnAmended(ply, tuple(moves)):
            actions = [to_action(move) for move in moves]
            return {"event": "amended", **stamp, "ply": ply, "actions": actions, "text": turn_text(moves)}
        case FoulSeen(foul_player, kind, names):
            who = None if foul_player is None else foul_player + 1
            return {"event": "foul", **stamp, "player": who, "kind": kind, "points": list(names), "text": text}
        case FoulStood(_, foul_player, kind):
            who = None if foul_player is None else foul_player + 1
            return {"event": "stood", **stamp, "player": who, "kind": kind}
        case Restored():
            return {"event": "restored", **stamp}
        case Resumed(stones, to_move):
            tops = {name: None if owner is None else owner + 1 for name, owner in stones}
            mover = None if to_move is None else to_move + 1
            return {"event": "resumed", **stamp, "points": tops, "to_move": mover}
        case QuestionAsked(options) | OtherGameSeen(_, options):
            return {"event": "question", **stamp, "text": text, "options": list(options)}
        case PlayerOut() | OwnerChanged() | DrawNear():
            return _consequence(event, stamp)
        case GameEnded(winner, reason):
            return {"event": "over", **stamp, "winner": None if winner is None else winner + 1, "reason": reason}
    raise TypeError(f"not an event: {event!r}")


def _consequence(event: PlayerOut | OwnerChanged | DrawNear, stamp: dict[str, Any]) -> dict[str, Any]:
    match event:
        case PlayerOut(player, reason):
            return {"event": "out", **stamp, "player": player + 1, "reason": reason}
        case OwnerChanged(names, old_owner, owner):
            return {"event": "owner", **stamp, "points": list(names), "from": old_owner + 1, "to": owner + 1}
        case DrawNear(kind, left):
            return {"event": "warning", **stamp, "kind": kind, "left": left}
