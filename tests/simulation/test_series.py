"""Handheld series: what is drawn, and how a picture that was read is compared with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.simulation.reading import places_of, reads_exactly, same_up_to_colours
from tests.simulation.series import ALIKE, GAMES, MATERIALS, draw_series
from vision.stones.photograph_reader import PhotographReading

SQUARE = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])


def read_as(stones: tuple[str | None, ...], points_px: np.ndarray) -> PhotographReading:
    heights = np.array([int(stone is not None) for stone in stones])
    names = tuple("abcd"[: len(stones)])
    return PhotographReading(names, points_px, stones, heights, np.ones(len(stones)), ())


def test_points_are_matched_wherever_up_is():
    assert places_of(SQUARE[[1, 2, 3, 0]] + 0.4, SQUARE) == [1, 2, 3, 0]


def test_a_point_that_lies_nowhere_near_is_matched_with_none():
    assert places_of([[0, 0], [40, 40]], SQUARE) == [0, -1]


def test_a_reading_is_exact_whatever_its_groups_are_called():
    assert reads_exactly(read_as(("B", None, "A", None), SQUARE), (1, 0, 2, 0), SQUARE)


def test_a_reading_is_not_exact_where_two_players_are_one_group():
    assert not reads_exactly(read_as(("A", None, "A", None), SQUARE), (1, 0, 2, 0), SQUARE)


def test_a_reading_is_not_exact_where_a_stone_is_missing_or_the_board_was_not_found():
    assert not reads_exactly(read_as(("A", None, None, None), SQUARE), (1, 0, 2, 0), SQUARE)
    assert not reads_exactly(read_as(("A", None, None, None), SQUARE + 30), (1, 0, 0, 0), SQUARE)
    assert not reads_exactly(None, (1, 0, 0, 0), SQUARE)


def test_one_colour_is_never_two_players():
    assert same_up_to_colours((0, 1, 2), (0, 2, 1))
    assert not same_up_to_colours((0, 1, 1), (0, 2, 1))


def test_every_game_meets_every_material():
    assert np.gcd(len(GAMES), len(MATERIALS)) == 1
    assert set(ALIKE) < set(MATERIALS)


def test_once_a_picture_is_left_out_and_once_one_is_taken_twice():
    shown = draw_series(3, "millchen", 12).shown
    assert len(shown) == 13
    assert len(set(shown)) == 12
    assert list(shown) == sorted(shown)


def test_a_series_may_begin_in_the_middle():
    series = draw_series(3, "millchen", 12, from_turn=6)
    assert series.shown[0] == 6
    assert series.turns == draw_series(3, "millchen", 12).turns


def test_boards_that_turn_are_refused():
    with pytest.raises(ValueError, match="does not turn"):
        draw_series(0, "moulin_rouge")


@pytest.mark.slow
@pytest.mark.parametrize("material", [*ALIKE, "discs on paper", "discs, taped"])
def test_every_material_is_drawn_with_the_truth_beside_it(material: str):
    series = draw_series(7, "tic_tac_toe", 2, material=material)
    bgr, tops, n_turns, points_px = list(replace(series, shown=(2,)))[0]
    assert n_turns == 2
    assert tops == series.turns[1].after.tops
    assert (points_px > 0).all() and (points_px < (bgr.shape[1], bgr.shape[0])).all()


@pytest.mark.slow
def test_towers_are_drawn_too():
    series = draw_series(7, "trialectic", 8)
    photograph = list(replace(series, shown=(8,)))[0]
    assert photograph.tops == series.turns[7].after.tops


@pytest.mark.slow
def test_every_picture_is_from_another_place_and_the_same_seed_takes_the_same():
    one, other = (list(draw_series(51000, "three_mens_morris", 2)) for _ in range(2))
    assert all((a.bgr == b.bgr).all() for a, b in zip(one, other, strict=True))
    places = [photograph.points_px for photograph in one]
    assert np.abs(places[0] - places[1]).max() > 10
