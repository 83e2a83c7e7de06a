"""The learnt appearance of one table: the patch of every bare point and the stone colours of every player.

Nothing is known beforehand. The bare patches are learnt from frames in which a point is known to be empty, the stone
colours from stones that the rules have confirmed. Both are values: learning returns a new one.

Bare points: the mean patch of each point, in the light of the first frame. A sample counts as unchanged while it lies
between the least and the greatest value of its neighbours in the mean patch. So a registration that is off by two or
three pixels is no change.

Stones: a smoothed histogram of the colours of single samples, per player. A stone painted on one half has two colours
and a speckled one has many; their mean would be a colour that no part of the stone has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import (
    MAX_PATCH_SHIFT_SAMPLES,
    NEAR_POINT,
    PATCH_SIDE,
    Patches,
    patch_samples_per_unit,
    radii_units,
)

_MAX_COUNT = 12.0
"""Frames that the mean bare patch counts for at most, and stones that the histogram of a player does: so the first
follows a slowly changing light within seconds, and the second forgets old stones."""

STRENGTH_PER_NAT = np.array([1 / 0.25, 1 / 0.09, 1 / 0.09], np.float32)
"""Strength of a change of one nat of log brightness and of each log ratio."""

COVERED_STRENGTH = 1.0
"""Strength of change from which a sample shows something else than the bare point."""

MAX_CHANGE_STRENGTH = np.float32(3.0)
"""Greatest value of ``change_strength``: a change beyond doubt."""

UNCHANGED_STRENGTH = 0.03
"""Mean change strength of a patch below which nothing has been laid there: a pebble covers an eighth of the patch."""

HISTOGRAM_SHAPE = (18, 32, 32)
"""Bins of log brightness, of log red/green, and of log blue/green."""

N_COLOUR_BINS = prod(HISTOGRAM_SHAPE)

BIN_SIZES = np.array([0.2, 0.1, 0.1], np.float32)
"""Bin sizes in natural logarithms: about 20 % in brightness, about 10 % in the two ratios."""

_FIRST_BIN_EDGES = np.array([2.4, -1.6, -1.6], np.float32)
"""Lower edges of the first bins, log colour."""

_BLUR_BINS = (1.8, 1.2, 1.2)
"""Standard deviations of the blur, in bins: the shading of one stone (0.36 in logarithms), paint of one pot (0.12)."""

UNIFORM_SHARE = 0.08
"""Share of samples on a stone of known colour that may have any colour: glare, dirt, the cloth at its rim."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """The learnt appearance of one table; raises ``ValueError`` when its arrays differ in the number of points."""

    bare: Float32Array  # (n_points, PATCH_SIDE, PATCH_SIDE, 3), mean log colour, in the reference's light
    bare_counts: NDArray[np.float64]  # (n_points,), frames that each mean rests on; 0: never seen bare
    stones: tuple[StoneColours, ...]  # one for each player

    def __post_init__(self) -> None:
        n = len(self.bare_counts)
        if self.bare.shape != (n, PATCH_SIDE, PATCH_SIDE, 3):
            raise ValueError(f"bare must have shape ({n}, {PATCH_SIDE}, {PATCH_SIDE}, 3), got {self.bare.shape}")
        self.bare.setflags(write=False)
        self.bare_counts.setflags(write=False)

    def at(self, points: NDArray[np.intp]) -> Appearance:
        """Return the appearance of some points, by their indices, and of all stones."""
        return Appearance(self.bare[points], self.bare_counts[points], self.stones)

    @cached_property
    def envelope(self) -> tuple[Float32Array, Float32Array]:
        """Least and greatest value around every sample of ``bare``, each of its shape."""
        return sample_envelope(self.bare)

    @cached_property
    def gradients(self) -> Float32Array:
        """Gradient of the log brightness of ``bare`` per sample, down and right; a rim of two samples is left out."""
        level = self.bare[..., 0]
        down = (level[:, 3:-1] - level[:, 1:-3])[:, :, 2:-2] / 2
        right = (level[:, :, 3:-1] - level[:, :, 1:-3])[:, 2:-2] / 2
        return np.stack([down, right], axis=3)


def sample_envelope(log_colour: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Return the least and greatest value around every sample, to which it may be moved by a registration."""
    # The patches lie one under the other. Their outermost rows mix, which only widens the envelope.
    column = log_colour.reshape(-1, PATCH_SIDE, 3)
    square = np.ones((3, 3), np.uint8)
    low, high = cv2.erode(column, square), cv2.dilate(column, square)
    shape = log_colour.shape
    return np.asarray(low, np.float32).reshape(shape), np.asarray(high, np.float32).reshape(shape)


