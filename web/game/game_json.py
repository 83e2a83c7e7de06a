"""The game as JSON for the page: plain values only, players counted from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.events import Event, FoulSeen, QuestionAsked
from referee.game import Game
from referee.game_events import WARNED_TURNS, game_ended
from referee.moves import Capture, Move, Rotate, to_action
from referee.position import Position
from referee.resumption import is_mover_open
from web.drawing.position_svg import standing_mills
from web.game.event_sentences import (
    hint_sentences,
    is_explained,
    remaining_sentences,
    said_by_partner,
    why_sentences,
    with_decider,
)
from web.game.first_record import lesson_to_json
from web.game.game_state import GameState
from web.game.partners import Proposal
from web.page_words import Sentences

InstructionsOf = Callable[[Position], Mapping[str, str]]
"""Function that returns what the player to move may do, by language."""

SentencesOf = Callable[[Event], Sentences]


def game_to_json(
    number: int,
    state: GameState,
    begun: Game,
    sentences_of: SentencesOf,
    *,
    seq: int = 0,
    instructions_of: InstructionsOf | None = None,
    is_played_by_hand: bool = False,
) -> dict[str, Any]:
    """Return the game as the page shows it; ``static/common/types.js`` says what each entry is.

    ``begun`` is the same game with the moves of a turn that has begun; ``seq`` is the journal's number of its newest
    record. Replays have neither that nor ``instructions_of``. On a page that ``is_played_by_hand`` people see the acts.
    """
    position, variant = begun.position, begun.variant
    board = variant.board
    return {
        "id": number,
        "seq": seq,
        "name": variant.name,
        "board": board.name,
        "points": board.points,
        "players": variant.players,
        "max_height": variant.max_height,
        "ply": begun.ply,
        "stacks": {
            name: [[stone.paint + 1, stone.owner + 1] for stone in stack]
            for name, stack in zip(board.points, position.stacks, strict=True)
            if stack
        },
        "hands": position.hands,
        "stones": position.counts,
        "to_move": None if begun.outcome is not None or is_mover_open(begun) else position.to_move + 1,
        "mover_open": is_mover_open(begun),
        "phase": begun.phase,
        "out": [player + 1 for player in range(variant.players) if position.out[player] and variant.players > 2],
        "quiet_turns_left": begun.quiet_turns_left,
        "warned_turns": WARNED_TURNS,
        "occurrences": begun.occurrences,
        "owed": position.owed,
        "to_do": {} if instructions_of is None or begun.outcome is not None else instructions_of(position),
        "acts": acts_to_json(begun, is_settled=state.foul is None and not state.lays_own_stones)
        if is_played_by_hand
        else None,
        "begun": len(state.begun),
        "last": _last_moves(begun),
        "mills": standing_mills(position),
        "foul": _foul(state.foul, board.points, sentences_of),
        "question": _question(state.question, sentences_of),
        "outcome": _outcome(begun, state.decider, sentences_of),
        "names": state.names or ("",) * variant.players,
        "partners": [{"player": player + 1, **partner._asdict()} for player, partner in state.partners.items()],
        "can_redo": bool(state.undone_turns),
        "photographs": state.keeps_photographs,
        "lesson": lesson_to_json(state.lesson, state.lesson_number, state.game.turns),
    }


def acts_to_json(game: Game, *, is_settled: bool) -> list[dict[str, Any]]:
    """Return the lawful acts: each as in the answers of the command line, and in notation as ``text``."""
    return [{"text": str(move), **to_action(move)} for move in game.legal_moves] if is_settled else []


def restoring_steps(before: Sequence[int], seen: Sequence[int], points: Sequence[str]) -> list[dict[str, Any]]:
    """Return the steps ``{"paint", "from", "to"}`` (None: beside the board) that bring the tops ``before`` back."""
    changed = [i for i, (a, b) in enumerate(zip(before, seen, strict=True)) if a != b]
    steps: list[dict[str, Any]] = []
    for paint in sorted({*before, *seen} - {0}):
        too_many = [points[i] for i in changed if seen[i] == paint]
        missing = [points[i] for i in changed if before[i] == paint]
        n = max(len(too_many), len(missing))
        for start, to in zip(_pad(too_many, n), _pad(missing, n), strict=True):
            steps.append({"paint": paint, "from": start, "to": to})
    return steps


def _pad(names: list[str], n: int) -> list[str | None]:
    return [*names, *[None] * (n - len(names))]


def _last_moves(game: Game) -> dict[str, Any] | None:
    """Return the moves that were made last: those of a turn that has begun, else those of the last complete turn."""
    if not game.pending and not game.turns:
        return None
    earlier = game.turns if game.pending else game.turns[:-1]
    before = earlier[-1].after if earlier else game.first_position
    if game.pending:
        player, moves, mills = game.position.to_move, game.pending, game.position.closed
    else:
        player, moves, mills = game.turns[-1].player, game.turns[-1].moves, game.turns[-1].mills
    points = [move.at for move in moves if isinstance(move, Capture)]
    is_turned = any(isinstance(move, Rotate) for move in moves)  # then a stone was taken elsewhere than it lay before
    return {
        "player": player + 1,
        "moves": [to_action(move) for move in moves],
        "mills": [list(mill) for mill in mills],
        "taken": {} if is_turned else {point: before.tops[before.board.index[point]] for point in points},
    }


def _foul(foul: FoulSeen | None, points: Sequence[str], sentences_of: SentencesOf) -> dict[str, Any] | None:
    if foul is None:
        return None
    return {
        "kind": str(foul.kind),
        "player": None if foul.player is None else foul.player + 1,
        "points": foul.points,
        # A capture that is still due is not put right by going back: the sentence says what to do.
        "steps": [] if foul.kind == "capture_missing" else restoring_steps(foul.before_tops, foul.seen_tops, points),
        **sentences_of(foul),
    }


def _question(question: QuestionAsked | None, sentences_of: SentencesOf) -> dict[str, Any] | None:
    """Return the question and each of its answers, in every language."""
    if question is None:
        return None
    sentences = sentences_of(question)
    answers = [sentences.get(f"answer{k}", {}) for k in range(len(question.options))]
    return {"options": question.options, "texts": sentences["texts"], "answers": answers}


def _outcome(game: Game, decider: str | None, sentences_of: SentencesOf) -> dict[str, Any] | None:
    if game.outcome is None:
        return None
    winner, reason = game.outcome.winner, str(game.outcome.termination)
    return {
        "winner": None if winner is None else winner + 1,
        "reason": reason,
        "decider": decider,
        **with_decider(sentences_of(game_ended(game)), decider, reason),
    }


def partner_to_json(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of Millchen as a partner; a camera sees the ``pending`` moves of the open turn."""
    made = state.begun or pending
    proposal, hint, position = state.proposal, state.hint, state.shown.position
    if proposal is not None and proposal.moves and proposal.allows(made) and len(made) > len(proposal.begun):
        sentences = remaining_sentences(proposal.left(made), position)
    else:
        sentences = {} if proposal is None else said_by_partner(proposal, state, callers)
    if proposal is not None and is_explained(proposal, state):
        sentences = {**sentences, "why": why_sentences(proposal.reasons, callers)}
    return {
        "proposal": None if proposal is None else _proposal_to_json(proposal, made, sentences),
        "hint": None if hint is None else _proposal_to_json(hint, made, hint_sentences(hint, position, callers)),
    }


def _proposal_to_json(proposal: Proposal, made: Sequence[Move], sentences: Sentences) -> dict[str, Any]:
    """Return a proposal or hint for the page: what is still to be done, and what is said."""
    return {
        "player": proposal.player + 1,
        "moves": [to_action(move) for move in proposal.left(made)],
        **sentences,
    }
