"""Stones that lie beside their points: a picture in, out come the points moved to where their stones lie.

A point is looked at up to ``STONE_OFFSET_UNITS`` around it. Where the picture has changed beyond that, or one look has
left a doubt, the network of maps says where stones lie. A new one, plainly nearer to one point than to any other, takes
that point along: this look and the next ones look there, as long as a stone lies there.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.moves import Capture
from vision.decoding.belief import Belief, forget_rest
from vision.imaging.board_view import COARSE_PX_PER_UNIT, BoardView
from vision.imaging.field import STONE_CENTRE_HEIGHT_UNITS, Field
from vision.imaging.frame import Float64Array, Image
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.patches import (
    STONE_OFFSET_UNITS,
    cut_patches,
    image_jacobians,
    parallax_px,
    stone_unit,
)
from vision.networks.heat_maps import FROM_ABOVE_PX, STRIDE, look_from_above
from vision.stones.appearance import learn_bare
from vision.tracking.follow import Anchor
from vision.tracking.motion import MIN_ARM_LEVELS
from vision.watching.state import Watched

SMALL_STONE_UNITS = 0.12
"""Area of a small stone, square units: so much has changed where one may have come, and a third of it is on the map."""

MAX_BESIDE_SPACINGS, MIN_RIVAL_RATIO = 0.65, 1.25
"""Distance up to which a stone belongs to a point, spacings, and how many times as far any other point must be."""


def with_points_at_stones(state: Watched, bgr: Image, view: BoardView) -> Watched:
    """Return the state with the points of the reference, and of the field, where their stones lie at rest."""
    reference, anchor = state.reference, state.reference.anchor
    field, position = anchor.field, state.belief.position
    is_flat = position.variant.max_height == 1 and not field.board.rings
    n_looks = state.belief.rest.n_looks
    if reference.patches is None or reference.displaced or not is_flat or state.hidden.any() or n_looks > 1:
        return state
    tops, home = np.array(state.belief.expected_tops), _homes_px(field)
    places = np.where((tops == 0)[:, None], home, field.points_px)
    if n_looks == 1 or _has_changed_beside(field, anchor.view, view):
        at_home, is_spare = replace(field, points_px=home), _was_one_taken(state.belief)
        places = _at_stones(bgr, anchor.bgr, at_home, tops > 0, places, field.points_px, may_be_spare=is_spare)
    moved = (places != field.points_px).any(axis=1)
    if not moved.any():
        return state
    field = replace(field, points_px=places)
    patches = cut_patches(anchor.bgr, field)
    unknown = replace(state.appearance, bare_counts=np.where(moved, 0.0, state.appearance.bare_counts))
    return replace(
        state,
        belief=forget_rest(state.belief),
        reference=replace(reference, anchor=Anchor(anchor.bgr, field), patches=patches),
        appearance=learn_bare(unknown, patches, moved & (tops == 0)),
    )


def _was_one_taken(belief: Belief) -> bool:
    """Return whether a captured stone may just be laid down: one is due, or the last turn took one."""
    moves = belief.game.turns[-1].moves if belief.game.turns else ()
    return bool(belief.position.dues) or any(isinstance(move, Capture) for move in moves)


def _homes_px(field: Field) -> Float64Array:
    """Return where the points are drawn: of a point at its stone, where the homography puts it."""
    homes = apply_homography(field.image_from_board, np.array(field.board.xy))
    off = _offsets_units(field, field.points_px[:, None] - homes[:, None])[:, 0]
    return np.where((off > STONE_OFFSET_UNITS)[:, None], homes, field.points_px)


def _offsets_units(field: Field, off_px: Float64Array) -> Float64Array:
    """Return the lengths along the board of differences in the picture from each point, (n_points, n, 2), units."""
    off = np.linalg.solve(image_jacobians(field)[:, None], off_px[..., None])[..., 0]
    return np.asarray(np.linalg.norm(off, axis=2) / stone_unit(field.board), np.float64)


def _has_changed_beside(field: Field, before: BoardView, now: BoardView) -> bool:
    """Return whether a stone may have come beside a point: most of one change lies where no point is looked at."""
    changed = cv2.absdiff(before.coarse, now.coarse).max(axis=2) > MIN_ARM_LEVELS
    if changed.sum() > changed.size / 2:
        return False  # the light has changed
    samples = before.sampling.coarse_indices
    near = np.zeros(changed.shape, np.uint8)
    near.reshape(-1)[samples] = 1
    n, labels, stats, centres = cv2.connectedComponentsWithStats(changed.astype(np.uint8))
    area, n_near = stats[:, cv2.CC_STAT_AREA], np.bincount(labels.reshape(-1), near.reshape(-1), n)
    may_be = (area >= SMALL_STONE_UNITS * COARSE_PX_PER_UNIT**2) & (n_near < area / 2)
    may_be[0] = False  # what has not changed
    rows, columns = np.divmod(samples, changed.shape[1])
    points = np.column_stack([columns.mean(axis=1), rows.mean(axis=1)])
    away_px = np.linalg.norm(centres[may_be, None] - points, axis=2)
    return bool((away_px < COARSE_PX_PER_UNIT * (_reach(field) / stone_unit(field.board) + 0.5)).any())


def _outside_units(board: Board, xy: Float64Array) -> Float64Array:
    """Return how far places, (n, 2) board space, lie outside the outermost points, (n,), units; negative within."""
    hull = cv2.convexHull(np.array(board.xy, np.float32))
    return np.array([-cv2.pointPolygonTest(hull, (x, y), True) for x, y in xy.tolist()]) / stone_unit(board)


def _reach(field: Field) -> Float64Array:
    """Return how far from each point its stone may lie, (n_points,), board space."""
    return MAX_BESIDE_SPACINGS * spacings(np.array(field.board.xy))


def _at_stones(
    bgr: Image,
    before: Image,
    home: Field,
    occupied: NDArray[np.bool_],
    places: Float64Array,
    last_places: Float64Array,
    *,
    may_be_spare: bool,
) -> Float64Array:
    """Return the places of the points with those that have a stone beside them at that stone, image space.

    A stone that lies where its point was looked at last leaves that where it was. One outside the outermost points is
    a captured one, which belongs to none, where it ``may_be_spare`` or another one has come to a point.
    """
    unit = stone_unit(home.board)
    reach = _reach(home)
    margin = float(reach.max()) + unit / 2
    low, high = np.full(2, -margin), np.full(2, 1 + margin)
    maps = look_from_above(bgr, home.image_from_board, low, high, margin=0.0)
    heat, size_px = maps["stones"], (bgr.shape[1], bgr.shape[0])
    levels = cv2.warpPerspective(cv2.absdiff(before, bgr).max(axis=2), maps.map_from_image, heat.shape[::-1])
    least = SMALL_STONE_UNITS / 3 * (unit * FROM_ABOVE_PX / (1 + 2 * margin) / STRIDE) ** 2
    changed = levels > MIN_ARM_LEVELS  # a stone that touches another on the map is told from it by what has changed
    new_xy, old_xy = (_middles((heat > 0.5) & where, least) for where in (changed, ~changed))
    if not len(new_xy):
        return places
    lying = parallax_px(home, size_px) * STONE_CENTRE_HEIGHT_UNITS * unit
    stones, old_stones = (apply_homography(maps.image_from_map, xy)[None] - lying[:, None] for xy in (new_xy, old_xy))
    off, places = _offsets_units(home, stones - home.points_px[:, None]), places.copy()
    off_old = _offsets_units(home, old_stones - home.points_px[:, None])
    holds = occupied & (off_old.min(axis=1, initial=np.inf) <= STONE_OFFSET_UNITS)
    moved = _offsets_units(home, stones - last_places[:, None])
    if may_be_spare or (off[~occupied] <= STONE_OFFSET_UNITS).any():
        board_from_image = np.asarray(np.linalg.inv(home.image_from_board), np.float64)
        stones_xy = apply_homography(board_from_image, stones[off.argmin(axis=0), range(off.shape[1])])
        off[:, _outside_units(home.board, stones_xy) > STONE_OFFSET_UNITS] = np.inf
    for stone in range(off.shape[1]):
        point, rival = np.argsort(off[:, stone])[:2]
        away, is_its_own = off[point, stone], off[point].argmin() == stone and not holds[point]
        if moved[point, stone] <= STONE_OFFSET_UNITS:
            places[point] = last_places[point]
        elif away <= STONE_OFFSET_UNITS:
            places[point] = home.points_px[point]
        elif is_its_own and away * unit < reach[point] and off[rival, stone] > MIN_RIVAL_RATIO * away:
            places[point] = stones[point, stone]
    return places


def _middles(shape: NDArray[np.bool_], least_area_px: float) -> Float64Array:
    """Return the middles (n, 2) of the connected parts of a shape that are large enough, map space."""
    _, _, stats, centres = cv2.connectedComponentsWithStats(shape.astype(np.uint8))
    return np.asarray(centres[1:][stats[1:, cv2.CC_STAT_AREA] >= least_area_px], np.float64)
