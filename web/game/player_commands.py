"""Commands of people at the table about the game: each is checked and becomes a record for the journal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from languages import message
from referee.events import Resumed
from referee.game import Game
from referee.moves import parse_turn
from referee.resumption import is_mover_open
from web.errors import MillchenError
from web.game.event_records import JUDGED, record_of_event
from web.game.hand_corrections import CORRECTED, check_correction, infer_turns, replace_turns, rotate_ring
from web.game.partner_commands import let_other_turn_stand
from web.game.replay import GameState
from web.journal.journal_record import UnwrittenRecord

NOTHING_PLAYED = "="
"""The answer that nothing was played, as ``QuestionAsked.options`` has it."""

ARBITER_ENDINGS = ("decided", "abandoned")
"""Kinds of record by which the referee ends a game; they say who that was."""

HAND_ENDINGS = ("resigned", "timed_out", "agreed", *ARBITER_ENDINGS)
"""Kinds of record by which people end a game without a move."""


def end_game(state: GameState, how: str, player: int | None, decider: str = "") -> UnwrittenRecord:
    """Return the record by which people end the game.

    Args:
        how: "resigned" or "timed_out" by ``player``, "agreed" to be drawn by all, "decided" by the referee for
            ``player`` (None: a draw), or "abandoned" by the referee without a result.
        player: 1 first.
        decider: Name of the referee who decides; empty where nobody has given one.

    Raises:
        MillchenError: When the game is over already, or there is no such player or ending.
    """
    game = state.game
    if how not in HAND_ENDINGS:
        raise MillchenError(message("game.ending", endings=", ".join(HAND_ENDINGS), got=repr(how)))
    if game.outcome is not None:
        raise MillchenError(message("game.over"))
    fields = _time_fields(state)
    if how == "agreed":
        return how, game.ply, fields
    if how == "abandoned":
        return how, game.ply, {**fields, "decider": decider}
    if how == "decided":
        winner = None if player is None else _player_in_game(game, player) + 1
        return how, game.ply, {**fields, "winner": winner, "decider": decider}
    return how, game.ply, {**fields, "player": _player_in_game(game, player) + 1}


def redo(state: GameState) -> UnwrittenRecord:
    """Return the record by which the turn that was taken back is played again.

    Raises:
        MillchenError: When no turn was taken back, or the game has gone another way since.
    """
    if not state.undone_turns:
        raise MillchenError(message("game.nothing_to_redo"))
    return "redone", state.game.ply + 1, _time_fields(state)


def take_back_turn(state: GameState) -> UnwrittenRecord:
    """Return the record by which the players take back the last turn, or what they have begun of the next one.

    Raises:
        MillchenError: When nothing has been played.
    """
    if state.begun:
        return restored(state, ())
    if not state.game.turns:
        raise MillchenError(message("game.nothing_to_take_back"))
    return "amended", state.game.ply, {**_time_fields(state), "frame": 0, "moves": None}


def let_foul_stand(state: GameState) -> UnwrittenRecord:
    """Return the record by which the players let a foul stand.

    Raises:
        MillchenError: When there is none.
    """
    if state.foul is None:
        raise MillchenError(message("game.no_foul"))
    if state.foul.meant:
        return let_other_turn_stand(state)
    heights = {"heights": list(state.foul.seen_heights)} if state.foul.seen_heights else {}
    return "stood", state.game.ply + 1, {"tops": list(state.foul.seen_tops), **heights, **JUDGED}


def resume_from_seen(
    state: GameState, seen: Sequence[int], tops: Sequence[int], to_move: int | None
) -> UnwrittenRecord:
    """Return the record by which the game goes on from what lies on the table; what was played is not known.

    Args:
        seen: sequence of int, by point. What is seen now: 0 for a bare point, k for a stone of player k. Empty where
            nothing is to be taken over.
        tops: sequence of int, by point. What the page showed to those who take it over.
        to_move: Whose turn it is, 1 first; None while that is open.

    Raises:
        MillchenError: When something else is seen by now, or there is no such player.
    """
    game = state.game
    mover = None if to_move is None else _player_in_game(game, to_move)
    if len(tops) != len(game.position.tops) or tuple(tops) != tuple(seen):
        raise MillchenError(message("game.not_seen"))
    stones = tuple((name, top - 1 if top else None) for name, top in zip(game.variant.board.points, tops, strict=True))
    return record_of_event(Resumed(stones, mover, state.last_event_s or 0.0, 0))


def say_that_lesson_lies(state: GameState) -> UnwrittenRecord:
    """Return the record by which people say that the stones of a lesson do lie as it has them, whatever is seen.

    Raises:
        MillchenError: When no lesson is laid, or something has been played.
    """
    game = state.game
    if state.lesson is None or game.turns:
        raise MillchenError(message("lesson.none"))
    tops = zip(game.variant.board.points, game.position.tops, strict=True)
    stones = tuple((name, top - 1 if top else None) for name, top in tops)
    return record_of_event(Resumed(stones, game.position.to_move, state.last_event_s or 0.0, 0))


def tell_mover(state: GameState, player: int) -> UnwrittenRecord:
    """Return the record by which people say whose turn it is after a position was taken over as it lay.

    Raises:
        MillchenError: When that is known already, or there is no such player.
    """
    if not is_mover_open(state.game):
        raise MillchenError(message("game.mover_known"))
    tops = state.game.position.tops
    return resume_from_seen(state, tops, tops, player)


def _player_in_game(game: Game, player: int | None) -> int:
    """Return the index of a player, 0 first, or refuse a number that is nobody's."""
    if player is None or not 1 <= player <= game.variant.players or game.position.out[player - 1]:
        raise MillchenError(message("game.player_out", player=player))
    return player - 1


