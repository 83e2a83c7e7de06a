"""The way out: a table that nothing explains is read as a whole, and taken over or shown as it is seen.

A reading counts when two agree: two of one rest, or of two rests that differ by a turn at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.resumption import possible_games, resume
from referee.turns import legal_turns
from vision.decoding.turn_hypotheses import HypothesisKind
from vision.evidence.fusion import Evidence
from vision.watching.looks import Look
from vision.watching.phases import Looking
from vision.watching.state import StepResult, Table, UndecidedLook, Watched, WholeReading
from vision.watching.table_tracking import SETTLE_S
from vision.watching.whole_board import (
    adopt,
    are_alike,
    is_due,
    mover_of,
    read_with_evidence,
)

WRONG_TAKEOVER_COST = 5.0
"""Cost of taking a wrong position over, in rests for which the game waits."""


def adopt_unexplained_position(state: Watched, look: Look, table: Table, evidence: Evidence) -> StepResult[Watched]:
    """Return the state with the board as it is seen, where nothing explains it; taken over where the table says so.

    In the first rest that is not decided on the look is only kept. In the second one both are read. ``state`` is that
    after the decision.
    """
    phase = state.phase
    if look.past_hands:
        return StepResult(state)
    if not isinstance(phase, Looking):
        return StepResult(replace(state, proposed_position=None, whole_readings=(), pending_look=None))
    frame, rows = look.frame, evidence.log_likelihood
    undecided = UndecidedLook(frame, look.field, rows, phase.posterior, state.n_unexplained)
    if state.n_unexplained == 0:
        return StepResult(replace(state, pending_look=undecided))
    before, expected, rest_s = state.whole_readings, state.belief.expected_tops, state.rest_s(frame)
    if state.pending_look is not None:
        before = (read_with_evidence(state.pending_look, expected),)
    elif before and not is_due(before[-1], frame.time_s, rest_s, state.n_unexplained):
        return StepResult(state)
    reading = read_with_evidence(undecided, expected)
    of_earlier_rest = tuple(one for one in before if one.n_unexplained < reading.n_unexplained)[-1:]
    state = replace(state, whole_readings=(*of_earlier_rest, reading), pending_look=None, proposed_position=None)
    if reading.tops == expected or _is_explained(undecided, reading):
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
    best = look.posterior.best
    return best.kind is not HypothesisKind.UNEXPLAINED and best.tops == reading.tops


def _movers(state: Watched, before: WholeReading, reading: WholeReading, rest_s: float) -> Iterator[int | None]:
    """Yield who may be next where two readings agree: they are alike, or one turn leads from one to the other.

    Two readings of one rest are no surer than one.
    """
    one_rest = before.n_unexplained == reading.n_unexplained
    wrong = (1 - reading.confidence) * (1.0 if one_rest else 1 - before.confidence)
    if wrong * WRONG_TAKEOVER_COST >= 1:
        return
    if are_alike(before, reading):
        if rest_s >= 2 * SETTLE_S:
            yield mover_of(state, reading)
    elif not one_rest:
        for start in possible_games(resume(state.game, before.tops, None)):
            for turn in legal_turns(start.position):
                if turn.tops == reading.tops:
                    ended = turn.after.ended is not None
                    yield (turn.player + 1) % start.variant.players if ended else turn.after.to_move
