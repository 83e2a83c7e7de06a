"""Colours of the stones of one player, as a smoothed histogram of single samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median

BRIGHTNESS_BINS = 18
"""Bins of log brightness."""

CHROMA_BINS = 32
"""Bins of log red/green, and of log blue/green."""

N_COLOUR_BINS = BRIGHTNESS_BINS * CHROMA_BINS * CHROMA_BINS
"""Bins of the whole histogram."""

_BIN_SIZES = np.array([0.2, 0.1, 0.1], np.float32)
"""Bin sizes in natural logarithms: about 20 % in brightness, about 10 % in the two ratios."""

_FIRST_BIN_EDGES = np.array([2.4, -1.6, -1.6], np.float32)
"""Lower edges of the first bins, log colour."""

_LAST_BINS = np.array([BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS]) - 1

BRIGHTNESS_BLUR_BINS = 1.8
"""Standard deviation of the blur along brightness, in bins (0.36 in logarithms): the shading of one stone."""

CHROMA_BLUR_BINS = 1.2
"""Standard deviation of the blur along the two ratios, in bins (0.12 in logarithms): paint of one pot, stone to
stone."""

UNIFORM_SHARE = 0.08
"""Share of samples on a stone of known colour that may have any colour: glare, dirt, the cloth at its rim."""


def _blur_matrix(n: int, sigma: float) -> Float32Array:
    distance = np.arange(n)[:, None] - np.arange(n)[None]
    weights = np.exp(-0.5 * (distance / sigma) ** 2)
    weights[weights < np.finfo(np.float32).eps] = 0  # products of such tails are denormal, and those are slow
    return np.asarray(weights / weights.sum(axis=0), np.float32)


_BRIGHTNESS_MATRIX = _blur_matrix(BRIGHTNESS_BINS, BRIGHTNESS_BLUR_BINS)
_CHROMA_MATRIX = _blur_matrix(CHROMA_BINS, CHROMA_BLUR_BINS)


@dataclass(frozen=True, eq=False)
class StoneColours:
    """Colours seen on the stones of one player; raises ``ValueError`` when ``counts`` has another shape.

    ``counts`` is a histogram over log colour in the light of the reference, to which each stone adds 1 in total.
    """

    counts: Float32Array  # (BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS)
    n_stones: float  # that it rests on; 0 when the player has not been seen
    statistics: Mapping[int, Float32Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.counts.shape != (BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS):
            raise ValueError(
                f"counts must have shape (BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS), got {self.counts.shape}"
            )
        self.counts.setflags(write=False)

    @cached_property
    def log_density(self) -> Float32Array:
        """Natural logarithm of the probability of every bin, flat."""
        return log_density(self.counts)

    @cached_property
    def mean_log_colour(self) -> Float32Array:
        """The most usual colour: the mean of the bins around the fullest one, shape (3,)."""
        smooth = smooth_histogram(self.counts)
        peak = np.array(np.unravel_index(int(smooth.argmax()), smooth.shape))
        window = tuple(slice(max(0, p - 3), p + 4) for p in peak)
        weights = self.counts[window]
        total = max(float(weights.sum()), 1e-9)
        mean_bin = np.indices(weights.shape).reshape(3, -1) @ weights.reshape(-1) / total
        start = np.array([s.start for s in window])
        return np.asarray(_FIRST_BIN_EDGES + (start + mean_bin + 0.5) * _BIN_SIZES, np.float32)


NO_STONE_COLOURS = StoneColours(np.zeros((BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS), np.float32), 0.0)
"""The colours of a player of whom no stone has been seen."""


def bin_indices(log_colour: Float32Array) -> NDArray[np.intp]:
    """Return the flat index of the histogram bin of every colour: shape of ``log_colour`` without its last axis."""
    index = np.clip(((log_colour - _FIRST_BIN_EDGES) / _BIN_SIZES).astype(np.intp), 0, _LAST_BINS)
    flat: NDArray[np.intp] = (index[..., 0] * CHROMA_BINS + index[..., 1]) * CHROMA_BINS + index[..., 2]
    return flat


def normalised_histogram(log_colour: Float32Array) -> Float32Array:
    """Return a histogram of the colours in ``log_colour`` (m, 3) whose entries sum to 1 (to 0 when m is 0)."""
    n_samples = np.float32(max(len(log_colour), 1))
    counts = np.bincount(bin_indices(log_colour), minlength=N_COLOUR_BINS).astype(np.float32) / n_samples
    return counts.reshape(BRIGHTNESS_BINS, CHROMA_BINS, CHROMA_BINS)


def colour_statistics(log_colour: Float32Array) -> Float32Array:
    """Return median and variance of the colours on one stone, shape (2, 3), from its samples (m, 3), at least one."""
    return np.stack([median(log_colour, axis=0), log_colour.var(axis=0)]).astype(np.float32)


def smooth_histogram(counts: Float32Array) -> Float32Array:
    """Return the histogram, blurred along its three axes."""
    along_brightness = np.tensordot(_BRIGHTNESS_MATRIX, counts, axes=1)
    smooth: Float32Array = (_CHROMA_MATRIX @ along_brightness @ _CHROMA_MATRIX.T).astype(np.float32)
    return smooth


def log_density(counts: Float32Array) -> Float32Array:
    """Return the log probability of every bin, flat; a share of ``UNIFORM_SHARE`` (1 without stones) is uniform."""
    total = float(counts.sum())
    if total <= 0:
        return np.full(N_COLOUR_BINS, -np.log(N_COLOUR_BINS), np.float32)
    density = (1 - UNIFORM_SHARE) * smooth_histogram(counts) / total + UNIFORM_SHARE / N_COLOUR_BINS
    return np.asarray(np.log(density).reshape(-1), np.float32)
