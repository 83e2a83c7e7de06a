"""Stones that nobody has painted yet: what a webcam would see of them, and how often it would mistake them.

The pebbles of a paint are imagined as samples of the paint in light and shade, with the noise of a webcam, and put into
the same histogram of colours that is learnt of stones on a real table. So the measure of ``vision.stones.separability``
can be asked before there is a table.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from calibration.making.seen_colours import EXPOSED_LEVELS, in_webcam, linear_of
from vision.imaging.frame import Float32Array, Float64Array
from vision.imaging.patches import PATCH_SIDE, log_colour_of
from vision.stones.appearance import Appearance, StoneColours, normalised_histogram
from vision.stones.separability import STONE_SPREAD, overlooked_share, pairwise_separability

UNPAINTED = "#8a857d"
"""Usual colour of a pebble as it was found. Source: chosen, the middle of grey and brown garden pebbles."""

UNPAINTED_SPREAD = (0.22, 0.08, 0.08)
"""Standard deviation of log colour from one unpainted pebble to the next.
Source: measured, 281 unpainted stones; see ``vision.stones.colour_clustering``."""

SHADING = 0.2
"""Standard deviation of log brightness on one pebble, from its lit to its shaded side. Source: chosen."""

SHADE = -0.36
"""Log brightness of the shadow that a pebble throws, and of its side away from the lamp, against what is lit. With it
a pebble of the very colour of the cloth is seen. Source: chosen, lamp and ceiling leave 70 % of the light there."""

NOISE_LEVELS = 3.0
"""Standard deviation of a webcam's noise in each channel indoors, levels of 255. Source: chosen."""

_N_SAMPLES = 256
"""Samples of an imagined player's pebbles. Source: chosen."""

_KEPT = 1024


@cache
def _chance() -> Float64Array:
    """Return standard normal numbers, shape (_N_SAMPLES, 7): always the same, so that advice is always the same."""
    found = np.random.default_rng(25).standard_normal((_N_SAMPLES, 7))
    found.setflags(write=False)
    return found


def _log_colour(levels: Float64Array) -> Float32Array:
    """Return the log colours of levels (n, 3) of red, green and blue."""
    found: Float32Array = log_colour_of(np.rint(levels[None, :, ::-1]).astype(np.uint8))[0]
    return found


@lru_cache(maxsize=_KEPT)
def imagined_stones(paint: str | None, light: str, cloth: str, exposed_level: float) -> StoneColours:
    """Return the colours that a webcam sees on the pebbles of a paint (None: unpainted) on some cloth."""
    level = in_webcam(linear_of(paint or UNPAINTED)[None], light, linear_of(cloth), exposed_level)[0]
    chance = _chance()
    seen = level * np.exp(SHADING * chance[:, :1]) + NOISE_LEVELS * chance[:, 1:4]
    colours = _log_colour(np.clip(seen, 0, 255))
    if paint is None:
        colours = colours + (np.array(UNPAINTED_SPREAD) * chance[:, 4:]).astype(np.float32)
    return StoneColours(normalised_histogram(colours), 1.0)


@lru_cache(maxsize=_KEPT)
def pair_error(one: str | None, other: str | None, light: str, cloth: str) -> tuple[float, float]:
    """Return the distance of two paints, standard deviations, and the share of their stones that is mistaken.

    Both by the program's own measure, in the webcam whose exposure suits them least.
    """
    unseen = np.zeros((1, PATCH_SIDE, PATCH_SIDE, 3), np.float32)
    found = []
    for level in EXPOSED_LEVELS:
        stones = tuple(imagined_stones(paint, light, cloth, level) for paint in (one, other))
        (pair,) = pairwise_separability(Appearance(unseen, np.zeros(1), stones))
        found.append((pair.error, -pair.d_prime))
    error, nearest = max(found)
    return -nearest, error


@lru_cache(maxsize=_KEPT)
def ground_error(paint: str | None, ground: str, light: str, cloth: str) -> tuple[float, float]:
    """Return the distance of a paint from bare points of some colour, and the share of its stones that is overlooked.

    Paint and ground are as far apart as `vision.stones.separability` says, and the shade of the stone sets it off
    besides: both together are the distance. The webcam is that whose exposure suits them least.
    """
    apart = []
    for level in EXPOSED_LEVELS:
        # Both through the same histogram, which has a last bin: under a lamp a red stone and a red cloth are beyond it.
        stone, bare = (imagined_stones(colour, light, cloth, level).mean_log_colour for colour in (paint, ground))
        apart.append(np.linalg.norm((stone - bare) / STONE_SPREAD))
    distance = float(np.hypot(min(apart), SHADE / STONE_SPREAD[0]))
    return distance, overlooked_share(distance)
