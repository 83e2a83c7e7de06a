"""What people say to Millchen as a partner, and what it says to the turns that they make for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from languages import message
from referee.events import FoulSeen, MillClosed, TurnPlayed
from referee.game import Game
from referee.moves import Move
from referee.search.reasons import Reason
from referee.search.strength import STRENGTHS
from web.errors import MillchenError
from web.game.event_records import record_of_event
from web.game.game_state import GameState
from web.game.partners import NOT_THE_PROPOSED_TURN, Partner, partner_body, reasons_to_json
from web.journal.journal_record import UnwrittenRecord


def set_partner(
    state: GameState, player: int, strength: str | None = None, explain: bool = False, laid_by_people: bool = False
) -> UnwrittenRecord:
    """Return the record by which Millchen plays for a player (1 first), or no longer does (``strength`` None)."""
    n_players = state.game.variant.players
    if not 1 <= player <= n_players:
        raise MillchenError(message("partner.no_player", player=player, n=n_players))
    if strength is not None and strength not in STRENGTHS:
        raise MillchenError(message("partner.no_strength", strength=repr(strength), known=", ".join(STRENGTHS)))
    partner = None if strength is None else Partner(strength, explain, laid_by_people)
    return "partner", None, partner_body(player - 1, partner)


def allow_hints(_: GameState, on: bool) -> UnwrittenRecord:
    """Return the record by which people allow hints, or do not."""
    return "hints", None, {"on": on}


def check_hint(state: GameState) -> None:
    """Refuse a hint where none is allowed, or nobody can use one."""
    if not state.may_hint:
        raise MillchenError(message("partner.no_hints"))
    if state.game.outcome is not None:
        raise MillchenError(message("game.over"))
    if state.foul is not None:
        raise MillchenError(message("game.foul_first"))
    if state.shown.position.to_move in state.partners:
        raise MillchenError(message("partner.own_turn"))


def do_proposed(state: GameState) -> UnwrittenRecord:
    """Return the record of the turn that Millchen has proposed: people carry it out in one go."""
    if state.proposal is None or not state.proposal.moves or state.game.outcome is not None:
        raise MillchenError(message("partner.nothing_proposed"))
    return turn_record(state, reduce(Game.play, state.proposal.left(state.shown.pending), state.shown))


def own_turn(state: GameState, moves: Sequence[Move], reasons: Sequence[Reason]) -> UnwrittenRecord:
    """Return the record of what is left of a turn that Millchen lays itself, with the reasons that it says."""
    kind, ply, body = turn_record(state, reduce(Game.play, moves, state.shown))
    return kind, ply, body | ({"reasons": reasons_to_json(reasons)} if reasons else {})


def other_turn(state: GameState, moves: Sequence[Move]) -> UnwrittenRecord | None:
    """Return the record that not the proposed turn was made; None where it was, or nothing is proposed.

    Args:
        moves: The turn, or what was made of it up to the captures that are due.
    """
    proposal, before = state.proposal, state.game
    if proposal is None or not proposal.moves or before.position.to_move != proposal.player:
        return None
    after = reduce(Game.play, moves, before)
    is_whole = after.ply > before.ply
    if proposal.is_made_by(before, moves) if is_whole else proposal.allows(moves):
        return None
    was, now = state.shown.position, after.position
    return record_of_event(
        FoulSeen(
            *(proposal.player, NOT_THE_PROPOSED_TURN, changed_points(state.shown, after), was.tops, now.tops),
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
    _, ply, body = turn_record(state, game)
    kept = {name: body[name] for name in ("player", "moves", "mills", "skipped")}
    return "stood", ply, {**kept, "tops": list(game.position.tops)}


def begun_record(state: GameState, after: Game) -> UnwrittenRecord:
    """Return the record of a turn that has closed a mill by hand and still owes what it takes."""
    position = after.position
    line = tuple(position.closed[-1]) if position.closed else ()
    kind, ply, body = record_of_event(MillClosed(position.to_move, line, state.time_s, 0, due=position.dues))
    return kind, ply, {**body, "begun": [str(move) for move in after.pending]}


def turn_record(state: GameState, after: Game) -> UnwrittenRecord:
    """Return the record of a whole turn that was made by hand."""
    turn = after.turns[-1]
    mills, at = turn.counted_mills, (state.time_s, 0)
    return record_of_event(TurnPlayed(after.ply, turn.player, turn.moves, mills, 1.0, *at, skipped=turn.skipped))
