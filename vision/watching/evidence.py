"""The evidence of one look: the likelihood of every appearance at every point."""

from __future__ import annotations

import numpy as np

from vision.change.tower_change import correct_by_tower_change
from vision.imaging.patches import Patches
from vision.stones.appearance import Appearance
from vision.stones.likelihood_corrections import (
    compare_with_other_stones,
    correct_by_changed_pixels,
    discount_unseen_light,
    drop_occluded_points,
)
from vision.stones.observation import Observation, fuse_with_single_image_reading, observe
from vision.watching.phases import Looking
from vision.watching.state import State


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
    appearance = appearance_now(state.appearance, phase)
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


def appearance_now(appearance: Appearance, phase: Looking) -> Appearance:
    """Return the appearance of the points as they lie now: holes move along with their rings."""
    return appearance if phase.rings is None else phase.rings.appearance
