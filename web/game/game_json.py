"""The game as JSON for the page: plain values only, players counted from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.events import Event, FoulSeen, QuestionAsked
from referee.game import Game
from referee.game_events import WARNED_TURNS, game_ended
from referee.moves import Capture, Move, Rotate, parse_move, to_action
from referee.position import Position
from referee.resumption import is_mover_open
from web.game.demo_source import HAND
from web.game.event_sentences import with_decider
from web.game.hand_corrections import with_turn_begun_by_hand
from web.game.lesson_record import lesson_to_json
from web.game.replay import GameState

InstructionsOf = Callable[[Position], Mapping[str, str]]
"""Function that returns what the player to move may do, by language."""

SentencesOf = Callable[[Event], Mapping[str, Mapping[str, str]]]
"""Function that returns the sentences for an event, by kind ("texts", "spoken" ...) and language."""


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

    Args:
        number: The game's number in the journal.
        state: The accepted game.
        begun: The same game with the moves of a turn that has begun and still owes its captures.
        seq: The journal's number of the newest record of the game; 0 in replays.
        instructions_of: Without it nobody is told what to do: in replays.
        is_played_by_hand: Whether people play on the page: it then shows what may be done.
    """
    position, variant = begun.position, begun.variant
    board = variant.board
    is_own = lays_own_stones(state)
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
        "acts": acts_to_json(begun, is_settled=state.foul is None and not is_own) if is_played_by_hand else None,
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


def with_pending_moves(game: Game, pending: Sequence[Move]) -> Game:
    """Return the game with the moves of a turn that has begun, where they are legal.

    Without pending moves it returns the game with a turn that people have begun by hand, if any.
    """
    if game.outcome is not None:
        return game
    if not pending:
        return with_turn_begun_by_hand(game)
    try:
        for move in pending:
            game = game.play(move)
    except ValueError:
        return game if not game.pending else game.take_back()
    return game


def with_begun_moves(state: GameState) -> Game:
    """Return the game of a state with the moves of a turn that was begun by hand."""
    board = state.game.variant.board
    return with_pending_moves(state.game, [parse_move(text, board) for text in state.begun])


def lays_own_stones(state: GameState) -> bool:
    """Return whether Millchen lays the stones of the player to move itself: no camera looks, nobody does it for it."""
    game = with_begun_moves(state)
    partner = state.partners.get(game.position.to_move)
    is_own = partner is not None and not partner.laid_by_people and state.source == HAND
    return is_own and state.proposal is None and game.outcome is None  # who could not think has proposed nothing


def standing_mills(position: Position) -> list[list[str]]:
    """Return every line that one owner holds, on any level, by the names of its points."""
    board = position.board
    return [
        [board.points[i] for i in line]
        for line in board.lines
        if any(
            stones[0].owner == stones[1].owner == stones[2].owner
            for stones in zip(*(position.stacks[i] for i in line), strict=False)
        )
    ]


def restoring_steps(before: Sequence[int], seen: Sequence[int], points: Sequence[str]) -> list[dict[str, Any]]:
    """Return the steps, one stone each, after which the table shows ``before`` again.

    Args:
        before, seen: sequence of int, by point. Stones that should be on top and that are: 0 bare, k a stone painted
            for player k - 1.

    Returns:
        ``{"paint": k, "from": point or None, "to": point or None}``; a stone from nowhere comes from beside the board,
        a stone to nowhere goes there.
    """
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


def _question(asked: QuestionAsked | None, sentences_of: SentencesOf) -> dict[str, Any] | None:
    """Return the question and each of its answers, in every language."""
    if asked is None:
        return None
    sentences = sentences_of(asked)
    answers = [sentences.get(f"answer{k}", {}) for k in range(len(asked.options))]
    return {"options": asked.options, "texts": sentences["texts"], "answers": answers}


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
