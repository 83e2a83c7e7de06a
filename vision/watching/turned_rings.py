"""A frame of a table at rest in, the rotation of its rings since the reference out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.imaging.frame import Frame
from vision.imaging.patches import cut_patches, rotate_patches
from vision.rotation.angle_at_rest import ROTATION_STEPS, measure_rotation, unroll_discs
from vision.rotation.angle_in_motion import rotation_log_posterior
from vision.rotation.disc_geometry import align_holes, ring_permutation, rotate_field_rings
from vision.watching.looks import TurnedRings
from vision.watching.phases import Looking
from vision.watching.state import Watched


def turned_rings(state: Watched, phase: Looking, frame: Frame) -> tuple[Watched, TurnedRings | None]:
    """Return the rotation of every ring since the reference, measured once a rest; the state has its evidence.

    The appearance of bare holes moves along with their ring.
    """
    reference, field, size_px = state.reference, state.field, frame.size_px
    if reference.strips is None or state.belief.rest.n_looks > 0:
        return state, phase.rings
    now = unroll_discs(frame.bgr, field, reference.strips.discs)
    in_motion = None if reference.ring_motion is None else rotation_log_posterior(reference.ring_motion)
    rotation = measure_rotation(reference.strips, now, in_motion)
    now = replace(now, offset_steps=reference.strips.offset_steps + rotation.offset_steps, noise=rotation.noise)
    steps = tuple(ROTATION_STEPS[i] for i in rotation.log_likelihood.argmax(axis=1))
    came_from = ring_permutation(field.board, steps)
    bare = rotate_patches(state.appearance.bare, came_from, field, size_px)
    appearance = replace(state.appearance, bare=bare, bare_counts=state.appearance.bare_counts[came_from])
    angles = np.array(steps) + rotation.offset_steps
    rings = TurnedRings(rotate_field_rings(field, now.discs, angles.tolist()), appearance, now, came_from)
    if reference.patches is not None and rings.moved.any():
        colour_before = rotate_patches(reference.patches.log_colour, came_from, field, size_px)
        bare_before = np.array(state.belief.expected_tops)[came_from] == 0
        colour_now = cut_patches(frame.bgr, rings.field).log_colour
        rings = replace(rings, field=align_holes(rings.field, colour_before, colour_now, bare_before, rings.moved))
    bias = None if state.belief.bias is None else state.belief.bias[came_from]
    rest = replace(state.belief.rest, ring_log_likelihood=rotation.log_likelihood, ring_steps=steps)
    return replace(state, belief=replace(state.belief, rest=rest, bias=bias)), rings
