"""Plain discs on their way: the way is told by what is seen between two rests, and by nothing else."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.layouts import moulin_rouge
from tests.drawn import field_of
from tests.synthetic import Hand, Scene, random_spec
from vision.imaging.frame import Image
from vision.rotation.angle_at_rest import ROTATION_STEPS
from vision.rotation.angle_in_motion import (
    RingAngleFilter,
    rotation_log_posterior,
    start_angle_filter,
    update_angle_filter,
)
from vision.rotation.disc_geometry import fit_disc_geometry

pytestmark = pytest.mark.film

BOARD = moulin_rouge(8)
FRAME_S = 0.1
HOLD = Hand((0.5, 0.05), from_deg=180.0)
"""A hand on the outermost ring that leaves the rest free."""


@lru_cache(maxsize=1)
def plain_scene() -> Scene:
    spec = random_spec(np.random.default_rng(5), BOARD, hardness=0.3, size_px=(480, 270), discs="plain")
    return Scene(spec)


@lru_cache(maxsize=64)
def picture(outer: float, hand: Hand | None = None) -> Image:
    return plain_scene().render([[]] * 24, rng=np.random.default_rng(1), ring_steps=(outer, 0.0, 0.0), hand=hand)[0]


def after(angles: list[float], light: float | NDArray[np.float64] = 1.0) -> RingAngleFilter:
    field = field_of(plain_scene())
    first, *others = ((bgr * light).astype(np.uint8) for bgr in (picture(0.0), *(picture(a, HOLD) for a in angles)))
    underway = start_angle_filter(first, field, fit_disc_geometry(field))
    for bgr in others:
        underway = update_angle_filter(underway, bgr, FRAME_S)
    return underway


@pytest.mark.parametrize("way", [-1, 1])
def test_a_plain_ring_that_a_hand_turns_slowly_is_seen_to_turn_that_way_and_the_others_to_rest(way: int) -> None:
    nats = rotation_log_posterior(after([0.0, *(way * share for share in (0.2, 0.4, 0.6, 0.8, 1.0, 1.0))]))
    assert [ROTATION_STEPS[i] for i in nats.argmax(axis=1)] == [way, 0, 0]
    assert np.sort(nats, axis=1)[:, -2].max() < -3


@pytest.mark.parametrize("way", [-1, 1])
def test_a_ring_that_is_turned_fast_under_hard_shadows_is_seen_to_turn_that_way(way: int) -> None:
    across = np.add(*np.indices((270, 480))) - 374  # of two bars of shadow, right over the middle and beside it
    light = np.where((np.abs(across) < 20) | (np.abs(across - 90) < 15), 0.35, 1.0)[..., None]
    nats = rotation_log_posterior(after([0.0, *(way * share for share in (0.1, 0.36, 0.69, 1.0, 1.0))], light))
    assert [ROTATION_STEPS[i] for i in nats.argmax(axis=1)] == [way, 0, 0]
    assert np.sort(nats, axis=1)[:, -2].max() < -3


def test_a_ring_that_is_turned_on_its_way_and_turned_back_has_not_turned() -> None:
    nats = rotation_log_posterior(after([0.2, 0.4, 0.4, 0.2, 0.0]))
    assert [ROTATION_STEPS[i] for i in nats.argmax(axis=1)] == [0, 0, 0]


def test_a_ring_that_jumps_by_half_a_step_and_another_half_may_have_turned_either_way() -> None:
    nats = rotation_log_posterior(after([0.0, 0.5, 0.5, 1.0, 1.0]))
    assert abs(nats[0, ROTATION_STEPS.index(1)] - nats[0, ROTATION_STEPS.index(-1)]) < 0.5


def test_what_nobody_can_see_tells_no_way_and_little_else() -> None:
    underway = after([])
    grey = np.full_like(picture(0.0), 90)
    for _ in range(8):
        underway = update_angle_filter(underway, grey, FRAME_S)
    nats = rotation_log_posterior(underway)
    assert np.abs(nats[:, ROTATION_STEPS.index(1)] - nats[:, ROTATION_STEPS.index(-1)]).max() < 1
    assert nats[:, ROTATION_STEPS.index(-1) : ROTATION_STEPS.index(1) + 1].min() > -2


def test_after_a_gap_in_the_film_nothing_is_told() -> None:
    underway = update_angle_filter(after([0.0]), picture(0.0), 3.0)
    assert rotation_log_posterior(underway).min() > -1
