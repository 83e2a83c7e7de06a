"""Read one photograph: which points hold stones, and in how many colours.

Only the places of the points are known; which colour belongs to which player stays open. With a picture of the same
table without stones, stone or bare is decided by the difference between the two. Without one, the points are compared
with each other. On boards on which stones are stacked, the heights of the towers are read, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import cut_patches, log_colour_to_hex
from vision.networks.points import compare_points, ground_of, look_at_points
from vision.stones.colour_clustering import cluster_stones
from vision.stones.player_groups import group_stones
from vision.stones.tower_heights import (
    TallPatches,
    TowerPrediction,
    cut_tall_patches,
    make_masks_exclusive,
    mask_cell_places_px,
    predict_towers,
    read_tower_heights,
)

GROUP_NAMES = "ABCDEF"
"""Names of the groups of stones, one letter each."""

MAX_NETWORK_NATS = 4.0
"""Most nats of a network's log odds that are used."""

TALL_PATCH_WEIGHT = 0.75
"""Factor on the log odds of the tall patches: a tower reaches out of its common patch, and into a neighbour's. Source:
measured, 1,926 points of rendered boards kept aside: 27 are taken for bare or stones wrongly, 39 with 0.3."""

TALL_PATCH_HEIGHT_WEIGHT = 0.25
"""Factor on the tall patches' log probabilities of heights; below 1, as the finer strips show the same picture."""

MISREAD_STONE_SHARE = 0.02
"""Share of single stones whose samples show something else than their paint: a bare spot, a lamp."""

MISREAD_TOP_SHARE = 0.06
"""Share of tops of towers whose samples show something else than their paint, most often the stone below. Source:
measured, 163 tops on rendered towers: 6 % got the colour of another stone, however well it fitted."""

MIN_MASK_CELLS = 6
"""Cells of four samples that are used for the colour of a top stone at least, however little of it shows: a quarter."""

MIN_AGREED_SAMPLES = 8
"""Samples on which two ways to find a stone must agree to be used: two cells of the mask."""

THREE_PLAYERS_PRIOR = 0.03
"""Prior probability of a third player on a board for two or more."""


@dataclass(frozen=True, eq=False)
class PhotographReading:
    """The reading of one photograph; raises ``ValueError`` when its parts differ in the number of points."""

    points: tuple[str, ...]  # their names
    points_px: NDArray[np.float64]  # (n_points, 2)
    stones: tuple[str | None, ...]  # group of the top stone of every point, "A", "B" or "C"; None when bare
    heights: NDArray[np.int64]  # (n_points,), stones on every point, 0 to 3
    p: NDArray[np.float64]  # (n_points,), posterior of what is said of it; 0.5 out of sight, where nothing is known
    groups: tuple[tuple[str, str], ...]  # name and colour (``#rrggbb``)

    def __post_init__(self) -> None:
        n = len(self.points)
        if self.points_px.shape != (n, 2) or {self.heights.shape, self.p.shape, (len(self.stones),)} != {(n,)}:
            raise ValueError(f"every array must speak of {n} points")


def read_photograph(
    bgr: Image, registration: Registration, empty_bgr: Image | None = None, n_groups_max: int = 3
) -> PhotographReading:
    """Read the stones of one photograph, in at most ``n_groups_max`` colours.

    ``empty_bgr`` is the same table from the same place, without stones on the points. Raises ``ValueError`` when the
    two pictures differ in size.
    """
    field = registration.field
    if empty_bgr is not None and empty_bgr.shape != bgr.shape:
        raise ValueError(f"the empty picture must have shape {bgr.shape}, got {empty_bgr.shape}")
    players = {n_groups_max: 1.0}
    if field.board.stackable:
        tall = cut_tall_patches(bgr, field)
        tall_prediction = predict_towers(tall)
    elif n_groups_max > 2:
        players = {2: 1 - THREE_PLAYERS_PRIOR, n_groups_max: THREE_PLAYERS_PRIOR}
    patches = cut_patches(bgr, field)
    bare = patches if empty_bgr is None else cut_patches(empty_bgr, field)
    known = np.full(len(patches.inside), empty_bgr is not None)
    ground = ground_of(patches.log_colour, bare.log_colour, known)
    looks = look_at_points(patches.log_colour, bare.log_colour, known, ground, averaged=True)
    compared = compare_points(looks.features)
    nats = compared.log_odds + (tower_nats(tall_prediction) if field.board.stackable else 0.0)
    nats = np.where(patches.inside, nats, 0.0)
    occupied = np.flatnonzero(nats > 0)
    heights = (nats > 0).astype(np.int64)
    if field.board.stackable:
        labels, posterior, samples, heights[occupied] = _read_towers(
            bgr, field, occupied, tall, tall_prediction, players
        )
        misread = MISREAD_TOP_SHARE
    else:
        samples = [patches.log_colour[i][_top_mask(looks.mask[i])] for i in occupied]
        labels, posterior = group_stones(compared.same_log_odds[np.ix_(occupied, occupied)], players)
        misread = MISREAD_STONE_SHARE
    n_groups = max(labels, default=0) + 1
    p = 1 / (1 + np.exp(-np.abs(nats)))
    p[occupied] *= posterior * (1 - misread) + misread / n_groups
    stones: list[str | None] = [None] * len(nats)
    for i, label in zip(occupied, labels, strict=True):
        stones[i] = GROUP_NAMES[label]
    groups = tuple(
        (GROUP_NAMES[g], log_colour_to_hex(median(np.concatenate(own), axis=0)))
        for g in sorted(set(labels))
        for own in ([s for s, k in zip(samples, labels, strict=True) if k == g],)
    )
    return PhotographReading(field.board.points, field.points_px, tuple(stones), heights, p, groups)


