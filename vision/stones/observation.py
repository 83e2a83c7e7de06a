"""What one frame says about every point, as log-likelihoods.

Occupied or bare is decided against what the point looks like when bare; whose stone it is, by its colours. Where the
bare look of a point is unknown, its look beside that of the other points must do, and counts less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import Floats, Patches, sample
from vision.networks.patch_networks import halved, stone_on_known_field, stones_on_unknown_field
from vision.stones.appearance import Appearance, change_maps, change_strength, light_of, stone_mask
from vision.stones.colour_clustering import further_stone
from vision.stones.colour_histogram import N_COLOURS, bins_of, single

CLIP = 7.0
"""Most nats by which one point may prefer one appearance to another: one glaring point must not veto the rest."""

COLD_WORTH, COLD_CLIP = 0.7, 3.0
"""What the log odds of a point never seen bare are worth, and the most that they may say, in nats."""

UNCHANGED = 0.03
"""Mean strength of change of a patch under which nothing has been laid there: a pebble covers an eighth of it."""

PRIOR_OF_NET = 0.5
"""The network was trained on 37 % stones; adding the log odds of that leaves the likelihood ratio."""

ANY_COLOUR = -float(np.log(N_COLOURS)) + 4.5
"""Log density of the colours of a player of whom no stone was seen yet: worse than a known colour that fits (which
fills about a hundredth of all colours), better than one that does not."""

UNSEEN_CLIP = 2.5
"""Most nats by which a colour may speak against a player of whom no stone was seen yet: his may be much like another's,
and nobody is accused of what only the colour of his first stone says."""

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
    strength = change_strength(change)
    evidence = occupied_nats(change, strength)
    unknown = appearance.looks == 0
    if unknown.any():
        unseen = np.clip(COLD_WORTH * stones_on_unknown_field(patches.luv).log_odds, -COLD_CLIP, COLD_CLIP)
        evidence = np.where(unknown, unseen, evidence)
    rows = np.zeros((len(evidence), n_players + 1))
    seen = np.flatnonzero(patches.inside & (evidence > 1 - CLIP))
    if len(seen):
        # Every other sample of every other row: a stone still has twenty, and they are the dearest part of a look.
        colours = patches.luv[seen, ::2, ::2] - light
        rows[seen, 1:] = colour_nats(colours, stone_mask(strength[seen])[:, ::2, ::2], appearance)
    rows[:, 0] = -evidence
    rows[~patches.inside] = 0.0
    rows -= rows.max(axis=1, keepdims=True)
    return Observation(np.maximum(rows, -CLIP), time_s, (strength > 1.0).mean(axis=(1, 2)).astype(np.float64))


def second_opinion(
    observation: Observation, patches: Patches, appearance: Appearance, doubtful: NDArray[np.bool_] | None = None
) -> Observation:
    """Halve what the known bare looks say, and add what the network says that knows none.

    For a board that has just been moved: shadows lie elsewhere on it now, so its bare looks are not what they were.

    Parameters
    ----------
    observation : Observation
        Of ``patches``, by ``appearance``.
    patches : Patches
    appearance : Appearance
    doubtful : bool array of shape (n_points,), optional
        Which points are meant; all when omitted.

    Returns
    -------
    Observation
    """
    rows = observation.log_likelihood
    known = rows[:, 1:].max(axis=1) - rows[:, 0]
    unknown = np.clip(COLD_WORTH * stones_on_unknown_field(patches.luv).log_odds, -COLD_CLIP, COLD_CLIP)
    meant = patches.inside & (appearance.looks > 0)
    if doubtful is not None:
        meant &= doubtful
    odds = np.where(meant, 0.5 * known + unknown, known)
    mixed = np.column_stack([-odds, rows[:, 1:] - rows[:, 1:].max(axis=1, keepdims=True)])
    mixed -= mixed.max(axis=1, keepdims=True)
    return replace(observation, log_likelihood=np.maximum(mixed, -CLIP))


def occupied_nats(change: Floats, strength: Floats) -> NDArray[np.float64]:
    """Evidence for a stone against the bare field.

    Parameters
    ----------
    change : float32 array of shape (n_points, SIDE, SIDE, 3)
        Change against the bare field, see ``change_maps``.
    strength : float32 array of shape (n_points, SIDE, SIDE)
        Its size, see ``change_strength``.

    Returns
    -------
    float64 array of shape (n_points,)
        ``log p(pixels | stone) - log p(pixels | bare)``, positive where a stone is likelier, within +-CLIP.
    """
    nats = np.full(len(change), -CLIP)
    altered = np.flatnonzero(strength.mean(axis=(1, 2)) > UNCHANGED)
    if len(altered):
        nats[altered] = np.clip(stone_on_known_field(change_for_net(change[altered])) + PRIOR_OF_NET, -CLIP, CLIP)
    return nats


def change_for_net(change: Floats) -> Floats:
    """The change as ``nets.stone_on_known_field`` expects it: limited, and at half the resolution."""
    level = np.clip(change[..., 0], -1.2, 1.2)
    chroma = np.minimum(np.sqrt(change[..., 1] ** 2 + change[..., 2] ** 2), 0.6)
    return halved(np.stack([level, 3 * chroma, np.abs(level)], axis=3))


def colour_nats(luv: Floats, mask: NDArray[np.bool_], appearance: Appearance) -> NDArray[np.float64]:
    """How well the colours of stones go with every player, relative to the best.

    A player who has not shown a stone yet may have any colour, so that a colour unlike the others' is his.

    Parameters
    ----------
    luv : float32 array of shape (n, rows, columns, 3)
        Log colours of the patches in the light of the reference.
    mask : bool array of shape (n, rows, columns)
        The samples that show the stone.
    appearance : Appearance

    Returns
    -------
    float64 array of shape (n, n_players)
    """
    index = bins_of(luv.reshape(len(luv), -1, 3))
    weight = mask.reshape(len(luv), -1).astype(np.float32)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1)
    fits = np.full((len(luv), len(appearance.stones)), ANY_COLOUR)
    further = np.zeros(fits.shape)
    samples, shown = luv.reshape(len(luv), -1, 3), mask.reshape(len(luv), -1)
    new = np.array([single(s[m] if m.any() else s) for s, m in zip(samples, shown, strict=True)], np.float64)
    for player, stones in enumerate(appearance.stones):
        if stones.n_stones:
            fits[:, player] = (stones.log_density[index] * weight).sum(axis=1)
        further[:, player] = further_stone(np.array(list(stones.singles.values()), np.float64), new)
    nats = COLOUR_WORTH * (fits - fits.max(axis=1, keepdims=True))
    # Of two witnesses the milder one: few stones seen do not tell all that a player has.
    nats = np.maximum(nats, further - further.max(axis=1, keepdims=True))
    unseen = np.array([stones.n_stones == 0 for stones in appearance.stones])
    nats = np.where(unseen, np.maximum(nats, -UNSEEN_CLIP), nats)
    nats -= nats.max(axis=1, keepdims=True)
    return np.asarray(nats, np.float64)
