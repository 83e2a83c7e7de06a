"""Turning rings on drawn discs: steps, slack, what rides along, and the way that a plain one went."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.layouts import moulin_rouge
from tests.drawn import field_of
from tests.synthetic import Hand, Scene, Truth, random_spec, stacks_of
from tests.synthetic.spec import Discs as Made
from vision.imaging.frame import Image
from vision.rotation.angle_at_rest import (
    ROTATION_STEPS,
    RingRotation,
    measure_rotation,
    unroll_discs,
)
from vision.rotation.angle_in_motion import (
    RingAngleFilter,
    rotation_log_posterior,
    start_angle_filter,
    update_angle_filter,
)
from vision.rotation.disc_geometry import fit_disc_geometry, ring_permutation, rotate_field_rings

pytestmark = pytest.mark.film

BOARD = moulin_rouge(8)
TOPS = [0] * 24
TOPS[0], TOPS[3], TOPS[9], TOPS[12], TOPS[18] = 1, 2, 1, 2, 1


@lru_cache(maxsize=4)  # a table with its pictures takes some 30 MB
def scene_of(seed: int, made: Made = "grainy") -> Scene:
    return Scene(random_spec(np.random.default_rng(seed), BOARD, hardness=0.3, size_px=(960, 540), discs=made))


def measured(
    seed: int, tops: list[int], turned: Sequence[float] = (0.0, 0.0, 0.0)
) -> tuple[list[int], RingRotation, Truth]:
    """The steps that are seen between TOPS and these once the rings are turned, all that is measured, and the truth."""
    scene = scene_of(seed)
    before, now = (
        scene.render(stacks_of(lying), rng=np.random.default_rng(k), ring_steps=steps)
        for k, lying, steps in ((1, TOPS, (0.0, 0.0, 0.0)), (2, tops, tuple(turned)))
    )
    found = measure_rotation(*(unroll_discs(bgr, field_of(scene)) for bgr, _ in (before, now)))
    return [ROTATION_STEPS[i] for i in found.log_likelihood.argmax(axis=1)], found, now[1]


@pytest.mark.parametrize("ring", range(3))
@pytest.mark.parametrize("step", [-1, 1])
def test_a_ring_with_stones_is_seen_to_turn(ring: int, step: int):
    steps = [step if r == ring else 0 for r in range(3)]
    seen, _, _ = measured(0, [TOPS[k] for k in ring_permutation(BOARD, steps)], steps)
    assert seen == steps


def test_a_disc_that_stops_off_a_step_is_measured_to_a_hundredth_of_one():
    seen, found, truth = measured(1, [TOPS[k] for k in ring_permutation(BOARD, (0, 1, 0))], (0.0, 1.12, 0.0))
    assert seen == [0, 1, 0]
    assert found.offset_steps == pytest.approx([0, 0.12, 0], abs=0.02)
    field = field_of(scene_of(1))
    rode = rotate_field_rings(field, fit_disc_geometry(field), [0, 1.12, 0])
    assert np.linalg.norm(rode.points_px - truth.points_px, axis=1).max() < 1.5


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
