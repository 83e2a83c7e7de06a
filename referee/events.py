"""Events: facts that the referee announces, each with the time and the frame of its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from referee.board import Board
from referee.moves import Move, parse_move, to_action, turn_text
from referee.position import Due, Mills
from referee.typed_json import Form, In, Line, Player, Share, form_of, rounded, write

# ---------------------------------------------------------------- what events say, and how that stands in JSON

_TEXTS, _PLAYERS = form_of(tuple[str, ...]), form_of(tuple[Player, ...])


def _moves(value: Any, name: str, board: Board) -> tuple[Move, ...]:
    return tuple(parse_move(text, board) for text in _TEXTS.read(value, name, board))


def _due(value: Any, name: str, _: object) -> Due:
    players, n, optional = value
    return Due(sum(1 << player for player in _PLAYERS.read(players, name, _)), n, optional)


def _points(value: Any, name: str, board: Board) -> tuple[tuple[str, int | None], ...]:
    tops = form_of(Mapping[str, Player | None]).read(value, name, board)
    return tuple((point, tops[point]) for point in board.points)


def _object_of(points: tuple[tuple[str, int | None], ...]) -> dict[str, int | None]:
    return {point: None if player is None else player + 1 for point, player in points}


Moves = Annotated[tuple[Move, ...], Form(_TEXTS.schema, _moves, lambda moves: [str(move) for move in moves])]
OneDue = Annotated[Due, Form({"type": "array"}, _due, lambda due: [_PLAYERS.write(due.players), due.n, due.optional])]
Stones = Annotated[tuple[tuple[str, int | None], ...], Form({"type": "object"}, _points, _object_of)]
Places = Annotated[
    tuple[tuple[str, float, float], ...],
    Form(
        {"type": "object"},
        lambda places, *_: tuple((point, *place) for point, place in places.items()),
        lambda places: {point: [round(x, 2), round(y, 2)] for point, x, y in places},
    ),
]
Seconds = Annotated[float, rounded(3), In("t")]  # of the source


# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class BoardFound:
    """The field was found, or found again. ``points`` are (name, x, y) in pixels of the picture."""

    board: str
    points: Places
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class BoardLost:
    """The field cannot be followed just now."""

    reason: str
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class PictureSkipped:
    """A file of a series of photographs could not be read; Millchen did not see its picture."""

    file: str
    reason: str
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A complete turn was accepted. ``ply`` counts from 1, ``player`` from 0."""

    ply: int
    player: Player
    moves: Moves
    mills: Mills
    confidence: Share
    time_s: Seconds
    frame: int
    skipped: tuple[Player, ...] = field(default=(), kw_only=True)  # passed over after it because they cannot act


@dataclass(frozen=True, slots=True)
class MillClosed:
    """A mill stands; its capture is part of the same turn, or still to come."""

    player: Player
    line: Line
    time_s: Seconds
    frame: int
    # captures still due, empty for none; ``None`` where unknown, or not said here
    due: tuple[OneDue, ...] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class TurnAmended:
    """Turn ``ply`` was misread and is now known; with ``moves`` ``None`` it never happened."""

    ply: int
    moves: Moves | None
    time_s: Seconds
    frame: int
    player: Player | None = field(default=None, kw_only=True)  # who made it, 0 first; ``None`` if unknown


