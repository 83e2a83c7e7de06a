"""Moves: the atomic acts of a turn, and their notation.

``d6`` places, ``d6-d5`` slides or jumps, ``xb4`` takes (``xb1.2``: the stone on level 2), ``x-`` declines a capture,
``o+`` / ``o-`` turns a ring one field clockwise / anticlockwise seen from above, ``~`` one without stones, nobody saw
which. A turn is written without gaps: ``d6-d5xc3``. Being skipped is no move; ``Pass`` exists for tables that write it
down (``--``).

``BoardLookup`` works tables out once for each board. It makes the moves and shares them, so equal moves are the same
object and comparing them is cheap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from referee.board import Board

ANY_HEIGHT = 3  # highest tower any of the games allows
RING_LETTERS = "omi"  # outer, middle, inner: the letter of each ring, outermost first


class InvalidMoveError(ValueError):
    """The text is not notation of this board."""


@dataclass(frozen=True, slots=True)
class Place:
    """Put a stone from the hand on the point ``to``."""

    to: str

    def __str__(self) -> str:
        return self.to


@dataclass(frozen=True, slots=True)
class Slide:
    """Move the top stone of ``start`` to ``to``, next door or (flying) anywhere."""

    start: str
    to: str

    def __str__(self) -> str:
        return f"{self.start}-{self.to}"


@dataclass(frozen=True, slots=True)
class Capture:
    """Take a stone from ``at``: the top one, or the one on ``level`` (1 is the lowest)."""

    at: str
    level: int | None = None

    def __str__(self) -> str:
        return f"x{self.at}" if self.level is None else f"x{self.at}.{self.level}"


@dataclass(frozen=True, slots=True)
class Decline:
    """Give up a capture that is offered, not owed."""

    def __str__(self) -> str:
        return "x-"


@dataclass(frozen=True, slots=True)
class Rotate:
    """Turn ``ring`` (0 outermost) by ``steps`` fields, +1 clockwise seen from above."""

    ring: int
    steps: int

    def __str__(self) -> str:
        return RING_LETTERS[self.ring] + ("+" if self.steps > 0 else "-")


@dataclass(frozen=True, slots=True)
class RotateUnseen:
    """Turn an unknown ring without stones by one field, either way. Never chosen, only written down."""

    def __str__(self) -> str:
        return "~"


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing; only written down, never chosen: the referee skips by itself."""

    def __str__(self) -> str:
        return "--"


Move = Place | Slide | Capture | Decline | Rotate | RotateUnseen | Pass

_TOKEN = re.compile(
    r"x-(?![a-z])|x[a-z]+\d*(?:\.\d{1,3})?|[omi][+-](?=x|$)|--|~|[a-wyz]+\d*-[a-wyz]+\d*|[a-wyz]+\d*", re.ASCII
)


def parse_move(text: str, board: Board) -> Move:
    """Read one move.

    Raises InvalidMoveError when the text is no move, or names a point or ring that the board does not have.

    >>> from referee.layouts import NINE_MENS_MORRIS
    >>> parse_move("d6-d5", NINE_MENS_MORRIS)
    Slide(start='d6', to='d5')
    >>> parse_move("d6-d9", NINE_MENS_MORRIS)
    Traceback (most recent call last):
    ...
    referee.moves.InvalidMoveError: no point 'd9' on the board nine_mens_morris
    """
    word = text.strip().lower()
    if _TOKEN.fullmatch(word) is None:
        raise InvalidMoveError(f"not a move: {text!r}")
    if word == "x-":
        return Decline()
    if word == "--":
        return Pass()
    if word == "~":
        return RotateUnseen()
    if word[-1] in "+-":
        ring = RING_LETTERS.index(word[0])
        if ring >= len(board.rings):
            raise InvalidMoveError(f"no ring {word[0]!r} on the board {board.name}")
        return Rotate(ring, 1 if word[-1] == "+" else -1)
    if word[0] == "x":
        at, _, level = word[1:].partition(".")
        return Capture(_point(at, board), int(level) if level else None)
    if "-" in word:
        start, _, to = word.partition("-")
        return Slide(_point(start, board), _point(to, board))
    return Place(_point(word, board))