def tower_nats(prediction: TowerPrediction) -> Float64Array:
    """Return the log odds of stones, (n_points,), that the tall patches add to the others."""
    return TALL_PATCH_WEIGHT * np.clip(prediction.log_odds, -MAX_NETWORK_NATS, MAX_NETWORK_NATS)


def _read_towers(
    bgr: Image,
    field: Field,
    occupied: NDArray[np.intp],
    tall: TallPatches,
    prediction: TowerPrediction,
    players: Mapping[int, float],
) -> tuple[list[int], Float64Array, list[Float32Array], NDArray[np.int64]]:
    """Return the group, its posterior, colour samples and height of every tower on the points that are occupied."""
    samples, top_masks, ground = _tops_in_tall_patches(bgr, field, occupied, tall, prediction)
    labels, posterior = cluster_stones(samples, players, ground[:, 0])
    if len(occupied) == 0:
        return labels, posterior, samples, np.zeros(0, np.int64)
    top_colours = np.array([median(s, axis=0) for s in samples], np.float32)
    towers = read_tower_heights(bgr, field, occupied, top_masks, top_colours, ground, np.asarray(labels))
    height_log_p = TALL_PATCH_HEIGHT_WEIGHT * prediction.log_heights[occupied] + towers.height_log_p
    labels, posterior = cluster_stones(towers.top_samples, players, ground[:, 0])
    return labels, posterior, towers.top_samples, height_log_p.argmax(axis=1) + 1


def known_tower_heights(
    bgr: Image,
    field: Field,
    towers: NDArray[np.intp],
    paints: NDArray[np.integer],
    tall: TallPatches,
    prediction: TowerPrediction,
) -> Float64Array:
    """Return the log probability of one, two and three stones, (n_towers, 3), of towers whose tops' paints are known.

    ``towers`` are their points, at least one.
    """
    samples, top_masks, ground = _tops_in_tall_patches(bgr, field, towers, tall, prediction)
    top_colours = np.array([median(s, axis=0) for s in samples], np.float32)
    return read_tower_heights(bgr, field, towers, top_masks, top_colours, ground, paints).height_log_p


def _tops_in_tall_patches(
    bgr: Image, field: Field, points: NDArray[np.intp], tall: TallPatches, prediction: TowerPrediction
) -> tuple[list[Float32Array], Float32Array, Float32Array]:
    """Return of the towers on some points the samples of their tops, (m, 3) each, masks, and log colours around."""
    on_top = make_masks_exclusive(prediction.mask, mask_cell_places_px(field, bgr.shape[1], bgr.shape[0]))
    shown = np.stack([_top_mask(mask) for mask in on_top])
    ground = median(tall.log_colour.reshape(len(shown), -1, 3), axis=1)[points]
    return [tall.log_colour[i][shown[i]] for i in points], (on_top * shown[:, ::2, ::2])[points], ground


def _top_mask(mask: Float32Array) -> NDArray[np.bool_]:
    """Return the samples of a patch that show the top stone: the most probable connected part of the mask."""
    least = np.partition(mask, -MIN_MASK_CELLS, axis=None)[-MIN_MASK_CELLS]
    shown = mask >= min(0.5, float(least))
    n_parts, parts = cv2.connectedComponents(shown.astype(np.uint8))
    if n_parts > 2:
        total_p = np.bincount(parts.reshape(-1), mask.reshape(-1), n_parts)
        total_p[0] = 0
        shown = parts == int(total_p.argmax())
    return np.asarray(shown.repeat(2, axis=0).repeat(2, axis=1))
