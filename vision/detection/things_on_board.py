"""Things that lie on what may be a board: large even patches of another colour than its ground.

Where much of a board is covered, no drawing explains the strokes that are left. What covers it is seen all the same: a
sheet, a book, a bowl or a sleeve is larger than any stone and of one colour, and strokes and stripes are thin.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.playing_areas import OUTLINE_IMAGE_SIDE_PX, PlayingArea
from vision.imaging import cv
from vision.imaging.frame import Float64Array, Image

N_COLOURS = 6
"""Colours into which the pixels of a playing area are sorted."""

MIN_THING_SHARE, MIN_COVERED_SHARE = 0.06, 0.2
"""Least share of the playing area that one thing covers, and that all of them cover together."""

MAX_THINGS = 4
"""Most things that lie on a board; more patches of one size are a pattern."""

MIN_SOLIDITY, MIN_BREADTH = 0.84, 0.3
"""Least share of its convex hull that a thing fills, and its least breadth over its length: a stripe has less."""

MIN_GROUND_DISTANCE = 14.0
"""Least difference of its colour from the ground's, Lab with brightness at half weight."""


@dataclass(frozen=True, eq=False)
class Covered:
    """What covers a part of a playing area.

    Attributes:
        share: Of the playing area.
        places_px: (n, 2). Places under it, image space.
        offset: (2,). From the middle of the playing area to the middle of what is covered, radii of the area.
    """

    share: float
    places_px: Float64Array
    offset: Float64Array


def find_things_on(bgr: Image, area: PlayingArea) -> Covered | None:
    """Return what covers a playing area; None where too little of it is covered, or by a pattern."""
    factor = min(1.0, OUTLINE_IMAGE_SIDE_PX / max(bgr.shape[:2]))
    small = np.asarray(cv2.medianBlur(cv.shrink(bgr, factor), 5), np.uint8)
    rows, columns = np.indices(small.shape[:2])
    xy = (np.stack([columns, rows], axis=-1) + 0.5) / factor - 0.5
    unit = (xy - area.image_from_unit[:2, 2]) @ np.linalg.inv(area.image_from_unit[:2, :2]).T
    away = np.linalg.norm(unit, axis=-1)
    inside, rim = away < 0.95, (away > 0.75) & (away < 0.95)
    if inside.sum() < 200:
        return None
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32) * np.array([0.5, 1, 1], np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.3)
    _, found, centres = cv2.kmeans(lab[inside], N_COLOURS, None, stop, 2, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    labels = np.full(inside.shape, -1)
    labels[inside] = found.ravel()
    ground = int(np.bincount(labels[rim], minlength=N_COLOURS).argmax())
    things = np.zeros(inside.shape, np.bool_)
    n_things = 0
    for label in range(N_COLOURS):
        if np.linalg.norm(centres[label] - centres[ground]) < MIN_GROUND_DISTANCE:
            continue
        for part in _even_parts(labels == label, MIN_THING_SHARE * float(inside.sum())):
            things |= part
            n_things += 1
    share = float(things.sum() / inside.sum())
    if not 0 < n_things <= MAX_THINGS or share < MIN_COVERED_SHARE:
        return None
    return Covered(share, xy[things], np.asarray(unit[things].mean(axis=0) @ _turn(area).T))


def _turn(area: PlayingArea) -> Float64Array:
    """Return the directions of the unit axes in the picture as unit columns, (2, 2)."""
    axes = area.image_from_unit[:2, :2]
    turn: Float64Array = axes / np.linalg.norm(axes, axis=0)
    return turn


def _even_parts(mask: NDArray[np.bool_], least_px: float) -> list[NDArray[np.bool_]]:
    """Return the connected parts of a mask that are as large, as solid and as broad as a thing."""
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    n, parts = cv2.connectedComponents(whole)
    out = []
    for i in range(1, n):
        part = np.asarray(parts == i)
        if part.sum() < least_px:
            continue
        contour = max(cv.outer_contours(np.asarray(part, np.uint8)), key=len)
        hull_area = cv2.contourArea(cv2.convexHull(contour))
        breadth = sorted(cv2.minAreaRect(contour)[1])
        if part.sum() > MIN_SOLIDITY * hull_area and breadth[0] > MIN_BREADTH * breadth[1]:
            out.append(part)
    return out
