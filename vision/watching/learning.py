"""Learn from a decided look: the reference for the next looks, and the appearance of points and stones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import TurnAmended
from vision.decoding.decision import Decision
from vision.decoding.posterior import Posterior
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches
from vision.rotation.angle_in_motion import start_angle_filter
from vision.stones.appearance import (
    Appearance,
    discount_stone_colours,
    forget_stone_colours,
    learn_bare,
    learn_stones,
)
from vision.stones.likelihood_corrections import learnable_bare_points
from vision.stones.observation import Observation
from vision.tracking.follow import anchor_at
from vision.tracking.motion import with_unoccluded_view
from vision.watching.evidence import appearance_now
from vision.watching.phases import Looking, Trigger, next_phase
from vision.watching.state import Reference, State

OLD_LIGHT_LOOKS = 0.1
"""Weight of everything seen in another light, in looks at this light. Source: chosen."""


def learn(
    state: State, frame: Frame, patches: Patches, observation: Observation, posterior: Posterior, decision: Decision
) -> State:
    """Return the state after a decision. A decided look becomes the reference, and its points are learnt.

    A look in which something hides points does not become the reference. Neither does a look that leaves a turn in
    doubt: the next look is then compared with the reference before it.
    """
    phase, registration = state.phase, state.registration
    assert isinstance(phase, Looking) and phase.look is not None and isinstance(registration, Registration)
    belief = replace(decision.belief, visited=decision.belief.visited and not decision.settled)
    appearance = state.appearance
    if phase.only_light_changed:
        appearance = discount_stone_colours(appearance, np.array(belief.expected_tops))
    after = replace(state, belief=belief, appearance=appearance, looked_s=frame.time_s)
    if not decision.settled:
        return replace(after, phase=replace(phase, posterior=decision.posterior or posterior))
    after = replace(after, phase=next_phase(phase, Trigger.DECIDED, look=phase.look))
    if phase.look.hidden.any() or belief.undecided is not None:
        return after
    field, strips = registration.field, state.strips
    if phase.rings is not None:
        field, strips = phase.rings.field, phase.rings.strips
    bare = learnable_bare_points(observation, state.belief.rest.change_log_odds)
    return replace(
        after,
        registration=replace(registration, field=field),
        appearance=_learnt(appearance_now(appearance, phase), state.displaced, patches, bare, decision),
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


def _learnt(
    appearance: Appearance, displaced: bool, patches: Patches, learnable: NDArray[np.bool_], decision: Decision
) -> Appearance:
    """Return the appearance after a decided look; ``learnable`` says which bare points may be learnt."""
    tops = np.array(decision.belief.expected_tops)
    if displaced:  # the appearance in another light, or under other shadows, counts little now
        looks = np.where(tops == 0, np.minimum(appearance.bare_counts, OLD_LIGHT_LOOKS), appearance.bare_counts)
        appearance = replace(appearance, bare_counts=looks)
    appearance = learn_bare(appearance, patches, (tops == 0) & learnable)
    if any(isinstance(event, TurnAmended) for event in decision.events):
        game = decision.belief.game  # the wrong turn has taught the colours of another player's stone
        idle = [hand == own for hand, own in zip(game.position.hands, game.variant.stones, strict=True)]
        appearance = forget_stone_colours(appearance, idle)
    if decision.belief.disputed_tops is not None:
        return appearance
    return learn_stones(appearance, patches, tops)
