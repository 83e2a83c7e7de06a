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
from vision.imaging.frame import Float32Array, Image
from vision.imaging.patches import cut_patches, log_colour_to_hex
from vision.networks.patch_networks import towers_mirrored, turned_every_way
from vision.stones.appearance import (
    MAX_CHANGE_STRENGTH,
    learn_bare,
    change_maps,
    change_strength,
    light_offset,
    stone_mask,
    unknown_appearance,
)
from vision.stones.bare_reference import shift_to_gap, compare_with_bare_points
from vision.stones.colour_clustering import cluster_stones
from vision.stones.observation import stone_log_likelihood_ratio
from vision.stones.tall_patches import STACKING_BOARDS, mask_cell_places_px, make_masks_exclusive, cut_tall_patches
from vision.stones.tower_heights import read_tower_heights

GROUP_NAMES = "ABC"

SINGLE_IMAGE_WEIGHT_WITH_REFERENCE = 0.3
"""What the look of a point by itself adds where its bare look is known, too."""

TALL_PATCH_WEIGHT = 0.75
"""What the look of a tall patch adds: a tower leans out of the common patch, and one behind it looks into it. Of 1,926
points on rendered boards kept aside 27 are then taken for bare or for stones wrongly, 39 with a worth of 0.3."""

TALL_PATCH_HEIGHT_WEIGHT = 0.25
"""What a tall patch adds to what the strip tells of a height: both are the same picture, and the strip is finer."""

OUTSIDE_PICTURE_LOG_ODDS = -2.0
"""Log odds of a stone on a point outside the picture: most points are bare."""

MISREAD_STONE_SHARE = 0.02
MISREAD_TOP_SHARE = 0.06
"""Share of stones, and of tops of towers, whose samples show something else than their paint: a bare spot, a lamp, the
stone below. Of 163 tops on rendered towers 6 % were told with the colour of another stone, however well it fitted."""

MIN_MASK_CELLS = 6
"""Cells of four samples from which the colour of a top stone is taken, however little of it shows: a quarter of one."""

MIN_AGREED_SAMPLES = 8
"""Samples on which two ways to find a stone must agree to be believed: two cells of the mask."""

THREE_PLAYERS_PRIOR = 0.1
"""How likely a third player is on a board for two or more."""


@dataclass(frozen=True, eq=False)
class PhotographReading:
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


def read_photograph(
    bgr: Image, registration: Registration, empty_bgr: Image | None = None, n_groups_max: int = 3
) -> PhotographReading:
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
    patches = cut_patches(bgr, field)
    log_colour = patches.log_colour
    cold = turned_every_way(log_colour)
    top = cold.mask.repeat(2, axis=1).repeat(2, axis=2)
    shown = MAX_CHANGE_STRENGTH * top
    if empty_bgr is None:
        nats = shift_to_gap(compare_with_bare_points(log_colour, cold.log_odds))
    else:
        n = len(field.board.points)
        table = learn_bare(unknown_appearance(n, 0), cut_patches(empty_bgr, field), np.ones(n, np.bool_))
        log_colour = log_colour - light_offset(patches, table)
        change = change_maps(patches, table, light_offset(patches, table))
        strength = change_strength(change)
        nats = stone_log_likelihood_ratio(change, strength) + SINGLE_IMAGE_WEIGHT_WITH_REFERENCE * np.clip(cold.log_odds, -4, 4)
        shown = strength * (0.1 + 0.9 * top)  # what changed and looks like the top stone, not like its neighbour's
    stacking = field.board.name in STACKING_BOARDS
    if stacking:
        tall = cut_tall_patches(bgr, field)
        look = towers_mirrored(tall.log_colour, tall.height_scale)
        nats = nats + TALL_PATCH_WEIGHT * np.clip(look.log_odds, -4, 4)
    nats = np.where(patches.inside, nats, OUTSIDE_PICTURE_LOG_ODDS)
    occupied = np.flatnonzero(nats > 0)
    heights = (nats > 0).astype(np.int64)
    if stacking:
        on_top = make_masks_exclusive(look.mask, mask_cell_places_px(field, bgr.shape[1], bgr.shape[0]))
        shown = np.stack([_top_mask(mask) for mask in on_top])
        samples = [tall.log_colour[i][shown[i]] for i in occupied]
        odd = MISREAD_TOP_SHARE
    else:
        masks = stone_mask(shown)
        samples = [log_colour[i][_agreed(masks[i], _top_mask(cold.mask[i]))] for i in occupied]
        odd = MISREAD_STONE_SHARE
    players = {n_groups_max: 1.0} if stacking or n_groups_max <= 2 else {2: 1 - THREE_PLAYERS_PRIOR, n_groups_max: THREE_PLAYERS_PRIOR}
    labels, sure = cluster_stones(samples, players, piled=stacking)
    if stacking and len(occupied):
        tops = (on_top * shown[:, ::2, ::2])[occupied]
        own = np.array([np.median(s, axis=0) for s in samples], np.float32)
        ground = np.median(tall.log_colour[occupied].reshape(len(occupied), -1, 3), axis=1)
        closer = read_tower_heights(bgr, field, occupied, tops, own, ground, np.asarray(labels))
        heights[occupied] = (TALL_PATCH_HEIGHT_WEIGHT * look.log_heights[occupied] + closer.height_log_p).argmax(axis=1) + 1
        samples = closer.top_samples
        labels, sure = cluster_stones(samples, players, piled=True)
    n_groups = max(labels, default=0) + 1
    sure = sure * (1 - odd) + odd / n_groups
    p = 1 / (1 + np.exp(-np.abs(nats)))
    p[occupied] *= sure
    stones: list[str | None] = [None] * len(nats)
    for i, label in zip(occupied, labels, strict=True):
        stones[i] = GROUP_NAMES[label]
    groups = tuple(
        (GROUP_NAMES[g], log_colour_to_hex(_median([s for s, k in zip(samples, labels, strict=True) if k == g])))
        for g in sorted(set(labels))
    )
    return PhotographReading(field.board.points, field.points_px, tuple(stones), heights, p, groups)


def _agreed(near: NDArray[np.bool_], shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The samples near the middle of a stone that look like it, too; all near the middle where hardly any does."""
    both = near & shown
    return both if both.sum() >= MIN_AGREED_SAMPLES else near


def _top_mask(mask: Float32Array) -> NDArray[np.bool_]:
    """The samples of a patch that show the top stone, at its resolution.

    The likeliest connected part of the mask; as many cells as ``MIN_MASK_CELLS``, however unlikely, where it is less.
    """
    least = np.partition(mask, -MIN_MASK_CELLS, axis=None)[-MIN_MASK_CELLS]
    shown = mask >= min(0.5, float(least))
    n_parts, parts = cv2.connectedComponents(shown.astype(np.uint8))
    if n_parts > 2:
        worth = np.bincount(parts.reshape(-1), mask.reshape(-1), n_parts)
        worth[0] = 0
        shown = parts == int(worth.argmax())
    return np.asarray(shown.repeat(2, axis=0).repeat(2, axis=1))


def _median(samples: list[Float32Array]) -> Float32Array:
    return np.asarray(np.median(np.concatenate(samples), axis=0), np.float32)
