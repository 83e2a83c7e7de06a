"""A decided look in, the next reference out, and what points and stones look like from now on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.events import TurnAmended
from vision.decoding.decision import Decision
from vision.decoding.posterior import Posterior
from vision.decoding.turn_hypotheses import DOUBT_NATS
from vision.evidence.fusion import Evidence
from vision.stones.appearance import (
    Appearance,
    discount_stone_colours,
    forget_stone_colours,
    learn_bare,
    learn_stones,
)
from vision.tracking.motion import with_nothing_in_the_way
from vision.tracking.occlusion import standing_things
from vision.watching.gather_cues import appearance_now
from vision.watching.looks import Look, accept_look, look_at_tops
from vision.watching.past_hands import with_turn_seen
from vision.watching.phases import Looking, Trigger, next_phase
from vision.watching.state import Watched


def learn(
    state: Watched,
    look: Look,
    evidence: Evidence,
    colours: NDArray[np.float32],
    posterior: Posterior,
    decision: Decision,
) -> Watched:
    """Return the state after a decision. A decided look becomes the reference, and its points are learnt.

    Of a look in which something hides points only what a turn has changed becomes the reference. A look that leaves a
    turn in doubt does not become it: the next look is then compared with the reference before it.
    """
    phase, occlusion = state.phase, state.occlusion
    belief = replace(decision.belief, visited=decision.belief.visited and not decision.settled)
    appearance = state.appearance
    if look.only_light_changed:
        appearance = discount_stone_colours(appearance, np.array(belief.expected_tops))
    after = replace(state, belief=belief, appearance=appearance, looked_s=look.frame.time_s)
    if look.past_hands:
        return with_turn_seen(after, look, colours, state)
    if not decision.settled and isinstance(phase, Looking):
        return replace(after, phase=replace(phase, posterior=decision.posterior or posterior))
    after = replace(after, phase=next_phase(phase, Trigger.DECIDED, occlusion=occlusion, posterior=posterior))
    if belief.undecided_rest is not None or occlusion is None or state.lost is not None:
        return after
    if state.hidden.any():
        after = replace(after, reference=replace(state.reference, standing=standing_things(occlusion)))
        is_still = look.rings is None and not state.reference.displaced
        return with_turn_seen(after, look, colours, state) if is_still else after
    strips = state.strips if look.rings is None else look.rings.strips
    position, tops = belief.shown_position, None
    if position.variant.max_height > 1:
        tops = look_at_tops(look, np.array(position.heights), appearance)
    return replace(
        after,
        appearance=_learnt(appearance_now(appearance, look), state, look, colours, evidence, decision),
        reference=accept_look(look.frame, look.field, look.patches, strips, tops),
        motion=with_nothing_in_the_way(state.motion),
        whole_board=replace(state.whole_board, n_unexplained=0),
    )


def _learnt(
    appearance: Appearance,
    state: Watched,
    look: Look,
    colours: NDArray[np.float32],
    evidence: Evidence,
    decision: Decision,
) -> Appearance:
    """Return the appearance after a decided look, learnt from all of its points."""
    tops = np.array(decision.belief.expected_tops)
    # Of a point in doubt nothing is learnt: it must be clearly bare, or surely unchanged.
    rows, change = evidence.log_likelihood, evidence.change_log_odds
    is_clear = rows[:, 0] - rows[:, 1:].max(axis=1) > DOUBT_NATS
    is_clear |= np.zeros_like(is_clear) if change is None else change < -DOUBT_NATS
    is_bare = (tops == 0) & is_clear & look.patches.inside
    if state.reference.displaced:  # the appearance in another light, or under other shadows, counts next to nothing
        least = np.minimum(appearance.bare_counts, np.finfo(np.float64).eps)
        appearance = replace(appearance, bare_counts=np.where(tops == 0, least, appearance.bare_counts))
    appearance = learn_bare(appearance, look.patches, is_bare)
    if any(isinstance(event, TurnAmended) for event in decision.events):
        game = decision.belief.game  # the wrong turn has taught the colours of another player's stone
        idle = [hand == own for hand, own in zip(game.position.hands, game.variant.stones, strict=True)]
        appearance = forget_stone_colours(appearance, idle)
    if decision.belief.dispute is not None:
        return appearance
    return learn_stones(appearance, colours, np.where(look.patches.inside, tops, 0))
