"""The game as its pages have it, made from its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.events import Event, FoulSeen, QuestionAsked
from referee.game import Game
from referee.game_events import WARNED_TURNS, game_ended
from referee.moves import Capture, Move, Rotate, to_action, turn_text
from referee.position import Position
from referee.resumption import is_mover_open
from web.drawing.position_svg import standing_mills
from web.game import event_sentences as said
from web.game import page_state as page
from web.game.first_record import first_played
from web.game.game_state import GameState
from web.game.partners import Proposal
from web.page_words import Sentences

InstructionsOf = Callable[[Position], page.Texts]
"""Function that returns what the player to move may do."""

SentencesOf = Callable[[Event], Sentences]


def game_view(
    number: int,
    state: GameState,
    begun: Game,
    sentences_of: SentencesOf,
    *,
    seq: int = 0,
    instructions_of: InstructionsOf | None = None,
    is_played_by_hand: bool = False,
    clock: page.ClockView = page.GameView.clock,
) -> page.GameView:
    """Return the game as the page shows it.

    ``begun`` is the same game with the moves of a turn that has begun; ``seq`` is the journal's number of its newest
    record. Replays have neither that nor ``instructions_of``. On a page that ``is_played_by_hand`` people see the acts.
    """
    position, variant = begun.position, begun.variant
    board = variant.board
    moves = begun.legal_moves if is_played_by_hand and state.foul is None and not state.lays_own_stones else ()
    acts = tuple({"text": str(move), **to_action(move)} for move in moves)
    return page.GameView(
        id=number,
        seq=seq,
        name=variant.name,
        board=board.name,
        points=board.points,
        players=variant.players,
        max_height=variant.max_height,
        ply=begun.ply,
        stacks={
            name: tuple((stone.paint + 1, stone.owner + 1) for stone in stack)
            for name, stack in zip(board.points, position.stacks, strict=True)
            if stack
        },
        hands=position.hands,
        stones=position.counts,
        to_move=None if begun.outcome is not None or is_mover_open(begun) else position.to_move + 1,
        mover_open=is_mover_open(begun),
        phase=begun.phase,
        out=tuple(player + 1 for player in range(variant.players) if position.out[player] and variant.players > 2),
        quiet_turns_left=begun.quiet_turns_left,
        warned_turns=WARNED_TURNS,
        occurrences=begun.occurrences,
        owed=position.owed,
        to_do={} if instructions_of is None or begun.outcome is not None else instructions_of(position),
        acts=acts if is_played_by_hand else None,
        begun=len(state.begun),
        last=_last_moves(begun),
        mills=tuple(map(tuple, standing_mills(position))),
        foul=_foul(state.foul, board.points, sentences_of),
        question=_question(state.question, sentences_of),
        outcome=_outcome(begun, state.decider, sentences_of),
        names=state.names or ("",) * variant.players,
        partners=tuple(page.PartnerView(player + 1, *partner) for player, partner in state.partners.items()),
        can_redo=bool(state.undone_turns),
        photographs=state.keeps_photographs,
        lesson=_lesson(state),
        clock=clock,
    )


def restoring_steps(before: Sequence[int], seen: Sequence[int], points: Sequence[str]) -> list[page.Step]:
    """Return the steps ``{"paint", "from", "to"}`` (None: beside the board) that bring the tops ``before`` back."""
    changed = [i for i, (a, b) in enumerate(zip(before, seen, strict=True)) if a != b]
    steps: list[page.Step] = []
    for paint in sorted({*before, *seen} - {0}):
        too_many = [points[i] for i in changed if seen[i] == paint]
        missing = [points[i] for i in changed if before[i] == paint]
        n = max(len(too_many), len(missing))
        for start, to in zip(_pad(too_many, n), _pad(missing, n), strict=True):
            steps.append({"paint": paint, "from": start, "to": to})
    return steps


def _pad(names: list[str], n: int) -> list[str | None]:
    return [*names, *[None] * (n - len(names))]


def _last_moves(game: Game) -> page.LastMoves | None:
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
    taken = {} if is_turned else {point: before.tops[before.board.index[point]] for point in points}
    return page.LastMoves(player + 1, tuple(map(to_action, moves)), tuple(map(tuple, mills)), taken)


def _foul(foul: FoulSeen | None, points: Sequence[str], sentences_of: SentencesOf) -> page.FoulView | None:
    if foul is None:
        return None
    # A capture that is still due is not put right by going back: the sentence says what to do.
    is_due = foul.kind == "capture_missing"
    steps = () if is_due else tuple(restoring_steps(foul.before_tops, foul.seen_tops, points))
    player = None if foul.player is None else foul.player + 1
    return page.FoulView(
        str(foul.kind), player, foul.points, steps, **page.uses(sentences_of(foul), "texts", "spoken", "title")
    )


def _question(question: QuestionAsked | None, sentences_of: SentencesOf) -> page.QuestionView | None:
    if question is None:
        return None
    sentences = sentences_of(question)
    answers = tuple(sentences.get(f"answer{k}", {}) for k in range(len(question.options)))
    return page.QuestionView(question.options, sentences["texts"], answers)


def _outcome(game: Game, decider: str | None, sentences_of: SentencesOf) -> page.OutcomeView | None:
    if game.outcome is None:
        return None
    winner, reason = game.outcome.winner, str(game.outcome.termination)
    sentences = said.with_decider(sentences_of(game_ended(game)), decider, reason)
    return page.OutcomeView(
        None if winner is None else winner + 1, reason, decider, **page.uses(sentences, "texts", "spoken")
    )


def _lesson(state: GameState) -> page.LessonView | None:
    """Return the lesson that is laid, and what its first turn was worth; None in a game."""
    if state.lesson is None:
        return None
    played = first_played(state.game.turns)
    if played is None:
        return page.LessonView(state.lesson_number)
    verdict = "right" if state.lesson.is_solved_by(played) else "wrong"
    return page.LessonView(state.lesson_number, verdict, turn_text(played.moves))


def proposal_view(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> page.Proposed | None:
    """Return the turn that Millchen wants to be made; a camera sees the ``pending`` moves of the open turn."""
    if (proposal := state.proposal) is None:
        return None
    made = state.begun or pending
    if proposal.moves and proposal.allows(made) and len(made) > len(proposal.begun):
        sentences = said.remaining_sentences(proposal.left(made), state.shown.position)
    else:
        sentences = said.said_by_partner(proposal, state, callers)
    why = said.why_sentences(proposal.reasons, callers) if said.is_explained(proposal, state) else None
    return _proposed(proposal, made, sentences, why)


def hint_view(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> page.Proposed | None:
    """Return the advice that was asked for."""
    if (hint := state.hint) is None:
        return None
    return _proposed(hint, state.begun or pending, said.hint_sentences(hint, state.shown.position, callers), None)


def _proposed(proposal: Proposal, made: Sequence[Move], sentences: Sentences, why: page.Texts | None) -> page.Proposed:
    moves = tuple(map(to_action, proposal.left(made)))
    return page.Proposed(proposal.player + 1, moves, **page.uses(sentences, "texts", "spoken"), why=why)
