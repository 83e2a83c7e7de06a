"""Actions of people at the table: they place the field, change the game, or correct its stones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from referee.game import Game
from referee.moves import Rotate
from referee.resumption import resume
from vision.decoding.belief import Belief, Dispute, RingSteps, initial_belief
from vision.decoding.decision import TURNS_TO_TRUST
from vision.detection.detect import field_from_corners
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import register_through_lens
from vision.stones.appearance import learn_points
from vision.watching.field_search import take_field
from vision.watching.phases import Trigger, Waiting, next_phase
from vision.watching.state import AnyState, State, StepResult, TableSetup, Unseen, WholeBoard


def place_field(state: State, frame: Frame, table: TableSetup, corners_px: NDArray[np.float64]) -> StepResult[State]:
    """Place the field by the corners of the outermost square that a person has pointed at in a frame.

    They are (4, 2), image space, clockwise from the one that is to be a7 (a3, n ...). Where no field fits them, nothing
    changes and there is no event.
    """
    lens = table.lens if table.lens is not None and table.lens.size_px == frame.size_px else None
    corners = corners_px if lens is None else lens.undistorted_points(corners_px)
    fit = partial(field_from_corners, board=table.boards[0], corners_px=corners)
    registration = register_through_lens(lens, frame.bgr, fit)
    return take_field(state, frame, registration) if isinstance(registration, Registration) else StepResult(state)


def change_game(state: AnyState, game: Game, *, recheck: bool = False) -> AnyState:
    """Return the state with a game that people have changed. They are expected to change the table accordingly.

    Until they do, the table shows what it showed before. The last accepted look shows that too, so what they put back
    is no new turn, and neither is what they leave lying. With ``recheck`` a table at rest is looked at again: it shows
    the new game already. Otherwise it is left alone until something moves.
    """
    after = _with_game(state, game, Trigger.RECHECK if recheck else Trigger.LEAVE)
    before, steps = state.belief, _ring_steps_to_undo(state.belief, game)
    is_shown = before.expected_tops == game.position.tops and not any(steps)
    if recheck or is_shown or game.outcome is not None:
        return after
    dispute = Dispute(before.expected_tops, steps, is_foul=False)
    return replace(after, belief=replace(after.belief, dispute=dispute, bias=before.bias))


def _with_game(state: AnyState, game: Game, trigger: Trigger) -> AnyState:
    """Return the state with another game and without any evidence."""
    if isinstance(state, Unseen):
        return replace(state, belief=initial_belief(game))
    data = {} if isinstance(state.phase, Waiting) else {"occlusion": None}
    return replace(state, belief=initial_belief(game), phase=next_phase(state.phase, trigger, **data))


def _ring_steps_to_undo(before: Belief, game: Game) -> RingSteps:
    """Return the steps by which each ring stands further clockwise than in a game that takes the place of another."""
    steps = list(before.dispute.ring_steps) if before.dispute is not None else []
    steps = steps or [0] * len(game.variant.board.rings)
    n = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before.game.turns, game.turns, strict=False)))
    pending_moves = before.pending.moves if before.pending is not None else ()
    moves_back = [move for turn in before.game.turns[n:] for move in turn.moves] + list(pending_moves)
    for sign, moves in ((1, moves_back), (-1, [move for turn in game.turns[n:] for move in turn.moves])):
        for move in moves:
            if isinstance(move, Rotate):
                steps[move.ring] += sign * move.steps
    return tuple(steps)


def correct_game(state: AnyState, game: Game) -> AnyState:
    """Return the state with a game whose stones people have corrected, and with the look of these points learnt.

    The misread points are learnt from the reference. Otherwise the next look would be misread in the same way.
    """
    tops, last_tops = np.array(game.position.tops), np.array(state.belief.expected_tops)
    state = _with_game(state, game, Trigger.LEAVE)
    state = replace(state, belief=replace(state.belief, n_fixed_turns=len(game.turns)))
    if isinstance(state, Unseen) or state.reference.patches is None:
        return state
    patches, wrong = state.reference.patches, tops != last_tops
    counts = np.where(wrong & (tops == 0), 0.0, state.appearance.bare_counts)
    return replace(state, appearance=learn_points(replace(state.appearance, bare_counts=counts), patches, tops, wrong))


def resume_from(state: AnyState, tops: Sequence[int], to_move: int | None) -> AnyState:
    """Return the state with the position taken over as it is seen; what led to it is not known, and the record says so.

    The look in which it was seen becomes the reference, and teaches the points and stones anew. Tops and ``to_move``
    are as in ``Proposal``; where it is open whose turn it is, the next turn decides.
    """
    turns_to_trust, before_tops = state.belief.turns_to_trust, state.belief.expected_tops
    if state.game.turns:  # stones that lie when a game is first seen are no sign that the table is misread
        turns_to_trust += TURNS_TO_TRUST
    after = change_game(state, resume(state.game, tops, to_move), recheck=True)
    belief = replace(after.belief, turns_to_trust=turns_to_trust)
    after = replace(after, belief=belief, after_break=None)
    if isinstance(after, Unseen):
        return after
    proposal = after.proposed_position
    after = replace(after, whole_board=WholeBoard())
    if proposal is None or proposal.look is None or proposal.tops != tuple(tops):
        return after
    if proposal.look.patches is None:
        return replace(after, reference=replace(after.reference, patches=None))
    stones, sure = np.array(tops), np.array(proposal.sure)
    in_doubt = ~sure | (stones != np.array(before_tops))
    appearance = replace(after.appearance, bare_counts=np.where(in_doubt, 0.0, after.appearance.bare_counts))
    reference = replace(proposal.look, standing=after.reference.standing)
    return replace(after, reference=reference, appearance=learn_points(appearance, proposal.look.patches, stones, sure))
