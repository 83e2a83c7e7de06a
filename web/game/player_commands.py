"""Words: what people at the table say of the game as a whole, checked, and as the journal keeps it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from referee.game import Game
from referee.moves import parse_turn
from web.errors import MillchenError
from web.game.hand_corrections import CORRECTED, check_point, play_understood, turn_ring, understood
from web.game.replay import Course

Word = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of the record of what somebody said."""

NOTHING = "="
"""The answer that nothing was played, as ``QuestionAsked.options`` has it."""

ENDINGS = ("resigned", "timed_out", "agreed")


def end_of(course: Course, how: str, player: int | None) -> Word:
    """The players end the game: "resigned" or "timed_out" by ``player`` (1 first), or "agreed" to be drawn by all.

    Raises
    ------
    MillchenError
        When it is over already, or there is no such player or ending.
    """
    game = course.game
    if how not in ENDINGS:
        raise MillchenError(f"people end a game by one of {', '.join(ENDINGS)}, got {how!r}")
    if game.outcome is not None:
        raise MillchenError("the game is over already")
    stamp = _stamp(course)
    if how == "agreed":
        return how, game.ply, stamp
    if player is None or not 1 <= player <= game.variant.players or game.position.out[player - 1]:
        raise MillchenError(f"no player {player} is in the game")
    return how, game.ply, {**stamp, "player": player}


def redo(course: Course) -> Word:
    """Play again the turn that was taken back.

    Raises
    ------
    MillchenError
        When none was, or the game has gone another way since.
    """
    if not course.undone:
        raise MillchenError("nothing was taken back that could be played again")
    return "redone", course.game.ply + 1, _stamp(course)


def taken_back(course: Course) -> Word:
    """The players take back the last turn.

    Raises
    ------
    MillchenError
        When nothing has been played.
    """
    if not course.game.turns:
        raise MillchenError("nothing has been played that could be taken back")
    return "amended", course.game.ply, {**_stamp(course), "frame": 0, "moves": None}


def stood(course: Course) -> Word:
    """The players let a foul stand.

    Raises
    ------
    MillchenError
        When there is none.
    """
    if course.foul is None:
        raise MillchenError("there is no foul that could stand")
    return "stood", course.game.ply + 1, {"tops": list(course.foul.seen_tops)}


def stone_of(course: Course, shown: Game, point: str, top: int) -> Word:
    """What people say lies on a point: 0 nothing, k a stone of player k.

    Parameters
    ----------
    course : Course
    shown : Game
        The same game as the page shows it, with a turn that has begun.
    point, top : str and int

    Raises
    ------
    MillchenError
        When there is no such point or player, or that is what the page shows already.
    """
    check_point(course.game, point, top, shown.position.tops)
    tops = list(shown.position.tops)
    tops[course.game.variant.board.index[point]] = top
    turn = _as_turn(course.game, tops, None)
    return CORRECTED, turn.pop("ply", course.game.ply), {**_stamp(course), "point": point, "top": top, **turn}


def _as_turn(game: Game, tops: Sequence[int], heights: Sequence[int] | None) -> dict[str, Any]:
    """What the record of a correction has to say where it turned out to be a turn; empty where it was none."""
    found = understood(game, tops, heights)
    if found is None:
        return {}
    said = {"over": found.over, "moves": [str(move) for turn in found.turns for move in turn.moves]}
    if found.amends:
        return said | {"amends": found.amends, "was": str(found.turns[0])}
    return said | {"ply": game.ply - found.over + 1}


def tower_of(course: Course, point: str, top: int, height: int) -> Word:
    """What people say of a tower: how high it is and whose paint (0 nobody's) shows on top.

    Raises
    ------
    MillchenError
        When there is no such point or player, no tower can be so high, or the game has it so already.
    """
    game = course.game
    if point not in game.variant.board.index:
        raise MillchenError(f"this board has no point {point!r}")
    if (
        not 0 <= top <= game.variant.players
        or not 0 <= height <= game.variant.max_height
        or (top == 0) != (height == 0)
    ):
        raise MillchenError(f"a point of this board holds up to {game.variant.max_height} stones of its players")
    at = game.variant.board.index[point]
    if (game.position.tops[at], game.position.heights[at]) == (top, height):
        raise MillchenError(f"that is what I have on {point} already")
    tops, heights = list(game.position.tops), list(game.position.heights)
    tops[at], heights[at] = top, height
    said = {"point": point, "top": top, "height": height, **_as_turn(game, tops, heights)}
    return CORRECTED, said.pop("ply", game.ply), {**_stamp(course), **said}


def answer_of(course: Course, option: int) -> Word:
    """People answer what the referee has asked: with a turn that was played, or that nothing was.

    Raises
    ------
    MillchenError
        When nothing has been asked, or the answer is none of those that the page can take.
    """
    if course.question is None:
        raise MillchenError("nothing has been asked")
    if not 0 <= option < len(course.question.options):
        raise MillchenError(f"the question has {len(course.question.options)} answers")
    said, game, board = course.question.options[option], course.game, course.game.variant.board
    if said == "-1":
        return taken_back(course)
    numbered = re.fullmatch(r"(\d+)\. (.+)", said)
    ply = int(numbered[1]) if numbered else game.ply + 1
    later = game.turns[ply - 1 :]
    body: dict[str, Any] = {**_stamp(course), "over": len(later)}
    try:
        turns = [parse_turn(turn, board) for turn in (numbered[2] if numbered else said).split() if turn != NOTHING]
        if not turns or (later and [later[0].moves] == turns):  # it is as the game has it
            return "restored", None, {**_stamp(course), "frame": 0}
        played = [*turns[: len(later)], *(turn.moves for turn in later[1:]), *turns[min(len(later), 1) :]]
        moves = [str(move) for moves in played for move in moves]
        play_understood(game, moves, len(later))
    except ValueError:
        raise MillchenError("this answer is no turn that can be played now: set the points right by hand") from None
    amends = {"amends": ply, "was": "".join(map(str, turns[0]))} if later else {}
    return CORRECTED, ply, {**body, **amends, "moves": moves}


def ring_of(course: Course, ring: int, steps: int) -> Word:
    """People say that a ring was turned by one hole, clockwise (1) or back (-1).

    Raises
    ------
    MillchenError
        When the board has no such ring.
    """
    if not 0 <= ring < len(course.game.variant.board.rings) or steps not in (-1, 1):
        raise MillchenError("this board has no ring that could be turned like that")
    turn = _as_turn(course.game, turn_ring(course.game, ring, steps).position.tops, None)
    return "turned", turn.pop("ply", course.game.ply), {**_stamp(course), "ring": ring, "steps": steps, **turn}


def _stamp(course: Course) -> dict[str, Any]:
    return {"t": course.last_s or 0.0}


def names_of(course: Course, names: Sequence[str]) -> Word:
    """What the players are called.

    Raises
    ------
    MillchenError
        When there are not as many names as players.
    """
    if len(names) != course.game.variant.players:
        raise MillchenError(f"this game has {course.game.variant.players} players, got {len(names)} names")
    return "named", None, {"names": list(names)}


def photographs(_: Course, on: bool) -> Word:
    """Whether a photograph of every accepted turn is kept."""
    return "pictures", None, {"on": on}
