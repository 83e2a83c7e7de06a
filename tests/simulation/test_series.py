"""Handheld series: what is drawn, and how a picture that was read is compared with it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.reading import places_of, reads_exactly, same_up_to_colours
from tests.simulation.series import GAMES, MATERIALS, draw_series
from vision.stones.photograph_reader import PhotographReading

SQUARE = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])


def test_points_are_matched_wherever_up_is_and_one_that_lies_nowhere_near_with_none():
    assert places_of(SQUARE[[1, 2, 3, 0]] + 0.4, SQUARE) == [1, 2, 3, 0]
    assert places_of([[0, 0], [40, 40]], SQUARE) == [0, -1]


@pytest.mark.parametrize(
    ("stones", "off_px", "is_exact"),
    [("B.A.", 0, True), ("A.A.", 0, False), ("A...", 0, False), ("B.A.", 30, False), ("", 0, False)],
)
def test_a_reading_is_exact_whatever_its_groups_are_called(stones: str, off_px: float, is_exact: bool):
    seen = tuple(None if stone == "." else stone for stone in stones)
    heights = np.array([int(stone is not None) for stone in seen])
    reading = PhotographReading(tuple("abcd"), SQUARE + off_px, seen, heights, np.ones(4), ()) if seen else None
    assert reads_exactly(reading, (1, 0, 2, 0), SQUARE) is is_exact


def test_one_colour_is_never_two_players():
    assert same_up_to_colours((0, 1, 2), (0, 2, 1))
    assert not same_up_to_colours((0, 1, 1), (0, 2, 1))


def test_every_game_meets_every_material_and_boards_that_turn_are_refused():
    assert np.gcd(len(GAMES), len(MATERIALS)) == 1
    with pytest.raises(ValueError, match="does not turn"):
        draw_series(0, "moulin_rouge")


def test_once_a_picture_is_left_out_once_one_is_taken_twice_and_a_series_may_begin_in_the_middle():
    whole, later = draw_series(3, "millchen", 12), draw_series(3, "millchen", 12, from_turn=6)
    assert len(whole.shown) == 13 and len(set(whole.shown)) == 12 and list(whole.shown) == sorted(whole.shown)
    assert later.shown[0] == 6 and later.turns == whole.turns
