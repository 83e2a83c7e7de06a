"""Read a whole board, wait until two readings agree, adopt: looks in, the game out as it lies on the table.

There are three occasions, each with its own idea of what lies there: nothing to follow from yet (``first_sight``), a
second rest without an explanation (``read_after_decision``), and stones that nobody has read (``passed_over``).
Readings agree that are alike in one rest, or differ by a turn at most in two; a photograph is believed alone. What is
agreed on is taken over, or proposed to people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from referee.events import Resumed
from referee.game import Game
from referee.resumption import mover_by_counts, possible_games, resume, with_sides_changed
from referee.turns import legal_turns
from vision.decoding.belief import AcceptedEvidence, PointTops, forget_rest
from vision.decoding.decision import QUESTION_COST
from vision.evidence.fusion import Evidence
from vision.watching.looks import AcceptedLook, Look, accept_look
from vision.watching.passed_over import with_overlooked_stones
from vision.watching.phases import Looking
from vision.watching.player_actions import resume_from
from vision.watching.state import (
    SETTLE_S,
    Proposal,
    StepResult,
    TableSetup,
    UndecidedLook,
    Watched,
    WholeBoard,
    WholeReading,
)
from vision.watching.whole_readings import read_with_evidence

MAX_MISSED_TURNS = 2
"""Turns that may have been played unseen, and are found by following: more are not understood by it.
Source: measured, tests/vision/test_first_sight.py: one and two stones more are announced as turns, three are not."""


def read_after_decision(state: Watched, look: Look, table: TableSetup, evidence: Evidence) -> StepResult[Watched]:
    """Return the state after a decision, with the whole board read where the decision leaves it unexplained.

    In the first rest that is not decided on the look is only kept. In the second one both are read. A board that is
    decided on may still hide stones that nobody has read.
    """
    phase, board = state.phase, state.whole_board
    if look.past_hands:
        return StepResult(state)
    if not isinstance(phase, Looking):
        board = WholeBoard(board.n_unexplained, overlooked_stones=board.overlooked_stones)
        return with_overlooked_stones(replace(state, whole_board=board), look, table)
    frame, rows = look.frame, evidence.log_likelihood
    this_look = UndecidedLook(frame, look.field, rows, phase.posterior, board.n_unexplained)
    if board.n_unexplained == 0:
        return StepResult(replace(state, whole_board=replace(board, pending_look=this_look)))
    before, rest_s = board.readings, state.rest_s(frame)
    if board.pending_look is not None:
        before = (read_with_evidence(board.pending_look, state),)
    elif not is_due(before, frame.time_s, rest_s, board.n_unexplained):
        return StepResult(state)
    reading = read_with_evidence(this_look, state)
    earlier_rest = tuple(one for one in before if one.n_unexplained < reading.n_unexplained)[-1:]
    board = replace(board, pending_look=None, readings=(*earlier_rest, reading), proposal=None)
    state = replace(state, whole_board=board)
    if reading.tops == state.belief.expected_tops or _is_explained(this_look, reading):
        return StepResult(state)
    movers = {mover for one in before for mover in _movers(state, one, reading, rest_s)}
    if not movers:
        return StepResult(state)
    return adopt(state, look, table, reading, movers.pop() if len(movers) == 1 else None)


def _is_explained(look: UndecidedLook, reading: WholeReading) -> bool:
    """Return whether the best explanation is lawful and shows what was read: the decision then waits or asks.

    After a second such rest it is the order of turns that is not known, and no more of it ever will be.
    """
    if look.posterior is None or look.n_unexplained > 1:
        return False
    return look.posterior.best.ruling is None and look.posterior.best.tops == reading.tops


def _movers(state: Watched, before: WholeReading, reading: WholeReading, rest_s: float) -> Iterator[int | None]:
    """Yield who may be next where two readings agree: they are alike, or one turn leads from one to the other.

    Two readings of one rest are no surer than one.
    """
    one_rest = before.n_unexplained == reading.n_unexplained
    wrong = (1 - reading.confidence) * (1.0 if one_rest else 1 - before.confidence)
    if wrong > QUESTION_COST:
        return
    if before.tops == reading.tops:
        if rest_s >= 2 * SETTLE_S:
            yield mover_of(state, reading)
    elif not one_rest:
        for start in possible_games(resume(state.game, before.tops, None)):
            for turn in legal_turns(start.position):
                if turn.tops == reading.tops:
                    next_player = (turn.player + 1) % start.variant.players
                    yield turn.after.to_move if turn.after.ended is None else next_player


# ---------------------------------------------------------------- agreeing, adopting


def is_due(before: tuple[WholeReading, ...], time_s: float, rest_s: float, n_unexplained: int = 0) -> bool:
    """Return whether another reading could tell more than the one before it: it costs more than a look."""
    same_rest = bool(before) and before[-1].n_unexplained == n_unexplained and np.isfinite(rest_s)
    return not same_rest or time_s - before[-1].time_s >= SETTLE_S


def are_alike(one: PointTops, other: PointTops) -> bool:
    """Return whether two tables show the same stones, whichever player has which colour."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other)) and all((a == 0) == (b == 0) for a, b in pairs)


