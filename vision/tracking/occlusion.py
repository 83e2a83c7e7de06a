"""Occlusion: find what is in the way of a table at rest, and decide whether to wait.

A hand that rests does not move, but it covers what was seen before. So a table at rest is compared, in a downscaled
picture, with the last picture that had nothing in the way.

A change of light is no occluder. Before the comparison the old picture is brought to the new light by a smooth gain
for each channel (quadratic in the image coordinates, fitted robustly in log space): lamps and clouds change a table
smoothly, hands have edges. A stone is no occluder either: an occluder is larger than a stone can be, or reaches the
border of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.board_view import BoardView
from vision.imaging.cv import reduce_by_averaging
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Float32Array, Float64Array, Frame, Image
from vision.imaging.medians import median
from vision.imaging.patches import SAME_SURFACE_CORRELATION, image_jacobians, stone_unit
from vision.tracking.follow import BOARD_STRETCH, CLOTH_STRETCH, SURROUNDINGS_STRETCH, TrackedField, hull_mask
from vision.tracking.motion import Mask, MotionState

PATIENCE_S = (0.0, 0.8, 2.0)
"""Rests after which the table is checked again, each time more leniently, s. From the second on, a small thing at the
border may be a stone that was put down there. From the third on, a hand that does not move counts as resting, and only
the points that it covers are left out; a board not seen whole, or not read alike twice, is followed as it is."""

DOWNSCALED_WIDTH_PX = 320
"""Least width of the downscaled picture, px: a stone of a board that fills a quarter of the picture still has 3 px
there."""

MIN_CHANGED_LEVELS = 14.0
"""Grey levels (of 255) by which a changed pixel differs after the light has been matched."""

MIN_CHANGED_BRIGHTNESS_SHARE = 0.10
"""The same as a share of the brightness: bright surfaces flicker more than dark ones."""

SAME_LIGHT_LOG_RATIO = 0.01
"""Largest median log ratio of two pictures, in each quarter and each channel, that is the same light."""

LIGHT_FIT_STEP_PX = 4
"""Distance of two pixels of the downscaled picture to which the light is fitted, in columns and rows, px."""

MIN_OCCLUDER_AREA_SPACINGS = 3.0
"""Area from which a change is no stone, in squared spacings. One stone with a hard shadow covers up to 1. A stone that
was pushed aside changes its old place and its new one, and a captured one may be laid right beside them."""

RESTING_STONE_AREA_SPACINGS = 6.0
"""The same for what has rested longer and does not reach the border: large near stones, and their shadows."""

MIN_STONES_MEASURED, WIDER_THAN_STONES = 2, 1.4
"""Stones of each player after which the width of stones is known, and how many times as wide as the widest of them a
change is that no stone has made: a cup has. Source: measured in three drawn films. Of one table the changes that stones
made were up to 1.35 times as wide as others, and a cup was 1.6 times as wide as the widest or more."""

MIN_BORDER_OCCLUDER_AREA_SPACINGS = 0.3
"""The same for what reaches the border of the picture, where arms come in and finger tips leave. A stone put down there
looks the same, so later checks use ``MIN_OCCLUDER_AREA_SPACINGS``."""

MIN_MOTION_OVERLAP = 0.3
"""Share of a change that must lie where something moved, for it to be something that came in."""


@dataclass(frozen=True, eq=False)
class KnownThings:
    """What is known of the things on a table."""

    stone_radii_units: tuple[tuple[float, ...], ...] = ()  # by player, of stones laid or taken
    standing: Mask | None = None  # (h, w), what stood on the field in the last decided look and is no stone: a cup

    @property
    def widest_stone_units(self) -> float:
        """Radius of the widest stone, units; infinite before it is known."""
        known = [radii for radii in self.stone_radii_units if len(radii) >= MIN_STONES_MEASURED]
        return max(map(max, known)) if known and len(known) == len(self.stone_radii_units) else np.inf


@dataclass(frozen=True, eq=False)
class OcclusionCheck:
    """The result of a check of the table at rest."""

    field: Field | NotRegistered  # image space
    moved: bool  # the field is elsewhere than in the last accepted frame
    hidden: Mask  # (n_points,), points with something in the way
    blocked: bool  # a hand is in view or the field out of sight, so that nothing should be decided yet
    until_s: float  # rest from which the next check is more lenient; infinite after the last of ``PATIENCE_S``
    downscaled: Float32Array  # (h, w, 3), the downscaled picture, levels
    view: BoardView | None = None  # the board in this frame, where it lies still
    things: Mask | None = None  # (h, w), what lies over the field and does not reach the border of the picture


def check_occlusion(
    before: Field,
    motion: MotionState,
    followed: TrackedField | NotRegistered,
    frame: Frame,
    rest_s: float,
    known: KnownThings = KnownThings(),
) -> OcclusionCheck:
    """Compare a table at rest with ``motion.unoccluded``, in which the field lay as in ``before``.

    The longer it has rested, the more lenient is the check; what stood there before is no hand. Raises ``ValueError``
    when there is no such picture yet.
    """
    old = motion.unoccluded
    if old is None:
        raise ValueError("a look is compared with an earlier one, but the scene has none")
    nothing, now, unknown = np.zeros(len(before.points_px), np.bool_), downscale(frame.bgr), None
    until_s = next((patience_s for patience_s in PATIENCE_S if patience_s > rest_s), np.inf)
    is_first, is_last = rest_s < PATIENCE_S[1], np.isinf(until_s)
    if isinstance(followed, NotRegistered):
        return OcclusionCheck(followed, True, nothing, True, until_s, now)
    if motion.moved_cells is None:  # nothing has come in
        return OcclusionCheck(followed.field, followed.moved, nothing, False, until_s, now, followed.view)
    if followed.moved:
        old, unknown = _predict_moved_view(old, now, before, followed.field, followed.now_from_before, frame.size_px)
    border_area = MIN_BORDER_OCCLUDER_AREA_SPACINGS if is_first else MIN_OCCLUDER_AREA_SPACINGS
    thing_area = MIN_OCCLUDER_AREA_SPACINGS if is_first else RESTING_STONE_AREA_SPACINGS
    occluder, from_border = find_occluders(
        old, now, followed.field, frame.size_px, unknown, border_area, motion.moved_cells, thing_area,
        known.widest_stone_units,
    )  # fmt: skip
    hidden = hidden_points(occluder, followed.field, frame.size_px)
    # An arm reaches over the border of the picture and into the field. What lies on the table hides its points and no
    # more; what lies beside the field, as the cord of a cloth that was pushed, hides nothing.
    scale = now.shape[1] / frame.size_px[0], now.shape[0] / frame.size_px[1]
    over, near = (
        hull_mask(followed.field, occluder.shape, by, scale) > 0 for by in (BOARD_STRETCH, SURROUNDINGS_STRETCH)
    )
    arm, thing = from_border & over, occluder & ~from_border & near
    stood = known.standing
    came = thing if stood is None or stood.shape != thing.shape else thing & ~stood
    blocked = bool((arm.any() and not is_last) or (came.any() and is_first) or hidden.all())
    return OcclusionCheck(followed.field, followed.moved, hidden, blocked, until_s, now, followed.view, thing)


def _predict_moved_view(
    unoccluded: Float32Array,
    now: Float32Array,
    old: Field,
    new: Field,
    now_from_before: Float64Array,
    size_px: tuple[int, int],
) -> tuple[Float32Array, Mask]:
    """Return the old picture as it should look after the move, and a mask of where that is not known.

    Either the camera moved, and with it the whole picture, or the cloth alone. The hypothesis that leaves less change
    is taken.
    """
    h, w = now.shape[:2]
    scale = w / size_px[0], h / size_px[1]
    shrink = np.diag([*scale, 1.0])
    matrix = shrink @ now_from_before @ np.linalg.inv(shrink)
    whole = cv2.warpPerspective(unoccluded, matrix, (w, h), flags=cv2.INTER_LINEAR, borderValue=(-1.0, -1.0, -1.0))
    outside = cv2.dilate((whole[:, :, 0] < 0).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    field = hull_mask(new, (h, w), BOARD_STRETCH, scale) > 0
    # The cloth may have covered the table around the field before and leave it bare now.
    old_cloth, new_cloth = (hull_mask(place, (h, w), CLOTH_STRETCH, scale) for place in (old, new))
    uncovered = ((old_cloth | new_cloth) > 0) & ~field
    cloth = np.where(field[:, :, None], np.maximum(whole, 0), unoccluded).astype(np.float32)
    hypotheses = (np.maximum(whole, 0).astype(np.float32), outside), (cloth, uncovered | (field & outside))
    changed_shares = [
        float((changed_pixels(predicted, now) & ~unknown).sum() / max(1, (~unknown).sum()))
        for predicted, unknown in hypotheses
    ]
    return hypotheses[int(np.argmin(changed_shares))]


# ---------------------------------------------------------------- change between downscaled pictures


def downscale(bgr: Image) -> Float32Array:
    """Return a picture reduced by averaging to a width of 320 px or a little more; levels, shape (h, w, 3)."""
    step = max(1, bgr.shape[1] // DOWNSCALED_WIDTH_PX)
    size = max(1, bgr.shape[1] // step), max(1, bgr.shape[0] // step)
    return reduce_by_averaging(bgr, size).astype(np.float32)


def match_lighting(old: Float32Array, new: Float32Array) -> Float32Array:
    """Return an old picture in the light of a new one; each (h, w, 3), levels.

    ``old`` is multiplied, in each channel, by a gain that is a quadratic polynomial in x and y in log space. The fit is
    an iteratively reweighted least squares with Cauchy weights, started at the median, on every fourth pixel each way.
    Up to about half of the picture may be covered by something else.
    """
    h, w = old.shape[:2]
    y, x = np.mgrid[0:h:LIGHT_FIT_STEP_PX, 0:w:LIGHT_FIT_STEP_PX].astype(np.float32)
    along, down = x.ravel() / w - 0.5, y.ravel() / h - 0.5
    basis = np.stack([np.ones_like(along), along, down, along * along, along * down, down * down], axis=1)
    sparse = slice(None, None, LIGHT_FIT_STEP_PX)
    log_ratio = np.log((new[sparse, sparse] + 4) / (old[sparse, sparse] + 4)).reshape(-1, 3)
    medians = [median(part) for quarter in np.array_split(log_ratio, 4) for part in quarter.T]
    if max(map(abs, medians)) < SAME_LIGHT_LOG_RATIO:
        return old
    gain = np.empty((*x.shape, 3), np.float32)
    for channel in range(3):
        target = log_ratio[:, channel]
        fit = np.zeros(basis.shape[1], np.float32)
        fit[0] = median(target)
        for _ in range(4):
            residual = target - basis @ fit
            scale = max(1.5 * float(median(np.abs(residual))), 0.01)
            weighted = basis / (1 + (residual / scale) ** 2)[:, None]
            fit = np.linalg.solve(weighted.T @ basis + 1e-3 * np.eye(6, dtype=np.float32), weighted.T @ target)
        gain[..., channel] = np.exp(basis @ fit).reshape(x.shape)
    # The gain is smooth, so it is computed on the sparse pixels and enlarged; pixel 0 stays pixel 0.
    enlarge = np.array([[LIGHT_FIT_STEP_PX, 0, 0], [0, LIGHT_FIT_STEP_PX, 0]], np.float32)
    full = cv2.warpAffine(gain, enlarge, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray((old + 4) * full - 4, np.float32)


def changed_pixels(old: Float32Array, new: Float32Array) -> Mask:
    """Return the mask of pixels that differ from an older picture by more than light and noise, shape (h, w)."""
    expected = match_lighting(old, new)
    difference = cv2.blur(_channel_maximum(np.abs(new - expected)), (3, 3))
    threshold = np.maximum(MIN_CHANGED_LEVELS, MIN_CHANGED_BRIGHTNESS_SHARE * _channel_maximum(expected))
    return np.asarray(difference > threshold, np.bool_)


def _channel_maximum(picture: Float32Array) -> Float32Array:
    """Return the greatest of the three channels at every pixel; ``max(axis=2)`` would take ten times as long."""
    return np.maximum(np.maximum(picture[..., 0], picture[..., 1]), picture[..., 2])


# ---------------------------------------------------------------- occluders


def find_occluders(
    old: Float32Array,
    new: Float32Array,
    field: Field,
    size_px: tuple[int, int],
    unknown: Mask | None = None,
    border_area_spacings: float = MIN_BORDER_OCCLUDER_AREA_SPACINGS,
    moved_cells: Mask | None = None,
    thing_area_spacings: float = MIN_OCCLUDER_AREA_SPACINGS,
    widest_stone_units: float = np.inf,
) -> tuple[Mask, Mask]:
    """Return the mask of what is in the way in a downscaled picture, and of what of it reaches the border, (h, w) each.

    ``old`` had nothing in the way. A change since counts that is too large or too wide to be a stone, or that reaches
    the border, unless the surface is the same in another light: a shadow keeps the fine detail of what it falls on, a
    hand does not. The least areas of both are in squared spacings. ``unknown`` marks what ``old`` does not show since
    it was moved. An occluder must have moved in through ``moved_cells`` (``MotionState.moved_cells``). ``size_px`` is
    the size of the picture that ``field`` belongs to.
    """
    change = changed_pixels(old, new)
    if unknown is not None:
        change &= ~unknown
    moved = _dilate_cells(moved_cells, change.shape) if moved_cells is not None else None
    scale = change.shape[1] / size_px[0]
    square = float(median(field.spacing_px) * scale) ** 2
    closed = _closed(change)
    n, labels, stats, centres = cv2.connectedComponentsWithStats(closed, connectivity=8)
    h, w = change.shape
    is_wide = np.zeros(n, np.bool_)
    if np.isfinite(widest_stone_units):
        is_wide[labels[_wider_than(closed, WIDER_THAN_STONES * widest_stone_units, field, scale)]] = True
    is_occluder, border = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    detail: tuple[Float32Array, Float32Array] | None = None
    for i in range(1, n):
        x, y, width, height, area = (int(v) for v in stats[i])
        if field.board.rings and _is_on_field(labels == i, field, scale):
            continue  # a disc has turned: that changes a whole ring, but nothing is in the way
        at_border = border[i] = x <= 1 or y <= 1 or x + width >= w - 1 or y + height >= h - 1
        nearest = np.linalg.norm(field.points_px * scale - centres[i], axis=1).argmin()
        here = max(square, float(field.spacing_px[nearest] * scale) ** 2)  # things near the camera are larger
        if is_wide[i] or area > (square * border_area_spacings if at_border else here * thing_area_spacings):
            inside = labels == i
            if moved is not None and moved[inside].mean() < MIN_MOTION_OVERLAP:
                continue
            detail = detail or (_log_detail(old), _log_detail(new))
            is_occluder[i] = _correlation(detail[0][inside], detail[1][inside]) < SAME_SURFACE_CORRELATION
            if is_occluder[i] and at_border and area < square * MIN_OCCLUDER_AREA_SPACINGS:
                is_occluder[i] = not _was_removed(old, new, inside, change)
    if unknown is not None:
        # The old picture was moved with the cloth, shadows and all, but shadows stay where they are. A hand differs
        # from them by its arm, which reaches the border.
        is_occluder &= border
    if not is_occluder.any():
        return np.zeros((h, w), np.bool_), np.zeros((h, w), np.bool_)
    return np.asarray(is_occluder[labels], np.bool_), np.asarray((is_occluder & border)[labels], np.bool_)


def _change_radius_units(inside_px: Float32Array, place: Float64Array, unit: float) -> float:
    """Return the radius of the widest disc of changed pixels within half a unit of a place, units."""
    (x0, y0), (x1, y1) = np.floor(place - unit / 2).astype(int).clip(0), np.ceil(place + unit / 2).astype(int).clip(0)
    near = inside_px[y0 : y1 + 1, x0 : x1 + 1]
    y, x = np.mgrid[y0 : y0 + near.shape[0], x0 : x0 + near.shape[1]]
    return float(near[np.hypot(x - place[0], y - place[1]) <= unit / 2].max(initial=0.0) / unit)


def with_stones_measured(
    things: KnownThings,
    old: Float32Array | None,
    new: Float32Array,
    field: Field,
    size_px: tuple[int, int],
    stones: NDArray[np.integer],
    n_players: int,
) -> KnownThings:
    """Return what is known of things after a look that hides no point.

    ``stones``, (n_points,), has the players, from 1, whose stones were laid or taken; 0 elsewhere.
    """
    if old is None or not stones.any():
        return KnownThings(things.stone_radii_units)
    inside_px = np.asarray(cv2.distanceTransform(_closed(changed_pixels(old, new)), cv2.DIST_L2, 5), np.float32)
    scale = new.shape[1] / size_px[0]
    radii = [list(own) for own in things.stone_radii_units or ((),) * n_players]
    for point in np.flatnonzero(stones):
        place, unit = field.points_px[point] * scale, float(_unit_px(field)[point]) * scale
        radii[stones[point] - 1] += [radius] if (radius := _change_radius_units(inside_px, place, unit)) > 0 else []
    return KnownThings(tuple(map(tuple, radii)))


def standing_things(check: OcclusionCheck) -> Mask | None:
    """Return where things stand in a decided look, and two pixels around them: noise moves their edges."""
    if check.things is None or not check.things.any():
        return None
    return np.asarray(cv2.dilate(check.things.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, np.bool_)


def _closed(change: Mask) -> NDArray[np.uint8]:
    """Return a mask without the gaps of a pixel or two, 0 or 1."""
    return np.asarray(cv2.morphologyEx(change.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _wider_than(closed: NDArray[np.uint8], radius_units: float, field: Field, scale: float) -> Mask:
    """Return the mask of changed pixels that lie further than a radius from what has not changed, (h, w)."""
    inside_px, unit_px = cv2.distanceTransform(closed, cv2.DIST_L2, 5), _unit_px(field) * scale
    wide = np.asarray(inside_px > radius_units * unit_px.min(), np.bool_)
    y, x = np.nonzero(wide)
    nearest = np.linalg.norm(field.points_px * scale - np.column_stack([x, y])[:, None], axis=2).argmin(axis=1)
    wide[y, x] = inside_px[y, x] > radius_units * unit_px[nearest]
    return wide


def _unit_px(field: Field) -> Float64Array:
    """Return the length of a unit in the picture at each point, the geometric mean of its directions, (n_points,)."""
    return np.asarray(stone_unit(field.board) * np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))), np.float64)


def _dilate_cells(moved_cells: Mask, shape: tuple[int, ...]) -> Mask:
    """Return a mask of cells enlarged to the downscaled picture, and by one cell each way."""
    grown = cv2.dilate(moved_cells.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.resize(grown, shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0, np.bool_)


def _is_on_field(change: Mask, field: Field, scale: float) -> bool:
    """Return whether nine tenths of a change lie on the field; an arm would reach over its edge."""
    return bool((hull_mask(field, change.shape, 1.3, (scale, scale)) > 0)[change].mean() > 0.9)


def _was_removed(old: Float32Array, new: Float32Array, inside: Mask, change: Mask) -> bool:
    """Return whether a thing was taken away: the place looks like its surroundings now, and did not before."""
    near = cv2.dilate(inside.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    around = near & ~(cv2.dilate(change.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
    if around.sum() < 8:
        return False
    before, now = (
        float(np.abs(median(picture[inside], axis=0) - median(picture[around], axis=0)).max()) for picture in (old, new)
    )
    return now < 0.5 * before


def _log_detail(picture: Float32Array) -> Float32Array:
    """Return log brightness less its surroundings, so that a gain drops out; shape (h, w)."""
    log = np.log(picture @ np.ones(3, np.float32) + 12)
    return np.asarray(log - cv2.blur(log, (9, 9)), np.float32)


def _correlation(a: Float32Array, b: Float32Array) -> float:
    """Return the correlation of two arrays of the same shape, -1 to 1."""
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / (np.sqrt((a * a).sum() * (b * b).sum()) + 1e-6))


def hidden_points(occluder: Mask, field: Field, size_px: tuple[int, int]) -> Mask:
    """Return which points have an occluder within 0.4 of their spacing; bool array of shape (n_points,)."""
    if not occluder.any():
        return np.zeros(len(field.points_px), np.bool_)
    free_px = cv2.distanceTransform((~occluder).astype(np.uint8), cv2.DIST_L2, 3)
    scale = occluder.shape[1] / size_px[0]
    h, w = occluder.shape
    x = np.clip(np.rint(field.points_px[:, 0] * scale), 0, w - 1).astype(int)
    y = np.clip(np.rint(field.points_px[:, 1] * scale), 0, h - 1).astype(int)
    return np.asarray(free_px[y, x] < 0.4 * field.spacing_px * scale, np.bool_)