def unknown_appearance(n_points: int, n_players: int) -> Appearance:
    """Return the appearance of an unknown table."""
    bare = np.zeros((n_points, PATCH_SIDE, PATCH_SIDE, 3), np.float32)
    return Appearance(bare, np.zeros(n_points), (NO_STONE_COLOURS,) * n_players)


def forget_stone_colours(appearance: Appearance, players: Sequence[bool]) -> Appearance:
    """Forget the stone colours of some players; ``players`` says for each whether to forget."""
    known = zip(players, appearance.stones, strict=True)
    return replace(appearance, stones=tuple(NO_STONE_COLOURS if forget else stones for forget, stones in known))


def discount_stone_colours(appearance: Appearance, tops: NDArray[np.integer]) -> Appearance:
    """Let stone colours learnt in another light count as one stone, for players with stones on the table."""
    stones = [
        StoneColours(old.counts / np.float32(old.n_stones), 1.0) if old.n_stones > 1 and (tops == player).any() else old
        for player, old in enumerate(appearance.stones, 1)
    ]
    return replace(appearance, stones=tuple(stones))


def usual_difference(one: Float32Array, other: Float32Array) -> Float32Array:
    """Return the median difference of the log colours of two looks at a board, shape (3,), from a ninth of them."""
    difference = one[:, 1::3, 1::3] - other[:, 1::3, 1::3]
    return np.asarray(median(difference.reshape(-1, 3), axis=0), np.float32)


def light_offset(patches: Patches, appearance: Appearance) -> Float32Array:
    """Return the offset to subtract from the log colours of a frame, (3,): its light less that of the reference.

    It is the median over all samples of all known points, so stones and hands do not count while they cover less than
    half; zero when no bare point is known.
    """
    known = (appearance.bare_counts > 0) & patches.inside
    if not known.any():
        return np.zeros(3, np.float32)
    return usual_difference(patches.log_colour[known], appearance.bare[known])


def learn_bare(appearance: Appearance, patches: Patches, bare: NDArray[np.bool_]) -> Appearance:
    """Learn the appearance of points that are ``bare`` and not occluded in a frame, (n_points,).

    Raises ``ValueError`` when ``bare`` has another number of points than ``appearance``.
    """
    if bare.shape != appearance.bare_counts.shape:
        raise ValueError(f"bare must have shape {appearance.bare_counts.shape}, got {bare.shape}")
    use = np.flatnonzero(bare & patches.inside)
    if len(use) == 0:
        return appearance
    log_colour = patches.log_colour[use] - light_offset(patches, appearance)
    old = np.minimum(appearance.bare_counts[use], _MAX_COUNT)
    weight = (1.0 / (old + 1.0)).astype(np.float32)[:, None, None, None]
    mean, counts = appearance.bare.copy(), appearance.bare_counts.copy()
    mean[use] += weight * (log_colour - mean[use])
    counts[use] = old + 1.0
    return replace(appearance, bare=mean, bare_counts=counts)


def learn_stones(appearance: Appearance, patches: Patches, tops: NDArray[np.integer]) -> Appearance:
    """Learn the colours of stones that lie there in a frame: ``tops`` is 0 (nothing to learn) or k for player k - 1.

    Raises ``ValueError`` when ``tops`` has another number of points than ``appearance``.
    """
    if tops.shape != appearance.bare_counts.shape:
        raise ValueError(f"tops must have shape {appearance.bare_counts.shape}, got {tops.shape}")
    light, shown = light_offset(patches, appearance), np.flatnonzero((tops > 0) & patches.inside)
    if not len(shown):
        return appearance
    masks = stone_mask(change_strength(change_maps(patches.at(shown), appearance.at(shown), light)))
    stones = list(appearance.stones)
    for i, mask in zip(shown, masks, strict=True):
        player = int(tops[i]) - 1
        old = stones[player]
        kept = min(old.n_stones, _MAX_COUNT)
        samples = patches.log_colour[i][mask] - light
        total = old.counts * np.float32(kept / max(old.n_stones, 1e-9)) + normalised_histogram(samples)
        statistics = {**old.statistics, int(i): colour_statistics(samples)} if len(samples) else old.statistics
        stones[player] = StoneColours(total.astype(np.float32), kept + 1, statistics)
    return replace(appearance, stones=tuple(stones))


