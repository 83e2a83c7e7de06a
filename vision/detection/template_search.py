"""Coarse search: the turns, sizes, tilts and places of a template at which its strokes fall on evidence.

All turns, sizes and tilts of a template are prepared once as look-up maps into the evidence; a whole search is then
a few dozen calls of ``cv2.remap``. Shifts need no maps of their own: the same maps are read from a shifted view.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_WAYS
from vision.detection.templates import Template
from vision.imaging.homography import Floats, apply_homography

SIDE_PX = 224
"""Side of a patch."""

UNIT_PX = 78.0
"""Pixels of the patch per unit of the candidate: the unit circle and a rim of 0.43 fit in."""

COARSE = 2
"""The search runs on evidence this much smaller."""

SIZES = tuple(1.18 * 0.9**k for k in range(10))
"""Radii of the drawing in units of the candidate: 1.18 (a square plate painted to its corners is 1.22) to 0.46."""

SHRINKS = (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36)
"""How much nearer the near rim of the unit circle is than its middle: distances of 0.9 to 3 diameters at 60 degrees."""

SHIFTS_PX = tuple(range(-9, 10, 3))
"""Shifts in pixels of the coarse evidence, up to 0.23 units."""

TURN_STEP_DEG = 4.5

N_COARSE = 108
"""Samples of a template in the coarse search."""

N_GLANCE = 36
"""Samples with which all turns, sizes, tilts and places are glanced at; the best are looked at with all."""

N_BEST = 1600
"""Places that are looked at with all samples: one in forty."""

N_APART, ALIKE = 400, 0.08
"""Best places of which those are told that are not alike, and how far the corners of like ones are apart, units."""


def unit_from_patch() -> Floats:
    """From pixels of the patch to the candidate's unit plane."""
    return np.array([[1, 0, -(SIDE_PX - 1) / 2], [0, 1, -(SIDE_PX - 1) / 2], [0, 0, UNIT_PX]]) / UNIT_PX


def lean(shrink: float) -> Floats:
    """The homography that keeps the unit circle and takes its middle along y: a disc seen aslant from nearby."""
    s = np.sqrt(1 - shrink * shrink)
    return np.array([[s, 0, 0], [0, 1, shrink], [0, shrink, 1.0]])


@dataclass(frozen=True, eq=False)
class Pose:
    """A place of a template in a candidate.

    Attributes
    ----------
    score : float
        Mean evidence under the template's samples, 0 to 1.
    unit_from_template : float64 array of shape (3, 3)
    """

    score: float
    unit_from_template: Floats


@cache
def _maps(template: Template) -> tuple[NDArray[np.int16], Floats, NDArray[np.int16]]:
    """Look-up maps into the stacked coarse evidence.

    They have shape (n_poses, n_samples, 2); with them unit_from_template (n_poses, 3, 3) and the maps of few samples.
    """
    pick = np.linspace(0, len(template.sample_xy) - 1, N_COARSE).round().astype(int)
    xy, along = template.sample_xy[pick], template.sample_along[pick]
    n_turns = max(1, round(360 / template.turns / TURN_STEP_DEG))
    homographies = []
    for shrink in SHRINKS:
        leaning = lean(shrink)
        for k in range(n_turns):
            a = 2 * np.pi / template.turns * k / n_turns
            for size in SIZES:
                turn = np.array(
                    [[np.cos(a) * size, -np.sin(a) * size, 0], [np.sin(a) * size, np.cos(a) * size, 0], [0, 0, 1]]
                )
                homographies.append(leaning @ turn)
    poses = np.array(homographies)
    side = SIDE_PX // COARSE
    unit = UNIT_PX / COARSE
    middle = (side - 1) / 2
    here = np.stack([apply_homography(h, xy) for h in poses])
    ahead = np.stack([apply_homography(h, xy + 1e-3 * along) for h in poses])
    way = np.arctan2(*np.moveaxis(ahead - here, -1, 0)[::-1])
    channel = np.round(way / np.pi * N_WAYS).astype(int) % N_WAYS
    border = max(SHIFTS_PX)
    column = np.clip(np.round(here[..., 0] * unit + middle), 0, side - 1) + border
    row = np.clip(np.round(here[..., 1] * unit + middle), 0, side - 1) + border + channel * (side + 2 * border)
    maps = np.stack([column, row], axis=-1).astype(np.int16)
    return maps, poses, np.ascontiguousarray(maps[:, 1 :: N_COARSE // N_GLANCE])


def stack(evidence: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Coarse evidence for ``search``: smaller, tolerant to a few pixels, all directions in one tall picture."""
    border = max(SHIFTS_PX)
    layers = []
    for k in range(N_WAYS):
        way = np.maximum(evidence[k], 0.6 * np.maximum(evidence[k - 1], evidence[(k + 1) % N_WAYS]))
        wide = cv2.dilate(way, np.ones((3, 3), np.uint8))
        small = cv2.resize(wide, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA)
        soft = cv2.GaussianBlur(cv2.dilate(small, np.ones((3, 3), np.uint8)), (0, 0), 1.2)
        layers.append(cv2.copyMakeBorder(soft, border, border, border, border, cv2.BORDER_CONSTANT))
    return np.asarray(np.clip(np.concatenate(layers) * 255, 0, 255), dtype=np.uint8)


def search(tall: NDArray[np.uint8], template: Template, most: int = 20) -> list[Pose]:
    """The best places of a template in stacked evidence, best first, places alike left out."""
    maps, poses, glance = _maps(template)
    n = len(maps)
    border = max(SHIFTS_PX)
    scores = np.empty((len(SHIFTS_PX) ** 2, n), np.float32)
    padded = cv2.copyMakeBorder(tall, border, border, border, border, cv2.BORDER_CONSTANT)
    height, width = tall.shape
    shifts = [(dx, dy) for dy in SHIFTS_PX for dx in SHIFTS_PX]
    empty = np.empty((0,), np.float32)
    for k, (dx, dy) in enumerate(shifts):
        view = padded[border + dy : border + dy + height, border + dx : border + dx + width]
        seen = cv2.remap(view, glance, empty, cv2.INTER_NEAREST)
        scores[k] = cv2.reduce(seen, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F).ravel()
    good = np.argpartition(-scores.ravel(), N_BEST)[:N_BEST]
    shift, pose = np.divmod(good, n)
    moved = maps[pose] + (np.array(shifts, np.int16)[shift] + np.int16(border))[:, None]
    flat = cv2.reduce(cv2.remap(padded, moved, empty, cv2.INTER_NEAREST), 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F).ravel()
    order = np.argpartition(-flat, N_APART)[:N_APART]
    order = order[np.argsort(-flat[order], kind="stable")]
    move = np.tile(np.eye(3), (N_APART, 1, 1))
    move[:, :2, 2] = np.array(shifts)[shift[order]] * (COARSE / UNIT_PX)
    h = move @ poses[pose[order]]
    corners = np.array([[-1.0, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) * [0.7, 0.7, 1]
    where = corners @ h.transpose(0, 2, 1)
    where = where[..., :2] / where[..., 2:]
    best: list[Pose] = []
    left = np.ones(N_APART, np.bool_)
    while left.any() and len(best) < most:
        first = int(left.argmax())
        best.append(Pose(float(flat[order[first]]) / 255, h[first]))
        left &= np.abs(where - where[first]).max(axis=(1, 2)) >= ALIKE
    return best