@dataclass(frozen=True, slots=True)
class FoulSeen:
    """The table shows what no lawful turn leads to.

    ``before_tops`` and ``seen_tops`` are by point: 0 bare, k a stone painted for player k - 1.
    """

    player: Player | None
    kind: str
    points: Line
    before_tops: Annotated[tuple[int, ...], In("before")]
    seen_tops: Annotated[tuple[int, ...], In("seen")]
    time_s: Seconds
    frame: int
    rule: str = field(default="", kw_only=True)  # the option that makes it one (``referee.fouls.rule_behind``)
    # stones on each point, where they are known; they matter where the foul is let stand on a board of towers
    seen_heights: Annotated[tuple[int, ...], In("heights", is_omitted=True)] = field(default=(), kw_only=True)
    # the moves, where they are lawful, but not the turn that the player has said to make: a partner on a screen
    played: Annotated[Moves, In(is_omitted=True)] = field(default=(), kw_only=True)
    # the moves of that turn, made for another
    meant: Annotated[Moves, In(is_omitted=True)] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Restored:
    """The table again shows the last lawful position."""

    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class FoulStood:
    """A foul was not put right: the game goes on from what lies there, as turn ``ply`` of the record.

    ``player`` (0 first) is ``None`` where nobody was accused; ``kind`` then says what the table looks like. ``tops``
    are by point as in ``FoulSeen``, and ``to_move`` (0 first) goes on.
    """

    ply: int
    player: Player | None
    kind: str
    tops: tuple[int, ...]
    to_move: Player
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The seen position was taken over: nothing explains it, or stones lay there at first sight.

    ``points`` are (name, player whose stone is on top, 0 first, or ``None`` where the point is bare); ``to_move``
    (0 first) is ``None`` while it is open whose turn it is.
    """

    points: Stones
    to_move: Player | None
    time_s: Seconds
    frame: int
    is_begun: Annotated[bool, In(is_omitted=True)] = False  # the stones lay there when the game was first seen

    @property
    def tops(self) -> tuple[int, ...]:
        """By point as in ``FoulSeen``: 0 bare, k a stone painted for player k - 1."""
        return tuple(0 if player is None else player + 1 for _, player in self.points)


@dataclass(frozen=True, slots=True)
class OtherGameSeen:
    """The board in sight is not that of the game that was chosen; ``options`` are the games that it fits, by name."""

    chosen: str
    options: tuple[str, ...]
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """Some readings are about equally likely; ``options`` are the turns in notation.

    Several turns of one option stand apart by spaces. ``3. i+`` says what turn 3 was, ``=`` that nothing was played,
    ``-1`` that so many turns were taken back, ``...`` that something happened that no rule explains.
    """

    options: tuple[str, ...]
    time_s: Seconds
    frame: int
    # by option, whose turns these are, 0 first; empty where that is not known
    players: tuple[tuple[Player, ...], ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class PlayerOut:
    """A player is eliminated, the others play on; ``removed`` are points from which his last stones must go now."""

    player: Player
    reason: str
    time_s: Seconds
    frame: int
    removed: Line = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class OwnerChanged:
    """The stones of ``old_owner`` on ``points`` belong to ``owner`` from now on (both 0 first)."""

    points: Line
    old_owner: Annotated[Player, In("from")]
    owner: Annotated[Player, In("to")]
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class DrawNear:
    """The game will soon be drawn by counting.

    ``kind`` is ``draw_near`` (``left`` turns without a mill) or ``repetition_near`` (``left`` occurrences).
    """

    kind: str
    left: int
    time_s: Seconds
    frame: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over; ``winner`` (0 first) is ``None`` for a draw, and for a game that was abandoned."""

    winner: Player | None
    reason: str
    time_s: Seconds
    frame: int
    # whose stones, moves or time the ``reason`` is about, 0 first; ``None`` where it is nobody's, or not known
    loser: Player | None = field(default=None, kw_only=True)
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
"""Words of the events for other programs, each with the names of its values besides time and frame."""


def to_json(event: Event, text: str) -> dict[str, Any]:
    """The event as other programs read it, players counted from 1; ``text`` is the sentence of a foul or a question."""
    word, *names = _IN_JSON[type(event)]
    values = {**write(event), "text": text}
    if isinstance(event, TurnPlayed | TurnAmended):
        values["actions"] = None if event.moves is None else [to_action(move) for move in event.moves]
        values["text"] = turn_text(event.moves or ())
    return {"event": word, **{name: values[name] for name in ("t", "frame", *names)}}
