"""Colours of the stones of one player, as a smoothed histogram of single samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.imaging.patches import Floats

LEVEL_BINS, CHROMA_BINS = 18, 32
_STEPS = np.array([0.2, 0.1, 0.1], np.float32)
"""Bin sizes: log brightness in steps of about 20 %, log ratios of colours in steps of about 10 %."""
_FROM = np.array([2.4, -1.6, -1.6], np.float32)
_LAST = np.array([LEVEL_BINS, CHROMA_BINS, CHROMA_BINS]) - 1

LEVEL_BLUR, CHROMA_BLUR = 1.8, 1.2
"""Blur of the histogram in bins (0.36 and 0.12 in logarithms): what one stone shades between its bright and its dark
side, and what paint of one pot differs from stone to stone."""

BROAD_SHARE = 0.08
"""Share of samples on a stone of known colour that may have any colour: glare, dirt, the cloth at its rim."""

N_COLOURS = LEVEL_BINS * CHROMA_BINS * CHROMA_BINS


def _blur_matrix(n: int, sigma: float) -> Floats:
    apart = np.arange(n)[:, None] - np.arange(n)[None]
    weights = np.exp(-0.5 * (apart / sigma) ** 2)
    return np.asarray(weights / weights.sum(axis=0), np.float32)


_LEVEL_MATRIX = _blur_matrix(LEVEL_BINS, LEVEL_BLUR)
_CHROMA_MATRIX = _blur_matrix(CHROMA_BINS, CHROMA_BLUR)


@dataclass(frozen=True, eq=False)
class StoneColours:
    """Colours seen on the stones of one player.

    Attributes
    ----------
    counts : float32 array of shape (LEVEL_BINS, CHROMA_BINS, CHROMA_BINS)
        Share of samples by log brightness, log red over green, log blue over green, in the light of the
        reference; each stone adds 1 in all.
    n_stones : float
        How many stones it rests on; 0 when the player has not been seen.
    patch : float32 array of shape (rows, columns, 3) or None
        Log colours around the stone seen last, for showing.
    singles : mapping of int to float32 array of shape (2, 3)
        By point, the stone seen last there: its usual colour (median of its samples), and their variance.
    """

    counts: Floats
    n_stones: float
    patch: Floats | None = None
    singles: Mapping[int, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.counts.shape != (LEVEL_BINS, CHROMA_BINS, CHROMA_BINS):
            raise ValueError(f"counts must have shape (LEVEL_BINS, CHROMA_BINS, CHROMA_BINS), got {self.counts.shape}")
        self.counts.setflags(write=False)

    @cached_property
    def log_density(self) -> Floats:
        """Natural logarithm of the probability of every bin, flat."""
        return log_density(self.counts)

    @cached_property
    def mean_luv(self) -> Floats:
        """The most usual colour: mean of the bins around the fullest one, shape (3,)."""
        smooth = blurred(self.counts)
        peak = np.array(np.unravel_index(int(smooth.argmax()), smooth.shape))
        window = tuple(slice(max(0, p - 3), p + 4) for p in peak)
        weights = self.counts[window]
        total = max(float(weights.sum()), 1e-9)
        places = np.indices(weights.shape).reshape(3, -1) @ weights.reshape(-1) / total
        start = np.array([s.start for s in window])
        return np.asarray(_FROM + (start + places + 0.5) * _STEPS, np.float32)


NO_STONES = StoneColours(np.zeros((LEVEL_BINS, CHROMA_BINS, CHROMA_BINS), np.float32), 0.0)


def bins_of(luv: Floats) -> NDArray[np.intp]:
    """Flat index of the histogram bin of every colour: shape of ``luv`` without its last axis."""
    index = np.clip(((luv - _FROM) / _STEPS).astype(np.intp), 0, _LAST)
    flat: NDArray[np.intp] = (index[..., 0] * CHROMA_BINS + index[..., 1]) * CHROMA_BINS + index[..., 2]
    return flat


def counted(luv: Floats) -> Floats:
    """A histogram of the colours in ``luv`` (m, 3) whose entries sum to 1 (to 0 when m is 0)."""
    counts = np.bincount(bins_of(luv), minlength=N_COLOURS).astype(np.float32) / np.float32(max(len(luv), 1))
    return counts.reshape(LEVEL_BINS, CHROMA_BINS, CHROMA_BINS)


def single(luv: Floats) -> Floats:
    """Usual colour of one stone and the variance on it, shape (2, 3), from its samples (m, 3), at least one."""
    return np.stack([np.median(luv, axis=0), luv.var(axis=0)]).astype(np.float32)


def blurred(counts: Floats) -> Floats:
    """The histogram, smoothed along its three axes."""
    along_level = np.tensordot(_LEVEL_MATRIX, counts, axes=1)
    smooth: Floats = (_CHROMA_MATRIX @ along_level @ _CHROMA_MATRIX.T).astype(np.float32)
    return smooth


def log_density(counts: Floats) -> Floats:
    """Log probability of every bin, flat; a share of ``BROAD_SHARE`` (all of it without stones) is spread evenly."""
    total = float(counts.sum())
    if total <= 0:
        return np.full(N_COLOURS, -np.log(N_COLOURS), np.float32)
    density = (1 - BROAD_SHARE) * blurred(counts) / total + BROAD_SHARE / N_COLOURS
    return np.asarray(np.log(density).reshape(-1), np.float32)
