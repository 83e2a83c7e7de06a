"""A series of photographs: nothing is observed between two of them.

A photograph is a look at a table that hands have visited, in a rest without end; no motion and no turning ring was
seen.
"""

from __future__ import annotations

from dataclasses import replace

from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.tracking.motion import MotionState
from vision.watching.phases import Trigger, next_phase
from vision.watching.state import State, Unseen
from vision.watching.table_tracking import end_rest


def begin_photograph(state: State, frame: Frame, *, again: bool = False) -> State:
    """Return the state with the table at rest in a photograph, taken from anywhere; or in the same one ``again``."""
    motion = MotionState(last_motion_s=frame.time_s)
    if isinstance(state, Unseen):
        return replace(state, motion=motion)
    is_next, reference = isinstance(state.registration, Registration), replace(state.reference, ring_motion=None)
    state = end_rest(replace(state, motion=motion, reference=reference))
    belief = replace(state.belief, visited=is_next and not again, photographed=is_next)
    return replace(state, belief=belief, phase=next_phase(state.phase, Trigger.AT_REST))
