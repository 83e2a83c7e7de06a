"""A state and a command of people in, a record out; raises MillchenError where the command is not possible.

Where no camera looks, people lay, move and take stones and turn rings on the page. A lawful act begins or completes a
turn; any other is a foul, which they put back or let stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Annotated, Any

from languages import message
from referee.endings import WITHDRAWN
from referee.events import FoulSeen, MillClosed, Resumed
from referee.forced_moves import forced
from referee.fouls import Foul, IllegalMoveError, rule_behind, sort_fouls, violations
from referee.game import Game
from referee.moves import Capture, InvalidMoveError, Move, Slide, parse_move, parse_turn
from referee.resumption import is_mover_open
from referee.search.reasons import Reason
from referee.search.think import STRENGTHS
from referee.typed_json import Count, line, one_of, write
from web.body_types import Name
from web.errors import MillchenError
from web.game.game_state import CORRECTED, GameState, Partner
from web.game.hand_corrections import infer_turns, replace_turns, rotate_ring
from web.game.records import HAND_ENDINGS, partner_body, record_of_event, record_of_turn
from web.journal.journal_record import UnwrittenRecord

NOT_THE_PROPOSED_TURN = "not_the_proposed_turn"
"""Kind of foul of a lawful turn that Millchen did not propose: people put it right, or let it stand."""
NOTHING_PLAYED = "="  # the answer that nothing was played, as ``QuestionAsked.options`` has it


def set_partner(
    state: GameState,
    player: int,
    strength: Annotated[str, one_of(*STRENGTHS)] | None = None,
    explain: bool = False,
    laid_by_people: bool = False,
) -> UnwrittenRecord:
    """Return the record by which Millchen plays for a player (1 first), or no longer does (``strength`` None)."""
    n_players = state.game.variant.players
    if not 1 <= player <= n_players:
        raise MillchenError(message("partner.no_player", player=player, n=n_players))
    partner = None if strength is None else Partner(strength, explain, laid_by_people)
    return UnwrittenRecord("partner", None, partner_body(player - 1, partner))


def allow_hints(_: GameState, on: bool) -> UnwrittenRecord:
    """Return the record by which people allow hints, or do not."""
    return UnwrittenRecord("hints", None, {"on": on})


def check_hint(state: GameState) -> None:
    """Refuse a hint where none is allowed, or nobody can use one."""
    if not state.may_hint:
        raise MillchenError(message("partner.no_hints"))
    if state.game.outcome is not None:
        raise MillchenError(message("game.over"))
    if state.foul is not None:
        raise MillchenError(message("game.foul_first"))
    if state.page_game.position.to_move in state.partners:
        raise MillchenError(message("partner.own_turn"))


def do_proposed(state: GameState) -> UnwrittenRecord:
    """Return the record of the turn that Millchen has proposed: people carry it out in one go."""
    if state.proposal is None or not state.proposal.moves or state.game.outcome is not None:
        raise MillchenError(message("partner.nothing_proposed"))
    return record_of_turn(
        reduce(Game.play, state.proposal.remaining(state.page_game.pending), state.page_game), state.time_s
    )


def own_turn(state: GameState, moves: Sequence[Move], reasons: Sequence[Reason]) -> UnwrittenRecord:
    """Return the record of what is left of a turn that Millchen lays itself, with the reasons that it says."""
    record = record_of_turn(reduce(Game.play, moves, state.page_game), state.time_s)
    reasons_field = {"reasons": [write(reason) for reason in reasons]} if reasons else {}
    return record._replace(body=record.body | reasons_field)


def other_turn(state: GameState, moves: Sequence[Move]) -> UnwrittenRecord | None:
    """Return the record that not the proposed turn was made; None where it was, cannot be, or nothing is proposed.

    ``moves`` are the turn, or what was made of it up to the captures that are due.
    """
    proposal, before = state.proposal, state.game
    if proposal is None or not proposal.moves or before.position.to_move != proposal.player:
        return None
    try:
        after = reduce(Game.play, moves, before)
    except IllegalMoveError:
        return None
    is_whole = after.ply > before.ply
    if proposal.is_made_by(before, moves) if is_whole else proposal.allows(moves):
        return None
    was, now = state.page_game.position, after.position
    return record_of_event(
        FoulSeen(
            *(proposal.player, NOT_THE_PROPOSED_TURN, changed_points(state.page_game, after), was.tops, now.tops),
            *(state.time_s, 0),
            seen_heights=now.heights,
            played=tuple(moves),
            meant=proposal.moves,
        )
    )


def changed_points(before: Game, after: Game) -> tuple[str, ...]:
    """Return the points at which two games differ."""
    stacks = zip(before.variant.board.points, before.position.stacks, after.position.stacks, strict=True)
    return tuple(name for name, one, other in stacks if one != other)


def let_other_turn_stand(state: GameState) -> UnwrittenRecord:
    """Return the record by which people let a turn stand that Millchen did not mean: ``state.foul`` is of that kind."""
    assert state.foul is not None
    game = reduce(Game.play, state.foul.played, state.game)
    if game.ply == state.game.ply:
        return begun_record(state, game)
    _, ply, body, *_ = record_of_turn(game, state.time_s)
    turn = {name: body[name] for name in ("player", "moves", "mills", "skipped")}
    return UnwrittenRecord("stood", ply, {**turn, "tops": list(game.position.tops)}, after=game)


def begun_record(state: GameState, after: Game) -> UnwrittenRecord:
    """Return the record of a turn that has closed a mill by hand and still owes what it takes."""
    position = after.position
    line = tuple(position.closed[-1]) if position.closed else ()
    record = record_of_event(MillClosed(position.to_move, line, state.time_s, 0, due=position.dues))
    return record._replace(body={**record.body, "begun": [str(move) for move in after.pending]}, after=after)


def play_act(state: GameState, act: Annotated[str, line(20)], player: int | None = None) -> UnwrittenRecord:
    """Return the record of an act in notation: a turn, a mill whose stones are still to be taken, or a foul.

    ``player`` (1 first) owns the stone, where it was not taken from the bowl of the player to move.
    """
    game = state.page_game
    if game.outcome is not None:
        raise MillchenError(message("game.over"))
    if state.foul is not None:
        raise MillchenError(message("game.foul_first"))
    if state.lays_own_stones:
        raise MillchenError(message("partner.lays_own"))
    who = game.position.to_move if player is None else player - 1
    if not 0 <= who < game.variant.players or game.position.out[who]:
        raise MillchenError(message("game.player_out", player=player))
    move = _read_act(act, game)
    try:
        after = game.play(move) if who == game.position.to_move else None
    except IllegalMoveError:
        after = None
    if after is None:
        return record_of_event(_foul(game, move, who, state))
    if game.ply < state.game.ply and isinstance(move, Capture):  # its turn was begun by a correction, and ends by one
        top = after.position.tops[game.variant.board.index[move.at]]
        return correct_stone(state, move.at, top, game.position.tops)
    moves = after.pending if after.ply == state.game.ply else after.turns[-1].moves
    if game.ply == state.game.ply and (other := other_turn(state, moves)) is not None:
        return other
    return begun_record(state, after) if after.ply == state.game.ply else record_of_turn(after, state.time_s)


def put_back(state: GameState) -> UnwrittenRecord:
    """Return the record by which people put right what was against the rules: the board is again as before."""
    if state.foul is None:
        raise MillchenError(message("game.no_foul"))
    return restored(state, state.begun)


def _read_act(act: str, game: Game) -> Move:
    try:
        move = parse_move(act, game.variant.board)
    except InvalidMoveError:
        raise MillchenError(message("game.no_act", act=repr(act[:20]))) from None
    if isinstance(move, Slide) and not game.position.stacks[game.variant.board.index[move.start]]:
        raise MillchenError(message("game.nothing_there", point=move.start))
    return move


def _foul(game: Game, move: Move, who: int, state: GameState) -> FoulSeen:
    position = game.position
    reasons, accused = violations(position, move, who), who
    if position.dues and who != position.to_move:  # he goes on although another one has not taken his stones yet
        reasons, accused = reasons - {Foul.WRONG_PLAYER}, position.to_move
    kind = str(sort_fouls(reasons)[0])
    after = forced(position, move, who)
    points = changed_points(game, replace(game, position=after))
    rule, heights = rule_behind(kind, game.variant), after.heights
    at = state.time_s, 0
    return FoulSeen(accused, kind, points, position.tops, after.tops, *at, rule=rule, seen_heights=heights)


def end_game(
    state: GameState, how: Annotated[str, one_of(*HAND_ENDINGS)], player: int | None = None, decider: Name = ""
) -> UnwrittenRecord:
    """Return the record by which people end the game.

    It is "resigned" or "timed_out" by ``player`` (1 first), "agreed" to be drawn by all, "decided" by the referee for
    ``player`` (None: a draw), or "abandoned" by the referee without a result.
    """
    game = state.game
    if game.outcome is not None:
        raise MillchenError(message("game.over"))
    body: dict[str, Any] = {"t": state.time_s}
    if how in ("decided", "abandoned"):
        body["decider"] = decider
    if how == "decided":
        body["winner"] = None if player is None else _player_in_game(game, player) + 1
    elif how in WITHDRAWN:
        body["player"] = _player_in_game(game, player) + 1
    return UnwrittenRecord(how, game.ply, body)


def redo(state: GameState) -> UnwrittenRecord:
    """Return the record by which the turn that was taken back is played again."""
    if not state.undone_turns:
        raise MillchenError(message("game.nothing_to_redo"))
    return UnwrittenRecord("redone", state.game.ply + 1, {"t": state.time_s})


def take_back_turn(state: GameState) -> UnwrittenRecord:
    """Return the record by which the players take back the last turn, or what they have begun of the next one."""
    if state.begun:
        return restored(state, ())
    if not state.game.turns:
        raise MillchenError(message("game.nothing_to_take_back"))
    return UnwrittenRecord("amended", state.game.ply, {"t": state.time_s, "frame": 0, "moves": None})


def let_foul_stand(state: GameState) -> UnwrittenRecord:
    """Return the record by which the players let a foul stand."""
    if state.foul is None:
        raise MillchenError(message("game.no_foul"))
    if state.foul.meant:
        return let_other_turn_stand(state)
    heights = {"heights": list(state.foul.seen_heights)} if state.foul.seen_heights else {}
    return UnwrittenRecord("stood", state.game.ply + 1, {"tops": list(state.foul.seen_tops), **heights})


def resume_from_seen(
    state: GameState, tops_in_sight: Sequence[int], tops: Sequence[int], to_move: int | None = None
) -> UnwrittenRecord:
    """Return the record by which the game goes on from the ``tops_in_sight``, if the page showed these (``tops``)."""
    game = state.game
    mover = None if to_move is None else _player_in_game(game, to_move)
    if len(tops) != len(game.position.tops) or tuple(tops) != tuple(tops_in_sight):
        raise MillchenError(message("game.not_seen"))
    stones = tuple((name, top - 1 if top else None) for name, top in zip(game.variant.board.points, tops, strict=True))
    return record_of_event(Resumed(stones, mover, state.time_s, 0))


def say_that_lesson_lies(state: GameState) -> UnwrittenRecord:
    """Return the record by which people say that the stones of a lesson do lie as it has them, whatever is seen."""
    game = state.game
    if state.lesson is None or game.turns:
        raise MillchenError(message("lesson.none"))
    tops = game.position.tops
    return resume_from_seen(state, tops, tops, game.position.to_move + 1)


def tell_mover(state: GameState, player: int) -> UnwrittenRecord:
    """Return the record by which people say whose turn it is after a position was taken over as it lay."""
    if not is_mover_open(state.game):
        raise MillchenError(message("game.mover_known"))
    tops = state.game.position.tops
    return resume_from_seen(state, tops, tops, player)


def _player_in_game(game: Game, player: int | None) -> int:
    """Return the index of a player, 0 first, or refuse a number that is nobody's."""
    if player is None or not 1 <= player <= game.variant.players or game.position.out[player - 1]:
        raise MillchenError(message("game.player_out", player=player))
    return player - 1


