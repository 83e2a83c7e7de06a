"""Corrections of the per-point likelihoods of a frame: occlusion, unseen light, changed pixels, comparison of stones.

Each function takes an ``Observation`` and arrays, and returns a corrected ``Observation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.patches import NEAR_POINT, Patches
from vision.stones.appearance import Appearance, change_maps, change_strength, light_offset, stone_mask
from vision.stones.observation import MAX_POINT_NATS, Observation, colour_log_likelihoods

OTHER_LIGHT_LOG_BRIGHTNESS = 0.4
"""Difference in log brightness from which on two bare points lie in different light: two thirds as bright, as at the
edge of a shadow.
Source: chosen."""

OTHER_LIGHT_WEIGHT = 0.4
"""Factor on the colour log likelihoods of a point in whose light a player's stones have not been seen.
Source: chosen."""

MIN_STONES_FOR_ANY_LIGHT = 3
"""Stones of a player from which on they are assumed to cover all lights, where none lies on a point known when bare.
Source: chosen."""

MIN_CHANGED_STONE_NATS = 3.0
"""Change log odds of a point, in nats, from which on its changed pixels are compared with the players' colours.
Source: chosen."""

MAX_CHANGED_PIXEL_NATS = 3.0
"""Most nats by which the colour of the changed pixels may prefer one player to another.
Source: chosen."""

MIN_CHANGED_SHARE = 0.15
"""Share of the samples near the point that must have changed: half a pebble.
Source: chosen."""

STONE_COLOUR_SPREAD = np.array([0.12, 0.05, 0.05])
"""Prior standard deviation of the mean colours of one player's stones: log brightness, log red/green, log blue/green.
Source: chosen."""

PRIOR_SPREAD_STONES = 4.0
"""Number of stones that ``STONE_COLOUR_SPREAD`` counts for beside the stones that lie there.
Source: chosen."""

STUDENT_T_DEGREES_OF_FREEDOM = 4.0
"""Degrees of freedom of the Student's t distribution of a stone's mean colour: some stones are unlike all others.
Source: chosen."""

MIN_COMPARISON_STONES = 3
"""Stones of every player that must lie there: two unpainted pebbles do not show how much a third may differ.
Source: chosen."""

MAX_COMPARISON_NATS = 6.0
"""Most nats by which the comparison with other stones may prefer one player to another.
Source: chosen."""

HISTOGRAM_WEIGHT = 0.5
"""Factor on the histogram log likelihoods where they are added to the comparison with other stones.

