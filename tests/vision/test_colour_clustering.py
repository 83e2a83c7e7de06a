"""Stones of one photograph are sorted into players by their colours."""

import numpy as np
import pytest

from vision.imaging.frame import Float32Array
from vision.stones.colour_clustering import cluster_stones, next_stone_log_density

TWO, TWO_OR_THREE = {2: 1.0}, {2: 0.9, 3: 0.1}


def stone(log_colour: tuple[float, float, float], seed: int) -> Float32Array:
    """Forty samples on one stone that shades by a quarter."""
    rng = np.random.default_rng(seed)
    return (np.array(log_colour) + rng.normal(0, 1, (40, 3)) * (0.25, 0.04, 0.04)).astype(np.float32)


def test_two_paints_are_two_groups_and_the_first_stone_is_in_the_first() -> None:
    labels, _ = cluster_stones([stone((4.5, 0.9 * (seed % 2), 0.0), seed) for seed in range(7)], TWO_OR_THREE)
    assert labels == [0, 1, 0, 1, 0, 1, 0]


def pebble(log_colour: tuple[float, float, float], seed: int) -> Float32Array:
    """Forty samples on one stone whose paint is met closely."""
    rng = np.random.default_rng(seed)
    return (np.array(log_colour) + rng.normal(0, 1, (40, 3)) * (0.1, 0.02, 0.02)).astype(np.float32)


def test_grey_pebbles_of_all_shades_are_one_group_beside_cream_ones() -> None:
    cream = [pebble((5.5 + 0.03 * k, 0.0, 0.0), k) for k in range(4)]
    natural = [pebble((4.7 + 0.15 * k, 0.09 - 0.02 * k, -0.03), 9 + k) for k in range(4)]
    labels, _ = cluster_stones([*cream, *natural], TWO)
    assert labels == [0] * 4 + [1] * 4


def test_black_stones_are_no_dark_pebbles_of_a_heap() -> None:
    black = [pebble((3.8 + 0.1 * k, 0.08 * (k - 1), 0.06 * (1 - k)), k) for k in range(3)]
    natural = [pebble((4.5 + 0.05 * k, 0.06 * (k - 1), -0.05 * k), 9 + k) for k in range(3)]
    yellow = [pebble((4.5, 0.4, -0.3), 20 + k) for k in range(3)]
    labels, _ = cluster_stones([*black, *natural, *yellow], {3: 1.0})
    assert labels == [0] * 3 + [1] * 3 + [2] * 3


@pytest.mark.parametrize("n", [2, 9, 20])
def test_a_stone_in_the_shade_makes_no_third_player(n: int) -> None:
    stones = [pebble((5.0, 0.6 * (k % 2), -0.2), k) for k in range(n)]
    labels, _ = cluster_stones([*stones, pebble((4.6, 0.02, -0.22), n)], TWO_OR_THREE)
    assert labels == [*(k % 2 for k in range(n)), 0]


@pytest.mark.parametrize(("n", "least", "most"), [(2, 0.9, 1.0), (14, 0.5, 0.7)])
def test_many_stones_of_one_colour_may_be_of_two_players_who_lay_in_turn(n: int, least: float, most: float) -> None:
    labels, sure = cluster_stones([pebble((4.8, 0.1, 0.0), k) for k in range(n)], TWO)
    assert set(labels) == {0}
    assert least <= sure.min() <= sure.max() <= most
    _, with_others = cluster_stones([pebble((4.8, 0.1 + 0.6 * (k % 2), 0.0), k) for k in range(14)], TWO)
    assert with_others.min() > 0.95  # both players' stones are seen


def test_white_and_grey_stones_are_told_apart_across_a_shadow() -> None:
    ground = np.array([0.0, 0.0, 0.0, -0.5, -0.5, -0.5] * 2)
    paints = [5.4] * 6 + [4.9] * 6
    stones = [pebble((paint + shade, 0.0, 0.0), k) for k, (paint, shade) in enumerate(zip(paints, ground, strict=True))]
    labels, _ = cluster_stones(stones, TWO, ground)
    assert labels == [0] * 6 + [1] * 6
    assert cluster_stones(stones, TWO)[0] != labels  # a white stone in the shadow is as bright as a grey one in the sun


def one(log_colour: tuple[float, float, float], motley: float = 0.01) -> Float32Array:
    """Usual colour of a stone and the variance on it, as ``next_stone_log_density`` takes them."""
    return np.array([log_colour, (motley, motley / 10, motley / 10)])


GREY, BLACK, RED = one((4.5, 0.03, -0.05)), one((3.2, 0.0, 0.0), 0.3), one((4.0, 0.6, 0.2))


def further(known: list[Float32Array], new: Float32Array) -> float:
    return float(next_stone_log_density(np.array(known).reshape(-1, 2, 3), new[None])[0])


def test_one_grey_pebble_does_not_tell_how_dark_the_next_one_may_be() -> None:
    darker = one((3.9, 0.02, -0.04))
    assert abs(further([GREY], darker) - further([BLACK], darker)) < 1.0
    assert further([GREY], darker) - further([RED], darker) > 3.0


def test_one_painted_stone_tells_the_paint_of_the_next() -> None:
    again = one((4.1, 0.62, 0.21))
    assert further([RED], again) - further([], again) > 5.0
    assert further([RED], again) - further([GREY], again) > 7.0
    assert further([RED] * 4, again) > further([RED], again)
