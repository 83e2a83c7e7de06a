"""Per-point log likelihoods of one frame: bare, or a stone of each player.

Stone or bare is decided against the learnt bare patch of the point. Its colours decide whose stone it is. Where
the bare patch of a point is unknown, the point is compared with the other points of the board instead; that counts
less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.patches import Patches
from vision.networks.patch_networks import average_pool, changed_stone_log_odds, predict_stones
from vision.stones.appearance import Appearance, change_maps, change_strength, light_offset, stone_mask
from vision.stones.colour_clustering import next_stone_log_density
from vision.stones.colour_histogram import N_COLOUR_BINS, bin_indices, colour_statistics

MAX_POINT_NATS = 7.0
"""Most nats by which one point may prefer one appearance to another: one glaring point must not veto the others.
Source: chosen."""

SINGLE_IMAGE_WEIGHT = 0.7
"""Factor on the log odds of a stone on a point that was never seen bare.
Source: chosen."""

MAX_SINGLE_IMAGE_NATS = 3.0
"""Most nats that the log odds of a point that was never seen bare may reach.
Source: chosen."""

UNCHANGED_STRENGTH = 0.03
"""Mean change strength of a patch below which nothing has been laid there: a pebble covers an eighth of the patch.
Source: chosen."""

TRAINING_PRIOR_NATS = 0.5
"""Log odds of bare in the training set of the network (37 % stones), added to get a likelihood ratio.
Source: measured, share of stones in the training set of ``tools/readers/train.py known``: 37 %."""

UNSEEN_COLOUR_LOG_DENSITY = -float(np.log(N_COLOUR_BINS)) + 4.5
"""Log density of the colours of a player of whom no stone was seen yet.

It is worse than a known colour that fits (which fills about a hundredth of all colours), and better than one that does
not fit.
Source: chosen."""

MAX_UNSEEN_COLOUR_NATS = 2.5
"""Most nats by which a colour may speak against a player of whom no stone was seen yet.

