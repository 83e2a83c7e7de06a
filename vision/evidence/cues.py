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
from vision.stones.appearance import Appearance
from vision.stones.colour_clustering import ANY_COLOUR_LOG_DENSITY, next_stone_log_density

NatsByPoint = NDArray[np.float64]


def paint_cues(
    colours: Float32Array, appearance: Appearance, tops: NDArray[np.integer], untouched: NDArray[np.bool_]
) -> dict[str, NatsByPoint]:
    """Return the log likelihood of the colours of all points for every player, (n_points, n_players), by two cues.

    ``colours`` are as of ``colour_statistics``, and ``tops`` as in the reference: 0 bare, k a stone of player k - 1.
    Points that are ``untouched`` show the same as then: their stones are examples in this very light. ``remembered`` is
    the predictive density of the stone's colour given the stones seen so far, ``beside`` the same given the other
    stones in this picture. A stone is never an example for itself.
    """
    cues = {name: np.zeros((len(tops), len(appearance.stones))) for name in ("remembered", "beside")}
    for player, stones in enumerate(appearance.stones):
        beside = {int(i): colours[i] for i in np.flatnonzero(untouched & (tops == player + 1))}
        for name, examples in (("remembered", stones), ("beside", beside)):
            cues[name][:, player] = _log_density_without_itself(examples, colours.astype(np.float64))
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


def _log_density_without_itself(examples: Mapping[int, NDArray[np.floating]], colours: NatsByPoint) -> NatsByPoint:
    """Return the predictive log density of the colours of all points, given examples by point; (n_points,)."""
    of_examples, points = np.array(list(examples.values()), np.float64).reshape(-1, 2, 3), list(examples)
    density = next_stone_log_density(of_examples, colours)
    if points:
        others = of_examples[[[k for k, other in enumerate(points) if other != point] for point in points]]
        density[points] = next_stone_log_density(others, colours[points, None])[:, 0]
    return density


def paint_fit_cue(paint: NatsByPoint) -> NatsByPoint:
    """Return how much better the best player's colours fit than any colour would, as a shadow's do not; (n_points,)."""
    return np.asarray(paint.max(axis=1) - ANY_COLOUR_LOG_DENSITY, np.float64)
