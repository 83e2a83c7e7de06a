"""A look at a table says which points hold whose stones, whatever the light does; a table has habits of its own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS
from tests.drawn import drawn, field_of
from tests.synthetic import Light, Paint, Scene, TableSpec, random_spec, stacks_of
from vision.cases.table_habits import MIN_CASES, CaseLook, fit_habits
from vision.evidence.cues import alike_cue, paint_cues, paint_fit_cue
from vision.evidence.fusion import (
    Cues,
    Evidence,
    conditions,
    fitted_coefficients,
    fuse,
)
from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.imaging.patches import PATCH_SIDE, cut_patches
from vision.networks.points import compare_points, ground_of, look_at_points
from vision.stones.appearance import (
    Appearance,
    colour_statistics,
    learn_bare,
    learn_points,
    top_samples,
    unknown_appearance,
)
from vision.stones.separability import pairwise_separability

pytestmark = pytest.mark.film

N = 24
TOPS = (1, 0, 2, 0, 0, 1, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0)


def table(seed: int) -> Scene:
    """A random painted table with a red and a blue player, 640 px wide: spacing about 40 px."""
    spec = random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, size_px=(640, 480), hardness=0.4)
    return drawn(replace(spec, paints=(Paint((40.0, 40.0, 190.0)), Paint((190.0, 90.0, 30.0)))))


def shot(scene: Scene, tops: Sequence[int], light: Light | None = None, seed: int = 1) -> tuple[Frame, Field]:
    bgr, truth = scene.render(stacks_of(tops), rng=np.random.default_rng(seed), light=light)
    return Frame(bgr, float(seed), seed), field_of(scene, truth.points_px)


def learnt(scene: Scene, tops: Sequence[int] = TOPS) -> Appearance:
    """An appearance learnt from one bare look and one with stones."""
    bare, field = shot(scene, [0] * N)
    appearance = learn_bare(unknown_appearance(N, 2), cut_patches(bare.bgr, field), np.ones(N, np.bool_))
    stones, field = shot(scene, tops, seed=2)
    return learn_points(appearance, cut_patches(stones.bgr, field), np.array(tops), np.array(tops) > 0)


def cues_of(frame: Frame, field: Field, appearance: Appearance) -> Cues:
    """The cues of a look that is compared with no other."""
    patches, n = cut_patches(frame.bgr, field), len(field.points_px)
    known, none, every = appearance.bare_counts > 0, np.zeros(n, np.bool_), np.ones(n, np.bool_)
    ground = ground_of(patches.log_colour, appearance.bare, known)
    features, mask = look_at_points(patches.log_colour, appearance.bare, known, ground)
    compared = compare_points(features)
    samples = top_samples(patches.log_colour - ground.light, mask)
    statistics, tops = np.array([colour_statistics(own) for own in samples]), np.zeros(n, np.intp)
    paint = paint_cues(statistics, appearance, tops, none)
    paint["alike"] = alike_cue(compared.same_log_odds, tops, none, len(appearance.stones))
    stone = {
        "look": compared.log_odds,
        "photograph": np.zeros(n),
        "paint_fit": paint_fit_cue(paint["remembered"]),
        "beside_fit": np.zeros(n),
    }
    seen = every & all(appearance.stones)
    kind = np.full(n, "pixels")
    return Cues(stone, paint, np.zeros(n), kind, np.zeros(n, np.intp), every, every, known, none, none, seen)


def observe_frame(frame: Frame, field: Field, appearance: Appearance) -> Evidence:
    return fuse(cues_of(frame, field, appearance))


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [table(seed) for seed in (3, 4, 5)]


def right(evidence: Evidence, tops: Sequence[int]) -> float:
    return float((evidence.log_likelihood.argmax(axis=1) == np.array(tops)).mean())


def test_every_point_of_a_known_table_is_read(scenes: list[Scene]) -> None:
    other = tuple(np.roll(TOPS, 5))
    read = [right(observe_frame(*shot(scene, other, seed=3), learnt(scene)), other) for scene in scenes]
    assert np.mean(read) >= 0.98  # 72 points: one may be wrong


@pytest.mark.parametrize("change", [{"gain": 0.5}, {"warmth": 0.3}], ids=str)
def test_a_change_of_light_is_no_change_of_stones(scenes: list[Scene], change: dict[str, float]) -> None:
    read = []
    for scene in scenes:
        now = scene.spec.light
        wanted = {k: v * now.gain if k == "gain" else v for k, v in change.items()}
        read.append(right(observe_frame(*shot(scene, TOPS, replace(now, **wanted), seed=5), learnt(scene)), TOPS))
    assert np.mean(read) >= 0.95  # 72 points; darker pictures lose colour to the noise


def test_before_the_second_player_has_shown_a_stone_his_is_the_one_unlike_the_first(scenes: list[Scene]) -> None:
    first_only = tuple(1 if top == 1 else 0 for top in TOPS)
    read = [right(observe_frame(*shot(s, TOPS, seed=7), learnt(s, first_only)), TOPS) for s in scenes]
    assert np.mean(read) >= 0.97


def test_every_condition_has_a_coefficient_and_every_coefficient_a_condition(scenes: list[Scene]) -> None:
    cues = cues_of(*shot(scenes[0], TOPS), learnt(scenes[0]))
    told = {name for name, _ in conditions(cues)} | {"habit/last_look/still", "habit/last_look/moved"}
    assert told == set(fitted_coefficients())


def test_paints_that_are_alike_are_named_before_the_game() -> None:
    spec: TableSpec = table(3).spec
    alike = drawn(replace(spec, paints=(Paint((40.0, 40.0, 190.0)), Paint((45.0, 45.0, 180.0)))))
    apart = drawn(spec)
    worst = {pair.one + pair.other: pair for pair in pairwise_separability(learnt(alike))}["player 1player 2"]
    best = {pair.one + pair.other: pair for pair in pairwise_separability(learnt(apart))}["player 1player 2"]
    assert worst.d_prime < 3 <= best.d_prime
    assert worst.rating != "clear"
    assert worst.error > 0.015 > best.error
    assert best.rating == "clear"
    assert pairwise_separability(unknown_appearance(N, 2)) == ()
    assert PATCH_SIDE % 2 == 0  # the networks see every patch at half its resolution


N_POINTS = 9


def looks(bias: float, n: int = MIN_CASES, *, spread: float = 2.0) -> list[CaseLook]:
    """Looks in which the cues of stones say too much by ``bias`` nats."""
    rng, points_px = np.random.default_rng(8), np.zeros((N_POINTS, 2))
    none, every = np.zeros(N_POINTS, np.bool_), np.ones(N_POINTS, np.bool_)
    found = []
    for _ in range(n):
        truth = rng.integers(1, 3, N_POINTS) * (rng.random(N_POINTS) < 0.6)
        truth[:2] = rng.integers(1, 3, 2)
        said = rng.normal(np.where(truth > 0, 3.0, -3.0), spread) + bias
        paint = rng.normal(0.0, 1.0, (N_POINTS, 2)) + 3.0 * (truth[:, None] == np.array([1, 2]))
        stone = dict.fromkeys(("look", "photograph", "paint_fit", "beside_fit"), said)
        paints = dict.fromkeys(("remembered", "beside", "alike"), paint)
        touched = np.arange(N_POINTS) < 2
        change, before = np.where(touched, 4.0, -4.0), np.where(touched, 0, truth)
        cues = Cues(stone, paints, change, np.full(N_POINTS, "pixels"), before, every, every, every, none, none, every)
        found.append(CaseLook(points_px, (1280, 720), cues, np.arange(N_POINTS), truth))
    return found


@pytest.mark.parametrize("bias", [-4.0, 7.0])
def test_a_table_whose_stones_are_misjudged_one_way_is_read_better(bias: float) -> None:
    fitted = fit_habits(looks(bias))
    assert fitted.habits.stone_bias * bias < 0 or fitted.habits.stone_weight < 1  # less, or less sure
    assert fitted.loss_after < fitted.loss_before
    assert fitted.wrong_after < fitted.wrong_before
    assert fitted.is_better
