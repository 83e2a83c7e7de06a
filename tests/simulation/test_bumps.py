"""The board is pushed, the camera is knocked: no move, and a move made meanwhile is found."""

from __future__ import annotations

import itertools

import pytest

from tests.simulation.bumps import DEGREES, SHARES, Bumped, bumped

pytestmark = pytest.mark.film


@pytest.mark.parametrize(("camera", "move"), [(False, True), pytest.param(True, False, marks=pytest.mark.slow)])
def test_a_bump_of_a_tenth_and_five_degrees_is_seen_through(camera: bool, move: bool):
    assert bumped(2, 0.10, 5.0, camera=camera, move=move) == Bumped(recovered=True, phantoms=0, found=True)


@pytest.mark.slow
def test_the_whole_grid_of_bumps_is_seen_through():
    kinds = itertools.product(SHARES, DEGREES, (False, True), (False, True))
    came = [bumped(s, share, deg, camera=c, move=m) for s, (share, deg, c, m) in enumerate(kinds)]
    assert sum(b.recovered and b.found for b in came) >= 0.96 * len(came)
    assert sum(b.phantoms for b in came) == 0
