"""Follow a table: a frame in, out come motion, the place of the field, what hides it, and the rotation of its rings.

These stages take a ``State`` through its phases (``phases.py``) up to the moment at which the table can be read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.events import BoardLost
from vision.decoding.belief import forget_points, forget_rest, remember_undecided
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.median_frame import add_frame
from vision.imaging.patches import STONE_OFFSET_UNITS
from vision.rotation.angle_in_motion import update_angle_filter
from vision.tracking.follow import CLOTH_STRETCH, SURROUNDINGS_STRETCH, Anchor, follow
from vision.tracking.motion import (
    MOTION_INTERVAL_S,
    ROUNDING_S,
    MotionState,
    is_arm_in,
    is_moving_over,
    moving_points,
    reaching_in,
    update_motion,
    with_nothing_in_the_way,
)
from vision.tracking.occlusion import PATIENCE_S, check_occlusion
from vision.tracking.redetect import redetect
from vision.watching.field_search import FIELD_SEARCH_INTERVAL_S, board_event
from vision.watching.phases import Looking, Trigger, Understood, Waiting, next_phase
from vision.watching.state import SETTLE_S, USUAL_PAUSE_S, State, StepResult, Unseen, Watched


def comes_too_soon(state: Watched, frame: Frame) -> bool:
    """Return whether a frame comes so soon after the last look that it shows the same."""
    return 0 < frame.time_s - state.looked_s < MOTION_INTERVAL_S - ROUNDING_S


def track_motion(state: State, frame: Frame) -> State:
    """Return the state with the motion in a new frame. Motion over the field ends a rest, and with it its evidence.

    The frame is skipped where the next one comes early enough, unless a ring may be turning.
    """
    may_turn = (
        isinstance(state, Watched) and isinstance(state.phase, Waiting) and state.reference.ring_motion is not None
    )
    motion = update_motion(state.motion, frame, may_skip=not may_turn)
    if motion.last_frame_s != frame.time_s:
        return replace(state, motion=motion)
    seconds = frame.time_s - state.motion.last_frame_s
    moved = motion.last_motion_s == frame.time_s
    if isinstance(state, Unseen):
        disturbed_s = frame.time_s if moved else state.disturbed_s
        return replace(state, motion=motion, disturbed_s=disturbed_s, frames=add_frame(state.frames, frame))
    before, state = state, replace(state, motion=motion)
    if moved:
        state = _with_disturbance(_with_pause(state, before.motion, frame.time_s), frame.time_s)
    rest_s, ring_motion, phase = state.rest_s(frame), state.reference.ring_motion, state.phase
    if ring_motion is not None and rest_s < SETTLE_S:
        ring_motion = update_angle_filter(ring_motion, frame.bgr, seconds)
        state = replace(state, reference=replace(state.reference, ring_motion=ring_motion))
    if rest_s == 0.0:
        return _disturbed(state, frame)
    if isinstance(phase, Waiting) and rest_s >= SETTLE_S - 1e-6:
        return replace(state, phase=next_phase(phase, Trigger.AT_REST))
    if isinstance(phase, Understood):
        return replace(state, looked_s=frame.time_s)  # nothing has touched it: it is as it was
    return state


def _with_pause(state: Watched, motion: MotionState, time_s: float) -> Watched:
    """Return the state at the end of a rest: it was a pause where a hand reached in all the while."""
    pause_s = time_s - state.disturbed_s
    if not SETTLE_S <= pause_s <= PATIENCE_S[-1] or state.lost or reaching_in(motion, state.field) is None:
        return state
    return replace(state, hands=replace(state.hands, pause_s=max(state.hands.pause_s, pause_s)))


def _with_disturbance(state: Watched, time_s: float) -> Watched:
    """Return the state after something moved, over the field or elsewhere."""
    moves_within = state.motion.moves_within
    if state.lost or moves_within(SURROUNDINGS_STRETCH, state.field):
        return replace(state, hands=replace(state.hands, touched_s=time_s), disturbed_s=time_s)
    # Finger tips that rest longer than hands mostly pause are no part of an arm that moves beside the field.
    waits = isinstance(state.phase, Waiting) and time_s - state.hands.touched_s < USUAL_PAUSE_S
    return replace(state, disturbed_s=time_s) if waits and moves_within(CLOTH_STRETCH, state.field) else state


def _disturbed(state: Watched, frame: Frame) -> Watched:
    """Return the state while something moves over the field: it ends a rest, and hands that stay cover points."""
    hands, is_over = state.hands, not state.lost and is_moving_over(state.motion, state.field)
    if hands.since_s is None or isinstance(state.phase, Understood) or state.lost:
        state = replace(end_rest(state), hands=replace(hands, since_s=frame.time_s, changed_points=None))
    else:
        state = replace(state, phase=next_phase(state.phase, Trigger.MOVED))
        if hands.changed_points is not None:
            moved_over = moving_points(state.motion, state.field)
            hands = replace(hands, changed_points=hands.changed_points & ~moved_over)
            state = replace(state, belief=forget_points(state.belief, moved_over), hands=hands)
    return replace(state, belief=replace(state.belief, visited=is_over or state.belief.visited))


def end_rest(state: Watched) -> Watched:
    """Return the state after something has moved. Evidence of the rest is remembered where it was not decided on."""
    belief, phase = forget_rest(state.belief), state.phase
    rest, posterior = state.belief.rest, phase.posterior if isinstance(phase, Looking) else None
    is_unexplained = isinstance(phase, Looking) and rest.n_looks > 0
    if is_unexplained and posterior is not None and belief.dispute is None and belief.pending is None:
        # Moved shadows would give the same evidence again in the next rest, and it must not count twice.
        twice = state.reference.displaced and belief.position.variant.max_height == 1
        turns = {} if twice else posterior.turn_log_posteriors
        belief = remember_undecided(belief, rest, turns, posterior.unlawful_tables)
    whole_board = replace(state.whole_board, n_unexplained=state.whole_board.n_unexplained + is_unexplained)
    return replace(state, belief=belief, phase=next_phase(phase, Trigger.MOVED), whole_board=whole_board)


def begin_photograph(state: State, frame: Frame, *, again: bool = False) -> State:
    """Return the state with the table at rest in a photograph, taken from anywhere; or in the same one ``again``.

    A photograph is a look at a table that hands have visited, in a rest without end; no motion and no turning ring was
    seen.
    """
    motion = MotionState(last_motion_s=frame.time_s)
    if isinstance(state, Unseen):
        return replace(state, motion=motion)
    is_next, reference = state.lost is None, replace(state.reference, ring_motion=None)
    state = end_rest(replace(state, motion=motion, reference=reference))
    belief = replace(state.belief, visited=is_next and not again, photographed=is_next)
    return replace(state, belief=belief, phase=next_phase(state.phase, Trigger.AT_REST))


def track_field(state: Watched, frame: Frame) -> StepResult[Watched]:
    """Return the state with where the field of a table at rest is, and what hides it; and whether it came or went.

    A look that could not be used is taken again, with more patience.
    """
    phase, reference, rest_s = state.phase, state.reference, state.hand_rest_s(frame)
    if not isinstance(phase, Looking) or comes_too_soon(state, frame):
        return StepResult(state)
    anchor, before = reference.anchor, phase.occlusion
    may_search = rest_s >= PATIENCE_S[1] and frame.time_s - state.searched_s >= FIELD_SEARCH_INTERVAL_S
    if before is not None:
        is_lost = isinstance(before.field, NotRegistered)
        if not (may_search if is_lost else before.blocked and rest_s >= before.until_s):
            return StepResult(state)
    position = follow(anchor, frame)
    # After two rests without an explanation the field may have been followed wrongly.
    is_doubted = state.whole_board.n_unexplained > 1 and before is None
    if is_doubted or (may_search and isinstance(position, NotRegistered)):
        position = redetect(anchor, frame, position)
        state = replace(state, searched_s=frame.time_s)
    occlusion = check_occlusion(anchor.field, state.motion, position, frame, rest_s, reference.standing)
    if not occlusion.blocked and is_arm_in(state.motion, anchor.field, position):
        waits = rest_s < PATIENCE_S[-1]
        occlusion = replace(occlusion, blocked=waits, arm_stays=not waits)
    is_in_sight, lies_at = state.lost is None, occlusion.field
    state = replace(state, looked_s=frame.time_s, phase=replace(phase, occlusion=occlusion))
    if isinstance(lies_at, NotRegistered):
        if not is_in_sight or rest_s < PATIENCE_S[-1]:
            return StepResult(state)
        board_lost = BoardLost(lies_at.reason, frame.time_s, frame.sequence)
        return StepResult(replace(state, lost=lies_at), (board_lost,))
    if not occlusion.blocked and state.hands.since_s is not None:
        state = replace(state, belief=forget_rest(state.belief), hands=state.hands.after_visit(state.disturbed_s))
    if occlusion.blocked or (is_in_sight and not occlusion.moved):
        return StepResult(state)
    # From now on the field is followed from this frame, whatever is decided. Hands that have pushed the board farther
    # than a stone may lie off its point came for that; between two photographs they have done more.
    push_px = np.linalg.norm(lies_at.points_px - anchor.field.points_px, axis=1)
    is_pushed = (push_px > STONE_OFFSET_UNITS * lies_at.spacing_px).any()
    is_visit = state.belief.photographed or (state.belief.visited and not is_pushed)
    state = replace(
        state,
        belief=replace(state.belief, visited=is_visit),
        lost=None,
        reference=replace(reference, anchor=Anchor(frame.bgr, lies_at), ring_motion=None, displaced=True),
        motion=with_nothing_in_the_way(state.motion),
    )
    return StepResult(state, (board_event(lies_at, frame),))