def is_turn_seen(game: Game, tops: PointTops, now: PointTops, look: Look) -> bool:
    """Return whether a lawful turn was seen to lead from one table to another, whichever player has which colour."""
    differs = np.array([(one > 0) != (other > 0) for one, other in zip(tops, now, strict=True)])
    if not differs.any() or not (look.change.log_odds[differs] > 0).all():
        return False
    starts = possible_games(resume(game, tops, None)) if any(tops) else (game,)
    return any(are_alike(turn.tops, now) for start in starts for turn in legal_turns(start.position))


def mover_of(state: Watched, reading: WholeReading) -> int | None:
    """Return whose turn it is where the numbers of stones tell, and no point is in doubt."""
    return mover_by_counts(state.game.position, reading.tops) if all(reading.sure) else None


def adopt(
    state: Watched,
    look: Look,
    table: TableSetup,
    reading: WholeReading,
    to_move: int | None,
    *,
    reference: AcceptedLook | None = None,
    is_begun: bool = False,
) -> StepResult[Watched]:
    """Return the state with a board taken over as it was read, where the table says so; else people are shown it.

    ``reference`` is the look that was read, where it is another. One or two stones with which a game has begun, and
    that tell whose turn it is, need no word of people.
    """
    proposal = Proposal(reading.tops, to_move, reference or accept_whole(state, look), reading.sure)
    state = replace(state, whole_board=replace(state.whole_board, proposal=proposal))
    are_few = is_begun and to_move is not None and sum(map(bool, reading.tops)) <= MAX_MISSED_TURNS
    if not (table.takes_over or are_few):
        return StepResult(state)
    state = resume_from(state, reading.tops, to_move)
    return StepResult(state, (_resumed(state.game, to_move, look, is_begun=is_begun),))


def accept_whole(state: Watched, look: Look) -> AcceptedLook:
    """Return a look as the reference of the next ones, without its points where something hides any of them."""
    strips = None if look.rings is None else look.rings.strips
    return accept_look(look.frame, look.field, None if state.hidden.any() else look.patches, strips)


def with_sides_settled(state: Watched, look: Look, newest: Game) -> StepResult[Watched]:
    """Return the state with the players' stones changed over, where the turns of the ``newest`` game show that."""
    game = with_sides_changed(state.game, newest)
    if game is None:
        return StepResult(state)
    belief, stones = state.belief, state.appearance.stones
    bias = None if belief.bias is None else belief.bias[:, [0, *range(len(stones), 0, -1)]]
    after = replace(
        state,
        belief=replace(forget_rest(belief), game=game, bias=bias, last_evidence=AcceptedEvidence()),
        appearance=replace(state.appearance, stones=stones[::-1]),
    )
    return StepResult(after, (_resumed(game, game.position.to_move, look, is_begun=True),))


def _resumed(game: Game, to_move: int | None, look: Look, *, is_begun: bool) -> Resumed:
    """Return the event that a game was taken over as it lies."""
    points = zip(game.variant.board.points, game.position.tops, strict=True)
    stones = tuple((name, top - 1 if top else None) for name, top in points)
    return Resumed(stones, to_move, look.frame.time_s, look.frame.sequence, is_begun)
