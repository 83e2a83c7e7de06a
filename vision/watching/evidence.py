"""The evidence of one look: all cues, gathered under their conditions and fused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.change.tower_change import MIN_CHANGED_PEBBLE_SHARE, MIN_TOWER_CHANGE_NATS, TowerChange
from vision.evidence.cues import (
    bare_look_cue,
    changed_samples,
    paint_cues,
    paint_fit_cue,
    photograph_cue,
    stone_samples,
)
from vision.evidence.fusion import Cues, Evidence, fuse, habit_nats
from vision.imaging.frame import Float32Array
from vision.imaging.patches import Patches
from vision.stones.appearance import Appearance, light_offset
from vision.watching.phases import Looking, PointChange
from vision.watching.state import State


def gather_evidence(state: State, patches: Patches) -> tuple[Evidence, Evidence]:
    """Return the evidence of a look, and the same without what the last decided look already preferred.

    Parameters
    ----------
    state : State
        With the changes since the reference.
    patches : Patches
        The points in this look.
    """
    cues = gather_cues(state, patches)
    alone, habit = fuse(cues), state.belief.bias
    if habit is None:
        return alone, alone
    news = alone.log_likelihood - np.where(cues.in_view[:, None], habit_nats(habit, cues.moved), 0.0)
    return alone, replace(alone, log_likelihood=news)


def gather_cues(state: State, patches: Patches) -> Cues:
    """Return what every cue says of every point in a look, and under which conditions."""
    phase, belief, reference = state.phase, state.belief, state.reference
    assert isinstance(phase, Looking) and phase.look is not None and reference is not None
    appearance, n_points = appearance_now(state.appearance, phase), len(patches.inside)
    change = phase.change or PointChange(np.zeros(n_points), np.full(n_points, "patches"))
    towers, touched = change.towers, change.log_odds > 0
    came_from = np.arange(n_points) if phase.rings is None else phase.rings.came_from
    tops = np.array(belief.expected_tops)[came_from]
    known = appearance.bare_counts > 0
    moved = (came_from != np.arange(n_points)) | state.displaced
    visible = patches.inside & ~phase.look.hidden
    in_view = visible.copy()
    bare_look, strength = bare_look_cue(patches, appearance)
    photograph = photograph_cue(patches, averaged=bool(moved.any() or not known.all()))
    changed = None
    if towers is None and reference.patches is not None and (change.kind == "pixels").all():
        changed = changed_samples(patches, reference.patches, strength)
        changed[(tops == 0) | ~touched | ~known] = False
    samples = stone_samples(patches, appearance, strength, changed)
    if towers is not None:
        in_view &= ~(towers.explained_elsewhere & (change.log_odds < 0))  # the patch shows the other tower
        samples = samples_of_changed_towers(samples, towers, light_offset(patches, appearance), tops)
    paint = paint_cues(samples, appearance, tops, visible & ~touched)
    everywhere = np.ones(n_points, np.bool_)
    return Cues(
        stone={
            "bare_look": bare_look,
            "photograph": photograph,
            "paint_fit": paint_fit_cue(paint["remembered"]),
            "beside_fit": paint_fit_cue(paint["beside"]),
        },
        paint=paint,
        change=change.log_odds,
        change_kind=change.kind,
        tops=tops,
        visible=visible,
        in_view=in_view,
        bare_known=known,
        moved=moved,
        stacked=everywhere & (belief.position.variant.max_height > 1),
        paints_seen=everywhere & all(stones.n_stones > 0 for stones in appearance.stones),
    )


def samples_of_changed_towers(
    samples: list[Float32Array], towers: TowerChange, light: Float32Array, tops: NDArray[np.integer]
) -> list[Float32Array]:
    """Return the samples, of touched towers those that have changed: the patch of a point shows its lower stones."""
    touched = (tops > 0) & (towers.change_log_odds > MIN_TOWER_CHANGE_NATS)
    use = touched & (towers.changed.mean(axis=1) > MIN_CHANGED_PEBBLE_SHARE)
    return [towers.log_colour[i][towers.changed[i]] - light if use[i] else own for i, own in enumerate(samples)]


def appearance_now(appearance: Appearance, phase: Looking) -> Appearance:
    """Return the appearance of the points as they lie now: holes move along with their rings."""
    return appearance if phase.rings is None else phase.rings.appearance