def learn_points(
    appearance: Appearance, patches: Patches, tops: NDArray[np.integer], sure: NDArray[np.bool_]
) -> Appearance:
    """Learn what points and stones look like in a frame, where it is ``sure`` that ``tops`` lie there, (n_points,)."""
    appearance = learn_bare(appearance, patches, sure & (tops == 0))
    return learn_stones(appearance, patches, np.where(sure, tops, 0))


def change_maps(patches: Patches, appearance: Appearance, light: Float32Array) -> Float32Array:
    """Return how far log colours lie outside the envelope of the bare patch, shifted where it fits better so."""
    log_colour, (low, high) = patches.log_colour - light, appearance.envelope
    change: Float32Array = np.clip(log_colour, low, high)
    np.subtract(log_colour, change, out=change)
    change[appearance.bare_counts == 0] = 0
    changed = np.flatnonzero(change_strength(change).mean(axis=(1, 2)) > UNCHANGED_STRENGTH)
    for i, (down, right) in zip(changed, _bare_shifts(log_colour[changed, ..., 0], appearance, changed), strict=True):
        if down or right:
            rows = np.clip(_INDEX + down, 0, PATCH_SIDE - 1)[:, None]
            columns = np.clip(_INDEX + right, 0, PATCH_SIDE - 1)[None]
            change[i] = log_colour[i] - np.clip(log_colour[i], low[i][rows, columns], high[i][rows, columns])
    return change


_INDEX = np.arange(PATCH_SIDE)

_OUTLIER_LOG_BRIGHTNESS = 0.15
"""Change of log brightness from which on a sample counts as covered rather than shifted."""

_MIN_GRADIENT_ENERGY = 0.3
"""Squared gradient, summed over a patch, that is added in favour of no shift: plain cloth must not follow its noise."""


