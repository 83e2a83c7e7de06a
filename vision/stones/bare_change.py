"""The change of a point against its own bare patch, as log odds that a stone stands there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.imaging.frame import Float32Array
from vision.networks.patch_networks import average_pool, changed_stone_log_odds

UNCHANGED_STRENGTH = 0.03
"""Mean change strength of a patch below which nothing has been laid there: a pebble covers an eighth of the patch."""

UNCHANGED_LOG_ODDS = -10.0
"""Log odds of a stone on such a patch; the network is not asked then."""


def stone_log_odds_of_change(change: Float32Array, strength: Float32Array) -> NDArray[np.float64]:
    """Return the log odds of a stone, (n_points,), from ``change_maps`` and their ``change_strength``.

    The prior is that of the network's training set. They are at least ``UNCHANGED_LOG_ODDS``.
    """
    log_odds = np.full(len(change), UNCHANGED_LOG_ODDS)
    changed = np.flatnonzero(strength.mean(axis=(1, 2)) > UNCHANGED_STRENGTH)
    if len(changed):
        seen = changed_stone_log_odds(change_network_input(change[changed]))
        log_odds[changed] = np.maximum(seen, UNCHANGED_LOG_ODDS)
    return log_odds


def change_network_input(change: Float32Array) -> Float32Array:
    """Return the change as input of ``patch_networks.changed_stone_log_odds``: limited, and at half the resolution."""
    level = np.clip(change[..., 0], -1.2, 1.2)
    chroma = np.minimum(np.sqrt(change[..., 1] ** 2 + change[..., 2] ** 2), 0.6)
    return average_pool(np.stack([level, 3 * chroma, np.abs(level)], axis=3))