def correct_stone(state: GameState, point: str, top: int, page_tops: Sequence[int]) -> UnwrittenRecord:
    """Return the record by which people say what lies on a point: 0 nothing, k a stone of player k.

    ``page_tops`` are the tops as the page shows them, with the moves of a turn that has begun.
    """
    variant = state.game.variant
    if point not in variant.board.index:
        raise MillchenError(message("game.no_point", point=point))
    if not 0 <= top <= variant.players:
        raise MillchenError(message("game.no_player", player=top))
    if page_tops[variant.board.index[point]] == top:
        raise MillchenError(message("game.already", point=point))
    tops = list(page_tops)
    tops[variant.board.index[point]] = top
    return _correction(state, CORRECTED, {"point": point, "top": top}, tops)


def _correction(
    state: GameState, kind: str, about: Mapping[str, Any], tops: Sequence[int], heights: Sequence[int] | None = None
) -> UnwrittenRecord:
    """Return the record of a correction, with the turns that explain what lies there now, where some do."""
    game, body = state.game, {"t": state.time_s, **about}
    inferred = infer_turns(game, tops, heights)
    if inferred is None:
        return UnwrittenRecord(kind, game.ply, body)
    ply, moves = game.ply - inferred.n_replaced + 1, [move for turn in inferred.turns for move in turn.moves]
    body |= {"over": inferred.n_replaced, "moves": [str(move) for move in moves]}
    if inferred.amended_ply:
        ply, body = game.ply, body | {"amends": inferred.amended_ply, "was": str(inferred.turns[0])}
    return UnwrittenRecord(kind, ply, body, after=replace_turns(game, moves, inferred.n_replaced))


