"""Advice names what hides a board, and says nothing of hands where there are none."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from languages import Message
from referee.layouts import NINE_MENS_MORRIS, SIX_MENS_MORRIS
from tests.synthetic.refused import refused
from vision.detection.board_hypotheses import BoardHypothesis, Occluder, best_occluder
from vision.detection.covering_objects import find_flap, find_things_on
from vision.detection.detect import locate
from vision.detection.failure_reasons import describe_location, failure_reason, hidden_reason, outline_folded_reason
from vision.detection.playing_areas import PlayingArea
from vision.detection.templates import board_template, line_drawings
from vision.detection.verification import Verification
from vision.imaging.field import NotRegistered
from vision.imaging.homography import apply_homography

MIDDLE, RADIUS_PX = (240.0, 180.0), 130.0
SKINS = [(120, 150, 200), (70, 95, 140), (150, 180, 230)]


def guess(gain: float = 100.0, board=NINE_MENS_MORRIS, coverage: float = 0.8) -> BoardHypothesis:
    t = board_template(line_drawings(board)[0])
    h = np.array([[RADIUS_PX, 0, MIDDLE[0]], [0, RADIUS_PX, MIDDLE[1]], [0, 0, 1.0]])
    joints, samples = apply_homography(h, t.joints), apply_homography(h, t.sample_xy)
    return BoardHypothesis(t, joints, h, samples, np.array([1.0, 0, 0]), coverage, gain)


def witness(links_seen: np.ndarray, found: BoardHypothesis) -> Verification:
    n = len(found.samples_px)
    return Verification(
        hypothesis=found,
        sample_seen=links_seen[found.template.sample_links] > 0.5,
        sample_in_picture=np.ones(n, np.bool_),
        link_coverage=links_seen,
        background_rate=0.0,
        overrun=0.0,
        inner_clutter=0.0,
        radius_px=RADIUS_PX,
    )


def lower_part_is_lost(found: BoardHypothesis) -> Verification:
    under = Occluder((0.0, 1.0), 30 / RADIUS_PX)
    low = (found.joints_px[found.template.links].mean(axis=1))[:, 1] > MIDDLE[1] + 30
    return witness(np.where(low, 0.0, 1.0), replace(found, occluder=under))


def table(over: tuple[int, int, int]) -> np.ndarray:
    """A sharp picture in which one thing reaches in from the lower rim, as far as the lower part of the board."""
    picture = np.full((360, 480, 3), (100, 115, 95), np.uint8)
    cv2.rectangle(picture, (20, 20), (60, 60), (240, 240, 240), -1)
    cv2.rectangle(picture, (100, 205), (380, 359), over, -1)
    return picture


@pytest.mark.parametrize("skin", SKINS)
def test_an_arm_over_a_board_is_named_with_the_part_that_it_hides(skin: tuple[int, int, int]) -> None:
    said = hidden_reason(table(skin), lower_part_is_lost(guess()))
    assert said.startswith("a hand or an arm hides the lower part of the board")


def test_a_grey_sheet_is_no_hand() -> None:
    said = hidden_reason(table((180, 180, 180)), lower_part_is_lost(guess()))
    assert said.startswith("something hides the lower part of the board")


def test_a_table_of_the_colour_of_skin_is_no_hand() -> None:
    picture = np.full((360, 480, 3), SKINS[0], np.uint8)
    cv2.rectangle(picture, (20, 20), (60, 60), (20, 20, 20), -1)
    cv2.rectangle(picture, (100, 205), (380, 359), (180, 180, 180), -1)
    said = hidden_reason(picture, lower_part_is_lost(guess()))
    assert said.startswith("something hides")


def test_what_looks_like_the_rest_hides_nothing() -> None:
    picture = np.full((360, 480, 3), (100, 115, 95), np.uint8)
    assert hidden_reason(picture, lower_part_is_lost(guess())) == ""


def test_where_the_table_is_seen_in_place_of_a_part_of_the_board_it_is_folded() -> None:
    picture = np.full((360, 480, 3), (60, 80, 120), np.uint8)
    fold = round(MIDDLE[1] + RADIUS_PX * (30 / RADIUS_PX + 1.17) / 2)
    cv2.circle(picture, (240, 180), round(1.17 * RADIUS_PX), (90, 170, 80), -1)
    picture[fold:] = (60, 80, 120)
    assert hidden_reason(picture, lower_part_is_lost(guess())).startswith("the board is folded over")


def test_what_is_missing_in_one_place_is_hidden_and_what_is_missing_here_and_there_is_not() -> None:
    t = guess().template
    lengths = np.linalg.norm(t.joints[t.links[:, 0]] - t.joints[t.links[:, 1]], axis=1)
    low = t.joints[t.links].mean(axis=1)[:, 1] > 0.25
    occluder, gain = best_occluder(t, np.where(low, -1, 1) * lengths, lengths)
    assert occluder.is_edge and occluder.direction[1] > 0.9
    assert gain > 0.4 * lengths[low].sum()
    scattered = np.arange(len(lengths)) % 3 == 0
    assert best_occluder(t, np.where(scattered, -1, 1) * lengths, lengths)[1] < 0.25 * lengths[scattered].sum()


def square_cloth(right_px: float) -> tuple[np.ndarray, PlayingArea]:
    """A square cloth on a table that ends at a column, and its outline."""
    left, up, down = MIDDLE[0] - 150, MIDDLE[1] - 150, MIDDLE[1] + 150
    picture = np.full((360, 480, 3), (60, 80, 120), np.uint8)
    cv2.rectangle(picture, (round(left), round(up)), (round(right_px), round(down)), (90, 170, 80), -1)
    corners = np.array([[left, up], [right_px, up], [right_px, down], [left, down]])
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    places = np.concatenate([np.linspace(a, b, 40, endpoint=False) for a, b in sides])
    return picture, PlayingArea(np.diag([150.0, 150, 1]), 1.0, rim_px=places)


def test_strokes_beyond_the_outline_of_a_square_cloth_are_folded_over() -> None:
    found = guess()
    right_px = MIDDLE[0] + 70
    picture, area = square_cloth(right_px)
    links_seen = (found.joints_px[found.template.links].mean(axis=1)[:, 0] < right_px - 50).astype(float)
    flap = find_flap(picture, witness(links_seen, found), [area])
    assert flap is not None
    assert describe_location(flap.offset) == "the right part" and 0.2 < flap.share < 0.8
    flat, whole = square_cloth(MIDDLE[0] + 150)
    assert find_flap(flat, witness(links_seen, found), [whole]) is None
    # A hard shadow gives a cloth a second outline.
    assert find_flap(picture, witness(links_seen, found), [area, whole]) is None
    assert find_flap(picture, witness(np.ones(len(links_seen)), found), [area]) is None  # strokes are seen on the table


def test_an_arm_beyond_the_outline_of_a_cloth_is_no_fold() -> None:
    found = guess()
    right_px = MIDDLE[0] + 70
    picture, area = square_cloth(right_px)
    picture[:, round(right_px) :] = (120, 150, 200)
    links_seen = (found.joints_px[found.template.links].mean(axis=1)[:, 0] < right_px - 50).astype(float)
    assert find_flap(picture, witness(links_seen, found), [area]) is None


def rim(part: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Places on the rim of a disc in the middle of the picture, of which only a part is seen."""
    around = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    disc = np.array(MIDDLE) + 120 * np.column_stack([np.cos(around), np.sin(around)])
    hull = cv2.convexHull(disc[part(disc)].astype(np.float32)).reshape(-1, 2)
    ring = np.concatenate([hull, hull[:1]])
    return np.concatenate([np.linspace(a, b, 12, endpoint=False) for a, b in zip(ring, ring[1:], strict=False)])


