"""One photograph and its field in; the points with stones, their groups, heights and probabilities out.

Only the places of the points are known; which colour belongs to which player stays open. With a picture of the same
table without stones, stone or bare is decided by the difference between the two. Without one, the scores of all
points are read together. On boards on which stones are stacked, the heights of the towers are read, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import (
    Patches,
    cut_patches,
    ground_colours,
    log_colour_to_hex,
)
from vision.networks.points import (
    ALONE_SIDE,
    StonesAlone,
    compare_points,
    ground_of,
    look_at_points,
    stones_alone,
)
from vision.stones.appearance import top_mask
from vision.stones.board_mixture import board_mixture
from vision.stones.colour_clustering import cluster_stones
from vision.stones.stone_map import stone_map_logits
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

MAX_SCORE_NATS = 8.0
"""Most nats of one reader, of patches or of the map of stones, that are used."""

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

STONE_SIZES = (1.0, 0.8, 0.65)
"""Sizes that the stones of a board may have beside those of pebbles that fill their patches, where only one picture is
known: the points are seen in patches that much smaller, and read in each.
Source: measured, 24 boards of hollows: of 23 balls on boards of nine points none is seen at 1, 14 at 0.8, all at
0.65."""

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
    p_stone: NDArray[np.float64]  # (n_points,), posterior of stone or none alone, whatever its colour and height
    groups: tuple[tuple[str, str], ...]  # name and colour (``#rrggbb``)

    def __post_init__(self) -> None:
        n = len(self.points)
        arrays = self.heights, self.p, self.p_stone
        if self.points_px.shape != (n, 2) or len(self.stones) != n or any(one.shape != (n,) for one in arrays):
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
    tall_nats = tower_nats(tall_prediction) if field.board.stackable else 0.0
    if empty_bgr is None:
        looks = looks_at_sizes(bgr, field)
        nats = stone_log_odds(bgr, field, looks, looks[0][0].inside)
        patches, mask = _fitting_look(looks, nats)
        nats += tall_nats
        light, ground = np.zeros(3, np.float32), patches
    else:
        patches, ground = cut_patches(bgr, field), cut_patches(empty_bgr, field)
        has_bare = np.ones(len(patches.inside), np.bool_)
        usual = ground_of(patches.log_colour, ground.log_colour, has_bare)
        features, mask = look_at_points(patches.log_colour, ground.log_colour, has_bare, usual)
        nats, light = compare_points(features).log_odds + tall_nats, usual.light
    nats = np.where(patches.inside, nats, 0.0)
    occupied, heights = np.flatnonzero(nats > 0), (nats > 0).astype(np.int64)
    if field.board.stackable:
        labels, posterior, samples, heights[occupied] = _read_towers(
            bgr, field, occupied, tall, tall_prediction, players
        )
        misread = MISREAD_TOP_SHARE
    else:
        samples = [(patches.log_colour[i] - light)[top_mask(mask[i])] for i in occupied]
        around = median(ground.log_colour[..., 0].reshape(len(nats), -1), axis=1)
        labels, posterior = cluster_stones(samples, players, around[occupied])
        misread = MISREAD_STONE_SHARE
    p_stone = 1 / (1 + np.exp(-np.abs(nats)))
    p = p_stone.copy()
    p[occupied] *= posterior * (1 - misread) + misread / (max(labels, default=0) + 1)
    names = {i: GROUP_NAMES[label] for i, label in zip(occupied.tolist(), labels, strict=True)}
    stones = tuple(names.get(i) for i in range(len(nats)))
    groups = tuple(
        (GROUP_NAMES[g], log_colour_to_hex(median(np.concatenate(own), axis=0)))
        for g in sorted(set(labels))
        for own in ([s for s, k in zip(samples, labels, strict=True) if k == g],)
    )
    return PhotographReading(field.board.points, field.points_px, stones, heights, p, p_stone, groups)


def tower_nats(prediction: TowerPrediction) -> Float64Array:
    """Return the log odds of stones, (n_points,), that the tall patches add to the others."""
    return TALL_PATCH_WEIGHT * np.clip(prediction.log_odds, -MAX_NETWORK_NATS, MAX_NETWORK_NATS)


def stone_log_odds(
    bgr: Image, field: Field, looks: Sequence[tuple[Patches, StonesAlone]], here: NDArray[np.bool_]
) -> Float64Array:
    """Return the log odds of a stone, nats, (n_points,), from one picture alone; 0 on points that are not ``here``.

    Bare points look alike on a board without rings, and on each ring.
    """
    scores, nats = point_scores(bgr, field, looks), np.zeros(len(here))
    for ring in map(list, field.board.rings or (range(len(here)),)):
        alike = np.intersect1d(ring, np.flatnonzero(here))
        nats[alike] = board_mixture().log_odds(scores[alike])
    return nats


def looks_at_sizes(bgr: Image, field: Field) -> list[tuple[Patches, StonesAlone]]:
    """Return the patches of all points, and what they show by themselves, for each of ``STONE_SIZES``."""
    looks = []
    for share in STONE_SIZES:
        patches = cut_patches(bgr, field, ALONE_SIDE, share)
        ground = ground_colours(patches.log_colour, field.board)
        looks.append((patches, stones_alone(patches.log_colour, ground)))
    return looks


def point_scores(bgr: Image, field: Field, looks: Sequence[tuple[Patches, StonesAlone]]) -> Float64Array:
    """Return what the patches of each size and the map of stones say, nats, (n_points, len(STONE_SIZES) + 1)."""
    scores = [prediction.log_odds for _, prediction in looks]
    scores.append(stone_map_logits(bgr, field))
    return np.clip(np.stack(scores, axis=1), -MAX_SCORE_NATS, MAX_SCORE_NATS)


def _fitting_look(looks: Sequence[tuple[Patches, StonesAlone]], nats: Float64Array) -> tuple[Patches, Float32Array]:
    """Return the patches and masks of the size whose log odds fit the stones and bare points of ``nats`` best."""
    patches, prediction = min(looks, key=lambda look: np.logaddexp(0, -np.sign(nats) * look[1].log_odds).sum())
    return patches, prediction.mask


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
    tops = np.stack([top_mask(mask) for mask in on_top])
    ground = median(tall.log_colour.reshape(len(tops), -1, 3), axis=1)[points]
    return [tall.log_colour[i][tops[i]] for i in points], (on_top * tops[:, ::2, ::2])[points], ground
