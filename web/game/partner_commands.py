"""What people say to Millchen as a partner, and what it says to the turns that they make for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from languages import message
from referee.events import FoulSeen, MillClosed, TurnPlayed
from referee.game import Game
from referee.moves import Move
from referee.search.reasons import Reason
from referee.search.think import STRENGTHS
from web.errors import MillchenError
from web.game.event_records import JUDGED, record_of_event
from web.game.game_json import with_begun_moves
from web.game.partners import NOT_THE_PROPOSED_TURN, Partner, partner_body, reasons_to_json
from web.game.replay import GameState
from web.journal.journal_record import UnwrittenRecord


def set_partner(
    state: GameState, player: int, strength: str | None, explain: bool, laid_by_people: bool = False
) -> UnwrittenRecord:
    """Return the record by which Millchen plays for a player (1 first), or no longer does (``strength`` None).

    Raises:
        MillchenError: When there is no such player or strength.
    """
    n_players = state.game.variant.players
    if not 1 <= player <= n_players:
        raise MillchenError(message("partner.no_player", player=player, n=n_players))
    if strength is not None and strength not in STRENGTHS:
        raise MillchenError(message("partner.no_strength", strength=repr(strength), known=", ".join(STRENGTHS)))
    partner = None if strength is None else Partner(strength, explain, laid_by_people)
    return "partner", None, partner_body(player - 1, partner)


def allow_hints(_: GameState, on: bool) -> UnwrittenRecord:
    """Return the record by which the house allows hints, or does not."""
    return "hints", None, {"on": on}


def check_hint(state: GameState) -> None:
    """Refuse a hint where the house does not allow any, or nobody can use one.

    Raises:
        MillchenError
    """
    if not state.may_hint:
        raise MillchenError(message("partner.no_hints"))
    if state.game.outcome is not None:
        raise MillchenError(message("game.over"))
    if state.foul is not None:
        raise MillchenError(message("game.foul_first"))
    if with_begun_moves(state).position.to_move in state.partners:
        raise MillchenError(message("partner.own_turn"))


def do_proposed(state: GameState) -> UnwrittenRecord:
    """Return the record of the turn that Millchen has proposed: people carry it out in one go.

    Raises:
        MillchenError: When nothing is proposed.
    """
    if state.proposal is None or not state.proposal.moves or state.game.outcome is not None:
        raise MillchenError(message("partner.nothing_proposed"))
    game = with_begun_moves(state)
    for move in state.proposal.left(game.pending):
        game = game.play(move)
    return turn_record(state, game)


def own_turn(state: GameState, moves: Sequence[Move], reasons: Sequence[Reason]) -> UnwrittenRecord:
    """Return the record of a turn that Millchen lays itself, where no camera looks.

    Args:
        moves: What is left of the turn.
        reasons: Those that it says.
    """
    game = with_begun_moves(state)
    for move in moves:
        game = game.play(move)
    kind, ply, body = turn_record(state, game)
    return kind, ply, body | ({"reasons": reasons_to_json(reasons)} if reasons else {})


def other_turn(state: GameState, before: Game, moves: Sequence[Move]) -> UnwrittenRecord | None:
    """Return the record that not the proposed turn was made; None where it was, or nothing is proposed.

    Args:
        before: The game before the turn.
        moves: The turn, or what was made of it up to the captures that are due.
    """
    proposal = state.proposal
    if proposal is None or not proposal.moves or before.position.to_move != proposal.player:
        return None
    after = before
    for move in moves:
        after = after.play(move)
    is_whole = after.ply > before.ply
    if proposal.is_made_by(before, moves) if is_whole else proposal.allows(moves):
        return None
    points = before.variant.board.points
    was, now = with_begun_moves(state).position, after.position
    changed = [name for name, one, other in zip(points, was.stacks, now.stacks, strict=True) if one != other]
    return record_of_event(
        FoulSeen(
            *(proposal.player, NOT_THE_PROPOSED_TURN, tuple(changed), was.tops, now.tops, state.last_event_s or 0.0, 0),
            seen_heights=now.heights,
            played=tuple(moves),
            meant=proposal.moves,
        )
    )


def let_other_turn_stand(state: GameState) -> UnwrittenRecord:
    """Return the record by which people let a turn stand that Millchen did not mean.

    ``state.foul`` must be of that kind.
    """
    assert state.foul is not None
    game = state.game
    for move in state.foul.played:
        game = game.play(move)
    if game.ply == state.game.ply:
        return begun_record(state, game)
    return "stood", game.ply, {**_turn_fields(game), "tops": list(game.position.tops), **JUDGED}


def begun_record(state: GameState, after: Game) -> UnwrittenRecord:
    """Return the record of a turn that has closed a mill by hand and still owes what it takes."""
    position = after.position
    line = tuple(position.closed[-1]) if position.closed else ()
    event = MillClosed(position.to_move, line, state.last_event_s or 0.0, 0, due=position.dues)
    kind, ply, body = record_of_event(event)
    return kind, ply, {**body, "begun": [str(move) for move in after.pending]}


def turn_record(state: GameState, after: Game) -> UnwrittenRecord:
    """Return the record of a whole turn that was made by hand."""
    turn = after.turns[-1]
    return record_of_event(
        TurnPlayed(
            *(after.ply, turn.player, turn.moves, turn.counted_mills, 1.0, state.last_event_s or 0.0, 0),
            skipped=turn.skipped,
        )
    )


def _turn_fields(game: Game) -> dict[str, Any]:
    turn = game.turns[-1]
    return {
        "player": turn.player + 1,
        "moves": [str(move) for move in turn.moves],
        "mills": [list(mill) for mill in turn.counted_mills],
        "skipped": [player + 1 for player in turn.skipped],
    }
