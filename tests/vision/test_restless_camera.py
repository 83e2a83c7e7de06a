"""A camera that never rests: its own unrest is no movement, and hands are seen in it all the same."""

from collections.abc import Callable, Iterator
from functools import cache

import cv2
import numpy as np
import pytest

from referee.events import BoardFound, Event, TurnPlayed
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.camera import Camera, View, filmed, restless_camera
from tests.simulation.play import Eyes, simulate, table_of
from tests.synthetic import Hand, Scene, random_spec, stacks_of
from vision.imaging.frame import Frame, Image
from vision.pipeline import step
from vision.tracking.motion import MotionState, update_motion
from vision.watching.state import USUAL_VISIT_S, Watched, start

pytestmark = pytest.mark.film

FPS, LEARNT_S, FILM_S, HAND_CAME_S = 20, 2.0, 6.0, 1.2
SIZE_PX = (480, 272)
EMPTY = stacks_of((0,) * len(NINE_MENS_MORRIS.points))


@cache
def grained_table() -> Image:
    """A dim table, a part of it with hard grain along the rows, and a sheet with lines of writing on it."""
    rng = np.random.default_rng(4)
    grain = cv2.GaussianBlur(rng.normal(0, 1, SIZE_PX[::-1]).astype(np.float32), (0, 0), sigmaX=20, sigmaY=1.2)
    level = 80 + np.where(np.arange(SIZE_PX[1])[:, None] < 110, 22, 3) * grain / grain.std()
    level[20:100, 30:450] = 210
    level[30:90, 40:440] = np.where(np.arange(60)[:, None] % 7 < 3, 30, 210)
    return np.repeat(np.clip(level, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def views(hand_s: tuple[float, float] = (0.0, 0.0)) -> Iterator[View]:
    """The table, shaken once a second; an arm slides to and fro over it between two times."""
    for k in range(round(FILM_S * FPS)):
        bgr = grained_table()
        if hand_s[0] <= k / FPS < hand_s[1]:
            bgr = bgr.copy()
            cv2.circle(bgr, (240 + abs(14 * k % 280 - 140) - 70, 170), 55, (90, 120, 170), cv2.FILLED)
        yield View(bgr, touched=k % FPS == 0 and k > 0)


def moving(camera: Camera, hand_s: tuple[float, float] = (0.0, 0.0)) -> dict[float, bool]:
    """By time, whether something moved; ten frames a second."""
    state, moved = MotionState(), {}
    for k, taken in enumerate(filmed(views(hand_s), camera)):
        if k % 2 == 0:
            state = update_motion(state, Frame(taken.bgr, taken.time_s, k))
            moved[taken.time_s] = state.last_motion_s == taken.time_s
    return moved


@pytest.mark.parametrize("level", [2, 4])
def test_a_table_that_is_shaken_once_a_second_is_at_rest_in_between(level: int):
    moved = moving(restless_camera(3, level))
    for second in range(round(LEARNT_S), round(FILM_S)):
        rests = [not is_moving for time_s, is_moving in moved.items() if second + 0.5 <= time_s < second + 0.99]
        assert sum(rests) >= 4, f"second {second}: {rests}"


def empty_table() -> Scene:
    return drawn(random_spec(np.random.default_rng(10), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540)))


def test_a_hand_that_shakes_the_table_by_a_pixel_has_laid_its_stone_all_the_same():
    """A board far away: a pixel is more between two of its points than its place is known by."""
    rng, eyes = np.random.default_rng(10), Eyes(table_of(find_variant("nine_mens_morris")))
    scene = drawn(random_spec(rng, NINE_MENS_MORRIS, hardness=0.2, size_px=(320, 180)))
    events = list[Event]()
    for k in range(30):
        stacks = stacks_of([int(k >= 18 and point == 4) for point in range(24)])
        bgr, truth = scene.render(stacks, rng=rng, hand=Hand(NINE_MENS_MORRIS.xy[4]) if 14 <= k < 20 else None)
        shaken = bgr if k < 18 else np.roll(bgr, 1, axis=1)
        events += eyes.see(Frame(shaken, k / 10, k), truth.points_px)
    assert [type(event) for event in events] == [BoardFound, BoardFound, TurnPlayed]


def test_a_board_behind_which_somebody_walks_by_is_looked_at_twice_a_second():
    """To and fro, in a dark jacket, after three seconds of nobody."""
    bare, truth = empty_table().render(EMPTY, rng=np.random.default_rng(10))
    room_px = int(truth.points_px[:, 1].min()) - 80
    assert room_px > 50, "there is room behind the board"

    def picture(k: int) -> Image:
        bgr, x = bare.copy(), 9 * (k - 60) % (960 + 300) - 150
        if k > 60:
            cv2.rectangle(bgr, (x - 70, 0), (x + 70, room_px - 10 * (k // 5 % 2)), (60, 40, 50), cv2.FILLED)
        return bgr

    check_that_nothing_happens_and_looks_go_on(picture, 6.0)


def test_a_board_is_looked_at_twice_a_second_while_a_hand_stays_over_a_corner():
    scene, rng = empty_table(), np.random.default_rng(10)

    def picture(k: int) -> Image:
        x, y = rng.normal((0.05, 0.95), 0.02)  # it fiddles, once it has come
        hand = Hand((float(x), float(y)), from_deg=-20) if k > HAND_CAME_S * FPS else None
        return scene.render(EMPTY, rng=rng, hand=hand)[0]

    check_that_nothing_happens_and_looks_go_on(picture, 5.0, since_s=round(HAND_CAME_S + USUAL_VISIT_S))


def test_turns_are_announced_while_the_hand_of_who_played_stays_over_the_board():
    result = simulate(8301, "millchen", n_turns=6, leaning=True, rest_s=2.0)
    assert result.exact
    assert max(result.waits_s) < 1.0


def test_a_ring_that_stands_still_is_read_while_a_hand_stays_over_another():
    options = {"players": 2, "fields": 8}
    result = simulate(8511, "moulin_rouge", n_turns=3, leaning=True, rest_s=2.0, options=options, size_px=(640, 360))
    assert (result.announced, result.right) == (3, 3)  # the hand fiddles beside the third stone


def check_that_nothing_happens_and_looks_go_on(
    picture: Callable[[int], Image], seconds: float, since_s: int = 1
) -> None:
    """A look is a reading of the board, or a frame that shows that nothing has touched what was understood."""
    table, events, looked = table_of(find_variant("nine_mens_morris")), list[Event](), dict[float, bool]()
    state, camera = start(table), restless_camera(10, level=2)
    shown = (View(picture(k)) for k in range(round(seconds * camera.fps)))
    for number, taken in enumerate(filmed(shown, camera)):
        state, said = step(state, Frame(taken.bgr, taken.time_s, number), table)
        events += said
        if isinstance(state, Watched):
            looked[taken.time_s] = state.looked_s == taken.time_s
    assert [type(event) for event in events] == [BoardFound]
    for second in range(since_s, round(max(looked))):
        looks = [look for time_s, look in looked.items() if second <= time_s < second + 1]
        assert sum(looks) >= 2, f"second {second}"


@pytest.mark.parametrize("level", [0, 2])
def test_a_hand_is_movement_through_a_restless_camera(level: int):
    moved = moving(restless_camera(3, level), (3.5, 5.5))
    seen = [is_moving for time_s, is_moving in moved.items() if 3.5 <= time_s < 5.5]
    assert all(seen[:5]), "it comes in"
    assert np.mean(seen) > 0.8, "it is there for two seconds"
