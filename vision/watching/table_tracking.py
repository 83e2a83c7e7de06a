"""Follow a table from frame to frame: motion, the place of the field, occlusion, and the rotation of its rings.

``track`` takes a ``State`` through its phases (``phases.py``) up to the moment at which the table can be read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.events import BoardLost, Event
from vision.decoding.belief import forget_points, forget_rest, remember_undecided
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.rotation.angle_in_motion import update_angle_filter
from vision.tracking.follow import anchor_at, follow
from vision.tracking.motion import (
    ARM_STRETCH,
    REACH_STRETCH,
    is_moving_over,
    moving_points,
    next_comes_in_time,
    update_motion,
    with_unoccluded_view,
)
from vision.tracking.occlusion import OcclusionCheck, check_occlusion, patience_stage
from vision.tracking.redetect import recheck, redetect
from vision.watching.compare import compare_rings
from vision.watching.field_search import FIELD_SEARCH_INTERVAL_S, board_event, search
from vision.watching.past_hands import hands_stay, look_past_hands
from vision.watching.phases import Looking, Lost, Searching, Trigger, Understood, Waiting, next_phase
from vision.watching.state import State, StepResult, Table, rest_of

SETTLE_S = 0.4
"""Rest of the field before it is looked at, seconds: hands pause for a moment after an action."""

ARM_S = 0.6
"""Time, in seconds, for which the finger tips of an arm that moves may rest: what moves beside the field for longer is
somebody else."""

LOOK_INTERVAL_S = 0.09
"""Time between two looks at a table at rest, seconds; looks closer together show the same twice."""

HALF_TURNED_WAIT_S = 3.0
"""Rest, in seconds, after which a ring that stands between two steps is taken to the nearer one."""

MAX_UNEXPLAINED_RESTS = 2
"""Rests in a row without an explanation, after which the field is searched for anew because it may have been followed
wrongly. If it lies where it was thought to lie, and the next rest is not explained either, the table is taken as it is
seen."""

LOST_AFTER_S = 3.0
"""Rest, in seconds, for which the field may be out of sight before it is reported as lost."""


def track(state: State, frame: Frame, table: Table) -> tuple[State, tuple[Event, ...], bool]:
    """Return the state with motion, field and occlusion tracked into a new frame, and whether the field came or went.

    The last value says whether the table can be read in this frame: at rest, field in sight, nothing to wait for.
    """
    state = track_motion(state, frame, table)
    rest_s = rest_of(state, frame, table)
    if isinstance(state.phase, Searching):
        return *search(state, state.phase, frame, table), False
    phase, stay = state.phase, hands_stay(state, frame.time_s)
    if not isinstance(phase, Looking | Lost) or frame.time_s - state.looked_s < LOOK_INTERVAL_S:
        return state, (), False
    events: tuple[Event, ...] = ()
    if rest_s >= SETTLE_S - 1e-6:
        state, events = track_field(state, phase, frame, rest_s, is_photograph=table.photographs)
    occlusion = state.occlusion
    if stay and isinstance(state.phase, Looking) and (occlusion is None or (occlusion.blocked and not occlusion.moved)):
        state, is_readable = look_past_hands(state, state.phase, frame)
        return state, events, is_readable
    if not isinstance(state.phase, Looking) or occlusion is None or occlusion.blocked or not is_registered(state):
        return state, events, False
    state = compare_rings(state, frame)
    rings = state.looking.rings
    if rings is not None and rings.half_turned and rest_s < HALF_TURNED_WAIT_S:
        return replace(state, looked_s=frame.time_s), events, False
    return state, events, True


def is_registered(state: State) -> bool:
    """Return whether the place of the field is known."""
    return isinstance(state.registration, Registration)


def track_motion(state: State, frame: Frame, table: Table) -> State:
    """Return the state with the motion in a new frame. Motion over the field ends a rest, and with it its evidence."""
    seconds, motion = frame.time_s - state.motion.last_frame_s, update_motion(state.motion, frame)
    if table.photographs:  # anything may have moved between two of them
        motion = replace(motion, moved_cells=np.ones((1, 1), np.bool_))
    state = replace(state, motion=motion)
    if motion.last_motion_s == frame.time_s:
        state = _with_disturbance(state, frame.time_s)
    rest_s = rest_of(state, frame, table)
    state = _track_rings_in_motion(state, frame, table, seconds, rest_s)
    if table.photographs or rest_s == 0.0:
        state = _end_rest(state, frame, table)
    if isinstance(state.phase, Looking) and state.phase.past_hands:
        state = replace(state, phase=next_phase(state.phase, Trigger.MOVED))
    if isinstance(state.phase, Waiting) and rest_s >= SETTLE_S - 1e-6:
        state = replace(state, phase=next_phase(state.phase, Trigger.AT_REST))
    elif isinstance(state.phase, Waiting) and hands_stay(state, frame.time_s):
        state = replace(state, phase=next_phase(state.phase, Trigger.HANDS_STAY))
    if isinstance(state.phase, Understood):
        state = replace(state, looked_s=frame.time_s)  # nothing has touched it: it is as it was
    return state


def _with_disturbance(state: State, time_s: float) -> State:
    """Return the state after something moved, over the field or elsewhere."""
    moves_within, registration = state.motion.moves_within, state.registration
    if not isinstance(registration, Registration) or moves_within(REACH_STRETCH, registration.field):
        return replace(state, touched_s=time_s, disturbed_s=time_s)
    waits = isinstance(state.phase, Waiting) and time_s - state.touched_s < ARM_S
    return replace(state, disturbed_s=time_s) if waits and moves_within(ARM_STRETCH, registration.field) else state


def is_skipped(state: State, frame: Frame, table: Table) -> bool:
    """Return whether a frame need not be looked at: the next one comes early enough, and no ring is turning."""
    reference = state.reference
    may_turn = reference is not None and reference.ring_motion is not None and isinstance(state.phase, Waiting)
    return next_comes_in_time(state.motion, frame.time_s) and not (may_turn or table.photographs)


def skip_frame(state: State, frame: Frame) -> State:
    """Return the state after a frame that was not looked at."""
    return replace(state, motion=replace(state.motion, newest_s=frame.time_s))


def _track_rings_in_motion(state: State, frame: Frame, table: Table, seconds: float, rest_s: float) -> State:
    reference = state.reference
    if reference is None or reference.ring_motion is None:
        return state
    if table.photographs:
        ring_motion = None  # the rotation itself was not seen
    elif rest_s < SETTLE_S:
        ring_motion = update_angle_filter(reference.ring_motion, frame.bgr, seconds)
    else:
        return state
    return replace(state, reference=replace(reference, ring_motion=ring_motion))


def _end_rest(state: State, frame: Frame, table: Table) -> State:
    """Return the state after something has moved. Evidence of the rest is remembered where it was not decided on.

    Once the rest has ended, what moves takes the evidence of the points that it moves over.
    """
    belief, phase, registration = state.belief, state.phase, state.registration
    if isinstance(registration, Registration):
        visited = belief.visited or table.photographs or is_moving_over(state.motion, registration.field)
        belief = replace(belief, visited=visited, photographed=table.photographs)
    if state.hands_since_s is not None and isinstance(phase, Waiting | Looking) and not table.photographs:
        changed = state.changed_past_hands
        if np.any(changed):
            moved_over = moving_points(state.motion, state.field)
            belief, changed = forget_points(belief, moved_over), changed & ~moved_over
        phase = phase if isinstance(phase, Waiting) else next_phase(phase, Trigger.MOVED)
        return replace(state, belief=belief, phase=phase, changed_past_hands=changed)
    belief = forget_rest(belief)
    rest, posterior = state.belief.rest, phase.posterior if isinstance(phase, Looking) else None
    unexplained = isinstance(phase, Looking) and rest.n_looks > 0
    if unexplained and posterior is not None and belief.disputed_tops is None and belief.pending is None:
        # Moved shadows would give the same evidence again in the next rest, and it must not count twice.
        twice = state.displaced and belief.position.variant.max_height == 1
        belief = remember_undecided(belief, rest, {} if twice else posterior.turn_log_posteriors)
    n_unexplained = state.n_unexplained + unexplained
    phase, hands_since_s = next_phase(phase, Trigger.MOVED), None if table.photographs else frame.time_s
    state = replace(state, belief=belief, phase=phase, n_unexplained=n_unexplained)
    return replace(state, hands_since_s=hands_since_s, changed_past_hands=False)


def track_field(
    state: State, phase: Looking | Lost, frame: Frame, rest_s: float, *, is_photograph: bool = False
) -> StepResult:
    """Return the state with a look at a table at rest: where the field is, and what hides it.

    A look that could not be used is taken again, with more patience.
    """
    reference, stage = state.reference, patience_stage(rest_s)
    if reference is None:  # the field has never been seen
        return state, ()
    anchor, since_search_s = reference.anchor, frame.time_s - state.searched_s
    if phase.occlusion is not None and not _needs_new_look(phase.occlusion, stage, since_search_s):
        return state, ()
    followed = follow(anchor, frame)
    if isinstance(followed, NotRegistered) and stage > 0 and since_search_s >= FIELD_SEARCH_INTERVAL_S:
        followed = redetect(anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    elif state.n_unexplained >= MAX_UNEXPLAINED_RESTS and phase.occlusion is None:
        followed = recheck(followed, anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    occlusion = check_occlusion(anchor.field, state.motion, followed, frame, stage, is_photograph=is_photograph)
    state = replace(state, looked_s=frame.time_s)
    if isinstance(occlusion.field, NotRegistered):
        return _field_out_of_sight(state, phase, occlusion, occlusion.field, frame, rest_s)
    state = replace(state, phase=next_phase(phase, Trigger.FOUND, occlusion=occlusion))
    if not occlusion.blocked and state.hands_since_s is not None:
        state = replace(state, belief=forget_rest(state.belief), hands_since_s=None)
    if occlusion.blocked or not (occlusion.moved or not is_registered(state)):
        return state, ()
    # From now on the field is followed from this frame, whatever is decided. The hands that came have pushed the board;
    # between two photographs they have done more than that.
    state = replace(
        state,
        belief=replace(state.belief, visited=is_photograph),
        registration=Registration(occlusion.field, 1.0),
        reference=replace(reference, anchor=anchor_at(frame, occlusion.field), ring_motion=None),
        motion=with_unoccluded_view(state.motion, occlusion.downscaled),
        displaced=True,
    )
    return state, (board_event(occlusion.field, frame),)


def _field_out_of_sight(
    state: State, phase: Looking | Lost, occlusion: OcclusionCheck, missing: NotRegistered, frame: Frame, rest_s: float
) -> StepResult:
    was_in_sight = is_registered(state)
    if was_in_sight and rest_s < LOST_AFTER_S:
        return replace(state, phase=replace(phase, occlusion=occlusion)), ()
    state = replace(state, phase=next_phase(phase, Trigger.GONE, occlusion=occlusion))
    if not was_in_sight:
        return state, ()
    return replace(state, registration=missing), (BoardLost(missing.reason, frame.time_s, frame.sequence),)


def _needs_new_look(occlusion: OcclusionCheck, stage: int, since_search_s: float) -> bool:
    """Return whether a look that could not be used should be taken again."""
    if isinstance(occlusion.field, NotRegistered):
        return since_search_s >= FIELD_SEARCH_INTERVAL_S and stage > 0
    return occlusion.blocked and occlusion.stage != stage