Of 212 stones just laid in twelve filmed games, half of them in similar paints, the histograms prefer the wrong
player at 8, the comparison at 3, and both together at none by more than 2 nats.
Source: chosen."""

SURELY_UNCHANGED_NATS = -3.0
"""Change log odds, in nats, below which a point shows what it showed before, whatever its likelihoods say.
Source: chosen."""

MIN_BARE_NATS_TO_LEARN = 2.0
"""Nats by which bare must be likelier than any stone, for the bare reference to learn from the point.
Source: chosen."""


def drop_occluded_points(observation: Observation, occluded: NDArray[np.bool_]) -> Observation:
    """Set the likelihoods of occluded points to "no evidence" (zero log likelihood for all appearances).

    Parameters
    ----------
    observation : Observation
    occluded : bool array of shape (n_points,)

    Returns
    -------
    Observation
    """
    if not occluded.any():
        return observation
    rows = np.where(occluded[:, None], 0.0, observation.log_likelihood)
    return replace(observation, log_likelihood=rows)


def discount_unseen_light(
    observation: Observation, appearance: Appearance, tops: Sequence[int], n_players: int
) -> Observation:
    """Reduce the weight of colours at points in whose light a player's stones have not been seen.

    A stone in deep shadow says little about the colour of stones in the sun.

    Parameters
    ----------
    observation : Observation
    appearance : Appearance
        Its bare points show how much light falls where.
    tops : sequence of int, by point
        Tops before this frame: 0 bare, k a stone of player k - 1 on top.
    n_players : int

    Returns
    -------
    Observation
    """
    weight = np.ones(len(tops))
    brightness = appearance.bare[:, ::3, ::3, 0].mean(axis=(1, 2))
    top, known = np.array(tops), appearance.bare_counts > 0
    for player in range(n_players):
        own = top == player + 1
        difference = np.abs(brightness[:, None] - brightness[known & own]).min(axis=1, initial=np.inf)
        other_light = difference > OTHER_LIGHT_LOG_BRIGHTNESS
        if 0 < own.sum() < MIN_STONES_FOR_ANY_LIGHT or (known & own).any():
            weight[other_light & known] = np.minimum(weight[other_light & known], OTHER_LIGHT_WEIGHT)
    if (weight == 1.0).all():
        return observation
    rows = observation.log_likelihood.copy()
    best = rows[:, 1:].max(axis=1, keepdims=True)
    rows[:, 1:] = best + weight[:, None] * (rows[:, 1:] - best)
    return replace(observation, log_likelihood=rows)


def correct_by_changed_pixels(
    observation: Observation,
    patches: Patches,
    before: Patches | None,
    appearance: Appearance,
    tops: NDArray[np.integer],
    change_log_odds: NDArray[np.float64],
) -> Observation:
    """Replace the colour evidence of touched stones by the colour of the pixels that have changed.

    A stone laid on another hides only a part of it from a camera that looks from the side. The patch still shows the
    lower stone; the changed pixels show the new one. A stone that was only put straight shows its own colour there.

    Parameters
    ----------
    observation : Observation
        Of ``patches``.
    patches, before : Patches
        Of this frame and of the last accepted one; None where the two cannot be compared pixel by pixel.
    appearance : Appearance
    tops : int array of shape (n_points,)
        Tops at the last accepted frame: 0 bare, k a stone of player k - 1 on top.
    change_log_odds : float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``.

    Returns
    -------
    Observation
        Unchanged where ``before`` is None. Not meant for boards on which stones are stacked.
    """
    on = np.flatnonzero((tops > 0) & (change_log_odds > MIN_CHANGED_STONE_NATS) & (appearance.bare_counts > 0))
    if before is None or len(on) == 0:
        return observation
    difference = patches.log_colour - before.log_colour
    usual = np.median(difference[:, 1::3, 1::3].reshape(-1, 3), axis=0)
    light = light_offset(patches, appearance)
    changed = change_strength(difference[on] - usual.astype(np.float32)) > 1.0
    not_bare = change_strength(change_maps(patches, appearance, light)[on]) > 1.0
    mask = (changed & not_bare & NEAR_POINT)[:, ::2, ::2]
    nats = np.maximum(
        colour_log_likelihoods(patches.log_colour[on, ::2, ::2] - light, mask, appearance), -MAX_CHANGED_PIXEL_NATS
    )
    enough = mask.sum(axis=(1, 2)) >= MIN_CHANGED_SHARE * NEAR_POINT[::2, ::2].sum()
    rows = observation.log_likelihood.copy()
    rows[on[enough], 1:] = rows[on[enough], 1:].max(axis=1, keepdims=True) + nats[enough]
    return replace(observation, log_likelihood=rows)


def compare_with_other_stones(
    observation: Observation,
    patches: Patches,
    before: Patches | None,
    appearance: Appearance,
    tops: NDArray[np.integer],
    change_log_odds: NDArray[np.float64],
    occluded: NDArray[np.bool_],
) -> Observation:
    """Compare the mean colour of newly laid stones with the other stones in the same picture and light.

    A histogram of single samples is as broad as a stone is shaded, so it cannot separate paints of nearly one tone.
    The mean colour of a stone's bright half varies far less from stone to stone. Where a stone lay before, that stone
    is one more example of its player.

    Parameters
    ----------
    observation : Observation
        Of ``patches``.
    patches, before : Patches
        Of this frame and of the last accepted one; None where the two cannot be compared pixel by pixel.
    appearance : Appearance
    tops : int array of shape (n_points,)
        Tops at the last accepted frame: 0 bare, k a stone of player k - 1 on top.
    change_log_odds : float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``.
    occluded : bool array of shape (n_points,)

    Returns
    -------
    Observation
        Unchanged where a player has fewer than ``MIN_COMPARISON_STONES`` stones. Not meant for boards on which stones
        are stacked.

    Notes
    -----
    The log likelihood of each player is that of a Student's t distribution about the mean of the player's stones, with
    a spread within players that all of them share.
    """
    n_players = observation.log_likelihood.shape[1] - 1
    usable = patches.inside & (appearance.bare_counts > 0) & ~occluded
    touched = np.flatnonzero(usable & (change_log_odds > 0))
    if len(touched) == 0:
        return observation
    untouched = np.flatnonzero(usable & (change_log_odds <= 0) & (tops > 0))
    colours = _bright_half_colours(patches, appearance)
    colours_before = _bright_half_colours(before, appearance) if before is not None else None
    rows = observation.log_likelihood.copy()
    for i in touched:
        if colours_before is not None and tops[i] > 0:
            owners = np.append(tops[untouched], tops[i])
            examples = np.vstack([colours[untouched], colours_before[i]])
        else:
            owners, examples = tops[untouched], colours[untouched]
        n = np.bincount(owners, minlength=n_players + 1)[1:]
        if n.min() < MIN_COMPARISON_STONES:
            continue
        nats = _student_t_nats(colours[i], examples, owners, n)
        best = rows[i, 1:].max()
        combined = HISTOGRAM_WEIGHT * (rows[i, 1:] - best) + np.maximum(nats - nats.max(), -MAX_COMPARISON_NATS)
        rows[i, 1:] = best + combined - combined.max()
    return replace(observation, log_likelihood=np.maximum(rows, -MAX_POINT_NATS))


def _student_t_nats(
    colour: NDArray[np.float64],
    examples: NDArray[np.float64],
    owners: NDArray[np.integer],
    n_examples: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Return the log likelihood of a mean colour (3,) for each player, from examples (n, 3) of ``owners``."""
    n_players = len(n_examples)
    means = np.array([examples[owners == player + 1].mean(axis=0) for player in range(n_players)])
    scatter = ((examples - means[owners - 1]) ** 2).sum(axis=0) + PRIOR_SPREAD_STONES * STONE_COLOUR_SPREAD**2
    variance = scatter / (len(examples) - n_players + PRIOR_SPREAD_STONES) * (1 + 1 / n_examples[:, None])
    distance = ((colour - means) ** 2 / variance).sum(axis=1)
    degrees = STUDENT_T_DEGREES_OF_FREEDOM
    nats = -0.5 * (degrees + 3) * np.log1p(distance / degrees) - 0.5 * np.log(variance).sum(axis=1)
    return np.asarray(nats, np.float64)


def _bright_half_colours(patches: Patches, appearance: Appearance) -> NDArray[np.float64]:
    """Return the mean log colour of the brighter half of what may be a stone on each point, shape (n_points, 3)."""
    light = light_offset(patches, appearance)
    masks = stone_mask(change_strength(change_maps(patches, appearance, light)))
    means = []
    for log_colour, mask in zip(patches.log_colour, masks, strict=True):
        samples = log_colour[mask] - light
        means.append(samples[samples[:, 0] >= np.median(samples[:, 0])].mean(axis=0))
    return np.array(means, np.float64)


def learnable_bare_points(observation: Observation, change_log_odds: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the points from which the bare reference may learn.

    A doubtful point must not become the reference. Learnable are points whose likelihoods clearly prefer bare, and
    points that surely have not changed.

    Parameters
    ----------
    observation : Observation
    change_log_odds : float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``.

    Returns
    -------
    bool array of shape (n_points,)
    """
    rows = observation.log_likelihood
    clearly_bare = rows[:, 0] - rows[:, 1:].max(axis=1) > MIN_BARE_NATS_TO_LEARN
    return np.asarray(clearly_bare | (change_log_odds < SURELY_UNCHANGED_NATS), np.bool_)
