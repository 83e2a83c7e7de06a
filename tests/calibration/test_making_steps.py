"""How a board is made, step by step, and how large: it is the game's own board; a camera sees pebbles as said."""

from math import dist, hypot
from xml.etree import ElementTree

import numpy as np
import pytest

from calibration.making.board_template import disc_radii
from calibration.making.board_template import extent as drawn_extent
from calibration.making.making_steps import HEIGHT, WAYS, WIDTH, steps_for, ways_for
from calibration.making.sizes import RIM_SHARE, VIEW_PRESETS_DEG, advise_sizes
from calibration.placement import METER_LIMITS
from calibration.step_texts import Refused
from languages import LANGUAGES
from referee.board import Board, Circle
from referee.layouts import MOULIN_ROUGE, NINE_MENS_MORRIS, SIX_MENS_MORRIS, TIC_TAC_TOE, TRIALECTIC, moulin_rouge
from referee.presets import PRESETS
from tests.synthetic import Placing
from tests.synthetic.viewpoint import Viewpoint, look_at

EVERY = [(way, name) for name, preset in PRESETS.items() for way in ways_for(preset.variant)]


def test_boards_that_turn_are_made_of_discs_and_all_others_are_not() -> None:
    assert {name for way, name in EVERY if way == "card_discs"} == {"moulin_rouge"}
    assert {way for way, _ in EVERY} == set(WAYS)
    assert all(4 <= len(way["steps"]) <= 7 for way in WAYS.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_is_told_and_drawn_in_every_way(language: str) -> None:
    for way, name in EVERY:
        if name not in ("millchen", "trialectic", "moulin_rouge"):  # all others are told in the words of these
            continue
        told = steps_for(way, PRESETS[name].variant, language)
        for text in (told.title, *told.needs, *(step.text for step in told.steps)):
            assert text and not set("{}") & set(text)
        assert len(told.steps) == len(WAYS[way]["steps"])


@pytest.mark.parametrize("name", PRESETS)
def test_every_drawing_is_a_picture_of_its_own_inside_its_frame_with_one_accent_at_most(name: str) -> None:
    drawn = set()
    for way in ways_for(PRESETS[name].variant):
        for step in steps_for(way, PRESETS[name].variant).steps:
            root = ElementTree.fromstring(step.svg)
            assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
            assert {one.get("class") for one in root.iter()} <= {"step-drawing", "accent", "paper", None}
            colours = {one.get(kind) for one in root.iter() for kind in ("stroke", "fill")}
            assert colours <= {"currentColor", "none", None}
            drawn.add(step.svg)
    assert len(drawn) >= 6


@pytest.mark.parametrize(
    ("name", "n"), [("tic_tac_toe", 9), ("millchen", 18), ("trialectic", 27), ("moulin_rouge", 20)]
)
def test_as_many_stones_are_needed_and_drawn_as_the_game_has(name: str, n: int) -> None:
    variant = PRESETS[name].variant
    told = steps_for(ways_for(variant)[0], variant)
    heaps = " + ".join(map(str, variant.stones))
    assert f"{n} " in next(need for need in told.needs if heaps in need)
    assert n in [step.svg.count("scale(") for step in told.steps]


@pytest.mark.parametrize("n_holes", [7, 8, 12, 16, 24])
def test_every_hollow_lies_on_its_own_disc(n_holes: int) -> None:
    board = moulin_rouge(n_holes)
    radii = disc_radii(board)
    for ring, disc, above in zip(board.rings, radii, (*radii[1:], 0.0), strict=True):
        for point in ring:
            hollow = board.drawings[0].strokes[point]
            assert isinstance(hollow, Circle)
            out = hypot(board.xy[point][0] - 0.5, board.xy[point][1] - 0.5)
            assert above < out - hollow.radius and out + hollow.radius < disc


BOARDS = (NINE_MENS_MORRIS, SIX_MENS_MORRIS, TIC_TAC_TOE, TRIALECTIC, MOULIN_ROUGE)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
@pytest.mark.parametrize("degrees", VIEW_PRESETS_DEG)
def test_the_drawn_camera_sees_the_whole_board_and_pebbles_as_wide_as_is_said(board: Board, degrees: float) -> None:
    size_px = (1280, 720)
    advice = advise_sizes(board, 30, degrees, *size_px)
    across_deg = 2 * np.degrees(np.arctan(np.tan(np.radians(degrees) / 2) * size_px[0] / np.hypot(*size_px)))
    box = np.array(drawn_extent(board, board.drawings[0].name))
    extent = float(box.max())

    def camera_at(height_cm: float) -> Viewpoint:
        return look_at(height_cm / (30 / extent), size_px, Placing(tilt_deg=0.0, field_of_view_deg=float(across_deg)))

    rim = (box / 2 + RIM_SHARE * extent) * [[-1, -1], [1, 1]]
    seen = camera_at(advice.lowest_camera_cm).project(np.column_stack([rim, np.zeros(2)]))
    assert (seen > -1).all()
    assert (seen < np.array(size_px)).all()
    assert min(seen.min(), (np.array(size_px) - 1 - seen).min()) < 1  # and no lower than need be
    limit, half = METER_LIMITS["pebble"], advice.best_pebble_mm / (300 / extent) / 2
    said = [(advice.height_cm(px), px) for px in (limit.good, limit.fair)]
    for height_cm, wanted in ((advice.best_camera_cm, advice.pebble_px), *said):
        ends = camera_at(height_cm).project(np.array([[-half, 0.0, 0.0], [half, 0.0, 0.0]]))
        assert dist(*ends) == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_largest_pebbles_do_not_touch_even_where_both_lie_off_their_points(board: Board) -> None:
    advice = advise_sizes(board, 30, 78, 1280, 720)
    extent = max(drawn_extent(board, board.drawings[0].name))
    nearest_mm = min(dist(a, b) for i, a in enumerate(board.xy) for b in board.xy[:i]) * 300 / extent
    assert 0.7 * nearest_mm < advice.largest_pebble_mm <= 0.8 * nearest_mm * 1.01


@pytest.mark.parametrize(
    ("choice", "verdict"),
    [
        ((NINE_MENS_MORRIS, 27, 78, 1280, 720), "good"), ((NINE_MENS_MORRIS, 27, 78, 240, 180), "fair"),
        ((NINE_MENS_MORRIS, 27, 78, 160, 120), "few_pixels"), ((NINE_MENS_MORRIS, 280, 60, 1280, 720), "too_high"),
        ((TIC_TAC_TOE, 8, 140, 160, 120), "too_low"), ((TRIALECTIC, 9, 78, 1280, 720), "fingers"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_with_what_to_change(choice: tuple[Board, float, float, int, int], verdict: str) -> None:
    advice = advise_sizes(*choice)
    assert advice.verdict == verdict
    assert set(advice.texts) == set(LANGUAGES)
    assert all("{" not in sentence for said in advice.texts.values() for sentence in said)


@pytest.mark.parametrize(
    "choice", [(0, 78, 1280, 720), (float("nan"), 78, 1280, 720), (27, 178, 1280, 720), (27, 78, 0, 720)]
)
def test_numbers_that_nothing_can_have_are_refused(choice: tuple[float, float, int, int]) -> None:
    with pytest.raises(Refused):
        advise_sizes(NINE_MENS_MORRIS, *choice)