def test_a_round_cloth_with_one_straight_side_is_folded_there() -> None:
    said = outline_folded_reason(rim(lambda xy: xy[:, 0] < MIDDLE[0] + 40), (480, 360))
    assert said.startswith("the board is folded over and hides the right part of itself")
    assert outline_folded_reason(rim(lambda xy: xy[:, 0] < 1000), (480, 360)) == ""


def test_a_round_cloth_that_the_picture_cuts_off_is_not_folded() -> None:
    last = round(MIDDLE[0]) + 40
    assert outline_folded_reason(rim(lambda xy: xy[:, 0] <= last - 1), (last, 360)) == ""


def test_a_sheet_on_a_board_is_seen_by_its_even_colour_and_stones_and_stripes_are_not() -> None:
    picture = np.full((360, 480, 3), (70, 90, 130), np.uint8)
    area = PlayingArea(np.array([[120.0, 0, MIDDLE[0]], [0, 120, MIDDLE[1]], [0, 0, 1]]), 1.0)
    cv2.circle(picture, (240, 180), 120, (120, 180, 190), -1)
    for x in range(140, 340, 30):
        cv2.line(picture, (x, 70), (x, 290), (60, 60, 160), 6)
    for k in range(5):
        cv2.circle(picture, (170 + 35 * k, 150), 11, (30, 30, 30), -1)
    assert find_things_on(picture, area) is None
    cv2.rectangle(picture, (150, 190), (330, 280), (200, 90, 40), -1)
    covered = find_things_on(picture, area)
    assert covered is not None and 0.2 < covered.share < 0.5 and covered.offset[1] > 0.2


@pytest.mark.film
@pytest.mark.parametrize(
    ("number", "key"),
    [
        (12, "sight.outside"),
        (13, "sight.covered"),
        pytest.param(2, "sight.dark", marks=pytest.mark.slow),
        pytest.param(3, "sight.blurred", marks=pytest.mark.slow),
        pytest.param(41, "sight.folded", marks=pytest.mark.slow),
    ],
)
def test_what_is_wrong_with_a_picture_is_named(number: int, key: str) -> None:
    drawn = refused(121000, number)
    answer = locate(drawn.bgr)
    assert isinstance(answer, NotRegistered) and isinstance(answer.reason, Message)
    assert answer.reason.key == key, (drawn.what, answer.reason)


def test_two_kinds_that_explain_as_much_are_both_named() -> None:
    best, second = guess(100.0), guess(95.0, SIX_MENS_MORRIS)
    said = failure_reason(table((100, 115, 95)), (best, second), witness(np.ones(len(best.template.links)), best))
    assert said.startswith("two boards look equally likely: nine_mens_morris and six_mens_morris")
