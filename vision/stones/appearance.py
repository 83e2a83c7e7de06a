"""What a table looks like: every point when bare, and the stones of every player.

Nothing here is known beforehand. The bare field is learnt from frames in which a point is known to be empty, the
colours of the stones from stones that the rules have confirmed. Both are values: learning returns a new one.

Bare field: mean of the patch of each point in the light of the first look. What counts as "still the same" is an
envelope: every sample may take any value between the least and the greatest of its neighbours, so that a
registration that is two or three pixels off is no change.

Stones: how often each colour occurs on the stones of a player, as a smoothed histogram of single samples. A stone
painted on one half only has two colours, a speckled one many; a mean would be a colour that no part of it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import SIDE, Floats, Patches, sample, samples_per_unit
from vision.stones.colour_histogram import NO_STONES, StoneColours, counted, single

_BARE_MEMORY = 12.0
"""Looks after which the bare reference begins to forget; it follows a slowly changing light within seconds."""

MOST_STRENGTH = np.float32(3.0)
"""Strength of a change that is beyond doubt, see ``change_strength``."""

_STONES_KEPT = 12.0
"""Stones after which a player's histogram begins to forget."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """What is known of the looks of one table.

    Attributes
    ----------
    bare : float32 array of shape (n_points, SIDE, SIDE, 3)
        Mean patch of every bare point, log colours, in the light of the reference (the first look).
    looks : float64 array of shape (n_points,)
        How many looks each mean rests on; 0 where the bare point was never seen.
    stones : tuple of StoneColours
        One for each player.
    """

    bare: Floats
    looks: NDArray[np.float64]
    stones: tuple[StoneColours, ...]

    def __post_init__(self) -> None:
        n = len(self.looks)
        if self.bare.shape != (n, SIDE, SIDE, 3):
            raise ValueError(f"bare must have shape ({n}, {SIDE}, {SIDE}, 3), got {self.bare.shape}")
        self.bare.setflags(write=False)
        self.looks.setflags(write=False)

    @cached_property
    def envelope(self) -> tuple[Floats, Floats]:
        """Least and greatest value around every sample of ``bare``, each of its shape."""
        # The patches lie one under the other; that their outermost rows see each other's only widens the envelope.
        column = self.bare.reshape(-1, SIDE, 3)
        square = np.ones((3, 3), np.uint8)
        least, greatest = cv2.erode(column, square), cv2.dilate(column, square)
        shape = self.bare.shape
        return np.asarray(least, np.float32).reshape(shape), np.asarray(greatest, np.float32).reshape(shape)

    @cached_property
    def slopes(self) -> Floats:
        """Slope of log brightness of ``bare`` per sample downwards and to the right, without a rim of two samples.

        Shape (n_points, SIDE - 4, SIDE - 4, 2).
        """
        level = self.bare[..., 0]
        down = (level[:, 3:-1] - level[:, 1:-3])[:, :, 2:-2] / 2
        right = (level[:, :, 3:-1] - level[:, :, 1:-3])[:, 2:-2] / 2
        return np.stack([down, right], axis=3)


def unknown(n_points: int, n_players: int) -> Appearance:
    """A table of which nothing is known yet."""
    return Appearance(np.zeros((n_points, SIDE, SIDE, 3), np.float32), np.zeros(n_points), (NO_STONES,) * n_players)


def forget_paint(appearance: Appearance, players: Sequence[bool]) -> Appearance:
    """Forget what the stones of some players look like; ``players`` says for each whether."""
    known = zip(players, appearance.stones, strict=True)
    return replace(appearance, stones=tuple(NO_STONES if forgotten else stones for forgotten, stones in known))


def paint_in_other_light(appearance: Appearance, shown: NDArray[np.integer]) -> Appearance:
    """Let what was learnt of paints in another light count as one stone of those players whose stones are ``shown``.

    Parameters
    ----------
    appearance : Appearance
    shown : int array of shape (n_points,)
        What lies there: 0 bare, k a stone of player k - 1. They are about to be learnt in this light.
    """
    stones = [
        StoneColours(old.counts / np.float32(old.n_stones), 1.0, old.patch)
        if old.n_stones > 1 and (shown == player).any()
        else old
        for player, old in enumerate(appearance.stones, 1)
    ]
    return replace(appearance, stones=tuple(stones))


def light_of(patches: Patches, appearance: Appearance) -> Floats:
    """How the light of a frame differs from that of the reference.

    Returns
    -------
    float32 array of shape (3,)
        To be subtracted from log colours; zero when no bare point is known. The median over all samples of all
        known points, so that stones and hands do not count while they cover less than half.
    """
    known = (appearance.looks > 0) & patches.inside
    if not known.any():
        return np.zeros(3, np.float32)
    change = patches.luv[known, 1::3, 1::3] - appearance.bare[known, 1::3, 1::3]
    return np.asarray(np.median(change.reshape(-1, 3), axis=0), np.float32)


def learn_bare(
    appearance: Appearance, frame: Frame, field: Field, bare: NDArray[np.bool_], weight: float = 1.0
) -> Appearance:
    """Remember what points look like that are known to be empty in this frame.

    Parameters
    ----------
    appearance : Appearance
    frame : Frame
    field : Field
        Where the points lie in this frame.
    bare : bool array of shape (n_points,)
        Points that are empty and in nobody's way.
    weight : float
        How many looks this one counts as.

    Returns
    -------
    Appearance
    """
    return bare_from_patches(appearance, sample(frame.bgr, field), bare, weight)


def bare_from_patches(
    appearance: Appearance, patches: Patches, bare: NDArray[np.bool_], weight: float = 1.0
) -> Appearance:
    """As ``learn_bare``, from patches that were cut already."""
    if bare.shape != appearance.looks.shape:
        raise ValueError(f"bare must have shape {appearance.looks.shape}, got {bare.shape}")
    use = np.flatnonzero(bare & patches.inside)
    if len(use) == 0 or weight <= 0:
        return appearance
    luv = patches.luv[use] - light_of(patches, appearance)
    old = np.minimum(appearance.looks[use], _BARE_MEMORY)
    share = (weight / (old + weight)).astype(np.float32)[:, None, None, None]
    mean, looks = appearance.bare.copy(), appearance.looks.copy()
    mean[use] += share * (luv - mean[use])
    looks[use] = old + weight
    return replace(appearance, bare=mean, looks=looks)


def learn_stones(appearance: Appearance, frame: Frame, field: Field, tops: NDArray[np.integer]) -> Appearance:
    """Remember the colours of stones that are known to lie there.

    Parameters
    ----------
    appearance : Appearance
    frame : Frame
    field : Field
    tops : int array of shape (n_points,)
        0 bare (or not to be learnt from), k the top stone is painted as player k - 1.

    Returns
    -------
    Appearance
    """
    return stones_from_patches(appearance, sample(frame.bgr, field), tops)


def stones_from_patches(appearance: Appearance, patches: Patches, tops: NDArray[np.integer]) -> Appearance:
    """As ``learn_stones``, from patches that were cut already."""
    if tops.shape != appearance.looks.shape:
        raise ValueError(f"tops must have shape {appearance.looks.shape}, got {tops.shape}")
    light = light_of(patches, appearance)
    masks = stone_mask(change_strength(change_maps(patches, appearance, light)))
    stones = list(appearance.stones)
    for i in np.flatnonzero((tops > 0) & patches.inside):
        player = int(tops[i]) - 1
        old = stones[player]
        kept = min(old.n_stones, _STONES_KEPT)
        samples = patches.luv[i][masks[i]] - light
        total = old.counts * np.float32(kept / max(old.n_stones, 1e-9)) + counted(samples)
        singles = {**old.singles, int(i): single(samples)} if len(samples) else old.singles
        stones[player] = StoneColours(total.astype(np.float32), kept + 1, patches.luv[i] - light, singles)
    return replace(appearance, stones=tuple(stones))


def change_maps(patches: Patches, appearance: Appearance, light: Floats) -> Floats:
    """How far every sample lies outside the envelope of the bare field.

    Returns
    -------
    float32 array of shape (n_points, SIDE, SIDE, 3)
        Change of log brightness and of the two log ratios; zero within the envelope, and zero for a point whose
        bare look is unknown. A bare look that fits better one or two samples aside is used there.
    """
    low, high = appearance.envelope
    luv = patches.luv - light
    change: Floats = np.clip(luv, low, high)
    np.subtract(luv, change, out=change)
    change[appearance.looks == 0] = 0
    altered = np.flatnonzero(np.abs(change[..., 0]).mean(axis=(1, 2)) > _WORTH_ALIGNING)
    if len(altered):
        shifts = _shifts(luv[altered, ..., 0], appearance, altered)
        for i, (down, right) in zip(altered, shifts, strict=True):
            if down or right:
                rows = np.clip(_INDEX + down, 0, SIDE - 1)[:, None]
                columns = np.clip(_INDEX + right, 0, SIDE - 1)[None]
                change[i] = luv[i] - np.clip(luv[i], low[i][rows, columns], high[i][rows, columns])
    return change


_INDEX = np.arange(SIDE)
_WORTH_ALIGNING = 0.01
"""Mean change of log brightness of a patch from which on it is asked whether the bare look lies aside."""

_MOST_SHIFT = 2
"""Samples that a bare look may lie aside, 0.1 units: two or three pixels on a small board."""

_OUTLIER = 0.15
"""Change of log brightness from which on a sample counts as covered rather than shifted."""


def _shifts(level: Floats, appearance: Appearance, points: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows down and columns right by which the bare look must be read aside to fit, shape (len(points), 2).

    Parameters
    ----------
    level : float32 array of shape (len(points), SIDE, SIDE)
        Log brightness in the light of the reference.
    appearance : Appearance
    points : int array
        Which points they are.

    References
    ----------
    Lucas and Kanade 1981, equation 9, with weights that fall with the difference (Geman and McClure 1985).
    """
    slopes = appearance.slopes[points]
    difference = (level - appearance.bare[points, ..., 0])[:, 2:-2, 2:-2]
    weight = (1 + (difference / np.float32(_OUTLIER)) ** 2) ** -2
    down, right = slopes[..., 0] * weight, slopes[..., 1] * weight
    a, b, c, p, q = (
        np.einsum("nij,nij->n", one, other)
        for one, other in (
            (down, slopes[..., 0]),
            (down, slopes[..., 1]),
            (right, slopes[..., 1]),
            (down, difference),
            (right, difference),
        )
    )
    a, c = a + _STILL, c + _STILL
    wanted = np.stack([c * p - b * q, a * q - b * p], axis=1) / (a * c - b * b)[:, None]
    return np.asarray(np.clip(np.rint(wanted), -_MOST_SHIFT, _MOST_SHIFT), np.intp)


