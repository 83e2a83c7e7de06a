"""Follow a table from frame to frame: what moves, where the field is, what hides it, and how its rings have turned.

``track`` takes a ``State`` through its phases (``vision.phases``) up to the moment at which the table can be read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from referee.events import BoardFound, BoardLost, Event
from vision.compare import compare_rings
from vision.decoding.belief import forget_rest, initial_belief, remember_undecided
from vision.detection.detect import locate
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import register_through_lens
from vision.imaging.median_frame import add_frame, merge_frames
from vision.imaging.patches import cut_patches
from vision.networks.patch_networks import predict_stones
from vision.phases import Cue, Looking, Lost, Moving, Searching, Settling, advance
from vision.rotation.angle_at_rest import unroll_discs
from vision.rotation.angle_in_motion import start_angle_filter, update_angle_filter
from vision.state import Reference, State, Step, Table, on_board
from vision.stones.appearance import learn_bare, learn_stones, unknown_appearance
from vision.tracking.follow import anchor_at, follow
from vision.tracking.motion import downscale, is_moving_over, update_motion, with_unoccluded_view
from vision.tracking.occlusion import OcclusionCheck, check_occlusion, patience_stage
from vision.tracking.redetect import recheck, redetect

SETTLE_S = 0.4
"""Rest before the table is looked at, seconds: hands pause for a moment over what they have done. Source: chosen."""

LOOK_INTERVAL_S = 0.09
"""Time between two looks at a table at rest, seconds; looks closer merge_frames say the same twice. Source: chosen."""

HALF_TURNED_WAIT_S = 3.0
"""Rest, in seconds, after which a ring that stands between two steps is taken to the nearer one. Source: chosen."""

STONE_LOG_ODDS = 1.0
"""Log odds from which a point of a field that was found late counts as a stone and is not learnt as a bare point.
Source: chosen."""

SEARCH_AFTER_S = 0.15
"""Rest before the field is searched for, seconds: a moving image is blurred. Source: chosen."""

SEARCH_INTERVAL_S = 1.0
"""Time between two searches for a field that was not found, seconds. Source: chosen."""

SEARCH_INTERVAL_GROWTH = 0.25
"""Growth of that interval per second of the source. A search in an image without a board takes seconds and is worth
less each time. Source: chosen."""

MAX_SEARCH_INTERVAL_S = 5.0
"""Upper bound of that interval, seconds. Source: chosen."""

MAX_UNEXPLAINED_RESTS = 2
"""Rests in a row without an explanation, after which the field is searched for anew because it may have been followed
wrongly. If it lies where it was thought to lie, and the next rest is not explained either, the table is taken as it is
seen. Source: chosen."""

LOST_AFTER_S = 3.0
"""Rest, in seconds, for which the field may be out of sight before it is reported as lost. Source: chosen."""


def rest_of(state: State, frame: Frame, table: Table) -> float:
    """Return for how long nothing has moved, seconds; infinite in a series of photographs."""
    return float("inf") if table.photographs else state.motion.quiet_s(frame.time_s)


def track(state: State, frame: Frame, table: Table) -> tuple[State, tuple[Event, ...], bool]:
    """Take in where everything is in a new frame.

    Returns
    -------
    State
    tuple of Event
        That the field was found or lost.
    bool
        Whether the table can be read in this frame: at rest, field in sight, nothing to wait for.
    """
    state = track_motion(state, frame, table)
    rest_s = rest_of(state, frame, table)
    if isinstance(state.phase, Searching):
        return *search(state, state.phase, frame, table), False
    if not isinstance(state.phase, Looking | Lost) or frame.time_s - state.looked_s < LOOK_INTERVAL_S:
        return state, (), False
    state, events = track_field(state, state.phase, frame, rest_s)
    look = state.look
    if not isinstance(state.phase, Looking) or look is None or look.blocked or not is_registered(state):
        return state, events, False
    state = compare_rings(state, frame)
    rings = state.phase.rings if isinstance(state.phase, Looking) else None
    if rings is not None and rings.half_turned and rest_s < HALF_TURNED_WAIT_S:
        return replace(state, looked_s=frame.time_s), events, False
    return state, events, True


def is_registered(state: State) -> bool:
    """Whether it is known where the field is."""
    return isinstance(state.registration, Registration)


def track_motion(state: State, frame: Frame, table: Table) -> State:
    """Return the state after a new frame has shown what moves; what was seen in a rest ends with the rest."""
    before_s, motion = state.motion.last_frame_s, update_motion(state.motion, frame)
    state = _track_rings_in_motion(state, frame, table, frame.time_s - before_s, motion.quiet_s(frame.time_s))
    if table.photographs:
        everywhere = np.ones((1, 1), np.bool_)  # anything may have happened between two of them
        motion = replace(motion, moved_cells=everywhere)
    state = replace(state, motion=motion)
    if table.photographs or motion.last_motion_s == frame.time_s:
        state = _end_rest(state, table)
    if isinstance(state.phase, Moving) and (table.photographs or motion.last_motion_s != frame.time_s):
        state = replace(state, phase=advance(state.phase, Cue.QUIET))
    if isinstance(state.phase, Settling) and rest_of(state, frame, table) >= SETTLE_S - 1e-6:
        state = replace(state, phase=advance(state.phase, Cue.AT_REST))
    return state


def _track_rings_in_motion(state: State, frame: Frame, table: Table, seconds: float, rest_s: float) -> State:
    reference = state.reference
    if reference is None or reference.ring_motion is None:
        return state
    if table.photographs:
        ring_motion = None  # nobody has seen how they were turned
    elif rest_s < SETTLE_S:
        ring_motion = update_angle_filter(reference.ring_motion, frame.bgr, seconds)
    else:
        return state
    return replace(state, reference=replace(reference, ring_motion=ring_motion))


def _end_rest(state: State, table: Table) -> State:
    """The state after something has moved; what the rest has shown is remembered where it was not decided on."""
    belief, phase = forget_rest(state.belief), state.phase
    registration, then = state.registration, state.belief
    if isinstance(registration, Registration):
        visited = table.photographs or is_moving_over(state.motion, registration.field)
        belief = replace(belief, visited=belief.visited or visited)
    unexplained = isinstance(phase, Looking) and then.rest.n_looks > 0
    if unexplained and belief.disputed_tops is None and belief.pending is None:
        assert isinstance(phase, Looking) and phase.posterior is not None
        # Shadows that lie elsewhere now say again what they said then. It must not count twice.
        twice = state.displaced and belief.position.variant.max_height == 1
        belief = remember_undecided(belief, then.rest, {} if twice else phase.posterior.turn_log_posteriors)
    n_unexplained = state.n_unexplained + unexplained
    return replace(state, belief=belief, phase=advance(phase, Cue.MOVED), n_unexplained=n_unexplained)


def search(state: State, phase: Searching, frame: Frame, table: Table) -> Step:
    """Search for a field that has not been seen yet.

    Searches use in turn the newest frame and the median of the last ones, in which hands and noise are gone.
    """
    if not table.photographs:
        phase = replace(phase, frames=add_frame(phase.frames, frame))
        state = replace(state, phase=phase)
    interval_s = SEARCH_INTERVAL_S + SEARCH_INTERVAL_GROWTH * max(0.0, state.searched_s)
    waited_s = frame.time_s - state.searched_s
    if rest_of(state, frame, table) < SEARCH_AFTER_S or waited_s < min(interval_s, MAX_SEARCH_INTERVAL_S):
        return state, ()
    median = merge_frames(phase.frames) if phase.n_searches % 2 else None
    phase = replace(phase, n_searches=phase.n_searches + 1)
    state = replace(state, searched_s=frame.time_s, phase=phase)
    bgr = frame.bgr if median is None else median
    registration = register_through_lens(table.lens, bgr, partial(locate, boards=table.boards))
    if isinstance(registration, Registration):
        return take_field(state, frame, registration)
    state = replace(state, registration=registration, phase=replace(phase, announced=True))
    lost = BoardLost(registration.reason, frame.time_s, frame.sequence)
    return state, () if phase.announced else (lost,)


def take_field(state: State, frame: Frame, registration: Registration) -> Step:
    """Take up a field that was found or is known from before; the first one also teaches what its points look like."""
    field, late = registration.field, isinstance(state.phase, Searching) and state.phase.announced
    if state.reference is None:
        state = _learn_first_look(state, frame, field)
    strips = unroll_discs(frame.bgr, field) if field.board.rings else None
    reference = Reference(
        anchor_at(frame, field),
        # A field that was not found at first may have been played on since: nothing is known to be as before.
        None if late else cut_patches(frame.bgr, field),
        strips,
        None if strips is None else start_angle_filter(frame.bgr, field, strips.discs),
    )
    data = {"look": None} if isinstance(state.phase, Looking) else {}
    state = replace(
        state,
        registration=registration,
        motion=with_unoccluded_view(state.motion, downscale(frame.bgr)),
        reference=reference,
        phase=advance(state.phase, Cue.FOUND, **data),
    )
    return state, (_board_event(field, frame),)


def _learn_first_look(state: State, frame: Frame, field: Field) -> State:
    game = on_board(state.game, field.board)
    if game is not state.game:
        appearance = unknown_appearance(len(field.board.points), game.variant.players)
        state = replace(state, belief=initial_belief(game), appearance=appearance)
    tops = np.array(state.belief.expected_tops)
    patches = cut_patches(frame.bgr, field)
    bare = tops == 0
    if np.isfinite(state.motion.last_motion_s):  # people have not waited: what looks like a stone may be one
        bare &= predict_stones(patches.log_colour).log_odds < STONE_LOG_ODDS
    appearance = learn_bare(state.appearance, patches, bare)
    if tops.any():
        appearance = learn_stones(appearance, patches, tops)
    return replace(state, appearance=appearance)


def _board_event(field: Field, frame: Frame) -> BoardFound:
    places = zip(field.board.points, field.points_px, strict=True)
    points = tuple((name, float(x), float(y)) for name, (x, y) in places)
    return BoardFound(field.board.name, points, frame.time_s, frame.sequence)


def track_field(state: State, phase: Looking | Lost, frame: Frame, rest_s: float) -> Step:
    """Take a look at a table at rest, or a more patient one: where the field is, and what hides it."""
    reference = state.reference
    assert reference is not None
    anchor, stage = reference.anchor, patience_stage(rest_s)
    if phase.look is not None and not _needs_new_look(phase.look, stage, frame.time_s - state.searched_s):
        return state, ()
    followed = follow(anchor, frame)
    if isinstance(followed, NotRegistered) and stage > 0 and frame.time_s - state.searched_s >= SEARCH_INTERVAL_S:
        followed = redetect(anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    elif state.n_unexplained >= MAX_UNEXPLAINED_RESTS and phase.look is None:
        followed = recheck(followed, anchor, frame)
        state = replace(state, searched_s=frame.time_s)
    look = check_occlusion(anchor.field, state.motion, followed, frame, stage)
    state = replace(state, looked_s=frame.time_s)
    if isinstance(look.field, NotRegistered):
        return _field_out_of_sight(state, phase, look, look.field, frame, rest_s)
    state = replace(state, phase=advance(phase, Cue.FOUND, look=look))
    if look.blocked or not (look.moved or not is_registered(state)):
        return state, ()
    # From now on it is followed from here, whatever the stones turn out to say. Hands that came have pushed it.
    reference = replace(reference, anchor=anchor_at(frame, look.field), ring_motion=None)
    state = replace(
        state,
        belief=replace(state.belief, visited=False),
        registration=Registration(look.field, 1.0),
        reference=reference,
        motion=with_unoccluded_view(state.motion, look.downscaled),
        displaced=True,
    )
    return state, (_board_event(look.field, frame),)


def _field_out_of_sight(
    state: State, phase: Looking | Lost, look: OcclusionCheck, missing: NotRegistered, frame: Frame, rest_s: float
) -> Step:
    if is_registered(state) and rest_s < LOST_AFTER_S:
        return replace(state, phase=replace(phase, look=look)), ()
    events = (BoardLost(missing.reason, frame.time_s, frame.sequence),) if is_registered(state) else ()
    registration = missing if is_registered(state) else state.registration
    return replace(state, registration=registration, phase=advance(phase, Cue.GONE, look=look)), events


def _needs_new_look(look: OcclusionCheck, stage: int, since_search_s: float) -> bool:
    """Whether a look that could not be used should be taken again."""
    if isinstance(look.field, NotRegistered):
        return since_search_s >= SEARCH_INTERVAL_S and stage > 0
    return look.blocked and look.stage != stage
