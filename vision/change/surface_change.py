"""Patches of two looks whose pixels cannot be compared in, log odds that each point was touched out.

A board was pushed or is lit differently, and shadows lie elsewhere on it. So the patch of each point is compared with
its own earlier patch in what neither shadow nor lamp changes: the colour and the fine detail of its surface.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.patches import (
    MAX_PATCH_SHIFT_SAMPLES,
    STONE_DISC,
    Patches,
    patch_samples_per_unit,
)
from vision.stones.appearance import sample_envelope, usual_difference

SURFACE_CHROMA_WEIGHT, SURFACE_DETAIL_WEIGHT, SURFACE_BIAS = 2.75, 4.98, 10.45
"""Nats for the log of the change of chroma, nats for the correlation of fine detail (Fisher-transformed), and bias.

Logistic regression on 4,000 pairs of drawn points before and after a board was pushed, a camera knocked or a lamp
switched. Source: measured, left out one film at a time it ranks 99 % of the pairs (touched, left alone) rightly."""

MAX_CORRELATION, LEAST_CHANGE = 0.97, 0.01
"""Correlation that counts as perfect, and change of log colour that is added before a logarithm: noise does not differ.
"""

DETAIL_NOISE_ENERGY = 0.02
"""Energy of fine detail that stands for noise: plain surfaces must not seem to differ because their noise does."""


def surface_change_log_odds(before: Patches, now: Patches) -> NDArray[np.float64]:
    """Return ``log p(change | touched) - log p(change | left alone)`` by point, nats, (n_points,); 0 out of sight.

    For a board that was pushed or is lit differently, on which shadows lie elsewhere; each picture is cut where the
    board lay then. A shadow keeps the chroma of its ground and its fine detail (lines, threads, grain, the outline of a
    stone). A stone laid or taken changes both. Raises ``ValueError`` when the patches, of the last accepted frame and
    of this one, are not of one field.
    """
    if before.log_colour.shape != now.log_colour.shape:
        raise ValueError(f"patches must be of one field, got {before.log_colour.shape} and {now.log_colour.shape}")
    log_colour = now.log_colour - usual_difference(now.log_colour, before.log_colour)
    change = log_colour - np.clip(log_colour, *sample_envelope(before.log_colour))
    chroma = _blurred(np.hypot(change[..., 1], change[..., 2]))
    strongest = np.where(STONE_DISC, chroma, 0).reshape(len(chroma), -1).max(axis=1)
    detail = fisher_transformed(detail_correlation(before.log_colour[..., 0], log_colour[..., 0]))
    chroma_nats = SURFACE_CHROMA_WEIGHT * np.log(strongest + LEAST_CHANGE)
    nats = chroma_nats - SURFACE_DETAIL_WEIGHT * detail + SURFACE_BIAS
    return np.where(before.inside & now.inside, nats.astype(np.float64), 0.0)


def fisher_transformed(correlation: NDArray[np.floating]) -> Float64Array:
    """Return correlations on the scale on which they are evenly uncertain (Fisher 1921), a perfect one limited."""
    return np.asarray(np.arctanh(np.clip(correlation, -MAX_CORRELATION, MAX_CORRELATION)), np.float64)


def detail_correlation(before: Float32Array, now: Float32Array) -> Float32Array:
    """Return the correlation of the fine detail around every point at the best shift; shape (n_points,)."""
    a = _fine_detail(before) * STONE_DISC
    energy = (a * a).sum(axis=(1, 2))
    detail = _fine_detail(now)
    best = np.full(len(a), -1.0, np.float32)
    for down in range(-MAX_PATCH_SHIFT_SAMPLES, MAX_PATCH_SHIFT_SAMPLES + 1):
        for right in range(-MAX_PATCH_SHIFT_SAMPLES, MAX_PATCH_SHIFT_SAMPLES + 1):
            b = np.roll(detail, (down, right), axis=(1, 2)) * STONE_DISC
            product = np.einsum("nij,nij->n", a, b)
            correlation = product / np.sqrt(energy * np.einsum("nij,nij->n", b, b) + DETAIL_NOISE_ENERGY)
            best = np.maximum(best, correlation)
    return best


def _fine_detail(level: Float32Array) -> Float32Array:
    """Return the log brightness less its blur, with strong edges clipped."""
    return np.asarray(np.clip(level - _blurred(level), -0.3, 0.3))


def _blurred(level: Float32Array) -> Float32Array:
    return np.stack([cv2.blur(patch, _BLUR) for patch in level])


_BLUR = (2 * int(0.2 * patch_samples_per_unit()) + 1,) * 2
"""Sides of the square over which a change is averaged, samples: about a pebble."""
