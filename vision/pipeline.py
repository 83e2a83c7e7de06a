"""The path from a frame to events: track, compare, gather evidence, update, decode, decide, learn, report.

A newcomer starts here: ``step`` is the whole path. What has been seen is a value (``State``), and so are the rules and
boards (``TableSetup``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.decoding.belief import forget_points, update
from vision.decoding.decision import DecisionContext, decide
from vision.decoding.posterior import decode
from vision.imaging.frame import Frame
from vision.tracking.camera_unrest import without_bands
from vision.watching.field_search import search
from vision.watching.first_sight import awaits_reading, awaits_time, read_at_first_sight
from vision.watching.gather_cues import gather_evidence
from vision.watching.learning import learn
from vision.watching.looks import Look
from vision.watching.past_hands import look_at_board
from vision.watching.phases import Trigger, Waiting, next_phase
from vision.watching.state import State, StepResult, TableSetup, Unseen, Watched
from vision.watching.table_tracking import begin_photograph, track_field, track_motion
from vision.watching.whole_board import read_after_decision, with_sides_settled


def step(state: State, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Return the state after one more frame, newer than all before, and the new events as they are announced."""
    state = track_motion(state, frame)
    return read_table(state, frame, table) if was_looked_at(state, frame) else StepResult(state)


def step_photograph(state: State, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Return the state after one more photograph of a series, and the new events."""
    state, events = read_table(begin_photograph(state, frame), frame, table)
    for _ in range(2):  # what it shows will not come again: a game may have begun before it, and goes on from there
        if isinstance(state, Watched) and state.belief.bias is None and state.belief.rest.n_looks == 0:
            state, more = read_table(begin_photograph(state, frame, again=True), frame, table)
            events += more
    return StepResult(state, events)


def read_table(state: State, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Return the state after the table was read in a frame, as far as it is at rest, and the new events."""
    if isinstance(state, Unseen):
        return search(state, frame, table)
    anchor = state.reference.anchor
    if state.motion.flickers and anchor.bgr.shape == frame.bgr.shape:
        frame = replace(frame, picture=without_bands(frame.bgr, anchor.bgr))
    state, events = track_field(state, frame)
    state, look = (state, None) if awaits_time(state, frame) else look_at_board(state, frame)
    if look is None:
        return StepResult(state, events)
    state, first = read_at_first_sight(state, look, table)
    if first or awaits_reading(state):
        return StepResult(state, events + first)
    for _ in range(2):
        alone, news, colours = gather_evidence(state, look, table.habits)
        belief = forget_points(update(state.belief, alone, news), state.hidden | look.covered)
        posterior = decode(belief)
        decision = decide(belief, posterior, _moment_of(state, look))
        state, change_of_sides = with_sides_settled(state, look, decision.belief.game)
        events += change_of_sides
        if not change_of_sides:
            break
    state = learn(state, look, alone, colours, posterior, decision)
    state, adoption = read_after_decision(state, look, table, alone)
    return StepResult(state, events + decision.events + adoption)


def _moment_of(state: Watched, look: Look) -> DecisionContext:
    return DecisionContext(
        time_s=look.frame.time_s,
        frame=look.frame.sequence,
        rest_s=state.hand_rest_s(look.frame),
        was_decided=state.belief.bias is not None,
        only_light_changed=look.only_light_changed,
        past_hands=look.past_hands,
        arm_stays=look.past_hands or state.arm_stays,
        quickness=state.hands.quickness,
    )


def finish(state: State, frame: Frame, table: TableSetup) -> StepResult[State]:
    """Return the state after the end of a film, and the last events: what was open is decided, or asked.

    Its last frame is read once more, as a photograph in which the table rests without end. Where something moves over
    the field in it, or nobody has seen the field, nothing more can be known. ``frame`` is the last one that
    ``was_looked_at``. A photograph was read so already.
    """
    if isinstance(state, Unseen) or not 0 < state.rest_s(frame) < np.inf:
        return StepResult(state)
    phase = next_phase(state.phase, Trigger.AT_REST) if isinstance(state.phase, Waiting) else state.phase
    return read_table(replace(state, disturbed_s=-np.inf, phase=phase), frame, table)


def was_looked_at(state: State, frame: Frame) -> bool:
    """Return whether the newest frame was looked at, and not passed over; ``state`` is that after it."""
    return state.motion.last_frame_s == frame.time_s
