"""Hands, light and stones are told apart on drawn tables."""

import numpy as np
import pytest

from referee.layouts import NINE_MENS_MORRIS
from tests.drawn import drawn, field_of
from tests.synthetic import Hand, Light, Scene, random_spec, stacks_of
from tests.synthetic.hand import Cup
from vision.imaging.field import Field
from vision.imaging.frame import Frame
from vision.tracking.follow import TrackedField
from vision.tracking.motion import Mask, is_moving_over, update_motion
from vision.tracking.motion import MotionState as Movement
from vision.tracking.occlusion import OcclusionCheck, check_occlusion, standing_things

pytestmark = pytest.mark.film

TOPS = (1, 0, 2, 0, 0, 1, 0, 0, 2, 1, 0, 0) * 2
SIZE_PX = (960, 540)


def scene_of(seed: int) -> Scene:
    return drawn(random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.3, size_px=SIZE_PX))


def seen(scene: Scene, tops: tuple[int, ...] = TOPS, seed: int = 0, **changed: object) -> np.ndarray:
    bgr, _ = scene.render(stacks_of(tops), rng=np.random.default_rng(seed), **changed)
    return bgr


def looked_at(bgr: np.ndarray, field: Field, standing: Mask | None = None, *, has_moved: bool = True) -> OcclusionCheck:
    """What is found in the way in a picture at rest, where something moved everywhere, or nowhere."""
    motion = Movement(moved_cells=np.full((17, 30), has_moved))
    return check_occlusion(
        field, motion, TrackedField(field, np.eye(3), moved=False), Frame(bgr, 1.0, 1), 0.4, standing
    )


def watched(pictures: list[np.ndarray]) -> list[bool]:
    """For every picture but the first, whether something was seen to move; 30 frames a second."""
    movement, moved = Movement(), []
    for i, bgr in enumerate(pictures):
        movement = update_motion(movement, Frame(bgr, i / 30, i))
        moved.append(movement.last_motion_s == i / 30)
    return moved[1:]


@pytest.mark.parametrize("per_second", [5, 8, 10, 12, 15, 20, 24, 25, 30, 50, 60])
def test_frames_are_looked_at_every_tenth_of_a_second_or_as_often_as_they_come(per_second: int):
    motion, looked, black = Movement(), [], np.zeros((8, 8, 3), np.uint8)
    for k in range(4 * per_second):
        time_s = round(k / per_second, 3)  # as films count
        motion = update_motion(motion, Frame(black, time_s, k), may_skip=True)
        looked += [time_s] * (motion.last_frame_s == time_s)
    gaps = np.diff(looked)
    assert gaps.max() <= max(0.1, 1 / per_second) + 0.002
    assert gaps.min() >= min(0.1, 1 / per_second) * (1 if per_second <= 10 else 0.5) - 0.002


def test_a_hand_that_comes_and_goes_is_movement():
    scene = scene_of(0)
    hand = seen(scene, hand=Hand((0.5, 0.5)))
    assert watched([seen(scene), hand, seen(scene, seed=1)]) == [True, True]


def test_a_resting_hand_hides_the_points_under_it():
    scene = scene_of(0)
    field = field_of(scene)
    bgr, truth = scene.render(stacks_of(TOPS), rng=np.random.default_rng(1), hand=Hand((0.5, 0.83)))
    check = looked_at(bgr, field)
    assert check.blocked
    assert check.hidden[np.array(truth.hidden)].mean() > 0.9, "what the hand covers is known to be covered"
    assert check.hidden[field.points_px[:, 1] < field.points_px[:, 1].min() + 20].sum() <= 1, "the far side is free"


@pytest.mark.parametrize(
    "light", [Light(gain=0.65), Light(gain=1.35), Light(warmth=0.6)], ids=("dim", "bright", "warm")
)
def test_another_light_hides_nothing(light: Light):
    scene = scene_of(0)
    field = field_of(scene)
    check = looked_at(seen(scene, light=light, seed=2), field)
    assert not check.blocked and not check.hidden.any()


def test_a_stone_laid_and_one_taken_hide_nothing():
    scene = scene_of(0)
    tops = list(TOPS)
    tops[1], tops[2] = 1, 0
    check = looked_at(seen(scene, tuple(tops), seed=3), field_of(scene))
    assert not check.blocked and not check.hidden.any()


def test_a_cup_that_has_stood_there_is_waited_for_no_more():
    scene = scene_of(0)
    bgr, _ = scene.render(stacks_of(TOPS), rng=np.random.default_rng(1), cup=Cup((0.5, 0.5), radius=0.2))
    field = field_of(scene)
    first = looked_at(bgr, field)
    assert first.blocked and first.hidden.any()
    second = looked_at(bgr, field, standing_things(first))
    assert not second.blocked
    assert (second.hidden == first.hidden).all()
    hand, _ = scene.render(stacks_of(TOPS), rng=np.random.default_rng(1), hand=Hand((0.5, 0.83)))
    assert looked_at(hand, field, standing_things(first)).blocked


def test_a_lamp_that_throws_other_shadows_of_the_stones_has_put_nothing_in_the_way():
    scene, movement = scene_of(0), Movement()
    lamp = Light(gain=1.35, azimuth_deg=-60.0, elevation_deg=35.0, shadow=0.6)
    pictures = [seen(scene, seed=i) for i in range(5)] + [seen(scene, light=lamp, seed=i) for i in range(5, 10)]
    for i, bgr in enumerate(pictures):
        movement = update_motion(movement, Frame(bgr, i / 10, i))
    assert movement.last_motion_s == 0.5, "the table is looked at anew"
    assert movement.moved_cells is None


def test_what_changes_the_light_of_whole_columns_is_a_lamp_and_what_has_a_shape_is_a_hand():
    scene = scene_of(2)
    plain = seen(scene)
    lamp, hand = plain.copy(), plain.copy()
    lamp[:, : SIZE_PX[0] // 3] //= 2
    hand[150:400, 300:640] //= 2
    lit, reached = (np.clip(bgr.astype(int) + 3, 0, 255).astype(np.uint8) for bgr in (lamp, hand))
    watched = Movement()
    for i, bgr in enumerate([plain] * 5 + [lit] * 8):
        watched = update_motion(watched, Frame(bgr, i / 10, i))
        assert i == 0 or not is_moving_over(watched, field_of(scene))
        assert (watched.last_motion_s == i / 10) == (i in (0, 5)), "the table is looked at anew"
    assert watched.moved_cells is None
    # A hand comes and holds still for long, and all is a little brighter; also where a picture comes every second.
    for shown, fps in (([plain] * 5 + [reached] * 10, 10), ([plain] * 5 + [reached] * 3, 1)):
        slow = Movement()
        came = [
            is_moving_over(slow := update_motion(slow, Frame(bgr, i / fps, i)), field_of(scene))
            for i, bgr in enumerate(shown)
        ]
        assert came[1:] == [False] * 4 + [True] + [False] * (len(shown) - 6)
        assert slow.moved_cells is not None
