"""Read one photograph: which points hold stones, and in how many colours.

Nothing is known but where the points lie; which colour belongs to whom stays open. With a picture of the same
table without stones, occupied or bare is the difference between the two. Without one, every point is compared with
the colours that the board shows between its points.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Registration
from vision.imaging.frame import Image
from vision.imaging.patches import Floats, luv_to_hex, sample
from vision.networks.patch_networks import towers_mirrored, turned_every_way
from vision.stones.appearance import (
    MOST_STRENGTH,
    bare_from_patches,
    change_maps,
    change_strength,
    light_of,
    stone_mask,
    unknown,
)
from vision.stones.bare_reference import parted, unlike_the_bare
from vision.stones.colour_clustering import group
from vision.stones.observation import occupied_nats
from vision.stones.tall_patches import STACKING_BOARDS, cells_of, one_stone_each, stand_upright
from vision.stones.tower_heights import look_closer

GROUP_NAMES = "ABC"

COLD_WORTH = 0.3
"""What the look of a point by itself adds where its bare look is known, too."""

TALL_WORTH = 0.75
"""What the look of a tall patch adds: a tower leans out of the common patch, and one behind it looks into it. Of 1,926
points on rendered boards kept aside 27 are then taken for bare or for stones wrongly, 39 with a worth of 0.3."""

TALL_HEIGHTS_WORTH = 0.25
"""What a tall patch adds to what the strip tells of a height: both are the same picture, and the strip is finer."""

OUT_OF_SIGHT = -2.0
"""Log odds of a stone on a point outside the picture: most points are bare."""

ODD_STONE, ODD_TOP = 0.02, 0.06
"""Share of stones, and of tops of towers, whose samples show something else than their paint: a bare spot, a lamp, the
stone below. Of 163 tops on rendered towers 6 % were told with the colour of another stone, however well it fitted."""

FEWEST = 6
"""Cells of four samples from which the colour of a top stone is taken, however little of it shows: a quarter of one."""

FEWEST_AGREED = 8
"""Samples on which two ways to find a stone must agree to be believed: two cells of the mask."""

THIRD = 0.1
"""How likely a third player is on a board for two or more."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What one photograph shows.

    Attributes
    ----------
    points : tuple of str
        Names of the points.
    points_px : float64 array of shape (n_points, 2)
    stones : tuple of (str or None)
        Group of the top stone of every point, "A", "B" or "C"; None when bare.
    heights : int array of shape (n_points,)
        Stones on every point, 0 to 3.
    p : float64 array of shape (n_points,)
        Posterior of what is said of every point.
    groups : tuple of (str, str)
        Name and colour (``#rrggbb``) of every group.
    """

    points: tuple[str, ...]
    points_px: NDArray[np.float64]
    stones: tuple[str | None, ...]
    heights: NDArray[np.int64]
    p: NDArray[np.float64]
    groups: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        n = len(self.points)
        if self.points_px.shape != (n, 2) or {self.heights.shape, self.p.shape, (len(self.stones),)} != {(n,)}:
            raise ValueError(f"every array must speak of {n} points")


def read_still(
    bgr: Image, registration: Registration, empty_bgr: Image | None = None, n_groups_max: int = 3
) -> Reading:
    """Read the stones of one photograph.

    Parameters
    ----------
    bgr : uint8 array of shape (H, W, 3)
    registration : Registration
        Where the field lies in it.
    empty_bgr : uint8 array of shape (H, W, 3), optional
        The same table from the same place, without stones on the points.
    n_groups_max : int
        Most colours of stones to tell apart.

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        When the two pictures differ in size.
    """
    field = registration.field
    if empty_bgr is not None and empty_bgr.shape != bgr.shape:
        raise ValueError(f"the empty picture must have shape {bgr.shape}, got {empty_bgr.shape}")
    patches = sample(bgr, field)
    luv = patches.luv
    cold = turned_every_way(luv)
    top = cold.mask.repeat(2, axis=1).repeat(2, axis=2)
    shown = MOST_STRENGTH * top
    if empty_bgr is None:
        nats = parted(unlike_the_bare(luv, cold.log_odds))
    else:
        n = len(field.board.points)
        table = bare_from_patches(unknown(n, 0), sample(empty_bgr, field), np.ones(n, np.bool_))
        luv = luv - light_of(patches, table)
        change = change_maps(patches, table, light_of(patches, table))
        strength = change_strength(change)
        nats = occupied_nats(change, strength) + COLD_WORTH * np.clip(cold.log_odds, -4, 4)
        shown = strength * (0.1 + 0.9 * top)  # what changed and looks like the top stone, not like its neighbour's
    stacking = field.board.name in STACKING_BOARDS
    if stacking:
        tall = stand_upright(bgr, field)
        look = towers_mirrored(tall.luv, tall.slope)
        nats = nats + TALL_WORTH * np.clip(look.log_odds, -4, 4)
    nats = np.where(patches.inside, nats, OUT_OF_SIGHT)
    occupied = np.flatnonzero(nats > 0)
    heights = (nats > 0).astype(np.int64)
    if stacking:
        on_top = one_stone_each(look.mask, cells_of(field, bgr.shape[1], bgr.shape[0]))
        shown = np.stack([_shown(mask) for mask in on_top])
        samples = [tall.luv[i][shown[i]] for i in occupied]
        odd = ODD_TOP
    else:
        masks = stone_mask(shown)
        samples = [luv[i][_agreed(masks[i], _shown(cold.mask[i]))] for i in occupied]
        odd = ODD_STONE
    players = {n_groups_max: 1.0} if stacking or n_groups_max <= 2 else {2: 1 - THIRD, n_groups_max: THIRD}
    labels, sure = group(samples, players, piled=stacking)
    if stacking and len(occupied):
        tops = (on_top * shown[:, ::2, ::2])[occupied]
        own = np.array([np.median(s, axis=0) for s in samples], np.float32)
        ground = np.median(tall.luv[occupied].reshape(len(occupied), -1, 3), axis=1)
        closer = look_closer(bgr, field, occupied, tops, own, ground, np.asarray(labels))
        heights[occupied] = (TALL_HEIGHTS_WORTH * look.log_heights[occupied] + closer.log_heights).argmax(axis=1) + 1
        samples = closer.tops
        labels, sure = group(samples, players, piled=True)
    n_groups = max(labels, default=0) + 1
    sure = sure * (1 - odd) + odd / n_groups
    p = 1 / (1 + np.exp(-np.abs(nats)))
    p[occupied] *= sure
    stones: list[str | None] = [None] * len(nats)
    for i, label in zip(occupied, labels, strict=True):
        stones[i] = GROUP_NAMES[label]
    groups = tuple(
        (GROUP_NAMES[g], luv_to_hex(_median([s for s, k in zip(samples, labels, strict=True) if k == g])))
        for g in sorted(set(labels))
    )
    return Reading(field.board.points, field.points_px, tuple(stones), heights, p, groups)


def _agreed(near: NDArray[np.bool_], shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The samples near the middle of a stone that look like it, too; all near the middle where hardly any does."""
    both = near & shown
    return both if both.sum() >= FEWEST_AGREED else near


def _shown(mask: Floats) -> NDArray[np.bool_]:
    """The samples of a patch that show the top stone, at its resolution.

    The likeliest connected part of the mask; as many cells as ``FEWEST``, however unlikely, where it is less.
    """
    least = np.partition(mask, -FEWEST, axis=None)[-FEWEST]
    shown = mask >= min(0.5, float(least))
    n_parts, parts = cv2.connectedComponents(shown.astype(np.uint8))
    if n_parts > 2:
        worth = np.bincount(parts.reshape(-1), mask.reshape(-1), n_parts)
        worth[0] = 0
        shown = parts == int(worth.argmax())
    return np.asarray(shown.repeat(2, axis=0).repeat(2, axis=1))


def _median(samples: list[Floats]) -> Floats:
    return np.asarray(np.median(np.concatenate(samples), axis=0), np.float32)
