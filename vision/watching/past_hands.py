"""Look past hands that stay over a board: at the points that nothing covers, while others are moved over.

A rest is not waited for then. Each look is a single frame, and compared with the reference as at rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.pixel_change import detect_pixel_change
from vision.imaging.board_view import cut_board_view
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Frame, Image
from vision.imaging.patches import cut_patches
from vision.tracking.follow import TrackedField
from vision.tracking.motion import moving_points
from vision.tracking.occlusion import check_occlusion
from vision.watching.accepted_look import accept_look
from vision.watching.compare import MAX_CHANGED_POINTS, MAX_MEDIAN_CHANGE_LEVELS, changed_towers
from vision.watching.phases import Looking, PointChange
from vision.watching.state import State

Picture = TypeVar("Picture", Image, Float32Array)

HANDS_STAY_S = 1.0
"""Time without a rest after which hands stay, seconds: most turns are done in less."""

PASTED_SPACINGS = 0.55
"""Distance from a point up to which its stone may reach, in spacings."""

LOOK_INTERVAL_S = 0.25
"""Least time between two looks past hands, seconds."""


def hands_stay(state: State, time_s: float) -> bool:
    """Return whether hands have been over the board for so long that a look is due, and what it may be compared with.

    Rings are looked at when the hands are gone: they may be turning.
    """
    belief, reference, since_s = state.belief, state.reference, state.hands_since_s
    if since_s is None or time_s < max(since_s + HANDS_STAY_S, state.looked_s + LOOK_INTERVAL_S) - 1e-6:
        return False
    if reference is None or reference.patches is None or state.displaced or belief.bias is None:
        return False
    return (
        not belief.position.board.rings
        and belief.dispute is None
        and belief.game.outcome is None
        and not state.awaits_resume_check
    )


def look_past_hands(state: State, phase: Looking, frame: Frame) -> tuple[State, bool]:
    """Return the state with what covers the board and what has changed beside that, and whether anything stays so."""
    reference = state.reference
    assert reference is not None and reference.patches is not None
    anchor, view = reference.anchor, cut_board_view(frame.bgr, reference.anchor.field)
    followed = TrackedField(anchor.field, np.eye(3), moved=False, view=view)
    occlusion = check_occlusion(anchor.field, state.motion, followed, frame, stage=0)
    hidden = occlusion.hidden | moving_points(state.motion, anchor.field)
    phase = replace(phase, past_hands=True)
    state = replace(state, looked_s=frame.time_s, phase=phase)
    if hidden.all():
        return state, False
    seen = detect_pixel_change(anchor.view, view, hidden)
    if seen.median_change_levels > MAX_MEDIAN_CHANGE_LEVELS or seen.changed.sum() > MAX_CHANGED_POINTS:
        return state, False
    towers = changed_towers(state, anchor, seen, view, frame) if state.game.variant.max_height > 1 else None
    nats = seen.change_log_odds if towers is None else np.where(hidden, 0.0, towers.change_log_odds)
    kind = np.full(len(hidden), "pixels" if towers is None else "towers")
    change = PointChange(nats, kind, towers, ~hidden & ~seen.changed)
    occlusion = replace(occlusion, hidden=hidden, blocked=True)
    stands = seen.changed & state.changed_past_hands
    state = replace(state, phase=replace(phase, occlusion=occlusion, change=change), changed_past_hands=seen.changed)
    return state, bool(stands.any())


def with_points_seen(state: State, frame: Frame, points: NDArray[np.bool_]) -> State:
    """Return the state whose reference, and picture with nothing in the way, shows points as they are now; (n_points,).

    All else in it stays as it was when the table last rested. The next look measures every point.
    """
    reference, occlusion, unoccluded = state.reference, state.occlusion, state.motion.unoccluded
    assert reference is not None and occlusion is not None and unoccluded is not None
    anchor = reference.anchor
    bgr = _pasted(anchor.bgr, frame.bgr, anchor.field, points)
    seen = accept_look(replace(frame, picture=bgr), anchor.field, cut_patches(bgr, anchor.field), reference.strips)
    unoccluded = _pasted(unoccluded, occlusion.downscaled, anchor.field, points, unoccluded.shape[1] / bgr.shape[1])
    return replace(state, reference=seen, motion=replace(state.motion, unoccluded=unoccluded))


def _pasted(old: Picture, new: Picture, field: Field, points: NDArray[np.bool_], scale: float = 1.0) -> Picture:
    """Return a picture with the surroundings of points as in a newer one."""
    near, pasted = np.zeros(old.shape[:2], np.uint8), old.copy()
    for (x, y), spacing in zip(field.points_px[points] * scale, field.spacing_px[points] * scale, strict=True):
        cv2.circle(near, (round(x), round(y)), round(PASTED_SPACINGS * spacing), 255, cv2.FILLED)
    cv2.copyTo(new, near, pasted)
    return pasted