def correct_tower(state: GameState, point: Annotated[str, line(10)], top: int, height: int) -> UnwrittenRecord:
    """Return the record by which people say how high a tower is and whose paint shows on top."""
    game = state.game
    if point not in game.variant.board.index:
        raise MillchenError(message("game.no_point", point=point))
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
    return _correction(state, CORRECTED, {"point": point, "top": top, "height": height}, tops, heights)


def answer_question(state: GameState, option: Count) -> UnwrittenRecord:
    """Return the record by which people answer the referee's question: a turn was played, or nothing was."""
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
    body: dict[str, Any] = {"t": state.time_s, "over": len(later)}
    notations = (numbered[2] if numbered else answer).split()
    try:
        turns = [parse_turn(turn, board) for turn in notations if turn != NOTHING_PLAYED]
        if turns and _follows_other_turn(state, option):
            assert state.foul is not None
            turns = [state.foul.played, *turns]  # people have played on: what Millchen did not mean stands
        if not turns or (later and [later[0].moves] == turns):  # the game has it so already
            return UnwrittenRecord("restored", None, {"t": state.time_s, "frame": 0})
        moves_by_turn = [*turns[: len(later)], *(turn.moves for turn in later[1:]), *turns[min(len(later), 1) :]]
        moves = [move for moves in moves_by_turn for move in moves]
        after = replace_turns(game, moves, len(later))
    except ValueError:
        raise MillchenError(message("question.unplayable")) from None
    amends = {"amends": ply, "was": "".join(map(str, turns[0]))} if later else {}
    return UnwrittenRecord(CORRECTED, ply, {**body, **amends, "moves": [str(move) for move in moves]}, after=after)


