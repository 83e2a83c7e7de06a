"""The path from a frame to events: track, compare, gather evidence, update, decode, decide, learn, report.

A newcomer starts here: ``step`` is the whole path. What has been seen is a value (``State``), and so are the rules and
boards (``Table``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from dataclasses import replace

from referee.events import Event
from vision.decoding.belief import update
from vision.decoding.decision import DecisionContext, decide
from vision.decoding.posterior import decode
from vision.imaging.frame import Frame
from vision.watching.compare import average_looks, compare_points
from vision.watching.evidence import gather_evidence
from vision.watching.first_sight import at_first_sight
from vision.watching.learning import learn
from vision.watching.phases import Looking
from vision.watching.state import State, Step, Table, rest_of
from vision.watching.table_tracking import is_passed_over, track, with_passed_over
from vision.watching.takeover import MIN_REREADING_S, find_way_out

LAST_REST_S = 10.0
"""Rest after the last frame of a film, seconds: longer than any decision or question waits. Source: chosen."""

LAST_LOOKS = 3
"""Looks at that frame: a look is counted less than the one before it, and three are nearly all. Source: chosen."""


def step(state: State, frame: Frame, table: Table) -> Step:
    """Return the state after one more frame, and the new events.

    Args:
        frame: Newer than every earlier frame.

    Returns:
        In the order in which they are announced.
    """
    if is_passed_over(state, frame, table):
        return with_passed_over(state, frame), ()
    unseen = state.reference is None
    state, events, readable = track(state, frame, table)
    if not readable and unseen and state.reference is not None and table.photographs:
        # What the first photograph of a series shows will not come again: a game may have begun before it.
        again, resumed = step(state, frame, table)
        return (again, events + resumed) if again.game.turns else (state, events)
    if not readable:
        return state, events
    state, frame = average_looks(state, frame)
    state, patches = compare_points(state, frame)
    state, first = at_first_sight(state, frame, table, patches)
    if first is not None:
        return first[0], events + first[1]
    state, alone, news = gather_evidence(state, patches)
    belief = update(state.belief, alone, news)
    posterior = decode(belief)
    decision = decide(belief, posterior, moment_of(state, frame, table))
    state = learn(state, frame, patches, alone, posterior, decision)
    state, way_out = find_way_out(state, frame, table, patches, alone)
    return state, events + decision.events + way_out


def finish(state: State, frame: Frame, table: Table) -> Step:
    """Return the state after the end of a film, and the last events: what was open is decided, or asked.

    The table rests for as long as one likes then: its last frame is looked at again. Where something moves in it, or
    nobody has seen the field, nothing more can be known.

    Args:
        frame: The last one that ``was_looked_at``: of a film that is over no other pixels are to be had.
    """
    if table.photographs or state.reference is None or state.motion.last_motion_s >= frame.time_s:
        return state, ()
    said: list[Event] = []
    for n in range(LAST_LOOKS):
        later = replace(frame, time_s=frame.time_s + LAST_REST_S + n * MIN_REREADING_S)
        state, events = step(state, later, table)
        said += events
    return state, tuple(replace(event, time_s=frame.time_s) for event in said)


def was_looked_at(state: State, frame: Frame) -> bool:
    """Return whether the newest frame was looked at, and not passed over; ``state`` is that after it."""
    return state.motion.last_frame_s == frame.time_s


def moment_of(state: State, frame: Frame, table: Table) -> DecisionContext:
    """Return the conditions under which a decision is made."""
    phase = state.phase
    assert isinstance(phase, Looking)
    return DecisionContext(
        frame.time_s,
        frame.sequence,
        rest_of(state, frame, table),
        known=state.belief.bias is not None,
        only_light_changed=phase.only_light_changed,
    )
