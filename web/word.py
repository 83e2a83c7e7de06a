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
    stamp = {"t": course.last_s or 0.0}
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
    return "redone", course.game.ply + 1, {"t": course.last_s or 0.0}


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
