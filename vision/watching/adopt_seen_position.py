"""The way out: a table that nothing explains is read as a whole, and taken over or shown as it is seen.

Following explains what changed since the last decision. Where it fails, one look at all points says what lies there,
whatever led to it. A reading counts when two agree: two of one rest, or of two rests that differ by a turn at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.events import Resumed
from referee.game import Game
from referee.resumption import mover_told, readings, resume
from referee.turns import legal_turns
from vision.decoding.turn_hypotheses import HypothesisKind
from vision.evidence.fusion import Evidence
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.watching.accepted_look import AcceptedLook, accept_look
from vision.watching.phases import Looking
from vision.watching.player_actions import resume_from
from vision.watching.state import SeenBoard, State, StepResult, Table, rest_of
from vision.watching.table_reading import TableReading, UndecidedLook, read_table
from vision.watching.table_tracking import SETTLE_S

WRONG_TAKEOVER_COST = 5.0
"""Cost of taking a wrong position over, in rests for which the game waits."""

MIN_REREADING_S = 0.5
"""Time between two readings of one rest that count as two, seconds: hands pause for less."""


def adopt_unexplained_position(
    state: State, frame: Frame, table: Table, patches: Patches, evidence: Evidence
) -> StepResult:
    """Return the state with the board as it is seen, where nothing explains it; taken over where the table says so.

    In the first rest that is not decided on the look is only kept. In the second one both are read. ``state`` is that
    after the decision; patches and evidence are of this look.
    """
    phase = state.phase
    if not isinstance(phase, Looking):
        return replace(state, proposed_position=None, whole_readings=(), pending_look=None), ()
    look = UndecidedLook(frame, state.field, evidence.log_likelihood, phase.posterior, state.n_unexplained)
    if state.n_unexplained == 0:
        return replace(state, pending_look=look), ()
    before, expected = state.whole_readings, state.belief.expected_tops
    if state.pending_look is not None:
        before = (read_table(state.pending_look, expected),)
    elif before and not _is_due(before[-1], look, table):
        return state, ()
    reading = read_table(look, expected)
    of_earlier_rest = tuple(one for one in before if one.n_unexplained < reading.n_unexplained)[-1:]
    state = replace(state, whole_readings=(*of_earlier_rest, reading), pending_look=None, proposed_position=None)
    if reading.tops == expected or _is_explained(look, reading):
        return state, ()
    rest_s = rest_of(state, frame, table)
    movers = {mover for one in before for mover in _movers(state.game, one, reading, rest_s)}
    if not movers:
        return state, ()
    to_move = movers.pop() if len(movers) == 1 else None
    seen = SeenBoard(reading.tops, to_move, this_look(state, frame, patches), reading.sure)
    return adopt_or_propose(state, seen, frame, table)


def _is_due(before: TableReading, look: UndecidedLook, table: Table) -> bool:
    """Return whether another reading could tell more: it costs more than a look."""
    same_rest = before.n_unexplained == look.n_unexplained and not table.photographs
    return not same_rest or look.frame.time_s - before.time_s >= MIN_REREADING_S


def _is_explained(look: UndecidedLook, reading: TableReading) -> bool:
    """Return whether the best explanation is lawful and shows what was read: the decision then waits or asks.

    After a second such rest it is the order of turns that is not known, and no more of it ever will be.
    """
    if look.posterior is None or look.n_unexplained > 1:
        return False
    best = look.posterior.best
    return best.kind is not HypothesisKind.UNEXPLAINED and best.tops == reading.tops


def _movers(game: Game, before: TableReading, reading: TableReading, rest_s: float) -> Iterator[int | None]:
    """Yield who may be next where two readings agree: they are alike, or one turn leads from one to the other.

    Two readings of one rest are no surer than one.
    """
    one_rest = before.n_unexplained == reading.n_unexplained
    wrong = (1 - reading.confidence) * (1.0 if one_rest else 1 - before.confidence)
    if wrong * WRONG_TAKEOVER_COST >= 1:
        return
    if before.tops == reading.tops and rest_s >= MIN_REREADING_S + SETTLE_S:
        yield mover_told(game.position, reading.tops) if all(reading.sure) else None
    elif before.tops != reading.tops and not one_rest:
        for start in readings(resume(game, before.tops, None)):
            for turn in legal_turns(start.position):
                if turn.tops == reading.tops:
                    ended = turn.after.ended is not None
                    yield (turn.player + 1) % start.variant.players if ended else turn.after.to_move


def this_look(state: State, frame: Frame, patches: Patches) -> AcceptedLook:
    """Return this look as the reference for the next ones, without its points where something hides any of them."""
    strips = None if state.looking.rings is None else state.looking.rings.strips
    return accept_look(frame, state.field, None if any(state.hidden) else patches, strips)


def adopt_or_propose(state: State, seen: SeenBoard, frame: Frame, table: Table) -> StepResult:
    """Return the state with a seen board taken over where the table says so; elsewhere people are shown it."""
    state = replace(state, proposed_position=seen)
    if not table.takes_over:
        return state, ()
    names = state.game.variant.board.points
    points = tuple((name, top - 1 if top else None) for name, top in zip(names, seen.tops, strict=True))
    return resume_from(state, seen.tops, seen.to_move), (Resumed(points, seen.to_move, frame.time_s, frame.sequence),)
