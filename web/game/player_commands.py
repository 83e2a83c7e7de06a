"""Words: what people at the table say of the game as a whole, checked, and as the journal keeps it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from referee.game import Game
from referee.moves import parse_turn
from web.errors import MillchenError
from web.game.hand_corrections import CORRECTED, check_correction, replace_turns, rotate_ring, infer_turns
from web.game.replay import GameState

UnwrittenRecord = tuple[str, int | None, dict[str, Any]]
"""Kind, ply and body of the record of what somebody said."""

NOTHING_PLAYED = "="
"""The answer that nothing was played, as ``QuestionAsked.options`` has it."""

PLAYER_ENDINGS = ("resigned", "timed_out", "agreed")


def end_game(course: GameState, how: str, player: int | None) -> UnwrittenRecord:
    """The players end the game: "resigned" or "timed_out" by ``player`` (1 first), or "agreed" to be drawn by all.

    Raises
    ------
    MillchenError
        When it is over already, or there is no such player or ending.
    """
    game = course.game
    if how not in PLAYER_ENDINGS:
        raise MillchenError(f"people end a game by one of {', '.join(ENDINGS)}, got {how!r}")
    if game.outcome is not None:
        raise MillchenError("the game is over already")
    stamp = _time_fields(course)
    if how == "agreed":
        return how, game.ply, stamp
    if player is None or not 1 <= player <= game.variant.players or game.position.out[player - 1]:
        raise MillchenError(f"no player {player} is in the game")
    return how, game.ply, {**stamp, "player": player}


def redo(course: GameState) -> UnwrittenRecord:
    """Play again the turn that was taken back.

    Raises
    ------
    MillchenError
        When none was, or the game has gone another way since.
    """
    if not course.undone:
        raise MillchenError("nothing was taken back that could be played again")
    return "redone", course.game.ply + 1, _time_fields(course)


def take_back_turn(course: GameState) -> UnwrittenRecord:
    """The players take back the last turn.

    Raises
    ------
    MillchenError
        When nothing has been played.
    """
    if not course.game.turns:
        raise MillchenError("nothing has been played that could be taken back")
    return "amended", course.game.ply, {**_time_fields(course), "frame": 0, "moves": None}


def let_foul_stand(course: GameState) -> UnwrittenRecord:
    """The players let a foul stand.

    Raises
    ------
    MillchenError
        When there is none.
    """
    if course.foul is None:
        raise MillchenError("there is no foul that could stand")
    return "stood", course.game.ply + 1, {"tops": list(course.foul.seen_tops)}


def correct_stone(course: GameState, shown: Game, point: str, top: int) -> UnwrittenRecord:
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
    check_correction(course.game, point, top, shown.position.tops)
    tops = list(shown.position.tops)
    tops[course.game.variant.board.index[point]] = top
    turn = _inferred_turn_fields(course.game, tops, None)
    return CORRECTED, turn.pop("ply", course.game.ply), {**_time_fields(course), "point": point, "top": top, **turn}


def _inferred_turn_fields(game: Game, tops: Sequence[int], heights: Sequence[int] | None) -> dict[str, Any]:
    """What the record of a correction has to say where it turned out to be a turn; empty where it was none."""
    found = infer_turns(game, tops, heights)
    if found is None:
        return {}
    said = {"over": found.over, "moves": [str(move) for turn in found.turns for move in turn.moves]}
    if found.amends:
        return said | {"amends": found.amends, "was": str(found.turns[0])}
    return said | {"ply": game.ply - found.over + 1}


def correct_tower(course: GameState, point: str, top: int, height: int) -> UnwrittenRecord:
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
    said = {"point": point, "top": top, "height": height, **_inferred_turn_fields(game, tops, heights)}
    return CORRECTED, said.pop("ply", game.ply), {**_time_fields(course), **said}


def answer_question(course: GameState, option: int) -> UnwrittenRecord:
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
        return take_back_turn(course)
    numbered = re.fullmatch(r"(\d+)\. (.+)", said)
    ply = int(numbered[1]) if numbered else game.ply + 1
    later = game.turns[ply - 1 :]
    body: dict[str, Any] = {**_time_fields(course), "over": len(later)}
    try:
        turns = [parse_turn(turn, board) for turn in (numbered[2] if numbered else said).split() if turn != NOTHING_PLAYED]
        if not turns or (later and [later[0].moves] == turns):  # it is as the game has it
            return "restored", None, {**_time_fields(course), "frame": 0}
        played = [*turns[: len(later)], *(turn.moves for turn in later[1:]), *turns[min(len(later), 1) :]]
        moves = [str(move) for moves in played for move in moves]
        replace_turns(game, moves, len(later))
    except ValueError:
        raise MillchenError("this answer is no turn that can be played now: set the points right by hand") from None
    amends = {"amends": ply, "was": "".join(map(str, turns[0]))} if later else {}
    return CORRECTED, ply, {**body, **amends, "moves": moves}


def correct_ring(course: GameState, ring: int, steps: int) -> UnwrittenRecord:
    """People say that a ring was turned by one hole, clockwise (1) or back (-1).

    Raises
    ------
    MillchenError
        When the board has no such ring.
    """
    if not 0 <= ring < len(course.game.variant.board.rings) or steps not in (-1, 1):
        raise MillchenError("this board has no ring that could be turned like that")
    turn = _inferred_turn_fields(course.game, rotate_ring(course.game, ring, steps).position.tops, None)
    return "turned", turn.pop("ply", course.game.ply), {**_time_fields(course), "ring": ring, "steps": steps, **turn}


def _time_fields(course: GameState) -> dict[str, Any]:
    return {"t": course.last_s or 0.0}


def name_players(course: GameState, names: Sequence[str]) -> UnwrittenRecord:
    """What the players are called.

    Raises
    ------
    MillchenError
        When there are not as many names as players.
    """
    if len(names) != course.game.variant.players:
        raise MillchenError(f"this game has {course.game.variant.players} players, got {len(names)} names")
    return "named", None, {"names": list(names)}


def set_photographs(_: GameState, on: bool) -> UnwrittenRecord:
    """Whether a photograph of every accepted turn is kept."""
    return "pictures", None, {"on": on}
