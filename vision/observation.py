"""What one frame says about every point, as log-likelihoods.

Occupied or bare is decided against what the point looks like when bare; whose stone it is, by its colours. A point
whose bare look is unknown says nothing about occupied or bare.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance, change_maps, change_strength, light_of, stone_middle, stone_samples
from vision.colours import N_COLOURS, bins_of
from vision.field import Field
from vision.frame import Frame
from vision.patches import SIDE, Floats, Patches, sample, samples_per_unit

CLIP = 7.0
"""Most nats by which one point may prefer one appearance to another: one glaring point must not veto the rest."""

COLOUR_WORTH = 8.0
"""Independent samples that the many samples on one stone are worth; they share light, glare and paint."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Per-point evidence from one frame.

    Attributes
    ----------
    log_likelihood : float64 array of shape (n_points, n_appearances)
        ``log p(pixels at point i | appearance a)`` in nats, up to a constant per point; appearance 0 is the bare
        field, k a stone painted as player k - 1 on top. Within a row no two differ by more than ``CLIP``. A point
        outside the picture has an all-zero row.
    time_s : float
        Capture time, seconds since the source was opened.
    filled : float64 array of shape (n_points,)
        Share of the patch that is foreign, 0 to 1. A pebble fills a fifth to a half, a hand nearly all.
    """

    log_likelihood: NDArray[np.float64]
    time_s: float
    filled: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.log_likelihood.ndim != 2 or self.log_likelihood.shape[1] < 2:
            raise ValueError(
                f"log_likelihood must have shape (n_points, n_appearances), got {self.log_likelihood.shape}"
            )
        if self.filled.shape != self.log_likelihood.shape[:1]:
            raise ValueError(f"filled must have shape (n_points,), got {self.filled.shape}")
        self.log_likelihood.setflags(write=False)
        self.filled.setflags(write=False)


def observe(frame: Frame, field: Field, appearance: Appearance, n_players: int) -> Observation:
    """What a frame says about every point.

    Parameters
    ----------
    frame : Frame
    field : Field
        Where the points lie in this frame.
    appearance : Appearance
        What the table is known to look like.
    n_players : int
        Players whose stones may lie there; as many as ``appearance`` knows.

    Returns
    -------
    Observation
    """
    return observe_patches(sample(frame.bgr, field), appearance, n_players, frame.time_s)


def observe_patches(patches: Patches, appearance: Appearance, n_players: int, time_s: float = 0.0) -> Observation:
    """As ``observe``, from patches that were cut already."""
    if len(appearance.stones) != n_players:
        raise ValueError(f"appearance must know {n_players} players, got {len(appearance.stones)}")
    if len(patches.luv) != len(appearance.looks):
        raise ValueError(f"appearance must know {len(patches.luv)} points, got {len(appearance.looks)}")
    light = light_of(patches, appearance)
    change = change_maps(patches, appearance, light)
    evidence, filled = occupied_nats(change)
    known = (appearance.looks > 0) & patches.inside
    evidence = np.where(known, evidence, 0.0)
    rows = np.zeros((len(evidence), n_players + 1))
    for i in np.flatnonzero(patches.inside & (evidence > -CLIP + 1)):
        rows[i, 1:] = colour_nats(stone_samples(patches.luv[i] - light, change[i]), appearance)
    rows[:, 0] = -evidence
    rows[~patches.inside] = 0.0
    rows -= rows.max(axis=1, keepdims=True)
    return Observation(np.maximum(rows, -CLIP), time_s, filled)


def occupied_nats(change: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence for a stone against the bare field, and how much of each patch is foreign.

    Parameters
    ----------
    change : float32 array of shape (n_points, SIDE, SIDE, 3)
        Change against the bare field, see ``change_maps``.

    Returns
    -------
    nats : float64 array of shape (n_points,)
        ``log p(pixels | stone) - log p(pixels | bare)``, positive where a stone is likelier, within +-CLIP.
    filled : float64 array of shape (n_points,)
    """
    strength = change_strength(change)
    middle = stone_middle(strength)
    size = 2 * int(0.2 * samples_per_unit()) + 1
    mass = cv2.blur(strength.reshape(-1, SIDE), (size, size)).reshape(strength.shape)
    rows, columns = middle.astype(np.intp).T
    peak = mass[np.arange(len(mass)), rows, columns].astype(np.float64)
    nats = np.clip(5.0 * (peak - 1.0), -CLIP, CLIP)
    filled = (strength > 1.0).mean(axis=(1, 2)).astype(np.float64)
    return nats, filled


def colour_nats(luv: Floats, appearance: Appearance) -> NDArray[np.float64]:
    """How well the samples of a stone go with every player, relative to the best, shape (n_players,).

    A player who has not shown a stone yet may have any colour, so that a colour unlike the others' is his.
    """
    if len(luv) == 0:
        return np.zeros(len(appearance.stones))
    index = bins_of(luv)
    fits = np.array([
        float(stones.log_density[index].mean()) if stones.n_stones else -np.log(N_COLOURS) + 3.0
        for stones in appearance.stones
    ])
    nats: NDArray[np.float64] = COLOUR_WORTH * (fits - fits.max())
    return nats
