"""What is learnt of a table: bare points in any light, and the colours of its stones."""

import numpy as np
import pytest

from vision.imaging.patches import SIDE, Floats, Patches
from vision.stones.appearance import (
    bare_from_patches,
    change_maps,
    change_strength,
    light_of,
    stone_mask,
    stones_from_patches,
    unknown,
)
from vision.stones.bare_reference import parted, unlike_the_bare
from vision.stones.colour_histogram import NO_STONES, StoneColours, bins_of, blurred, counted, log_density
from vision.stones.separability import separation

N = 12
CLOTH = np.array([4.6, 0.1, 0.2], np.float32)


def cloth(seed: int = 1, n: int = N) -> Floats:
    """Woven cloth with a dark stroke across every patch, five samples wide."""
    luv = CLOTH + np.random.default_rng(seed).normal(0, 1, (n, SIDE, SIDE, 3)).astype(np.float32) * (0.03, 0.01, 0.01)
    luv[:, 14:19, :, 0] -= 1.0
    return luv.astype(np.float32)


def with_disc(luv: Floats, points: list[int], colour: tuple[float, float, float], row: int = 16) -> Floats:
    """A disc of 6 samples radius laid on some points."""
    rows, columns = np.indices((SIDE, SIDE))
    disc = np.hypot(rows - row, columns - 16) <= 6
    laid = luv.copy()
    for i in points:
        laid[i][disc] = colour
    return laid


def patches(luv: Floats) -> Patches:
    return Patches(luv, np.ones(len(luv), np.bool_), 1.0)


EVERY = np.ones(N, np.bool_)


def test_the_light_is_found_under_stones_and_in_any_colour() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    shift = np.array([-0.7, 0.15, -0.2], np.float32)
    now = with_disc(cloth(2), [0, 1, 2, 3, 4, 5, 6, 7], (3.0, 0.9, 0.0)) + shift
    np.testing.assert_allclose(light_of(patches(now), table), shift, atol=0.01)  # the weave's noise, averaged


def test_nothing_changes_where_nothing_was_laid() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    now = patches(np.roll(cloth(2), 1, axis=1))  # one sample aside: a registration is never exact
    strength = change_strength(change_maps(now, table, light_of(now, table)))
    assert strength.mean() < 0.15


@pytest.mark.parametrize("shift", [-2, 2])
def test_a_bare_look_that_lies_two_samples_aside_is_found_there(shift: int) -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    now = patches(np.roll(cloth(2), shift, axis=1))
    strength = change_strength(change_maps(now, table, light_of(now, table)))
    assert strength[:, 4:-4].mean() < 0.2


def test_the_mask_covers_the_stone_and_little_else() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    now = patches(with_disc(cloth(2), [3], (4.5, 0.9, 0.0), row=20))
    mask = stone_mask(change_strength(change_maps(now, table, light_of(now, table))))[3]
    rows, columns = np.indices((SIDE, SIDE))
    on_stone = np.hypot(rows - 20, columns - 16) <= 7
    assert mask.sum() >= 20
    assert (mask & on_stone).sum() >= 0.9 * mask.sum()


def test_colours_of_stones_are_learnt_in_the_light_of_the_reference() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    red = (4.2, 0.8, 0.1)
    dim = patches(with_disc(cloth(2), [3, 5], red) - np.float32([0.5, 0, 0]))
    tops = np.zeros(N, np.int64)
    tops[[3, 5]] = 1
    learnt = stones_from_patches(table, dim, tops)
    assert learnt.stones[0].n_stones == 2
    assert learnt.stones[1] is NO_STONES
    np.testing.assert_allclose(learnt.stones[0].mean_luv, red, atol=0.12)  # bins are 0.2 and 0.1 wide


def test_old_looks_fade_so_that_the_reference_follows_the_light() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    for seed in range(60):
        darker = cloth(seed + 2)
        darker[:, :, :8, 0] -= 0.3  # a shadow that has come to stay on a quarter of every patch
        table = bare_from_patches(table, patches(darker), EVERY)
    settled = table.bare[..., :8, 0].mean() - table.bare[..., 10:, 0].mean()
    assert settled == pytest.approx(-0.3, abs=0.02)


def test_densities_are_densities() -> None:
    samples = (CLOTH + np.random.default_rng(1).normal(0, 1, (50, 3)) * (0.2, 0.04, 0.04)).astype(np.float32)
    counts = counted(samples)
    assert counts.sum() == pytest.approx(1.0, rel=1e-5)
    assert blurred(counts).sum() == pytest.approx(1.0, rel=0.01)  # a little is blurred over the rim
    assert np.exp(log_density(counts)).sum() == pytest.approx(1.0, rel=0.01)
    assert np.ptp(log_density(NO_STONES.counts)[bins_of(samples)]) == 0


def test_separation_lists_the_most_alike_first() -> None:
    table = bare_from_patches(unknown(N, 2), patches(cloth()), EVERY)
    stones = tuple(StoneColours(counted(np.tile(np.float32([[4.0, u, 0.0]]), (9, 1))), 1.0) for u in (0.2, 0.9))
    worst, *rest = separation(type(table)(table.bare, table.looks, stones))
    assert {worst.one, worst.other} == {"player 1", "field"}
    assert worst.d_prime <= min(pair.d_prime for pair in rest)


def test_a_hole_like_all_other_holes_is_no_stone() -> None:
    board = with_disc(cloth(), list(range(N)), (3.4, 0.1, 0.2))
    board = with_disc(board, [2, 7], (4.0, 0.0, 1.0))
    doubtful = np.where(np.arange(N) % 2, 0.6, -0.6)  # what the holes look like by themselves
    doubtful[[2, 7]] = 1.5
    told = parted(unlike_the_bare(board, doubtful))
    assert np.flatnonzero(told > 0).tolist() == [2, 7]


def test_the_border_between_bare_points_and_stones_falls_into_the_gap() -> None:
    holes = np.concatenate([np.linspace(-2.5, 0.8, 19), np.linspace(4, 8, 5)])
    assert (parted(holes) > 0).sum() == 5
    clear = np.concatenate([np.linspace(-6, -4, 16), np.linspace(2, 8, 8)])
    assert (parted(clear) > 0).sum() == 8
