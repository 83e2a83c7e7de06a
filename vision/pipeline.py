"""The path from a frame to events: track, compare, gather evidence, update, decode, decide, learn, report.

A newcomer starts here: ``step`` is the whole path. What has been seen is a value (``State``), and so are the rules and
boards (``Table``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from vision.decoding.belief import update
from vision.decoding.decision import DecisionContext, decide
from vision.decoding.posterior import decode
from vision.imaging.frame import Frame
from vision.watching.compare import compare_points
from vision.watching.evidence import gather_evidence
from vision.watching.first_sight import at_first_sight
from vision.watching.learning import learn
from vision.watching.phases import Looking
from vision.watching.state import State, Step, Table, rest_of
from vision.watching.table_tracking import MAX_UNEXPLAINED_RESTS, track
from vision.watching.takeover import find_way_out


def step(state: State, frame: Frame, table: Table) -> Step:
    """Return the state after one more frame, and the new events.

    Parameters
    ----------
    state : State
    frame : Frame
        Newer than every earlier frame.
    table : Table

    Returns
    -------
    State
    tuple of Event
        In the order in which they are announced.
    """
    state, events, readable = track(state, frame, table)
    if not readable:
        return state, events
    state, patches = compare_points(state, frame)
    state, first = at_first_sight(state, frame, table, patches)
    if first is not None:
        return first[0], events + first[1]
    observation = gather_evidence(state, patches)
    belief = update(state.belief, observation)
    posterior = decode(belief)
    decision = decide(belief, posterior, moment_of(state, frame, table))
    state = learn(state, frame, patches, observation, posterior, decision)
    state, way_out = find_way_out(state, frame, table, patches, observation)
    return state, events + decision.events + way_out


def moment_of(state: State, frame: Frame, table: Table) -> DecisionContext:
    """Return the conditions under which a decision is made."""
    phase = state.phase
    assert isinstance(phase, Looking)
    return DecisionContext(
        frame.time_s,
        frame.sequence,
        rest_of(state, frame, table),
        moved=state.displaced,
        known=state.belief.bias is not None,
        puzzled=state.n_unexplained >= MAX_UNEXPLAINED_RESTS,
        asked=phase.asked,
        only_light_changed=phase.only_light_changed,
    )
