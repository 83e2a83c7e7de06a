"""Compare a table at rest with the reference: which rings have turned, and which points have changed.

The reference is the last accepted look. Every function takes a ``State`` and returns a new one.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.change.patch_change import patch_change_log_odds, surface_change_log_odds
from vision.change.pixel_change import PixelChange, detect_pixel_change
from vision.change.tower_change import TowerChange, detect_tower_change
from vision.imaging.board_view import BoardView, cut_board_view
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.patches import Patches, cut_patches, rotate_patches
from vision.rotation.angle_at_rest import ROTATION_STEPS, measure_rotation, unroll_discs
from vision.rotation.angle_in_motion import rotation_log_posterior
from vision.rotation.disc_geometry import align_holes, ring_permutation, rotate_field_rings
from vision.tracking.follow import Anchor
from vision.watching.phases import Looking, PointChange, TurnedRings
from vision.watching.state import State

MAX_CHANGED_POINTS = 6
"""Most points that hands change between two looks: two turns with two captures each."""

MAX_CHANGED_POINTS_AFTER_PUSH = 4
"""Most points that hands change while they push the board. The change of the next point measures the effect of the
shadows, which lie elsewhere on the board now."""

MAX_CHANGED_HOLES_OF_TURNED_RING = 2
"""Most holes of a ring that hands change besides turning it."""

MIN_RING_ANGLE_STEPS = 0.01
"""Angle, in steps, below which a ring at rest has not turned."""

MAX_NOISE_LEVELS = 3.0
"""Change of the median point, in grey levels, up to which nothing but noise has changed there."""

MAX_MEDIAN_CHANGE_LEVELS = 20.0
"""Change of the median point, in grey levels, up to which the light is that of the reference."""

MAX_AVERAGED_LOOKS = 16
"""Looks of one rest whose pictures are averaged: noise is a quarter of its own then, and light drifts."""


def average_looks(state: State, frame: Frame) -> tuple[State, Frame]:
    """Return a look of which the picture is the mean of this rest's looks so far: noise and flicker differ in each."""
    n_before, mean = state.belief.rest.n_looks, state.mean_bgr
    if state.looking.past_hands:
        return state, frame
    if n_before == 0 or mean is None or mean.shape != frame.bgr.shape:
        return replace(state, mean_bgr=frame.bgr), frame
    mean = mean.astype(np.float32)
    cv2.accumulateWeighted(frame.bgr, mean, 1 / min(n_before + 1, MAX_AVERAGED_LOOKS))
    return replace(state, mean_bgr=mean), replace(frame, picture=np.asarray(cv2.convertScaleAbs(mean), np.uint8))


def compare_rings(state: State, frame: Frame) -> State:
    """Return the state with the rotation of every ring since the reference, measured once a rest.

    The appearance of bare holes moves along with their ring.
    """
    reference, registration = state.reference, state.registration
    if reference is None or reference.strips is None or isinstance(registration, NotRegistered):
        return state
    if state.belief.rest.n_looks > 0:
        return state
    field, size_px = registration.field, frame.size_px
    now = unroll_discs(frame.bgr, field, reference.strips.discs)
    in_motion = None if reference.ring_motion is None else rotation_log_posterior(reference.ring_motion)
    rotation = measure_rotation(reference.strips, now, in_motion)
    now = replace(now, offset_steps=reference.strips.offset_steps + rotation.offset_steps, noise=rotation.noise)
    steps = tuple(ROTATION_STEPS[i] for i in rotation.log_likelihood.argmax(axis=1))
    came_from = ring_permutation(field.board, steps)
    bare = rotate_patches(state.appearance.bare, came_from, field, size_px)
    appearance = replace(state.appearance, bare=bare, bare_counts=state.appearance.bare_counts[came_from])
    angles = np.array(steps) + np.where(
        np.abs(rotation.offset_steps) > MIN_RING_ANGLE_STEPS, rotation.offset_steps, 0.0
    )
    rings = TurnedRings(rotate_field_rings(field, now.discs, angles.tolist()), appearance, now, came_from)
    if reference.patches is not None and rings.moved.any():
        carried = rotate_patches(reference.patches.log_colour, came_from, field, size_px)
        bare_before = np.array(state.belief.expected_tops)[came_from] == 0
        seen = cut_patches(frame.bgr, rings.field).log_colour
        rings = replace(rings, field=align_holes(rings.field, carried, seen, bare_before, rings.moved))
    bias = None if state.belief.bias is None else state.belief.bias[came_from]
    rest = replace(state.belief.rest, ring_log_likelihood=rotation.log_likelihood, ring_steps=steps)
    belief = replace(state.belief, rest=rest, bias=bias)
    return replace(state, belief=belief, phase=replace(state.looking, rings=rings))


