"""The learnt appearance of one table: looks at known points and stones in, patches of bare points and paints out.

Nothing is known beforehand. The bare patches are learnt from frames in which a point is known to be empty, the stone
colours from stones that the rules have confirmed. Both are values: learning returns a new one.

Bare points: the mean patch of each point, in the light of the first frame. Stones: median and variance of the colours
on the top of the stone that lay last on each point, in the same light; a network says which samples show that top.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.medians import median
from vision.imaging.patches import PATCH_SIDE, Patches, log_colour_to_hex
from vision.networks.points import ground_of, look_at_points

MAX_BARE_COUNT = 12.0
"""Frames that the mean bare patch counts for at most, so that it follows a slowly changing light within seconds."""

STRENGTH_PER_NAT = np.array([1 / 0.25, 1 / 0.09], np.float32)
"""Strength of a change of one nat of log brightness, and of one of both log ratios: from 1 on another thing is seen."""

MAX_LEVEL_STRENGTH = np.float32(1.6)
"""Most strength of a change of brightness, which a shadow changes, too."""

MIN_MASK_CELLS = 6
"""Cells of four samples that are used for the colour of a top stone at least, however little of it shows: a quarter."""

StoneColours = Mapping[int, Float32Array]
"""Colours of the stones of one player: by point its ``colour_statistics``; at -1 that of all stones in other light."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """The learnt appearance of one table; raises ``ValueError`` when its arrays differ in the number of points."""

    bare: Float32Array  # (n_points, PATCH_SIDE, PATCH_SIDE, 3), mean log colour, in the reference's light
    bare_counts: NDArray[np.float64]  # (n_points,), frames that each mean rests on; 0: never seen bare
    stones: tuple[StoneColours, ...]  # one for each player; empty: none of his stones was seen

    def __post_init__(self) -> None:
        n = len(self.bare_counts)
        if self.bare.shape != (n, PATCH_SIDE, PATCH_SIDE, 3):
            raise ValueError(f"bare must have shape ({n}, {PATCH_SIDE}, {PATCH_SIDE}, 3), got {self.bare.shape}")
        self.bare.setflags(write=False)
        self.bare_counts.setflags(write=False)

    @property
    def colours(self) -> tuple[str, ...]:
        """The usual colour of each player's stones, ``#rrggbb``; empty where none was seen."""
        return tuple(log_colour_to_hex(usual_colour(stones)) if stones else "" for stones in self.stones)


def usual_colour(stones: StoneColours) -> Float32Array:
    """Return the median log colour of the stones of a player, at least one, shape (3,)."""
    return np.asarray(median(np.array([colours[0] for colours in stones.values()]), axis=0), np.float32)


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
    return Appearance(bare, np.zeros(n_points), ({},) * n_players)


def forget_stone_colours(appearance: Appearance, players: Sequence[bool]) -> Appearance:
    """Forget the stone colours of some players; ``players`` says for each whether to forget."""
    stones = zip(players, appearance.stones, strict=True)
    return replace(appearance, stones=tuple({} if forget else colours for forget, colours in stones))


def discount_stone_colours(appearance: Appearance, tops: NDArray[np.integer]) -> Appearance:
    """Let stone colours learnt in another light count as one stone, for players with stones on the table."""
    stones = [
        {-1: np.median(list(colours.values()), axis=0)} if colours and (tops == player).any() else colours
        for player, colours in enumerate(appearance.stones, 1)
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
    has_bare = (appearance.bare_counts > 0) & patches.inside
    if not has_bare.any():
        return np.zeros(3, np.float32)
    return usual_difference(patches.log_colour[has_bare], appearance.bare[has_bare])


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
    old = np.minimum(appearance.bare_counts[use], MAX_BARE_COUNT)
    weight = (1.0 / (old + 1.0)).astype(np.float32)[:, None, None, None]
    mean, counts = appearance.bare.copy(), appearance.bare_counts.copy()
    mean[use] += weight * (log_colour - mean[use])
    counts[use] = old + 1.0
    return replace(appearance, bare=mean, bare_counts=counts)


def learn_stones(appearance: Appearance, statistics: Float32Array, tops: NDArray[np.integer]) -> Appearance:
    """Learn the colours of stones from their ``colour_statistics``, (n_points, 2, 3), in the light of the reference.

    ``tops`` is 0 (nothing to learn) or k for player k - 1. Raises ``ValueError`` when it has another number of points
    than ``appearance``.
    """
    if tops.shape != appearance.bare_counts.shape:
        raise ValueError(f"tops must have shape {appearance.bare_counts.shape}, got {tops.shape}")
    stones = [dict(colours) for colours in appearance.stones]
    for point in np.flatnonzero(tops).tolist():
        stones[tops[point] - 1][point] = statistics[point]
    return replace(appearance, stones=tuple(stones))


def learn_points(
    appearance: Appearance, patches: Patches, tops: NDArray[np.integer], sure: NDArray[np.bool_]
) -> Appearance:
    """Learn what points and stones look like in a frame, where it is ``sure`` that ``tops`` lie there, (n_points,)."""
    appearance = learn_bare(appearance, patches, sure & (tops == 0))
    stones = sure & (tops > 0) & patches.inside
    statistics = np.zeros((len(tops), 2, 3), np.float32)
    if stones.any():
        has_bare = appearance.bare_counts > 0
        ground = ground_of(patches.log_colour, appearance.bare, has_bare & patches.inside)
        own = patches.log_colour[stones]
        _, masks = look_at_points(own, appearance.bare[stones], has_bare[stones], ground)
        statistics[stones] = [colour_statistics(top) for top in top_samples(own - ground.light, masks)]
    return learn_stones(appearance, statistics, np.where(stones, tops, 0))


def top_samples(log_colour: Float32Array, masks: Float32Array) -> list[Float32Array]:
    """Return the samples of patches, (m, 3) each, that show the top stones, by masks of half their resolution."""
    return [patch[top_mask(mask)] for patch, mask in zip(log_colour, masks, strict=True)]


def top_mask(mask: Float32Array) -> NDArray[np.bool_]:
    """Return the samples of a patch that show the top stone: the most probable connected part of a network's mask."""
    least = np.partition(mask, -MIN_MASK_CELLS, axis=None)[-MIN_MASK_CELLS]
    top = mask >= min(0.5, float(least))
    n_parts, parts = cv2.connectedComponents(top.astype(np.uint8))
    if n_parts > 2:
        total_p = np.bincount(parts.reshape(-1), mask.reshape(-1), n_parts)
        total_p[0] = 0
        top = parts == int(total_p.argmax())
    return np.asarray(top.repeat(2, axis=0).repeat(2, axis=1))


def change_strength(change: Float32Array) -> Float32Array:
    """Return the size of a change of log colours, mostly of its colour: from 1 on it shows something else."""
    level, chroma = np.abs(change[..., 0]), np.hypot(change[..., 1], change[..., 2])
    level = np.minimum(level * STRENGTH_PER_NAT[0], MAX_LEVEL_STRENGTH)
    return np.asarray(level + chroma * STRENGTH_PER_NAT[1], np.float32)


def colour_statistics(log_colour: Float32Array) -> Float32Array:
    """Return median and variance of the colours on one stone, shape (2, 3), from its samples (m, 3), at least one."""
    return np.stack([median(log_colour, axis=0), log_colour.var(axis=0)]).astype(np.float32)
