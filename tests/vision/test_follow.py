"""The board is followed through pushes and knocks: numbers against the truth of drawn tables."""

from dataclasses import replace

import numpy as np
import pytest

from referee.board import Board
from referee.layouts import NINE_MENS_MORRIS, ROMAN_MILL
from tests.drawn import drawn, field_of
from tests.synthetic import Bump, Hand, Light, Nudge, Scene, random_spec, stacks_of
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.tracking.follow import Anchor, TrackedField, follow
from vision.tracking.redetect import redetect

pytestmark = pytest.mark.film

TOLERANCE_SPACINGS = 0.1
"""A tenth of a spacing: stones lie up to a third off their points, so this costs nothing."""

TOPS = {9: (1, 0, 2, 0, 1, 0, 0, 2, 0), 24: (1, 0, 2, 0, 0, 1, 0, 0, 2, 1, 0, 0) * 2}


def scene_of(board: Board, seed: int, size_px: tuple[int, int] = (960, 540)) -> Scene:
    return drawn(random_spec(np.random.default_rng(seed), board, hardness=0.3, size_px=size_px))


def pictures(scene: Scene, **changed: object) -> tuple[Frame, Frame, np.ndarray]:
    rng = np.random.default_rng(5)
    stacks = stacks_of(TOPS[len(scene.spec.board.points)])
    before, _ = scene.render(stacks, rng=rng)
    now, truth = scene.render(stacks, rng=rng, **changed)
    return Frame(before, 0.0, 0), Frame(now, 1.0, 1), truth.points_px


def errors(followed: TrackedField, truth_px: np.ndarray) -> np.ndarray:
    return np.linalg.norm(followed.field.points_px - truth_px, axis=1) / followed.field.spacing_px


CASES = [
    ("pushed a little", {"nudge": Nudge(0.03, -0.02, 2.0)}),
    ("pushed and turned", {"nudge": Nudge(-0.08, 0.05, 8.0)}),
    ("pushed far", {"nudge": Nudge(0.12, 0.08, -15.0)}),
    ("camera knocked", {"bump": Bump(1.5, -1.0, 2.0)}),
    ("camera knocked in another light", {"bump": Bump(-1.0, 1.0, -3.0), "light": Light(gain=0.7, warmth=0.3)}),
]


@pytest.mark.parametrize("changed", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_the_field_goes_where_the_board_went(changed: dict[str, object]):
    scene = scene_of(ROMAN_MILL, seed=11)
    before, now, truth_px = pictures(scene, **changed)
    followed = follow(Anchor(before.bgr, field_of(scene)), now)
    assert isinstance(followed, TrackedField)
    assert followed.moved
    assert errors(followed, truth_px).max() < TOLERANCE_SPACINGS


def test_a_hand_over_a_part_of_the_board_does_not_lose_it():
    scene = scene_of(NINE_MENS_MORRIS, seed=6)
    nudge = Nudge(0.04, 0.02, 4.0)
    before, now, truth_px = pictures(scene, nudge=nudge, hand=Hand((0.85, 0.9)))
    followed = follow(Anchor(before.bgr, field_of(scene)), now)
    assert isinstance(followed, TrackedField)
    assert errors(followed, truth_px).max() < TOLERANCE_SPACINGS


def test_a_picture_without_the_board_is_not_registered_and_says_what_to_do():
    scene = scene_of(NINE_MENS_MORRIS, seed=6)
    before, now, _ = pictures(scene)
    noise = np.random.default_rng(0).integers(0, 255, now.bgr.shape, dtype=np.uint8)
    lost = follow(Anchor(before.bgr, field_of(scene)), Frame(noise, 1.0, 1))
    assert isinstance(lost, NotRegistered)
    assert "picture" in lost.reason


def test_a_field_followed_wrongly_is_found_anew():
    scene = scene_of(NINE_MENS_MORRIS, 2)
    before, now, truth_px = pictures(scene)
    anchor = Anchor(before.bgr, field_of(scene))
    right = follow(anchor, now)
    assert isinstance(right, TrackedField)
    aside = right.field.points_px + 0.6 * right.field.spacing_px[:, None]
    wrong = replace(right, field=replace(right.field, points_px=aside))
    mended = redetect(anchor, now, wrong)
    assert isinstance(mended, TrackedField)
    assert errors(mended, truth_px).max() < 2 * TOLERANCE_SPACINGS
    assert redetect(anchor, now, right) is right
