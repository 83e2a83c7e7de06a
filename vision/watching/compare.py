"""A frame of a table at rest in, a look out: how rings and points have changed since the reference.

The reference is the last accepted look.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.pixel_change import PixelChange, detect_pixel_change
from vision.change.surface_change import surface_change_log_odds
from vision.change.tower_change import TowerChange, detect_tower_change
from vision.decoding.turn_hypotheses import MAX_CHANGED_POINTS
from vision.imaging.board_view import BoardView, cut_board_view
from vision.imaging.frame import MIN_EDGE_LEVELS, Float32Array, Frame, Image
from vision.imaging.patches import Patches, cut_patches, rotate_patches
from vision.tracking.follow import Anchor
from vision.tracking.occlusion import PATIENCE_S
from vision.watching.looks import Look, PointChange
from vision.watching.phases import Looking
from vision.watching.state import Watched
from vision.watching.stones_beside import with_points_at_stones
from vision.watching.table_tracking import comes_too_soon
from vision.watching.turned_rings import turned_rings


def take_look(state: Watched, frame: Frame) -> tuple[Watched, Look | None]:
    """Return a look at a table at rest whose field is in sight, compared with the reference; None while it must wait.

    The state knows how its rings have turned, and whether board or shadows have moved.
    """
    phase = state.phase
    if not isinstance(phase, Looking) or state.lost is not None or comes_too_soon(state, frame):
        return state, None
    if phase.occlusion is None or phase.occlusion.blocked:
        return state, None
    state, rings = turned_rings(state, phase, frame)
    if rings is not None and rings.half_turned and state.hand_rest_s(frame) < PATIENCE_S[-1]:
        return replace(state, phase=replace(phase, rings=rings), looked_s=frame.time_s), None
    mean_bgr, frame = _averaged(phase.mean_bgr, frame, state.belief.rest.n_looks)
    state = replace(state, phase=replace(phase, rings=rings, mean_bgr=mean_bgr))
    view = phase.occlusion.view if state.belief.rest.n_looks == 0 else None
    view = view or cut_board_view(frame.bgr, state.field)
    if (state_at_stones := with_points_at_stones(state, frame.bgr, view)) is not state:
        state, view = state_at_stones, cut_board_view(frame.bgr, state_at_stones.field)
    field = state.field if rings is None else rings.field
    n_points = len(field.points_px)
    undisturbed = state.motion.moved_cells is None and not (state.belief.visited or state.reference.displaced)
    change, patches = PointChange(np.zeros(n_points), np.full(n_points, "surface")), cut_patches(frame.bgr, field)
    look = Look(frame, field, patches, rings, change, only_light_changed=False, covered=np.zeros(n_points, np.bool_))
    if state.reference.patches is not None:
        change, displaced = _changes(state, look, view, state.reference.anchor, state.reference.patches)
        state = replace(state, reference=replace(state.reference, displaced=displaced))
        look = replace(look, change=change)
    return state, replace(look, only_light_changed=undisturbed and state.reference.displaced)


def _averaged(mean: Image | Float32Array | None, frame: Frame, n_before: int) -> tuple[Image | Float32Array, Frame]:
    """Return the mean picture of this rest's looks, and the frame with it: noise and flicker differ in each look."""
    if n_before == 0 or mean is None or mean.shape != frame.bgr.shape:
        return frame.bgr, frame
    mean = mean.astype(np.float32)
    cv2.accumulateWeighted(frame.bgr, mean, 1 / min(n_before + 1, 16))  # the light drifts
    return mean, replace(frame, picture=np.asarray(cv2.convertScaleAbs(mean), np.uint8))


def _changes(state: Watched, look: Look, view: BoardView, anchor: Anchor, before: Patches) -> tuple[PointChange, bool]:
    """Return how each point has changed since the reference, and whether board or shadows have moved since."""
    belief, frame, patches, came_from = state.belief, look.frame, look.patches, look.came_from
    hidden, n_points = state.hidden | ~before.inside, len(came_from)
    # Other holes lie at the points of a ring that has turned: each hole is compared with its own earlier patch.
    still = came_from == np.arange(n_points)
    log_colour = rotate_patches(before.log_colour, came_from, anchor.field, frame.size_px)
    turned_before = replace(before, log_colour=log_colour, inside=before.inside[came_from])
    # A stone that moved along with its ring is seen from another side. Its change is no evidence.
    ignored = hidden | (~still & (np.array(belief.expected_tops)[came_from] > 0))
    pixels = None if state.reference.displaced else detect_pixel_change(anchor.view, view)
    pixels = pixels if pixels is not None and is_comparable(pixels, still) else None
    surface = np.zeros(n_points)
    if pixels is None or not still.all():  # shadows do not turn with the ring
        surface = np.where(ignored, 0.0, surface_change_log_odds(turned_before, patches))
        for ring in belief.position.board.rings:
            holes = np.array(ring)
            if (surface[holes[~still[holes]]] > 0).sum() > MAX_CHANGED_POINTS // 2:  # of one turn
                ignored[holes] = True  # light falls on them from another side
        surface = np.where(ignored, 0.0, surface)
    if pixels is None:  # no hand touches so many points: board, light or shadows have changed
        if n_points > MAX_CHANGED_POINTS:  # the next point shows the shadows, which lie elsewhere on the board now
            surface = surface - max(0.0, float(np.sort(surface)[-1 - MAX_CHANGED_POINTS]))
        return PointChange(surface, np.full(n_points, "surface")), True
    stackable = belief.position.variant.max_height > 1
    towers = changed_towers(state, anchor, pixels, view, frame) if stackable else None
    by_pixels = pixels.change_log_odds if towers is None else towers.change_log_odds
    kind = np.where(still, "pixels" if towers is None else "towers", "surface")
    return PointChange(np.where(still & ~hidden, by_pixels, surface), kind, towers), False


def is_comparable(change: PixelChange, points: NDArray[np.bool_]) -> bool:
    """Return whether at most a hand's worth of these points changed, and light and board are unchanged."""
    n_changed = int((change.changed & points).sum())
    return change.median_change_levels <= MIN_EDGE_LEVELS and n_changed <= MAX_CHANGED_POINTS


def changed_towers(state: Watched, anchor: Anchor, pixels: PixelChange, view: BoardView, frame: Frame) -> TowerChange:
    """Return the change of every tower since the reference."""
    position = state.belief.shown_position
    same_paint_tops = [len(tower) > 1 and tower[-1][1] == tower[-2][1] for tower in position.stacks]
    return detect_tower_change(
        pixels, anchor.view, view, anchor.field, position.heights, frame.size_px, same_paint_tops
    )
