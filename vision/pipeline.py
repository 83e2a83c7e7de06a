"""The path from a frame to events: track, compare, gather evidence, update, decode, decide, learn, report.

A newcomer starts here. ``step`` is the whole of it. What happened is a value (``State``), and so is what is played
(``Table``). Nothing here reads a clock or a camera: time is the frame's own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import QuestionAsked, TurnAmended
from vision.change.tower_change import correct_by_tower_change
from vision.compare import compare_points
from vision.decoding.belief import update
from vision.decoding.decision import Decision, DecisionContext, decide
from vision.decoding.posterior import Posterior, decode
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.phases import Cue, Looking, advance
from vision.rotation.angle_in_motion import start_angle_filter
from vision.state import Reference, State, Step, Table
from vision.stones.appearance import (
    Appearance,
    discount_stone_colours,
    forget_stone_colours,
    learn_bare,
    learn_stones,
)
from vision.stones.likelihood_corrections import (
    compare_with_other_stones,
    correct_by_changed_pixels,
    discount_unseen_light,
    drop_occluded_points,
    learnable_bare_points,
)
from vision.stones.observation import Observation, fuse_with_single_image_reading, observe
from vision.table_tracking import MAX_UNEXPLAINED_RESTS, rest_of, track
from vision.tracking.follow import anchor_at
from vision.tracking.motion import with_unoccluded_view

OLD_LIGHT_LOOKS = 0.1
"""Weight of everything seen in another light, in looks at this light. Source: chosen."""


def step(state: State, frame: Frame, table: Table) -> Step:
    """Take in one frame.

    Parameters
    ----------
    state : State
    frame : Frame
        Newer than every one before.
    table : Table

    Returns
    -------
    State
    tuple of Event
        What is to be said now, in order.
    """
    state, events, readable = track(state, frame, table)
    if not readable:
        return state, events
    state, patches = compare_points(state, frame)
    observation = gather_evidence(state, patches)
    belief = update(state.belief, observation)
    posterior = decode(belief)
    decision = decide(belief, posterior, moment_of(state, frame, table))
    return learn(state, frame, patches, observation, posterior, decision), events + decision.events


def gather_evidence(state: State, patches: Patches) -> Observation:
    """Return the log-likelihood of every appearance at every point, from a look and its comparison with the reference.

    Parameters
    ----------
    state : State
        With the changes since the reference.
    patches : Patches
        The points in this look.
    """
    phase, belief, reference = state.phase, state.belief, state.reference
    assert isinstance(phase, Looking) and phase.look is not None and reference is not None
    appearance = _appearance_now(state.appearance, phase)
    tops, change = np.array(belief.expected_tops), belief.rest.change_log_odds
    n_players, hidden = belief.rest.log_likelihood.shape[1] - 1, phase.look.hidden
    observation = observe(patches, appearance, n_players)
    if state.displaced:
        observation = fuse_with_single_image_reading(observation, patches, appearance)
    elif phase.rings is not None and phase.rings.moved.any():
        observation = fuse_with_single_image_reading(observation, patches, appearance, phase.rings.moved)
    before = reference.patches if belief.rest.is_pixelwise else None
    observation = correct_by_changed_pixels(observation, patches, before, appearance, tops, change)
    if phase.towers is not None:
        observation = correct_by_tower_change(observation, phase.towers, patches, appearance, belief.expected_tops)
    if belief.position.variant.max_height == 1:
        observation = compare_with_other_stones(observation, patches, before, appearance, tops, change, hidden)
    observation = discount_unseen_light(observation, appearance, belief.position.tops, n_players)
    return drop_occluded_points(observation, hidden)


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


def learn(
    state: State, frame: Frame, patches: Patches, observation: Observation, posterior: Posterior, decision: Decision
) -> State:
    """Return the state after a decision. A decided look becomes the reference and teaches what its points look like.

    A look in which something hides points is no reference. Neither is one that leaves a turn in doubt: the next look
    is compared with the one before it.
    """
    phase, registration = state.phase, state.registration
    assert isinstance(phase, Looking) and phase.look is not None and isinstance(registration, Registration)
    belief = replace(decision.belief, visited=decision.belief.visited and not decision.settled)
    appearance = state.appearance
    if phase.only_light_changed:
        appearance = discount_stone_colours(appearance, np.array(belief.expected_tops))
    after = replace(state, belief=belief, appearance=appearance, looked_s=frame.time_s)
    if not decision.settled:
        asked = phase.asked or any(isinstance(event, QuestionAsked) for event in decision.events)
        return replace(after, phase=replace(phase, posterior=posterior, asked=asked))
    after = replace(after, phase=advance(phase, Cue.DECIDED, look=phase.look))
    if phase.look.hidden.any() or belief.undecided is not None:
        return after
    field, strips = registration.field, state.strips
    if phase.rings is not None:
        field, strips = phase.rings.field, phase.rings.strips
    bare = learnable_bare_points(observation, state.belief.rest.change_log_odds)
    return replace(
        after,
        registration=replace(registration, field=field),
        appearance=_learnt(_appearance_now(appearance, phase), state.displaced, patches, bare, decision),
        reference=Reference(
            anchor_at(frame, field),
            patches,
            strips,
            None if strips is None else start_angle_filter(frame.bgr, field, strips.discs),
        ),
        motion=with_unoccluded_view(state.motion, phase.look.downscaled),
        displaced=False,
        n_unexplained=0,
    )


def _appearance_now(appearance: Appearance, phase: Looking) -> Appearance:
    """The appearance of the points as they lie now: rings carry their holes along."""
    return appearance if phase.rings is None else phase.rings.appearance


def _learnt(
    appearance: Appearance, displaced: bool, patches: Patches, learnable: NDArray[np.bool_], decision: Decision
) -> Appearance:
    """The appearance after a decided look; ``learnable`` says which bare points may be learnt."""
    tops = np.array(decision.belief.expected_tops)
    if displaced:  # what points looked like in another light, or under other shadows, is of little use now
        looks = np.where(tops == 0, np.minimum(appearance.bare_counts, OLD_LIGHT_LOOKS), appearance.bare_counts)
        appearance = replace(appearance, bare_counts=looks)
    appearance = learn_bare(appearance, patches, (tops == 0) & learnable)
    if any(isinstance(event, TurnAmended) for event in decision.events):
        game = decision.belief.game  # a turn that did not happen has taught the colours of another player's stone
        idle = [hand == own for hand, own in zip(game.position.hands, game.variant.stones, strict=True)]
        appearance = forget_stone_colours(appearance, idle)
    if decision.belief.disputed_tops is not None:
        return appearance
    return learn_stones(appearance, patches, tops)
