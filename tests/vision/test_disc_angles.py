"""Turning rings on drawn discs: steps, slack, what rides along, and the way that a plain one went."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.boards import boards_for
from referee.layouts import moulin_rouge
from referee.presets import find_variant
from tests.drawn import field_of
from tests.synthetic import Hand, Scene, Truth, random_spec, stacks_of
from tests.synthetic.spec import Discs as Made
from vision.detection.detect import locate
from vision.imaging.field import Registration
from vision.imaging.frame import Image
from vision.rotation.angle_at_rest import (
    MIN_DISTINCTNESS_NATS,
    ROTATION_STEPS,
    RingRotation,
    featureless_rings,
    mark_advice,
    measure_rotation,
    ring_distinctness,
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

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]


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
@pytest.mark.parametrize("seed", SEEDS)
def test_a_ring_with_stones_is_seen_to_turn(seed: int, ring: int, step: int):
    steps = [step if r == ring else 0 for r in range(3)]
    seen, _, _ = measured(seed, [TOPS[k] for k in ring_permutation(BOARD, steps)], steps)
    assert seen == steps


@pytest.mark.parametrize("seed", SEEDS)
def test_rings_that_rest_are_not_seen_to_turn_when_a_stone_is_laid(seed: int):
    more = list(TOPS)
    more[5] = 2
    seen, found, _ = measured(seed, more)
    assert seen == [0, 0, 0]
    assert np.abs(found.offset_steps).max() < 0.02


def test_a_disc_that_stops_off_a_step_is_measured_to_a_hundredth_of_one():
    seen, found, truth = measured(1, [TOPS[k] for k in ring_permutation(BOARD, (0, 1, 0))], (0.0, 1.12, 0.0))
    assert seen == [0, 1, 0]
    assert found.offset_steps == pytest.approx([0, 0.12, 0], abs=0.02)
    field = field_of(scene_of(1))
    rode = rotate_field_rings(field, fit_disc_geometry(field), [0, 1.12, 0])
    assert np.linalg.norm(rode.points_px - truth.points_px, axis=1).max() < 1.5


def test_bare_discs_are_told_to_need_a_mark_before_they_are_played_on():
    told = {}
    for made in ("plain", "grainy"):
        scene = scene_of(4, made)
        if made == "plain":
            scene = Scene(replace(scene.spec, uneven=0.0))
        field = field_of(scene)
        one, other = (
            unroll_discs(scene.render(stacks_of([0] * 24), rng=np.random.default_rng(k))[0], field) for k in (1, 2)
        )
        told[made] = ring_distinctness(replace(other, noise=measure_rotation(one, other).noise))
    assert told["plain"].min() < MIN_DISTINCTNESS_NATS < told["grainy"].min()
    assert set(featureless_rings(replace(other, noise=np.full(3, 1e9)))) == {0, 1, 2} and featureless_rings(other) == ()
    assert mark_advice(other) is None
    said = mark_advice(replace(other, noise=np.array([1e9, other.noise[1], 1e9])))
    assert said is not None and "outer and inner discs look the same all around: stick" in said


UNSEEN = pytest.mark.xfail(reason="holes as small as these are not seen with the present weights")


@pytest.mark.parametrize(("players", "holes"), [(5, 20), pytest.param(6, 24, marks=UNSEEN)])
def test_the_holes_that_five_and_six_players_need_are_counted_by_the_eyes(players: int, holes: int):
    variant = find_variant("moulin_rouge", players=players)
    rng = np.random.default_rng(1)
    spec = random_spec(rng, variant.board, n_players=players, hardness=0.3, size_px=(960, 540), discs="marked")
    picture, _ = Scene(spec).render([()] * len(variant.board.points), rng=rng)
    found = locate(picture, boards_for(variant))
    assert isinstance(found, Registration)
    assert [len(ring) for ring in found.field.board.rings] == [holes] * 3


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
