"""Words: what people at the table say of the game as a whole, checked, and as the journal keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from web.course import Course
from web.errors import ShellError

Word = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of the record of what somebody said."""

ENDINGS = ("resigned", "timed_out", "agreed")


def end_of(course: Course, how: str, player: int | None) -> Word:
    """The players end the game: "resigned" or "timed_out" by ``player`` (1 first), or "agreed" to be drawn by all.

    Raises
    ------
    ShellError
        When it is over already, or there is no such player or ending.
    """
    game = course.game
    if how not in ENDINGS:
        raise ShellError(f"people end a game by one of {', '.join(ENDINGS)}, got {how!r}")
    if game.outcome is not None:
        raise ShellError("the game is over already")
    stamp = _stamp(course)
    if how == "agreed":
        return how, game.ply, stamp
    if player is None or not 1 <= player <= game.variant.players or game.position.out[player - 1]:
        raise ShellError(f"no player {player} is in the game")
    return how, game.ply, {**stamp, "player": player}


def redo(course: Course) -> Word:
    """Play again the turn that was taken back.

    Raises
    ------
    ShellError
        When none was, or the game has gone another way since.
    """
    if not course.undone:
        raise ShellError("nothing was taken back that could be played again")
    return "redone", course.game.ply + 1, _stamp(course)


def tower_of(course: Course, point: str, top: int, height: int) -> Word:
    """What people say of a tower: how high it is and whose paint (0 nobody's) shows on top.

    Raises
    ------
    ShellError
        When there is no such point or player, no tower can be so high, or the game has it so already.
    """
    game = course.game
    if point not in game.variant.board.index:
        raise ShellError(f"this board has no point {point!r}")
    if (
        not 0 <= top <= game.variant.players
        or not 0 <= height <= game.variant.max_height
        or (top == 0) != (height == 0)
    ):
        raise ShellError(f"a point of this board holds up to {game.variant.max_height} stones of its players")
    at = game.variant.board.index[point]
    if (game.position.tops[at], game.position.heights[at]) == (top, height):
        raise ShellError(f"that is what I have on {point} already")
    return "corrected", game.ply, {**_stamp(course), "point": point, "top": top, "height": height}


def ring_of(course: Course, ring: int, steps: int) -> Word:
    """People say that a ring was turned by one hole, clockwise (1) or back (-1).

    Raises
    ------
    ShellError
        When the board has no such ring.
    """
    if not 0 <= ring < len(course.game.variant.board.rings) or steps not in (-1, 1):
        raise ShellError("this board has no ring that could be turned like that")
    return "turned", course.game.ply, {**_stamp(course), "ring": ring, "steps": steps}


def _stamp(course: Course) -> dict[str, Any]:
    return {"t": course.last_s or 0.0}


def names_of(course: Course, names: Sequence[str]) -> Word:
    """What the players are called.

    Raises
    ------
    ShellError
        When there are not as many names as players.
    """
    if len(names) != course.game.variant.players:
        raise ShellError(f"this game has {course.game.variant.players} players, got {len(names)} names")
    return "named", None, {"names": list(names)}


def photographs(_: Course, on: bool) -> Word:
    """Whether a photograph of every accepted turn is kept."""
    return "pictures", None, {"on": on}
