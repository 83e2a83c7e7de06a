"""Events: what the referee has to say, each with the time and the frame of the source that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
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
class PictureSkipped:
    """A file of a series of photographs could not be read: what it shows was not seen."""

    file: str
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
    """A mill stands; its capture is part of the same turn, or still to come."""

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
    is_begun: bool = False  # the stones lay there when the game was first seen

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
    | PictureSkipped
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


_IN_JSON: Mapping[type, tuple[str, ...]] = {
    BoardFound: ("board", "board", "points"),
    BoardLost: ("lost", "reason"),
    PictureSkipped: ("skipped", "file", "reason"),
    TurnPlayed: ("turn", "ply", "player", "actions", "text", "mills", "confidence"),
    MillClosed: ("mill", "player", "line"),
    TurnAmended: ("amended", "ply", "actions", "text"),
    FoulSeen: ("foul", "player", "kind", "points", "text"),
    FoulStood: ("stood", "player", "kind"),
    Restored: ("restored",),
    Resumed: ("resumed", "points", "to_move"),
    OtherGameSeen: ("question", "text", "options"),
    QuestionAsked: ("question", "text", "options"),
    PlayerOut: ("out", "player", "reason"),
    OwnerChanged: ("owner", "points", "from", "to"),
    DrawNear: ("warning", "kind", "left"),
    GameEnded: ("over", "winner", "reason"),
}
"""What other programs read of each event: its word, and the names of its values besides time and frame."""


def to_json(event: Event, text: str) -> dict[str, Any]:
    """The event as other programs read it, players counted from 1; ``text`` is the sentence of a foul or a question."""
    word, *names = _IN_JSON[type(event)]
    values = {name: _json_value(event, name, text) for name in names}
    return {"event": word, "t": round(event.time_s, 3), "frame": event.frame, **values}


def _json_value(event: Event, name: str, text: str) -> Any:
    match event, name:
        case BoardFound(), "points":
            return {point: [round(x, 2), round(y, 2)] for point, x, y in event.points}
        case Resumed(), "points":
            return {point: _from_one(player) for point, player in event.points}
        case TurnPlayed() | TurnAmended(), "actions":
            return None if event.moves is None else [to_action(move) for move in event.moves]
        case TurnPlayed() | TurnAmended(), "text":
            return turn_text(event.moves or ())
        case TurnPlayed(), "mills":
            return [list(mill) for mill in event.mills]
        case TurnPlayed(), "confidence":
            return round(event.confidence, 4)
        case OwnerChanged(), "from":
            return _from_one(event.old_owner)
        case OwnerChanged(), "to":
            return _from_one(event.owner)
        case _, "text":
            return text
        case _, "player" | "to_move" | "winner":
            return _from_one(getattr(event, name))
    value = getattr(event, name)
    return list(value) if isinstance(value, tuple) else value


def _from_one(player: int | None) -> int | None:
    return None if player is None else player + 1
