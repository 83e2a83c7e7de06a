"""A picture and its field in, the strokes out as they lie there: where each runs, whether it is seen, how pale it is.

The board is looked at from above. Where the finder does not follow a joint that lies askew, its links run beside their
strokes; so each joint is moved to where the map of strokes is warmest under them. A link that the map does not show
is not there. How pale one is, the map does not say: that is measured in the picture, along the way that the map shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.stroke_fit import offset_of_strokes
from vision.detection.template_pose import moved_samples
from vision.detection.templates import Template, TemplateKey, board_template
from vision.imaging.field import Field
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.homography import apply_homography
from vision.imaging.medians import median, percentile
from vision.imaging.patches import log_colour_of, log_colour_to_bgr, stone_unit
from vision.networks.heat_maps import SEEN_FROM_MAP, STRIDE, HeatMaps, look_from_above, seen_part

ASKEW_SIDES = 0.13  # how far from where the finder has it a joint is looked for, sides
ASKEW_COST = 0.25  # warmth of its links that a joint must gain to be moved as far as that, share
WOBBLE_PX = 3.0  # how far aside of a straight link its stroke runs, px of the map: 3 % of a side

# part of a link that tells of it, from its middle, share of its length: stones lie at its ends, others cross there
MIDDLE_OF_LINK = 0.3
PLACES_OF_LINK = 25  # number of places along a link: they lie nearer than a stitch is long
MIN_PLACES = 7  # least number of places in sight that say how pale a link is
STONE_REACH_UNITS = 0.6  # how far from its point a stone, or its shadow, hides a stroke, units

GROUND_SIDES = 0.09  # distance from the middle of a stroke at which its ground is seen, sides: beside a broad bar
VIEW_BLUR_PX = 1.0  # blur of the picture from above in which colours are measured, px: noise
GROUND_NOISE = 0.02  # variation of the ground at least, log colours: what rounding and a camera's noise leave
CONTRAST_PERCENTILE = 80  # percentile of the contrasts along a link that counts: a dry brush and stitches have gaps


@dataclass(frozen=True, eq=False)
class StrokeTraces:
    """The links of a drawing as they lie in one picture."""

    template: Template
    ideal_joints: Float64Array  # (n_joints, 2); where the strokes of a perfect board meet, board space
    joints_px: Float64Array  # (n_joints, 2); where those of this board meet, image space
    warmth: Float64Array  # (n_links,); how likely a stroke is where each is, under stones too, 0 to 1; NaN out of sight
    contrast: Float64Array  # (n_links,); contrast of each with the ground, shares of the usual one; NaN if hidden
    ground_bgr: Image  # (n_links, 3); usual colour of the ground on both sides of each
    ways_px: tuple[Float64Array, ...]  # (``PLACES_OF_LINK``, 2) each; where each link runs, image space


def trace_strokes(bgr: Image, field: Field, has_stone: NDArray[np.bool_]) -> StrokeTraces | None:
    """Follow every stroke of a field; None where its drawing has no strokes.

    How pale a stroke is, is not known where a stone lies on it; ``has_stone`` has shape (n_points,).
    """
    drawing = next((d for d in field.board.drawings if d.name == field.drawing), None)
    if drawing is None or drawing.name == "holes":
        return None
    t = board_template(TemplateKey(field.board, drawing))
    board_from_template = np.linalg.inv(t.template_from_board).astype(np.float64)
    ideal, samples = (apply_homography(board_from_template, xy) for xy in (t.joints, t.sample_xy))
    maps = look_from_above(bgr, field.image_from_board, samples.min(0), samples.max(0))
    map_from_board = maps.map_from_image @ field.image_from_board
    side_px = float(map_from_board[0, 0] / map_from_board[2, 2])
    h: Float64Array = map_from_board @ board_from_template
    joints = _settled_joints(maps["strokes"], t, h, _joints_of_field(t, h, maps, field), ASKEW_SIDES * side_px)
    share = np.linspace(0, 1, PLACES_OF_LINK)
    way = _ways(t, joints, moved_samples(t, h, joints), share)
    along = np.gradient(way, axis=1)
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    offset, warmth = (
        one.reshape(way.shape[:2])
        for one in offset_of_strokes(maps["strokes"], way.reshape(-1, 2), across.reshape(-1, 2), WOBBLE_PX)
    )
    way += offset[..., None] * across
    in_middle = (np.abs(share - 0.5) < MIDDLE_OF_LINK) & maps.shows(way)
    stones = apply_homography(maps.map_from_image, field.points_px[has_stone])
    away = np.linalg.norm(way[..., None, :] - stones, axis=-1).min(axis=-1, initial=np.inf)
    clear = in_middle & (away > STONE_REACH_UNITS * stone_unit(field.board) * side_px)
    aside = GROUND_SIDES * side_px * across
    middle, one, other = _colours_of(bgr, maps, np.stack([way, way - aside, way + aside]))
    contrast = _contrasts(middle, one, other, clear)
    is_measured = np.isfinite(contrast)
    return StrokeTraces(
        t,
        ideal,
        apply_homography(maps.image_from_map, joints),
        np.array([warm[on].mean() if on.any() else np.nan for warm, on in zip(warmth, in_middle, strict=True)]),
        contrast / max(float(median(contrast[is_measured])), 1e-9) if is_measured.any() else contrast,
        log_colour_to_bgr(median(np.hstack([one, other]), axis=1)),
        tuple(apply_homography(maps.image_from_map, way)),
    )


def _joints_of_field(t: Template, h: Float64Array, maps: HeatMaps, field: Field) -> Float64Array:
    """Return the joints as the finder has them, map space: where points lie, and others by the homography."""
    joints = apply_homography(h, t.joints)
    if t.drawing == "lines":
        joints[t.points_from_joints.argmax(1)] = apply_homography(maps.map_from_image, field.points_px)
    return joints


def _settled_joints(
    strokes: Float32Array, t: Template, h: Float64Array, start: Float64Array, reach_px: float
) -> Float64Array:
    """Return the joints, each where its links are warmest, map space; it costs to move one far."""
    wide = cv2.dilate(strokes, np.ones((3, 3), np.uint8))
    steps = np.arange(-int(reach_px), int(reach_px) + 1, dtype=np.float64)
    moves = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    moves = moves[np.linalg.norm(moves, axis=1) <= reach_px]
    cost = ASKEW_COST * (moves**2).sum(axis=1) / reach_px**2
    joints = start.copy()
    for k, weight in enumerate(t.sample_weights.T):
        own = weight > 0
        at = (moved_samples(t, h, joints)[own] + weight[own, None] * moves[:, None]).astype(np.float32)
        warmth = cv2.remap(wide, at[..., 0], at[..., 1], cv2.INTER_LINEAR).mean(axis=1)
        joints[k] += moves[int((warmth - cost).argmax())]
    return joints


def _ways(t: Template, joints: Float64Array, samples: Float64Array, share: Float64Array) -> Float64Array:
    """Return places along every link, at these shares of its length, (n_links, n, 2)."""
    ways = []
    for k, (a, b) in enumerate(t.links):
        on = t.sample_links == k
        xy, at = np.vstack([joints[a], samples[on], joints[b]]), np.concatenate([[0], t.sample_fractions[on], [1]])
        ways.append(np.column_stack([np.interp(share, at, xy[:, axis]) for axis in (0, 1)]))
    return np.array(ways)


def _colours_of(bgr: Image, maps: HeatMaps, places: Float64Array) -> Float64Array:
    """Return the log colours of places, map space, seen from above, (..., 3)."""
    height, width = maps.inside.shape
    view, _ = seen_part(bgr, SEEN_FROM_MAP @ maps.map_from_image, (STRIDE * width, STRIDE * height))
    colour = cv2.GaussianBlur(log_colour_of(view), (0, 0), VIEW_BLUR_PX)
    at = apply_homography(SEEN_FROM_MAP, places).reshape(-1, *places.shape[-2:]).astype(np.float32)
    colours = cv2.remap(colour, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(colours, np.float64).reshape(*places.shape[:-1], 3)


def _contrasts(middle: Float64Array, one: Float64Array, other: Float64Array, clear: NDArray[np.bool_]) -> Float64Array:
    """Return the contrast of each way with the ground on its one and other side; NaN where too few places are clear.

    It is measured in the direction in which the strokes stand out best from a ground that varies (Fisher's linear
    discriminant, 1936): the mean of both sides, proportional to the paint. But no more than twice the lesser one, as a
    stroke stands out on both sides, the rim of a cloth on one. Colours are (n_ways, n, 3), ``clear`` is (n_ways, n).
    """
    if not clear.any():
        return np.full(len(clear), np.nan)
    off, unlike = middle - (one + other) / 2, (one - other) / 2
    noise = unlike[clear].T @ unlike[clear] / clear.sum() + GROUND_NOISE**2 * np.eye(3)
    direction = np.linalg.solve(noise, median(off[clear], axis=0))
    contrast, uneven = off @ direction, np.abs(unlike @ direction)
    contrast = np.minimum(contrast, 2 * (contrast - uneven))
    return np.array(
        [
            percentile(along[on], CONTRAST_PERCENTILE) if on.sum() >= MIN_PLACES else np.nan
            for along, on in zip(contrast, clear, strict=True)
        ]
    )