The player's colour may be much like another's, and the colour of a first stone alone must not accuse anybody.
Source: chosen."""

EFFECTIVE_COLOUR_SAMPLES = 8.0
"""Effective sample size of the many samples on one stone: they share light, glare and paint.
Source: chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Per-point evidence from one frame.

    Attributes
    ----------
    log_likelihood : float64 array of shape (n_points, n_appearances)
        ``log p(pixels at point i | appearance a)`` in nats, up to a constant per point. Appearance 0 is the bare
        field, k a stone painted as player k - 1 on top. Within a row no two differ by more than ``MAX_POINT_NATS``.
        A point outside the picture has an all-zero row.

    Raises
    ------
    ValueError
        When ``log_likelihood`` has another shape.
    """

    log_likelihood: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.log_likelihood.ndim != 2 or self.log_likelihood.shape[1] < 2:
            raise ValueError(
                f"log_likelihood must have shape (n_points, n_appearances), got {self.log_likelihood.shape}"
            )
        self.log_likelihood.setflags(write=False)


def observe(patches: Patches, appearance: Appearance, n_players: int) -> Observation:
    """Return the log likelihoods of every point of a frame.

    Parameters
    ----------
    patches : Patches
        Of the frame.
    appearance : Appearance
        The learnt appearance of the table.
    n_players : int
        Players whose stones may lie there; as many as ``appearance`` knows.

    Returns
    -------
    Observation

    Raises
    ------
    ValueError
        When ``appearance`` is of other numbers of players or points.
    """
    if len(appearance.stones) != n_players:
        raise ValueError(f"appearance must know {n_players} players, got {len(appearance.stones)}")
    if len(patches.log_colour) != len(appearance.bare_counts):
        raise ValueError(f"appearance must know {len(patches.log_colour)} points, got {len(appearance.bare_counts)}")
    light = light_offset(patches, appearance)
    change = change_maps(patches, appearance, light)
    strength = change_strength(change)
    stone_nats = stone_log_likelihood_ratio(change, strength)
    unknown = appearance.bare_counts == 0
    if unknown.any():
        stone_nats = np.where(unknown, _single_image_nats(patches), stone_nats)
    rows = np.zeros((len(stone_nats), n_players + 1))
    seen = np.flatnonzero(patches.inside & (stone_nats > 1 - MAX_POINT_NATS))
    if len(seen):
        # Every other sample of every other row: a stone still has twenty, and colours take most of a frame's time.
        colours = patches.log_colour[seen, ::2, ::2] - light
        rows[seen, 1:] = colour_log_likelihoods(colours, stone_mask(strength[seen])[:, ::2, ::2], appearance)
    rows[:, 0] = -stone_nats
    rows[~patches.inside] = 0.0
    rows -= rows.max(axis=1, keepdims=True)
    return Observation(np.maximum(rows, -MAX_POINT_NATS))


def fuse_with_single_image_reading(
    observation: Observation, patches: Patches, appearance: Appearance, doubtful: NDArray[np.bool_] | None = None
) -> Observation:
    """Halve the evidence of the known bare patches and add that of the network which needs none.

    Meant for a board that has just been moved: its shadows lie elsewhere now, so its bare patches have changed.

    Parameters
    ----------
    observation : Observation
        Of ``patches``, by ``appearance``.
    patches : Patches
    appearance : Appearance
    doubtful : bool array of shape (n_points,), optional
        The points to change; all when omitted.

    Returns
    -------
    Observation
    """
    rows = observation.log_likelihood
    known_nats = rows[:, 1:].max(axis=1) - rows[:, 0]
    use = patches.inside & (appearance.bare_counts > 0)
    if doubtful is not None:
        use &= doubtful
    stone_nats = np.where(use, 0.5 * known_nats + _single_image_nats(patches), known_nats)
    fused = np.column_stack([-stone_nats, rows[:, 1:] - rows[:, 1:].max(axis=1, keepdims=True)])
    fused -= fused.max(axis=1, keepdims=True)
    return replace(observation, log_likelihood=np.maximum(fused, -MAX_POINT_NATS))


def _single_image_nats(patches: Patches) -> NDArray[np.float64]:
    """Return the log likelihood ratio of a stone on every point, without any bare patch; shape (n_points,)."""
    log_odds = predict_stones(patches.log_colour).log_odds
    nats: NDArray[np.float64] = np.clip(SINGLE_IMAGE_WEIGHT * log_odds, -MAX_SINGLE_IMAGE_NATS, MAX_SINGLE_IMAGE_NATS)
    return nats


def stone_log_likelihood_ratio(change: Float32Array, strength: Float32Array) -> NDArray[np.float64]:
    """Return the log likelihood ratio of a stone against the bare field, for every point.

    Parameters
    ----------
    change : float32 array of shape (n_points, PATCH_SIDE, PATCH_SIDE, 3)
        Change against the bare field, see ``change_maps``.
    strength : float32 array of shape (n_points, PATCH_SIDE, PATCH_SIDE)
        Its size, see ``change_strength``.

    Returns
    -------
    float64 array of shape (n_points,)
        ``log p(pixels | stone) - log p(pixels | bare)``, positive where a stone is likelier, within
        +-``MAX_POINT_NATS``.
    """
    nats = np.full(len(change), -MAX_POINT_NATS)
    changed = np.flatnonzero(strength.mean(axis=(1, 2)) > UNCHANGED_STRENGTH)
    if len(changed):
        log_odds = changed_stone_log_odds(change_network_input(change[changed]))
        nats[changed] = np.clip(log_odds + TRAINING_PRIOR_NATS, -MAX_POINT_NATS, MAX_POINT_NATS)
    return nats


def change_network_input(change: Float32Array) -> Float32Array:
    """Return the change as input of ``patch_networks.changed_stone_log_odds``: limited, and at half the resolution."""
    level = np.clip(change[..., 0], -1.2, 1.2)
    chroma = np.minimum(np.sqrt(change[..., 1] ** 2 + change[..., 2] ** 2), 0.6)
    return average_pool(np.stack([level, 3 * chroma, np.abs(level)], axis=3))


def colour_log_likelihoods(
    log_colour: Float32Array, mask: NDArray[np.bool_], appearance: Appearance
) -> NDArray[np.float64]:
    """Return the log likelihood of the colours of each stone for every player, relative to the best player.

    A player who has not shown a stone yet may have any colour, so a colour unlike the others' is that player's.

    Parameters
    ----------
    log_colour : float32 array of shape (n, rows, columns, 3)
        Log colours of the patches in the light of the reference.
    mask : bool array of shape (n, rows, columns)
        The samples that show the stone.
    appearance : Appearance

    Returns
    -------
    float64 array of shape (n, n_players)
    """
    index = bin_indices(log_colour.reshape(len(log_colour), -1, 3))
    weight = mask.reshape(len(log_colour), -1).astype(np.float32)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1)
    histogram_nats = np.full((len(log_colour), len(appearance.stones)), UNSEEN_COLOUR_LOG_DENSITY)
    cluster_nats = np.zeros(histogram_nats.shape)
    samples, masks = log_colour.reshape(len(log_colour), -1, 3), mask.reshape(len(log_colour), -1)
    new = np.array([colour_statistics(s[m] if m.any() else s) for s, m in zip(samples, masks, strict=True)], np.float64)
    for player, stones in enumerate(appearance.stones):
        if stones.n_stones:
            histogram_nats[:, player] = (stones.log_density[index] * weight).sum(axis=1)
        known = np.array(list(stones.statistics.values()), np.float64)
        cluster_nats[:, player] = next_stone_log_density(known, new)
    nats = EFFECTIVE_COLOUR_SAMPLES * (histogram_nats - histogram_nats.max(axis=1, keepdims=True))
    # The weaker of the two counts: few stones do not show all colours of a player.
    nats = np.maximum(nats, cluster_nats - cluster_nats.max(axis=1, keepdims=True))
    unseen = np.array([stones.n_stones == 0 for stones in appearance.stones])
    nats = np.where(unseen, np.maximum(nats, -MAX_UNSEEN_COLOUR_NATS), nats)
    nats -= nats.max(axis=1, keepdims=True)
    return np.asarray(nats, np.float64)
