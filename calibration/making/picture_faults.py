"""What is wrong with the photograph of a board: a lamp is reflected, stones are too small in it, or it is cut off."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.making.board_faults import BoardFault, point_fault
from calibration.making.stroke_traces import StrokeTraces
from calibration.placement import GLARE_LEVEL, METER_LIMITS, STONE_DIAMETER_UNITS
from vision.imaging.field import Field
from vision.imaging.frame import Float64Array, Image, size_of
from vision.imaging.patches import image_jacobians, stone_unit

GLARE_REACH_UNITS = 0.5
"""Radius of the place of a stone, units. Source: chosen."""

GLARE_SHARE = 0.04
"""Area of a lamp's reflection nearest to a point, as a share of the place of a stone, from which it spoils the board:
a ninth of a usual stone. Source: chosen."""

WIDEST_PLACE_SIDES = 0.24
"""Greatest place of a stone, sides: wider boards are played with the same pebbles. Source: chosen."""

MOST_LIT_PLACES = 20000
"""Most pixels of a reflection that are counted one by one. Source: chosen."""

GLARE_OPENING_UNITS = 0.16
"""Width up to which something bright is a line of white paint or a glint, not a lamp, units. Source: chosen."""

VEIL_BRIGHTNESS, VEIL_SATURATION = 1.1, 0.8
"""Brightness of the ground beside a line from which, and colour up to which, a lamp is reflected there, shares of what
is usual on the board. Source: measured; 1.22 and 0.66 at a reflection on a real board, and colours of 0.91 and more
beside pale lines of 24 drawn ones (seeds 252300 up of `tests/calibration/faulty_boards.py`)."""

VEILED_CONTRAST = 0.5
"""Share of the contrast of the other strokes below which a reflection spoils a line. Source: chosen."""

MIN_SATURATION = 0.1
"""Saturation of the ground from which on it can become less colourful. Source: chosen."""

GROUND_SPACINGS, GROUND_BLUR_SPACINGS = 0.18, 0.03
"""Distance from a line at which its ground is looked at, and blur before, distances of two points. Source: chosen."""

WHITE_GROUND_LEVEL = 235
"""Level of the darkest channel from which the ground is as white as a lamp, so that none can be told there, of 255.
Source: chosen."""


def lamp_shares(bgr: Image, field: Field) -> Float64Array:
    """Return how much of a lamp is reflected nearest to every point, in areas of the place of a stone, (n_points,)."""
    place_sides = min(stone_unit(field.board), WIDEST_PLACE_SIDES)
    scale_px = np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))) * place_sides
    lit = (bgr.min(axis=2) >= GLARE_LEVEL).astype(np.uint8)
    side = max(1, round(GLARE_OPENING_UNITS * float(np.median(scale_px))))
    lit = np.asarray(cv2.morphologyEx(lit, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    area = _playing_area(field, scale_px, size_of(bgr))
    if np.median(bgr.min(axis=2)[area]) >= WHITE_GROUND_LEVEL:
        return np.zeros(len(field.points_px))
    lit[~area] = 0
    row, column = np.nonzero(lit)
    if not len(row):
        return np.zeros(len(field.points_px))
    step = max(1, len(row) // MOST_LIT_PLACES)
    places = np.column_stack([column, row])[::step].astype(np.float64)
    nearest = np.linalg.norm(places[:, None] - field.points_px[None], axis=2).argmin(axis=1)
    area_px = np.bincount(nearest, minlength=len(field.points_px)) * step
    share: Float64Array = area_px / (np.pi * (GLARE_REACH_UNITS * scale_px) ** 2)
    return share


def _playing_area(field: Field, scale_px: Float64Array, size_px: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which pixels lie between the points or where a stone stands on one, (H, W)."""
    area = np.zeros(size_px[::-1], np.uint8)
    hull = cv2.convexHull(field.points_px.astype(np.float32)).reshape(-1, 2)
    cv2.fillConvexPoly(area, np.rint(hull).astype(np.int32), 1)
    for (x, y), reach in zip(field.points_px, GLARE_REACH_UNITS * scale_px, strict=True):
        cv2.circle(area, (round(x), round(y)), round(reach), 1, -1)
    return area > 0


def veiled_links(bgr: Image, field: Field, traces: StrokeTraces) -> NDArray[np.bool_]:
    """Return the links by which a lamp is reflected too dimly to be white: it pales line and ground, (n_links,).

    The ground there is brighter than elsewhere on the board, as in a patch of sun, and less colourful, unlike there.
    """
    spacing_px = float(np.median(field.spacing_px))
    smooth = cv2.GaussianBlur(bgr, (0, 0), max(1.0, GROUND_BLUR_SPACINGS * spacing_px))
    ground = []
    for way in traces.ways_px:
        middle = slice(len(way) // 4, len(way) - len(way) // 4)
        along = np.gradient(way, axis=0)
        across = np.column_stack([-along[:, 1], along[:, 0]])
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        aside = [(way + side * GROUND_SPACINGS * spacing_px * across)[middle] for side in (-1, 1)]
        places = np.vstack(aside).astype(np.float32)
        seen = cv2.remap(smooth, places[:, :1], places[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        ground.append(np.median(seen.reshape(-1, 3), axis=0))
    levels = np.array(ground)
    brightness = levels.max(axis=1)
    saturation = 1 - levels.min(axis=1) / np.maximum(brightness, 1)
    usual = float(np.median(saturation))
    if usual < MIN_SATURATION:
        return np.zeros(len(levels), np.bool_)
    is_bright = brightness > VEIL_BRIGHTNESS * np.median(brightness)
    return np.asarray(is_bright & (saturation < VEIL_SATURATION * usual))


def points_at_links(field: Field, traces: StrokeTraces, links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points lie at the ends of some links, or on both sides of them, (n_points,)."""
    middles = traces.ideal_joints[traces.template.links[links]].mean(axis=1)
    away = np.linalg.norm(middles[:, None] - np.asarray(field.board.xy)[None], axis=2)
    return np.asarray((away < 1.05 * away.min(axis=1, keepdims=True)).any(axis=0))


def glare_fault(field: Field, lamp: Float64Array, is_veiled: NDArray[np.bool_]) -> list[BoardFault]:
    """Return the points at which a lamp is reflected.

    Args:
        lamp: float64 array of shape (n_points,). As ``lamp_shares`` has it.
        is_veiled: bool array of shape (n_points,). Points at lines that a dim reflection pales.
    """
    return point_fault("glare", field, np.flatnonzero((lamp > GLARE_SHARE) | is_veiled), float(lamp.max()))


def size_fault(field: Field) -> list[BoardFault]:
    """Return the points at which a usual stone is narrower than the readers were measured for."""
    scale = np.sqrt(np.abs(np.linalg.det(image_jacobians(field))))
    across = scale * min(stone_unit(field.board), WIDEST_PLACE_SIDES) * STONE_DIAMETER_UNITS
    where = np.flatnonzero(across < METER_LIMITS["pebble"].fair)
    return point_fault("too_small", field, where, float(across.min()))


def cut_fault(field: Field, size_px: tuple[int, int]) -> list[BoardFault]:
    """Return the points that the picture cuts off."""
    where = np.flatnonzero(~field.in_sight(size_px))
    return point_fault("cut_off", field, where, len(where) / len(field.board.points))