def correct_stone(state: GameState, shown: Game, point: str, top: int) -> UnwrittenRecord:
    """Return the record by which people say what lies on a point.

    Args:
        shown: The same game as the page shows it, with the moves of a turn that has begun.
        top: 0 for a bare point, k for a stone of player k.

    Raises:
        MillchenError: When there is no such point or player, or the page shows that already.
    """
    check_correction(state.game, point, top, shown.position.tops)
    tops = list(shown.position.tops)
    tops[state.game.variant.board.index[point]] = top
    turn = _inferred_turn_fields(state.game, tops, None)
    ply = turn.pop("ply", state.game.ply)
    return CORRECTED, ply, {**_time_fields(state), "point": point, "top": top, **JUDGED, **turn}


def _inferred_turn_fields(game: Game, tops: Sequence[int], heights: Sequence[int] | None) -> dict[str, Any]:
    """Return the fields that a correction's record gets where turns explain it; empty where none do."""
    inferred = infer_turns(game, tops, heights)
    if inferred is None:
        return {}
    fields = {"over": inferred.n_replaced, "moves": [str(move) for turn in inferred.turns for move in turn.moves]}
    if inferred.amended_ply:
        return fields | {"amends": inferred.amended_ply, "was": str(inferred.turns[0])}
    return fields | {"ply": game.ply - inferred.n_replaced + 1}


def correct_tower(state: GameState, point: str, top: int, height: int) -> UnwrittenRecord:
    """Return the record by which people say how high a tower is and whose paint shows on top.

    Args:
        top: Player of the paint on top, 1 first; 0 for a bare point.
        height: Number of stones.

    Raises:
        MillchenError: When there is no such point or player, no tower can be so high, or the game has it so already.
    """
    game = state.game
    if point not in game.variant.board.index:
        raise MillchenError(message("game.no_point", point=repr(point)))
    if (
        not 0 <= top <= game.variant.players
        or not 0 <= height <= game.variant.max_height
        or (top == 0) != (height == 0)
    ):
        raise MillchenError(message("game.stack", most=game.variant.max_height))
    at = game.variant.board.index[point]
    if (game.position.tops[at], game.position.heights[at]) == (top, height):
        raise MillchenError(message("game.already", point=point))
    tops, heights = list(game.position.tops), list(game.position.heights)
    tops[at], heights[at] = top, height
    fields = {"point": point, "top": top, "height": height, **_inferred_turn_fields(game, tops, heights)}
    return CORRECTED, fields.pop("ply", game.ply), {**_time_fields(state), **JUDGED, **fields}