def _bare_shifts(level: Float32Array, appearance: Appearance, points: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the best shifts (rows down, columns right) of the bare patches of some points, samples, (n, 2).

    Lucas and Kanade 1981, equation 9, with weights that fall with the difference (Geman and McClure 1985); ``level`` is
    the log brightness in the light of the reference.
    """
    gradients = appearance.gradients[points]
    difference = (level - appearance.bare[points, ..., 0])[:, 2:-2, 2:-2]
    weight = (1 + (difference / np.float32(_OUTLIER_LOG_BRIGHTNESS)) ** 2) ** -2
    down, right = gradients[..., 0] * weight, gradients[..., 1] * weight
    a, b, c, p, q = (
        np.einsum("nij,nij->n", one, other)
        for one, other in (
            (down, gradients[..., 0]),
            (down, gradients[..., 1]),
            (right, gradients[..., 1]),
            (down, difference),
            (right, difference),
        )
    )
    a, c = a + _MIN_GRADIENT_ENERGY, c + _MIN_GRADIENT_ENERGY
    shift = np.stack([c * p - b * q, a * q - b * p], axis=1) / (a * c - b * b)[:, None]
    return np.asarray(np.clip(np.rint(shift), -MAX_PATCH_SHIFT_SAMPLES, MAX_PATCH_SHIFT_SAMPLES), np.intp)


def stone_mask(strength: Float32Array) -> NDArray[np.bool_]:
    """Return the samples near the centre of a change that have changed; all near it where too few have."""
    centres = stone_centres(strength)
    rows, columns = centres[:, 0, None, None], centres[:, 1, None, None]
    near = (_ROWS - rows) ** 2 + (_COLUMNS - columns) ** 2 <= (0.2 * patch_samples_per_unit()) ** 2
    changed = near & (strength > COVERED_STRENGTH)
    few = changed.sum(axis=(1, 2)) < 0.3 * near.sum(axis=(1, 2))
    changed[few] = near[few]
    return changed


_ROWS, _COLUMNS = np.indices((PATCH_SIDE, PATCH_SIDE)).astype(np.float32)

_OFF_CENTRE_COST = 1.5 * radii_units(PATCH_SIDE, patch_samples_per_unit()).reshape(-1) ** 2
"""Cost of a centre for its distance from the middle of the patch, change strength."""


def change_strength(change: Float32Array) -> Float32Array:
    """Return the size of a change, mostly of its colour: 0 none, ``MAX_CHANGE_STRENGTH`` beyond doubt."""
    level = np.abs(change[..., 0]) * STRENGTH_PER_NAT[0]
    chroma = np.sqrt(change[..., 1] ** 2 + change[..., 2] ** 2) * STRENGTH_PER_NAT[1]
    strength: Float32Array = np.minimum(np.minimum(level, 1.6) + chroma, MAX_CHANGE_STRENGTH)
    return strength


def stone_centres(strength: Float32Array) -> Float32Array:
    """Return the row and column where a pebble would best explain the change, shape (n_points, 2), in samples."""
    n = len(strength)
    if n == 0:
        return np.zeros((0, 2), np.float32)
    size = 2 * int(0.2 * patch_samples_per_unit()) + 1
    # Patches lie one under the other: no window whose centre is allowed below reaches into its neighbour.
    mass = cv2.blur(np.ascontiguousarray(strength).reshape(-1, PATCH_SIDE), (size, size)).reshape(n, -1)
    best = np.where(NEAR_POINT.reshape(-1), mass - _OFF_CENTRE_COST, -np.inf).argmax(axis=1)
    return np.stack([best // PATCH_SIDE, best % PATCH_SIDE], axis=1).astype(np.float32)


def _blur_matrix(n: int, sigma: float) -> Float32Array:
    distance = np.arange(n)[:, None] - np.arange(n)[None]
    weights = np.exp(-0.5 * (distance / sigma) ** 2)
    weights[weights < np.finfo(np.float32).eps] = 0  # products of such tails are denormal, and those are slow
    return np.asarray(weights / weights.sum(axis=0), np.float32)


_BLUR_MATRICES = tuple(map(_blur_matrix, HISTOGRAM_SHAPE, _BLUR_BINS))


@dataclass(frozen=True, eq=False)
class StoneColours:
    """Colours seen on the stones of one player; raises ``ValueError`` when ``counts`` has another shape.

    ``counts`` is a histogram over log colour in the light of the reference, to which each stone adds 1 in total.
    """

    counts: Float32Array = field(default_factory=lambda: np.zeros(HISTOGRAM_SHAPE, np.float32))
    n_stones: float = 0.0  # that it rests on; 0 when the player has not been seen
    statistics: Mapping[int, Float32Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.counts.shape != HISTOGRAM_SHAPE:
            raise ValueError(f"counts must have shape {HISTOGRAM_SHAPE}, got {self.counts.shape}")
        self.counts.setflags(write=False)

    @cached_property
    def log_density(self) -> Float32Array:
        """Natural logarithm of the probability of every bin, flat."""
        total = float(self.counts.sum())
        if total <= 0:
            return np.full(N_COLOUR_BINS, -np.log(N_COLOUR_BINS), np.float32)
        density = (1 - UNIFORM_SHARE) * smooth_histogram(self.counts) / total + UNIFORM_SHARE / N_COLOUR_BINS
        return np.asarray(np.log(density).reshape(-1), np.float32)

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
        return np.asarray(_FIRST_BIN_EDGES + (start + mean_bin + 0.5) * BIN_SIZES, np.float32)


NO_STONE_COLOURS = StoneColours()
"""The colours of a player without a seen stone."""


def bin_indices(log_colour: Float32Array) -> NDArray[np.intp]:
    """Return the flat index of the histogram bin of every colour: shape of ``log_colour`` without its last axis."""
    index = ((log_colour - _FIRST_BIN_EDGES) / BIN_SIZES).astype(np.intp)
    return np.asarray(np.ravel_multi_index(tuple(np.moveaxis(index, -1, 0)), HISTOGRAM_SHAPE, mode="clip"), np.intp)


def normalised_histogram(log_colour: Float32Array) -> Float32Array:
    """Return a histogram of the colours in ``log_colour`` (m, 3) whose entries sum to 1 (to 0 when m is 0)."""
    n_samples = np.float32(max(len(log_colour), 1))
    counts = np.bincount(bin_indices(log_colour), minlength=N_COLOUR_BINS).astype(np.float32) / n_samples
    return counts.reshape(HISTOGRAM_SHAPE)


def colour_statistics(log_colour: Float32Array) -> Float32Array:
    """Return median and variance of the colours on one stone, shape (2, 3), from its samples (m, 3), at least one."""
    return np.stack([median(log_colour, axis=0), log_colour.var(axis=0)]).astype(np.float32)


def smooth_histogram(counts: Float32Array) -> Float32Array:
    """Return the histogram, blurred along its three axes."""
    brightness, reds, blues = _BLUR_MATRICES
    smooth: Float32Array = (reds @ np.tensordot(brightness, counts, axes=1) @ blues.T).astype(np.float32)
    return smooth
