"""The path from a frame to events: track, compare, gather evidence, update, decode, decide, learn, report.

A newcomer starts here: ``step`` is the whole path. What has been seen is a value (``State``), and so are the rules and
boards (``Table``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.events import Event
from vision.decoding.belief import forget_points, update
from vision.decoding.decision import DecisionContext, decide
from vision.decoding.posterior import decode
from vision.imaging.frame import Frame
from vision.watching.compare import average_looks, compare_points
from vision.watching.first_sight import at_first_sight
from vision.watching.gather_cues import gather_evidence
from vision.watching.learning import learn
from vision.watching.state import State, StepResult, Table, rest_of
from vision.watching.table_tracking import is_skipped, skip_frame, track
from vision.watching.unexplained_board import adopt_unexplained_position
from vision.watching.whole_board import MIN_REREADING_S

LAST_REST_S = 10.0
"""Rest after the last frame of a film, seconds: longer than any decision or question waits."""

LAST_LOOKS = 3
"""Looks at that frame: a look is counted less than the one before it, and three are nearly all."""


def step(state: State, frame: Frame, table: Table) -> StepResult:
    """Return the state after one more frame, newer than all before, and the new events as they are announced."""
    if is_skipped(state, frame, table):
        return skip_frame(state, frame), ()
    unseen = state.reference is None
    state, events, is_readable = track(state, frame, table)
    if not is_readable and unseen and state.reference is not None and table.photographs:
        # What the first photograph of a series shows will not come again: a game may have begun before it.
        again, resumed = step(state, frame, table)
        return (again, events + resumed) if again.game.turns else (state, events)
    if not is_readable:
        return state, events
    state, frame = average_looks(state, frame)
    state, patches = compare_points(state, frame)
    state, first = at_first_sight(state, frame, table, patches)
    if first is not None:
        return state, events + first
    state, alone, news = gather_evidence(state, patches)
    belief = forget_points(update(state.belief, alone, news), np.array(state.hidden))
    posterior = decode(belief)
    known, rest_s = state.belief.bias is not None, rest_of(state, frame, table)
    looking = state.looking
    context = DecisionContext(
        frame.time_s, frame.sequence, rest_s, known, looking.only_light_changed, looking.past_hands
    )
    decision = decide(belief, posterior, context)
    state = learn(state, frame, patches, alone, posterior, decision)
    state, adopted = adopt_unexplained_position(state, frame, table, patches, alone)
    return state, events + decision.events + adopted


def finish(state: State, frame: Frame, table: Table) -> StepResult:
    """Return the state after the end of a film, and the last events: what was open is decided, or asked.

    The table rests for as long as one likes then: its last frame is looked at again. Where something moves over the
    field in it, or nobody has seen the field, nothing more can be known. ``frame`` is the last one that
    ``was_looked_at``: the pixels of others are gone when a film is over.
    """
    if table.photographs or state.reference is None or state.disturbed_s >= frame.time_s:
        return state, ()
    last_events: tuple[Event, ...] = ()
    for n in range(LAST_LOOKS):
        later = replace(frame, time_s=frame.time_s + LAST_REST_S + n * MIN_REREADING_S)
        state, events = step(state, later, table)
        last_events += events
    return state, tuple(replace(event, time_s=frame.time_s) for event in last_events)


def was_looked_at(state: State, frame: Frame) -> bool:
    """Return whether the newest frame was looked at, and not passed over; ``state`` is that after it."""
    return state.motion.last_frame_s == frame.time_s
