"""Exhaustive coarse search for a template: rotations, sizes, tilts and places at which its strokes lie on lines.

All rotations, sizes and tilts of a template are prepared once as look-up maps into the line responses. A shift needs no
map of its own: for one along y the same map is read from a shifted view, and the responses for all shifts along x lie
side by side in the 8 bytes of one number.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.line_filter import N_DIRECTIONS
from vision.detection.templates import Template
from vision.imaging.frame import Float32Array, Float64Array

BOARD_PATCH_SIDE_PX = 224
"""Side of the square patch in which a board is seen from above, px."""

BOARD_PATCH_UNIT_PX = 78.0
"""Pixels of the patch per unit of the playing area: the unit circle and a rim of 0.43 fit in."""

FIT_RADIUS_PX = 84.0
"""Radius of the drawing, or of the outermost ring of discs, in the patch of the last fit, px."""

SEARCH_DOWNSAMPLING = 2
"""Factor by which the line responses are reduced for the search."""

TEMPLATE_RADII = tuple(1.18 * 0.9**k for k in range(10))
"""Radii of the drawing that are tried, 1.18 to 0.46 units; a square plate painted to its corners has 1.22."""

PERSPECTIVE_STEPS = (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36)
"""Perspectives that are tried, see ``tilt_homography``: at 60 degrees, distances of 0.9 to 3 diameters."""

MAX_SHIFT_PX, SHIFT_STEP_PX = 9, 3
"""Largest shift along x and y that is tried, and the step, px of the reduced responses: 9 are 0.23 units."""

SHIFTS_PX = tuple(range(-MAX_SHIFT_PX, MAX_SHIFT_PX + 1, SHIFT_STEP_PX))
"""Shifts that are tried along x and along y, at most 8. Every other one is quicker, but loses boards of burnt lines."""

ROTATION_STEP_DEG = 4.5
"""Step between the rotations that are tried, degrees."""

N_SEARCH_SAMPLES = 108
"""Samples of a template in the search."""

N_PREVIEW_SAMPLES = 36
"""Samples with which every rotation, size, tilt and place is scored first."""

N_FULLY_SCORED_POSES = 1600
"""Best poses that are scored again with all samples: one in forty."""

UNSEEN_RESPONSE = 0.35
"""Line response of a place outside the picture, 0 to 1: between that of a stroke and that of bare ground."""

N_NMS_POSES = 400
"""Best poses that enter the non-maximum suppression."""

NMS_CORNER_DISTANCE = 0.08
"""Two poses are duplicates when the corners of the drawing lie closer than this, units of the playing area."""


class CoarseLines(NamedTuple):
    """Line responses as ``search_template`` reads them, the directions below each other.

    ``padded``, uint8, has a border as wide as the largest shift round each direction, and another one round all of
    them. ``packed`` is that without its outer columns; the bytes of each number are the responses at its place for each
    shift along x.
    """

    padded: NDArray[np.uint8]
    packed: Float64Array


def patch_from_disc(radius_px: float = BOARD_PATCH_UNIT_PX) -> Float64Array:
    """Return the homography that puts the unit circle of a plane into the middle of the patch, with that radius."""
    middle = (BOARD_PATCH_SIDE_PX - 1) / 2
    return np.array([[radius_px, 0, middle], [0, radius_px, middle], [0, 0, 1.0]])


def unit_from_patch() -> Float64Array:
    """Return the homography from pixels of the patch to the unit plane of a playing area."""
    return np.asarray(np.linalg.inv(patch_from_disc()), np.float64)


def tilt_homography(perspective: float) -> Float64Array:
    """Return the homography that keeps the unit circle and moves its middle along y: a disc seen aslant from nearby."""
    s = np.sqrt(1 - perspective * perspective)
    return np.array([[s, 0, 0], [0, 1, perspective], [0, perspective, 1.0]])


@cache
def _lookup_maps(template: Template) -> tuple[NDArray[np.int16], Float64Array, NDArray[np.int16]]:
    """Return the columns and rows of samples in the stacked responses, the poses unit_from_template, and a preview."""
    pick = np.linspace(0, len(template.sample_xy) - 1, N_SEARCH_SAMPLES).round().astype(int)
    xy, tangents = template.sample_xy[pick], template.sample_tangents[pick]
    n_rotations = max(1, round(360 / template.symmetry_order / ROTATION_STEP_DEG))
    angles = 2 * np.pi / template.symmetry_order * np.arange(n_rotations) / n_rotations
    similarities = np.zeros((n_rotations, len(TEMPLATE_RADII), 3, 3))
    similarities[..., 0, 0] = similarities[..., 1, 1] = np.cos(angles)[:, None] * TEMPLATE_RADII
    similarities[..., 1, 0] = np.sin(angles)[:, None] * TEMPLATE_RADII
    similarities[..., 0, 1] = -similarities[..., 1, 0]
    similarities[..., 2, 2] = 1
    tilts = np.array([tilt_homography(perspective) for perspective in PERSPECTIVE_STEPS])
    poses: Float64Array = (tilts[:, None, None] @ similarities).reshape(-1, 3, 3)
    side = BOARD_PATCH_SIDE_PX // SEARCH_DOWNSAMPLING
    unit = BOARD_PATCH_UNIT_PX / SEARCH_DOWNSAMPLING
    middle = (side - 1) / 2
    x, y = _project(poses, xy)
    ahead_x, ahead_y = _project(poses, xy + 1e-3 * tangents)
    angle = np.arctan2(ahead_y - y, ahead_x - x)
    channel = np.round(angle / np.pi * N_DIRECTIONS).astype(np.int16) % N_DIRECTIONS
    border = MAX_SHIFT_PX
    maps = np.empty((*x.shape, 2), np.int16)
    maps[..., 0] = np.clip(np.round(x * unit + middle), 0, side - 1) + border
    maps[..., 1] = np.clip(np.round(y * unit + middle), 0, side - 1) + border + channel * (side + 2 * border)
    preview = maps[:, 1 :: N_SEARCH_SAMPLES // N_PREVIEW_SAMPLES]
    return maps, poses, np.ascontiguousarray(preview.transpose(1, 0, 2))


def _project(poses: Float64Array, xy: Float64Array) -> Float64Array:
    """Return places under many poses, x and y apart, (2, n_poses, n)."""
    w = (xy @ poses[:, 2, :2, None])[..., 0] + poses[:, 2, 2:]
    moved = xy @ poses[:, :2, :2].transpose(0, 2, 1) + poses[:, None, :2, 2]
    out: Float64Array = np.moveaxis(moved, -1, 0) / w
    return out


def stack_coarse(responses: Float32Array, unseen: NDArray[np.bool_] | None = None) -> CoarseLines:
    """Return line responses for ``search_template``: reduced and blurred, ``UNSEEN_RESPONSE`` outside the picture."""
    border = MAX_SHIFT_PX
    blind = None if unseen is None else unseen[::SEARCH_DOWNSAMPLING, ::SEARCH_DOWNSAMPLING]
    layers = []
    for k in range(N_DIRECTIONS):
        response = np.maximum(responses[k], 0.6 * np.maximum(responses[k - 1], responses[(k + 1) % N_DIRECTIONS]))
        wide = cv2.dilate(response, np.ones((3, 3), np.uint8))
        small = cv2.resize(
            wide, None, fx=1 / SEARCH_DOWNSAMPLING, fy=1 / SEARCH_DOWNSAMPLING, interpolation=cv2.INTER_AREA
        )
        soft = cv2.GaussianBlur(cv2.dilate(small, np.ones((3, 3), np.uint8)), (0, 0), 1.2)
        if blind is not None:
            soft = np.where(blind, np.maximum(soft, np.float32(UNSEEN_RESPONSE)), soft)
        layers.append(cv2.copyMakeBorder(soft, border, border, border, border, cv2.BORDER_CONSTANT))
    stacked = np.asarray(np.clip(np.concatenate(layers) * 255, 0, 255), dtype=np.uint8)
    padded = cv2.copyMakeBorder(stacked, border, border, border, border, cv2.BORDER_CONSTANT)
    packed = np.zeros((len(padded), stacked.shape[1], 8), np.uint8)
    for k, dx in enumerate(SHIFTS_PX):
        packed[..., k] = padded[:, border + dx : border + dx + stacked.shape[1]]
    return CoarseLines(np.asarray(padded, np.uint8), packed.view(np.float64)[..., 0])


def search_template(lines: CoarseLines, template: Template, most: int = 20) -> list[Float64Array]:
    """Return the best poses of a template, unit_from_template each, best first, after non-maximum suppression."""
    maps, poses, preview = _lookup_maps(template)
    n = len(maps)
    border = MAX_SHIFT_PX
    height = len(lines.packed) - 2 * border
    scores = np.empty((len(SHIFTS_PX), len(SHIFTS_PX), n), np.float32)
    empty = np.empty((0,), np.float32)
    for of_row, dy in zip(scores, SHIFTS_PX, strict=True):
        seen = cv2.remap(lines.packed[border + dy : border + dy + height], preview, empty, cv2.INTER_NEAREST)
        mean = cv2.reduce(seen.view(np.uint8), 0, cv2.REDUCE_AVG, dtype=cv2.CV_32F)
        of_row[:] = mean.reshape(n, 8)[:, : len(SHIFTS_PX)].T
    good = np.argpartition(scores.ravel(), -N_FULLY_SCORED_POSES)[-N_FULLY_SCORED_POSES:]
    shift, pose = np.divmod(good, n)
    shift_px = np.array([(dx, dy) for dy in SHIFTS_PX for dx in SHIFTS_PX], np.int16)[shift]
    shifted = maps[pose] + (shift_px + np.int16(border))[:, None]
    seen = cv2.remap(lines.padded, shifted, empty, cv2.INTER_NEAREST)
    score = cv2.reduce(seen, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F).ravel()
    order = np.argpartition(-score, N_NMS_POSES)[:N_NMS_POSES]
    order = order[np.argsort(-score[order], kind="stable")]
    move = np.tile(np.eye(3), (N_NMS_POSES, 1, 1))
    move[:, :2, 2] = shift_px[order] * (SEARCH_DOWNSAMPLING / BOARD_PATCH_UNIT_PX)
    h = move @ poses[pose[order]]
    corners = np.array([[-1.0, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) * [0.7, 0.7, 1]
    where = corners @ h.transpose(0, 2, 1)
    where = where[..., :2] / where[..., 2:]
    best: list[Float64Array] = []
    left = np.ones(N_NMS_POSES, np.bool_)
    while left.any() and len(best) < most:
        first = int(left.argmax())
        best.append(h[first])
        left &= np.abs(where - where[first]).max(axis=(1, 2)) >= NMS_CORNER_DISTANCE
    return best