_STILL = 0.3
"""Squared slope, summed over a patch, that stands for "not shifted": plain cloth must not follow its own noise."""


def stone_mask(strength: Floats) -> NDArray[np.bool_]:
    """The samples that show the stone.

    Parameters
    ----------
    strength : float32 array of shape (n_points, SIDE, SIDE)
        See ``change_strength``; all zero where the bare look is unknown.

    Returns
    -------
    bool array of shape (n_points, SIDE, SIDE)
        The altered samples near the middle of the change; where too few are altered (a stone like the cloth), all
        samples near the middle.
    """
    middle = stone_middle(strength)
    rows, columns = middle[:, 0, None, None], middle[:, 1, None, None]
    near = (_ROWS - rows) ** 2 + (_COLUMNS - columns) ** 2 <= (0.2 * samples_per_unit()) ** 2
    altered = near & (strength > 1.0)
    few = altered.sum(axis=(1, 2)) < 0.3 * near.sum(axis=(1, 2))
    altered[few] = near[few]
    return altered


_ROWS, _COLUMNS = np.indices((SIDE, SIDE)).astype(np.float32)
_OFF = (np.hypot(_ROWS - (SIDE - 1) / 2, _COLUMNS - (SIDE - 1) / 2) / samples_per_unit()).reshape(-1)
_ALLOWED = _OFF <= 0.42
_OFF_COST = 1.5 * _OFF**2


def change_strength(change: Floats) -> Floats:
    """One number for how foreign a sample is: 0 not at all, 3 without doubt; shape without the last axis.

    Brightness alone counts little (shadows and glare change it), colour much.
    """
    level = np.abs(change[..., 0]) * np.float32(1 / 0.25)
    chroma = np.sqrt(change[..., 1] ** 2 + change[..., 2] ** 2) * np.float32(1 / 0.09)
    strength: Floats = np.minimum(np.minimum(level, 1.6) + chroma, MOST_STRENGTH)
    return strength


def stone_middle(strength: Floats) -> Floats:
    """Row and column where a pebble would best explain the change, shape (n_points, 2), in samples."""
    n = len(strength)
    if n == 0:
        return np.zeros((0, 2), np.float32)
    size = 2 * int(0.2 * samples_per_unit()) + 1
    # Patches lie one under the other: no window whose middle is allowed below reaches into its neighbour.
    mass = cv2.blur(np.ascontiguousarray(strength).reshape(-1, SIDE), (size, size)).reshape(n, -1)
    best = np.where(_ALLOWED, mass - _OFF_COST, -np.inf).argmax(axis=1)
    return np.stack([best // SIDE, best % SIDE], axis=1).astype(np.float32)