def _follows_other_turn(state: GameState, option: int) -> bool:
    """Return whether an answer speaks of what came after a turn that Millchen did not mean."""
    players = state.question.players[option] if state.question is not None and state.question.players else ()
    is_other = state.foul is not None and bool(state.foul.meant)
    return is_other and bool(players) and players[0] != state.game.position.to_move


def correct_ring(state: GameState, ring: int, steps: int) -> UnwrittenRecord:
    """Return the record by which people say that a ring (0 outermost) was turned by one hole: 1 clockwise, -1 back."""
    if not 0 <= ring < len(state.game.variant.board.rings) or steps not in (-1, 1):
        raise MillchenError(message("game.no_ring"))
    tops = rotate_ring(state.game, ring, steps).position.tops
    return _correction(state, "turned", {"ring": ring, "steps": steps}, tops)


def restored(state: GameState, begun: Sequence[Move]) -> UnwrittenRecord:
    """Return the record by which the board is put right; ``begun`` are the moves of an open turn that stay."""
    body = {"t": state.time_s, "frame": 0, "begun": [str(move) for move in begun]}
    return UnwrittenRecord("restored", None, body)


def name_players(state: GameState, names: Sequence[Name]) -> UnwrittenRecord:
    """Return the record by which the players get names."""
    if len(names) != state.game.variant.players:
        raise MillchenError(message("game.names", players=state.game.variant.players, names=len(names)))
    return UnwrittenRecord("named", None, {"names": list(names)})


def set_photographs(_: GameState, on: bool) -> UnwrittenRecord:
    """Return the record by which people choose whether a photograph of every accepted turn is kept."""
    return UnwrittenRecord("pictures", None, {"on": on})
