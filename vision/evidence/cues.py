"""Cues: what each way of looking at a point says of it, in nats, before the cues are fused.

Every cue is a plain log likelihood ratio of one expert. A cue that does not apply to a point is zero there and says
nothing. How far each is believed is the job of ``vision.evidence.fusion``, whose coefficients are fitted to labelled
looks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.imaging.patches import NEAR_POINT, Patches
from vision.stones.appearance import (
    Appearance,
    bin_indices,
    change_strength,
    stone_mask,
)
from vision.stones.colour_clustering import ANY_COLOUR_LOG_DENSITY, next_stone_log_density

MIN_CHANGED_SHARE = 0.15
"""Share of the samples near a point that must have changed, half a pebble, for their colour to be the new stone's."""

NatsByPoint = NDArray[np.float64]


def changed_samples(
    patches: Patches, before: Patches, usual: Float32Array, strength: Float32Array
) -> NDArray[np.bool_]:
    """Return the samples that differ from the reference and from the bare point: a stone on another shows only these.

    ``before`` is the reference, board and camera lie still; ``usual`` is the ``usual_difference`` of the whole board.
    All samples are false at a point where too few have changed to show a colour.
    """
    differs = change_strength(patches.log_colour - before.log_colour - usual) > 1.0
    mask = np.asarray(differs & (strength > 1.0) & NEAR_POINT, np.bool_)
    enough = mask.sum(axis=(1, 2)) >= MIN_CHANGED_SHARE * NEAR_POINT.sum()
    return np.asarray(mask & enough.reshape(-1, 1, 1), np.bool_)


def stone_samples(
    patches: Patches, light: Float32Array, strength: Float32Array, changed: NDArray[np.bool_] | None = None
) -> list[Float32Array]:
    """Return the samples, (m, 3), that may show a stone at every point, or those that have changed."""
    mask = stone_mask(strength)
    if changed is not None:
        use = np.asarray(changed.any(axis=(1, 2)), np.bool_)
        mask = np.where(use.reshape(-1, 1, 1), changed, mask)
    log_colour = patches.log_colour - light
    return [colours[is_stone] for colours, is_stone in zip(log_colour, mask, strict=True)]


def paint_cues(
    samples: list[Float32Array],
    points: NDArray[np.intp],
    statistics: Float32Array,
    appearance: Appearance,
    tops: NDArray[np.integer],
    untouched: NDArray[np.bool_],
) -> dict[str, NatsByPoint]:
    """Return the log likelihood of the colour of some points for every player, (n, n_players), by three cues.

    ``samples``, from ``stone_samples``, are of these points; ``statistics`` and the arrays below of all points of the
    board. ``tops`` are those of the reference: 0 bare, k a stone of player k - 1. Points that are ``untouched`` show
    the same as then: their stones are examples in this very light. ``histogram`` is the mean log density of single
    samples in the player's histogram, ``remembered`` the predictive density of the stone's colour given the stones seen
    so far, ``beside`` the same given the other stones in this picture. A stone is never an example for itself.
    """
    n, players = len(points), range(len(appearance.stones))
    asked = statistics[points].astype(np.float64)
    bins = [bin_indices(own) for own in samples]
    cues = {name: np.zeros((n, len(players))) for name in ("histogram", "remembered", "beside")}
    for player in players:
        stones = appearance.stones[player]
        density = stones.log_density
        cues["histogram"][:, player] = [density[own].mean() for own in bins]
        beside = {int(i): statistics[i].astype(np.float64) for i in np.flatnonzero(untouched & (tops == player + 1))}
        for name, examples in (("remembered", stones.statistics), ("beside", beside)):
            cues[name][:, player] = _log_density_without_itself(examples, points, asked)
    return cues


def alike_cue(
    same_log_odds: NatsByPoint, tops: NDArray[np.integer], untouched: NDArray[np.bool_], n_players: int
) -> NatsByPoint:
    """Return the log likelihood by player, (n_points, n_players), of stones like those that lie there untouched.

    It is the mean of the log odds, (n_points, n_points), that two stones are of one player; 0 for a player without.
    """
    cue, pairs = np.zeros((len(tops), n_players)), same_log_odds * ~np.eye(len(tops), dtype=np.bool_)
    for player in range(n_players):
        examples = untouched & (tops == player + 1)
        n_others = examples.sum() - examples
        cue[:, player] = (pairs @ examples) / np.maximum(n_others, 1)
    return cue


def _log_density_without_itself(
    examples: Mapping[int, NDArray[np.floating]], points: NDArray[np.intp], asked: NatsByPoint
) -> NatsByPoint:
    """Return the predictive log density of the colours of some points, given examples by point; shape (n,)."""
    colours, index = np.array(list(examples.values()), np.float64).reshape(-1, 2, 3), list(examples)
    density, own = np.zeros(len(points)), np.isin(points, index)
    if not own.all():
        density[~own] = next_stone_log_density(colours, asked[~own])
    if own.any():
        others = colours[[[k for k, of in enumerate(index) if of != point] for point in points[own].tolist()]]
        density[own] = next_stone_log_density(others, asked[own, None])[:, 0]
    return density


def paint_fit_cue(paint: NatsByPoint) -> NatsByPoint:
    """Return how much better the best player's colours fit than any colour would, as a shadow's do not; (n_points,)."""
    return np.asarray(paint.max(axis=1) - ANY_COLOUR_LOG_DENSITY, np.float64)
