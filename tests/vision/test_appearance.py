"""What is learnt of a table: bare points in any light, and the colours of its stones."""

import numpy as np
import pytest

from vision.imaging.frame import Float32Array
from vision.imaging.patches import PATCH_SIDE, Patches
from vision.stones.appearance import (
    NO_STONE_COLOURS,
    StoneColours,
    bin_indices,
    change_maps,
    change_maps_with_covered,
    change_strength,
    learn_bare,
    learn_stones,
    light_offset,
    normalised_histogram,
    smooth_histogram,
    stone_mask,
    unknown_appearance,
)
from vision.stones.bare_reference import compare_middles, patch_middles, shift_to_gap
from vision.stones.separability import pairwise_separability

N = 12
CLOTH = np.array([4.6, 0.1, 0.2], np.float32)


def cloth(seed: int = 1, n: int = N) -> Float32Array:
    """Woven cloth with a dark stroke across every patch, five samples wide."""
    log_colour = CLOTH + np.random.default_rng(seed).normal(0, 1, (n, PATCH_SIDE, PATCH_SIDE, 3)).astype(np.float32) * (
        0.03,
        0.01,
        0.01,
    )
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
    return Patches(log_colour, np.ones(len(log_colour), np.bool_), 1.0)


EVERY = np.ones(N, np.bool_)


def test_the_light_is_found_under_stones_and_in_any_colour() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    shift = np.array([-0.7, 0.15, -0.2], np.float32)
    now = with_disc(cloth(2), [0, 1, 2, 3, 4, 5, 6, 7], (3.0, 0.9, 0.0)) + shift
    np.testing.assert_allclose(light_offset(patches(now), table), shift, atol=0.01)  # the weave's noise, averaged


def test_nothing_changes_where_nothing_was_laid() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    now = patches(np.roll(cloth(2), 1, axis=1))  # one sample aside: a registration is never exact
    strength = change_strength(change_maps(now, table, light_offset(now, table)))
    assert strength.mean() < 0.15


def test_a_stone_as_dark_as_a_line_and_as_grey_as_the_cloth_is_neither_of_both() -> None:
    def lined(seed: int) -> Float32Array:
        log_colour = cloth(seed)
        log_colour[:, 14:19, :, 0] += 1.0
        log_colour[:, 15:17] += np.float32([-0.6, 0.2, -1.2])  # a thin yellow line
        return log_colour

    table = learn_bare(unknown_appearance(N, 2), patches(lined(1)), EVERY)
    laid = lined(2)
    laid[3, 14:18, 13:19] = CLOTH + np.float32([-0.55, 0, 0])
    now = patches(laid)
    change, whole = change_maps_with_covered(now, table, light_offset(now, table))
    assert change_strength(change)[3, 14:18, 13:19].mean() < 0.3, "each by itself, its colours are those of the point"
    assert change_strength(whole)[3, 14:18, 13:19].mean() > 1.2
    aside = patches(np.roll(lined(2), 1, axis=1))
    _, whole = change_maps_with_covered(aside, table, light_offset(aside, table))
    assert change_strength(whole).mean() < 0.15, "a registration is never exact"


@pytest.mark.parametrize("shift", [-2, 2])
def test_a_bare_look_that_lies_two_samples_aside_is_found_there(shift: int) -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    now = patches(np.roll(cloth(2), shift, axis=1))
    strength = change_strength(change_maps(now, table, light_offset(now, table)))
    assert strength[:, 4:-4].mean() < 0.2


def test_the_mask_covers_the_stone_and_little_else() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    now = patches(with_disc(cloth(2), [3], (4.5, 0.9, 0.0), row=20))
    mask = stone_mask(change_strength(change_maps(now, table, light_offset(now, table))))[3]
    rows, columns = np.indices((PATCH_SIDE, PATCH_SIDE))
    on_stone = np.hypot(rows - 20, columns - 16) <= 7
    assert mask.sum() >= 20
    assert (mask & on_stone).sum() >= 0.9 * mask.sum()


def test_colours_of_stones_are_learnt_in_the_light_of_the_reference() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    red = (4.2, 0.8, 0.1)
    dim = patches(with_disc(cloth(2), [3, 5], red) - np.float32([0.5, 0, 0]))
    tops = np.zeros(N, np.int64)
    tops[[3, 5]] = 1
    learnt = learn_stones(table, dim, tops)
    assert learnt.stones[0].n_stones == 2
    assert learnt.stones[1] is NO_STONE_COLOURS
    np.testing.assert_allclose(learnt.stones[0].mean_log_colour, red, atol=0.12)  # bins are 0.2 and 0.1 wide


def test_old_looks_fade_so_that_the_reference_follows_the_light() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    for seed in range(60):
        darker = cloth(seed + 2)
        darker[:, :, :8, 0] -= 0.3  # a shadow that has come to stay on a quarter of every patch
        table = learn_bare(table, patches(darker), EVERY)
    settled = table.bare[..., :8, 0].mean() - table.bare[..., 10:, 0].mean()
    assert settled == pytest.approx(-0.3, abs=0.02)


def test_densities_are_densities() -> None:
    samples = (CLOTH + np.random.default_rng(1).normal(0, 1, (50, 3)) * (0.2, 0.04, 0.04)).astype(np.float32)
    counts = normalised_histogram(samples)
    assert counts.sum() == pytest.approx(1.0, rel=1e-5)
    assert smooth_histogram(counts).sum() == pytest.approx(1.0, rel=0.01)  # a little is blurred over the rim
    assert np.exp(StoneColours(counts, 1.0).log_density).sum() == pytest.approx(1.0, rel=0.01)
    assert np.ptp(NO_STONE_COLOURS.log_density[bin_indices(samples)]) == 0


def test_separation_lists_the_most_alike_first() -> None:
    table = learn_bare(unknown_appearance(N, 2), patches(cloth()), EVERY)
    stones = tuple(
        StoneColours(normalised_histogram(np.tile(np.float32([[4.0, u, 0.0]]), (9, 1))), 1.0) for u in (0.2, 0.9)
    )
    worst, *rest = pairwise_separability(type(table)(table.bare, table.bare_counts, stones))
    assert {worst.one, worst.other} == {"player 1", "field"}
    assert worst.d_prime <= min(pair.d_prime for pair in rest)


def test_a_hole_like_all_other_holes_is_no_stone() -> None:
    board = with_disc(cloth(), list(range(N)), (3.4, 0.1, 0.2))
    board = with_disc(board, [2, 7], (4.0, 0.0, 1.0))
    doubtful = np.where(np.arange(N) % 2, 0.6, -0.6)  # what the holes look like by themselves
    doubtful[[2, 7]] = 1.5
    told = shift_to_gap(compare_middles(patch_middles(board), doubtful))
    assert np.flatnonzero(told > 0).tolist() == [2, 7]


def test_the_border_between_bare_points_and_stones_falls_into_the_gap() -> None:
    holes = np.concatenate([np.linspace(-2.5, 0.8, 19), np.linspace(4, 8, 5)])
    assert (shift_to_gap(holes) > 0).sum() == 5
    clear = np.concatenate([np.linspace(-6, -4, 16), np.linspace(2, 8, 8)])
    assert (shift_to_gap(clear) > 0).sum() == 8
