"""A template on the map of strokes of a look from above in, its joints where the strokes meet out.

Each sample of a drawing looks along its normal for a stroke. A link drags its two joints there, and a weak prior keeps
a joint in place where nothing is seen. A stroke is seen along all of its length and a joint in one place only, so the
strokes say more exactly where joints lie.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.templates import Template
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.homography import apply_homography
from vision.networks.heat_maps import STRIDE

REACHES_PX = (3.0, 2.5, 2.0)
"""Reach to each side of a stroke in each step, px of the map: two pixels of the picture from above."""

JOINT_SIGMA_RADII = 0.0316
"""Prior standard deviation of a joint from its peak, radii of the drawing."""

STROKE_SIGMA_PX = 0.6
"""Standard deviation of a seen stroke from the straight link, px of the map: wobble and stitches."""

BESIDE = 0.875
"""Precision of the prior for a joint to move as one that it is linked with, where by itself it has 1."""

SAMPLES_AT_ONCE = 32
"""Samples in one matrix product. OpenBLAS shares larger ones, of 262,144 multiplications, among threads: on a crowded
computer it then waits, a thousand times as long, and the last digits depend on how many threads there are.
Source: cited, ``SMP_THRESHOLD_MIN`` times ``GEMM_MULTITHREAD_THRESHOLD`` of OpenBLAS, and measured."""


def joints_on_strokes(
    strokes: Float32Array, t: Template, map_from_template: Float64Array, joints: Float64Array, samples: Float64Array
) -> Float64Array:
    """Return the joints (n_joints, 2) of a drawing that lies so, with its samples (n_samples, 2), map space."""
    ahead = apply_homography(map_from_template, t.sample_xy + 1e-3 * t.sample_tangents)
    along = ahead - apply_homography(map_from_template, t.sample_xy)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    weights = t.sample_weights
    across = np.hstack([weights * normal[:, :1], weights * normal[:, 1:]])
    prior = np.kron(np.eye(2), _precision(t)) / (JOINT_SIGMA_RADII * float(np.ptp(joints, axis=0).mean()) / 2) ** 2
    move: Float64Array = np.zeros(2 * len(joints))
    for reach in REACHES_PX:
        xy = samples + weights @ move.reshape(2, -1).T
        offset, score = offset_of_strokes(strokes, xy, normal, reach)
        precision = score / (1 + offset**2) / STROKE_SIGMA_PX**2
        weighted = precision[:, None] * across
        portions = (slice(k, k + SAMPLES_AT_ONCE) for k in range(0, len(across), SAMPLES_AT_ONCE))
        gram = sum((across[some].T @ weighted[some] for some in portions), prior)
        move = np.asarray(np.linalg.solve(gram, across.T @ (precision * (offset + across @ move))), np.float64)
    return joints + move.reshape(2, -1).T


def offset_of_strokes(
    strokes: Float32Array, xy: Float64Array, normal: Float64Array, reach_px: float
) -> tuple[Float64Array, Float64Array]:
    """Return how far aside of each place a stroke lies, along the normal, px, and its score; (n,) each."""
    n = round(reach_px * STRIDE)
    steps = np.arange(-n, n + 1, dtype=np.float32) / STRIDE  # as finely as the network sees
    at = (xy[:, None] + normal[:, None] * steps[:, None]).astype(np.float32)
    scores = cv2.remap(strokes, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    near = scores * np.exp(-0.5 * (2 * steps / reach_px) ** 2)
    peak = near.argmax(1)[:, None]
    mass = scores * (np.abs(np.arange(len(steps)) - peak) <= 3)
    offset = (mass @ steps) / np.maximum(mass.sum(1), 1e-6)
    return offset.astype(np.float64), np.take_along_axis(scores, peak, 1)[:, 0].astype(np.float64)


@cache
def _precision(t: Template) -> NDArray[np.float64]:
    """Return the precision of the moves of joints, (n_joints, n_joints), before their scale."""
    out = np.eye(len(t.joints))
    for a, b in t.links:
        out[[a, b], [a, b]] += BESIDE
        out[[a, b], [b, a]] -= BESIDE
    return out
