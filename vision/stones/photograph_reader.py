"""One photograph and its field in; the points with stones, their groups, heights and probabilities out.

Only the places of the points are known; which colour belongs to which player stays open. With a picture of the same
table without stones, stone or bare is decided by the difference between the two. Without one, the points are compared
with each other. On boards on which stones are stacked, the heights of the towers are read, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Float32Array, Float64Array, Image
from vision.imaging.medians import median
from vision.imaging.patches import (
    PATCH_REACH_UNITS,
    Patches,
    cut_patches,
    ground_colours,
    inner_patches,
    log_colour_to_hex,
    patch_reaches,
    stone_unit,
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
from vision.stones.bare_reference import compare_middles, patch_middles, shift_to_gap
from vision.stones.colour_clustering import cluster_stones
from vision.stones.stone_map import stone_map_log_odds
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

PATCHES_WEIGHT, MAP_WEIGHT, ALONE_BIAS_NATS = 0.82, 1.07, 0.29
"""Factors on the log odds of the patches and of the map of stones, where no empty picture is known, and what is added.
Source: fitted, ``tools/readers/fit_alone.py``."""

MAX_PATCHES_NATS = 7.0
"""Most nats of the patches, all sizes and towers taken together, that are used."""

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

SMALL_STONE_NATS = 7.0
"""Decrease of the log prior for every factor e by which patches of a size reach less far than ``PATCH_REACH_UNITS``:
stones are about as large, in units, on all boards, so that small ones are likelier where points lie far apart. From
5 to 8, mistakes on 112 drawn pictures, 24 boards of hollows and 51 stills differ by two."""

STONE_SIZE_EVIDENCE_WEIGHT = 0.3
"""Factor on what all points together say of a size: they share board, light and stones, and err together. On
112 drawn pictures, 24 boards of hollows and 51 stills the loss is within 5 % from 0.2 to 0.3."""

ALIKE_NATS = -0.4
"""Log odds of stones, at most, where all points look like stones, and alike: no game fills a board with one player's
stones, so that marks at all points are likelier, but no bare point is seen to compare them with."""

MOST_SMALL_STONES_SHARE = 0.8
"""Share of the points that may look like stones in smaller patches: where more do, the marks of the board do."""

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
        patches_nats, patches, alone = occupancy_of_patches(bgr, field)
        in_patches = np.clip(patches_nats + tall_nats, -MAX_PATCHES_NATS, MAX_PATCHES_NATS)
        on_map = stone_map_log_odds(bgr, field, in_patches)
        nats, mask = PATCHES_WEIGHT * in_patches + MAP_WEIGHT * on_map + ALONE_BIAS_NATS, alone.mask
        light, ground = np.zeros(3, np.float32), patches
    else:
        patches, ground = cut_patches(bgr, field), cut_patches(empty_bgr, field)
        known = np.ones(len(patches.inside), np.bool_)
        usual = ground_of(patches.log_colour, ground.log_colour, known)
        features, mask = look_at_points(patches.log_colour, ground.log_colour, known, usual)
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


def occupancy_of_patches(bgr: Image, field: Field) -> tuple[Float64Array, Patches, StonesAlone]:
    """Return the log odds of stones (n_points,) from one picture, and patches and prediction at the likeliest size.

    How large the stones are is not known, but on one board it is the same at all points. Under each size a board has a
    likelihood: over all points, that of its patches with a stone or without against that without. The odds of a point
    are the mean over all sizes, so that a point that shows a stone at one of two likely sizes is in doubt. In small
    patches marks look like stones: stones nearly everywhere are believed at the first size alone, and not all of one
    colour.
    """
    looks: list[tuple[Patches, StonesAlone]] = []
    nats: list[Float64Array] = []
    for share in STONE_SIZES:
        patches = cut_patches(bgr, field, ALONE_SIDE, share)
        ground = ground_colours(patches.log_colour, field.board)
        prediction = stones_alone(patches.log_colour, ground, averaged=True)
        here, log_odds = patches.inside, np.zeros(len(patches.inside))
        log_odds[here] = shift_to_gap(
            compare_middles(patch_middles(patches.log_colour[here]), prediction.log_odds[here])
        )
        n_stones, n_here = int((log_odds[here] > 0).sum()), int(here.sum())
        full = n_stones == n_here if share == 1 else n_stones > MOST_SMALL_STONES_SHARE * n_here
        if full and (share < 1 or _of_one_colour(patches, prediction)):
            log_odds[here] = np.minimum(log_odds[here], ALIKE_NATS)
        looks.append((patches, prediction))
        nats.append(log_odds)
    by_size = np.array(nats)
    evidence = np.logaddexp(0, np.minimum(by_size, MAX_NETWORK_NATS)).sum(axis=1)
    reach_units = median(patch_reaches(field.board)) / stone_unit(field.board) * np.array(STONE_SIZES)
    prior = SMALL_STONE_NATS * np.minimum(0, np.log(reach_units / PATCH_REACH_UNITS))
    weight = STONE_SIZE_EVIDENCE_WEIGHT * evidence + prior
    weight -= np.logaddexp.reduce(weight)
    bare, stone = (np.logaddexp.reduce(weight[:, None] - np.logaddexp(0, sign * by_size), axis=0) for sign in (1, -1))
    return stone - bare, *looks[int(weight.argmax())]


def glance_alone(log_colour: Float32Array, board: Board) -> Float64Array:
    """Return the log odds of a stone, nats, (n_points,), from patches of one picture, at one size and in one view."""
    seen = inner_patches(log_colour, ALONE_SIDE)
    return stones_alone(seen, ground_colours(seen, board), averaged=False).log_odds


def _of_one_colour(patches: Patches, prediction: StonesAlone) -> bool:
    """Return whether what looks like a stone at every point is of one colour."""
    seen = zip(patches.log_colour[patches.inside], prediction.mask[patches.inside], strict=True)
    labels, _ = cluster_stones([log_colour[top_mask(mask)] for log_colour, mask in seen], {2: 1.0})
    return len(set(labels)) < 2


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
    shown = np.stack([top_mask(mask) for mask in on_top])
    ground = median(tall.log_colour.reshape(len(shown), -1, 3), axis=1)[points]
    return [tall.log_colour[i][shown[i]] for i in points], (on_top * shown[:, ::2, ::2])[points], ground
