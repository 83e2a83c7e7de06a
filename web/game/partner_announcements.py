"""What Millchen says as a partner of a game: the announcements of its records, and what the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.moves import Capture, Decline, Move, parse_move, to_action
from web.game.event_sentences import callers_of
from web.game.game_json import with_begun_moves
from web.game.partner_sentences import (
    Sentences,
    begun_otherwise_sentences,
    hint_sentences,
    other_turn_sentences,
    proposal_sentences,
    remaining_sentences,
    why_sentences,
    with_reasons,
)
from web.game.partners import Proposal, proposal_of_body, reasons_of_json
from web.game.replay import GameState
from web.journal.journal_record import JournalRecord


def partner_record_sentences(
    record: JournalRecord, state: GameState, callers: Sequence[str], colours: Sequence[str]
) -> Sentences | None:
    """Return what Millchen says to a record; None where the referee speaks.

    Args:
        state: After it.
        callers: What each player is called.
        colours: Name of the colour of each player's stones.
    """
    board = state.game.variant.board
    if record.kind == "foul" and state.foul is not None and state.foul.meant:
        return other_turn_sentences(state.foul, board, callers_of(colours, callers))
    if record.kind == "hinted":
        return hint_sentences(proposal_of_body(record.body, board), with_begun_moves(state).position, callers)
    if record.kind == "proposed":
        told = proposal_of_body(record.body, board)
        return said_by_partner(told, state, callers, explain=_explains(told, state))
    proposal = state.proposal
    if record.kind != "mill" or proposal is None or not proposal.moves or record.body["player"] != proposal.player + 1:
        return None
    made = [parse_move(text, board) for text in state.begun]
    if made:
        return remaining_sentences(proposal.left(made), state.game.position)
    acts = [move for move in proposal.moves if not isinstance(move, Capture | Decline)]
    after = state.game
    for move in acts:  # a camera's record has no moves: was it the mill that was meant?
        after = after.play(move)
    if tuple(record.body["line"]) in after.position.closed:
        return remaining_sentences(proposal.left(acts), after.position)
    return begun_otherwise_sentences(proposal, state.game.position)


def with_own_reasons(sentences: Sentences, record: JournalRecord, callers: Sequence[str]) -> Sentences:
    """Return the sentences of a record; with the reasons of a turn that Millchen has laid itself, where it has any."""
    if record.kind != "turn" or "reasons" not in record.body:
        return sentences
    return with_reasons(sentences, reasons_of_json(record.body["reasons"]), callers)


def _explains(proposal: Proposal, state: GameState) -> bool:
    partner = state.partners.get(proposal.player)
    return partner is not None and partner.explain


def said_by_partner(
    proposal: Proposal, state: GameState, callers: Sequence[str], *, explain: bool = False
) -> Sentences:
    """Return what Millchen says of its turn in a game; its reasons follow where ``explain`` is asked for."""
    several = len(state.partners) > 1
    return proposal_sentences(
        proposal,
        with_begun_moves(state).position,
        callers,
        explain=explain,
        name=callers[proposal.player] if several and proposal.player < len(callers) else "",
    )


def partner_to_json(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of Millchen as a partner: the turn that it wants to be made, and the hint.

    Args:
        pending: Moves of the open turn as a camera sees it.
    """
    board = state.game.variant.board
    made = [parse_move(text, board) for text in state.begun] or list(pending)
    proposal, hint, position = state.proposal, state.hint, with_begun_moves(state).position
    if proposal is not None and proposal.moves and proposal.allows(made) and len(made) > len(proposal.begun):
        said = remaining_sentences(proposal.left(made), position)
    else:
        said = {} if proposal is None else said_by_partner(proposal, state, callers)
    if proposal is not None and _explains(proposal, state):
        said = {**said, "why": why_sentences(proposal.reasons, callers)}
    return {
        "proposal": None if proposal is None else _proposal_to_json(proposal, made, said),
        "hint": None if hint is None else _proposal_to_json(hint, made, hint_sentences(hint, position, callers)),
    }


def _proposal_to_json(proposal: Proposal, made: Sequence[Move], sentences: Sentences) -> dict[str, Any]:
    """Return a proposal or hint for the page: what is still to be done, and what is said."""
    return {
        "player": proposal.player + 1,
        "moves": [to_action(move) for move in proposal.left(made)],
        **sentences,
    }
