"""The synthetic table tells the truth about itself, exactly and again and again."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from referee.board import Circle, Drawing
from referee.layouts import NINE_MENS_MORRIS, TRIALECTIC
from tests.synthetic import (
    Bump,
    Hand,
    Light,
    Nudge,
    Paint,
    Placing,
    Scene,
    Stone,
    Strokes,
    Surface,
    TableSpec,
    random_spec,
    stacks_of,
)

pytestmark = pytest.mark.film

SMALL = (480, 270)
BLACK, WHITE, RED, BLUE = (5.0, 5.0, 5.0), (235.0, 235.0, 235.0), (20.0, 20.0, 220.0), (220.0, 20.0, 20.0)


def plain_spec(**changes: object) -> TableSpec:
    """A black-lined white cloth in flat light, without noise: what is measured is geometry alone."""
    spec = TableSpec(
        board=NINE_MENS_MORRIS,
        drawing="lines",
        seed=3,
        cloth=Surface(WHITE, WHITE, weave=0.0),
        table=Surface((120.0, 120.0, 120.0), (120.0, 120.0, 120.0), weave=0.0),
        strokes=Strokes("paint", BLACK, width=0.012, wobble=0.0, overshoot=0.0, gaps=0.0),
        paints=(Paint(RED, speckle=0.0), Paint(BLUE, speckle=0.0)),
        placing=Placing(tilt_deg=35, azimuth_deg=20, roll_deg=3, k1=-0.1),
        light=Light(shadow=0.1),
        size_px=(960, 540),
        noise=0.0,
        blur_px=0.0,
        vignette=0.0,
        jpeg_quality=None,
        distractors=0,
        spare_stones=0,
        point_error=0.04,
    )
    return replace(spec, **changes)  # type: ignore[arg-type]


@cache
def scene_of(spec: TableSpec) -> Scene:
    return Scene(spec)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


DOTTED = replace(NINE_MENS_MORRIS, drawings=(Drawing("dots", tuple(Circle(xy, 0.004) for xy in NINE_MENS_MORRIS.xy)),))


def painted_dot(bgr: np.ndarray, near: np.ndarray, reach: int = 12) -> np.ndarray:
    """Centroid of the dark spot round ``near``, px."""
    left, top = np.round(near).astype(int) - reach
    part = bgr[top : top + 2 * reach + 1, left : left + 2 * reach + 1].mean(axis=2)
    weight = np.maximum(np.median(part) - part - 15, 0)
    rows, columns = np.mgrid[: part.shape[0], : part.shape[1]]
    return np.array([(columns * weight).sum(), (rows * weight).sum()]) / weight.sum() + (left, top)


@pytest.mark.parametrize("wrinkles", [pytest.param(0.0, marks=pytest.mark.slow), 0.03])
def test_every_point_lies_where_a_dot_painted_on_the_cloth_is_seen(wrinkles: float) -> None:
    scene = Scene(plain_spec(board=DOTTED, drawing="dots", wrinkles=wrinkles))
    nudge, bump = Nudge(0.05, -0.04, 8), Bump(2.0, -1.5, 3.0, (0.02, 0.0, 0.03))
    for moved in ({}, {"nudge": nudge}, {"bump": bump}):
        bgr, truth = scene.render([[]] * 24, rng=rng(), **moved)
        off = [np.linalg.norm(painted_dot(bgr, point) - point) for point in truth.points_px]
        assert max(off) < 0.7  # the dot is 9 px wide and its brush uneven; the truth itself has no grain
        assert np.mean(off) < 0.3


def test_the_first_player_sits_at_the_bottom_and_nothing_is_mirrored() -> None:
    points = scene_of(plain_spec()).points_px()
    a1, g1, a7 = (points[NINE_MENS_MORRIS.index[name]] for name in ("a1", "g1", "a7"))
    assert g1[0] > a1[0] and a7[1] < a1[1]
    right, up = g1 - a1, a7 - a1
    assert right[0] * up[1] - right[1] * up[0] < 0  # y down: up is anticlockwise of right


def test_a_stone_lies_nearest_to_its_own_point_and_higher_stones_lean_away_from_the_camera() -> None:
    spec = plain_spec(board=TRIALECTIC, placing_error=0.35, placing=Placing(tilt_deg=45))
    scene = Scene(spec)
    stacks = [[Stone(0, offset=(0.0, 0.0))] * height for height in (1, 3) * 9]
    _, truth = scene.render(stacks, rng=rng())
    assert truth.heights == (1, 3) * 9
    shift = truth.points_px[:, 1] - truth.stones_px[:, 1]  # up in the picture
    assert (shift > 0).all()
    assert shift[1::2].min() > 2 * shift[::2].max()
    apart = np.linalg.norm(scene.render([[0]] * 18, rng=rng())[1].stones_px[:, None] - truth.points_px[None], axis=2)
    assert (apart.argmin(axis=1) == np.arange(18)).mean() > 0.8  # not all: what is seen aslant is not where it stands


def test_the_same_spec_and_seed_give_the_same_picture() -> None:
    spec = random_spec(rng(), NINE_MENS_MORRIS, size_px=SMALL)
    assert spec == random_spec(rng(), NINE_MENS_MORRIS, size_px=SMALL)
    hand = Hand((0.5, 0.5), carries=Stone(1))
    used = Scene(spec)
    used.render([[0]] * 24, rng=rng(), nudge=Nudge(0.1), light=Light(gain=0.6))  # what is kept must not leak
    first, _ = used.render(stacks_of([1, 2] * 12), rng=rng(), hand=hand)
    again, _ = Scene(spec).render(stacks_of([1, 2] * 12), rng=rng(), hand=hand)
    assert np.array_equal(first, again)
    other, _ = used.render(stacks_of([1, 2] * 12), rng=np.random.default_rng(2), hand=hand)
    assert not np.array_equal(first, other)


def test_a_hand_hides_the_points_under_it_and_nothing_without_it() -> None:
    scene = scene_of(plain_spec())
    bare, before = scene.render([[]] * 24, rng=rng())
    bgr, truth = scene.render([[]] * 24, rng=rng(), hand=Hand((0.5, 0.35), from_deg=0))
    assert not any(before.hidden)
    hidden = {name for name, is_hidden in zip(NINE_MENS_MORRIS.points, truth.hidden, strict=True) if is_hidden}
    assert {"d3", "d2"} <= hidden  # the arm comes over the first player's side
    assert hidden.isdisjoint({"a7", "g7", "d7", "a1", "a4"})
    changed = np.abs(bgr.astype(int) - bare).max(axis=2) > 40
    for name, point in zip(NINE_MENS_MORRIS.points, np.round(truth.points_px).astype(int), strict=True):
        if name in {"d3", "d2"}:
            assert changed[point[1] - 2 : point[1] + 3, point[0] - 2 : point[0] + 3].any()
