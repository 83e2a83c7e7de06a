"""What is learnt of a table: bare points in any light, and the colours of its stones."""

import numpy as np

from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_SIDE, Patches
from vision.stones.appearance import (
    learn_bare,
    light_offset,
    unknown_appearance,
)

N = 12
CLOTH = np.array([4.6, 0.1, 0.2], np.float32)


def cloth(seed: int = 1, n: int = N) -> Float32Array:
    """Woven cloth with a dark stroke across every patch, five samples wide."""
    weave = np.random.default_rng(seed).normal(0, 1, (n, PATCH_SIDE, PATCH_SIDE, 3)).astype(np.float32)
    log_colour = CLOTH + weave * (0.03, 0.01, 0.01)
    log_colour[:, 14:19, :, 0] -= 1.0
    return log_colour.astype(np.float32)


def with_disc(
    log_colour: Float32Array, points: list[int], colour: tuple[float, float, float], row: int = 16
) -> Float32Array:
    """A disc of 6 samples radius laid on some points."""
    rows, columns = np.indices((PATCH_SIDE, PATCH_SIDE))
    disc = np.hypot(rows - row, columns - 16) <= 6
    laid = log_colour.copy()
    for i in points:
        laid[i][disc] = colour
    return laid


def patches(log_colour: Float32Array) -> Patches:
    return Patches(log_colour, np.ones(len(log_colour), np.bool_))


EVERY = np.ones(N, np.bool_)


def test_the_light_is_found_under_stones_and_in_any_colour() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    shift = np.array([-0.7, 0.15, -0.2], np.float32)
    now = with_disc(cloth(2), [0, 1, 2, 3, 4, 5, 6, 7], (3.0, 0.9, 0.0)) + shift
    np.testing.assert_allclose(light_offset(patches(now), table), shift, atol=0.01)  # the weave's noise, averaged