def answer_question(state: GameState, option: int) -> UnwrittenRecord:
    """Return the record by which people answer the referee's question: a turn was played, or nothing was.

    Args:
        option: Number of the answer, 0 first.

    Raises:
        MillchenError: When nothing has been asked, or the answer is none of those that the page can take.
    """
    if state.question is None:
        raise MillchenError(message("question.none"))
    if not 0 <= option < len(state.question.options):
        raise MillchenError(message("question.answers", n=len(state.question.options)))
    answer, game, board = state.question.options[option], state.game, state.game.variant.board
    if answer == "-1":
        return take_back_turn(state)
    numbered = re.fullmatch(r"(\d+)\. (.+)", answer)
    ply = int(numbered[1]) if numbered else game.ply + 1
    later = game.turns[ply - 1 :]
    body: dict[str, Any] = {**_time_fields(state), "over": len(later)}
    notations = (numbered[2] if numbered else answer).split()
    try:
        turns = [parse_turn(turn, board) for turn in notations if turn != NOTHING_PLAYED]
        if turns and _follows_other_turn(state, option):
            assert state.foul is not None
            turns = [state.foul.played, *turns]  # people have played on: what Millchen did not mean stands
        if not turns or (later and [later[0].moves] == turns):  # the game has it so already
            return "restored", None, {**_time_fields(state), "frame": 0}
        played = [*turns[: len(later)], *(turn.moves for turn in later[1:]), *turns[min(len(later), 1) :]]
        moves = [str(move) for moves in played for move in moves]
        replace_turns(game, moves, len(later))
    except ValueError:
        raise MillchenError(message("question.unplayable")) from None
    amends = {"amends": ply, "was": "".join(map(str, turns[0]))} if later else {}
    return CORRECTED, ply, {**body, **amends, "moves": moves}


def _follows_other_turn(state: GameState, option: int) -> bool:
    """Return whether an answer speaks of what came after a turn that Millchen did not mean."""
    players = state.question.players[option] if state.question is not None and state.question.players else ()
    is_other = state.foul is not None and bool(state.foul.meant)
    return is_other and bool(players) and players[0] != state.game.position.to_move


def correct_ring(state: GameState, ring: int, steps: int) -> UnwrittenRecord:
    """Return the record by which people say that a ring was turned by one hole.

    Args:
        ring: 0 outermost.
        steps: 1 clockwise, -1 back.

    Raises:
        MillchenError: When the board has no such ring.
    """
    if not 0 <= ring < len(state.game.variant.board.rings) or steps not in (-1, 1):
        raise MillchenError(message("game.no_ring"))
    turn = _inferred_turn_fields(state.game, rotate_ring(state.game, ring, steps).position.tops, None)
    ply = turn.pop("ply", state.game.ply)
    return "turned", ply, {**_time_fields(state), "ring": ring, "steps": steps, **JUDGED, **turn}


def restored(state: GameState, begun: Sequence[str]) -> UnwrittenRecord:
    """Return the record by which the board is put right; ``begun`` are the moves of an open turn that stay."""
    return "restored", None, {**_time_fields(state), "frame": 0, "begun": list(begun)}


def _time_fields(state: GameState) -> dict[str, Any]:
    return {"t": state.last_event_s or 0.0}


def name_players(state: GameState, names: Sequence[str]) -> UnwrittenRecord:
    """Return the record by which the players get names.

    Raises:
        MillchenError: When there are not as many names as players.
    """
    if len(names) != state.game.variant.players:
        raise MillchenError(message("game.names", players=state.game.variant.players, names=len(names)))
    return "named", None, {"names": list(names)}


def set_photographs(_: GameState, on: bool) -> UnwrittenRecord:
    """Return the record by which people choose whether a photograph of every accepted turn is kept."""
    return "pictures", None, {"on": on}
