"""What is wrong with the photograph of a board: a lamp is reflected, stones are too small in it, or it is cut off."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.making.board_faults import BoardFault, point_fault
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


def lamp_shares(bgr: Image, field: Field) -> Float64Array:
    """Return how much of a lamp is reflected nearest to every point, in areas of the place of a stone, (n_points,)."""
    place_sides = min(stone_unit(field.board), WIDEST_PLACE_SIDES)
    scale_px = np.sqrt(np.abs(np.linalg.det(image_jacobians(field)))) * place_sides
    lit = (bgr.min(axis=2) >= GLARE_LEVEL).astype(np.uint8)
    side = max(1, round(GLARE_OPENING_UNITS * float(np.median(scale_px))))
    lit = np.asarray(cv2.morphologyEx(lit, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)
    lit[~_playing_area(field, scale_px, size_of(bgr))] = 0
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


def glare_fault(field: Field, lamp: Float64Array) -> list[BoardFault]:
    """Return the points at which a lamp is reflected; ``lamp`` as ``lamp_shares`` has it."""
    where = np.flatnonzero(lamp > GLARE_SHARE)
    return point_fault("glare", field, where, float(lamp.max()))


def size_fault(field: Field) -> list[BoardFault]:
    """Return the points at which a usual stone is narrower than the readers were measured for."""
    scale = np.sqrt(np.abs(np.linalg.det(image_jacobians(field))))
    across = scale * stone_unit(field.board) * STONE_DIAMETER_UNITS
    where = np.flatnonzero(across < METER_LIMITS["pebble"].fair)
    return point_fault("too_small", field, where, float(across.min()))


def cut_fault(field: Field, size_px: tuple[int, int]) -> list[BoardFault]:
    """Return the points that the picture cuts off."""
    where = np.flatnonzero(~field.in_sight(size_px))
    return point_fault("cut_off", field, where, len(where) / len(field.board.points))
