"""Look past hands that stay: a frame of a moving scene in, a look at the points that nothing covers out.

It waits for no rest. Each look is a single frame, and compared with the reference as at rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.change.pixel_change import detect_pixel_change
from vision.decoding.decision import NEWS_S
from vision.imaging.board_view import cut_board_view
from vision.imaging.frame import Float32Array, Frame
from vision.imaging.patches import cut_patches, tower_mask
from vision.rotation.angle_in_motion import log_posterior_of_still_rings
from vision.stones.appearance import learn_stones
from vision.tracking.follow import TrackedField
from vision.tracking.motion import moving_points, reached_points
from vision.tracking.occlusion import check_occlusion
from vision.watching.compare import changed_towers, is_comparable, take_look
from vision.watching.looks import Look, PointChange, accept_look
from vision.watching.phases import Looking, Waiting
from vision.watching.state import USUAL_VISIT_S, Watched


def look_at_board(state: Watched, frame: Frame) -> tuple[Watched, Look | None]:
    """Return a look at the board, at rest or past hands that stay over it; None while it must wait."""
    return (_look_past_hands if _hands_stay(state, frame) else take_look)(state, frame)


def _hands_stay(state: Watched, frame: Frame) -> bool:
    """Return whether hands are over the board for longer than most turns take, and it rests no more than they do."""
    since_s = state.hands.since_s
    stay = since_s is not None and frame.time_s - since_s >= USUAL_VISIT_S - 1e-6
    is_in_place = state.lost is None and (state.occlusion is None or not state.occlusion.moved)
    return stay and is_in_place and isinstance(state.phase, Waiting | Looking)


def _look_past_hands(state: Watched, frame: Frame) -> tuple[Watched, Look | None]:
    """Return a look at the points that nothing covers; None where none is due, or where nothing new stays there.

    A foul that is put right is looked at when the hands are gone, and so are rings where one seems to have turned.
    """
    belief, reference = state.belief, state.reference
    is_due = frame.time_s - state.looked_s >= NEWS_S - 1e-6
    if not is_due or reference.patches is None or reference.displaced or belief.bias is None:
        return state, None
    if belief.dispute or belief.game.outcome or state.after_break:
        return state, None
    field, anchor = reference.anchor.field, reference.anchor
    view = cut_board_view(frame.bgr, field)
    covered = moving_points(state.motion, field) | reached_points(state.motion, field)
    state = replace(state, looked_s=frame.time_s)
    if not covered.all() and detect_pixel_change(anchor.view, view, covered).changed.any():
        field_in_place = TrackedField(field, np.eye(3), moved=False, view=view)
        covered |= check_occlusion(field, state.motion, field_in_place, frame, 0.0, reference.standing).hidden
    if covered.all():
        return state, None
    pixels = detect_pixel_change(anchor.view, view, covered)
    if not is_comparable(pixels, ~covered):
        return state, None
    before, hands = state.hands.changed_points, replace(state.hands, changed_points=pixels.changed)
    state = replace(state, hands=hands)
    if before is None or not (before & pixels.changed).any():
        return state, None
    if belief.position.board.rings:
        nats = None if reference.ring_motion is None else log_posterior_of_still_rings(reference.ring_motion)
        if nats is None:
            return state, None
        state = replace(state, belief=replace(belief, rest=replace(belief.rest, ring_log_likelihood=nats)))
    towers = changed_towers(state, anchor, pixels, view, frame) if belief.position.variant.max_height > 1 else None
    nats = pixels.change_log_odds if towers is None else np.where(covered, 0.0, towers.change_log_odds)
    kind = np.full(len(covered), "pixels" if towers is None else "towers")
    change = PointChange(nats, kind, towers)
    return state, Look(frame, field, cut_patches(frame.bgr, field), None, change, False, covered, past_hands=True)


def with_turn_seen(state: Watched, look: Look, colours: Float32Array, before: Watched) -> Watched:
    """Return the state after a look that hides points: what a turn has changed since before is in the reference, alone.

    All else in it stays as it was when the table last rested.
    """
    then, now = before.belief.position, state.belief.position
    changed = (np.array(then.tops) != np.array(now.tops)) | (np.array(then.heights) != np.array(now.heights))
    if not changed.any():
        return state
    field, reference = look.field, state.reference
    stones = np.where(changed & look.patches.inside, np.array(now.tops), 0)
    near = tower_mask(field, look.frame.size_px, np.where(changed, np.maximum(then.heights, now.heights), 0))
    bgr = np.where(near[..., None] > 0, look.frame.bgr, reference.anchor.bgr)
    renewed = accept_look(replace(look.frame, picture=bgr), field, cut_patches(bgr, field), reference.strips)
    reference, appearance = replace(renewed, standing=reference.standing), state.appearance
    return replace(state, reference=reference, appearance=learn_stones(appearance, colours, stones))