def parse_turn(text: str, board: Board) -> tuple[Move, ...]:
    """Read a whole turn, ``d6-d5xc3``, into its moves.

    Raises InvalidMoveError when any part of it is no move of this board.
    """
    word = text.strip().lower()
    parts: list[Move] = []
    at = 0
    while at < len(word):
        token = _TOKEN.match(word, at)
        if token is None or (parts and word[at] != "x"):
            raise InvalidMoveError(f"not a move: {word[at:]!r} in {text!r}")
        parts.append(parse_move(token.group(), board))
        at = token.end()
    if not parts:
        raise InvalidMoveError(f"not a move: {text!r}")
    return tuple(parts)


def turn_text(moves: tuple[Move, ...]) -> str:
    """Write a turn: its moves without gaps."""
    return "".join(map(str, moves))


def to_action(move: Move) -> dict[str, str | int | None]:
    """Say a move as the JSON of the command line does."""
    match move:
        case Place(to):
            return {"act": "place", "to": to}
        case Slide(start, to):
            return {"act": "move", "from": start, "to": to}
        case Capture(at, None):
            return {"act": "capture", "at": at}
        case Capture(at, int(level)):
            return {"act": "capture", "at": at, "level": level}
        case Rotate(ring, steps):
            return {"act": "rotate", "ring": ring, "steps": steps}
        case RotateUnseen():
            return {"act": "rotate", "ring": None, "steps": None}
        case _:
            return {"act": "pass"}


def _point(name: str, board: Board) -> str:
    if name not in board.index:
        raise InvalidMoveError(f"no point {name!r} on the board {board.name}")
    return board.points[board.index[name]]


class BoardLookup:
    """The tables of one board, by index of the point."""

    def __init__(self, board: Board) -> None:
        names = board.points
        self.n = len(names)
        self.index = board.index
        self.near = board.neighbours
        self.lines = tuple((line, tuple(names[i] for i in line)) for line in board.lines)
        self.line_bit = {line_names: 1 << k for k, (_, line_names) in enumerate(self.lines)}
        self.lines_at = tuple(
            tuple((*_others(line, i), tuple(names[j] for j in line)) for line in board.lines_through[i])
            for i in range(self.n)
        )
        self.place = tuple(Place(name) for name in names)
        self.take = tuple(Capture(name) for name in names)
        self.take_level = tuple(tuple(Capture(name, k + 1) for k in range(ANY_HEIGHT)) for name in names)
        self.rings = board.rings
        self.rotations = tuple(Rotate(r, steps) for r in range(len(board.rings)) for steps in (1, -1))
        self.tower = tuple((name,) for name in names)
        self.names = names

    @cached_property
    def slide(self) -> tuple[tuple[Slide, ...], ...]:
        """The move from each point (row) to each point (column)."""
        return tuple(tuple(Slide(a, b) for b in self.names) for a in self.names)

    @cached_property
    def lines_on(self) -> tuple[tuple[tuple[tuple[int, int, int], tuple[str, ...]], ...], ...]:
        """For each ring the lines that have a point on it, as in ``lines``."""
        return tuple(tuple(line for line in self.lines if not set(ring).isdisjoint(line[0])) for ring in self.rings)

    @cached_property
    def slides_from(self) -> tuple[tuple[tuple[int, Slide], ...], ...]:
        """For each point its neighbours, each with the move that goes there."""
        return tuple(tuple((b, self.slide[a][b]) for b in self.near[a]) for a in range(self.n))

    @cached_property
    def jumps_from(self) -> tuple[tuple[tuple[int, Slide], ...], ...]:
        """For each point all others, each with the move that goes there."""
        return tuple(tuple((b, move) for b, move in enumerate(row) if b != a) for a, row in enumerate(self.slide))


def _others(line: tuple[int, int, int], point: int) -> tuple[int, int]:
    a, b, c = line
    return (b, c) if point == a else (a, c) if point == b else (a, b)


@lru_cache(maxsize=64)
def lookup_of(board: Board) -> BoardLookup:
    """The tables of ``board``, made at the first call."""
    return BoardLookup(board)