def compare_points(state: State, frame: Frame) -> tuple[State, Patches]:
    """Return the state with the change of every point since the reference, and the patches of the points."""
    patches = cut_patches(frame.bgr, state.field)
    if state.looking.past_hands:
        return state, patches  # compared already
    undisturbed = _nobody_came(state)
    state = _with_changes(state, state.looking, frame, patches)
    return replace(state, phase=replace(state.looking, only_light_changed=undisturbed and state.displaced)), patches


def _nobody_came(state: State) -> bool:
    """Return whether nothing but the light has moved since the reference."""
    return state.motion.moved_cells is None and not (state.belief.visited or state.displaced)


def _with_changes(state: State, phase: Looking, frame: Frame, patches: Patches) -> State:
    """Return the state with the log odds that each point has changed since the reference."""
    belief, reference = state.belief, state.reference
    if reference is None or reference.patches is None:
        return state
    before, anchor = reference.patches, reference.anchor
    hidden = np.array(state.hidden) | ~before.inside
    n_points = len(hidden)
    # Other holes lie at the points of a ring that has turned: each hole is compared with its own earlier patch.
    came_from = np.arange(n_points) if phase.rings is None else phase.rings.came_from
    still = came_from == np.arange(n_points)
    carried = rotate_patches(before.log_colour, came_from, anchor.field, frame.size_px)
    turned_before = replace(before, log_colour=carried, inside=before.inside[came_from])
    # A stone that moved along with its ring is seen from another side. Its change is no evidence.
    ignored = hidden | (~still & (np.array(belief.expected_tops)[came_from] > 0))
    nats = np.zeros(n_points)
    if not still.all():  # shadows do not turn with the ring
        nats = np.where(ignored, 0.0, surface_change_log_odds(turned_before, patches))
        for ring in belief.position.board.rings:
            holes = np.array(ring)
            if (nats[holes[~still[holes]]] > 0).sum() > MAX_CHANGED_HOLES_OF_TURNED_RING:
                ignored[holes] = True  # light falls on them from another side
        nats = np.where(ignored, 0.0, nats)
    if not state.displaced:
        first = phase.occlusion.view if phase.occlusion is not None and belief.rest.n_looks == 0 else None
        view = first or cut_board_view(frame.bgr, anchor.field)
        seen = detect_pixel_change(anchor.view, view)
        if seen.median_change_levels <= MAX_MEDIAN_CHANGE_LEVELS and (seen.changed & still).sum() <= MAX_CHANGED_POINTS:
            stackable = belief.position.variant.max_height > 1
            towers = changed_towers(state, anchor, seen, view, frame) if stackable else None
            nats = np.where(still & ~hidden, seen.change_log_odds if towers is None else towers.change_log_odds, nats)
            kind = np.where(still, "pixels" if towers is None else "towers", "surface")
            same = still & ~hidden & ~seen.changed if seen.median_change_levels <= MAX_NOISE_LEVELS else None
            return replace(state, phase=replace(phase, change=PointChange(nats, kind, towers, same)))
    nats, kind_everywhere = np.where(ignored, 0.0, patch_change_log_odds(turned_before, patches)), "patches"
    # No hand touches so many points, or no hand was there: then shadows have changed.
    displaced = state.displaced or ((nats > 0) & still).sum() > MAX_CHANGED_POINTS or _nobody_came(state)
    if displaced:
        nats, kind_everywhere = np.where(ignored, 0.0, surface_change_log_odds(turned_before, patches)), "surface"
        if n_points > MAX_CHANGED_POINTS_AFTER_PUSH:
            nats = nats - max(0.0, float(np.sort(nats)[-1 - MAX_CHANGED_POINTS_AFTER_PUSH]))
    change = PointChange(nats, np.full(n_points, kind_everywhere))
    return replace(state, displaced=displaced, phase=replace(phase, change=change))


def changed_towers(state: State, anchor: Anchor, seen: PixelChange, now: BoardView, frame: Frame) -> TowerChange:
    """Return the change of every tower since the reference."""
    shown = state.belief.shown_position
    same_paint_tops = [len(tower) > 1 and tower[-1][1] == tower[-2][1] for tower in shown.stacks]
    return detect_tower_change(seen, anchor.view, now, anchor.field, shown.heights, frame.size_px, same_paint_tops)
