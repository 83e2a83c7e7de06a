"""Ink that people add to a board and that no move uses: outlines around it, and small marks on it.

A border belongs to the board as little as the rim of the cloth, but it is no evidence against it either: all of its
sides run beside the drawing at one distance. A grid that goes on beyond a drawing has strokes that run on to such a
line (``verification``). A letter, an ornament or the rim of a stone is a spot as large as a stone; the lines of another
grid run further, or meet its strokes.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.template_fit import line_strength_at
from vision.detection.templates import Template
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.homography import apply_homography, spacings
from vision.imaging.medians import median

MAX_OUTLINE_SCALE = 1.4
"""Size of the largest outline that is sought, sizes of the drawing's own."""

N_OUTLINE_SAMPLES = 96
"""Samples along an outline."""

N_OUTLINE_PARTS = 4
"""Parts of an outline each of which must be seen."""

MIN_OUTLINE_PART_SEEN = 0.6
"""Least share of each part that must be seen."""

MIN_OUTLINE_DISTANCE_PX = 5.0
"""Least distance of an outline from the drawing, px of the patch: nearer lines belong to its strokes."""

MAX_SPOT_SPACINGS = 0.66
"""Largest extent of a spot, spacings: a stone of the largest size in which neighbours do not touch."""


def without_spots(seen: NDArray[np.bool_], strokes: NDArray[np.bool_], points_px: Float64Array) -> NDArray[np.bool_]:
    """Return the places ``seen`` as lines, (H, W), less spots: no larger than a stone, and away from ``strokes``."""
    largest_px = MAX_SPOT_SPACINGS * float(median(spacings(points_px)))
    n, labels, stats, _ = cv2.connectedComponentsWithStats(seen.astype(np.uint8))
    is_line = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) > largest_px
    is_line |= np.bincount(labels[strokes], minlength=n) > 0
    is_line[0] = False
    return np.asarray(is_line[labels])


def added_outlines(
    stacked: Float32Array, template: Template, patch_from_template: Float64Array, seen_response: float
) -> Float64Array:
    """Return places on closed lines, seen with ``seen_response``, around a drawing at one distance, px of the patch."""
    side = stacked.shape[1]
    places, tangents = template.outline(N_OUTLINE_SAMPLES)
    radius_px = np.linalg.norm(apply_homography(patch_from_template, places).std(0))
    inner = float(np.linalg.norm(places, axis=1).min()) * radius_px
    steps = np.arange(MIN_OUTLINE_DISTANCE_PX, (MAX_OUTLINE_SCALE - 1) * inner, 1.0)
    part = np.arange(N_OUTLINE_SAMPLES) * N_OUTLINE_PARTS // N_OUTLINE_SAMPLES
    if not len(steps):
        return np.empty((0, 2))
    scaled = places * (1 + steps / inner)[:, None, None]
    xy = apply_homography(patch_from_template, scaled)
    along = apply_homography(patch_from_template, scaled + 1e-3 * tangents) - xy
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    response = line_strength_at(stacked, xy.reshape(-1, 2), normals.reshape(-1, 2)).reshape(xy.shape[:2])
    seen = ((xy >= 2) & (xy <= side - 3)).all(-1) & (response > seen_response)
    shares = np.stack([seen[:, part == k].mean(axis=1) for k in range(N_OUTLINE_PARTS)])
    found: Float64Array = xy[shares.min(axis=0) > MIN_OUTLINE_PART_SEEN].reshape(-1, 2)
    return found
